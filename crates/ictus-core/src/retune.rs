//! Coefficients that change between two steps: stiffness, decay, pitch, masses, while the model sounds.
//!
//! A player owns a clone of the [`Model`] and [sets](Model::set_modes) what its inputs move. Nothing here allocates.
//!
//! **Model.** Every coefficient is computed from the new values alone, by the code that builds a body or a law, never from its former value: after a call they have the bits of a model built with
//! the new values, and a value set there and back leaves no trace. What is derived from them follows at once: mobilities of the touched ports, W of islands, its elimination in the workspaces of
//! the state, responses to external forces. [Free runs](crate::FreeRun) read mobilities from the model and need no call.
//!
//! **State.** With a state, displacements and velocities of all modes and points stay, as do the gaps of the contacts and what laws remember (the compression of a felt, the deflection of
//! bristles). Values in units that depend on coefficients are rescaled, predictions are forgotten. In leapfrog the velocity at n − ½ stays. Bodies that sleep stay asleep, unless they store energy
//! under the new coefficients, such as a mass off its rest position that gets a spring. Without a state only the model changes: for a state that fits already, such as a snapshot.
//!
//! **Balance.** Stored energy jumps, H(x, v; new) − H(x, v; old), as turning a tuning peg does work. The jump of bodies and contacts is measured and entered as supplied, in the ledger and in the
//! [balance](State::balance). Between changes nothing is supplied: the model is passive.
//!
//! **Cost.** A mode takes two or three hyperbolic and two trigonometric functions, a root and five divisions; a port one product per mode, and one more per pair of touched ports; an island the entries of
//! W at this body and one elimination. Where only the decay or only the pitch of modes changes, the functions of the other could be kept: exact, about half the time, not done.
//!
//! **Limits.** What decides the structure of a model cannot change: the number of modes and points, the length and the ends of a string, the kind of a law, which contacts are solved together. So calls
//! are refused, return false and change nothing, if they would let ports respond to each other that did not when the model was built, or if they would give one contact of a
//! row (contacts of one law side by side, solved eight at a time) another law than its neighbours: [`set_collisions`](Model::set_collisions) sets all of them.

use crate::contact::{BodyId, ContactId, Law};
use crate::interaction::Interaction;
use crate::interaction::collision::Collision;
use crate::interaction::felt::Felt;
use crate::interaction::friction::Friction;
use crate::interaction::nonlinear_spring::NonlinearSpring;
use crate::interaction::spring::Spring;
use crate::model::Model;
use crate::resonator::Tuning;
use crate::resonator::grid::StringParameters;
use crate::resonator::mass::Mass;
use crate::resonator::modal::Mode;
use crate::solver::island::coupling;
use crate::state::{Condition, State};
use crate::step::quarantine;
use std::ops::Range;

/// Bodies.
impl Model {
    /// Replaces a mass, its spring and its damper. False if the body is no mass, or `mass` has another clock.
    pub fn set_mass(&mut self, state: Option<&mut State>, body: BodyId, mass: Mass) -> bool {
        self.set_body(state, body, &mut Tuning::Mass(mass))
    }

    /// Gives the modes of a bank other frequencies, decays and masses; their shapes stay. `mode` is called once per mode, from the first to the last. False if the body is no bank, or a mode is
    /// out of range.
    pub fn set_modes(&mut self, state: Option<&mut State>, body: BodyId, mode: &mut dyn FnMut(usize) -> Mode) -> bool {
        self.set_body(state, body, &mut Tuning::Modes(mode))
    }

    /// Gives a port of a bank the shape φ, one finite value per mode. False if the body is no bank, or the port can be moved.
    pub fn set_shape(&mut self, state: Option<&mut State>, body: BodyId, port: usize, shape: &[f64]) -> bool {
        self.set_body(state, body, &mut Tuning::Shape { port, shape })
    }

    /// Gives an explicit string, stretched or not, another density, tension, bending stiffness and losses on the same grid. False if the body is no such string, if its length or its ends would
    /// change, or beyond the stability limit of the grid.
    pub fn set_string(&mut self, state: Option<&mut State>, body: BodyId, parameters: StringParameters) -> bool {
        self.set_body(state, body, &mut Tuning::String(parameters))
    }

