//! Newton in scattering variables z_i = w_i + r_i f_i for coupled resolvent laws. [handbook §7]
//!
//! Each law is resolved exactly for its own z, so stiffness never reaches the outer iteration: it sees only
//! G = w − w0 + W f, and solves (W_AA + diag 1/F') δf = −G_A over the contacts that push back.
//!
//! The mobility r_i decides along which line a contact looks for its law. The first answer takes r_i = W_ii, all others
//! pushing as before; every later one the mobility that contact i feels when the others yield along their tangents,
//! r_i = 1/[(W_AA + diag 1/F')⁻¹]_ii − 1/F'_i. Where two hard contacts press one mass from both sides the first is a
//! thousand times too soft and the iteration would overshoot by as much.
//!
//! A step is right only for the contacts it was made for. Where contacts open or close, before the first step or by one, Gauss–Seidel
//! sweeps follow.
//!
//! The first guess is the answer of two steps ago: the leapfrog frame couples n − 1 with n + 1, and a body caught
//! between two others alternates.

use super::dense;
use super::direct::Collisions;
use crate::interaction::{Interaction, Resolved};

/// Outer iterations before the best iterate is kept and a miss is counted.
const CAP: u32 = 30;
/// Sweeps, forth and back, whenever contacts have opened or closed.
const PAIRS: u32 = 2;
/// Newton steps that sweeps may follow: later ones are left alone, lest steps and sweeps undo each other for ever.
const SWEPT: u32 = 4;
/// Share of the diagonal below which 1/F' counts as zero: keeps a rigid contact on a singular W solvable.
pub(super) const RIGID: f64 = 1e-14;

/// Arrays of the solve, sized once, of which the first `len` entries are in use; `resolved`, `before` and `closed` carry over between steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// Laws to solve.
    pub(super) len: usize,
    /// Outer iterations before a miss: [`CAP`], less where tests provoke one.
    pub(super) cap: u32,
    pub resolved: Vec<Resolved>,
    /// Answers of the step before the last.
    pub(super) before: Vec<Resolved>,
    pub free: Vec<f64>,
    pub(super) closed: Vec<bool>,
    pub(super) best: Vec<Resolved>,
    pub(super) residual: Vec<f64>,
    scale: Vec<f64>,
    pub(super) matrix: Vec<f64>,
    column: Vec<f64>,
    /// δw, δf and F' of the linearisation.
    pub(super) step: Vec<f64>,
    push: Vec<f64>,
    slopes: Vec<f64>,
    active: Vec<usize>,
    dropped: Vec<bool>,
}

impl Scratch {
    /// Takes note of a step in which nothing pushed and the laws closed with `closing`.
    pub fn recall(&mut self, closing: impl Iterator<Item = f64>) {
        std::mem::swap(&mut self.resolved, &mut self.before);
        for (resolved, closing) in self.resolved.iter_mut().zip(closing) {
            *resolved = Resolved { closing, ..Resolved::default() };
        }
    }

    pub fn new(m: usize) -> Self {
        Self {
            len: m,
            cap: CAP,
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
            push: vec![0.0; m],
            slopes: vec![0.0; m],
            active: Vec::with_capacity(m),
            dropped: vec![false; m],
        }
    }
}

/// How a solve went.
#[derive(Default)]
pub(crate) struct Outcome {
    pub iterations: u32,
    pub evaluations: u32,
    pub missed: bool,
    /// Any contact closed.
    pub busy: bool,
    /// Given up because of contacts that are not part of it.
    pub disturbed: bool,
}

/// A law with its slice of the state.
pub(crate) trait Laws {
    fn law(&self, i: usize) -> (&dyn Interaction, &[f64]);

    /// The same by name, if all of them are collisions.
    fn collisions(&self) -> Option<Collisions<'_>> {
        None
    }
}

