//! What the player does with a friction: how hard the surfaces are pressed and how fast one is drawn along the other.

use super::{Travel, held};
use ictus_core::{ContactId, Model, Profile, State};

/// One friction in the player's hand.
#[derive(Clone, Debug)]
pub(crate) struct RubDrive {
    pub contact: ContactId,
    /// (steps, N); empty where a collision presses.
    pub normal: Vec<(f64, f64)>,
    /// (steps, m/s)
    pub speed: Vec<(f64, f64)>,
    pub grain: Option<Grain>,
}

/// Roughness that varies the normal force as it passes.
#[derive(Clone, Debug)]
pub(crate) struct Grain {
    /// Share of the normal force, rms.
    pub share: f64,
    /// Heights of rms 1.
    pub profile: Profile,
    pub travel: Travel,
}

impl RubDrive {
    /// `time` is where forces act in the step to come, in steps.
    pub fn play(&self, model: &Model, state: &mut State, time: f64) {
        if !self.normal.is_empty() {
            let rough = self.grain.as_ref().map_or(1.0, |grain| {
                // surfaces do not pull: where the roughness would, they part
                (1.0 + grain.share * grain.profile.height(grain.travel.at(time))).max(0.0)
            });
            state.press(model, self.contact, rough * held(&self.normal, time));
        }
        if !self.speed.is_empty() {
            state.slide(self.contact, held(&self.speed, time));
        }
    }
}
