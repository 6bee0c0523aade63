//! Free runs: blocks of steps without contact. All bodies take a whole block of steps, and the gaps of the contacts are checked afterwards.
//!
//! External forces may act during a block if they are scheduled, i.e. known for all of its steps: a weight, a pluck.
//!
//! The sound has the bits of [`step`](crate::step). If a contact would have closed within the block, the bodies are rolled back and
//! take only the steps before it. The ledger is the same except that the stored energy is measured once per block.

mod scheduled_force;
mod watch;

use crate::contact::{BodyId, ContactId, Law};
use crate::interaction::Gap;
use crate::model::{Endpoint, Model};
use crate::paths::{Special, takes};
use crate::resonator::{Block, StepValues};
use crate::state::{Condition, State};
use crate::step::HUGE;
use crate::step::housekeeping::{self, HOUSEKEEPING, rest_some};
use ictus_kernels::all_between;
use scheduled_force::ScheduledForce;
use watch::Watch;

/// Most steps of a block if many contacts may close or the ledger is enabled.
pub const BLOCK: usize = 64;
/// Most steps of any other block: up to the next housekeeping.
pub const LONG_BLOCK: usize = HOUSEKEEPING as usize;

/// Most contacts whose gaps over a long block leave space for the bodies in the first-level cache.
const FEW_CONTACTS: usize = 4;

/// Fewest steps before a contact closes that are worth a block: fewer are as fast one by one.
const MIN_STEPS: usize = 4;

/// Runs a model through blocks of steps without contact, and records some of its ports.
#[derive(Clone, Debug)]
pub struct FreeRun {
    /// False for a model whose contacts always act.
    possible: bool,
    /// Per body.
    bodies: Vec<BlockBody>,
    /// Per recorded velocity port: its body and its index among the velocity ports of that body.
    velocity_ports: Vec<(usize, usize)>,
    /// Per recorded displacement port, likewise.
    displacement_ports: Vec<(usize, usize)>,
    watches: Vec<Watch>,
    /// Index of the watch of each contact.
    watch_of: Vec<Option<usize>>,
    /// In the order in which they act.
    scheduled: Vec<ScheduledForce>,
    /// Index of the scheduled force of each contact.
    scheduled_of: Vec<Option<usize>>,
    /// A scheduled force acts in this block.
    driven: bool,
    /// The work of the forces in this block is summed from recorded velocities.
    recorded: bool,
    /// The state before the block, for the roll-back.
    before: Vec<f64>,
    /// Energy dissipated by all bodies, and supplied from outside, in each step, J.
    lost: Vec<f64>,
    supplied: Vec<f64>,
    /// Energy received by one body in each step, J.
    received: Vec<f64>,
    /// The contact that was last found active, checked first: it is likely to be active again.
    last_active: usize,
    /// The last block ended before a step that must be taken singly.
    interrupted: bool,
}

/// Inputs and recorded outputs of a body in a block.
#[derive(Clone, Debug, Default)]
struct BlockBody {
    /// Ports of contacts, then other driven ports, whose free velocity only the ledger needs.
    free_ports: Vec<usize>,
    /// Number of ports of contacts, and number of free-velocity ports recorded in this block.
    contact_ports: usize,
    recorded: usize,
    free: Vec<f64>,
    velocity_ports: Vec<usize>,
    velocities: Vec<f64>,
    displacement_ports: Vec<usize>,
    displacements: Vec<f64>,
    /// Ports driven in this block, in the order of the touched ones.
    pushed: Vec<usize>,
    forces: Vec<f64>,
    /// Energy dissipated in each step, J.
    lost: Vec<f64>,
}

