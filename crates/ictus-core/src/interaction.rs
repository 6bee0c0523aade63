//! Nonlinear and stateful laws between two ends: the resolvents of the island solver.
//!
//! A contact has approach velocity `w` (end A towards end B) and opposing force `f`. A law relates them within one step,
//! with its own state. The solver needs one operation only: for given `(z, r)`, find the `(w, f)` that satisfy `w + r F(w) = z`.
//! That is the exact solution of an isolated contact, and the building block for coupled ones. [handbook §7]

use crate::clock::{Clock, Scheme};
use crate::step::HUGE;
use std::any::Any;
use std::fmt::Debug;

pub(crate) mod bow;
pub(crate) mod collision;
pub(crate) mod felt;
pub(crate) mod friction;
pub(crate) mod nonlinear_spring;
pub(crate) mod quadratised;
pub(crate) mod spring;

/// One point of a law: the result of a resolvent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Resolved {
    /// w, m/s: mean approach velocity.
    pub approach: f64,
    /// f, N: force that opposes approach.
    pub force: f64,
    /// F'(w), N s/m.
    pub slope: f64,
    /// Coordinate of the law at the end of the step, m: the gap, or the deflection of bristles. Stored separately because `start + span·w` loses digits in hard contact.
    pub end: f64,
    /// Potential energy there.
    pub potential: EndPotential,
    /// r, 1/(N s/m): plasticity of a friction in the step, which determines its loss. 0 for laws without bristles.
    pub plasticity: f64,
    /// Number of evaluations of the law.
    pub evaluations: u32,
}

/// Potential energy at the end of a step, J: computed, or left for [`Interaction::commit`], which is off the critical path of the moving bodies.
///
/// One number, whose sign bit marks what is deferred, as `Option<NonZero>` marks `None`: a solution stays as small as it would be without. Only this type reads the bit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EndPotential(f64);

impl EndPotential {
    /// Not computed, and nothing known about it.
    pub(crate) const UNKNOWN: Self = Self(-f64::MIN_POSITIVE);

    /// A potential of `joules`, at least 0.
    #[inline(always)]
    pub const fn computed(joules: f64) -> Self {
        Self(joules)
    }

    /// A potential of this magnitude (J, at least 0), to be computed when the step is accepted.
    #[inline(always)]
    pub(crate) fn deferred(magnitude: f64) -> Self {
        Self(-magnitude.max(f64::MIN_POSITIVE))
    }

    /// The potential, J; `None` if it is deferred.
    #[inline(always)]
    pub fn get(self) -> Option<f64> {
        (self.0 >= 0.0).then_some(self.0)
    }

    /// Its size, J, by which steps out of range are rejected.
    #[inline(always)]
    pub fn magnitude(self) -> f64 {
        self.0.abs()
    }

    /// The same times a positive factor; still deferred if it was.
    #[inline(always)]
    pub(crate) fn scaled(self, factor: f64) -> Self {
        Self(self.0 * factor)
    }
}

impl crate::Persist for EndPotential {
    fn write(&self, out: &mut Vec<u8>) {
        self.0.write(out);
    }

    fn read(&mut self, from: &mut crate::Source) -> Result<(), crate::Damage> {
        self.0.read(from)
    }
}

persist!(Resolved { approach, force, slope, end, potential, plasticity, evaluations });

/// Two surfaces on each other, as of the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rubbing {
    /// Normal force, N.
    pub normal: f64,
    /// Mean velocity of end A past end B, m/s, the sliding velocity imposed on B included.
    pub slip: f64,
    /// True if they slide; otherwise they stick, but for the slow creep of bristles.
    pub slides: bool,
}

/// What a law needs in a model that is cloned and whose laws are replaced. Every law that is `Clone` has it.
pub trait ClonedLaw {
    /// A copy.
    fn clone_boxed(&self) -> Box<dyn Interaction>;

    /// The law as its concrete type.
    fn as_any(&self) -> &dyn Any;

    /// The law as its concrete type, to be replaced.
    fn as_any_mut(&mut self) -> &mut dyn Any;
}

impl<L: Interaction + Clone + 'static> ClonedLaw for L {
    fn clone_boxed(&self) -> Box<dyn Interaction> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

impl Clone for Box<dyn Interaction> {
    fn clone(&self) -> Self {
        (**self).clone_boxed()
    }
}

