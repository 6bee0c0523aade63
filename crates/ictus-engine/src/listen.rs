//! Taps: what is heard of the simulation.

use crate::decimate::Decimator;
use crate::signal::InputId;
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
    pub gain_input: InputId,
    pub pan_input: InputId,
}

/// Gains of the left and the right channel: constant power from −1 to 1.
pub(crate) fn pan(gain: f64, pan: f64) -> [f64; 2] {
    let angle = (pan + 1.0) * std::f64::consts::FRAC_PI_4;
    [gain * libm::cos(angle), gain * libm::sin(angle)]
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

/// A number at the audio edge. What would be a subnormal sample, 758 dB below full scale, is zero instead: everything behind would be slow with it.
pub(crate) fn sample(value: f64) -> f32 {
    let value = if value.abs() < f64::from(f32::MIN_POSITIVE) { 0.0 * value } else { value };
    value as f32
}

/// A tap while listening.
#[derive(Debug)]
pub(crate) struct Ear {
    decimator: Decimator,
    velocity: f64, // of the previous step, m/s, for accelerations
}

ictus_core::clone_in_place!(Ear { decimator, velocity });

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

    /// As [`hear_port`](Self::hear_port), for several steps in a row, where nothing is decimated: turns what is known into what is heard.
    pub fn hear_ports(&mut self, tap: &Tap, model: &Model, values: &mut [f64]) {
        if tap.quantity == Quantity::Displacement {
            return;
        }
        let Some(&last) = values.last() else { return };
        if tap.quantity == Quantity::Acceleration {
            let mut before = self.velocity;
            for value in values {
                let velocity = *value;
                *value = (velocity - before) / model.clock().dt;
                before = velocity;
            }
        }
        self.velocity = last;
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
