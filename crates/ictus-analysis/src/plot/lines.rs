//! Curves in a frame, and grids of such frames.

mod path;

use super::axis::Axis;
use super::color::{INK, PALETTE, Rgb};
use super::frame::{Frame, FrameSpec, SUBTITLE, TICK, heading, titled};
use super::surface::{Anchor, Rect, Surface, TextStyle, dashes};
use super::{PlotError, SIZE, font, picture};
use std::path::Path;

/// Width of a curve, pixels.
const LINE: f64 = 1.8;
const DISC: f64 = 4.2;
/// Lengths on and off, pixels.
const DASHED: (f64, f64) = (9.0, 5.0);
const DOTTED: (f64, f64) = (2.0, 4.0);
const LEGEND_ROW: f64 = 26.0;

/// How a curve is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stroke {
    /// A line.
    #[default]
    Solid,
    /// A line of dashes.
    Dashed,
    /// A line of dots.
    Dotted,
    /// Points alone.
    Points,
    /// A line with its points.
    Marked,
}

/// A curve with a name. Points with a coordinate that is not finite, or has no place on a log axis, leave a gap.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// Name in the legend; empty for none.
    pub label: String,
    /// Points (x, y).
    pub points: Vec<(f64, f64)>,
    /// How it is drawn.
    pub stroke: Stroke,
    /// Colour; `None` takes the next of [`PALETTE`].
    pub color: Option<Rgb>,
}

impl Curve {
    /// A solid curve.
    pub fn new(label: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { label: label.into(), points, ..Self::default() }
    }

    /// A curve through equally spaced values, the first at `start`.
    pub fn sampled(label: impl Into<String>, start: f64, step: f64, values: &[f64]) -> Self {
        Self::new(label, values.iter().enumerate().map(|(i, &y)| (start + step * i as f64, y)).collect())
    }

    /// The same curve, drawn otherwise.
    pub fn stroke(mut self, stroke: Stroke) -> Self {
        self.stroke = stroke;
        self
    }

    /// The same curve, in dashes.
    pub fn dashed(self) -> Self {
        self.stroke(Stroke::Dashed)
    }

    /// The same curve, with its points marked.
    pub fn marked(self) -> Self {
        self.stroke(Stroke::Marked)
    }

    /// The same curve, in a given colour.
    pub fn color(mut self, color: Rgb) -> Self {
        self.color = Some(color);
        self
    }
}

/// Curves over two axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Lines {
    /// Title; empty for none.
    pub title: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// The curves, drawn in this order.
    pub curves: Vec<Curve>,
}

impl Lines {
    /// A plot without curves yet.
    pub fn new(title: impl Into<String>, x: Axis, y: Axis) -> Self {
        Self { title: title.into(), x, y, curves: Vec::new() }
    }

    /// The same plot with one more curve.
    pub fn with(mut self, curve: Curve) -> Self {
        self.curves.push(curve);
        self
    }

    fn color(&self, index: usize) -> Rgb {
        self.curves[index].color.unwrap_or(PALETTE[index % PALETTE.len()])
    }

    fn frame_spec(&self, outside: Rect) -> FrameSpec<'_> {
        let points = || self.curves.iter().flat_map(|c| &c.points);
        // Lines run from edge to edge; discs on the edge would be cut in half.
        let discs = self.curves.iter().any(|c| matches!(c.stroke, Stroke::Points | Stroke::Marked));
        let x = self.x.fit(points().map(|p| p.0), if discs { 0.03 } else { 0.0 });
        let seen = points().filter(|p| x.fraction(p.0).is_some_and(|f| (0.0..=1.0).contains(&f)));
        let y = self.y.fit(seen.map(|p| p.1), 0.05);
        FrameSpec { outside, x: (&self.x, x), y: (&self.y, y), left: 0.0, numbered: true }
    }

    /// Draws legend, frame and curves; the title is the caller's.
    pub(super) fn draw(&self, on: &mut dyn Surface, room: Rect) {
        let top = legend(on, room, self);
        let outside = Rect { y: room.y + top, height: room.height - top, ..room };
        let frame = self.frame_spec(outside).draw(on);
        self.draw_curves(on, &frame);
    }

    pub(super) fn draw_curves(&self, on: &mut dyn Surface, frame: &Frame) {
        for (i, curve) in self.curves.iter().enumerate() {
            draw_curve(on, frame, curve, self.color(i));
        }
        frame.axes(on);
    }
}

