//! Coupled solution of contacts that share bodies. See the design note and handbook §7.

pub(crate) mod active_set;
mod conjugate_gradients;
pub(crate) mod contact_solver;
pub(crate) mod dense;
pub(crate) mod general_newton;
pub(crate) mod island;
pub(crate) mod iterative_newton;
pub(crate) mod non_monotone_newton;
pub(crate) mod sequential;
pub(crate) mod small_newton;

/// Counters of the solver: iterations, failures and fallbacks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SolverCounts {
    /// Island solves with at least one closed contact.
    pub solves: u64,
    /// Iterations of all of them: steps of the scalar root finder for an isolated contact, outer Newton steps otherwise.
    pub iterations: u64,
    /// Largest number of iterations of one solve.
    pub max_iterations: u32,
    /// Solves of islands with at least two resolvent laws.
    pub coupled_solves: u64,
    /// Outer Newton iterations of those.
    pub coupled_iterations: u64,
    /// Largest of those.
    pub max_coupled_iterations: u32,
    /// Histogram of coupled iterations, the last bin for everything above.
    pub histogram: [u64; 32],
    /// Solves that stopped above the tolerance.
    pub missed: u64,
    /// Those of them that used the sequential fallback, because the best iterate might have added energy.
    pub fallbacks: u64,
    /// Constraints or springs omitted from an elimination because they were redundant.
    pub dropped_pivots: u64,
    /// Bodies stopped because their state was not finite.
    pub quarantined: u64,
    /// Steps in which a body was [stretched](crate::VaryingMobility::is_overstretched) beyond its range.
    pub overstretched: u64,
    /// Contact forces rejected because they were not finite.
    pub refused_forces: u64,
}

persist!(SolverCounts {
    solves,
    iterations,
    max_iterations,
    coupled_solves,
    coupled_iterations,
    max_coupled_iterations,
    histogram,
    missed,
    fallbacks,
    dropped_pivots,
    quarantined,
    overstretched,
    refused_forces
});

impl SolverCounts {
    /// Mean iterations of the solves with contact.
    pub fn mean_iterations(&self) -> f64 {
        if self.solves == 0 { 0.0 } else { self.iterations as f64 / self.solves as f64 }
    }

    /// Share of coupled solves that needed at most `n` iterations.
    pub fn share_within(&self, n: usize) -> f64 {
        let within: u64 = self.histogram.iter().take(n + 1).sum();
        if self.coupled_solves == 0 { 1.0 } else { within as f64 / self.coupled_solves as f64 }
    }

    pub(crate) fn count_lone(&mut self, iterations: u32) {
        self.solves += 1;
        self.iterations += u64::from(iterations);
        self.max_iterations = self.max_iterations.max(iterations);
    }

    pub(crate) fn count_coupled(&mut self, iterations: u32) {
        self.solves += 1;
        self.iterations += u64::from(iterations);
        self.max_iterations = self.max_iterations.max(iterations);
        self.coupled_solves += 1;
        self.coupled_iterations += u64::from(iterations);
        self.max_coupled_iterations = self.max_coupled_iterations.max(iterations);
        let last = self.histogram.len() - 1;
        self.histogram[(iterations as usize).min(last)] += 1;
    }
}
