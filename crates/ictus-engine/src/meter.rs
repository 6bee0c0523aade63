//! What surfaces show of a player: levels, energy, contacts.

use crate::patch::Compiled;
use ictus_core::State;

/// Levels of a block and the energy after it. `Copy`: hand it to another thread through a lock-free cell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Meter {
    /// Frames played.
    pub frame: u64,
    /// Largest magnitude of the left and the right sample in the last block.
    pub peak: [f32; 2],
    /// Energy stored in all bodies, J. What contacts store is left out: it is there for milliseconds.
    pub stored_j: f64,
    /// Supplied since the start, J; 0 while the ledger is off.
    pub supplied_j: f64,
    /// Lost since the start, J; 0 while the ledger is off.
    pub lost_j: f64,
    /// Contacts that push.
    pub contacts: u32,
    /// Bodies that were stopped because their state was not finite.
    pub quarantined: u32,
}

impl Meter {
    pub(crate) fn new(patch: &Compiled, state: &State, frame: u64, peak: [f32; 2]) -> Self {
        let model = &patch.model;
        let pushing = model.contact_ids().filter(|&contact| state.contact_force(contact) != 0.0);
        let total = &state.ledger.total;
        let booked = |value: f64| if state.ledger.enabled { value } else { 0.0 };
        Self {
            frame,
            peak,
            stored_j: model.body_ids().map(|body| state.body_energy(model, body)).sum(),
            supplied_j: booked(total.supplied.value()),
            lost_j: booked(total.dissipated.value()),
            contacts: pushing.count() as u32,
            quarantined: model.body_ids().filter(|&body| state.is_quarantined(body)).count() as u32,
        }
    }
}
