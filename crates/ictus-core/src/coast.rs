//! Stretches in which nothing touches: bodies run through whole blocks of steps, and contacts are looked at afterwards.
//!
//! Forces from outside may act meanwhile, as long as they are known ahead: a weight, a pluck.
//!
//! The sound has the same bits as [`step`](crate::step) gives. Where a contact would have closed within the block, the bodies go back to where they were and
//! take only the steps before it. The books are the same but for one thing: what is stored is measured once per block.

mod known;
mod watch;

use crate::contact::{BodyId, ContactId, Law};
use crate::interaction::Gap;
use crate::model::{Model, Wire};
use crate::resonator::{Block, Rows};
use crate::state::{Condition, State};
use crate::step::HUGE;
use crate::step::sweep::{SWEEP, rest_some, sweep};
use ictus_kernels::{Aligned, all_between};
use known::Known;
use watch::Watch;

/// Most steps of a block where many contacts may close or books are kept.
pub const BLOCK: usize = 64;
/// Most steps of any other block: until the next sweep.
pub const LONG_BLOCK: usize = SWEEP as usize;

/// Contacts of which so much is noted in a long block that the nearest cache still has room for the bodies.
const FEW: usize = 4;

/// So few steps before a contact closes are as quickly taken one by one.
const FEWEST: usize = 4;

/// Runs a model through stretches without contact, and hears some of its ports meanwhile.
#[derive(Clone, Debug)]
pub struct Coast {
    /// False for a model in which something always touches.
    possible: bool,
    /// Per body.
    bodies: Vec<Listened>,
    /// Per heard port: its body and its place among the heard ports of that body.
    heard: Vec<(usize, usize)>,
    /// The same of the ports whose displacement is heard.
    placed: Vec<(usize, usize)>,
    watches: Vec<Watch>,
    /// Per contact, which watch it has.
    watch_of: Vec<Option<usize>>,
    /// In the order in which they act.
    known: Vec<Known>,
    /// Per contact, which known force it is.
    known_of: Vec<Option<usize>>,
    /// A known force acts in this block.
    pushing: bool,
    /// The state before the block.
    before: Vec<f64>,
    /// Room for one body after the other.
    room: Aligned,
    /// Energy lost by all bodies, and supplied from outside, in each step, J.
    lost: Vec<f64>,
    supplied: Vec<f64>,
    /// The contact that was found busy last: it is likely to be so again.
    busy: usize,
    /// The last block ended before something that must be stepped through.
    interrupted: bool,
}

/// What is done to a body while it coasts, and what is seen of it.
#[derive(Clone, Debug, Default)]
struct Listened {
    /// First the ports that contacts ask for, then others that are pushed, which only the books ask for.
    watched: Vec<usize>,
    /// How many of them contacts ask for, and how many are watched in this block.
    asked: usize,
    seen: usize,
    free: Vec<f64>,
    heard: Vec<usize>,
    velocities: Vec<f64>,
    placed: Vec<usize>,
    displacements: Vec<f64>,
    /// Ports that are pushed in this block, in the order of the touched ones.
    pushed: Vec<usize>,
    forces: Vec<f64>,
    /// Energy lost in each step, J.
    lost: Vec<f64>,
}

impl Coast {
    /// For a model of which the velocities of `ports` are heard.
    pub fn new(model: &Model, ports: &[(BodyId, usize)]) -> Self {
        let mut coast = Self {
            possible: model.fields.is_empty() && model.joints.iter().all(|joint| may_rest(&joint.contact.law)),
            bodies: vec![Listened::default(); model.bodies.len()],
            heard: Vec::new(),
            placed: Vec::new(),
            watches: Vec::new(),
            watch_of: vec![None; model.joints.len()],
            known: Vec::new(),
            known_of: vec![None; model.joints.len()],
            pushing: false,
            before: vec![0.0; model.state_len],
            room: Aligned::new(0.0, model.bodies.iter().map(|body| body.resonator.block_room()).max().unwrap_or(0)),
            lost: vec![0.0; LONG_BLOCK],
            supplied: vec![0.0; LONG_BLOCK],
            busy: 0,
            interrupted: false,
        };
        for &(body, port) in ports {
            let place = place_of(&mut coast.bodies[body.0].heard, port);
            coast.heard.push((body.0, place));
        }
        for (joint, wired) in model.joints.iter().enumerate() {
            if matches!(wired.contact.law, Law::Resolvent(_)) {
                let ends = wired.wires.map(|wire| wire.map(|wire| coast.watch(model, wire)));
                coast.watch_of[joint] = Some(coast.watches.len());
                coast.watches.push(Watch::new(joint, ends));
            }
        }
        let longest = coast.longest_unbooked();
        for watch in &mut coast.watches {
            watch.make_room(longest);
        }
        for body in &mut coast.bodies {
            body.asked = body.watched.len();
        }
        coast.known = model.given.iter().map(|given| Known::new(model, given, &mut coast.bodies)).collect();
        for (i, (known, given)) in coast.known.iter_mut().zip(&model.given).enumerate() {
            known.find_felt(model, given, &coast.bodies);
            coast.known_of[given.joint] = Some(i);
        }
        for body in &mut coast.bodies {
            body.free = vec![0.0; body.watched.len() * LONG_BLOCK];
            body.velocities = vec![0.0; body.heard.len() * LONG_BLOCK];
            body.pushed = Vec::with_capacity(body.watched.len());
            body.forces = vec![0.0; body.watched.len() * LONG_BLOCK];
            body.lost = vec![0.0; LONG_BLOCK];
        }
        coast
    }

