//! Non-monotone Newton for islands with friction: Newton in scattering variables z_i = w_i + W_ii f_i where F may fall. [handbook §7]
//!
//! Each law is resolved for its own z, at the root next to its last one; the outer iteration works on G = w − w0 + W f and solves
//! [diag θ + W diag(θF')] δz = −G, θ = 1/(1 + W_ii F'), by elimination with row exchange, since the matrix is not symmetric. If it does not converge, Gauss–Seidel passes solve
//! each contact in turn, and Newton restarts from there.

use super::dense;
use super::general_newton::{Laws, Outcome, Scratch, is_closed, others, residual};
use crate::interaction::Resolved;

/// Newton steps per attempt.
const STEPS: u32 = 25;
/// Attempts, with Gauss–Seidel passes between them. Together at most 100 iterations.
const ATTEMPTS: u32 = 4;
/// Gauss–Seidel passes, each forward and backward, between attempts.
const PAIRS: u32 = 8;

/// Solves w = free − W f, f = F(w) for all laws; those in `frozen` keep the force of the last step. On entry `scratch.resolved` holds the previous solutions.
pub(crate) fn solve(
    laws: &impl Laws,
    w: &[f64],
    tolerance: f64,
    scratch: &mut Scratch,
    frozen: &[(usize, usize)],
) -> Outcome {
    let m = scratch.len;
    let mut outcome = Outcome::default();
    let resolve = |i: usize, z: f64, r: f64, last: &Resolved, near: Option<f64>| {
        if frozen.iter().any(|(held, _)| *held == i) {
            return Resolved { approach: z - r * last.force, slope: 0.0, evaluations: 0, ..*last };
        }
        let (law, state) = laws.law(i);
        match near {
            Some(near) => law.resolve_near(state, z, r, near),
            None => law.resolve(state, z, r),
        }
    };
    for i in 0..m {
        let z = scratch.free[i] - others(w, &scratch.resolved, i);
        scratch.step[i] = if z.is_finite() { z } else { scratch.free[i] };
    }
    for i in 0..m {
        scratch.resolved[i] = resolve(i, scratch.step[i], w[i * m + i], &scratch.resolved[i], None);
    }
    let mut best = f64::INFINITY;
    'attempts: for attempt in 0..ATTEMPTS {
        if attempt > 0 {
            for i in (0..PAIRS).flat_map(|_| (0..m).chain((0..m).rev())) {
                let z = scratch.free[i] - others(w, &scratch.resolved, i);
                let last = scratch.resolved[i];
                scratch.resolved[i] = resolve(i, z, w[i * m + i], &last, Some(last.approach));
            }
        }
        for _ in 0..=STEPS {
            let misfit = residual(w, scratch);
            if misfit < best {
                best = misfit;
                scratch.best.copy_from_slice(&scratch.resolved);
            }
            if misfit <= tolerance || !misfit.is_finite() {
                break 'attempts;
            }
            outcome.iterations += 1;
            newton_step(w, scratch);
            for i in 0..m {
                let (now, own) = (scratch.resolved[i], w[i * m + i]);
                let z = now.approach + own * now.force + scratch.step[i];
                scratch.resolved[i] = resolve(i, z, own, &now, Some(now.approach));
            }
        }
    }
    // also after convergence: the last iterate was the best
    scratch.resolved.copy_from_slice(&scratch.best);
    outcome.missed = best > tolerance;
    for i in 0..m {
        scratch.closed[i] = is_closed(&scratch.resolved[i]);
        outcome.any_closed |= scratch.closed[i];
        outcome.evaluations += scratch.resolved[i].evaluations;
    }
    outcome
}

/// Leaves δz in `step`.
fn newton_step(w: &[f64], scratch: &mut Scratch) {
    let m = scratch.len;
    for i in 0..m {
        for j in 0..m {
            let slope = scratch.resolved[j].slope;
            let theta = 1.0 / (1.0 + w[j * m + j] * slope);
            let own = if i == j { theta } else { 0.0 };
            scratch.matrix[i * m + j] = own + w[i * m + j] * slope * theta;
        }
        scratch.step[i] = -scratch.residual[i];
    }
    dense::eliminate(&mut scratch.matrix, m, &mut scratch.step);
}
