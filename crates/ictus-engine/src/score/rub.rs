//! What the player does with a friction: how hard the surfaces are pressed, how fast one is drawn along the other, and where.

use super::{Travel, held};
use ictus_core::{BodyId, ContactId, Model, Profile, State};

/// One friction in the player's hand.
#[derive(Clone, Debug)]
pub(crate) struct RubDrive {
    /// Points of contact, side by side.
    pub contacts: Vec<ContactId>,
    /// (steps, N); empty where a collision presses.
    pub normal: Vec<(f64, f64)>,
    /// (steps, m/s)
    pub speed: Vec<(f64, f64)>,
    pub grain: Option<Grain>,
    /// A force from outside that comes with the passing grain.
    pub noise: Option<Noise>,
    pub shift: Option<Shift>,
}

/// Roughness that varies a force as it passes.
#[derive(Clone, Debug)]
pub(crate) struct Grain {
    /// Share of the normal force, rms.
    pub share: f64,
    /// Heights of rms 1.
    pub profile: Profile,
    pub travel: Travel,
    /// Distance at which neighbouring points read it, m.
    pub apart: f64,
}

/// The force that comes with it.
#[derive(Clone, Debug)]
pub(crate) struct Noise {
    pub contact: ContactId,
    pub grain: Grain,
    /// Speed (m/s) from which on it has its full size.
    pub full: f64,
}

impl Grain {
    /// For the point of that index.
    fn at(&self, time: f64, point: usize) -> f64 {
        self.share * self.profile.height(self.travel.at(time) + self.apart * point as f64)
    }
}

/// Points of contact that move along their body.
#[derive(Clone, Debug)]
pub(crate) struct Shift {
    pub body: BodyId,
    /// Port and distance from the middle.
    pub ports: Vec<(usize, f64)>,
    /// (steps, place)
    pub position: Vec<(f64, f64)>,
}

impl Shift {
    /// `time` is where forces act in the step to come, in steps.
    pub fn play(&self, model: &Model, state: &mut State, time: f64) {
        let place = held(&self.position, time);
        if place != held(&self.position, time - 1.0) {
            for &(port, offset) in &self.ports {
                state.move_port(model, self.body, port, place + offset);
            }
        }
    }
}

impl RubDrive {
    /// `time` is where forces act in the step to come, in steps.
    pub fn play(&self, model: &Model, state: &mut State, time: f64) {
        if let Some(shift) = &self.shift {
            shift.play(model, state, time);
        }
        let normal = held(&self.normal, time);
        if !self.normal.is_empty() {
            for (i, &contact) in self.contacts.iter().enumerate() {
                // surfaces do not pull: where the roughness would, they part
                let rough = self.grain.as_ref().map_or(1.0, |grain| (1.0 + grain.at(time, i)).max(0.0));
                state.press(model, contact, rough * normal);
            }
        }
        let speed = held(&self.speed, time);
        if !self.speed.is_empty() {
            for &contact in &self.contacts {
                state.slide(contact, speed);
            }
        }
        if let Some(Noise { contact, grain, full }) = &self.noise {
            // surfaces at rest are silent
            let passing = speed.abs() / (speed * speed + full * full).sqrt();
            state.set_input(*contact, normal * passing * grain.at(time, 0));
        }
    }
}
