//! The changing half of a simulation: one flat vector, the books, and workspaces. A clone is a snapshot.

use crate::clock::{Clock, Frame};
use crate::contact::{BodyId, ContactId, End, Law};
use crate::interaction::Gap;
use crate::ledger::Ledger;
use crate::model::{Body, Joint, Model};
use crate::resonator::Deflection;
use crate::resonator::surface::Sheet;
use crate::solver::SolverCounts;
use crate::solver::field;
use crate::solver::island::Workspace;
use crate::step::row::Roused;
use crate::step::sweep::rest_untouched;
use crate::step::{HUGE, quarantine};
use crate::touches::Touches;
use ictus_kernels::Aligned;
use std::borrow::Cow;
use std::ops::Range;

/// Everything that changes from step to step.
#[derive(Clone, Debug)]
pub struct State {
    pub(crate) values: Aligned,
    /// Per contact: imposed force or velocity.
    pub(crate) inputs: Vec<f64>,
    /// Per contact: how firmly an imposed velocity grips, 0 to 1.
    pub(crate) grips: Vec<f64>,
    /// Per touched port.
    pub(crate) free: Vec<f64>,
    pub(crate) forces: Vec<f64>,
    /// The part of `forces` that `free` contains already: from outside.
    pub(crate) given: Vec<f64>,
    /// s of bodies that stiffen, in the step being taken.
    pub(crate) stiffening: Vec<f64>,
    pub(crate) pressed: Pressed,
    /// Per contact, of the last step.
    pub(crate) contact_forces: Vec<f64>,
    pub(crate) workspaces: Vec<Workspace>,
    pub(crate) field_works: Vec<field::Work>,
    /// Per body.
    pub(crate) conditions: Vec<Condition>,
    /// Per contact: the gap as it stands, for contacts whose gap moves.
    pub(crate) offsets: Vec<Offset>,
    /// Per contact: speed at which its gap opens over the next step, m/s.
    pub(crate) rates: Vec<f64>,
    /// Contacts whose gap moved in the last step or moves in the next.
    pub(crate) moving: Vec<usize>,
    /// Contacts whose gap must be read from their bodies as soon as they are open.
    pub(crate) stale: Vec<bool>,
    pub(crate) any_stale: bool,
    /// Contacts that are apart, hold no energy and exert no force.
    pub(crate) resting: Vec<bool>,
    /// Of the row of contacts being solved.
    pub(crate) roused: Roused,
    /// Steps taken.
    pub steps: u64,
    /// The energy books.
    pub ledger: Ledger,
    /// What the solver did.
    pub counts: SolverCounts,
    /// What each contact has carried, in the model's order.
    pub touches: Vec<Touches>,
}

/// What a body takes part in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Condition {
    /// Everything.
    Moving,
    /// It has [come to rest](crate::resonator::Resonator::come_to_rest) and is passed over until a force wakes it.
    Asleep,
    /// Its numbers could not be worked with; it is stopped for good.
    Quarantined,
}

/// So many ports of a body are looked at one by one; the marks of more are searched.
const FEW: usize = 4;

/// Which ports feel a force in this step.
#[derive(Clone, Debug)]
pub(crate) struct Pressed {
    /// A bit per touched port of the model.
    marks: Vec<u64>,
    rows: Vec<usize>,
    ports: Vec<usize>,
    forces: Vec<f64>,
}

impl Pressed {
    fn new(slots: usize, most: usize) -> Self {
        Self { marks: vec![0; slots.div_ceil(64)], rows: vec![0; most], ports: vec![0; most], forces: vec![0.0; most] }
    }

    #[inline]
    pub fn mark(&mut self, slot: usize) {
        self.marks[slot / 64] |= 1 << (slot % 64);
    }

