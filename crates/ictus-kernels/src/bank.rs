//! A bank of modes as its kernels take it.

use crate::lanes::LANES;

/// A bank in motion. All slices have one length, a multiple of [`LANES`].
///
/// Modes are measured so that a port's shape is both what it does to them and what is seen of them: a force f adds f·shape to v, and v̄ of the
/// port is Σ shape·(v + v⁺) over a step from v to v⁺.
#[derive(Debug)]
pub struct Bank<'a> {
    /// Displacements q, in the way of a step at unit velocity: q ← q + v.
    pub q: &'a mut [f64],
    /// Velocities v.
    pub v: &'a mut [f64],
    /// Velocities v° after the step, as far as nothing pushes.
    pub ahead: &'a mut [f64],
    /// a of v° = a v − b q.
    pub kept: &'a [f64],
    /// b.
    pub pull: &'a [f64],
    /// r of the power Σ r (v + v⁺)² lost; empty where it is not asked for.
    pub resistance: &'a [f64],
}

/// The first `n` chunks of a slice, or none if nobody looks.
#[inline(always)]
pub(crate) fn chunks(slice: &[f64], n: usize, looked_at: bool) -> &[[f64; LANES]] {
    &slice.as_chunks::<LANES>().0[..if looked_at { n } else { 0 }]
}

/// The first `n` chunks of a slice.
#[inline(always)]
pub(crate) fn chunks_mut(slice: &mut [f64], n: usize) -> &mut [[f64; LANES]] {
    &mut slice.as_chunks_mut::<LANES>().0[..n]
}
