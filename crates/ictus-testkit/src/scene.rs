//! Small worlds with contacts: builders, and a player that watches what must never happen.

use crate::bodies;
use crate::draw::Draw;
use ictus_core::{
    BodyId, Clock, Collision, Contact, ContactId, End, Ends, FastResonator, Felt, Gradient, Law, Model, ModelBuilder,
    PowerLaw, Quadratised, Scheme, SolverCounts, State, Stepping, StringParameters, step,
};

pub mod anything;
pub mod barrier;
pub mod impact;
pub mod island;
pub mod strike;

/// Both schemes.
pub const SCHEMES: [Scheme; 2] = [Scheme::Midpoint, Scheme::Leapfrog];
/// The sample rates scenes draw from, Hz.
pub const RATES: [f64; 4] = [44_100.0, 48_000.0, 96_000.0, 192_000.0];

/// A way to compute a collision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ContactMethod {
    /// Discrete gradient, with Hunt–Crossley loss μ (s/m).
    Gradient(f64),
    /// Energy quadratisation.
    Quadratised(Gradient),
    /// Stulov's felt, with hysteresis ε and relaxation time τ (s).
    Felt(f64, f64),
}

impl ContactMethod {
    /// The lossless collision.
    pub const LOSSLESS: Self = Self::Gradient(0.0);
    /// Every lossless way to compute a collision.
    pub const ALL: [Self; 3] =
        [Self::LOSSLESS, Self::Quadratised(Gradient::Current), Self::Quadratised(Gradient::Corrected)];

    /// A law of this method.
    pub fn law(self, clock: Clock, power: PowerLaw) -> Law {
        match self {
            Self::Gradient(loss) => Collision::new(clock, power, loss).into(),
            Self::Quadratised(gradient) => Quadratised::new(clock, power, gradient).into(),
            Self::Felt(hysteresis, relaxation) => {
                Felt::new(clock, power, hysteresis, relaxation).expect("a valid felt").into()
            }
        }
    }
}

/// A model, its state, and what tests examine.
#[derive(Debug)]
pub struct Scene {
    /// The model.
    pub model: Model,
    /// Its state, set in motion.
    pub state: State,
    /// Bodies in the order of the scene.
    pub bodies: Vec<BodyId>,
    /// Collisions: they must never pull.
    pub collisions: Vec<ContactId>,
    /// Drives, if any.
    pub drives: Vec<ContactId>,
}

/// What happened while a scene played.
#[derive(Clone, Debug)]
pub struct Report {
    /// Steps in which a collision pushed.
    pub contact_steps: u64,
    /// Number of times a collision began to push.
    pub impacts: u64,
    /// Smallest and largest collision force, N.
    pub force: [f64; 2],
    /// Sums over steps of the forces that pulled and of those that pushed, N.
    pub sums: [f64; 2],
    /// Largest energy a collision held while its bodies were apart, now and one step ago, as a share of the peak energy.
    pub held_apart: f64,
    /// Largest compression of any collision, m.
    pub depth: f64,
    /// Largest change of a collision's gap in one step, m.
    pub stride: f64,
    /// Largest ledger residual with and without the solver column, as a share of the peak energy.
    pub residual: [f64; 2],
    /// What the solver did.
    pub counts: SolverCounts,
}

impl Scene {
    /// Wraps a builder whose collisions are `collisions`.
    pub fn new(builder: ModelBuilder, bodies: Vec<BodyId>, collisions: Vec<ContactId>) -> Self {
        let model = builder.build().expect("a scene is a valid model");
        let state = State::new(&model);
        Self { model, state, bodies, collisions, drives: Vec::new() }
    }

    /// Plays `steps` steps; calls `each` before every step.
    pub fn play_with(&mut self, steps: usize, mut each: impl FnMut(&Model, &mut State, usize)) -> Report {
        let mut report = Report {
            contact_steps: 0,
            impacts: 0,
            force: [0.0; 2],
            sums: [0.0; 2],
            held_apart: 0.0,
            depth: 0.0,
            stride: 0.0,
            residual: [0.0; 2],
            counts: SolverCounts::default(),
        };
        let mut pushing = vec![false; self.collisions.len()];
        let mut apart = vec![false; self.collisions.len()];
        let mut last: Vec<f64> = self.collisions.iter().map(|&c| self.state.gap(&self.model, c).now).collect();
        for n in 0..steps {
            each(&self.model, &mut self.state, n);
            step(&self.model, &mut self.state);
            for (i, &contact) in self.collisions.iter().enumerate() {
                let (was, was_apart) = (&mut pushing[i], &mut apart[i]);
                let force = self.state.contact_force(contact);
                let now = force > 0.0;
                report.contact_steps += u64::from(now);
                report.impacts += u64::from(now && !*was);
                *was = now;
                report.force = [report.force[0].min(force), report.force[1].max(force)];
                report.sums[usize::from(now)] += force;
                let gap = self.state.gap(&self.model, contact);
                report.depth = report.depth.max(gap.now);
                report.stride = report.stride.max((gap.now - last[i]).abs());
                last[i] = gap.now;
                let is_apart = gap.now < 0.0;
                if is_apart && *was_apart {
                    let held = self.state.contact_energy(&self.model, contact);
                    report.held_apart = report.held_apart.max(held / self.state.ledger.scale());
                }
                *was_apart = is_apart;
            }
        }
        let ledger = &self.state.ledger;
        report.residual = [ledger.total.max_residual / ledger.scale(), ledger.total.max_raw_residual / ledger.scale()];
        report.counts = self.state.counts.clone();
        report
    }

    /// Plays `steps` steps.
    pub fn play(&mut self, steps: usize) -> Report {
        self.play_with(steps, |_, _, _| {})
    }
}

/// A clock in `scheme` at a drawn rate.
pub fn clock(scheme: Scheme, draw: &mut Draw) -> Clock {
    Clock::new(scheme, 1.0 / draw.pick(&RATES))
}

/// A string with ports at `positions`, at most `intervals` intervals, stepped as its scheme allows.
pub fn string(
    clock: Clock,
    stepping: Stepping,
    parameters: StringParameters,
    intervals: usize,
    positions: &[f64],
) -> Box<dyn FastResonator> {
    let finest = parameters.finest(clock.dt).expect("a string long enough for its sample rate");
    let grid = parameters.grid(intervals.min(finest.intervals));
    bodies::string(clock, stepping, parameters, grid, positions)
}

/// A plain string: 1 m, with the pitch and mass given.
pub fn plain_string(frequency: f64, density: f64) -> StringParameters {
    StringParameters {
        length: 1.0,
        density,
        tension: 4.0 * density * frequency * frequency,
        stiffness: 0.0,
        damping: 0.5,
        diffusion: 1e-3,
        kelvin_voigt: 0.0,
        ends: Ends::Supported,
    }
}

/// Adds a collision to `builder`.
pub fn collide(builder: &mut ModelBuilder, name: &str, ends: [End; 2], law: Law, gap: f64) -> ContactId {
    builder.contact(Contact::new(name, ends, law).with_gap(gap))
}
