//! General Newton: Newton in scattering variables z_i = w_i + r_i f_i for coupled resolvent laws. [handbook §7]
//!
//! Each law is resolved exactly for its own z, so stiffness never enters the outer iteration: it works on
//! G = w − w0 + W f, and solves (W_AA + diag 1/F') δf = −G_A over the active contacts.
//!
//! The mobility r_i is the slope of the line along which contact i meets its law. The first solution takes r_i = W_ii, with all other
//! forces unchanged; every later one the effective mobility of contact i when the others yield along their tangents,
//! r_i = 1/[(W_AA + diag 1/F')⁻¹]_ii − 1/F'_i. If two hard contacts press one mass from both sides the first is a
//! thousand times too soft and the iteration would overshoot by as much.
//!
//! A Newton step is valid only for the active set it was made for. If contacts open or close, before the first step or by one, Gauss–Seidel
//! passes follow.
//!
//! The first guess is the solution of two steps ago: the leapfrog scheme couples n − 1 with n + 1, and a body caught
//! between two others alternates.

use super::dense;
use super::iterative_newton::Many;
use super::small_newton::MAX_CONTACTS;
use crate::clone_in_place::Reserved;
use crate::interaction::{Interaction, Resolved};

/// Outer iterations before the best iterate is kept and a miss is counted.
const MAX_ITERATIONS: u32 = 30;
/// Gauss–Seidel passes, each forward and backward, whenever contacts have opened or closed.
const PAIRS: u32 = 2;
/// Newton steps that may be followed by passes: later ones are not, because steps and passes could undo each other indefinitely.
const MAX_STEPS_WITH_PASSES: u32 = 4;
/// Fraction of the diagonal below which 1/F' counts as zero: keeps a rigid contact on a singular W solvable.
pub(super) const RIGID: f64 = 1e-14;

/// Arrays of the solve, allocated once, of which the first `len` entries are in use; `resolved`, `before` and `closed` persist between steps.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// Number of laws.
    pub(super) len: usize,
    /// Most outer iterations: [`MAX_ITERATIONS`], fewer in tests that provoke a miss.
    pub(super) cap: u32,
    pub resolved: Vec<Resolved>,
    /// Solutions of the step before the last.
    pub(super) before: Vec<Resolved>,
    /// Steps without forces in a row, at most two.
    rested: u32,
    pub free: Vec<f64>,
    pub(super) closed: Vec<bool>,
    pub(super) best: Vec<Resolved>,
    pub(super) residual: Vec<f64>,
    scale: Vec<f64>,
    pub(super) matrix: Vec<f64>,
    column: Vec<f64>,
    /// δw, δf and F' of the linearisation.
    pub(super) step: Vec<f64>,
    force_step: Vec<f64>,
    slopes: Vec<f64>,
    active: Reserved<usize>,
    dropped: Vec<bool>,
    /// Of the iterative solver, for more contacts than the small one takes.
    pub(crate) many: Many,
}

clone_in_place!(Scratch {
    len,
    cap,
    resolved,
    before,
    rested,
    free,
    closed,
    best,
    residual,
    scale,
    matrix,
    column,
    step,
    force_step,
    slopes,
    active,
    dropped,
    many
});

impl Scratch {
    /// Records a step without forces in which the laws had the approach velocities `approach`.
    pub fn recall(&mut self, approach: impl Iterator<Item = f64>) {
        self.begin();
        for (resolved, approach) in self.resolved.iter_mut().zip(approach) {
            *resolved = Resolved { approach, ..Resolved::default() };
        }
    }

    /// Begins a step: the last solution becomes that before.
    pub fn begin(&mut self) {
        std::mem::swap(&mut self.resolved, &mut self.before);
        self.rested = 0;
    }

    /// Records a step without forces; the guesses read no more of it.
    pub fn rest(&mut self) {
        // afterwards neither solution has a force
        if self.rested < 2 {
            std::mem::swap(&mut self.resolved, &mut self.before);
            self.resolved.fill(Resolved::default());
            self.rested += 1;
        }
    }

