//! A frame: the rectangle that data is drawn in, with title, axes, ticks and labels around it.

use super::axis::{Axis, Span, Ticks};
use super::color::{FINE_GRID, GRID, INK, Rgb, SOFT_INK};
use super::font;
use super::surface::{Anchor, Rect, Surface, TextStyle};

/// Sizes of text, pixels.
pub(super) const TITLE: f64 = 23.0;
pub(super) const SUBTITLE: f64 = 19.0;
pub(super) const LABEL: f64 = 18.0;
pub(super) const TICK: f64 = 16.0;
/// Space between things that belong together, and around everything.
const GAP: f64 = 9.0;
pub(super) const MARGIN: f64 = 22.0;
pub(super) const TICK_LENGTH: f64 = 5.0;
/// What numbers and name of a horizontal axis take below the frame.
pub(super) const AXIS_HEIGHT: f64 = TICK + LABEL + 2.0 * GAP + TICK_LENGTH;

pub(super) struct Frame {
    /// Where the data goes.
    pub(super) inside: Rect,
    pub(super) x: Span,
    pub(super) y: Span,
}

/// What to draw a frame with.
pub(super) struct FrameSpec<'a> {
    /// Everything, including labels, goes in here.
    pub(super) outside: Rect,
    pub(super) x: (&'a Axis, Span),
    pub(super) y: (&'a Axis, Span),
    /// Room for the labels of the vertical axis where several frames stand on one left edge; zero fits this one.
    pub(super) left: f64,
    /// Whether the horizontal axis has numbers and a name, or shares those of a frame below.
    pub(super) numbered: bool,
}

impl FrameSpec<'_> {
    /// Room that the labels of the vertical axis need.
    pub(super) fn left_needed(&self) -> f64 {
        let ticks = self.y_ticks();
        let widest = ticks.labelled.iter().map(|(_, text)| font::width(text, TICK)).fold(0.0, f64::max);
        let name = if self.y.0.label.is_empty() { 0.0 } else { LABEL + GAP };
        widest + name + GAP + TICK_LENGTH
    }

    fn below_needed(&self) -> f64 {
        let unnamed = if self.x.0.label.is_empty() { LABEL + GAP } else { 0.0 };
        if self.numbered { AXIS_HEIGHT - unnamed } else { TICK_LENGTH }
    }

    fn y_ticks(&self) -> Ticks {
        // A label every 60 pixels or so is calm, and at least three tell a scale.
        self.y.1.ticks(((self.outside.height / 60.0) as usize).clamp(3, 10))
    }

    /// Draws everything but the data.
    pub(super) fn draw(&self, on: &mut dyn Surface) -> Frame {
        let left = self.left.max(self.left_needed()).round();
        let Rect { x, y, width, height } = self.outside;
        // The last number of the horizontal axis stands half outside.
        let right = 14.0;
        let inside = Rect {
            x: (x + left).round(),
            y: y.round(),
            width: (width - left - right).max(10.0).round(),
            height: (height - self.below_needed()).max(10.0).round(),
        };
        let frame = Frame { inside, x: self.x.1, y: self.y.1 };
        let x_ticks = self.x.1.ticks(((inside.width / 110.0) as usize).clamp(3, 12));
        let y_ticks = self.y_ticks();
        frame.grid(on, &x_ticks, &y_ticks);
        self.numbers(on, &frame, &x_ticks, &y_ticks);
        frame
    }

    fn numbers(&self, on: &mut dyn Surface, frame: &Frame, x_ticks: &Ticks, y_ticks: &Ticks) {
        let inside = frame.inside;
        let tick = |anchor| TextStyle { size: TICK, color: SOFT_INK, anchor, upwards: false };
        for (value, text) in &y_ticks.labelled {
            if let Some(y) = frame.place_y(*value) {
                on.text((inside.x - TICK_LENGTH - 0.7 * GAP, y), text, tick(Anchor::End));
            }
        }
        let middle = (inside.x + 0.5 * inside.width, inside.y + 0.5 * inside.height);
        let label = with_factor(&self.y.0.label, y_ticks);
        on.text((self.outside.x + 0.5 * LABEL, middle.1), &label, axis_name(&label, inside.height, true));
        if !self.numbered {
            return;
        }
        let row = inside.bottom() + TICK_LENGTH + GAP + 0.5 * font::CAPITAL * TICK;
        for (value, text) in &x_ticks.labelled {
            if let Some(x) = frame.place_x(*value) {
                on.text((x, row), text, tick(Anchor::Middle));
            }
        }
        let row = self.outside.bottom() - 0.5 * font::CAPITAL * LABEL;
        let label = with_factor(&self.x.0.label, x_ticks);
        on.text((middle.0, row), &label, axis_name(&label, inside.width, false));
    }
}