/// Solves w = free − W f, f = F(w) for all laws. On entry `scratch.resolved` holds a guess, `scratch.closed` which of them touched before.
/// Where `disturbs` is true of the answers after the first step or of the last ones, the solve ends as it is.
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
        // alone: the resolvent is the answer
        let resolved = resolve(0, scratch.free[0], w[0]);
        scratch.resolved[0] = resolved;
        scratch.closed[0] = is_closed(&resolved);
        let (busy, evaluations) = (scratch.closed[0], resolved.evaluations);
        return Outcome { busy, evaluations, disturbed: disturbs(&[resolved]), ..outcome };
    }
    for i in 0..m {
        let z = scratch.free[i] - others(w, &scratch.resolved[..m], i);
        // forces so large that their sum overflows are no guess
        scratch.step[i] = if z.is_finite() { z } else { scratch.free[i] };
    }
    let mut changed = false;
    for i in 0..m {
        scratch.resolved[i] = resolve(i, scratch.step[i], w[i * m + i]);
        let closed = is_closed(&scratch.resolved[i]);
        changed |= closed != scratch.closed[i];
    }
    if changed {
        sweep(w, scratch, PAIRS, &resolve);
    }

    let mut best = f64::INFINITY;
    loop {
        let miss = residual(w, scratch);
        if miss < best {
            best = miss;
            scratch.best[..m].copy_from_slice(&scratch.resolved[..m]);
        }
        if miss <= tolerance {
            outcome.disturbed = disturbs(&scratch.resolved[..m]);
            break;
        }
        if outcome.iterations == 1 && disturbs(&scratch.resolved[..m]) {
            outcome.disturbed = true;
            break;
        }
        if outcome.iterations == scratch.cap || !miss.is_finite() {
            outcome.missed = true;
            scratch.resolved[..m].copy_from_slice(&scratch.best[..m]);
            outcome.disturbed = disturbs(&scratch.resolved[..m]);
            break;
        }
        outcome.iterations += 1;
        newton_step(w, scratch);
        // `closed` is free until the end of the solve: it remembers which contacts the step was made for
        for i in 0..m {
            scratch.closed[i] = pushes_back(scratch.resolved[i].slope, w[i * m + i]);
            scratch.slopes[i] = scratch.resolved[i].slope;
        }
        for i in 0..m {
            let now = scratch.resolved[i];
            let (closing, force) = (now.closing + scratch.step[i], now.force + scratch.push[i]);
            let own = w[i * m + i];
            // a contact that stays open needs no mobility: most of a long row ends here
            if !scratch.closed[i] && force == 0.0 {
                let open = resolve(i, closing, own);
                if !is_closed(&open) {
                    scratch.resolved[i] = open;
                    continue;
                }
            }
            let r = felt(w, scratch, i);
            let (law, state) = laws.law(i);
            scratch.resolved[i] = law.resolve_near(state, closing + r * force, r, closing);
        }
        // the step was right only for the contacts it was made for: where others open or close, let each find its place
        let changed = (0..m).any(|i| pushes_back(scratch.resolved[i].slope, w[i * m + i]) != scratch.closed[i]);
        if changed && outcome.iterations <= SWEPT {
            sweep(w, scratch, PAIRS, &resolve);
        }
        // an open contact follows the forces as they are: a δf below their last digit must not move it
        for i in 0..m {
            if !is_closed(&scratch.resolved[i]) {
                let follows = resolve(i, scratch.free[i] - others(w, &scratch.resolved[..m], i), w[i * m + i]);
                if !is_closed(&follows) {
                    scratch.resolved[i] = follows;
                }
            }
        }
    }
    for i in 0..m {
        scratch.closed[i] = is_closed(&scratch.resolved[i]);
        outcome.busy |= scratch.closed[i];
        outcome.evaluations += scratch.resolved[i].evaluations;
    }
    outcome
}

/// Gauss–Seidel, `pairs` times forth and back: each contact in turn, all others pushing as they do. It descends the energy that the
/// solution minimises, so it never leads away, and finds out which contacts hold where many press one rigid body.
fn sweep(w: &[f64], scratch: &mut Scratch, pairs: u32, resolve: &impl Fn(usize, f64, f64) -> Resolved) {
    let m = scratch.len;
    for i in (0..pairs).flat_map(|_| (0..m).chain((0..m).rev())) {
        let z = scratch.free[i] - others(w, &scratch.resolved[..m], i);
        scratch.resolved[i] = resolve(i, z, w[i * m + i]);
    }
}

