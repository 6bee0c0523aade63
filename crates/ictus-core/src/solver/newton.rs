//! Newton in scattering variables z_i = w_i + r_i f_i for coupled resolvent laws. [handbook §7]
//!
//! Each law is resolved exactly for its own z, so stiffness never reaches the outer iteration: it sees only
//! G = w − w0 + W f, and solves (W_AA + diag 1/F') δf = −G_A over the contacts that push back.

use super::dense;
use crate::interaction::{Interaction, Resolved};

/// Outer iterations before the best iterate is kept and a miss is counted.
const CAP: u32 = 30;
/// Share of the diagonal below which 1/F' counts as zero: keeps a rigid contact on a singular W solvable.
const RIGID: f64 = 1e-14;

/// Arrays of the solve, sized once; `resolved` and `force` carry over between steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    pub resolved: Vec<Resolved>,
    pub free: Vec<f64>,
    closed: Vec<bool>,
    best: Vec<Resolved>,
    residual: Vec<f64>,
    matrix: Vec<f64>,
    step: Vec<f64>,
    active: Vec<usize>,
    dropped: Vec<bool>,
}

impl Scratch {
    pub fn new(m: usize) -> Self {
        Self {
            resolved: vec![Resolved::default(); m],
            free: vec![0.0; m],
            closed: vec![false; m],
            best: vec![Resolved::default(); m],
            residual: vec![0.0; m],
            matrix: vec![0.0; m * m],
            step: vec![0.0; m],
            active: Vec::with_capacity(m),
            dropped: vec![false; m],
        }
    }
}

/// How a solve went.
pub(crate) struct Outcome {
    pub iterations: u32,
    pub evaluations: u32,
    pub missed: bool,
    /// Any contact closed.
    pub busy: bool,
}

/// A law with its slice of the state.
pub(crate) trait Laws {
    fn law(&self, i: usize) -> (&dyn Interaction, &[f64]);
}

/// Solves w = free − W f, f = F(w) for all laws. On entry `scratch.resolved` holds the previous step's answers.
pub(crate) fn solve(laws: &impl Laws, w: &[f64], tolerance: f64, scratch: &mut Scratch) -> Outcome {
    let m = scratch.free.len();
    let mut outcome = Outcome { iterations: 0, evaluations: 0, missed: false, busy: false };
    let resolve = |i: usize, z: f64| {
        let (law, state) = laws.law(i);
        law.resolve(state, z, w[i * m + i])
    };
    if m == 1 {
        let resolved = resolve(0, scratch.free[0]);
        scratch.resolved[0] = resolved;
        outcome.evaluations = resolved.evaluations;
        outcome.busy = is_closed(&resolved);
        return outcome;
    }

    for i in 0..m {
        scratch.step[i] = scratch.free[i] - others(w, &scratch.resolved, i);
    }
    let mut changed = false;
    for i in 0..m {
        scratch.resolved[i] = resolve(i, scratch.step[i]);
        let closed = is_closed(&scratch.resolved[i]);
        changed |= closed != scratch.closed[i];
    }
    if changed {
        for i in (0..m).chain((0..m).rev()) {
            let z = scratch.free[i] - others(w, &scratch.resolved, i);
            scratch.resolved[i] = resolve(i, z);
        }
    }

    let mut best = f64::INFINITY;
    loop {
        let miss = residual(w, scratch);
        if miss < best {
            best = miss;
            scratch.best.copy_from_slice(&scratch.resolved);
        }
        if miss <= tolerance {
            break;
        }
        if outcome.iterations == CAP || !miss.is_finite() {
            outcome.missed = true;
            scratch.resolved.copy_from_slice(&scratch.best);
            break;
        }
        outcome.iterations += 1;
        newton_step(w, scratch);
        for i in 0..m {
            let now = scratch.resolved[i];
            let z = now.closing + w[i * m + i] * now.force + scratch.step[i];
            scratch.resolved[i] = resolve(i, z);
        }
    }
    for i in 0..m {
        scratch.closed[i] = is_closed(&scratch.resolved[i]);
        outcome.busy |= scratch.closed[i];
        outcome.evaluations += scratch.resolved[i].evaluations;
    }
    outcome
}

fn is_closed(resolved: &Resolved) -> bool {
    resolved.slope > 0.0 || resolved.force != 0.0
}

/// Σ_{j≠i} W_ij f_j.
fn others(w: &[f64], resolved: &[Resolved], i: usize) -> f64 {
    let m = resolved.len();
    let mut value = 0.0;
    for (j, other) in resolved.iter().enumerate() {
        if j != i && other.force != 0.0 {
            value += w[i * m + j] * other.force;
        }
    }
    value
}

/// Fills G and returns its largest entry relative to the terms it is made of.
fn residual(w: &[f64], scratch: &mut Scratch) -> f64 {
    let m = scratch.free.len();
    let mut worst: f64 = 0.0;
    for i in 0..m {
        let closing = scratch.resolved[i].closing;
        let mut g = closing - scratch.free[i];
        let mut scale = closing.abs() + scratch.free[i].abs();
        for (j, other) in scratch.resolved.iter().enumerate() {
            if other.force != 0.0 {
                let term = w[i * m + j] * other.force;
                g += term;
                scale += term.abs();
            }
        }
        scratch.residual[i] = g;
        if scale > 0.0 {
            let relative = g.abs() / scale;
            // a NaN must not hide behind max()
            worst = if relative.is_nan() { f64::NAN } else { worst.max(relative) };
        } else if scale.is_nan() {
            worst = f64::NAN;
        }
        if worst.is_nan() {
            return f64::NAN;
        }
    }
    worst
}

/// Leaves δz in `scratch.step`.
fn newton_step(w: &[f64], scratch: &mut Scratch) {
    let m = scratch.free.len();
    scratch.active.clear();
    scratch.active.extend((0..m).filter(|&i| scratch.resolved[i].slope > 0.0));
    let n = scratch.active.len();
    for (row, &i) in scratch.active.iter().enumerate() {
        for (column, &j) in scratch.active.iter().enumerate().take(row + 1) {
            scratch.matrix[row * n + column] = w[i * m + j];
        }
        scratch.matrix[row * n + row] += (1.0 / scratch.resolved[i].slope).max(RIGID * w[i * m + i]);
        scratch.step[row] = -scratch.residual[i];
    }
    dense::factorise(&mut scratch.matrix, n, n, 0.0, &mut scratch.dropped);
    dense::solve(&scratch.matrix, n, n, &scratch.dropped, &mut scratch.step[..n]);
    // δf of the active contacts now lies packed in `step`; G becomes δz from the back, then moves over
    for i in 0..m {
        if scratch.resolved[i].slope > 0.0 {
            continue;
        }
        let mut value = -scratch.residual[i];
        for (row, &j) in scratch.active.iter().enumerate() {
            value -= w[i * m + j] * scratch.step[row];
        }
        scratch.residual[i] = value;
    }
    for (row, &i) in scratch.active.iter().enumerate() {
        scratch.residual[i] = scratch.step[row] * (1.0 / scratch.resolved[i].slope + w[i * m + i]);
    }
    scratch.step.copy_from_slice(&scratch.residual);
}
