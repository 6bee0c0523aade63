//! The part of a step that solves contacts which are alone in their islands: one resolvent law each.
//!
//! Most points of a row stay open most of the time, and those that press often press in dozens. So all are looked at first, without branches that
//! would be guessed wrong as often as contacts come and go; those that press and go on pressing are solved eight at a time; then each takes its answer.

use super::{Flow, HUGE, Settled, is_apart, push, resolvent, settle, usable};
use crate::interaction::collision::{Collision, WAYS};
use crate::interaction::{Gap, Resolved};
use crate::model::{Lone, Model};
use crate::solver::island::NOTHING;
use crate::state::State;
use ictus_kernels::LANES;
use ictus_kernels::collision::{Pressing, press};

/// Fewer contacts than this are as quickly solved one by one.
const LEAST: usize = 3;

/// A contact that may touch.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Awake {
    /// Which of the model's lone contacts.
    lone: usize,
    /// w if nothing pushes, m/s.
    free: f64,
    /// The answer, if it is known.
    resolved: Option<Resolved>,
}

pub(super) fn solve(model: &Model, state: &mut State, flow: &mut Flow) {
    // taken out and put back, so that contacts may borrow the rest of the state
    let mut awake = std::mem::take(&mut state.awake);
    let count = rouse(model, state, &mut awake);
    solve_together(model, state, &mut awake[..count]);
    for awake in &awake[..count] {
        solve_one(model, awake, state, flow);
    }
    state.awake = awake;
}

/// Moves on the gaps of contacts that stay open; the others come to stand first in `awake`. Returns how many.
fn rouse(model: &Model, state: &mut State, awake: &mut [Awake]) -> usize {
    let mut count = 0;
    for (lone, at) in model.lone.iter().enumerate() {
        let [free, other] = at.wires.map(|(slot, sign)| sign * state.free[slot]);
        let free = free + other - state.offsets[at.joint].rate;
        let mut open = false;
        if at.rests_apart
            && let Some(values) = state.values[at.state..].first_chunk_mut::<2>()
        {
            let gap = Gap::load(values);
            let end = gap.start(model.clock) + model.clock.span() * free;
            open = state.resting[at.joint] & (end < 0.0) & (end > -HUGE);
            *values = if open { [end, gap.now] } else { [gap.now, gap.before] };
        }
        awake[count] = Awake { lone, free, resolved: None };
        count += usize::from(!open);
    }
    count
}

/// Finds the answers of contacts that press and go on pressing.
fn solve_together(model: &Model, state: &State, awake: &mut [Awake]) {
    let mut pressing = Pressing::default();
    let mut who = [0; LANES];
    let mut count = 0;
    for i in 0..awake.len() {
        let Awake { lone, free, .. } = awake[i];
        let Lone { ref collision, mobility, state: at, .. } = model.lone[lone];
        let Some(collision) = collision else { continue };
        who[count] = i;
        count += usize::from(collision.enlist(&state.values[at..], free, mobility, count, &mut pressing));
        if count == LANES {
            take(model, &pressing, &who, awake);
            count = 0;
        }
    }
    if count >= LEAST {
        take(model, &pressing, &who[..count], awake);
    }
}

/// Solves the contacts `who`, which may be fewer than lanes.
fn take(model: &Model, pressing: &Pressing, who: &[usize], awake: &mut [Awake]) {
    let pressed = press(pressing, WAYS);
    for (lane, &i) in who.iter().enumerate() {
        let collision: Option<&Collision> = model.lone[awake[i].lone].collision.as_ref();
        awake[i].resolved = collision.and_then(|collision| collision.answer(&pressed, lane));
    }
}

fn solve_one(model: &Model, awake: &Awake, state: &mut State, flow: &mut Flow) {
    let Lone { joint: index, mobility, rests_apart, .. } = model.lone[awake.lone];
    let free = awake.free;
    let joint = &model.joints[index];
    let mut resolved = awake.resolved.unwrap_or_else(|| {
        let law = resolvent(joint);
        let values = &mut state.values[joint.state.clone()];
        law.prepare(values, free, mobility);
        law.resolve(values, free, mobility)
    });
    if !usable(&resolved) {
        resolved = NOTHING;
        state.counts.refused_forces += 1;
        state.mark_stale(index);
    }
    if resolved.slope > 0.0 || resolved.force != 0.0 {
        state.counts.count_lone(resolved.evaluations.saturating_sub(1));
    }
    push(model, state, index, resolved.force);
    let moved = if resolved.force != 0.0 { free - mobility * resolved.force } else { resolved.closing };
    let Resolved { force, closing, .. } = resolved;
    let settled = Settled { force, closing, yielded: 0.0, moved, resolved: &resolved };
    settle(model, state, index, &settled, flow);
    state.resting[index] = rests_apart && resolved.force == 0.0 && is_apart(&state.values[joint.state.clone()]);
}
