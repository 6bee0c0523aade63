//! The variable part of a simulation: one flat vector, the ledger, and workspaces. A clone is a snapshot.

mod acting;
mod pressed;
mod reading;

pub(crate) use self::pressed::Pressed;
use crate::awake::Awake;
use crate::boundary::{Balance, Boundary};
use crate::clock::Clock;
use crate::clone_in_place::Reserved;
use crate::contact::{BodyId, ContactId, Law};
use crate::contact_statistics::ContactStatistics;
use crate::interaction::Gap;
use crate::ledger::Ledger;
use crate::model::{Model, ModelContact};
use crate::persist::{Damage, Persist, Source};
use crate::solver::SolverCounts;
use crate::solver::island::Workspace;
use crate::step::housekeeping::rest_untouched;
use crate::step::row::RowScan;
use ictus_kernels::Aligned;

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
    /// Per body.
    pub(crate) conditions: Vec<Condition>,
    pub(crate) awake: Awake,
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
    conditions,
    awake,
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
            conditions: vec![Condition::Moving; model.bodies.len()],
            awake: Awake::new(model),
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

    /// Marks a contact to read its gap from its bodies when it is next open.
    pub(crate) fn mark_stale(&mut self, contact: usize) {
        self.stale[contact] = true;
        self.any_stale = true;
        self.awake.wake_contact(contact);
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
