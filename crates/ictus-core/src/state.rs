//! The variable part of a simulation: one flat vector, the ledger, and workspaces. A clone is a snapshot.

use crate::boundary::{Balance, Boundary};
use crate::clock::{Clock, Scheme};
use crate::clone_in_place::Reserved;
use crate::contact::{BodyId, ContactId, End, Law};
use crate::contact_statistics::ContactStatistics;
use crate::interaction::{Gap, Rubbing};
use crate::ledger::Ledger;
use crate::model::{Body, Model, ModelContact};
use crate::persist::{Damage, Persist, Source};
use crate::resonator::surface::SurfaceShape;
use crate::resonator::{Deflection, Resonator};
use crate::solver::SolverCounts;
use crate::solver::field;
use crate::solver::island::Workspace;
use crate::step::housekeeping::rest_untouched;
use crate::step::row::RowScan;
use crate::step::{HUGE, quarantine};
use ictus_kernels::Aligned;
use std::ops::Range;

/// All variables that change from step to step.
#[derive(Debug)]
pub struct State {
    pub(crate) values: Aligned,
    /// Per contact: imposed force or velocity.
    pub(crate) inputs: Vec<f64>,
    /// Per contact: weight of an imposed velocity, 0 to 1.
    pub(crate) grips: Vec<f64>,
    /// Per touched port.
    pub(crate) free: Vec<f64>,
    pub(crate) forces: Vec<f64>,
    /// The part of `forces` that `free` contains already: external forces.
    pub(crate) external: Vec<f64>,
    /// s of bodies that stiffen, in the current step.
    pub(crate) stiffening: Vec<f64>,
    pub(crate) pressed: Pressed,
    /// Per contact, of the last step.
    pub(crate) contact_forces: Vec<f64>,
    pub(crate) workspaces: Vec<Workspace>,
    pub(crate) field_works: Vec<field::Work>,
    /// Per body.
    pub(crate) conditions: Vec<Condition>,
    /// Per contact: the current gap, for contacts whose gap moves.
    pub(crate) offsets: Vec<Offset>,
    /// Per contact: opening velocity of its gap over the next step, m/s.
    pub(crate) rates: Vec<f64>,
    /// Contacts whose gap moved in the last step or moves in the next.
    pub(crate) moving: Reserved<usize>,
    /// Contacts whose gap must be read from their bodies as soon as they are open.
    pub(crate) stale: Vec<bool>,
    pub(crate) any_stale: bool,
    /// Contacts that are open, store no energy and exert no force.
    pub(crate) resting: Vec<bool>,
    /// Of the current row of contacts.
    pub(crate) row_scan: RowScan,
    /// Number of steps taken.
    pub steps: u64,
    /// Work done from outside, with or without the ledger.
    pub(crate) boundary: Boundary,
    /// The energy ledger.
    pub ledger: Ledger,
    /// Counters of the solver.
    pub counts: SolverCounts,
    /// Statistics of each contact, in the model's order.
    pub contact_statistics: Vec<ContactStatistics>,
}

clone_in_place!(State {
    values,
    inputs,
    grips,
    free,
    forces,
    external,
    stiffening,
    pressed,
    contact_forces,
    workspaces,
    field_works,
    conditions,
    offsets,
    rates,
    moving,
    stale,
    any_stale,
    resting,
    row_scan,
    steps,
    boundary,
    ledger,
    counts,
    contact_statistics
});

persist!(Offset { now, before, next, moving });

impl Persist for Condition {
    fn write(&self, out: &mut Vec<u8>) {
        out.push(*self as u8);
    }

    fn read(&mut self, from: &mut Source) -> Result<(), Damage> {
        let [number] = from.take()?;
        let all = [Self::Moving, Self::Asleep, Self::Quarantined];
        *self = all.into_iter().find(|condition| *condition as u8 == number).ok_or(Damage::Mismatch)?;
        Ok(())
    }
}

/// State of activity of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Condition {
    /// Simulated normally.
    Moving,
    /// [At rest](crate::resonator::Resonator::come_to_rest) and skipped until a force wakes it.
    Asleep,
    /// Stopped permanently because its state was out of range.
    Quarantined,
}

/// Magnitude of a body's values, in whatever coordinates, below which its energy is within the range of the ledger too: the square, 10²⁰⁰, leaves a factor of 10¹⁰⁰ for stiffnesses and sums.
const MODEST: f64 = 1e100;