    fn set_body(&mut self, mut state: Option<&mut State>, id: BodyId, tuning: &mut Tuning) -> bool {
        let before = state.as_ref().map_or(0.0, |state| state.energy_before(self, id));
        let body = &mut self.bodies[id.0];
        if let Some(state) = &mut state {
            // by the former coefficients
            body.resonator.forget(&mut state.values[body.state.clone()]);
        }
        if !body.resonator.retune(tuning) {
            return false;
        }
        body.mobility.update(&*body.resonator, &body.touched);
        // the ports of a grid respond to their neighbours whatever its parameters are
        let may_couple = matches!(tuning, Tuning::Modes(_) | Tuning::Shape { .. });
        if may_couple && !body.mobility.keeps_apart(&*body.resonator, &body.touched) {
            body.resonator.revert();
            body.mobility.update(&*body.resonator, &body.touched);
            return false;
        }
        self.couple(id);
        if let Some(state) = state {
            state.carry(self, id, before);
        }
        true
    }

    /// Brings everything up to date that holds mobilities of a body.
    fn couple(&mut self, id: BodyId) {
        let Self { bodies, contacts, external_forces, rows, lone, islands, .. } = self;
        external_forces.iter_mut().for_each(|external| external.couple(bodies, id.0));
        rows.iter_mut().for_each(|row| row.couple(bodies, contacts, id));
        for site in lone.iter_mut().map(|lone| &mut lone.site) {
            let contact = &contacts[site.contact];
            if contact.is_on(id) {
                site.mobility = coupling(bodies, contact, contact);
            }
        }
        for island in islands {
            island.couple(bodies, contacts, id);
        }
    }
}

/// Laws.
impl Model {
    /// Replaces a collision. False if the contact is no collision, or is one of a row: see [`set_collisions`](Self::set_collisions).
    pub fn set_collision(&mut self, state: Option<&mut State>, contact: ContactId, law: Collision) -> bool {
        self.set_collisions(state, contact, 1, &law)
    }

    /// Replaces the collisions of `count` contacts from `first` on. False if one of them is no collision, or if they are a part of a row, which has one law; the law of a row keeps its
    /// exponent of 3/2.
    pub fn set_collisions(
        &mut self,
        mut state: Option<&mut State>,
        first: ContactId,
        count: usize,
        law: &Collision,
    ) -> bool {
        let range = first.0..first.0 + count;
        let held =
            |row: &crate::step::row::CollisionRow| row.contacts.start >= range.start && row.contacts.end <= range.end;
        let fits = self.rows.iter().all(|row| row.is_whole_in(&range) && (!held(row) || law.has_kernel()));
        if !fits || range.end > self.contacts.len() || !range.clone().all(|i| self.holds::<Collision>(i)) {
            return false;
        }
        let mut jump = 0.0;
        for i in range.clone() {
            jump += self.replace(state.as_deref_mut(), i, law);
        }
        self.rows.iter_mut().filter(|row| held(row)).for_each(|row| row.set_law(law));
        for lone in self.lone.iter_mut().filter(|lone| range.contains(&lone.site.contact)) {
            if let Some(collision) = &mut lone.collision {
                collision.clone_from(law);
            }
        }
        for island in &mut self.islands {
            for contact in island.contacts.iter().filter(|contact| range.contains(contact)) {
                island.solver.set_collision(self.contacts[*contact].state.start, law);
            }
        }
        close(state, jump)
    }

    /// Replaces a spring and damper. False if the contact is none.
    pub fn set_spring(&mut self, mut state: Option<&mut State>, contact: ContactId, law: Spring) -> bool {
        let index = contact.0;
        let before = self.energy_before(&state, index);
        let Law::Spring(spring) = &mut self.contacts[index].definition.law else { return false };
        *spring = law;
        if let Some(state) = &mut state {
            let holds = |range: &Range<usize>, contacts: &[usize]| contacts[range.clone()].contains(&index);
            for (island, work) in self.islands.iter().zip(&mut state.workspaces) {
                if holds(&island.linear, &island.contacts) {
                    state.counts.dropped_pivots += island.eliminate(self, &state.grips, work) as u64;
                }
            }
        }
        let jump = self.book_contact(state.as_deref_mut(), index, before);
        close(state, jump)
    }

    /// Replaces a felt. Its remembered compression stays. False if the contact is none.
    pub fn set_felt(&mut self, state: Option<&mut State>, contact: ContactId, law: Felt) -> bool {
        self.set_law(state, contact, law)
    }

