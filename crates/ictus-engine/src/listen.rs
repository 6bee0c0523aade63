//! Taps: what is heard of the simulation.

use crate::decimate::Decimator;
use ictus_core::{BodyId, ContactId, Model, State};
use ictus_instrument::Quantity;

/// What a tap reads.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    Port {
        body: BodyId,
        port: usize,
    },
    /// The sum of these contacts' forces.
    Contacts(Vec<ContactId>),
}

/// A tap of the compiled instrument.
#[derive(Clone, Debug)]
pub(crate) struct Tap {
    pub id: String,
    pub source: Source,
    pub quantity: Quantity,
    /// Gain of the left and the right channel.
    pub gains: [f64; 2],
    /// Gain of the stem.
    pub gain: f64,
}

/// A tap while listening.
#[derive(Clone, Debug)]
pub(crate) struct Ear {
    decimator: Decimator,
    velocity: f64, // of the previous step, m/s, for accelerations
}

impl Ear {
    pub fn new(oversampling: u32, velocity: f64) -> Self {
        Self { decimator: Decimator::new(oversampling), velocity }
    }

    /// Reads the tap after a step; yields a sample at the output rate.
    pub fn hear(&mut self, tap: &Tap, model: &Model, state: &State) -> Option<f64> {
        let value = match tap.source {
            Source::Contacts(ref contacts) => contacts.iter().map(|&contact| state.contact_force(contact)).sum(),
            Source::Port { body, port } => match tap.quantity {
                Quantity::Displacement => state.displacement(model, body, port),
                Quantity::Acceleration => {
                    let velocity = state.velocity(model, body, port);
                    let before = std::mem::replace(&mut self.velocity, velocity);
                    (velocity - before) / model.clock().dt
                }
                Quantity::Velocity | Quantity::Force => state.velocity(model, body, port),
            },
        };
        self.decimator.push(value)
    }
}