    pub fn new(m: usize) -> Self {
        Self {
            rested: 0,
            len: m,
            cap: MAX_ITERATIONS,
            resolved: vec![Resolved::default(); m],
            before: vec![Resolved::default(); m],
            free: vec![0.0; m],
            closed: vec![false; m],
            best: vec![Resolved::default(); m],
            residual: vec![0.0; m],
            scale: vec![0.0; m],
            matrix: vec![0.0; m * m],
            column: vec![0.0; m],
            step: vec![0.0; m],
            force_step: vec![0.0; m],
            slopes: vec![0.0; m],
            active: Reserved::new(m),
            dropped: vec![false; m],
            many: Many::default(),
        }
    }

    /// With the arrays of the iterative solver, if there can be enough contacts for it.
    pub fn with_many(mut self) -> Self {
        if self.len > MAX_CONTACTS {
            self.many = Many::new(self.len);
        }
        self
    }
}

/// Result of a solve.
#[derive(Default)]
pub(crate) struct Outcome {
    pub iterations: u32,
    pub evaluations: u32,
    pub missed: bool,
    /// At least one contact is closed.
    pub any_closed: bool,
    /// Abandoned because of contacts outside the active set.
    pub disturbed: bool,
}

/// Access to the laws and their state.
pub(crate) trait Laws {
    fn law(&self, i: usize) -> (&dyn Interaction, &[f64]);
}

/// Solves w = free − W f, f = F(w) for all laws. On entry `scratch.resolved` holds a guess, `scratch.closed` the laws closed in the last step.
/// If `disturbs` is true for the iterate after the first step or for the last one, the solve ends there.
pub(crate) fn solve(
    laws: &impl Laws,
    w: &[f64],
    tolerance: f64,
    scratch: &mut Scratch,
    disturbs: impl Fn(&[Resolved]) -> bool,
) -> Outcome {
    let m = scratch.len;
    let mut outcome = Outcome::default();
    let resolve = |i: usize, z: f64, r: f64| {
        let (law, state) = laws.law(i);
        law.resolve(state, z, r)
    };
    if m == 1 {
        // isolated: the resolvent is the solution
        let resolved = resolve(0, scratch.free[0], w[0]);
        scratch.resolved[0] = resolved;
        scratch.closed[0] = is_closed(&resolved);
        let (any_closed, evaluations) = (scratch.closed[0], resolved.evaluations);
        return Outcome { any_closed, evaluations, disturbed: disturbs(&[resolved]), ..outcome };
    }
    first_guess(w, scratch, &resolve);

    let mut best = f64::INFINITY;
    loop {
        let misfit = residual(w, scratch);
        if misfit < best {
            best = misfit;
            scratch.best[..m].copy_from_slice(&scratch.resolved[..m]);
        }
        if misfit <= tolerance {
            outcome.disturbed = disturbs(&scratch.resolved[..m]);
            break;
        }
        if outcome.iterations == 1 && disturbs(&scratch.resolved[..m]) {
            outcome.disturbed = true;
            break;
        }
        if outcome.iterations == scratch.cap || !misfit.is_finite() {
            outcome.missed = true;
            scratch.resolved[..m].copy_from_slice(&scratch.best[..m]);
            outcome.disturbed = disturbs(&scratch.resolved[..m]);
            break;
        }
        outcome.iterations += 1;
        iterate(laws, w, scratch, outcome.iterations, &resolve);
    }
    for i in 0..m {
        scratch.closed[i] = is_closed(&scratch.resolved[i]);
        outcome.any_closed |= scratch.closed[i];
        outcome.evaluations += scratch.resolved[i].evaluations;
    }
    outcome
}

/// Resolves every law against the forces of the guess; if contacts open or close, lets each find its state.
#[inline]
fn first_guess(w: &[f64], scratch: &mut Scratch, resolve: &impl Fn(usize, f64, f64) -> Resolved) {
    let m = scratch.len;
    for i in 0..m {
        let z = scratch.free[i] - others(w, &scratch.resolved[..m], i);
        // forces whose sum overflows are no guess
        scratch.step[i] = if z.is_finite() { z } else { scratch.free[i] };
    }
    let mut changed = false;
    for i in 0..m {
        scratch.resolved[i] = resolve(i, scratch.step[i], w[i * m + i]);
        let closed = is_closed(&scratch.resolved[i]);
        changed |= closed != scratch.closed[i];
    }
    if changed {
        gauss_seidel(w, scratch, PAIRS, resolve);
    }
}

