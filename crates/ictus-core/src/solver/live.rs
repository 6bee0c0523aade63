//! Which contacts of an island take part in a step: those that touch or are about to.
//!
//! A contact that rests apart exerts nothing and follows the others, w = w0 − Σ W f. So the island is solved for the rest, and what rests is
//! looked at before, with the forces of the guess and without any, and after, with those found: if one would meet its surface, the whole island is solved from
//! where it stands. The answer is that of the whole island; a row of fifty contacts of which three touch costs three.

use super::direct;
use super::newton::{self, Laws, Outcome, Scratch};
use crate::interaction::{Interaction, Resolved};

/// The part of an island that is solved in this step. Sized once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Live {
    /// Laws that are solved; those of the guess before that. The first `count` are meant.
    who: Vec<usize>,
    count: usize,
    awake: Vec<bool>,
    /// W over them.
    w: Vec<f64>,
    pub(super) scratch: Scratch,
}

/// The laws of `who`, counted from 0.
struct Chosen<'a, L> {
    laws: &'a L,
    who: &'a [usize],
}

impl<L: Laws> Laws for Chosen<'_, L> {
    fn law(&self, i: usize) -> (&dyn Interaction, &[f64]) {
        self.laws.law(self.who[i])
    }
}

impl Live {
    pub fn new(m: usize) -> Self {
        Self { who: vec![0; m], count: 0, awake: vec![false; m], w: vec![0.0; m * m], scratch: Scratch::new(m) }
    }

    /// Solves w = free − W f, f = F(w). `all.free` holds w0, `all.resolved` and `all.before` the answers of the last two steps.
    /// `rests(a)` says that law `a` rests apart, `stays_open(a, w)` that it still does after closing with w.
    pub fn solve(
        &mut self,
        laws: &impl Laws,
        rests: impl Fn(usize) -> bool,
        stays_open: impl Fn(usize, f64) -> bool,
        w: &[f64],
        tolerance: f64,
        all: &mut Scratch,
    ) -> Outcome {
        let m = all.len;
        std::mem::swap(&mut all.resolved, &mut all.before);
        if let Some(outcome) = laws.collisions().and_then(|known| direct::solve(&known, w, tolerance, all)) {
            return outcome;
        }
        if !(0..m).any(rests) {
            return newton::solve(laws, w, tolerance, all, |_| false);
        }
        self.choose(m, |a, _| all.resolved[a].force != 0.0);
        for a in 0..m {
            let who = &self.who[..self.count];
            let guess = || all.free[a] - pushed(&w[a * m..], who, |k| all.resolved[who[k]].force);
            self.awake[a] = !(stays_open(a, all.free[a]) && stays_open(a, guess()));
        }
        if let Some(outcome) = self.solve_single(laws, &stays_open, w, all) {
            return outcome;
        }
        self.gather(w, all);
        let (free, who, awake) = (&all.free, &self.who[..self.count], &self.awake);
        let follows = |a: usize, answers: &[Resolved]| free[a] - pushed(&w[a * m..], who, |k| answers[k].force);
        let touches = |answers: &[Resolved]| (0..m).any(|a| !awake[a] && !stays_open(a, follows(a, answers)));
        let mut outcome = newton::solve(&Chosen { laws, who }, &self.w, tolerance, &mut self.scratch, touches);
        for a in (0..m).filter(|&a| !awake[a]) {
            all.resolved[a] = Resolved { closing: follows(a, &self.scratch.resolved), ..Resolved::default() };
        }
        self.scatter(all);
        if outcome.disturbed {
            self.awake.fill(true);
            self.gather(w, all);
            let again = newton::solve(laws, &self.w, tolerance, &mut self.scratch, |_| false);
            outcome = Outcome { iterations: outcome.iterations + again.iterations, ..again };
            self.scatter(all);
        }
        outcome
    }

    /// The answer where only one law is awake and wakes no other.
    fn solve_single(
        &self,
        laws: &impl Laws,
        stays_open: impl Fn(usize, f64) -> bool,
        w: &[f64],
        all: &mut Scratch,
    ) -> Option<Outcome> {
        let m = all.len;
        let only = self.awake.iter().position(|awake| *awake)?;
        let mut others = (0..m).filter(|&a| a != only);
        if others.clone().any(|a| self.awake[a]) {
            return None;
        }
        let (law, state) = laws.law(only);
        let resolved = law.resolve(state, all.free[only], w[only * m + only]);
        let free = &all.free;
        let follows = |a: usize| free[a] - w[a * m + only] * resolved.force;
        if !others.clone().all(|a| stays_open(a, follows(a))) {
            return None;
        }
        for a in &mut others {
            all.resolved[a] = Resolved { closing: follows(a), ..Resolved::default() };
        }
        all.resolved[only] = resolved;
        all.closed[only] = newton::is_closed(&resolved);
        Some(Outcome { busy: all.closed[only], evaluations: resolved.evaluations, ..Outcome::default() })
    }

    /// Fills `who` with the laws for which `chosen(law, awake)` is true.
    fn choose(&mut self, m: usize, chosen: impl Fn(usize, bool) -> bool) {
        self.count = 0;
        for a in 0..m {
            self.who[self.count] = a;
            self.count += usize::from(chosen(a, self.awake[a]));
        }
    }

    /// Takes over what the solver needs to know of those awake.
    fn gather(&mut self, w: &[f64], all: &Scratch) {
        let m = all.len;
        self.choose(m, |_, awake| awake);
        let (who, part) = (&self.who[..self.count], &mut self.scratch);
        part.len = who.len();
        for (k, &a) in who.iter().enumerate() {
            part.free[k] = all.free[a];
            part.resolved[k] = all.resolved[a];
            part.closed[k] = all.closed[a];
            for (w_kl, &b) in self.w[k * who.len()..].iter_mut().zip(who) {
                *w_kl = w[a * m + b];
            }
        }
    }

    /// Hands the answers back.
    fn scatter(&self, all: &mut Scratch) {
        for (k, &a) in self.who[..self.count].iter().enumerate() {
            all.resolved[a] = self.scratch.resolved[k];
            all.closed[a] = self.scratch.closed[k];
        }
    }
}

/// Σ W_aj f_j over the laws j of `who`, the k-th of which pushes with `force(k)`; `row` is row a of W.
fn pushed(row: &[f64], who: &[usize], force: impl Fn(usize) -> f64) -> f64 {
    who.iter().enumerate().map(|(k, &j)| row[j] * force(k)).sum()
}
