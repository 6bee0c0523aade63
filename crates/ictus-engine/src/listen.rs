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

impl Tap {
    /// The port it listens to: its displacement, or otherwise its velocity.
    pub fn port(&self) -> Option<(BodyId, usize)> {
        match self.source {
            Source::Port { body, port } => Some((body, port)),
            Source::Contacts(_) => None,
        }
    }
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
        match tap.source {
            Source::Contacts(ref contacts) => {
                let force = contacts.iter().map(|&contact| state.contact_force(contact)).sum();
                self.decimator.push(force)
            }
            Source::Port { body, port } if tap.quantity == Quantity::Displacement => {
                self.hear_port(tap, model, state.displacement(model, body, port))
            }
            Source::Port { body, port } => self.hear_port(tap, model, state.velocity(model, body, port)),
        }
    }

    /// As [`hear`](Self::hear), for a tap of which the displacement is known or, for all other quantities, the velocity.
    pub fn hear_port(&mut self, tap: &Tap, model: &Model, value: f64) -> Option<f64> {
        if tap.quantity == Quantity::Displacement {
            return self.decimator.push(value);
        }
        let velocity = value;
        let before = std::mem::replace(&mut self.velocity, velocity);
        let accelerates = tap.quantity == Quantity::Acceleration;
        self.decimator.push(if accelerates { (velocity - before) / model.clock().dt } else { velocity })
    }
}
