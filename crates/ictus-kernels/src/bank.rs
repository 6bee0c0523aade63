//! The state and coefficients of a modal bank, as the kernels take them.

use crate::lanes::LANES;

/// A modal bank. All slices have one length, a multiple of [`LANES`].
///
/// Modes are normalised so that one shape serves a port both as input and as output: a force f adds f·shape to v, and v̄ of the
/// port is Σ shape·(v + v⁺) over a step from v to v⁺.
#[derive(Debug)]
pub struct BankState<'a> {
    /// Displacements q, scaled by the time step: q ← q + v.
    pub q: &'a mut [f64],
    /// Velocities v.
    pub v: &'a mut [f64],
    /// Force-free velocities v° after the step.
    pub ahead: &'a mut [f64],
    /// a of v° = a v − b q.
    pub kept: &'a [f64],
    /// b.
    pub pull: &'a [f64],
    /// r of the dissipated power Σ r (v + v⁺)²; empty if the step is not audited.
    pub resistance: &'a [f64],
}

/// The first `n` chunks of a slice, or none if `used` is false.
#[inline(always)]
pub(crate) fn chunks(slice: &[f64], n: usize, used: bool) -> &[[f64; LANES]] {
    &slice.as_chunks::<LANES>().0[..if used { n } else { 0 }]
}

/// The first `n` chunks of a slice.
#[inline(always)]
pub(crate) fn chunks_mut(slice: &mut [f64], n: usize) -> &mut [[f64; LANES]] {
    &mut slice.as_chunks_mut::<LANES>().0[..n]
}