impl FreeRun {
    /// A free run of `model` that records the velocities of `ports`.
    pub fn new(model: &Model, ports: &[(BodyId, usize)]) -> Self {
        let mut free_run = Self {
            possible: model.contacts.iter().all(|contact| can_be_inactive(&contact.definition.law)),
            bodies: vec![BlockBody::default(); model.bodies.len()],
            velocity_ports: Vec::new(),
            displacement_ports: Vec::new(),
            watches: Vec::new(),
            watch_of: vec![None; model.contacts.len()],
            scheduled: Vec::new(),
            scheduled_of: vec![None; model.contacts.len()],
            driven: false,
            recorded: false,
            before: vec![0.0; model.state_len],
            lost: vec![0.0; LONG_BLOCK],
            supplied: vec![0.0; LONG_BLOCK],
            received: vec![0.0; LONG_BLOCK],
            last_active: 0,
            interrupted: false,
        };
        for &(body, port) in ports {
            let index = index_in(&mut free_run.bodies[body.0].velocity_ports, port);
            free_run.velocity_ports.push((body.0, index));
        }
        for (contact, contact_of_model) in model.contacts.iter().enumerate() {
            if matches!(contact_of_model.definition.law, Law::Resolvent(_)) {
                let ends =
                    contact_of_model.endpoints.map(|endpoint| endpoint.map(|endpoint| free_run.watch(model, endpoint)));
                free_run.watch_of[contact] = Some(free_run.watches.len());
                free_run.watches.push(Watch::new(contact, ends));
            }
        }
        let longest = free_run.longest_without_ledger();
        for watch in &mut free_run.watches {
            watch.reserve(longest);
        }
        for body in &mut free_run.bodies {
            body.contact_ports = body.free_ports.len();
        }
        free_run.scheduled = model
            .external_forces
            .iter()
            .map(|external| ScheduledForce::new(model, external, &mut free_run.bodies))
            .collect();
        for (i, (scheduled, external)) in free_run.scheduled.iter_mut().zip(&model.external_forces).enumerate() {
            scheduled.find_affected(model, external, &free_run.bodies);
            free_run.scheduled_of[external.contact] = Some(i);
        }
        for body in &mut free_run.bodies {
            body.free = vec![0.0; body.free_ports.len() * LONG_BLOCK];
            body.velocities = vec![0.0; body.velocity_ports.len() * LONG_BLOCK];
            body.pushed = Vec::with_capacity(body.free_ports.len());
            body.forces = vec![0.0; body.free_ports.len() * LONG_BLOCK];
            body.lost = vec![0.0; LONG_BLOCK];
        }
        free_run
    }

    /// Also records the displacements of `ports`.
    pub fn with_displacements(mut self, ports: &[(BodyId, usize)]) -> Self {
        for &(body, port) in ports {
            let block_body = &mut self.bodies[body.0];
            let index = index_in(&mut block_body.displacement_ports, port);
            block_body.displacements.resize(block_body.displacement_ports.len() * LONG_BLOCK, 0.0);
            self.displacement_ports.push((body.0, index));
        }
        self
    }

    fn watch(&mut self, model: &Model, (slot, sign): Endpoint) -> (usize, usize, f64) {
        let owner = model.bodies.iter().position(|body| body.slots.contains(&slot)).expect("every slot has a body");
        let body = &model.bodies[owner];
        (owner, index_in(&mut self.bodies[owner].free_ports, body.touched[slot - body.slots.start]), sign)
    }

    /// Inputs of an external force (N, on end A) in the steps of the next block only; the caller must write all steps that it requests. Without them the input
    /// of the state [holds](State::set_input). `None` if the force cannot be scheduled, because the mobility of a body varies: call [`step`](crate::step)
    /// while it acts.
    pub fn inputs(&mut self, contact: ContactId) -> Option<&mut [f64]> {
        let scheduled = &mut self.scheduled[self.scheduled_of[contact.0]?];
        scheduled.planned = true;
        Some(&mut scheduled.inputs)
    }

    /// Takes up to `steps` steps, at most the [longest](Self::longest) block, while no contact closes; returns their number. After 0, call [`step`](crate::step).
    pub fn run(&mut self, model: &Model, state: &mut State, steps: usize) -> usize {
        let steps_taken = self.try_run(model, state, steps);
        for scheduled in &mut self.scheduled {
            scheduled.planned = false;
        }
        steps_taken
    }

