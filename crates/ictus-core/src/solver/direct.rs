//! A few collisions that press at once, solved without lists and calls: Newton on their closing velocities.
//!
//! Each law is looked at, not resolved: f = F(w) with its slope and bend. A step solves (W + diag 1/F') δf = −G with G = w − w0 + W f, and once more with the
//! same factor for what the bends add: h = ½F'' δw², (W + diag 1/F') δf = h/F', which makes it of third order. Contacts that press
//! begin at w = 0, where their law and its derivatives cost nothing, and the first step is of fourth order. An answer counts by the residual every other is measured
//! with. Where looks do not lead there quickly (hard contacts, several that open and close at once) there is none, and [`newton`](super::newton) begins afresh.

// rows and columns are what the formulas name by their index
#![allow(clippy::needless_range_loop)]

use super::newton::{Outcome, RIGID, Scratch, is_closed, pushes_back};
use crate::interaction::collision::Collision;
use crate::interaction::collision::look::{Point, Start};
use crate::interaction::{Interaction, Resolved};

/// Contacts solved this way.
const MOST: usize = 16;
/// So many in loops of known length.
const FEW: usize = 8;
/// Looks before the others try.
const LOOKS: u32 = 7;
/// Every look leaves at most this share of what the last one missed by.
const GAIN: f64 = 0.5;
/// A factor is as good as new where what it gets wrong of a step is this share of the tolerance: about the product of the last two misses.
const STILL_GOOD: f64 = 1e-2;
/// So small a miss that bends add nothing to the step.
const STRAIGHT: f64 = 1e-8;

/// A collision of an island.
#[derive(Debug)]
pub(crate) struct Known {
    pub law: Collision,
    /// Where its state begins.
    pub state: usize,
}

/// The laws of an island, all of them collisions, with the values of the state.
pub(crate) struct Collisions<'a> {
    pub known: &'a [Known],
    pub values: &'a [f64],
}

impl Collisions<'_> {
    #[inline(always)]
    fn state(&self, a: usize) -> &[f64] {
        let start = self.known[a].state;
        &self.values[start..start + 4]
    }

    #[inline(always)]
    fn start(&self, a: usize) -> Start {
        self.known[a].law.start(self.state(a))
    }

    /// True where law `a` meets a force if it closes with `closing`.
    #[inline(always)]
    fn meets(&self, a: usize, closing: f64) -> bool {
        self.known[a].law.touches(self.start(a), closing)
    }
}

/// There are more contacts than there is room for.
struct TooMany;

/// Solves w = free − W f, f = F(w) for all laws. On entry `all.resolved` holds a guess, which stays if there is no answer.
pub(crate) fn solve(laws: &Collisions, w: &[f64], tolerance: f64, all: &mut Scratch) -> Option<Outcome> {
    // room for many is more to clear than few contacts take
    match solve_within::<FEW>(laws, w, tolerance, all) {
        Ok(outcome) => outcome,
        Err(TooMany) => solve_within::<MOST>(laws, w, tolerance, all).unwrap_or(None),
    }
}

