//! Laws between two ends that need more than a straight line: what the island solver calls a resolvent.
//!
//! A contact has closing velocity `w` (end A towards end B) and opposing force `f`. A law relates them within one step,
//! given its own state. The solver asks one question only: for given `(z, r)`, which `(w, f)` satisfy `w + r F(w) = z`?
//! That is the exact solution of a contact that is alone, and the building block for contacts that are not. [handbook §7]

use crate::clock::{Clock, Frame};
use crate::step::HUGE;
use std::fmt::Debug;

pub(crate) mod bow;
pub(crate) mod collision;
pub(crate) mod felt;
pub(crate) mod friction;
pub(crate) mod nonlinear_spring;
pub(crate) mod quadratised;
pub(crate) mod spring;

/// One point of a law: the answer of a resolvent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Resolved {
    /// w, m/s: mean closing velocity.
    pub closing: f64,
    /// f, N: force that opposes closing.
    pub force: f64,
    /// F'(w), N s/m.
    pub slope: f64,
    /// Gap coordinate at the end of the step, m; the bend of its bristles for friction. Kept apart from `start + span·w`, which loses digits in hard contact.
    pub end: f64,
    /// Potential energy there, J; less than nothing, by its size, where the law takes it when it commits; for friction the plasticity of the step, which decides its loss.
    pub potential: f64,
    /// How often the law was evaluated.
    pub evaluations: u32,
}

/// A law with state, monotone unless it says otherwise. State slices belong to the model's flat state.
pub trait Interaction: Debug + Send + Sync {
    /// Length of the state slice.
    fn state_len(&self) -> usize;

    /// Sets the gap (compression positive), now and one step ago; clears everything else.
    fn reset(&self, state: &mut [f64], gap: Gap);

    /// Tells an open contact where its bodies are, without touching its energy.
    fn resynchronise(&self, state: &mut [f64], gap: Gap);

    /// Looks at the step ahead: free closing velocity and the contact's own mobility.
    fn prepare(&self, _state: &mut [f64], _free: f64, _mobility: f64) {}

    /// Solves `w + r F(w) = z`.
    fn resolve(&self, state: &[f64], z: f64, r: f64) -> Resolved;

    /// As [`resolve`](Self::resolve), looking first at the closing velocity `near`; where several answers exist, the one next to it.
    fn resolve_near(&self, state: &[f64], z: f64, r: f64, _near: f64) -> Resolved {
        self.resolve(state, z, r)
    }

    /// Accepts a resolved step; returns the energy dissipated, J.
    fn commit(&self, state: &mut [f64], resolved: &Resolved) -> f64;

    /// The same where nobody asks what was dissipated.
    fn commit_unheard(&self, state: &mut [f64], resolved: &Resolved) {
        self.commit(state, resolved);
    }

    /// Stored energy, J.
    fn energy(&self, state: &[f64]) -> f64;

    /// True when apart and holding no energy.
    fn is_open(&self, state: &[f64]) -> bool;

    /// True if F never falls, so that there is one answer.
    fn is_monotone(&self) -> bool {
        true
    }

    /// Sets the force (N) with which the surfaces are pressed on each other, for laws that ask for it.
    fn press(&self, _state: &mut [f64], _normal: f64) {}

    /// The law itself, if it is a collision: many of them are solved together.
    fn as_collision(&self) -> Option<&collision::Collision> {
        None
    }

    /// True for a law that while apart does nothing and has the state `[gap now, before, 0, 0]`: such a contact can be passed over.
    fn rests_apart(&self) -> bool {
        false
    }
}

/// Gap coordinate of a contact: u_A − u_B − gap, positive when compressed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gap {
    /// At n, m.
    pub now: f64,
    /// At n − 1, m; the leapfrog frame needs it.
    pub before: f64,
}

impl Gap {
    /// The value a displacement law starts from.
    pub(crate) fn start(self, clock: Clock) -> f64 {
        match clock.frame {
            Frame::Midpoint => self.now,
            Frame::Leapfrog => self.before,
        }
    }

    pub(crate) fn advance(&mut self, end: f64) {
        self.before = self.now;
        self.now = end;
    }

    /// Moves on while closing with `closing` (m/s), if it stays open.
    #[inline(always)]
    pub(crate) fn passes_by(&mut self, clock: Clock, closing: f64) -> bool {
        let end = self.start(clock) + clock.span() * closing;
        let open = end < 0.0 && end > -HUGE;
        if open {
            self.advance(end);
        }
        open
    }

    pub(crate) fn load(state: &[f64]) -> Self {
        Self { now: state[0], before: state[1] }
    }

    pub(crate) fn store(self, state: &mut [f64]) {
        state[0] = self.now;
        state[1] = self.before;
    }
}

/// Potential of the stored gap: at n in the midpoint frame, the mean over n − 1 and n in leapfrog. [D21 eq. 21]
pub(crate) fn stored(clock: Clock, now: f64, before: f64) -> f64 {
    match clock.frame {
        Frame::Midpoint => now,
        Frame::Leapfrog => 0.5 * (now + before),
    }
}
