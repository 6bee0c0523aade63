//! The part of a step that solves contacts which are alone in their islands: one resolvent law each.

use super::{Flow, Settled, is_apart, passes_by, push, resolvent, settle, usable};
use crate::interaction::Resolved;
use crate::model::{Lone, Model};
use crate::solver::island::NOTHING;
use crate::state::State;

#[inline(never)]
pub(super) fn solve(model: &Model, state: &mut State, flow: &mut Flow) {
    for at in &model.lone {
        let [free, other] = at.wires.map(|(slot, sign)| sign * state.free[slot]);
        let free = free + other - state.rates[at.joint];
        let open = state.resting[at.joint] && passes_by(model.clock, &mut state.values[at.state..], free);
        if !open {
            solve_one(model, at, free, state, flow);
        }
    }
}

fn solve_one(model: &Model, at: &Lone, free: f64, state: &mut State, flow: &mut Flow) {
    let Lone { joint: index, mobility, rests_apart, .. } = *at;
    let joint = &model.joints[index];
    let law = resolvent(joint);
    let values = &mut state.values[joint.state.clone()];
    law.prepare(values, free, mobility);
    let mut resolved = law.resolve(values, free, mobility);
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