    /// The same, and the displacements of `ports` are heard.
    pub fn with_displacements(mut self, ports: &[(BodyId, usize)]) -> Self {
        for &(body, port) in ports {
            let listened = &mut self.bodies[body.0];
            let place = place_of(&mut listened.placed, port);
            listened.displacements.resize(listened.placed.len() * LONG_BLOCK, 0.0);
            self.placed.push((body.0, place));
        }
        self
    }

    fn watch(&mut self, model: &Model, (slot, sign): Wire) -> (usize, usize, f64) {
        let owner = model.bodies.iter().position(|body| body.slots.contains(&slot)).expect("every slot has a body");
        let body = &model.bodies[owner];
        (owner, place_of(&mut self.bodies[owner].watched, body.touched[slot - body.slots.start]), sign)
    }

    /// Room for the inputs of a force from outside (N, on end A) in the steps of the next block only; those of all steps asked for must be written. Without them the input
    /// of the state [holds](State::set_input). None where the force cannot be foreseen, because the mobility of a body varies: then [`step`](crate::step) must be
    /// taken while it acts.
    pub fn inputs(&mut self, contact: ContactId) -> Option<&mut [f64]> {
        let known = &mut self.known[self.known_of[contact.0]?];
        known.planned = true;
        Some(&mut known.inputs)
    }

    /// Takes up to `steps` steps, at most the [longest](Self::longest) block, as long as nothing touches; returns how many. After 0, [`step`](crate::step) must be taken.
    pub fn run(&mut self, model: &Model, state: &mut State, steps: usize) -> usize {
        let taken = self.try_run(model, state, steps);
        for known in &mut self.known {
            known.planned = false;
        }
        taken
    }

    fn try_run(&mut self, model: &Model, state: &mut State, steps: usize) -> usize {
        self.interrupted = true;
        if steps == 0 || !self.is_idle(model, state) {
            return 0;
        }
        // a sweep ends a block
        let until_sweep = SWEEP - state.steps % SWEEP;
        let steps = steps.min(self.longest(state)).min(until_sweep as usize);
        if !self.prepare(model, state, steps) {
            return 0;
        }
        rest_some(model, state);
        self.before.copy_from_slice(&state.values);
        let mut overstretched = self.advance(model, state, steps);
        let mut open = self.open_steps(model, state, steps);
        if open == steps && !self.is_sound(model, state) {
            // a step tells which body is at fault
            open = 0;
        }
        if open < steps {
            state.values.copy_from_slice(&self.before);
            if open < FEWEST {
                return 0;
            }
            overstretched = self.advance(model, state, open);
        }
        self.interrupted = open < steps;
        self.move_gaps(model, state, open);
        state.contact_forces.fill(0.0);
        for known in &self.known {
            known.leave(state, open);
        }
        state.counts.overstretched += overstretched;
        if state.ledger.enabled {
            self.book(model, state, open);
        }
        state.steps += open as u64;
        sweep(model, state);
        open
    }

    /// Most steps of a block: [`LONG_BLOCK`] where few contacts may close and no books are kept, otherwise [`BLOCK`].
    pub fn longest(&self, state: &State) -> usize {
        if state.ledger.enabled { BLOCK } else { self.longest_unbooked() }
    }

