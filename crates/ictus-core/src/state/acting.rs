//! What acts on a state from outside between two steps: inputs of contacts, gestures on bodies.

use super::{Condition, State};
use crate::clock::Scheme;
use crate::contact::{BodyId, ContactId, End, Law};
use crate::model::{Body, Model};
use crate::resonator::{Deflection, Resonator};
use crate::step::{HUGE, quarantine};
use std::ops::Range;

/// Magnitude of a body's values, in whatever coordinates, below which its energy is within the range of the ledger too: the square, 10²⁰⁰, leaves a factor of 10¹⁰⁰ for stiffnesses and sums.
const MODEST: f64 = 1e100;

impl State {
    /// True if the energies before and after a gesture matter.
    pub(crate) fn enters_jumps(&self) -> bool {
        self.ledger.enabled || self.boundary.enabled
    }

    /// Sets the input of a contact over the next step: a force (N, on end A), or the velocity (m/s, of A relative to B) at
    /// the end of the step.
    pub fn set_input(&mut self, contact: ContactId, value: f64) {
        self.inputs[contact.0] = value;
        if value != 0.0 {
            self.awake.wake_contact(contact.0);
        }
    }

    /// Moves the gap of a contact to `gap` (m) over the next step: a surface passing under a point, a finger along a string.
    /// The ledger enters the external work as supplied.
    pub fn set_gap(&mut self, model: &Model, contact: ContactId, gap: f64) {
        self.awake.wake_contact(contact.0);
        let offset = &mut self.offsets[contact.0];
        offset.next = gap;
        self.rates[contact.0] = offset.rate(model.clock);
        if !std::mem::replace(&mut offset.moving, true) {
            self.moving.push(contact.0);
        }
    }

    /// Sets the normal force of a contact to `normal` (N, at least 0) from the next step on. Friction needs it, other laws ignore it.
    pub fn press(&mut self, model: &Model, contact: ContactId, normal: f64) {
        let contact = &model.contacts[contact.0];
        let usable = normal.abs() < HUGE;
        self.counts.refused_forces += u64::from(!usable);
        if let Law::Resolvent(law) = &contact.definition.law {
            law.press(&mut self.values[contact.state.clone()], if usable { normal.max(0.0) } else { 0.0 });
        }
    }

    /// Adds a sliding `velocity` (m/s) of end B past end A to its own motion, from the next step on: the bow, the belt, the player's hand.
    /// The ledger enters its work as supplied.
    pub fn slide(&mut self, contact: ContactId, velocity: f64) {
        let usable = velocity.abs() < HUGE;
        self.counts.refused_forces += u64::from(!usable);
        self.rates[contact.0] = if usable { velocity } else { 0.0 };
        if self.rates[contact.0] != 0.0 {
            self.awake.wake_contact(contact.0);
        }
    }

    /// Engages or releases an imposed velocity.
    pub fn engage(&mut self, model: &Model, contact: ContactId, on: bool) {
        self.grip(model, contact, if on { 1.0 } else { 0.0 });
    }

    /// Sets the weight of an imposed velocity: 0 releases, 1 holds rigidly; in between it is a light grip, which removes that share of the velocity
    /// of an isolated port.
    pub fn grip(&mut self, model: &Model, contact: ContactId, weight: f64) {
        let weight = if weight > 0.0 { weight.min(1.0) } else { 0.0 };
        if self.grips[contact.0] == weight {
            return;
        }
        self.grips[contact.0] = weight;
        self.awake.wake_contact(contact.0);
        for (island, work) in model.islands.iter().zip(&mut self.workspaces) {
            if island.contacts.contains(&contact.0) {
                self.counts.dropped_pivots += island.eliminate(model, &self.grips, work) as u64;
            }
        }
    }

    /// Sets the imposed velocity of a contact so that its ends return to the distance `displacement` (u_A − u_B, m) at `rate` (1/s): a held point that does not drift.
    pub fn hold(&mut self, model: &Model, contact: ContactId, displacement: f64, rate: f64) {
        let distance = self.read_gap(model, contact.0).now + self.offsets[contact.0].now;
        self.inputs[contact.0] = rate * (displacement - distance);
    }