    /// Calls `release` for every marked port, and marks none.
    pub fn release(&mut self, mut release: impl FnMut(usize)) {
        for (word, marks) in self.marks.iter_mut().enumerate() {
            let mut left = std::mem::take(marks);
            while left != 0 {
                release(64 * word + left.trailing_zeros() as usize);
                left &= left - 1;
            }
        }
    }

    /// The ports of a body that are pressed, in their order: rows, ports and forces.
    pub fn gather(&mut self, body: &Body, forces: &[f64]) -> (&[usize], &[usize], &[f64]) {
        let Range { start, end } = body.slots;
        let mut count = 0;
        let mut take = |slot: usize| {
            if forces[slot] != 0.0 {
                let row = slot - start;
                (self.rows[count], self.ports[count], self.forces[count]) = (row, body.touched[row], forces[slot]);
                count += 1;
            }
        };
        if end - start <= FEW {
            (start..end).for_each(take);
        } else {
            for word in start / 64..end.div_ceil(64) {
                let mut left = self.marks[word];
                left &= u64::MAX << (start.saturating_sub(64 * word)).min(63);
                if 64 * (word + 1) > end {
                    left &= (1 << (end % 64)) - 1;
                }
                while left != 0 {
                    take(64 * word + left.trailing_zeros() as usize);
                    left &= left - 1;
                }
            }
        }
        (&self.rows[..count], &self.ports[..count], &self.forces[..count])
    }
}

/// A gap that may move, m.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offset {
    pub now: f64,
    pub before: f64,
    pub next: f64,
    /// In the list of moving gaps.
    pub moving: bool,
}

impl Offset {
    /// Speed at which the gap opens if it is to reach `next`, m/s.
    pub fn rate(&self, clock: Clock) -> f64 {
        let start = Gap { now: self.now, before: self.before }.start(clock);
        (self.next - start) / clock.span()
    }
}

impl State {
    /// The initial state of a model.
    pub fn new(model: &Model) -> Self {
        let contacts = model.joints.len();
        let grips = vec![0.0; contacts];
        let workspaces = model.islands.iter().map(|island| island.workspace(model, &grips)).collect();
        let field_works = model
            .fields
            .iter()
            .filter_map(|field| Some(field.work(model.bodies[field.body].resonator.banded()?)))
            .collect();
        let mut state = Self {
            values: Aligned::new(0.0, model.state_len),
            inputs: vec![0.0; contacts],
            grips,
            free: vec![0.0; model.slot_count],
            forces: vec![0.0; model.slot_count],
            given: vec![0.0; model.slot_count],
            stiffening: vec![0.0; model.slot_count],
            pressed: Pressed::new(
                model.slot_count,
                model.bodies.iter().map(|body| body.touched.len()).max().unwrap_or(0),
            ),
            contact_forces: vec![0.0; contacts],
            workspaces,
            field_works,
            conditions: vec![Condition::Moving; model.bodies.len()],
            offsets: model
                .joints
                .iter()
                .map(|Joint { contact, .. }| Offset {
                    now: contact.gap,
                    before: contact.gap,
                    next: contact.gap,
                    moving: false,
                })
                .collect(),
            rates: vec![0.0; contacts],
            moving: Vec::with_capacity(contacts),
            stale: vec![false; contacts],
            any_stale: false,
            resting: vec![false; contacts],
            roused: Roused::new(&model.rows),
            steps: 0,
            ledger: Ledger::open(Vec::new(), Vec::new()),
            counts: SolverCounts::default(),
            touches: vec![Touches::default(); contacts],
        };
        for body in &model.bodies {
            body.resonator.reset(&mut state.values[body.state.clone()]);
        }
        for index in 0..contacts {
            state.reset_gap(model, index);
        }
        state.ledger = Ledger::open(
            (0..model.bodies.len()).map(|i| state.body_energy(model, BodyId(i))).collect(),
            (0..contacts).map(|i| state.contact_energy(model, ContactId(i))).collect(),
        );
        rest_untouched(model, &mut state);
        state
    }

