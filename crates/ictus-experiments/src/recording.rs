//! What a run of a string leaves behind.

use crate::rig::Rig;
use ictus_core::{SolverCounts, State, step};

/// Curves of a run, one value per sample, the first before the first step.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// s
    pub time: Vec<f64>,
    /// Displacement of the middle, m.
    pub middle: Vec<f64>,
    /// All stored energy, J.
    pub stored: Vec<f64>,
    /// Kinetic energy of the string, J.
    pub kinetic: Vec<f64>,
    /// Energy stored in the barrier, J.
    pub contact: Vec<f64>,
    /// Force of the barrier on the string, N; over the step that ends at this sample.
    pub force: Vec<f64>,
    /// Shapes of the string that were asked for: sample, displacements (m).
    pub shapes: Vec<(usize, Vec<f64>)>,
    /// What the solver did.
    pub counts: SolverCounts,
    /// Largest residual of the energy ledger, as a share of the peak energy.
    pub residual: f64,
}

impl Recording {
    /// Runs `steps` steps and keeps the shapes at the samples that `wanted` picks.
    pub fn run(rig: &Rig, mut state: State, steps: usize, wanted: impl Fn(usize) -> bool) -> Self {
        let mut recording = Self::default();
        recording.take(rig, &state, 0, &wanted);
        for sample in 1..=steps {
            step(&rig.model, &mut state);
            recording.take(rig, &state, sample, &wanted);
        }
        recording.counts = state.counts.clone();
        recording.residual = state.ledger.max_residual_rel();
        recording
    }

    fn take(&mut self, rig: &Rig, state: &State, sample: usize, wanted: &impl Fn(usize) -> bool) {
        self.time.push(sample as f64 * rig.model.clock().dt);
        self.middle.push(rig.middle(state));
        self.stored.push(state.ledger.total.stored);
        self.kinetic.push(rig.kinetic(state));
        self.contact.push(rig.barrier_energy(state));
        self.force.push(rig.force(state));
        if wanted(sample) {
            self.shapes.push((sample, rig.drawn_shape(state)));
        }
    }

    /// Energy stored in the string's tension and stiffness, J.
    pub fn elastic(&self) -> Vec<f64> {
        (0..self.stored.len()).map(|i| self.stored[i] - self.kinetic[i] - self.contact[i]).collect()
    }

    /// H/H₀ − 1. [CW14 eq. 36]
    pub fn energy_error(&self) -> Vec<f64> {
        self.stored.iter().map(|h| h / self.stored[0] - 1.0).collect()
    }

    /// The largest force, N.
    pub fn peak_force(&self) -> f64 {
        self.force.iter().copied().fold(0.0, f64::max)
    }

    /// The shape kept nearest a time.
    pub fn shape_at(&self, seconds: f64) -> &[f64] {
        let rate = 1.0 / (self.time[1] - self.time[0]);
        let near = |sample: usize| (sample as f64 - seconds * rate).abs();
        let found = self.shapes.iter().min_by(|a, b| near(a.0).total_cmp(&near(b.0)));
        found.map_or(&[], |(_, shape)| shape)
    }
}
