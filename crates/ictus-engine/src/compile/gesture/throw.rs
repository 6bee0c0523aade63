//! Throws.

use super::{Gestures, Occurrence, SetAction};

impl Gestures<'_> {
    pub(super) fn throw(&mut self, once: Occurrence, resonator: usize, velocity: f64, position: Option<f64>) {
        let action = SetAction::Throw { velocity: velocity * once.factor, position };
        self.set(once, once.start, resonator, action);
    }
}