    /// Sets what a contact imposes over the next step: a force (N, on end A), or the velocity (m/s, of A relative to B) at
    /// which the step is to end.
    pub fn set_input(&mut self, contact: ContactId, value: f64) {
        self.inputs[contact.0] = value;
    }

    /// Moves the gap of a contact to `gap` (m) over the next step: a surface passing under a point, a finger along a string.
    /// The work of whoever moves it is booked as supplied.
    pub fn set_gap(&mut self, model: &Model, contact: ContactId, gap: f64) {
        let offset = &mut self.offsets[contact.0];
        offset.next = gap;
        self.rates[contact.0] = offset.rate(model.clock);
        if !std::mem::replace(&mut offset.moving, true) {
            self.moving.push(contact.0);
        }
    }

    /// Presses the surfaces of a contact together with `normal` (N, at least 0) from the next step on. Friction needs it, other laws ignore it.
    pub fn press(&mut self, model: &Model, contact: ContactId, normal: f64) {
        let joint = &model.joints[contact.0];
        let usable = normal.abs() < HUGE;
        self.counts.refused_forces += u64::from(!usable);
        if let Law::Resolvent(law) = &joint.contact.law {
            law.press(&mut self.values[joint.state.clone()], if usable { normal.max(0.0) } else { 0.0 });
        }
    }

    /// Lets end B of a contact slide past end A with `velocity` (m/s) on top of its own motion, from the next step on: the bow, the belt, the player's hand.
    /// Its work is booked as supplied.
    pub fn slide(&mut self, contact: ContactId, velocity: f64) {
        let usable = velocity.abs() < HUGE;
        self.counts.refused_forces += u64::from(!usable);
        self.rates[contact.0] = if usable { velocity } else { 0.0 };
    }

    /// Engages or releases an imposed velocity.
    pub fn engage(&mut self, model: &Model, contact: ContactId, on: bool) {
        self.grip(model, contact, if on { 1.0 } else { 0.0 });
    }

    /// Lets an imposed velocity act with `weight`: 0 lets go, 1 holds rigidly, in between it is a light touch, which takes that share of the velocity
    /// a lone port would have.
    pub fn grip(&mut self, model: &Model, contact: ContactId, weight: f64) {
        let weight = if weight > 0.0 { weight.min(1.0) } else { 0.0 };
        if self.grips[contact.0] == weight {
            return;
        }
        self.grips[contact.0] = weight;
        for (island, work) in model.islands.iter().zip(&mut self.workspaces) {
            if island.joints.contains(&contact.0) {
                self.counts.dropped_pivots += island.eliminate(model, &self.grips, work) as u64;
            }
        }
    }

    /// Sets the velocity a contact imposes so that its ends return to the distance `displacement` (u_A − u_B, m) at `rate` (1/s): a held point that does not drift.
    pub fn hold(&mut self, model: &Model, contact: ContactId, displacement: f64, rate: f64) {
        let distance = self.read_gap(model, contact.0).now + self.offsets[contact.0].now;
        self.inputs[contact.0] = rate * (displacement - distance);
    }

    /// Moves a port along its body to `place`, a fraction of its path, from the next step on. Returns false for a port that cannot move.
    ///
    /// Whoever moves the port does no work: the forces there act across its path. Laws that keep a gap of their own (springs, collisions) do not notice the move.
    pub fn move_port(&mut self, model: &Model, body: BodyId, port: usize, place: f64) -> bool {
        let Body { resonator, state, .. } = &model.bodies[body.0];
        if !resonator.is_movable(port) || !place.is_finite() {
            return false;
        }
        resonator.move_port(&mut self.values[state.clone()], port, place);
        let touches = |joint: &usize| model.joints[*joint].contact.ends.contains(&End::port(body, port));
        for (island, work) in model.islands.iter().zip(&mut self.workspaces) {
            work.moved |= island.varies && island.joints.iter().any(touches);
        }
        true
    }

