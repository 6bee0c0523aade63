//! A few collisions that press at once, solved without lists and calls: Newton on their closing velocities.
//!
//! Each law is looked at, not resolved: f = F(w) with its slope and bend. A step solves (W + diag 1/F') δf = −G with G = w − w0 + W f, and once more with the
//! same factor for what the bends add: h = ½F'' δw², (W + diag 1/F') δf = h/F', which makes it of third order. Contacts that press
//! begin at w = 0, where their law costs nothing. An answer counts by the residual every other is measured with. Where looks do not lead there quickly (hard contacts,
//! several that open and close at once) there is none, and [`newton`](super::newton) begins afresh.

use super::newton::{Outcome, RIGID, Scratch, is_closed, pushes_back};
use crate::interaction::collision::Collision;
use crate::interaction::collision::look::{Point, Start};
use crate::interaction::{Interaction, Resolved};

/// Contacts solved this way.
const MOST: usize = 8;
/// Looks before the others try.
const LOOKS: u32 = 7;
/// Every look leaves at most this share of what the last one missed by.
const GAIN: f64 = 0.5;

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
}

type Matrix = [[f64; MOST]; MOST];
type Column = [f64; MOST];

/// The contacts being solved, of which the first `count` are meant.
struct Few<'a> {
    laws: &'a Collisions<'a>,
    count: usize,
    who: [usize; MOST],
    starts: [Start; MOST],
    points: [Point; MOST],
    free: Column,
    w: Matrix,
    residual: Column,
    factor: Factor,
}

/// Solves w = free − W f, f = F(w) for all laws. On entry `all.resolved` holds a guess, which stays if there is no answer.
pub(crate) fn solve(laws: &Collisions, w: &[f64], tolerance: f64, all: &mut Scratch) -> Option<Outcome> {
    let m = all.len;
    let meets = |a: usize, closing: f64| laws.known[a].law.touches(laws.start(a), closing);
    let mut touching = (0..m).filter(|&a| meets(a, all.free[a]));
    match (touching.next(), touching.next()) {
        (None, _) => return Some(follow(laws, &[], &[], w, all)),
        (Some(only), None) => {
            // alone: the resolvent is the answer
            let resolved = laws.known[only].law.resolve(laws.state(only), all.free[only], w[only * m + only]);
            if (0..m).all(|a| a == only || !meets(a, all.free[a] - w[a * m + only] * resolved.force)) {
                return Some(follow(laws, &[only], &[resolved], w, all));
            }
        }
        _ => {}
    }
    let mut few = Few::new(laws);
    // once more with those that the forces found make touch
    for again in [false, true] {
        few.count = 0;
        for a in 0..m {
            if meets(a, all.free[a]) || again && meets(a, all.step[a]) {
                few.enlist(a)?;
            }
        }
        few.gather(w, all);
        few.begin();
        let iterations = few.settle(tolerance)?;
        let (who, answers) = (&few.who[..few.count], &few.answers()[..few.count]);
        let mut complete = true;
        for (a, step) in all.step[..m].iter_mut().enumerate() {
            *step = all.free[a] - pushed(&w[a * m..(a + 1) * m], who, answers);
            complete &= !meets(a, *step) || who.contains(&a);
        }
        if complete {
            return Some(Outcome { iterations, ..follow(laws, who, answers, w, all) });
        }
    }
    None
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
    for a in 0..m {
        let closing = all.free[a] - pushed(&w[a * m..(a + 1) * m], who, answers);
        let end = laws.known[a].law.end(laws.start(a), closing);
        all.resolved[a] = Resolved { closing, end, ..Resolved::default() };
        all.closed[a] = false;
    }
    for (&a, answer) in who.iter().zip(answers) {
        all.resolved[a] = *answer;
        all.closed[a] = is_closed(answer);
        outcome.busy |= all.closed[a];
        outcome.evaluations += answer.evaluations;
    }
    outcome
}

impl<'a> Few<'a> {
    fn new(laws: &'a Collisions) -> Self {
        Self {
            laws,
            count: 0,
            who: [0; MOST],
            starts: [Start::default(); MOST],
            points: [Point::default(); MOST],
            free: [0.0; MOST],
            w: [[0.0; MOST]; MOST],
            residual: [0.0; MOST],
            factor: Factor::default(),
        }
    }

    fn enlist(&mut self, a: usize) -> Option<()> {
        *self.who.get_mut(self.count)? = a;
        self.starts[self.count] = self.laws.start(a);
        self.count += 1;
        Some(())
    }

    /// The points as answers.
    fn answers(&self) -> [Resolved; MOST] {
        let mut answers = [Resolved::default(); MOST];
        for k in 0..self.count {
            answers[k] = self.law(k).answer_at(self.starts[k], &self.points[k]);
        }
        answers
    }

    #[inline(always)]
    fn law(&self, k: usize) -> &Collision {
        &self.laws.known[self.who[k]].law
    }

    fn gather(&mut self, w: &[f64], all: &Scratch) {
        let m = all.len;
        for k in 0..self.count {
            let a = self.who[k];
            self.free[k] = all.free[a];
            let row = &w[a * m..(a + 1) * m];
            for l in 0..self.count {
                self.w[k][l] = row[self.who[l]];
            }
        }
    }

