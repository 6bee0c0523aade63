//! Small Newton: a few closed collisions solved in fixed-size arrays, by Newton on their approach velocities.
//!
//! Each law is evaluated, not resolved: f = F(w) with its slope and second derivative. A step solves (W + diag 1/F') δf = −G with G = w − w0 + W f, and once more with the
//! same factor for the second-order term: h = ½F'' δw², (W + diag 1/F') δf = h/F', which makes it third order. Closed contacts
//! begin at w = 0, where their law and its derivatives cost nothing, and the first step is fourth order. A solution is accepted by the residual of the general solver.
//! If the iteration does not converge quickly (hard contacts, several that open and close at once) it yields no solution, and [`general_newton`](super::general_newton) starts over.

// the formulas name rows and columns by their index
#![allow(clippy::needless_range_loop)]

use super::general_newton::{Outcome, RIGID, Scratch, is_closed, is_responsive};
use super::iterative_newton;
use crate::interaction::collision::Collision;
use crate::interaction::collision::point::{Point, Start};
use crate::interaction::{EndPotential, Interaction, Resolved};

/// Most contacts of this solver.
pub(super) const MAX_CONTACTS: usize = 8;
/// Evaluations before the general solver takes over.
const EVALUATIONS: u32 = 7;
/// Required reduction of the residual per evaluation.
const MIN_REDUCTION: f64 = 0.5;
/// Error of an old factor, relative to the tolerance, below which it is reused: about the product of the last two residuals.
const REUSE: f64 = 1e-2;
/// Residual below which the second-order term of the step is negligible.
const STRAIGHT: f64 = 1e-8;

/// A collision of an island.
#[derive(Clone, Debug)]
pub(crate) struct IslandCollision {
    pub law: Collision,
    /// Start of its state.
    pub state: usize,
}

/// The laws of an island, all of them collisions, with the values of the state.
pub(crate) struct Collisions<'a> {
    pub members: &'a [IslandCollision],
    pub values: &'a [f64],
}

impl Collisions<'_> {
    #[inline(always)]
    pub(super) fn state(&self, a: usize) -> &[f64] {
        let start = self.members[a].state;
        &self.values[start..start + 4]
    }

    #[inline(always)]
    pub(super) fn start(&self, a: usize) -> Start {
        self.members[a].law.start(self.state(a))
    }

    /// True if law `a` has a force at the approach velocity `approach`.
    #[inline(always)]
    pub(super) fn meets(&self, a: usize, approach: f64) -> bool {
        self.members[a].law.may_contact(self.start(a), approach)
    }
}

/// Solves w = free − W f, f = F(w) for all laws. On entry `all.resolved` holds a guess, which stays if there is no solution.
#[inline(never)]
pub(crate) fn solve(laws: &Collisions, w: &[f64], tolerance: f64, all: &mut Scratch) -> Option<Outcome> {
    let m = all.len;
    let (mut indices, mut count) = ([0; MAX_CONTACTS], 0);
    for a in 0..m {
        if laws.meets(a, all.free[a]) {
            let Some(next) = indices.get_mut(count) else { return iterative_newton::solve(laws, w, tolerance, all) };
            *next = a;
            count += 1;
        }
    }
    if count == 0 {
        return Some(follow(laws, &[], &[], w, all));
    }
    if let [single] = indices[..count] {
        // isolated: the resolvent is the solution
        let resolved = laws.members[single].law.resolve(laws.state(single), all.free[single], w[single * m + single]);
        let stays_open = |a: usize| a == single || !laws.meets(a, all.free[a] - w[a * m + single] * resolved.force);
        if (0..m).all(stays_open) {
            return Some(follow(laws, &[single], &[resolved], w, all));
        }
    }
    // once more with the contacts that these forces close
    for _ in 0..2 {
        let mut solutions = [Resolved::default(); MAX_CONTACTS];
        let (results, chosen) = (&mut solutions[..count], &indices[..count]);
        let iterations = match count {
            1 => Few::<1>::new(laws, chosen, w, all).solve(tolerance, results),
            2 => Few::<2>::new(laws, chosen, w, all).solve(tolerance, results),
            3 => Few::<3>::new(laws, chosen, w, all).solve(tolerance, results),
            4 => Few::<4>::new(laws, chosen, w, all).solve(tolerance, results),
            5 => Few::<5>::new(laws, chosen, w, all).solve(tolerance, results),
            6 => Few::<6>::new(laws, chosen, w, all).solve(tolerance, results),
            7 => Few::<7>::new(laws, chosen, w, all).solve(tolerance, results),
            _ => Few::<MAX_CONTACTS>::new(laws, chosen, w, all).solve(tolerance, results),
        };
        let iterations = iterations?;
        let (mut next, mut more, mut members) = ([0; MAX_CONTACTS], 0, 0);
        for a in 0..m {
            let solved = chosen.get(members) == Some(&a);
            members += usize::from(solved);
            if solved || laws.meets(a, all.free[a] - response(&w[a * m..(a + 1) * m], chosen, results)) {
                let Some(place) = next.get_mut(more) else { return iterative_newton::solve(laws, w, tolerance, all) };
                *place = a;
                more += 1;
            }
        }
        if more == count {
            return Some(Outcome { iterations, ..follow(laws, chosen, results, w, all) });
        }
        (indices, count) = (next, more);
    }
    None
}

