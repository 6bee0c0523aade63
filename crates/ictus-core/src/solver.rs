//! Contacts that share bodies are solved together. See the design note and handbook §7.

pub(crate) mod dense;
pub(crate) mod direct;
pub(crate) mod field;
pub(crate) mod island;
pub(crate) mod live;
pub(crate) mod mixed;
pub(crate) mod newton;
pub(crate) mod turns;

/// What the solver did, counted and never hidden.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SolverCounts {
    /// Island solves in which at least one contact was closed.
    pub solves: u64,
    /// Iterations over all of them: steps of the scalar root finder for a lone contact, outer Newton steps otherwise.
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
    /// Those of them in which the contacts were solved in turn, because the best answer found might have added energy.
    pub in_turn: u64,
    /// Constraints or springs left out of an elimination because they were redundant.
    pub dropped_pivots: u64,
    /// Bodies stopped because their state was not finite.
    pub quarantined: u64,
    /// Steps in which a body was [pulled tighter](crate::Resonator::is_overstretched) than it can be computed.
    pub overstretched: u64,
    /// Contact forces refused because they were not finite.
    pub refused_forces: u64,
}

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