/// The same with room for so many that touch.
#[inline(never)]
fn solve_within<const ROOM: usize>(
    laws: &Collisions,
    w: &[f64],
    tolerance: f64,
    all: &mut Scratch,
) -> Result<Option<Outcome>, TooMany> {
    let m = all.len;
    let (mut who, mut count) = ([0; ROOM], 0);
    for a in 0..m {
        if laws.meets(a, all.free[a]) {
            *who.get_mut(count).ok_or(TooMany)? = a;
            count += 1;
        }
    }
    if count == 0 {
        return Ok(Some(follow(laws, &[], &[], w, all)));
    }
    if let [only] = who[..count] {
        // alone: the resolvent is the answer
        let resolved = laws.known[only].law.resolve(laws.state(only), all.free[only], w[only * m + only]);
        let stays = |a: usize| a == only || !laws.meets(a, all.free[a] - w[a * m + only] * resolved.force);
        if (0..m).all(stays) {
            return Ok(Some(follow(laws, &[only], &[resolved], w, all)));
        }
    }
    // once more with those that the forces found make touch
    for _ in 0..2 {
        let mut answers = [Resolved::default(); ROOM];
        let (found, chosen) = (&mut answers[..count], &who[..count]);
        let iterations = match count {
            1 => Few::<1>::new(laws, chosen, w, all).solve(tolerance, found),
            2 => Few::<2>::new(laws, chosen, w, all).solve(tolerance, found),
            3 => Few::<3>::new(laws, chosen, w, all).solve(tolerance, found),
            4 => Few::<4>::new(laws, chosen, w, all).solve(tolerance, found),
            5 => Few::<5>::new(laws, chosen, w, all).solve(tolerance, found),
            6 => Few::<6>::new(laws, chosen, w, all).solve(tolerance, found),
            7 => Few::<7>::new(laws, chosen, w, all).solve(tolerance, found),
            FEW => Few::<FEW>::new(laws, chosen, w, all).solve(tolerance, found),
            _ => Few::<ROOM>::new(laws, chosen, w, all).solve(tolerance, found),
        };
        let Some(iterations) = iterations else { return Ok(None) };
        let (mut next, mut more, mut known) = ([0; ROOM], 0, 0);
        for a in 0..m {
            let solved = chosen.get(known) == Some(&a);
            known += usize::from(solved);
            if solved || laws.meets(a, all.free[a] - pushed(&w[a * m..(a + 1) * m], chosen, found)) {
                *next.get_mut(more).ok_or(TooMany)? = a;
                more += 1;
            }
        }
        if more == count {
            return Ok(Some(Outcome { iterations, ..follow(laws, chosen, found, w, all) }));
        }
        (who, count) = (next, more);
    }
    Ok(None)
}

/// Σ W f of `who`; `row` is a row of W.
#[inline(always)]
fn pushed(row: &[f64], who: &[usize], answers: &[Resolved]) -> f64 {
    who.iter().zip(answers).map(|(&j, answer)| row[j] * answer.force).sum()
}

/// Hands the answers of `who` over; all others follow them.
fn follow(laws: &Collisions, who: &[usize], answers: &[Resolved], w: &[f64], all: &mut Scratch) -> Outcome {
    let m = all.len;
    let mut outcome = Outcome::default();
    let mut solved = who.iter().zip(answers).peekable();
    for a in 0..m {
        if let Some((_, answer)) = solved.next_if(|(who, _)| **who == a) {
            all.resolved[a] = *answer;
            all.closed[a] = is_closed(answer);
            outcome.busy |= all.closed[a];
            outcome.evaluations += answer.evaluations;
        } else {
            let closing = all.free[a] - pushed(&w[a * m..(a + 1) * m], who, answers);
            let end = laws.known[a].law.end(laws.start(a), closing);
            all.resolved[a] = Resolved { closing, end, ..Resolved::default() };
            all.closed[a] = false;
        }
    }
    outcome
}

/// Points of N laws, number by number: whole ones would be read before they are written.
struct Points<const N: usize> {
    at: [f64; N],
    closing: [f64; N],
    force: [f64; N],
    slope: [f64; N],
    bend: [f64; N],
    third: [f64; N],
    exact: [bool; N],
    potential: [f64; N],
    evaluations: [u32; N],
}

impl<const N: usize> Points<N> {
    #[inline(always)]
    fn new() -> Self {
        let [at, closing, force, slope, bend, third, potential] = [[0.0; N]; 7];
        Self { at, closing, force, slope, bend, third, exact: [false; N], potential, evaluations: [0; N] }
    }

    #[inline(always)]
    fn put(&mut self, k: usize, point: Point) {
        let Point { at, closing, force, slope, bend, third, exact, potential, evaluations } = point;
        (self.at[k], self.closing[k], self.force[k], self.slope[k]) = (at, closing, force, slope);
        (self.bend[k], self.third[k], self.exact[k], self.evaluations[k]) = (bend, third, exact, evaluations);
        self.potential[k] = potential;
    }