    fn longest_unbooked(&self) -> usize {
        if self.watches.len() <= FEW { LONG_BLOCK } else { BLOCK }
    }

    /// True if the last [`run`](Self::run) ended because something touches, or would have, and not because enough steps were taken.
    pub fn was_interrupted(&self) -> bool {
        self.interrupted
    }

    /// True if no contact does anything now but push with a force that can be foreseen: a block may begin.
    pub fn is_idle(&mut self, model: &Model, state: &State) -> bool {
        let stopped = state.conditions.contains(&Condition::Quarantined);
        if !self.possible || !state.moving.is_empty() || state.any_stale || stopped {
            return false;
        }
        let joints = model.joints.len();
        let busy = (self.busy..joints)
            .chain(0..self.busy.min(joints))
            .find(|&joint| !does_nothing(model, state, joint) && self.known_of[joint].is_none());
        self.busy = busy.unwrap_or(self.busy);
        busy.is_none()
    }

    /// Steps before the first contact closes if all gaps go on changing as in the last step, at most `most`. A guess: where a contact would have closed, much of
    /// a block is taken in vain.
    pub fn steps_apart(&self, model: &Model, state: &State, most: usize) -> usize {
        let least = self.watches.iter().fold(most as f64, |least, watch| {
            let Gap { now, before } = Gap::load(&state.values[model.joints[watch.joint].state.start..]);
            if now > before { least.min(now / (before - now)) } else { least }
        });
        least as usize
    }

    /// Finds what is done from outside in the next `steps` steps. False if a step must tell.
    fn prepare(&mut self, model: &Model, state: &State, steps: usize) -> bool {
        let mut usable = true;
        self.pushing = false;
        for known in &mut self.known {
            usable &= known.prepare(state, steps);
            self.pushing |= known.acts;
        }
        let books = self.pushing && state.ledger.enabled;
        for body in &mut self.bodies {
            body.pushed.clear();
            body.seen = if books { body.watched.len() } else { body.asked };
        }
        if !self.pushing || !usable {
            return usable;
        }
        for known in self.known.iter().filter(|known| known.acts) {
            known.mark(&mut self.bodies);
        }
        for (listened, body) in self.bodies.iter_mut().zip(&model.bodies) {
            listened.pushed.sort_unstable_by_key(|port| body.touched.iter().position(|touched| touched == port));
            listened.forces[..listened.pushed.len() * steps].fill(0.0);
        }
        for known in self.known.iter().filter(|known| known.acts) {
            known.add_to(&mut self.bodies, steps);
        }
        true
    }

    /// Velocity of heard port `which` after step `n` of the last block, m/s.
    #[inline]
    pub fn velocity(&self, which: usize, n: usize) -> f64 {
        let (body, place) = self.heard[which];
        let Listened { heard, velocities, .. } = &self.bodies[body];
        velocities[n * heard.len() + place]
    }

    /// Displacement of port `which` of those [whose displacement is heard](Self::with_displacements) after step `n` of the last block, m.
    #[inline]
    pub fn displacement(&self, which: usize, n: usize) -> f64 {
        let (body, place) = self.placed[which];
        let Listened { placed, displacements, .. } = &self.bodies[body];
        displacements[n * placed.len() + place]
    }

    /// Lets every body take `steps` steps under the known forces; returns the number of overstretched ones.
    fn advance(&mut self, model: &Model, state: &mut State, steps: usize) -> u64 {
        let mut overstretched = 0;
        for ((body, listened), condition) in model.bodies.iter().zip(&mut self.bodies).zip(&mut state.conditions) {
            let Listened {
                watched, seen, free, heard, velocities, placed, displacements, pushed, forces, lost, ..
            } = listened;
            let mut block = Block {
                steps,
                pushed,
                forces: &forces[..pushed.len() * steps],
                watched: &watched[..*seen],
                free: Rows(free),
                alone: body.only.is_some(),
                heard,
                velocities: Rows(velocities),
                placed,
                displacements: Rows(displacements),
                audited: state.ledger.enabled,
                lost,
                overstretched: 0,
                room: &mut self.room,
            };
            if *condition == Condition::Asleep && block.pushed.is_empty() {
                block.sleep();
                continue;
            }
            *condition = Condition::Moving;
            body.resonator.coast(&mut state.values[body.state.clone()], &mut block);
            overstretched += block.overstretched;
        }
        for known in self.known.iter().filter(|known| known.acts) {
            known.press(&mut self.bodies, steps);
        }
        overstretched
    }

