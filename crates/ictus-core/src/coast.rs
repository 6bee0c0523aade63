//! Stretches in which nothing touches: bodies run through whole blocks of steps, and contacts are looked at afterwards.
//!
//! The sound has the same bits as [`step`](crate::step) gives. Where a contact would have closed within the block, the bodies go back to where they were and
//! take only the steps before it. The books are the same but for one thing: what is stored is measured once per block.

use crate::contact::{BodyId, Law};
use crate::interaction::Gap;
use crate::model::{Model, Wire};
use crate::resonator::{Block, Rows};
use crate::state::State;
use crate::step::{HUGE, SWEEP, sweep};

/// Most steps of a block.
pub const BLOCK: usize = 64;

/// Runs a model through stretches without contact, and hears some of its ports meanwhile.
#[derive(Clone, Debug)]
pub struct Coast {
    /// False for a model in which something always touches.
    possible: bool,
    /// Per body.
    bodies: Vec<Listened>,
    /// Per heard port: its body and its place among the heard ports of that body.
    heard: Vec<(usize, usize)>,
    watches: Vec<Watch>,
    /// The state before the block.
    before: Vec<f64>,
    /// Energy lost by all bodies in each step, J.
    lost: Vec<f64>,
    /// The contact that was found busy last: it is likely to be so again.
    busy: usize,
    /// The last block ended before something that must be stepped through.
    interrupted: bool,
}

/// What is seen of a body while it coasts.
#[derive(Clone, Debug, Default)]
struct Listened {
    watched: Vec<usize>,
    free: Vec<f64>,
    heard: Vec<usize>,
    velocities: Vec<f64>,
    /// Energy lost in each step, J.
    lost: Vec<f64>,
}

/// A contact that may close: where the velocities of its ends are found.
#[derive(Clone, Debug)]
struct Watch {
    joint: usize,
    /// Body, place among its watched ports, sign.
    ends: [Option<(usize, usize, f64)>; 2],
}