    /// Replaces a friction. The deflection of its bristles and its normal force stay. False if the contact is none.
    pub fn set_friction(&mut self, state: Option<&mut State>, contact: ContactId, law: Friction) -> bool {
        self.set_law(state, contact, law)
    }

    /// Replaces a nonlinear spring. False if the contact is none.
    pub fn set_nonlinear_spring(
        &mut self,
        state: Option<&mut State>,
        contact: ContactId,
        law: NonlinearSpring,
    ) -> bool {
        self.set_law(state, contact, law)
    }

    /// Replaces a law of any type but [`Collision`] and [`Spring`] by one of the same type and clock. False if the contact has another type, or if the laws differ in what the solver was
    /// chosen by: being monotone, resting apart, having a gap, the length of their state.
    pub fn set_law<L: Interaction + Clone + 'static>(
        &mut self,
        mut state: Option<&mut State>,
        contact: ContactId,
        law: L,
    ) -> bool {
        if law.as_collision().is_some() || !self.holds::<L>(contact.0) {
            return false;
        }
        if let Law::Resolvent(former) = &self.contacts[contact.0].definition.law {
            let traits = |law: &dyn Interaction| (law.is_monotone(), law.rests_apart(), law.has_gap(), law.state_len());
            if traits(&**former) != traits(&law) {
                return false;
            }
        }
        let jump = self.replace(state.as_deref_mut(), contact.0, &law);
        close(state, jump)
    }

    /// True if a contact has a law of that type.
    fn holds<L: 'static>(&self, contact: usize) -> bool {
        matches!(&self.contacts[contact].definition.law, Law::Resolvent(law) if (**law).as_any().is::<L>())
    }

    /// Replaces the law of a contact by one of its type, and adapts its state; returns the jump of its stored energy, J.
    fn replace<L: Clone + 'static>(&mut self, mut state: Option<&mut State>, index: usize, law: &L) -> f64 {
        let before = self.energy_before(&state, index);
        let contact = &mut self.contacts[index];
        let Law::Resolvent(held) = &mut contact.definition.law else { return 0.0 };
        let Some(place) = (**held).as_any_mut().downcast_mut::<L>() else { return 0.0 };
        place.clone_from(law);
        if let Some(state) = &mut state {
            held.adapt(&mut state.values[contact.state.clone()]);
        }
        self.book_contact(state, index, before)
    }

    /// Energy of a contact before its law is replaced, J, if it matters.
    fn energy_before(&self, state: &Option<&mut State>, index: usize) -> f64 {
        match state {
            Some(state) if state.ledger.enabled => state.ledger.contacts[index].stored,
            Some(state) if state.enters_jumps() => state.contact_energy(self, ContactId(index)),
            _ => 0.0,
        }
    }

    /// Enters the jump of a contact's stored energy as supplied; returns it, J.
    fn book_contact(&self, state: Option<&mut State>, index: usize, before: f64) -> f64 {
        let Some(state) = state else { return 0.0 };
        let energy = state.contact_energy(self, ContactId(index));
        if energy != 0.0 {
            state.awake.wake_contact(index);
        }
        if !state.enters_jumps() {
            return 0.0;
        }
        if state.ledger.enabled {
            state.ledger.book_contact(index, energy, energy - before, 0.0);
        }
        energy - before
    }
}

/// Enters the jump of a change in the total.
fn close(state: Option<&mut State>, jump: f64) -> bool {
    if let Some(state) = state {
        state.close_jump(jump);
    }
    true
}

impl State {
    /// Adapts itself to a body that has been retuned; `before` is the energy it stored.
    fn carry(&mut self, model: &Model, id: BodyId, before: f64) {
        let body = &model.bodies[id.0];
        let values = &mut self.values[body.state.clone()];
        body.resonator.carry(values);
        for (island, work) in model.islands.iter().zip(&mut self.workspaces) {
            if island.contacts.iter().any(|&contact| model.contacts[contact].is_on(id)) {
                self.counts.dropped_pivots += island.renew(model, &self.grips, work) as u64;
            }
        }
        match self.conditions[id.0] {
            Condition::Quarantined => return,
            Condition::Asleep if body.resonator.energy(values) == 0.0 => {
                body.resonator.come_to_rest(values);
                return;
            }
            Condition::Asleep => self.wake(model, id),
            Condition::Moving => {}
        }
        if !self.is_sound(model, id) {
            quarantine(model, self, id.0);
        }
        let jump = self.book_jump(model, id, before);
        self.close_jump(jump);
    }
}
