//! Conjugate gradients for the linear step of a Newton iteration on many contacts: (W + diag e) x = b, W symmetric and positive, at the cost of one product a pass.
//!
//! Preconditioned by the diagonal. Contacts are soft for a single step, e > W, so a few passes suffice; if they are hard, W has the rank of the modes of their bodies, and so many
//! passes. An inexact solution only makes the Newton step shorter: whether the step is accepted is decided by the residual of the laws.

use ictus_kernels::symmetric::product;
use ictus_kernels::{Aligned, LANES, dot};

/// Most passes.
const MAX_PASSES: u32 = 100;

/// Vectors of one solve. Allocated once.
#[derive(Debug, Default)]
pub(super) struct ConjugateGradients {
    direction: Aligned,
    image: Aligned,
    residual: Aligned,
    /// 1/(W_ii + e_i), 0 where x_i stays zero.
    inverse: Aligned,
}

/// A matrix W + diag `yielding` over some unknowns: W with padded rows `stride` apart.
#[derive(Clone, Copy)]
pub(super) struct System<'a> {
    pub matrix: &'a [f64],
    pub stride: usize,
    pub yielding: &'a [f64],
    /// Unknowns that are not zero.
    pub active: &'a [bool],
}

impl ConjugateGradients {
    /// For up to `n` unknowns.
    pub fn new(n: usize) -> Self {
        let vector = || Aligned::new(0.0, n.next_multiple_of(LANES));
        Self { direction: vector(), image: vector(), residual: vector(), inverse: vector() }
    }

    /// Solves for `x` until the residual is `share` of the right-hand side b, which `x` holds on entry.
    pub fn solve(&mut self, system: System, share: f64, x: &mut [f64]) {
        let System { matrix, stride, yielding, active } = system;
        let n = active.len();
        let [direction, image, residual, inverse] =
            [&mut self.direction, &mut self.image, &mut self.residual, &mut self.inverse]
                .map(|part| &mut part[..stride]);
        let mut descent = 0.0;
        for i in 0..n {
            inverse[i] = if active[i] { 1.0 / (matrix[i * stride + i] + yielding[i]) } else { 0.0 };
            residual[i] = x[i];
            direction[i] = inverse[i] * residual[i];
            descent += residual[i] * direction[i];
        }
        x.fill(0.0);
        let enough = share * share * descent;
        for _ in 0..MAX_PASSES {
            // false for NaN
            let goes_on = descent > enough;
            if !goes_on {
                return;
            }
            product(matrix, stride, &direction[..n], image);
            for i in 0..n {
                image[i] += yielding[i] * direction[i];
            }
            let along = descent / dot(&direction[..n], &image[..n]);
            let mut next = 0.0;
            for i in 0..n {
                x[i] += along * direction[i];
                residual[i] -= along * image[i];
                next += residual[i] * residual[i] * inverse[i];
            }
            let turn = next / descent;
            for i in 0..n {
                direction[i] = inverse[i] * residual[i] + turn * direction[i];
            }
            descent = next;
        }
    }
}