    fn try_run(&mut self, model: &Model, state: &mut State, steps: usize) -> usize {
        self.interrupted = true;
        if steps == 0 || !takes(Special::FreeRun, 0) || !self.is_idle(model, state) {
            return 0;
        }
        // housekeeping ends a block
        let until_housekeeping = HOUSEKEEPING - state.steps % HOUSEKEEPING;
        let steps = steps.min(self.longest(state)).min(until_housekeeping as usize);
        if !self.prepare(model, state, steps) {
            return 0;
        }
        rest_some(model, state);
        self.before.copy_from_slice(&state.values);
        let mut overstretched = self.advance(model, state, steps);
        let mut open = self.open_steps(model, state, steps);
        if open == steps && !self.is_sound(model, state) {
            // a single step finds the faulty body
            open = 0;
        }
        if open < steps {
            state.values.copy_from_slice(&self.before);
            if open < MIN_STEPS {
                return 0;
            }
            overstretched = self.advance(model, state, open);
        }
        self.interrupted = open < steps;
        self.move_gaps(model, state, open);
        state.contact_forces.fill(0.0);
        for scheduled in &self.scheduled {
            scheduled.write_back(state, open);
        }
        state.counts.overstretched += overstretched;
        self.sum_supplied(model, state, open);
        if state.ledger.enabled {
            self.book(model, state, open);
        }
        state.steps += open as u64;
        takes(Special::FreeRun, open);
        housekeeping::run(model, state);
        open
    }

    /// Most steps of a block: [`LONG_BLOCK`] if few contacts may close and the ledger is disabled, otherwise [`BLOCK`].
    pub fn longest(&self, state: &State) -> usize {
        if state.ledger.enabled { BLOCK } else { self.longest_without_ledger() }
    }

    fn longest_without_ledger(&self) -> usize {
        if self.watches.len() <= FEW_CONTACTS { LONG_BLOCK } else { BLOCK }
    }

    /// True if the last [`run`](Self::run) ended because a contact is closed, or would have closed, and not because all steps were taken.
    pub fn was_interrupted(&self) -> bool {
        self.interrupted
    }

    /// True if no contact acts now except scheduled forces: a block may begin.
    pub fn is_idle(&mut self, model: &Model, state: &State) -> bool {
        let stopped = state.conditions.contains(&Condition::Quarantined);
        if !self.possible || !state.moving.is_empty() || state.any_stale || stopped {
            return false;
        }
        let contacts = model.contacts.len();
        let last_active = (self.last_active..contacts)
            .chain(0..self.last_active.min(contacts))
            .find(|&contact| !is_inactive(model, state, contact) && self.scheduled_of[contact].is_none());
        self.last_active = last_active.unwrap_or(self.last_active);
        last_active.is_none()
    }

    /// Estimated number of steps before the first contact closes, at most `max_steps`, if all gaps go on changing as in the last step. Shortens blocks that would
    /// otherwise be rolled back.
    pub fn steps_apart(&self, model: &Model, state: &State, max_steps: usize) -> usize {
        let least = self.watches.iter().fold(max_steps as f64, |least, watch| {
            let Gap { now, before } = Gap::load(&state.values[model.contacts[watch.contact].state.start..]);
            if now > before { least.min(now / (before - now)) } else { least }
        });
        least as usize
    }

    /// Evaluates the external forces in the next `steps` steps. False if a single step must handle them.
    fn prepare(&mut self, model: &Model, state: &State, steps: usize) -> bool {
        let mut usable = true;
        self.driven = false;
        for scheduled in &mut self.scheduled {
            usable &= scheduled.prepare(state, steps);
            self.driven |= scheduled.acts;
        }
        // for the work of the forces
        let measured = self.driven && state.boundary.enabled && !state.ledger.enabled;
        self.recorded = measured && self.scheduled.iter().all(|scheduled| !scheduled.acts || scheduled.is_recorded());
        if self.recorded {
            self.scheduled
                .iter_mut()
                .filter(|scheduled| scheduled.acts)
                .for_each(|scheduled| scheduled.begin(model, state));
        }
        let audited = self.driven && (state.ledger.enabled || measured && !self.recorded);
        for body in &mut self.bodies {
            body.pushed.clear();
            body.recorded = if audited { body.free_ports.len() } else { body.contact_ports };
        }
        if !self.driven || !usable {
            return usable;
        }
        for scheduled in self.scheduled.iter().filter(|scheduled| scheduled.acts) {
            scheduled.add_driven(&mut self.bodies);
        }
        for (block_body, body) in self.bodies.iter_mut().zip(&model.bodies) {
            block_body.pushed.sort_unstable_by_key(|port| body.touched.iter().position(|touched| touched == port));
            block_body.forces[..block_body.pushed.len() * steps].fill(0.0);
        }
        for scheduled in self.scheduled.iter().filter(|scheduled| scheduled.acts) {
            scheduled.add_to(&mut self.bodies, steps);
        }
        true
    }

