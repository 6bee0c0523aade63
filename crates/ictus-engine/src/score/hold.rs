//! Ends that are held together for a while.

use super::{Shift, held};
use ictus_core::{ContactId, Model, State};

/// An adherence in the player's hand.
#[derive(Clone, Debug)]
pub(crate) struct HoldDrive {
    pub contact: ContactId,
    /// (steps, 0 to 1)
    pub weight: Vec<(f64, f64)>,
    /// Where the ends return to (m) and how fast (1/s).
    pub returning: Option<(f64, f64)>,
    pub shift: Option<Shift>,
}

impl HoldDrive {
    /// `time` is where forces act in the step to come, in steps.
    pub fn play(&self, model: &Model, state: &mut State, time: f64) {
        if let Some(shift) = &self.shift {
            shift.play(model, state, time);
        }
        let weight = held(&self.weight, time);
        state.grip(model, self.contact, weight);
        if let Some((height, rate)) = self.returning.filter(|_| weight > 0.0) {
            state.hold(model, self.contact, height, rate);
        }
    }
}
