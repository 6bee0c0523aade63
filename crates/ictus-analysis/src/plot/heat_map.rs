//! Surfaces seen from above: displacement as colour, with points marked.

use super::color::{INK, PALETTE, PAPER, Rgb, SOFT_INK};
use super::frame::{MARGIN, SUBTITLE, heading, titled};
use super::surface::Surface;
use super::{PlotError, font, picture};
use std::path::Path;

/// Width of one map, pixels, and the most and least it is high.
const WIDTH: f64 = 360.0;
const HEIGHT: (f64, f64) = (90.0, 540.0);
const GAP: f64 = 16.0;
const ABOVE: f64 = 60.0;

/// One surface at one moment.
#[derive(Clone, Debug)]
pub struct HeatMap {
    /// Above the map.
    pub title: String,
    /// Values row by row, not-a-number where there is nothing.
    pub values: Vec<f64>,
    /// Values in a row.
    pub columns: usize,
    /// Height of the map over its width.
    pub aspect: f64,
    /// Points to mark, as shares of width and height from the top left, and whether they are pressed.
    pub marks: Vec<((f64, f64), bool)>,
}

/// Draws maps side by side, `per_row` in a row: blue is −`reach` and below, red `reach` and above.
pub fn heat_maps(path: &Path, title: &str, per_row: usize, reach: f64, maps: &[HeatMap]) -> Result<(), PlotError> {
    let aspect = maps.first().map_or(1.0, |map| map.aspect);
    let height = (WIDTH * aspect).clamp(HEIGHT.0, HEIGHT.1).round();
    let width = (height / aspect).min(WIDTH).round();
    let per_row = per_row.clamp(1, maps.len().max(1));
    let rows = maps.len().div_ceil(per_row).max(1);
    let below = SUBTITLE + 10.0;
    let size = (
        (2.0 * MARGIN + per_row as f64 * (width.max(200.0) + GAP) - GAP) as u32,
        (MARGIN + ABOVE + rows as f64 * (height + below + GAP)) as u32,
    );
    picture(path, size, |on| {
        titled(on, size, title);
        for (i, map) in maps.iter().enumerate() {
            let x = (MARGIN + (i % per_row) as f64 * (width.max(200.0) + GAP)).round();
            let y = (ABOVE + (i / per_row) as f64 * (height + below + GAP)).round();
            heading(on, (x, y + 0.5 * font::CAPITAL * SUBTITLE), &map.title, SUBTITLE);
            draw(on, (x, (y + below).round()), (width, height), reach, map);
        }
    })
}

fn draw(on: &mut dyn Surface, (x, y): (f64, f64), (width, height): (f64, f64), reach: f64, map: &HeatMap) {
    let rows = map.values.len() / map.columns.max(1);
    let (across, down) = (width as usize, height as usize);
    let mut pixels = Vec::with_capacity(across * down);
    for row in 0..down {
        let source = (row * rows / down).min(rows.saturating_sub(1));
        for column in 0..across {
            let value = map.values[source * map.columns + (column * map.columns / across).min(map.columns - 1)];
            pixels.push(color(value / reach));
        }
    }
    on.image((x, y), across, &pixels);
    for &((u, v), pressed) in &map.marks {
        let (radius, ink) = if pressed { (3.0, INK) } else { (1.5, SOFT_INK) };
        on.disc((x + u * width, y + v * height), radius, ink);
    }
}

/// From blue over paper to red; what is not there is grey.
fn color(level: f64) -> Rgb {
    if level.is_nan() {
        return Rgb(0xDD, 0xDD, 0xD8);
    }
    let end = if level < 0.0 { PALETTE[0] } else { PALETTE[1] };
    let share = level.abs().min(1.0);
    let mix = |a: u8, b: u8| (f64::from(a) + share * (f64::from(b) - f64::from(a))).round() as u8;
    Rgb(mix(PAPER.0, end.0), mix(PAPER.1, end.1), mix(PAPER.2, end.2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_run_from_blue_to_red() {
        assert_eq!(color(-1.0), PALETTE[0]);
        assert_eq!(color(0.0), PAPER);
        assert_eq!(color(2.0), PALETTE[1]);
        assert_ne!(color(f64::NAN), PAPER);
    }
}