/// One iteration: a Newton step, the laws resolved there, and passes if contacts open or close.
#[inline]
fn iterate(
    laws: &impl Laws,
    w: &[f64],
    scratch: &mut Scratch,
    iteration: u32,
    resolve: &impl Fn(usize, f64, f64) -> Resolved,
) {
    let m = scratch.len;
    newton_step(w, scratch);
    // `closed` is unused until the end of the solve: it stores the active set of the step
    for i in 0..m {
        scratch.closed[i] = is_responsive(scratch.resolved[i].slope, w[i * m + i]);
        scratch.slopes[i] = scratch.resolved[i].slope;
    }
    for i in 0..m {
        let now = scratch.resolved[i];
        let (approach, force) = (now.approach + scratch.step[i], now.force + scratch.force_step[i]);
        let own = w[i * m + i];
        // a contact that stays open needs no mobility: the common case in a long row
        if !scratch.closed[i] && force == 0.0 {
            let open = resolve(i, approach, own);
            if !is_closed(&open) {
                scratch.resolved[i] = open;
                continue;
            }
        }
        let r = effective_mobility(w, scratch, i);
        let (law, state) = laws.law(i);
        scratch.resolved[i] = law.resolve_near(state, approach + r * force, r, approach);
    }
    // the step is valid only for its active set: if contacts open or close, let each find its state
    let changed = (0..m).any(|i| is_responsive(scratch.resolved[i].slope, w[i * m + i]) != scratch.closed[i]);
    if changed && iteration <= MAX_STEPS_WITH_PASSES {
        gauss_seidel(w, scratch, PAIRS, resolve);
    }
    // an open contact follows the current forces: a δf below their last digit must not move it
    for i in 0..m {
        if !is_closed(&scratch.resolved[i]) {
            let free_motion = resolve(i, scratch.free[i] - others(w, &scratch.resolved[..m], i), w[i * m + i]);
            if !is_closed(&free_motion) {
                scratch.resolved[i] = free_motion;
            }
        }
    }
}

/// Gauss–Seidel, `pairs` forward and backward passes: each contact in turn with all other forces fixed. It descends the energy that the
/// solution minimises, so it never diverges, and finds the closed contacts if many press one rigid body.
fn gauss_seidel(w: &[f64], scratch: &mut Scratch, pairs: u32, resolve: &impl Fn(usize, f64, f64) -> Resolved) {
    let m = scratch.len;
    for i in (0..pairs).flat_map(|_| (0..m).chain((0..m).rev())) {
        let z = scratch.free[i] - others(w, &scratch.resolved[..m], i);
        scratch.resolved[i] = resolve(i, z, w[i * m + i]);
    }
}

pub(super) fn is_closed(resolved: &Resolved) -> bool {
    resolved.slope > 0.0 || resolved.force != 0.0
}

/// False if 1 + r F' rounds to 1: the force does not depend on the velocity noticeably.
pub(super) fn is_responsive(slope: f64, r: f64) -> bool {
    slope * r > f64::EPSILON
}

/// Σ_{j≠i} W_ij f_j.
pub(super) fn others(w: &[f64], resolved: &[Resolved], i: usize) -> f64 {
    let m = resolved.len();
    let mut value = 0.0;
    for (j, other) in resolved.iter().enumerate() {
        if j != i && other.force != 0.0 {
            value += w[i * m + j] * other.force;
        }
    }
    value
}