/// Σ W f of `indices`; `row` is a row of W.
#[inline(always)]
pub(super) fn response(row: &[f64], indices: &[usize], solutions: &[Resolved]) -> f64 {
    indices.iter().zip(solutions).map(|(&j, solution)| row[j] * solution.force).sum()
}

/// Writes the solutions of `indices`; all others follow from their forces.
pub(super) fn follow(
    laws: &Collisions,
    indices: &[usize],
    solutions: &[Resolved],
    w: &[f64],
    all: &mut Scratch,
) -> Outcome {
    let m = all.len;
    let mut outcome = Outcome::default();
    let mut solved = indices.iter().zip(solutions).peekable();
    for a in 0..m {
        if let Some((_, solution)) = solved.next_if(|(indices, _)| **indices == a) {
            all.resolved[a] = *solution;
            all.closed[a] = is_closed(solution);
            outcome.any_closed |= all.closed[a];
            outcome.evaluations += solution.evaluations;
        } else {
            let approach = all.free[a] - response(&w[a * m..(a + 1) * m], indices, solutions);
            let end = laws.members[a].law.end(laws.start(a), approach);
            all.resolved[a] = Resolved { approach, end, ..Resolved::default() };
            all.closed[a] = false;
        }
    }
    outcome
}

/// Points of N laws, in a structure of arrays: loading a whole point just after its fields are stored would stall.
struct Points<const N: usize> {
    at: [f64; N],
    approach: [f64; N],
    force: [f64; N],
    slope: [f64; N],
    bend: [f64; N],
    third: [f64; N],
    exact: [bool; N],
    potential: [EndPotential; N],
    evaluations: [u32; N],
}

impl<const N: usize> Points<N> {
    #[inline(always)]
    fn new() -> Self {
        let [at, approach, force, slope, bend, third] = [[0.0; N]; 6];
        let potential = [EndPotential::UNKNOWN; N];
        Self { at, approach, force, slope, bend, third, exact: [false; N], potential, evaluations: [0; N] }
    }

    #[inline(always)]
    fn put(&mut self, k: usize, point: Point) {
        let Point { at, approach, force, slope, bend, third, exact, potential, evaluations } = point;
        (self.at[k], self.approach[k], self.force[k], self.slope[k]) = (at, approach, force, slope);
        (self.bend[k], self.third[k], self.exact[k], self.evaluations[k]) = (bend, third, exact, evaluations);
        self.potential[k] = potential;
    }

    #[inline(always)]
    fn get(&self, k: usize) -> Point {
        Point {
            at: self.at[k],
            approach: self.approach[k],
            force: self.force[k],
            slope: self.slope[k],
            bend: self.bend[k],
            third: self.third[k],
            exact: self.exact[k],
            potential: self.potential[k],
            evaluations: self.evaluations[k],
        }
    }
}