    /// Velocity of recorded port `which` after step `n` of the last block, m/s.
    #[inline]
    pub fn velocity(&self, which: usize, n: usize) -> f64 {
        let (body, index) = self.velocity_ports[which];
        let BlockBody { velocity_ports, velocities, .. } = &self.bodies[body];
        velocities[n * velocity_ports.len() + index]
    }

    /// Displacement of [recorded port](Self::with_displacements) `which` after step `n` of the last block, m.
    #[inline]
    pub fn displacement(&self, which: usize, n: usize) -> f64 {
        let (body, index) = self.displacement_ports[which];
        let BlockBody { displacement_ports, displacements, .. } = &self.bodies[body];
        displacements[n * displacement_ports.len() + index]
    }

    /// Velocities of recorded port `which` after step `first` of the last block and those that follow, m/s: every so many numbers one of them.
    /// Beyond the block they mean nothing.
    pub fn velocities_from(&self, which: usize, first: usize) -> (&[f64], usize) {
        let (body, index) = self.velocity_ports[which];
        let BlockBody { velocity_ports, velocities, .. } = &self.bodies[body];
        let ports = velocity_ports.len();
        (velocities.get(first * ports + index..).unwrap_or_default(), ports)
    }

    /// Displacements of recorded port `which`, as [`velocities_from`](Self::velocities_from) has them, m.
    pub fn displacements_from(&self, which: usize, first: usize) -> (&[f64], usize) {
        let (body, index) = self.displacement_ports[which];
        let BlockBody { displacement_ports, displacements, .. } = &self.bodies[body];
        let ports = displacement_ports.len();
        (displacements.get(first * ports + index..).unwrap_or_default(), ports)
    }

    /// Advances every body by `steps` steps under the scheduled forces; returns the number of overstretched ones.
    fn advance(&mut self, model: &Model, state: &mut State, steps: usize) -> u64 {
        let mut overstretched = 0;
        for (i, (body, block_body)) in model.bodies.iter().zip(&mut self.bodies).enumerate() {
            let BlockBody {
                free_ports,
                recorded,
                free,
                velocity_ports,
                velocities,
                displacement_ports,
                displacements,
                pushed,
                forces,
                lost,
                ..
            } = block_body;
            let mut block = Block {
                steps,
                pushed,
                forces: &forces[..pushed.len() * steps],
                free_ports: &free_ports[..*recorded],
                free: StepValues(free),
                single_port: body.single_port.is_some(),
                velocity_ports,
                velocities: StepValues(velocities),
                displacement_ports,
                displacements: StepValues(displacements),
                audited: state.ledger.enabled,
                lost,
                overstretched: 0,
            };
            if state.conditions[i] == Condition::Asleep {
                if block.pushed.is_empty() {
                    block.sleep();
                    continue;
                }
                state.conditions[i] = Condition::Moving;
                state.awake.wake(model.groups.of_body[i]);
            }
            body.resonator.run_block(&mut state.values[body.state.clone()], &mut block);
            overstretched += block.overstretched;
        }
        for scheduled in self.scheduled.iter().filter(|scheduled| scheduled.acts) {
            scheduled.add_response(model, &mut self.bodies, steps);
        }
        overstretched
    }

    /// Number of steps before the first in which a contact would close or a velocity is out of range.
    fn open_steps(&mut self, model: &Model, state: &State, steps: usize) -> usize {
        for BlockBody { recorded, free, .. } in &self.bodies {
            let free = &free[..steps * recorded];
            if !all_between(free, -HUGE, HUGE) {
                return 0;
            }
        }
        self.watches.iter_mut().fold(steps, |open, watch| {
            let gap = Gap::load(&state.values[model.contacts[watch.contact].state.clone()]);
            watch.open_steps(model.clock, &self.bodies, gap, open)
        })
    }

    /// True if all bodies are in range and, if the ledger is enabled, have finite energy.
    fn is_sound(&self, model: &Model, state: &State) -> bool {
        self.scheduled.iter().all(|scheduled| !scheduled.acts || scheduled.is_sound(model, state))
            && (!state.ledger.enabled
                || model.bodies.iter().all(|body| body.resonator.energy(&state.values[body.state.clone()]).is_finite()))
    }