/// A law with state, monotone by default. State slices belong to the model's flat state. A law must be `Clone`, because models are.
pub trait Interaction: ClonedLaw + Debug + Send + Sync {
    /// Length of the state slice.
    fn state_len(&self) -> usize;

    /// Sets the gap (compression positive), now and one step ago; clears everything else.
    fn reset(&self, state: &mut [f64], gap: Gap);

    /// Adapts the state of another law of this type, whose place this one has taken: gap, memory and motion stay, energies become those of this law.
    fn adapt(&self, state: &mut [f64]) {
        if self.has_gap() {
            self.reset(state, Gap::load(state));
        }
    }

    /// Sets the gap of an open contact from the positions of its bodies, without changing its energy.
    fn resynchronise(&self, state: &mut [f64], gap: Gap);

    /// Prepares the step: free approach velocity (m/s) and the contact's own mobility (m/s per N).
    fn prepare(&self, _state: &mut [f64], _free: f64, _mobility: f64) {}

    /// Solves `w + r F(w) = z`.
    fn resolve(&self, state: &[f64], z: f64, r: f64) -> Resolved;

    /// As [`resolve`](Self::resolve), starting from the approach velocity `near`; if there are several solutions, the nearest.
    fn resolve_near(&self, state: &[f64], z: f64, r: f64, _near: f64) -> Resolved {
        self.resolve(state, z, r)
    }

    /// Accepts a resolved step; returns the energy dissipated, J.
    fn commit(&self, state: &mut [f64], resolved: &Resolved) -> f64;

    /// As [`commit`](Self::commit) without the dissipated energy.
    fn commit_unaudited(&self, state: &mut [f64], resolved: &Resolved) {
        self.commit(state, resolved);
    }

    /// Stored energy, J.
    fn energy(&self, state: &[f64]) -> f64;

    /// True if open and without stored energy.
    fn is_open(&self, state: &[f64]) -> bool;

    /// True if the law depends on its gap, false if only on its approach velocity.
    fn has_gap(&self) -> bool {
        true
    }

    /// True if F is monotone, so that the solution is unique.
    fn is_monotone(&self) -> bool {
        true
    }

    /// Sets the normal force (N), for laws that need one.
    fn press(&self, _state: &mut [f64], _normal: f64) {}

    /// How two surfaces move on each other, for laws of friction.
    fn rubbing(&self, _state: &[f64]) -> Option<Rubbing> {
        None
    }

    /// The law itself, if it is a collision: many of them are solved together.
    fn as_collision(&self) -> Option<&collision::Collision> {
        None
    }

    /// True for a law that while open exerts no force and has the state `[gap now, before, 0, 0]`: such a contact can be skipped.
    fn rests_apart(&self) -> bool {
        false
    }
}

/// Gap coordinate of a contact: u_A − u_B − gap, positive when compressed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gap {
    /// At n, m.
    pub now: f64,
    /// At n − 1, m; the leapfrog scheme needs it.
    pub before: f64,
}

impl Gap {
    /// The gap from which a displacement law starts, m: now in the midpoint scheme, a step ago in leapfrog.
    pub fn start(self, clock: Clock) -> f64 {
        match clock.scheme {
            Scheme::Midpoint => self.now,
            Scheme::Leapfrog => self.before,
        }
    }

    /// Moves on to `end`, m.
    pub fn advance(&mut self, end: f64) {
        self.before = self.now;
        self.now = end;
    }

    /// Advances the gap with the approach velocity `approach` (m/s) if it stays open; returns whether it does.
    #[inline(always)]
    pub(crate) fn passes_by(&mut self, clock: Clock, approach: f64) -> bool {
        let end = self.start(clock) + clock.span() * approach;
        let open = end < 0.0 && end > -HUGE;
        if open {
            self.advance(end);
        }
        open
    }

    /// Reads it from the first two numbers of a law's state.
    pub fn load(state: &[f64]) -> Self {
        Self { now: state[0], before: state[1] }
    }

    /// Writes it to the first two numbers of a law's state.
    pub fn store(self, state: &mut [f64]) {
        state[0] = self.now;
        state[1] = self.before;
    }
}

/// Potential of the stored gap: at n in the midpoint scheme, the mean over n − 1 and n in leapfrog. [D21 eq. 21]
pub(crate) fn stored(clock: Clock, now: f64, before: f64) -> f64 {
    match clock.scheme {
        Scheme::Midpoint => now,
        Scheme::Leapfrog => 0.5 * (now + before),
    }
}
