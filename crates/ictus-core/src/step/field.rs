//! The part of a step that couples a field of contacts along one body.

use super::{Flow, Settled, push, resolvent, settle, usable};
use crate::model::Model;
use crate::solver::field::{Field, Work};
use crate::solver::island::NOTHING;
use crate::state::State;

/// Finds the forces of a field, hands them to the body, books the contacts.
pub(super) fn solve(model: &Model, field: &Field, state: &mut State, work: &mut Work, flow: &mut Flow) {
    let body = &model.bodies[field.body];
    let Some(banded) = body.resonator.banded() else { return };
    let given = carry(model, field, state, work);
    for (i, spot) in field.contacts.iter().enumerate() {
        let joint = &model.joints[spot.joint];
        let free: f64 = joint.wires.into_iter().flatten().map(|(slot, sign)| sign * state.free[slot]).sum();
        work.free[i] = free - state.rates[spot.joint];
        if given {
            work.free[i] += spot.sign * work.carried[spot.point];
        }
        resolvent(joint).prepare(&mut state.values[joint.state.clone()], work.free[i], spot.mobility);
    }
    let values = &state.values;
    let resolve = |i: usize, z: f64, r: f64| {
        let joint = &model.joints[field.contacts[i].joint];
        resolvent(joint).resolve(&values[joint.state.clone()], z, r)
    };
    let (iterations, missed) = field.solve(banded, work, model.tolerance, resolve);
    let in_turn = missed && field.settle(banded, work, model.tolerance, resolve);
    state.counts.in_turn += u64::from(in_turn);
    if work.resolved.iter().any(|resolved| resolved.force != 0.0) {
        state.counts.count_coupled(iterations);
    }
    state.counts.missed += u64::from(missed);
    for (resolved, spot) in work.resolved.iter_mut().zip(&field.contacts) {
        let usable = usable(resolved);
        if !usable {
            *resolved = NOTHING;
            state.counts.refused_forces += 1;
        }
        if missed || !usable {
            state.mark_stale(spot.joint);
        }
    }
    let any = state.ledger.enabled && field.respond(banded, work);
    work.supplied = 0.0;
    for (i, spot) in field.contacts.iter().enumerate() {
        let resolved = work.resolved[i];
        let moved = if any { work.free[i] - spot.sign * work.response[spot.point] } else { resolved.closing };
        push(model, state, spot.joint, resolved.force);
        work.supplied -= model.clock.dt * resolved.force * (moved + state.rates[spot.joint]);
        let settled =
            Settled { force: resolved.force, closing: resolved.closing, yielded: 0.0, moved, resolved: &resolved };
        settle(model, state, spot.joint, &settled, flow);
    }
    for &(index, port) in &field.given {
        let force = -state.inputs[index];
        push(model, state, index, force);
        let (slot, _) = model.joints[index].wires[0].unwrap_or_default();
        let mut moved = state.free[slot];
        if given {
            moved += banded.read(port, &work.carried);
        }
        if any {
            moved -= banded.read(port, &work.response);
        }
        work.supplied -= model.clock.dt * force * moved;
        settle(model, state, index, &Settled { force, closing: moved, yielded: 0.0, moved, resolved: &NOTHING }, flow);
    }
}

/// What the given forces alone would do; false if there are none.
fn carry(model: &Model, field: &Field, state: &State, work: &mut Work) -> bool {
    if field.given.iter().all(|&(index, _)| state.inputs[index] == 0.0) {
        return false;
    }
    work.carried.fill(0.0);
    let body = &model.bodies[field.body];
    let Some(banded) = body.resonator.banded() else { return false };
    for &(index, port) in &field.given {
        banded.load(port, state.inputs[index], &mut work.carried);
    }
    banded.factor().solve(&mut work.carried);
    true
}