/// Draws a plot of curves.
pub fn lines(path: &Path, plot: &Lines) -> Result<(), PlotError> {
    picture(path, SIZE, |on| {
        let room = titled(on, SIZE, &plot.title);
        plot.draw(on, room);
    })
}

/// Draws several plots in a grid with `columns` columns, row by row; rows are 380 pixels high, a single one 500.
pub fn panels(path: &Path, title: &str, columns: usize, plots: &[Lines]) -> Result<(), PlotError> {
    let columns = columns.clamp(1, plots.len().max(1));
    let rows = plots.len().div_ceil(columns).max(1);
    let size = (SIZE.0, if rows == 1 { 500 } else { 60 + 380 * rows as u32 });
    picture(path, size, |on| {
        let room = titled(on, size, title);
        let gap = 30.0;
        let width = (room.width - gap * (columns - 1) as f64) / columns as f64;
        let height = (room.height - gap * (rows - 1) as f64) / rows as f64;
        for (i, plot) in plots.iter().enumerate() {
            let (column, row) = ((i % columns) as f64, (i / columns) as f64);
            let mut cell = Rect { x: room.x + column * (width + gap), y: room.y + row * (height + gap), width, height };
            if !plot.title.is_empty() {
                heading(on, (cell.x, cell.y + 0.5 * font::CAPITAL * SUBTITLE), &plot.title, SUBTITLE);
                cell.y += SUBTITLE + 10.0;
                cell.height -= SUBTITLE + 10.0;
            }
            plot.draw(on, cell);
        }
    })
}

fn draw_curve(on: &mut dyn Surface, frame: &Frame, curve: &Curve, color: Rgb) {
    if curve.stroke != Stroke::Points {
        for piece in path::pieces(frame, &curve.points) {
            stroke(on, &piece, curve.stroke, color);
        }
    }
    if matches!(curve.stroke, Stroke::Points | Stroke::Marked) {
        for point in path::visible(frame, &curve.points) {
            on.disc(point, DISC, color);
        }
    }
}

fn stroke(on: &mut dyn Surface, points: &[(f64, f64)], stroke: Stroke, color: Rgb) {
    let pattern = match stroke {
        Stroke::Dashed => DASHED,
        Stroke::Dotted => DOTTED,
        _ => return on.line(points, LINE, color),
    };
    for dash in dashes(points, pattern) {
        on.line(&dash, LINE, color);
    }
}

/// Draws the legend in rows at the top of a room, where it hides no data, and returns the height it took.
pub(super) fn legend(on: &mut dyn Surface, room: Rect, plot: &Lines) -> f64 {
    let (sample, gap) = (30.0, 24.0);
    let named: Vec<usize> = (0..plot.curves.len()).filter(|&i| !plot.curves[i].label.is_empty()).collect();
    let (mut x, mut y) = (room.x, room.y + 0.5 * TICK);
    for &i in &named {
        let curve = &plot.curves[i];
        let wide = sample + 8.0 + font::width(&curve.label, TICK);
        if x > room.x && x + wide > room.right() {
            (x, y) = (room.x, y + LEGEND_ROW);
        }
        if curve.stroke != Stroke::Points {
            stroke(on, &[(x, y), (x + sample, y)], curve.stroke, plot.color(i));
        }
        if matches!(curve.stroke, Stroke::Points | Stroke::Marked) {
            on.disc((x + 0.5 * sample, y), DISC, plot.color(i));
        }
        let style = TextStyle { size: TICK, color: INK, anchor: Anchor::Start, upwards: false };
        on.text((x + sample + 8.0, y), &curve.label, style);
        x += wide + gap;
    }
    if named.is_empty() { 0.0 } else { y - room.y - 0.5 * TICK + LEGEND_ROW }
}