    /// Steps before the first in which a contact would close, or in which a velocity is too large to be worked with.
    fn open_steps(&mut self, model: &Model, state: &State, steps: usize) -> usize {
        for Listened { seen, free, .. } in &self.bodies {
            let free = &free[..steps * seen];
            if !all_between(free, -HUGE, HUGE) {
                return 0;
            }
        }
        self.watches.iter_mut().fold(steps, |open, watch| {
            let gap = Gap::load(&state.values[model.joints[watch.joint].state.clone()]);
            watch.look(model.clock, &self.bodies, gap, open)
        })
    }

    /// True if all bodies are in a state that can be worked with and, where books are kept, written down.
    fn is_sound(&self, model: &Model, state: &State) -> bool {
        self.known.iter().all(|known| !known.acts || known.is_sound(model, state))
            && (!state.ledger.enabled
                || model.bodies.iter().all(|body| body.resonator.energy(&state.values[body.state.clone()]).is_finite()))
    }

    /// Moves the gaps of contacts, and leaves for their solver what it would have found in the last steps.
    fn move_gaps(&self, model: &Model, state: &mut State, steps: usize) {
        for watch in &self.watches {
            let values = &mut state.values[model.joints[watch.joint].state.clone()];
            watch.gap_after(Gap::load(values), steps).store(values);
        }
        for (island, work) in model.islands.iter().zip(&mut state.workspaces) {
            let joints = &island.joints[island.resolvent.clone()];
            // the first guess of the next solve is the answer of two steps ago
            for n in steps.saturating_sub(2)..steps {
                let watch_of =
                    |&joint: &usize| self.watch_of[joint].map_or(0.0, |watch| self.watches[watch].closing(n));
                work.newton.recall(joints.iter().map(watch_of));
            }
        }
    }

    fn book(&mut self, model: &Model, state: &mut State, steps: usize) {
        let dt = model.clock.dt;
        self.lost.fill(0.0);
        for (i, (body, listened)) in model.bodies.iter().zip(&self.bodies).enumerate() {
            let lost = &listened.lost[..steps];
            let stored = body.resonator.energy(&state.values[body.state.clone()]);
            let supplied = listened.work(dt, &mut self.supplied[..steps]);
            state.ledger.bodies[i].book_block(stored, supplied, lost);
            for (sum, lost) in self.lost.iter_mut().zip(lost) {
                *sum += lost;
            }
        }
        let supplied = &mut self.supplied[..if self.pushing { steps } else { 0 }];
        supplied.fill(0.0);
        for known in self.known.iter().filter(|known| known.acts) {
            known.book(model, state, &self.bodies, supplied);
        }
        state.ledger.close_block(supplied, &self.lost[..steps]);
    }
}

impl Listened {
    /// What the known forces supply in each step, J; nothing where none acts.
    fn work<'a>(&self, dt: f64, out: &'a mut [f64]) -> &'a [f64] {
        if self.pushed.is_empty() {
            return &[];
        }
        out.fill(0.0);
        for (column, port) in self.pushed.iter().enumerate() {
            let place = self.watched.iter().position(|watched| watched == port).unwrap_or(0);
            let forces = self.forces[column..].iter().step_by(self.pushed.len());
            let velocities = self.free[place..].iter().step_by(self.seen);
            for ((sum, force), velocity) in out.iter_mut().zip(forces).zip(velocities) {
                *sum += dt * force * velocity;
            }
        }
        out
    }
}

/// The place of `port` in a list, which it joins if it is new.
fn place_of(list: &mut Vec<usize>, port: usize) -> usize {
    list.iter().position(|&known| known == port).unwrap_or_else(|| {
        list.push(port);
        list.len() - 1
    })
}

/// True for laws that can be without any effect.
fn may_rest(law: &Law) -> bool {
    match law {
        Law::Force | Law::Velocity => true,
        Law::Spring(_) => false,
        Law::Resolvent(law) => law.rests_apart(),
    }
}

/// True if a contact does nothing now.
fn does_nothing(model: &Model, state: &State, joint: usize) -> bool {
    match &model.joints[joint].contact.law {
        Law::Force => state.inputs[joint] == 0.0,
        Law::Velocity => state.grips[joint] == 0.0,
        Law::Spring(_) => false,
        Law::Resolvent(_) => state.resting[joint] && state.rates[joint] == 0.0,
    }
}
