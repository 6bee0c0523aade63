//! What a player shows: levels, energies, shapes, contacts.

use super::Player;
use crate::meter::{Level, Meter};
use crate::scene::{Scene, SceneSender};

impl Player {
    /// Levels of the last block and the energies now. The audio thread; does not allocate. Costs one pass over the state, about as much as one step: read it as often as it is shown.
    pub fn meter(&self) -> Meter {
        Meter::new(&self.patch.0, &self.model, &self.voice.state, self.frame, &self.levels)
    }

    /// Levels of the two channels over the last block, and its load as in [`Meter`]. The audio thread; does not allocate, and costs nothing.
    pub fn levels(&self) -> ([Level; 2], Option<f32>) {
        ([0, 1].map(|channel| self.levels.level(channel)), self.levels.load())
    }

    /// Level of a tap over the last block, in the order of [`Patch::tap_names`](crate::Patch::tap_names); 0 while [measuring](Self::measure) is off. The audio thread; does not allocate.
    pub fn tap_level(&self, tap: usize) -> Option<Level> {
        (tap < self.patch.0.taps.len()).then(|| self.levels.level(2 + tap))
    }

    /// Names of the bodies that were stopped because their state was not finite. The thread that uses the player; does not allocate.
    pub fn quarantined(&self) -> impl Iterator<Item = &str> {
        let (model, state) = (&self.model, &self.voice.state);
        model.body_ids().filter(|&body| state.is_quarantined(body)).map(|body| model.body_name(body))
    }

    /// Reads shapes, contacts, levels and energies into a scene. False, and nothing is written, if that is of another patch. The audio thread; does not allocate. It costs some ten to some
    /// hundred microseconds, most for strings that step in the modes of their grid: read it as often as it is drawn.
    pub fn scene(&self, scene: &mut Scene) -> bool {
        if !scene.is_of(&self.patch) {
            return false;
        }
        scene.read(&self.model, &self.voice.state, self.frame);
        scene.meter = self.meter();
        for (tap, level) in scene.taps.iter_mut().enumerate() {
            *level = self.levels.level(2 + tap);
        }
        true
    }

    /// Sends a [scene](Self::scene) to another thread, if one is due; true if it did. The audio thread, after every block; does not allocate, lock or wait.
    pub fn send_scene(&self, sender: &mut SceneSender) -> bool {
        sender.send(self.frame, |scene| self.scene(scene))
    }
}