    /// First points: of those that press long before the others', which then know what pushes them.
    fn begin(&mut self) {
        let mut pushed = self.free;
        for presses in [true, false] {
            for k in 0..self.count {
                if (self.starts[k].gap > 0.0) != presses {
                    continue;
                }
                let state = self.laws.state(self.who[k]);
                let point = self.law(k).first(state, self.starts[k], pushed[k], self.w[k][k]);
                self.points[k] = point;
                for l in 0..self.count {
                    if l != k {
                        pushed[l] -= self.w[l][k] * point.force;
                    }
                }
            }
        }
    }

    /// Looks and steps until the residual is within `tolerance`; how many steps that took beyond the first.
    fn settle(&mut self, tolerance: f64) -> Option<u32> {
        let mut last = f64::INFINITY;
        for looks in 0..LOOKS {
            let miss = self.miss();
            if miss <= tolerance {
                return Some(looks.saturating_sub(1));
            }
            // also where it is not a number
            if !(miss <= GAIN * last) {
                return None;
            }
            last = miss;
            self.step();
        }
        None
    }

    /// Fills G and returns its largest entry relative to the terms it is made of, as [`residual`](super::newton::residual).
    fn miss(&mut self) -> f64 {
        let n = self.count;
        let (mut scale, mut inherited) = ([0.0; MOST], [0.0; MOST]);
        let mut fastest: f64 = 0.0;
        for i in 0..n {
            let own = &self.points[i];
            let mut g = own.closing - self.free[i];
            let mut sum = own.closing.abs() + self.free[i].abs();
            for j in 0..n {
                let term = self.w[i][j] * self.points[j].force;
                g += term;
                sum += term.abs();
            }
            self.residual[i] = g;
            scale[i] = sum;
            inherited[i] = sum * own.slope / (1.0 + self.w[i][i] * own.slope);
            fastest = fastest.max(sum);
        }
        let mut worst: f64 = 0.0;
        for i in 0..n {
            let mut sum = scale[i];
            for j in 0..n {
                if j != i && self.points[j].force != 0.0 {
                    sum += self.w[i][j].abs() * inherited[j];
                }
            }
            let relative = self.residual[i].abs() / (sum + f64::EPSILON * fastest);
            if relative.is_nan() {
                return f64::NAN;
            }
            worst = worst.max(relative);
        }
        worst
    }

    /// A step of third order, and the laws where it leads.
    fn step(&mut self) {
        let n = self.count;
        let mut active = [false; MOST];
        let mut yielding = [0.0; MOST];
        for k in 0..n {
            let (slope, own) = (self.points[k].slope, self.w[k][k]);
            active[k] = pushes_back(slope, own);
            yielding[k] = if active[k] { (1.0 / slope).max(RIGID * own) } else { 0.0 };
        }
        self.factor.make(&self.w, &yielding, &active, n);
        let mut push = [0.0; MOST];
        for k in 0..n {
            push[k] = if active[k] { -self.residual[k] } else { 0.0 };
        }
        self.factor.solve(&mut push, n);
        let (mut by, mut bent, mut more) = ([0.0; MOST], [0.0; MOST], [0.0; MOST]);
        for k in 0..n {
            if active[k] {
                by[k] = push[k] * yielding[k];
                bent[k] = 0.5 * self.points[k].bend * by[k] * by[k];
                more[k] = bent[k] * yielding[k];
            }
        }
        self.factor.solve(&mut more, n);
        for k in 0..n {
            if active[k] {
                by[k] += (more[k] - bent[k]) * yielding[k];
                push[k] += more[k];
            }
        }
        for k in 0..n {
            if !active[k] {
                let pushed: f64 = (0..n).map(|l| self.w[k][l] * push[l]).sum();
                by[k] = -self.residual[k] - pushed;
            }
        }
        for k in 0..n {
            self.points[k] = self.law(k).look(self.starts[k], &self.points[k], by[k]);
        }
    }
}

/// L D Lᵀ of a matrix of a few rows: L below the diagonal, whose own is 1, and 1/D.
#[derive(Default)]
struct Factor {
    lower: Matrix,
    inverse: Column,
}

impl Factor {
    /// Of W + diag `yielding` over the `active` ones; the unknowns of others come out as they go in.
    #[inline(always)]
    fn make(&mut self, w: &Matrix, yielding: &Column, active: &[bool; MOST], n: usize) {
        for i in 0..n {
            let mut row = [0.0; MOST];
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
    fn solve(&self, x: &mut Column, n: usize) {
        for i in 1..n {
            let mut value = x[i];
            for j in 0..i {
                value -= self.lower[i][j] * x[j];
            }
            x[i] = value;
        }
        for i in 0..n {
            x[i] *= self.inverse[i];
        }
        for i in (0..n).rev() {
            let mut value = x[i];
            for j in i + 1..n {
                value -= self.lower[j][i] * x[j];
            }
            x[i] = value;
        }
    }
}
