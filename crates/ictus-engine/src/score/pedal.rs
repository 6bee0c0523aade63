//! A foot on the pedal of a drum: its head is pulled tighter and let go while it sounds.

use super::{held, still_until};
use ictus_core::{BodyId, Model, State};

/// One head under a pedal.
#[derive(Clone, Debug)]
pub(crate) struct PedalDrive {
    pub body: BodyId,
    pub head: usize,
    /// (steps, pitch as a share of the highest)
    pub pitch: Vec<(f64, f64)>,
}

impl PedalDrive {
    /// Pulls the head as it is pulled at the end of step `step`, if that changes in it.
    pub fn play(&self, model: &Model, state: &mut State, step: u64) {
        let pitch = held(&self.pitch, step as f64 + 1.0);
        if step == 0 || pitch != held(&self.pitch, step as f64) {
            // a membrane's pitch goes with the root of its tension
            state.tighten(model, self.body, self.head, pitch * pitch);
        }
    }

    /// The first step at which it moves again.
    pub fn still_until(&self, step: f64) -> f64 {
        if step == 0.0 { 0.0 } else { still_until(&self.pitch, step) }
    }
}