pub(super) fn is_closed(resolved: &Resolved) -> bool {
    resolved.slope > 0.0 || resolved.force != 0.0
}

/// False where 1 + r F' rounds to 1: the force does not answer to the velocity, whatever its size.
pub(super) fn pushes_back(slope: f64, r: f64) -> bool {
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

/// Fills G and returns its largest entry relative to the terms it is made of, and to what those inherit: the force of contact j is
/// known to the rounding of the velocities it was solved from, divided by W_jj + 1/F'_j. Motion below the rounding of the
/// island's fastest contact is noise.
pub(super) fn residual(w: &[f64], scratch: &mut Scratch) -> f64 {
    let m = scratch.len;
    scratch.active.clear();
    scratch.active.extend((0..m).filter(|&j| scratch.resolved[j].force != 0.0));
    let mut fastest: f64 = 0.0;
    for i in 0..m {
        let own = scratch.resolved[i];
        let mut g = own.closing - scratch.free[i];
        let mut scale = own.closing.abs() + scratch.free[i].abs();
        for &j in &scratch.active {
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
        for &j in &scratch.active {
            if j != i {
                scale += w[i * m + j].abs() * scratch.column[j];
            }
        }
        let relative = g.abs() / (scale + f64::EPSILON * fastest);
        // a NaN must not hide behind max(); 0/0 is an island at rest
        if relative.is_nan() && !(g == 0.0 && scale == 0.0) {
            return f64::NAN;
        }
        worst = worst.max(relative);
    }
    worst
}

/// fᵀG of what [`residual`] looked at: energy gained per second of the step; and the size of its terms.
pub(super) fn gain(scratch: &Scratch) -> (f64, f64) {
    let answers = scratch.resolved.iter().zip(scratch.residual.iter().zip(&scratch.scale)).take(scratch.len);
    answers.fold((0.0, 0.0), |(gained, terms), (answer, (g, scale))| {
        (gained + answer.force * g, terms + (answer.force * scale).abs())
    })
}

/// Solves the linearised island. Leaves δw in `step` and δf in `push`.
fn newton_step(w: &[f64], scratch: &mut Scratch) {
    let m = scratch.len;
    scratch.active.clear();
    scratch.active.extend((0..m).filter(|&i| pushes_back(scratch.resolved[i].slope, w[i * m + i])));
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
    scratch.push[..m].fill(0.0);
    for (row, &i) in scratch.active.iter().enumerate() {
        scratch.push[i] = scratch.column[row];
        scratch.step[i] = scratch.column[row] / scratch.resolved[i].slope;
    }
    for i in 0..m {
        if !pushes_back(scratch.resolved[i].slope, w[i * m + i]) {
            scratch.step[i] = -scratch.residual[i];
            for &j in &scratch.active {
                scratch.step[i] -= w[i * m + j] * scratch.push[j];
            }
        }
    }
}

/// The mobility contact i feels when all the others yield along their tangents, from the factor of [`newton_step`].
fn felt(w: &[f64], scratch: &mut Scratch, i: usize) -> f64 {
    let (m, n) = (scratch.len, scratch.active.len());
    let own = w[i * m + i];
    let column = &mut scratch.column[..n];
    let felt = if scratch.closed[i] {
        for (x, &j) in column.iter_mut().zip(&scratch.active) {
            *x = if j == i { 1.0 } else { 0.0 };
        }
        let inverse = dense::inverse_form(&scratch.matrix, n, n, &scratch.dropped, column);
        1.0 / inverse - 1.0 / scratch.slopes[i]
    } else {
        for (x, &j) in column.iter_mut().zip(&scratch.active) {
            *x = w[i * m + j];
        }
        own - dense::inverse_form(&scratch.matrix, n, n, &scratch.dropped, column)
    };
    if felt.is_finite() { felt.max(0.0) } else { own }
}
