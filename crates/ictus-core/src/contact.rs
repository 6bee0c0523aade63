//! Contacts: a law and its two ends.

use crate::interaction::Interaction;
use crate::interaction::spring::Spring;
use crate::persist::{Damage, Persist, Source};

/// Index of a body in its model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BodyId(pub(crate) usize);

/// Index of a contact in its model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContactId(pub(crate) usize);

impl Persist for BodyId {
    fn write(&self, out: &mut Vec<u8>) {
        self.0.write(out);
    }

    fn read(&mut self, from: &mut Source) -> Result<(), Damage> {
        self.0.read(from)
    }
}

impl BodyId {
    /// Position in the order in which bodies were added.
    pub fn index(self) -> usize {
        self.0
    }
}

impl ContactId {
    /// Position in the order in which contacts were added.
    pub fn index(self) -> usize {
        self.0
    }
}

/// One end of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The wall, which does not move.
    Wall,
    /// A port of a body.
    Port {
        /// The body.
        body: BodyId,
        /// Its port.
        port: usize,
    },
}

impl End {
    /// Port `port` of `body`.
    pub fn port(body: BodyId, port: usize) -> Self {
        Self::Port { body, port }
    }
}

/// The law of a contact, classified by the solver's needs.
#[derive(Clone, Debug)]
pub enum Law {
    /// An external force, N, on end A (and its reaction on end B): [`State::set_input`](crate::State::set_input).
    Force,
    /// An imposed velocity, m/s, of A relative to B at the end of every step while [engaged](crate::State::engage).
    /// The first step removes the previous velocity: engaging is an inelastic impact, and the ledger shows the loss.
    Velocity,
    /// A linear spring/damper.
    Spring(Spring),
    /// A law with a resolvent.
    Resolvent(Box<dyn Interaction>),
}

impl<I: Interaction + 'static> From<I> for Law {
    fn from(law: I) -> Self {
        Self::Resolvent(Box::new(law))
    }
}

impl From<Spring> for Law {
    fn from(law: Spring) -> Self {
        Self::Spring(law)
    }
}

/// A law between two ends. The gap coordinate is u_A − u_B − gap.
#[derive(Clone, Debug)]
pub struct Contact {
    pub(crate) name: String,
    pub(crate) ends: [End; 2],
    pub(crate) gap: f64,
    pub(crate) law: Law,
    pub(crate) pressed_by: Option<ContactId>,
    /// Its law may be replaced without those of its neighbours.
    pub(crate) own_law: bool,
}

impl Contact {
    /// A contact with zero gap.
    pub fn new(name: impl Into<String>, ends: [End; 2], law: Law) -> Self {
        Self { name: name.into(), ends, gap: 0.0, law, pressed_by: None, own_law: false }
    }

    /// The force of `collision`, a contact of the same model, is the normal force of this one.
    pub fn pressed_by(mut self, collision: ContactId) -> Self {
        self.pressed_by = Some(collision);
        self
    }

    /// Its law may be [replaced](crate::Model::set_collision) by itself: it is not put into a row with others of the same law.
    pub fn with_own_law(mut self) -> Self {
        self.own_law = true;
        self
    }

    /// Distance (m) that A travels towards B before they touch.
    pub fn with_gap(mut self, gap: f64) -> Self {
        self.gap = gap;
        self
    }
}
