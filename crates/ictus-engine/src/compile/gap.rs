//! Gaps that the player moves: lifted barriers and wires, fingertips that travel.

use crate::drive::{Drive, Hand, Stage};
use crate::signal::InputId;
use ictus_core::ContactId;

/// Gaps that move together as an input does.
#[derive(Clone, Debug)]
pub(super) struct GapDrive {
    /// Contact and its own place: the gap at rest (m) for a shift, the position along the string (m) for a pass.
    pub contacts: Vec<(ContactId, f64)>,
    /// m
    pub input: InputId,
    /// Value of the input for which the contacts were built.
    pub start: f64,
    pub motion: GapMotion,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum GapMotion {
    /// The whole row moves by the input, towards or away from the string.
    Shift { sign: f64 },
    /// A round tip passes along the string, its centre where the input is.
    Pass { height: f64, radius: f64 },
}

impl Drive for GapDrive {
    fn inputs(&self) -> Vec<InputId> {
        vec![self.input]
    }

    fn hand(&self) -> Hand {
        Hand::at([self.start, 0.0])
    }

    /// Moves the gaps to where they are at the end of the step, if they move in it at all.
    fn play(&self, hand: &mut Hand, stage: &mut Stage) -> f64 {
        let next = stage.signals.at(self.input, stage.next());
        if std::mem::replace(&mut hand.applied[0], next) != next {
            for &(contact, place) in &self.contacts {
                let gap = match self.motion {
                    GapMotion::Shift { sign } => place + sign * next,
                    GapMotion::Pass { height, radius } => height + (place - next) * (place - next) / (2.0 * radius),
                };
                stage.state.set_gap(stage.model, contact, gap);
            }
        }
        stage.signals.still_until(self.input, stage.next())
    }
}
