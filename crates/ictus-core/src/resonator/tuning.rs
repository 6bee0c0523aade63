//! What can be replaced in a body while it moves.

use super::grid::StringParameters;
use super::mass::Mass;
use super::modal::Mode;

/// New coefficients of a body: see [`retune`](super::FastResonator::retune).
pub enum Tuning<'a> {
    /// Of a mass.
    Mass(Mass),
    /// Of a bank: its modes, asked for one by one from the first to the last.
    Modes(&'a mut dyn FnMut(usize) -> Mode),
    /// Of a bank: the shape φ of a port, one value per mode.
    Shape {
        /// The port.
        port: usize,
        /// φ of every mode.
        shape: &'a [f64],
    },
    /// Of a string on its grid.
    String(StringParameters),
}