/// N contacts being solved.
struct Few<'a, const N: usize> {
    laws: [&'a IslandCollision; N],
    states: [&'a [f64]; N],
    starts: [Start; N],
    free: [f64; N],
    w: [[f64; N]; N],
    points: Points<N>,
    residual: [f64; N],
    /// Scale of each entry of G.
    scale: [f64; N],
    /// Of the linearisation: 1/F', and which contacts respond.
    yielding: [f64; N],
    active: [bool; N],
    factor: Factor<N>,
}

impl<'a, const N: usize> Few<'a, N> {
    #[inline(always)]
    fn new(laws: &'a Collisions, indices: &[usize], w: &[f64], all: &Scratch) -> Self {
        let m = all.len;
        let indices: [usize; N] = std::array::from_fn(|k| indices[k]);
        Self {
            laws: indices.map(|a| &laws.members[a]),
            states: indices.map(|a| laws.state(a)),
            starts: indices.map(|a| laws.start(a)),
            free: indices.map(|a| all.free[a]),
            w: indices.map(|a| indices.map(|b| w[a * m + b])),
            points: Points::new(),
            residual: [0.0; N],
            scale: [0.0; N],
            yielding: [0.0; N],
            active: [false; N],
            factor: Factor { lower: [[0.0; N]; N], inverse: [0.0; N] },
        }
    }

    /// Fills `solutions`; returns the number of steps beyond the first.
    #[inline(never)]
    fn solve(mut self, tolerance: f64, solutions: &mut [Resolved]) -> Option<u32> {
        self.begin();
        let mut last = f64::INFINITY;
        for io in 0..EVALUATIONS {
            let misfit = self.misfit();
            // false for NaN
            let gains = misfit <= MIN_REDUCTION * last;
            if misfit <= tolerance || !gains && self.is_rounding(tolerance) {
                for (k, solution) in solutions.iter_mut().enumerate().take(N) {
                    *solution = self.laws[k].law.resolved_at(self.starts[k], &self.points.get(k));
                }
                return Some(io.saturating_sub(1));
            }
            if !gains {
                return None;
            }
            if misfit * last > REUSE * tolerance {
                self.linearise();
            }
            self.step(io == 0, misfit > STRAIGHT);
            last = misfit;
        }
        None
    }

    /// First points: closed contacts first, so that the others include their forces.
    #[inline(always)]
    fn begin(&mut self) {
        let mut response = self.free;
        for closed in [true, false] {
            for k in 0..N {
                if (self.starts[k].gap > 0.0) != closed {
                    continue;
                }
                let point = self.laws[k].law.first(self.states[k], self.starts[k], response[k], self.w[k][k]);
                self.points.put(k, point);
                for l in 0..N {
                    if l != k {
                        response[l] -= self.w[l][k] * point.force;
                    }
                }
            }
        }
    }

    /// Computes G and returns its largest entry relative to its terms.
    #[inline(always)]
    fn misfit(&mut self) -> f64 {
        let mut fastest: f64 = 0.0;
        for i in 0..N {
            let approach = self.points.approach[i];
            let mut g = approach - self.free[i];
            let mut scale = approach.abs() + self.free[i].abs();
            for j in 0..N {
                let term = self.w[i][j] * self.points.force[j];
                g += term;
                scale += term.abs();
            }
            (self.residual[i], self.scale[i]) = (g, scale);
            fastest = fastest.max(scale);
        }
        let mut worst: f64 = 0.0;
        for i in 0..N {
            self.scale[i] += f64::EPSILON * fastest;
            let relative = self.residual[i].abs() / self.scale[i];
            if relative.is_nan() {
                return f64::NAN;
            }
            worst = worst.max(relative);
        }
        worst
    }

    /// True if G is within `tolerance` of its terms and of the rounding they inherit from their neighbours, as in [`residual`](super::general_newton::residual).
    #[inline(never)]
    fn is_rounding(&self, tolerance: f64) -> bool {
        let inherited = |j: usize| {
            let slope = self.points.slope[j];
            self.scale[j] * slope / (1.0 + self.w[j][j] * slope)
        };
        (0..N).all(|i| {
            let others = (0..N).filter(|&j| j != i && self.points.force[j] != 0.0);
            let scale = self.scale[i] + others.map(|j| self.w[i][j].abs() * inherited(j)).sum::<f64>();
            self.residual[i].abs() <= tolerance * scale
        })
    }

    #[inline(always)]
    fn linearise(&mut self) {
        for k in 0..N {
            let (slope, own) = (self.points.slope[k], self.w[k][k]);
            self.active[k] = is_responsive(slope, own);
            self.yielding[k] = if self.active[k] { (1.0 / slope).max(RIGID * own) } else { 0.0 };
        }
        self.factor.make(&self.w, &self.yielding, &self.active);
    }

    /// One step, and the laws at its end: fourth order from the `first` points, third order if `bent`, otherwise second order.
    #[inline(always)]
    fn step(&mut self, first: bool, bent: bool) {
        let (yielding, active) = (&self.yielding, &self.active);
        let mut force_step: [f64; N] = std::array::from_fn(|k| if active[k] { -self.residual[k] } else { 0.0 });
        self.factor.solve(&mut force_step);
        let straight: [f64; N] = std::array::from_fn(|k| force_step[k] * yielding[k]);
        let mut by = straight;
        if bent {
            let added: [f64; N] = std::array::from_fn(|k| 0.5 * self.points.bend[k] * straight[k] * straight[k]);
            self.add(&added, &mut force_step, &mut by);
        }
        if first {
            let added: [f64; N] = std::array::from_fn(|k| {
                let s = straight[k];
                s * (self.points.bend[k] * (by[k] - s) + self.points.third[k] * s * s / 6.0)
            });
            self.add(&added, &mut force_step, &mut by);
        }
        for k in 0..N {
            if !active[k] {
                let response: f64 = (0..N).map(|l| self.w[k][l] * force_step[l]).sum();
                by[k] = -self.residual[k] - response;
            }
        }
        for k in 0..N {
            self.points.put(k, self.laws[k].law.evaluate(self.starts[k], &self.points.get(k), by[k]));
        }
    }

    /// Adds the response to the forces `added` beyond the tangents of the laws.
    #[inline(always)]
    fn add(&self, added: &[f64; N], force_step: &mut [f64; N], by: &mut [f64; N]) {
        let mut more: [f64; N] =
            std::array::from_fn(|k| if self.active[k] { added[k] * self.yielding[k] } else { 0.0 });
        self.factor.solve(&mut more);
        for k in 0..N {
            if self.active[k] {
                force_step[k] += more[k];
                by[k] += (more[k] - added[k]) * self.yielding[k];
            }
        }
    }
}

/// L D Lᵀ of a small matrix: unit lower L below the diagonal, and 1/D.
struct Factor<const N: usize> {
    lower: [[f64; N]; N],
    inverse: [f64; N],
}

impl<const N: usize> Factor<N> {
    /// Factorises W + diag `yielding` over the `active` ones; the other unknowns pass through unchanged.
    #[inline(always)]
    fn make(&mut self, w: &[[f64; N]; N], yielding: &[f64; N], active: &[bool; N]) {
        for i in 0..N {
            let mut row = [0.0; N];
            let mut pivot = 1.0;
            if active[i] {
                pivot = w[i][i] + yielding[i];
                for j in 0..i {
                    // until the row is complete, its entries are L_ij D_j
                    let mut value = if active[j] { w[i][j] } else { 0.0 };
                    for l in 0..j {
                        value -= row[l] * self.lower[j][l];
                    }
                    row[j] = value;
                }
                for j in 0..i {
                    let scaled = row[j];
                    row[j] = scaled * self.inverse[j];
                    pivot -= scaled * row[j];
                }
            }
            self.lower[i] = row;
            self.inverse[i] = 1.0 / pivot;
        }
    }

    #[inline(always)]
    fn solve(&self, x: &mut [f64; N]) {
        // column by column: each known value is subtracted from all others at once
        for j in 0..N {
            for i in j + 1..N {
                x[i] -= self.lower[i][j] * x[j];
            }
        }
        for i in 0..N {
            x[i] *= self.inverse[i];
        }
        for j in (0..N).rev() {
            for i in 0..j {
                x[i] -= self.lower[j][i] * x[j];
            }
        }
    }
}