impl Coast {
    /// For a model of which `ports` are heard.
    pub fn new(model: &Model, ports: &[(BodyId, usize)]) -> Self {
        let mut coast = Self {
            possible: model.fields.is_empty() && model.joints.iter().all(|joint| may_rest(&joint.contact.law)),
            bodies: vec![Listened::default(); model.bodies.len()],
            heard: Vec::new(),
            watches: Vec::new(),
            before: vec![0.0; model.state_len],
            lost: vec![0.0; BLOCK],
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
                coast.watches.push(Watch { joint, ends });
            }
        }
        for body in &mut coast.bodies {
            body.free = vec![0.0; body.watched.len() * BLOCK];
            body.velocities = vec![0.0; body.heard.len() * BLOCK];
            body.lost = vec![0.0; BLOCK];
        }
        coast
    }

    fn watch(&mut self, model: &Model, (slot, sign): Wire) -> (usize, usize, f64) {
        let owner = model.bodies.iter().position(|body| body.slots.contains(&slot)).expect("every slot has a body");
        let body = &model.bodies[owner];
        (owner, place_of(&mut self.bodies[owner].watched, body.touched[slot - body.slots.start]), sign)
    }

    /// Takes up to `steps` steps, at most [`BLOCK`], as long as nothing touches; returns how many. After 0, [`step`](crate::step) must be taken.
    pub fn run(&mut self, model: &Model, state: &mut State, steps: usize) -> usize {
        self.interrupted = true;
        if !self.possible || steps == 0 || !self.is_idle(model, state) {
            return 0;
        }
        // a sweep ends a block
        let until_sweep = SWEEP - state.steps % SWEEP;
        let steps = steps.min(BLOCK).min(until_sweep as usize);
        self.before.copy_from_slice(&state.values);
        let mut overstretched = self.advance(model, state, steps);
        let mut open = self.open_steps(model, state, steps);
        if open == steps && !is_sound(model, state) {
            // a step tells which body is at fault
            open = 0;
        }
        if open < steps {
            state.values.copy_from_slice(&self.before);
            if open == 0 {
                return 0;
            }
            overstretched = self.advance(model, state, open);
        }
        self.interrupted = open < steps;
        self.move_gaps(model, state, open);
        state.contact_forces.fill(0.0);
        state.counts.overstretched += overstretched;
        if state.ledger.enabled {
            self.book(model, state, open);
        }
        state.steps += open as u64;
        sweep(model, state);
        open
    }

    /// True if the last [`run`](Self::run) ended because something touches, or would have, and not because enough steps were taken.
    pub fn was_interrupted(&self) -> bool {
        self.interrupted
    }

    /// True if no contact does anything now.
    fn is_idle(&mut self, model: &Model, state: &State) -> bool {
        if !state.moving.is_empty() || state.any_stale || state.quarantined.contains(&true) {
            return false;
        }
        let joints = model.joints.len();
        let busy =
            (self.busy..joints).chain(0..self.busy.min(joints)).find(|&joint| !does_nothing(model, state, joint));
        self.busy = busy.unwrap_or(self.busy);
        busy.is_none()
    }

    /// Velocity of heard port `which` after step `n` of the last block, m/s.
    pub fn velocity(&self, which: usize, n: usize) -> f64 {
        let (body, place) = self.heard[which];
        let Listened { heard, velocities, .. } = &self.bodies[body];
        velocities[n * heard.len() + place]
    }

    /// Lets every body take `steps` steps under no force; returns the number of overstretched ones.
    fn advance(&mut self, model: &Model, state: &mut State, steps: usize) -> u64 {
        let mut overstretched = 0;
        for (body, Listened { watched, free, heard, velocities, lost }) in model.bodies.iter().zip(&mut self.bodies) {
            let (free, velocities) = (Rows(free), Rows(velocities));
            let audited = state.ledger.enabled;
            let mut block = Block { steps, watched, free, heard, velocities, audited, lost, overstretched: 0 };
            body.resonator.coast(&mut state.values[body.state.clone()], &mut block);
            overstretched += block.overstretched;
        }
        overstretched
    }

    /// Steps before the first in which a contact would close, or in which a velocity is too large to be worked with.
    fn open_steps(&self, model: &Model, state: &State, steps: usize) -> usize {
        let mut open = steps;
        for Listened { watched, free, .. } in &self.bodies {
            let seen = &free[..steps * watched.len()];
            if !seen.iter().fold(true, |sound, v| sound & (v.abs() < HUGE)) {
                return 0;
            }
        }
        for watch in &self.watches {
            let mut gap = Gap::load(&state.values[model.joints[watch.joint].state.clone()]);
            open = (0..open).find(|&n| !gap.passes_by(model.clock, self.closing(watch, n))).unwrap_or(open);
        }
        open
    }

    /// Velocity at which a contact closes in step `n`, m/s.
    fn closing(&self, watch: &Watch, n: usize) -> f64 {
        let ends = watch.ends.iter().flatten();
        ends.map(|&(body, place, sign)| {
            let Listened { watched, free, .. } = &self.bodies[body];
            sign * free[n * watched.len() + place]
        })
        .sum()
    }

    /// Moves the gaps of contacts, and leaves for their solver what it would have found in the last steps.
    fn move_gaps(&self, model: &Model, state: &mut State, steps: usize) {
        for watch in &self.watches {
            let values = &mut state.values[model.joints[watch.joint].state.clone()];
            let mut gap = Gap::load(values);
            for n in 0..steps {
                gap.passes_by(model.clock, self.closing(watch, n));
            }
            gap.store(values);
        }
        for (island, work) in model.islands.iter().zip(&mut state.workspaces) {
            let joints = &island.joints[island.resolvent.clone()];
            // the first guess of the next solve is the answer of two steps ago
            for n in steps.saturating_sub(2)..steps {
                work.newton.recall(joints.iter().map(|joint| {
                    let watch = self.watches.iter().find(|watch| watch.joint == *joint);
                    watch.map_or(0.0, |watch| self.closing(watch, n))
                }));
            }
        }
    }

    fn book(&mut self, model: &Model, state: &mut State, steps: usize) {
        self.lost.fill(0.0);
        for (i, (body, listened)) in model.bodies.iter().zip(&self.bodies).enumerate() {
            let lost = &listened.lost[..steps];
            let stored = body.resonator.energy(&state.values[body.state.clone()]);
            state.ledger.bodies[i].book_block(stored, lost);
            for (sum, lost) in self.lost.iter_mut().zip(lost) {
                *sum += lost;
            }
        }
        state.ledger.close_block(&self.lost[..steps]);
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

/// True if all bodies hold an energy the books can hold, where books are kept.
fn is_sound(model: &Model, state: &State) -> bool {
    !state.ledger.enabled
        || model.bodies.iter().all(|body| body.resonator.energy(&state.values[body.state.clone()]).is_finite())
}