    /// Moves a port along its body to `place`, a fraction of its path, from the next step on. Returns false for a port that cannot move.
    ///
    /// Moving the port takes no work: the forces there act perpendicular to its path. Laws with a stored gap (springs, collisions) ignore the move.
    pub fn move_port(&mut self, model: &Model, body: BodyId, port: usize, place: f64) -> bool {
        let Body { resonator, state, .. } = &model.bodies[body.0];
        let Some(varying) = resonator.varying().filter(|body| body.is_movable(port) && place.is_finite()) else {
            return false;
        };
        varying.move_port(&mut self.values[state.clone()], port, place);
        let is_at_port = |contact: &usize| model.contacts[*contact].definition.ends.contains(&End::port(body, port));
        for (island, work) in model.islands.iter().zip(&mut self.workspaces) {
            work.moved |= island.varies && island.contacts.iter().any(is_at_port);
        }
        true
    }

    /// Sets the tension of part `part` of a body, such as a head of a drum, to `share` of its built tension, from the next step on. The ledger enters the work as
    /// supplied. Returns false for a body without tension, or a share that is not above 0 and at most 1.
    pub fn tighten(&mut self, model: &Model, body: BodyId, part: usize, share: f64) -> bool {
        let Body { resonator, state, .. } = &model.bodies[body.0];
        let tighten = resonator.capabilities().tighten.filter(|_| !self.is_quarantined(body));
        let before = self.energy_before(model, body);
        if !tighten.is_some_and(|body| body.tighten(&mut self.values[state.clone()], part, share)) {
            return false;
        }
        self.wake(model, body);
        let jump = self.book_jump(model, body, before);
        self.close_jump(jump);
        true
    }

    /// Sets the velocity (m/s), and optionally the position (m), of a body. Returns false if it cannot be thrown.
    pub fn throw(&mut self, model: &Model, body: BodyId, velocity: f64, position: Option<f64>) -> bool {
        self.set_body(model, body, |resonator, state| {
            let throw = resonator.capabilities().throw;
            throw.inspect(|body| body.throw(state, velocity, position)).is_some()
        })
    }

    /// Sets a body to a deflected shape at rest. Returns false if the shape does not exist.
    pub fn deflect(&mut self, model: &Model, body: BodyId, deflection: Deflection) -> bool {
        self.set_body(model, body, |resonator, state| {
            resonator.capabilities().deflect.is_some_and(|body| body.deflect(state, deflection))
        })
    }

    /// Adds an impulse (N s) at a port of a body between two steps: its velocities jump, its displacements and the state of its contacts stay. The ledger enters the jump of energy
    /// as supplied. Wakes a sleeping body. Returns false if the body has no such port, cannot be kicked or is quarantined, or if the impulse is not finite or beyond 10¹⁵⁰ N s.
    pub fn kick(&mut self, model: &Model, body: BodyId, port: usize, impulse: f64) -> bool {
        let Body { resonator, state, slots, touched, .. } = &model.bodies[body.0];
        let usable = impulse.abs() < HUGE && port < resonator.port_count() && !self.is_quarantined(body);
        let Some(kick) = resonator.capabilities().kick.filter(|_| usable) else { return false };
        let leapfrog = model.clock.scheme == Scheme::Leapfrog;
        let before = self.energy_before(model, body);
        if leapfrog {
            // v̄° is scratch between two steps
            for (free, &port) in self.free[slots.clone()].iter_mut().zip(touched) {
                *free = resonator.velocity(&self.values[state.clone()], port);
            }
        }
        kick.kick(&mut self.values[state.clone()], port, impulse);
        self.wake(model, body);
        if !self.is_sound(model, body) {
            quarantine(model, self, body.0);
            return true;
        }
        if leapfrog {
            for (free, &port) in self.free[slots.clone()].iter_mut().zip(touched) {
                *free = resonator.velocity(&self.values[state.clone()], port) - *free;
            }
            self.keep_gaps(model, slots);
        }
        let jump = self.book_jump(model, body, before);
        self.close_jump(jump);
        true
    }

