//! Changes of state between steps: throws and plucks by displacement.

use crate::cue::{Cue, CuedOnset, Effect};
use ictus_core::{BodyId, Deflection};

/// A change of state at the beginning of a step.
#[derive(Clone, Debug)]
pub(in crate::compile) struct Setting {
    pub step: u64,
    pub body: BodyId,
    pub action: SetAction,
    /// The gesture that it plays.
    pub onset: CuedOnset,
}

#[derive(Clone, Copy, Debug)]
pub(in crate::compile) enum SetAction {
    Throw { velocity: f64, position: Option<f64> },
    Deflect(Deflection),
}

impl Setting {
    pub fn cue(&self) -> Cue {
        let effect = match self.action {
            SetAction::Throw { velocity, position } => Effect::Throw { body: self.body, velocity, position },
            SetAction::Deflect(deflection) => Effect::Deflect { body: self.body, deflection },
        };
        Cue { onset: Some(self.onset), ..Cue::new(self.step, effect) }
    }
}