/// Most ports of a body that are checked one by one; of more, the marked bits are searched.
const FEW_PORTS: usize = 4;

/// The ports with a force in this step.
#[derive(Debug)]
pub(crate) struct Pressed {
    /// One bit per touched port of the model.
    bits: Vec<u64>,
    rows: Vec<usize>,
    ports: Vec<usize>,
    forces: Vec<f64>,
}

clone_in_place!(Pressed { bits, rows, ports, forces });

impl Pressed {
    fn new(slots: usize, max_ports: usize) -> Self {
        Self {
            bits: vec![0; slots.div_ceil(64)],
            rows: vec![0; max_ports],
            ports: vec![0; max_ports],
            forces: vec![0.0; max_ports],
        }
    }

    #[inline]
    pub fn mark(&mut self, slot: usize) {
        self.bits[slot / 64] |= 1 << (slot % 64);
    }

    /// Calls `release` for every marked port, and clears the marks.
    pub fn release(&mut self, mut release: impl FnMut(usize)) {
        for (word, bits) in self.bits.iter_mut().enumerate() {
            let mut left = std::mem::take(bits);
            while left != 0 {
                release(64 * word + left.trailing_zeros() as usize);
                left &= left - 1;
            }
        }
    }

    /// The ports of a body with a force, in order: rows, ports and forces.
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
        if end - start <= FEW_PORTS {
            (start..end).for_each(take);
        } else {
            for word in start / 64..end.div_ceil(64) {
                let mut left = self.bits[word];
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
    /// Whether it is in the list of moving gaps.
    pub moving: bool,
}

impl Offset {
    /// Opening velocity of the gap if it is to reach `next`, m/s.
    pub fn rate(&self, clock: Clock) -> f64 {
        let start = Gap { now: self.now, before: self.before }.start(clock);
        (self.next - start) / clock.span()
    }
}

impl State {
    /// The initial state of a model.
    pub fn new(model: &Model) -> Self {
        let contacts = model.contacts.len();
        let grips = vec![0.0; contacts];
        let workspaces = model.islands.iter().map(|island| island.workspace(model, &grips)).collect();
        let field_works = model
            .fields
            .iter()
            .filter_map(|field| Some(field.work(model.bodies[field.body].resonator.capabilities().banded?)))
            .collect();
        let mut state = Self {
            values: Aligned::new(0.0, model.state_len),
            inputs: vec![0.0; contacts],
            grips,
            free: vec![0.0; model.slot_count],
            forces: vec![0.0; model.slot_count],
            external: vec![0.0; model.slot_count],
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
                .contacts
                .iter()
                .map(|ModelContact { definition, .. }| Offset {
                    now: definition.gap,
                    before: definition.gap,
                    next: definition.gap,
                    moving: false,
                })
                .collect(),
            rates: vec![0.0; contacts],
            moving: Reserved::new(contacts),
            stale: vec![false; contacts],
            any_stale: false,
            resting: vec![false; contacts],
            row_scan: RowScan::new(&model.rows),
            steps: 0,
            boundary: Boundary::default(),
            ledger: Ledger::open(Vec::new(), Vec::new()),
            counts: SolverCounts::default(),
            contact_statistics: vec![ContactStatistics::default(); contacts],
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

    /// Switches the energy ledger on or off. Switched on, it begins anew with the energy stored now. Does not allocate.
    pub fn audit(&mut self, model: &Model, enabled: bool) {
        if enabled && !self.ledger.enabled {
            let mut ledger = std::mem::replace(&mut self.ledger, Ledger::open(Vec::new(), Vec::new()));
            ledger.reopen(
                model.body_ids().map(|body| self.body_energy(model, body)),
                model.contact_ids().map(|contact| self.contact_energy(model, contact)),
            );
            self.ledger = ledger;
        }
        self.ledger.enabled = enabled;
    }

    /// Switches the sum of the work done from outside on or off, which [`balance`](Self::balance) needs; it is off at first, costs little, and does not need the ledger. Switched on, it
    /// begins anew. Does not allocate.
    pub fn measure(&mut self, model: &Model, enabled: bool) {
        if enabled && !self.boundary.enabled {
            let stored = self.stored(model);
            self.boundary.open(stored);
        }
        self.boundary.enabled = enabled;
    }

    /// True if the work done from outside is summed: see [`measure`](Self::measure).
    pub fn is_measured(&self) -> bool {
        self.boundary.enabled
    }

    /// Energies since [measuring](Self::measure) began. Costs one pass over the state; does not allocate.
    pub fn balance(&self, model: &Model) -> Balance {
        self.boundary.balance(self.stored(model))
    }

    /// Energy stored by bodies and contacts now, J.
    pub fn stored(&self, model: &Model) -> f64 {
        let bodies: f64 =
            model.body_ids().filter(|body| !self.is_asleep(*body)).map(|body| self.body_energy(model, body)).sum();
        bodies + model.contact_ids().map(|contact| self.contact_energy(model, contact)).sum::<f64>()
    }

    /// True if the energies before and after a gesture matter.
    fn books_jumps(&self) -> bool {
        self.ledger.enabled || self.boundary.enabled
    }

    /// Sets the input of a contact over the next step: a force (N, on end A), or the velocity (m/s, of A relative to B) at
    /// the end of the step.
    pub fn set_input(&mut self, contact: ContactId, value: f64) {
        self.inputs[contact.0] = value;
    }

    /// Moves the gap of a contact to `gap` (m) over the next step: a surface passing under a point, a finger along a string.
    /// The ledger enters the external work as supplied.
    pub fn set_gap(&mut self, model: &Model, contact: ContactId, gap: f64) {
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
        self.conditions[body.0] = Condition::Moving;
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
        self.conditions[body.0] = Condition::Moving;
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

    /// True if the values and the energy of a body are in the range of the ledger.
    fn is_sound(&self, model: &Model, id: BodyId) -> bool {
        let values = &self.values[model.bodies[id.0].state.clone()];
        let within = |limit: f64| values.iter().fold(true, |within, value| within & (value.abs() < limit));
        // the usual case, without a pass for the energy
        within(MODEST) || within(HUGE) && self.body_energy(model, id).abs() < HUGE * HUGE
    }

    /// Energy of a body before a gesture, J, if it matters.
    fn energy_before(&self, model: &Model, id: BodyId) -> f64 {
        if self.ledger.enabled {
            self.ledger.bodies[id.0].stored
        } else if self.boundary.enabled {
            self.body_energy(model, id)
        } else {
            0.0
        }
    }

    /// Enters the jump of a body's stored energy from `before` as supplied; returns it, J.
    fn book_jump(&mut self, model: &Model, id: BodyId, before: f64) -> f64 {
        if !self.books_jumps() {
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
    fn close_jump(&mut self, jump: f64) {
        self.boundary.add(jump);
        if self.ledger.enabled {
            self.ledger.close_step(jump, 0.0, 0.0);
        }
    }

    /// Energy of the contacts of a body, J.
    fn energy_of_contacts(&self, model: &Model, id: BodyId) -> f64 {
        let touching = model.contact_ids().filter(|contact| model.contacts[contact.0].touches(id));
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
        self.conditions[id.0] = Condition::Moving;
        if !self.is_sound(model, id) {
            quarantine(model, self, id.0);
        }
        for (i, contact) in model.contacts.iter().enumerate() {
            if contact.touches(id) {
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

    /// Displacement of a port, m.
    pub fn displacement(&self, model: &Model, body: BodyId, port: usize) -> f64 {
        let body = &model.bodies[body.0];
        body.resonator.displacement(&self.values[body.state.clone()], port)
    }

    /// Displacement along a body on a grid, both ends included, m. Allocates.
    pub fn profile(&self, model: &Model, body: BodyId) -> Option<Vec<f64>> {
        let body = &model.bodies[body.0];
        body.resonator.capabilities().shape?.profile(&self.values[body.state.clone()])
    }

    /// Writes the displacement (m) along a body at as many even distances as `out` has, both ends included: see [`Shape::profile_into`](crate::Shape::profile_into). Does not allocate.
    pub fn profile_into(&self, model: &Model, body: BodyId, out: &mut [f64]) -> bool {
        let body = &model.bodies[body.0];
        let shape = body.resonator.capabilities().shape;
        shape.is_some_and(|shape| shape.profile_into(&self.values[body.state.clone()], out))
    }

    /// Displacement over surface `which` (0, or 1 for the lower head of a drum) of a body on a two-dimensional grid, m.
    pub fn surface_shape<'a>(&'a self, model: &'a Model, body: BodyId, which: usize) -> Option<SurfaceShape<'a>> {
        let body = &model.bodies[body.0];
        body.resonator.capabilities().shape?.surface_shape(&self.values[body.state.clone()], which)
    }

    /// Velocity of a port, m/s (at n − ½ in leapfrog).
    pub fn velocity(&self, model: &Model, body: BodyId, port: usize) -> f64 {
        let body = &model.bodies[body.0];
        body.resonator.velocity(&self.values[body.state.clone()], port)
    }

    /// Current approach velocity of the ends of a contact, m/s (at n − ½ in leapfrog).
    pub(crate) fn approach_velocity(&self, model: &Model, contact: &ModelContact) -> f64 {
        let ends = contact.definition.ends.into_iter().zip([1.0, -1.0]);
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

    /// Velocity at which the ends of a contact approach each other now, m/s (at n − ½ in leapfrog).
    pub fn approach(&self, model: &Model, contact: ContactId) -> f64 {
        self.approach_velocity(model, &model.contacts[contact.0])
    }

    /// How the surfaces of a contact with friction move on each other; `None` for other laws.
    pub fn rubbing(&self, model: &Model, contact: ContactId) -> Option<Rubbing> {
        let contact = &model.contacts[contact.0];
        match &contact.definition.law {
            Law::Resolvent(law) => law.rubbing(&self.values[contact.state.clone()]),
            _ => None,
        }
    }

    /// Stored energy of a body, J.
    pub fn body_energy(&self, model: &Model, body: BodyId) -> f64 {
        let body = &model.bodies[body.0];
        body.resonator.energy(&self.values[body.state.clone()])
    }

    /// Stored energy of a contact, J.
    pub fn contact_energy(&self, model: &Model, contact: ContactId) -> f64 {
        let contact = &model.contacts[contact.0];
        let state = &self.values[contact.state.clone()];
        match &contact.definition.law {
            Law::Force | Law::Velocity => 0.0,
            Law::Spring(spring) => spring.energy(state),
            Law::Resolvent(law) => law.energy(state),
        }
    }

    /// The gap of a contact now, m: the distance that A travels towards B before they touch, where [`set_gap`](Self::set_gap) has moved it.
    pub fn contact_gap(&self, contact: ContactId) -> f64 {
        self.offsets[contact.0].now
    }

    /// Gap coordinate of a contact from the positions of its bodies: u_A − u_B − gap, positive when compressed.
    pub fn gap(&self, model: &Model, contact: ContactId) -> Gap {
        self.read_gap(model, contact.0)
    }

    /// The smallest non-zero magnitude in the state, if any: decayed values are flushed long before they become subnormal.
    pub fn faintest(&self) -> Option<f64> {
        self.values.iter().map(|value| value.abs()).filter(|&size| size > 0.0).min_by(f64::total_cmp)
    }

    /// True if the body has decayed and is skipped until a force wakes it.
    pub fn is_asleep(&self, body: BodyId) -> bool {
        self.conditions[body.0] == Condition::Asleep
    }

    /// True if the body was stopped because its state was not finite.
    pub fn is_quarantined(&self, body: BodyId) -> bool {
        self.conditions[body.0] == Condition::Quarantined
    }

    pub(crate) fn read_gap(&self, model: &Model, index: usize) -> Gap {
        let contact = &model.contacts[index];
        let (mut now, mut before) = (-self.offsets[index].now, -self.offsets[index].before);
        for (end, sign) in contact.definition.ends.into_iter().zip([1.0, -1.0]) {
            let End::Port { body, port } = end else {
                continue;
            };
            let displacement = self.displacement(model, body, port);
            now += sign * displacement;
            before += sign
                * match model.clock.scheme {
                    Scheme::Midpoint => displacement,
                    Scheme::Leapfrog => displacement - model.clock.dt * self.velocity(model, body, port),
                };
        }
        Gap { now, before }
    }

    /// Marks a contact to read its gap from its bodies when it is next open.
    pub(crate) fn mark_stale(&mut self, contact: usize) {
        self.stale[contact] = true;
        self.any_stale = true;
    }

    fn reset_gap(&mut self, model: &Model, index: usize) {
        let gap = self.read_gap(model, index);
        let contact = &model.contacts[index];
        self.resting[index] = false;
        let state = &mut self.values[contact.state.clone()];
        match &contact.definition.law {
            Law::Force | Law::Velocity => {}
            Law::Spring(_) => gap.store(state),
            Law::Resolvent(law) => law.reset(state, gap),
        }
    }
}
