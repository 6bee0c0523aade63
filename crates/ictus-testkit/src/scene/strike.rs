//! One blow of a free hammer, on the wall or on modes, and what it measures. [SO8 §8.3.1, handbook §4]

use super::{Scene, collide};
use ictus_core::{Clock, End, Law, Mass, ModalBank, ModelBuilder};

/// A free mass on its way.
#[derive(Clone, Copy, Debug)]
pub struct Hammer {
    /// Mass, kg.
    pub mass: f64,
    /// Speed before the blow, m/s.
    pub velocity: f64,
    /// When it reaches the resting surface, in steps.
    pub arrival: f64,
}

/// What a blow left behind.
#[derive(Clone, Copy, Debug)]
pub struct Blow {
    /// Speed of the hammer afterwards, m/s, negative away from the struck object.
    pub v_out: f64,
    /// From the arrival until the hammer is back at the surface at rest, s.
    pub contact_time: f64,
    /// Deepest compression, m, by the parabola through the deepest three samples.
    pub depth: f64,
    /// Number of contacts.
    pub contacts: u64,
    /// Largest residual of the ledger, with and without the solver column, over the peak energy.
    pub residual: [f64; 2],
    /// Smallest energy lost by the contact in a step over the peak energy.
    pub least_loss: f64,
    /// Solves that missed.
    pub missed: u64,
}

/// Plays `seconds` of a hammer against `struck`, or against the wall.
pub fn blow(clock: Clock, law: Law, hammer: Hammer, struck: Option<ModalBank>, seconds: f64) -> Blow {
    let mut builder = ModelBuilder::new(clock);
    let start = -hammer.arrival * clock.dt * hammer.velocity;
    let body = Mass::new(clock, hammer.mass, 0.0, 0.0).expect("a valid mass").starting(start, hammer.velocity);
    let mass = builder.body("hammer", body);
    let end = struck.map_or(End::Wall, |bank| End::port(builder.body("struck", bank), 0));
    let contact = collide(&mut builder, "contact", [End::port(mass, 0), end], law, 0.0);
    let mut scene = Scene::new(builder, vec![mass], vec![contact]);
    let mut compression = Vec::new();
    let steps = (seconds / clock.dt).ceil() as usize;
    let report = scene.play_with(steps, |model, state, _| compression.push(state.gap(model, contact).now));
    let v_out = scene.state.velocity(&scene.model, mass, 0);
    let back = steps as f64 * clock.dt - scene.state.displacement(&scene.model, mass, 0) / v_out;
    let ledger = &scene.state.ledger;
    Blow {
        v_out,
        contact_time: back - hammer.arrival * clock.dt,
        depth: summit(&compression),
        contacts: report.impacts,
        residual: report.residual,
        least_loss: ledger.contacts[0].min_dissipated / ledger.scale(),
        missed: report.counts.missed,
    }
}

fn summit(samples: &[f64]) -> f64 {
    let Some(top) = (0..samples.len()).max_by(|&i, &j| samples[i].total_cmp(&samples[j])) else {
        return 0.0;
    };
    if top == 0 || top + 1 == samples.len() {
        return samples[top];
    }
    let (slope, bend) =
        (0.5 * (samples[top + 1] - samples[top - 1]), samples[top + 1] - 2.0 * samples[top] + samples[top - 1]);
    samples[top] - if bend < 0.0 { 0.5 * slope * slope / bend } else { 0.0 }
}