    /// Pulls part `part` of a body, a head of a drum, with `share` of the tension it was built for, from the next step on. The work of whoever pulls is booked as
    /// supplied. Returns false for a body without tension, or a share that is not above 0 and at most 1.
    pub fn tighten(&mut self, model: &Model, body: BodyId, part: usize, share: f64) -> bool {
        let Body { resonator, state, .. } = &model.bodies[body.0];
        let possible = !self.is_quarantined(body) && resonator.tighten(&mut self.values[state.clone()], part, share);
        if !possible {
            return false;
        }
        self.conditions[body.0] = Condition::Moving;
        if self.ledger.enabled {
            let energy = self.body_energy(model, body);
            let entry = &mut self.ledger.bodies[body.0];
            let jump = energy - entry.stored;
            entry.book(energy, jump, 0.0, 0.0);
            self.ledger.close_step(jump, 0.0, 0.0);
        }
        true
    }

    /// Throws a body. Returns false if it cannot be thrown.
    pub fn throw(&mut self, model: &Model, body: BodyId, velocity: f64, position: Option<f64>) -> bool {
        self.set_body(model, body, |resonator, state| resonator.throw(state, velocity, position))
    }

    /// Displaces a body to a shape at rest. Returns false if the shape does not exist.
    pub fn deflect(&mut self, model: &Model, body: BodyId, deflection: Deflection) -> bool {
        self.set_body(model, body, |resonator, state| resonator.deflect(state, deflection))
    }

    /// Changes a body's state and books the jump of stored energy as supplied.
    fn set_body(
        &mut self,
        model: &Model,
        id: BodyId,
        change: impl FnOnce(&dyn crate::resonator::Resonator, &mut [f64]) -> bool,
    ) -> bool {
        let body = &model.bodies[id.0];
        if self.is_quarantined(id) || !change(&*body.resonator, &mut self.values[body.state.clone()]) {
            return false;
        }
        self.conditions[id.0] = Condition::Moving;
        // not a state the books can hold
        let sound = self.body_energy(model, id).abs() < HUGE * HUGE
            && self.values[body.state.clone()].iter().all(|value| value.abs() < HUGE);
        if !sound {
            quarantine(model, self, id.0);
        }
        let mut supplied = 0.0;
        for (i, joint) in model.joints.iter().enumerate() {
            if joint.contact.ends.iter().any(|end| matches!(end, End::Port { body, .. } if *body == id)) {
                self.reset_gap(model, i);
                let energy = self.contact_energy(model, ContactId(i));
                let jump = energy - self.ledger.contacts[i].stored;
                self.ledger.book_contact(i, energy, jump, 0.0);
                supplied += jump;
            }
        }
        let energy = self.body_energy(model, id);
        let entry = &mut self.ledger.bodies[id.0];
        let jump = energy - entry.stored;
        entry.book(energy, jump, 0.0, 0.0);
        if self.ledger.enabled {
            self.ledger.close_step(supplied + jump, 0.0, 0.0);
        }
        true
    }

    /// Displacement of a port, m.
    pub fn displacement(&self, model: &Model, body: BodyId, port: usize) -> f64 {
        let body = &model.bodies[body.0];
        body.resonator.displacement(&self.values[body.state.clone()], port)
    }

