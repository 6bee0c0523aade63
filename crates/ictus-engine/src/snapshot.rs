//! Snapshots: the state of a player, to return to.

use crate::patch::Patch;
use crate::voice::Voice;
use std::sync::Arc;

/// A state of a [`Player`](crate::Player): bodies, contacts, inputs, strokes under way and filters.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub(crate) patch: Patch,
    pub(crate) voice: Voice,
}

impl Snapshot {
    /// True if it was taken of a player of that patch.
    pub fn is_of(&self, patch: &Patch) -> bool {
        Arc::ptr_eq(&self.patch.0, &patch.0)
    }
}