/// Computes G and returns its largest entry relative to its terms and to their inherited error: the force of contact j is
/// accurate to the rounding of the velocities it was solved from, divided by W_jj + 1/F'_j. Motion below the rounding of the
/// island's fastest contact is noise.
pub(super) fn residual(w: &[f64], scratch: &mut Scratch) -> f64 {
    let m = scratch.len;
    scratch.active.clear();
    scratch.active.extend((0..m).filter(|&j| scratch.resolved[j].force != 0.0));
    let mut fastest: f64 = 0.0;
    for i in 0..m {
        let own = scratch.resolved[i];
        let mut g = own.approach - scratch.free[i];
        let mut scale = own.approach.abs() + scratch.free[i].abs();
        for &j in scratch.active.iter() {
            let term = w[i * m + j] * scratch.resolved[j].force;
            g += term;
            scale += term.abs();
        }
        scratch.residual[i] = g;
        scratch.scale[i] = scale;
        scratch.column[i] = scale * (own.slope / (1.0 + w[i * m + i] * own.slope)).abs();
        fastest = fastest.max(scale);
    }
    let mut worst: f64 = 0.0;
    for i in 0..m {
        let (g, mut scale) = (scratch.residual[i], scratch.scale[i]);
        for &j in scratch.active.iter() {
            if j != i {
                scale += w[i * m + j].abs() * scratch.column[j];
            }
        }
        let relative = g.abs() / (scale + f64::EPSILON * fastest);
        // max() ignores NaN, so check first; 0/0 is an island at rest
        if relative.is_nan() && !(g == 0.0 && scale == 0.0) {
            return f64::NAN;
        }
        worst = worst.max(relative);
    }
    worst
}

/// fᵀG after [`residual`]: power gained in the step, W; and the magnitude of its terms.
pub(super) fn gain(scratch: &Scratch) -> (f64, f64) {
    let solutions = scratch.resolved.iter().zip(scratch.residual.iter().zip(&scratch.scale)).take(scratch.len);
    solutions.fold((0.0, 0.0), |(gained, terms), (solution, (g, scale))| {
        (gained + solution.force * g, terms + (solution.force * scale).abs())
    })
}

/// Solves the linearised island. Leaves δw in `step` and δf in `force_step`.
fn newton_step(w: &[f64], scratch: &mut Scratch) {
    let m = scratch.len;
    scratch.active.clear();
    scratch.active.extend((0..m).filter(|&i| is_responsive(scratch.resolved[i].slope, w[i * m + i])));
    let n = scratch.active.len();
    for (row, &i) in scratch.active.iter().enumerate() {
        for (column, &j) in scratch.active.iter().enumerate().take(row + 1) {
            scratch.matrix[row * n + column] = w[i * m + j];
        }
        scratch.matrix[row * n + row] += (1.0 / scratch.resolved[i].slope).max(RIGID * w[i * m + i]);
        scratch.column[row] = -scratch.residual[i];
    }
    dense::factorise(&mut scratch.matrix, n, n, 0.0, &mut scratch.dropped);
    dense::solve(&scratch.matrix, n, n, &scratch.dropped, &mut scratch.column[..n]);
    scratch.force_step[..m].fill(0.0);
    for (row, &i) in scratch.active.iter().enumerate() {
        scratch.force_step[i] = scratch.column[row];
        scratch.step[i] = scratch.column[row] / scratch.resolved[i].slope;
    }
    for i in 0..m {
        if !is_responsive(scratch.resolved[i].slope, w[i * m + i]) {
            scratch.step[i] = -scratch.residual[i];
            for &j in scratch.active.iter() {
                scratch.step[i] -= w[i * m + j] * scratch.force_step[j];
            }
        }
    }
}

/// The mobility of contact i when all the others yield along their tangents, from the factor of [`newton_step`].
fn effective_mobility(w: &[f64], scratch: &mut Scratch, i: usize) -> f64 {
    let (m, n) = (scratch.len, scratch.active.len());
    let own = w[i * m + i];
    let column = &mut scratch.column[..n];
    let effective_mobility = if scratch.closed[i] {
        for (x, &j) in column.iter_mut().zip(scratch.active.iter()) {
            *x = if j == i { 1.0 } else { 0.0 };
        }
        let inverse = dense::inverse_form(&scratch.matrix, n, n, &scratch.dropped, column);
        1.0 / inverse - 1.0 / scratch.slopes[i]
    } else {
        for (x, &j) in column.iter_mut().zip(scratch.active.iter()) {
            *x = w[i * m + j];
        }
        own - dense::inverse_form(&scratch.matrix, n, n, &scratch.dropped, column)
    };
    if effective_mobility.is_finite() { effective_mobility.max(0.0) } else { own }
}
