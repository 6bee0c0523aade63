//! The active set of an island: the contacts that take part in a step, because they touch or are about to.
//!
//! An open contact exerts no force and follows the others, w = w0 − Σ W f. So the solver takes the active contacts only, and the open ones are
//! checked before, with the forces of the guess and without any, and after, with the forces found: if one would close, the whole island is solved from
//! that state. The solution is that of the whole island; a row of fifty contacts of which three touch costs three.

use super::general_newton::{self, Laws, Outcome, Scratch};
use crate::interaction::{Interaction, Resolved};
use crate::paths::{Special, takes};

/// The part of an island that is solved in this step. Allocated once.
#[derive(Debug, Default)]
pub(crate) struct ActiveSet {
    /// Indices of the active laws; before, those of the guess. The first `count` are valid.
    indices: Vec<usize>,
    count: usize,
    awake: Vec<bool>,
    /// W over the active laws.
    w: Vec<f64>,
    pub(super) scratch: Scratch,
}

clone_in_place!(ActiveSet { indices, count, awake, w, scratch });

/// The laws of `indices`, counted from 0.
struct Chosen<'a, L> {
    laws: &'a L,
    indices: &'a [usize],
}

impl<L: Laws> Laws for Chosen<'_, L> {
    fn law(&self, i: usize) -> (&dyn Interaction, &[f64]) {
        self.laws.law(self.indices[i])
    }
}

impl ActiveSet {
    pub fn new(m: usize) -> Self {
        Self { indices: vec![0; m], count: 0, awake: vec![false; m], w: vec![0.0; m * m], scratch: Scratch::new(m) }
    }

    /// Solves w = free − W f, f = F(w). `all.free` holds w0, `all.resolved` and `all.before` the solutions of the last two steps.
    /// `rests(a)` is true if law `a` is open and inactive, `stays_open(a, w)` if it is still open after a step with approach velocity w.
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
        if !takes(Special::ActiveSet, 1) || !(0..m).any(rests) {
            return general_newton::solve(laws, w, tolerance, all, |_| false);
        }
        self.choose(m, |a, _| all.resolved[a].force != 0.0);
        for a in 0..m {
            let indices = &self.indices[..self.count];
            let guess = || all.free[a] - response(&w[a * m..], indices, |k| all.resolved[indices[k]].force);
            self.awake[a] = !(stays_open(a, all.free[a]) && stays_open(a, guess()));
        }
        if let Some(outcome) = self.solve_single(laws, &stays_open, w, all) {
            return outcome;
        }
        self.gather(w, all);
        let (free, indices, awake) = (&all.free, &self.indices[..self.count], &self.awake);
        let free_approach =
            |a: usize, solutions: &[Resolved]| free[a] - response(&w[a * m..], indices, |k| solutions[k].force);
        let disturbs =
            |solutions: &[Resolved]| (0..m).any(|a| !awake[a] && !stays_open(a, free_approach(a, solutions)));
        let mut outcome =
            general_newton::solve(&Chosen { laws, indices }, &self.w, tolerance, &mut self.scratch, disturbs);
        for a in (0..m).filter(|&a| !awake[a]) {
            all.resolved[a] = Resolved { approach: free_approach(a, &self.scratch.resolved), ..Resolved::default() };
        }
        self.scatter(all);
        if outcome.disturbed {
            self.awake.fill(true);
            self.gather(w, all);
            let again = general_newton::solve(laws, &self.w, tolerance, &mut self.scratch, |_| false);
            outcome = Outcome { iterations: outcome.iterations + again.iterations, ..again };
            self.scatter(all);
        }
        outcome
    }

    /// The solution if only one law is awake and wakes no other.
    fn solve_single(
        &self,
        laws: &impl Laws,
        stays_open: impl Fn(usize, f64) -> bool,
        w: &[f64],
        all: &mut Scratch,
    ) -> Option<Outcome> {
        let m = all.len;
        let single = self.awake.iter().position(|awake| *awake)?;
        let mut others = (0..m).filter(|&a| a != single);
        if others.clone().any(|a| self.awake[a]) {
            return None;
        }
        let (law, state) = laws.law(single);
        let resolved = law.resolve(state, all.free[single], w[single * m + single]);
        let free = &all.free;
        let free_approach = |a: usize| free[a] - w[a * m + single] * resolved.force;
        if !others.clone().all(|a| stays_open(a, free_approach(a))) {
            return None;
        }
        for a in &mut others {
            all.resolved[a] = Resolved { approach: free_approach(a), ..Resolved::default() };
        }
        all.resolved[single] = resolved;
        all.closed[single] = general_newton::is_closed(&resolved);
        Some(Outcome { any_closed: all.closed[single], evaluations: resolved.evaluations, ..Outcome::default() })
    }

    /// Fills `indices` with the laws for which `chosen(law, awake)` is true.
    fn choose(&mut self, m: usize, chosen: impl Fn(usize, bool) -> bool) {
        self.count = 0;
        for a in 0..m {
            self.indices[self.count] = a;
            self.count += usize::from(chosen(a, self.awake[a]));
        }
    }

    /// Copies the data of the awake laws to the scratch of the solver.
    fn gather(&mut self, w: &[f64], all: &Scratch) {
        let m = all.len;
        self.choose(m, |_, awake| awake);
        let (indices, part) = (&self.indices[..self.count], &mut self.scratch);
        part.len = indices.len();
        for (k, &a) in indices.iter().enumerate() {
            part.free[k] = all.free[a];
            part.resolved[k] = all.resolved[a];
            part.closed[k] = all.closed[a];
            for (w_kl, &b) in self.w[k * indices.len()..].iter_mut().zip(indices) {
                *w_kl = w[a * m + b];
            }
        }
    }

    /// Copies the solutions back.
    fn scatter(&self, all: &mut Scratch) {
        for (k, &a) in self.indices[..self.count].iter().enumerate() {
            all.resolved[a] = self.scratch.resolved[k];
            all.closed[a] = self.scratch.closed[k];
        }
    }
}

/// Σ W_aj f_j over the laws j of `indices`, the k-th of which has the force `force(k)`; `row` is row a of W.
fn response(row: &[f64], indices: &[usize], force: impl Fn(usize) -> f64) -> f64 {
    indices.iter().enumerate().map(|(k, &j)| row[j] * force(k)).sum()
}