    /// Keeps the gaps of contacts at the ports `slots` after a jump of their velocities by `free`, in leapfrog. There a contact moves from the gap at n − 1, and a jump of the velocity at n − ½
    /// seems to move the bodies at n − 1 by −k Δv. The gap at n − 1 is moved with them: the contact then has the approach velocity that a force over the step would give it, and its
    /// state, potential included, stays as it is.
    fn keep_gaps(&mut self, model: &Model, slots: &Range<usize>) {
        for (i, contact) in model.contacts.iter().enumerate() {
            let follows = match &contact.definition.law {
                Law::Force | Law::Velocity => false,
                Law::Spring(_) => true,
                Law::Resolvent(law) => law.has_gap(),
            };
            let ends = contact.endpoints.into_iter().flatten().filter(|(slot, _)| slots.contains(slot));
            let approach: f64 = ends.map(|(slot, sign)| sign * self.free[slot]).sum();
            if follows && approach != 0.0 {
                let offset = &mut self.offsets[i];
                offset.before -= model.clock.dt * approach;
                let next = offset.next;
                self.set_gap(model, ContactId(i), next);
            }
        }
    }

    /// Lets a body and all that it may touch take part in steps.
    pub(crate) fn wake(&mut self, model: &Model, body: BodyId) {
        self.conditions[body.0] = Condition::Moving;
        self.awake.wake(model.groups.of_body[body.0]);
    }

    /// True if the values and the energy of a body are in the range of the ledger.
    pub(crate) fn is_sound(&self, model: &Model, id: BodyId) -> bool {
        let values = &self.values[model.bodies[id.0].state.clone()];
        let within = |limit: f64| values.iter().fold(true, |within, value| within & (value.abs() < limit));
        // the usual case, without a pass for the energy
        within(MODEST) || within(HUGE) && self.body_energy(model, id).abs() < HUGE * HUGE
    }

    /// Energy of a body before a gesture, J, if it matters.
    pub(crate) fn energy_before(&self, model: &Model, id: BodyId) -> f64 {
        if self.ledger.enabled {
            self.ledger.bodies[id.0].stored
        } else if self.boundary.enabled {
            self.body_energy(model, id)
        } else {
            0.0
        }
    }

    /// Enters the jump of a body's stored energy from `before` as supplied; returns it, J.
    pub(crate) fn book_jump(&mut self, model: &Model, id: BodyId, before: f64) -> f64 {
        if !self.enters_jumps() {
            return 0.0;
        }
        let energy = self.body_energy(model, id);
        let jump = energy - before;
        if self.ledger.enabled {
            self.ledger.bodies[id.0].book(energy, jump, 0.0, 0.0);
        }
        jump
    }

    /// Enters the jump of a gesture in the total.
    pub(crate) fn close_jump(&mut self, jump: f64) {
        self.boundary.add(jump);
        if self.ledger.enabled {
            self.ledger.close_step(jump, 0.0, 0.0);
        }
    }

    /// Energy of the contacts of a body, J.
    fn energy_of_contacts(&self, model: &Model, id: BodyId) -> f64 {
        let touching = model.contact_ids().filter(|contact| model.contacts[contact.0].is_on(id));
        touching.map(|contact| self.contact_energy(model, contact)).sum()
    }

    /// Changes a body's state and enters the jump of stored energy as supplied.
    fn set_body(&mut self, model: &Model, id: BodyId, change: impl FnOnce(&dyn Resonator, &mut [f64]) -> bool) -> bool {
        let body = &model.bodies[id.0];
        let before = self.energy_before(model, id);
        let measured = self.boundary.enabled && !self.ledger.enabled;
        let mut supplied = if measured { -self.energy_of_contacts(model, id) } else { 0.0 };
        if self.is_quarantined(id) || !change(&*body.resonator, &mut self.values[body.state.clone()]) {
            return false;
        }
        self.wake(model, id);
        if !self.is_sound(model, id) {
            quarantine(model, self, id.0);
        }
        for (i, contact) in model.contacts.iter().enumerate() {
            if contact.is_on(id) {
                self.reset_gap(model, i);
                if !self.ledger.enabled {
                    continue;
                }
                let energy = self.contact_energy(model, ContactId(i));
                let jump = energy - self.ledger.contacts[i].stored;
                self.ledger.book_contact(i, energy, jump, 0.0);
                supplied += jump;
            }
        }
        if measured {
            supplied += self.energy_of_contacts(model, id);
        }
        let jump = self.book_jump(model, id, before);
        self.close_jump(supplied + jump);
        true
    }
}
