//! Ends that are held together for a while.

use super::{Shift, held, still_until};
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
    /// The time until which nothing is held and nothing moves, as seen from `time`.
    pub fn idle_until(&self, time: f64) -> f64 {
        let shift = self.shift.as_ref().map_or(f64::INFINITY, |shift| still_until(&shift.position, time - 1.0));
        if held(&self.weight, time) > 0.0 { time } else { still_until(&self.weight, time).min(shift) }
    }

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