    #[inline(always)]
    fn get(&self, k: usize) -> Point {
        Point {
            at: self.at[k],
            closing: self.closing[k],
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

/// N contacts being solved, or fewer where N is more than [`FEW`].
struct Few<'a, const N: usize> {
    count: usize,
    laws: [&'a Known; N],
    states: [&'a [f64]; N],
    starts: [Start; N],
    free: [f64; N],
    w: [[f64; N]; N],
    points: Points<N>,
    residual: [f64; N],
    /// What G is measured by.
    scale: [f64; N],
    /// Of the linearisation: 1/F', and which contacts push back.
    yielding: [f64; N],
    active: [bool; N],
    factor: Factor<N>,
}

impl<'a, const N: usize> Few<'a, N> {
    #[inline(always)]
    fn new(laws: &'a Collisions, who: &[usize], w: &[f64], all: &Scratch) -> Self {
        let (m, count) = (all.len, who.len());
        // places that are left repeat the last contact, and nobody looks at them
        let who: [usize; N] = std::array::from_fn(|k| who[k.min(count - 1)]);
        Self {
            count,
            laws: who.map(|a| &laws.known[a]),
            states: who.map(|a| laws.state(a)),
            starts: who.map(|a| laws.start(a)),
            free: who.map(|a| all.free[a]),
            w: who.map(|a| who.map(|b| w[a * m + b])),
            points: Points::new(),
            residual: [0.0; N],
            scale: [0.0; N],
            yielding: [0.0; N],
            active: [false; N],
            factor: Factor { lower: [[0.0; N]; N], inverse: [0.0; N] },
        }
    }

    /// How many there are: known ahead where they are few, and never more than there are places for.
    #[inline(always)]
    fn count(&self) -> usize {
        if N <= FEW { N } else { self.count.min(N) }
    }

    /// Fills `answers`; returns how many steps it took beyond the first.
    #[inline(never)]
    fn solve(mut self, tolerance: f64, answers: &mut [Resolved]) -> Option<u32> {
        self.begin();
        let mut last = f64::INFINITY;
        for looks in 0..LOOKS {
            let miss = self.miss();
            // false where it is not a number
            let gains = miss <= GAIN * last;
            if miss <= tolerance || !gains && self.is_rounding(tolerance) {
                for (k, answer) in answers.iter_mut().enumerate().take(self.count()) {
                    *answer = self.laws[k].law.answer_at(self.starts[k], &self.points.get(k));
                }
                return Some(looks.saturating_sub(1));
            }
            if !gains {
                return None;
            }
            if miss * last > STILL_GOOD * tolerance {
                self.linearise();
            }
            self.step(looks == 0, miss > STRAIGHT);
            last = miss;
        }
        None
    }

    /// First points: of those that press before the others', which then know what pushes them.
    #[inline(always)]
    fn begin(&mut self) {
        let mut pushed = self.free;
        for presses in [true, false] {
            for k in 0..self.count() {
                if (self.starts[k].gap > 0.0) != presses {
                    continue;
                }
                let point = self.laws[k].law.first(self.states[k], self.starts[k], pushed[k], self.w[k][k]);
                self.points.put(k, point);
                for l in 0..self.count() {
                    if l != k {
                        pushed[l] -= self.w[l][k] * point.force;
                    }
                }
            }
        }
    }

    /// Fills G and returns its largest entry relative to the terms it is made of.
    #[inline(always)]
    fn miss(&mut self) -> f64 {
        let mut fastest: f64 = 0.0;
        for i in 0..self.count() {
            let closing = self.points.closing[i];
            let mut g = closing - self.free[i];
            let mut scale = closing.abs() + self.free[i].abs();
            for j in 0..self.count() {
                let term = self.w[i][j] * self.points.force[j];
                g += term;
                scale += term.abs();
            }
            (self.residual[i], self.scale[i]) = (g, scale);
            fastest = fastest.max(scale);
        }
        let mut worst: f64 = 0.0;
        for i in 0..self.count() {
            self.scale[i] += f64::EPSILON * fastest;
            let relative = self.residual[i].abs() / self.scale[i];
            if relative.is_nan() {
                return f64::NAN;
            }
            worst = worst.max(relative);
        }
        worst
    }

    /// True if G is within `tolerance` of its terms and of the rounding they inherit from their neighbours, as [`residual`](super::newton::residual) has it.
    #[inline(never)]
    fn is_rounding(&self, tolerance: f64) -> bool {
        let inherited = |j: usize| {
            let slope = self.points.slope[j];
            self.scale[j] * slope / (1.0 + self.w[j][j] * slope)
        };
        (0..self.count()).all(|i| {
            let others = (0..self.count()).filter(|&j| j != i && self.points.force[j] != 0.0);
            let scale = self.scale[i] + others.map(|j| self.w[i][j].abs() * inherited(j)).sum::<f64>();
            self.residual[i].abs() <= tolerance * scale
        })
    }

    #[inline(always)]
    fn linearise(&mut self) {
        for k in 0..self.count() {
            let (slope, own) = (self.points.slope[k], self.w[k][k]);
            self.active[k] = pushes_back(slope, own);
            self.yielding[k] = if self.active[k] { (1.0 / slope).max(RIGID * own) } else { 0.0 };
        }
        self.factor.make(&self.w, &self.yielding, &self.active, self.count());
    }

    /// A step, and the laws where it leads: of fourth order from the `first` points, of third where bends matter, of second where it is `bent` by none.
    #[inline(always)]
    fn step(&mut self, first: bool, bent: bool) {
        let (yielding, active) = (&self.yielding, &self.active);
        let mut push: [f64; N] = std::array::from_fn(|k| if active[k] { -self.residual[k] } else { 0.0 });
        self.factor.solve(&mut push, self.count());
        let straight: [f64; N] = std::array::from_fn(|k| push[k] * yielding[k]);
        let mut by = straight;
        if bent {
            let added: [f64; N] = std::array::from_fn(|k| 0.5 * self.points.bend[k] * straight[k] * straight[k]);
            self.add(&added, &mut push, &mut by);
        }
        if first {
            let added: [f64; N] = std::array::from_fn(|k| {
                let s = straight[k];
                s * (self.points.bend[k] * (by[k] - s) + self.points.third[k] * s * s / 6.0)
            });
            self.add(&added, &mut push, &mut by);
        }
        for k in 0..self.count() {
            if !active[k] {
                let pushed: f64 = (0..self.count()).map(|l| self.w[k][l] * push[l]).sum();
                by[k] = -self.residual[k] - pushed;
            }
        }
        for k in 0..self.count() {
            self.points.put(k, self.laws[k].law.look(self.starts[k], &self.points.get(k), by[k]));
        }
    }

    /// Forces that the laws have beyond their tangents, `added`, and what follows from them.
    #[inline(always)]
    fn add(&self, added: &[f64; N], push: &mut [f64; N], by: &mut [f64; N]) {
        let mut more: [f64; N] =
            std::array::from_fn(|k| if self.active[k] { added[k] * self.yielding[k] } else { 0.0 });
        self.factor.solve(&mut more, self.count());
        for k in 0..self.count() {
            if self.active[k] {
                push[k] += more[k];
                by[k] += (more[k] - added[k]) * self.yielding[k];
            }
        }
    }
}

/// L D Lᵀ of a small matrix: L below the diagonal, whose own is 1, and 1/D.
struct Factor<const N: usize> {
    lower: [[f64; N]; N],
    inverse: [f64; N],
}

impl<const N: usize> Factor<N> {
    /// Of the first `count` rows of W + diag `yielding` over the `active` ones; the unknowns of others come out as they go in.
    #[inline(always)]
    fn make(&mut self, w: &[[f64; N]; N], yielding: &[f64; N], active: &[bool; N], count: usize) {
        for i in 0..count {
            let mut row = [0.0; N];
            let mut pivot = 1.0;
            if active[i] {
                pivot = w[i][i] + yielding[i];
                for j in 0..i {
                    // until the row is done, its entries are L_ij D_j
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
    fn solve(&self, x: &mut [f64; N], count: usize) {
        // column by column: what is known is taken from all others at once
        for j in 0..count {
            for i in j + 1..count {
                x[i] -= self.lower[i][j] * x[j];
            }
        }
        for i in 0..count {
            x[i] *= self.inverse[i];
        }
        for j in (0..count).rev() {
            for i in 0..j {
                x[i] -= self.lower[j][i] * x[j];
            }
        }
    }
}
