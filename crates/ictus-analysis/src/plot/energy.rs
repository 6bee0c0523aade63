//! The energy ledger over time: what is stored, what came in, what was lost, and how exactly that adds up.

use super::axis::Axis;
use super::color::SOFT_INK;
use super::frame::{FrameSpec, titled};
use super::lines::{Curve, Lines, legend};
use super::surface::Rect;
use super::{PlotError, SIZE, picture};
use std::path::Path;

/// Share of the height that the energies take; the rest is for the residual.
const UPPER: f64 = 0.62;
/// Residuals below this share of the peak are less than rounding, and would only stretch the axis.
const LEAST_RESIDUAL: f64 = 1e-18;

/// A ledger as series over time, all of the same length.
#[derive(Clone, Copy, Debug)]
pub struct EnergyCurves<'a> {
    /// Time, s.
    pub time: &'a [f64],
    /// Energy in the resonators and contacts, J.
    pub stored: &'a [f64],
    /// Energy supplied since the start, J.
    pub supplied: &'a [f64],
    /// Energy dissipated since the start, J.
    pub dissipated: &'a [f64],
    /// What does not add up, J, measured by the ledger.
    pub residual: &'a [f64],
}

impl EnergyCurves<'_> {
    /// Largest energy of the ledger, J: the reference of residuals.
    pub fn peak(&self) -> f64 {
        let largest = |series: &[f64]| series.iter().filter(|e| e.is_finite()).fold(0.0f64, |a, e| a.max(e.abs()));
        largest(self.stored).max(largest(self.supplied)).max(largest(self.dissipated))
    }
}

/// Draws stored, supplied and dissipated energy, and below them |residual| / peak on a logarithmic axis.
pub fn energy(path: &Path, title: &str, ledger: &EnergyCurves<'_>) -> Result<(), PlotError> {
    let over_time = |values: &[f64]| ledger.time.iter().copied().zip(values.iter().copied()).collect::<Vec<_>>();
    let peak = ledger.peak();
    let relative: Vec<f64> = ledger.residual.iter().map(|r| r.abs() / peak).collect();
    let relative: Vec<f64> = relative.iter().map(|&r| if r < LEAST_RESIDUAL { f64::NAN } else { r }).collect();

    let upper = Lines::new("", Axis::linear("Time (s)"), Axis::linear("Energy (J)"))
        .with(Curve::new("stored", over_time(ledger.stored)))
        .with(Curve::new("supplied", over_time(ledger.supplied)))
        .with(Curve::new("dissipated", over_time(ledger.dissipated)));
    let lower = Lines::new("", Axis::linear("Time (s)"), Axis::log("|Residual| / peak"))
        .with(Curve::new("", over_time(&relative)).color(SOFT_INK));

    let time = upper.x.fit(ledger.time.iter().copied(), 0.0);
    let values = [ledger.stored, ledger.supplied, ledger.dissipated].concat();
    let joules = upper.y.fit(values.into_iter(), 0.05);
    let share = lower.y.fit(relative.iter().copied(), 0.08);

    picture(path, SIZE, |on| {
        let mut room = titled(on, SIZE, title);
        let taken = legend(on, room, &upper);
        (room.y, room.height) = (room.y + taken, room.height - taken);
        let gap = 18.0;
        let high = (room.height - gap) * UPPER;
        let top = Rect { height: high, ..room };
        let bottom = Rect { y: room.y + high + gap, height: room.height - high - gap, ..room };
        let mut above =
            FrameSpec { outside: top, x: (&upper.x, time), y: (&upper.y, joules), left: 0.0, numbered: false };
        let mut below =
            FrameSpec { outside: bottom, x: (&lower.x, time), y: (&lower.y, share), left: 0.0, numbered: true };
        let left = above.left_needed().max(below.left_needed());
        (above.left, below.left) = (left, left);
        let frame = above.draw(on);
        upper.draw_curves(on, &frame);
        let frame = below.draw(on);
        lower.draw_curves(on, &frame);
    })
}