/// The name of an axis, smaller where it would be longer than the axis.
fn axis_name(label: &str, room: f64, upwards: bool) -> TextStyle {
    let shrink = (room / font::width(label, LABEL)).clamp(0.6, 1.0);
    TextStyle { size: shrink * LABEL, color: INK, anchor: Anchor::Middle, upwards }
}

fn with_factor(label: &str, ticks: &Ticks) -> String {
    match &ticks.factor {
        // `Energy (J)` in thousandths becomes `Energy (×10⁻³ J)`.
        Some(factor) => match label.rsplit_once('(') {
            Some((quantity, unit)) => format!("{quantity}({factor} {unit}"),
            None => format!("{label} ({factor})"),
        },
        None => label.to_owned(),
    }
}

impl Frame {
    /// Horizontal position of a value, also outside the frame.
    pub(super) fn place_x(&self, value: f64) -> Option<f64> {
        self.x.fraction(value).map(|f| self.inside.x + f * self.inside.width)
    }

    /// Vertical position of a value, also outside the frame.
    pub(super) fn place_y(&self, value: f64) -> Option<f64> {
        self.y.fraction(value).map(|f| self.inside.bottom() - f * self.inside.height)
    }

    fn grid(&self, on: &mut dyn Surface, x_ticks: &Ticks, y_ticks: &Ticks) {
        let Rect { x: left, y: top, .. } = self.inside;
        let (right, bottom) = (self.inside.right(), self.inside.bottom());
        on.fill(self.inside, Rgb(255, 255, 255));
        // Thin lines are sharp in the middle of a pixel.
        let sharp = |v: f64| v.floor() + 0.5;
        let lines = |ticks: &Ticks| {
            let major: Vec<f64> = ticks.labelled.iter().map(|(v, _)| *v).collect();
            ticks.fine.iter().map(|&v| (v, FINE_GRID)).chain(major.into_iter().map(|v| (v, GRID))).collect::<Vec<_>>()
        };
        for (value, color) in lines(x_ticks) {
            if let Some(x) = self.place_x(value).map(sharp) {
                on.line(&[(x, top), (x, bottom)], 1.0, color);
            }
        }
        for (value, color) in lines(y_ticks) {
            if let Some(y) = self.place_y(value).map(sharp) {
                on.line(&[(left, y), (right, y)], 1.0, color);
            }
        }
        for (value, _) in &x_ticks.labelled {
            if let Some(x) = self.place_x(*value).map(sharp) {
                on.line(&[(x, bottom), (x, bottom + TICK_LENGTH)], 1.0, SOFT_INK);
            }
        }
        for (value, _) in &y_ticks.labelled {
            if let Some(y) = self.place_y(*value).map(sharp) {
                on.line(&[(left - TICK_LENGTH, y), (left, y)], 1.0, SOFT_INK);
            }
        }
        self.axes(on);
    }

    /// The two edges that carry the scales.
    pub(super) fn axes(&self, on: &mut dyn Surface) {
        let (left, bottom) = (self.inside.x.floor() - 0.5, self.inside.bottom().floor() + 0.5);
        on.line(&[(left, self.inside.y), (left, bottom), (self.inside.right(), bottom)], 1.0, SOFT_INK);
    }
}

/// Writes the title of a picture and returns the room below it.
pub(super) fn titled(on: &mut dyn Surface, size: (u32, u32), title: &str) -> Rect {
    let whole = Rect::of(size);
    let mut top = MARGIN;
    if !title.is_empty() {
        heading(on, (MARGIN, MARGIN + 0.5 * font::CAPITAL * TITLE), title, TITLE);
        top += TITLE + 14.0;
    }
    Rect { x: MARGIN, y: top, width: whole.width - 2.0 * MARGIN, height: whole.height - top - MARGIN }
}

pub(super) fn heading(on: &mut dyn Surface, at: (f64, f64), text: &str, size: f64) {
    on.text(at, text, TextStyle { size, color: INK, anchor: Anchor::Start, upwards: false });
}