    /// Advances the gaps of contacts, and gives their solver the approach velocities of the last steps.
    fn move_gaps(&self, model: &Model, state: &mut State, steps: usize) {
        for watch in &self.watches {
            let values = &mut state.values[model.contacts[watch.contact].state.clone()];
            watch.gap_after(Gap::load(values), steps).store(values);
        }
        for (island, work) in model.islands.iter().zip(&mut state.workspaces) {
            let contacts = &island.contacts[island.resolvent.clone()];
            // the first guess of the next solve is the solution of two steps ago
            for n in steps.saturating_sub(2)..steps {
                let watch_of =
                    |&contact: &usize| self.watch_of[contact].map_or(0.0, |watch| self.watches[watch].approach(n));
                work.newton.recall(contacts.iter().map(watch_of));
            }
        }
    }

    /// Sums the work of the scheduled forces in each step, if it matters.
    fn sum_supplied(&mut self, model: &Model, state: &mut State, steps: usize) {
        if !self.driven || !(state.ledger.enabled || state.boundary.enabled) {
            return;
        }
        let supplied = &mut self.supplied[..steps];
        supplied.fill(0.0);
        for scheduled in self.scheduled.iter().filter(|scheduled| scheduled.acts) {
            if self.recorded {
                scheduled.sum_recorded_work(model.clock.dt, &self.bodies, supplied);
            } else {
                scheduled.sum_work(model, state, &self.bodies, supplied);
            }
        }
        // one by one: the same sum whatever the length of the blocks
        supplied.iter().for_each(|work| state.boundary.add(*work));
    }

    fn book(&mut self, model: &Model, state: &mut State, steps: usize) {
        let dt = model.clock.dt;
        self.lost.fill(0.0);
        for (i, (body, block_body)) in model.bodies.iter().zip(&self.bodies).enumerate() {
            let lost = &block_body.lost[..steps];
            let stored = body.resonator.energy(&state.values[body.state.clone()]);
            let supplied = block_body.work(dt, &mut self.received[..steps]);
            state.ledger.bodies[i].book_block(stored, supplied, lost);
            for (sum, lost) in self.lost.iter_mut().zip(lost) {
                *sum += lost;
            }
        }
        let supplied = &self.supplied[..if self.driven { steps } else { 0 }];
        state.ledger.close_block(supplied, &self.lost[..steps]);
    }
}

impl BlockBody {
    /// Work of the scheduled forces in each step, J; empty if none acts.
    fn work<'a>(&self, dt: f64, out: &'a mut [f64]) -> &'a [f64] {
        if self.pushed.is_empty() {
            return &[];
        }
        out.fill(0.0);
        for (column, port) in self.pushed.iter().enumerate() {
            let index = self.free_ports.iter().position(|free_ports| free_ports == port).unwrap_or(0);
            let forces = self.forces[column..].iter().step_by(self.pushed.len());
            let velocities = self.free[index..].iter().step_by(self.recorded);
            for ((sum, force), velocity) in out.iter_mut().zip(forces).zip(velocities) {
                *sum += dt * force * velocity;
            }
        }
        out
    }
}

/// The index of `port` in a list, which is extended if it lacks the port.
fn index_in(list: &mut Vec<usize>, port: usize) -> usize {
    list.iter().position(|&scheduled| scheduled == port).unwrap_or_else(|| {
        list.push(port);
        list.len() - 1
    })
}

/// True for laws that can be inactive.
fn can_be_inactive(law: &Law) -> bool {
    match law {
        Law::Force | Law::Velocity => true,
        Law::Spring(_) => false,
        Law::Resolvent(law) => law.rests_apart(),
    }
}

/// True if a contact is inactive now.
fn is_inactive(model: &Model, state: &State, contact: usize) -> bool {
    match &model.contacts[contact].definition.law {
        Law::Force => state.inputs[contact] == 0.0,
        Law::Velocity => state.grips[contact] == 0.0,
        Law::Spring(_) => false,
        // after a look at its gap a contact rests again with its next step, which one that sleeps does not take
        Law::Resolvent(_) => {
            (state.resting[contact] || !state.awake.is_contact_awake(contact)) && state.rates[contact] == 0.0
        }
    }
}
