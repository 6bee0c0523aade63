//! What a picture is drawn on. Positions are pixels from the top left corner, and may lie between pixels.

use super::color::Rgb;

/// Where a text's position lies in it, along the line. Across the line it is the middle of the capitals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// How a text looks and lies.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextStyle {
    pub(super) size: f64,
    pub(super) color: Rgb,
    pub(super) anchor: Anchor,
    /// Reading upwards, for labels of vertical axes.
    pub(super) upwards: bool,
}

/// A rectangle in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rect {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Rect {
    pub(super) fn right(&self) -> f64 {
        self.x + self.width
    }

    pub(super) fn bottom(&self) -> f64 {
        self.y + self.height
    }

    /// The whole picture.
    pub(super) fn of(size: (u32, u32)) -> Self {
        Self { x: 0.0, y: 0.0, width: f64::from(size.0), height: f64::from(size.1) }
    }
}

pub(super) trait Surface {
    fn fill(&mut self, area: Rect, color: Rgb);
    /// A line through points; a single point draws nothing.
    fn line(&mut self, points: &[(f64, f64)], width: f64, color: Rgb);
    fn disc(&mut self, center: (f64, f64), radius: f64, color: Rgb);
    /// Vertical bars one pixel wide side by side, each from top to bottom: an envelope.
    fn bars(&mut self, left: f64, bars: &[(f64, f64)], color: Rgb);
    fn text(&mut self, at: (f64, f64), text: &str, style: TextStyle);
    /// Pixels, row by row from the top, `width` in a row.
    fn image(&mut self, at: (f64, f64), width: usize, pixels: &[Rgb]);
}

/// Cuts a line into dashes of alternating lengths on and off.
pub(super) fn dashes(points: &[(f64, f64)], pattern: (f64, f64)) -> Vec<Vec<(f64, f64)>> {
    let mut pieces = Vec::new();
    let mut current: Vec<(f64, f64)> = points.first().copied().into_iter().collect();
    let (mut on, mut left) = (true, pattern.0);
    for pair in points.windows(2) {
        let (dx, dy) = (pair[1].0 - pair[0].0, pair[1].1 - pair[0].1);
        let length = libm::hypot(dx, dy);
        let mut done = 0.0;
        while length - done > left {
            done += left;
            let cut = (pair[0].0 + dx * done / length, pair[0].1 + dy * done / length);
            if on {
                current.push(cut);
                pieces.push(std::mem::take(&mut current));
            } else {
                current = vec![cut];
            }
            on = !on;
            left = if on { pattern.0 } else { pattern.1 };
        }
        left -= length - done;
        if on {
            current.push(pair[1]);
        }
    }
    if on && current.len() > 1 {
        pieces.push(current);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_cover_their_share_of_the_line() {
        let line: Vec<(f64, f64)> = (0..=30).map(|i| (f64::from(i), 0.0)).collect();
        let pieces = dashes(&line, (6.0, 4.0));
        let spans: Vec<(f64, f64)> = pieces.iter().map(|p| (p[0].0, p.last().unwrap().0)).collect();
        assert_eq!(spans, [(0.0, 6.0), (10.0, 16.0), (20.0, 26.0)]);
    }
}