    /// Displacement along a body that lives on a grid, both ends included, m.
    pub fn profile(&self, model: &Model, body: BodyId) -> Option<Cow<'_, [f64]>> {
        let body = &model.bodies[body.0];
        body.resonator.profile(&self.values[body.state.clone()])
    }

    /// Displacement over surface `which` (0, or 1 for the lower head of a drum) of a body that lives on a grid in two dimensions, m.
    pub fn sheet<'a>(&'a self, model: &'a Model, body: BodyId, which: usize) -> Option<Sheet<'a>> {
        let body = &model.bodies[body.0];
        body.resonator.sheet(&self.values[body.state.clone()], which)
    }

    /// Velocity of a port, m/s (at n − ½ in leapfrog).
    pub fn velocity(&self, model: &Model, body: BodyId, port: usize) -> f64 {
        let body = &model.bodies[body.0];
        body.resonator.velocity(&self.values[body.state.clone()], port)
    }

    /// Velocity at which the ends of a contact close now, m/s (at n − ½ in leapfrog).
    pub(crate) fn closing_velocity(&self, model: &Model, joint: &Joint) -> f64 {
        let ends = joint.contact.ends.into_iter().zip([1.0, -1.0]);
        ends.map(|(end, sign)| match end {
            End::Wall => 0.0,
            End::Port { body, port } => sign * self.velocity(model, body, port),
        })
        .sum()
    }

    /// Force of a contact over the last step, N: positive pushes the ends apart.
    pub fn contact_force(&self, contact: ContactId) -> f64 {
        self.contact_forces[contact.0]
    }

    /// Stored energy of a body, J.
    pub fn body_energy(&self, model: &Model, body: BodyId) -> f64 {
        let body = &model.bodies[body.0];
        body.resonator.energy(&self.values[body.state.clone()])
    }

    /// Stored energy of a contact, J.
    pub fn contact_energy(&self, model: &Model, contact: ContactId) -> f64 {
        let joint = &model.joints[contact.0];
        let state = &self.values[joint.state.clone()];
        match &joint.contact.law {
            Law::Force | Law::Velocity => 0.0,
            Law::Spring(spring) => spring.energy(state),
            Law::Resolvent(law) => law.energy(state),
        }
    }

    /// Gap coordinate of a contact as its bodies stand: u_A − u_B − gap, positive when compressed.
    pub fn gap(&self, model: &Model, contact: ContactId) -> Gap {
        self.read_gap(model, contact.0)
    }

    /// The smallest magnitude in the state that is not zero, if any: what has decayed is flushed long before numbers lose digits.
    pub fn faintest(&self) -> Option<f64> {
        self.values.iter().map(|value| value.abs()).filter(|&size| size > 0.0).min_by(f64::total_cmp)
    }

    /// True if the body has decayed and is passed over until something touches it.
    pub fn is_asleep(&self, body: BodyId) -> bool {
        self.conditions[body.0] == Condition::Asleep
    }

    /// True if the body was stopped because its state was not finite.
    pub fn is_quarantined(&self, body: BodyId) -> bool {
        self.conditions[body.0] == Condition::Quarantined
    }

    pub(crate) fn read_gap(&self, model: &Model, index: usize) -> Gap {
        let joint = &model.joints[index];
        let (mut now, mut before) = (-self.offsets[index].now, -self.offsets[index].before);
        for (end, sign) in joint.contact.ends.into_iter().zip([1.0, -1.0]) {
            let End::Port { body, port } = end else {
                continue;
            };
            let displacement = self.displacement(model, body, port);
            now += sign * displacement;
            before += sign
                * match model.clock.frame {
                    Frame::Midpoint => displacement,
                    Frame::Leapfrog => displacement - model.clock.dt * self.velocity(model, body, port),
                };
        }
        Gap { now, before }
    }

    /// From its next open moment on, the contact takes its gap from its bodies.
    pub(crate) fn mark_stale(&mut self, contact: usize) {
        self.stale[contact] = true;
        self.any_stale = true;
    }

    fn reset_gap(&mut self, model: &Model, index: usize) {
        let gap = self.read_gap(model, index);
        let joint = &model.joints[index];
        self.resting[index] = false;
        let state = &mut self.values[joint.state.clone()];
        match &joint.contact.law {
            Law::Force | Law::Velocity => {}
            Law::Spring(_) => gap.store(state),
            Law::Resolvent(law) => law.reset(state, gap),
        }
    }
}
