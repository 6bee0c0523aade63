//! The part of a step that couples a field of contacts along one body.

use super::{ContactStep, Flow, apply_force, commit_contact, resolvent, usable};
use crate::model::Model;
use crate::solver::field::{Field, Work};
use crate::solver::island::NO_FORCE;
use crate::state::State;

/// Computes the forces of a field, applies them to the body, and enters the contacts in the ledger.
pub(super) fn solve(model: &Model, field: &Field, state: &mut State, work: &mut Work, flow: &mut Flow) {
    let body = &model.bodies[field.body];
    let Some(banded) = body.resonator.capabilities().banded else { return };
    let external = respond_to_external(model, field, state, work);
    for (i, spot) in field.contacts.iter().enumerate() {
        let contact = &model.contacts[spot.contact];
        let free: f64 = contact.endpoints.into_iter().flatten().map(|(slot, sign)| sign * state.free[slot]).sum();
        work.free[i] = free - state.rates[spot.contact];
        if external {
            work.free[i] += spot.sign * work.external_response[spot.point];
        }
        resolvent(contact).prepare(&mut state.values[contact.state.clone()], work.free[i], spot.mobility);
    }
    let values = &state.values;
    let resolve = |i: usize, z: f64, r: f64| {
        let contact = &model.contacts[field.contacts[i].contact];
        resolvent(contact).resolve(&values[contact.state.clone()], z, r)
    };
    let (iterations, missed) = field.solve(banded, work, model.tolerance, resolve);
    let fell_back = missed && field.fall_back(banded, work, model.tolerance, resolve);
    state.counts.fallbacks += u64::from(fell_back);
    if work.resolved.iter().any(|resolved| resolved.force != 0.0) {
        state.counts.count_coupled(iterations);
    }
    state.counts.missed += u64::from(missed);
    for (resolved, spot) in work.resolved.iter_mut().zip(&field.contacts) {
        let usable = usable(resolved);
        if !usable {
            *resolved = NO_FORCE;
            state.counts.refused_forces += 1;
        }
        if missed || !usable {
            state.mark_stale(spot.contact);
        }
    }
    // with the ledger off only the work of external forces is wanted
    let any = (state.ledger.enabled || external && state.boundary.enabled) && field.respond(banded, work);
    work.supplied = 0.0;
    for (i, spot) in field.contacts.iter().enumerate() {
        let resolved = work.resolved[i];
        let moved = if any { work.free[i] - spot.sign * work.response[spot.point] } else { resolved.approach };
        apply_force(model, state, spot.contact, resolved.force);
        work.supplied -= model.clock.dt * resolved.force * (moved + state.rates[spot.contact]);
        let contact_step = ContactStep {
            force: resolved.force,
            approach: resolved.approach,
            yielded: 0.0,
            moved,
            resolved: &resolved,
        };
        commit_contact(model, state, spot.contact, &contact_step, flow);
    }
    for &(index, port) in &field.external {
        let force = -state.inputs[index];
        apply_force(model, state, index, force);
        let (slot, _) = model.contacts[index].endpoints[0].unwrap_or_default();
        let mut moved = state.free[slot];
        if external {
            moved += banded.read(port, &work.external_response);
        }
        if any {
            moved -= banded.read(port, &work.response);
        }
        work.supplied -= model.clock.dt * force * moved;
        commit_contact(
            model,
            state,
            index,
            &ContactStep { force, approach: moved, yielded: 0.0, moved, resolved: &NO_FORCE },
            flow,
        );
    }
}

/// Computes the response to the external forces only; false if there are none.
fn respond_to_external(model: &Model, field: &Field, state: &State, work: &mut Work) -> bool {
    if field.external.iter().all(|&(index, _)| state.inputs[index] == 0.0) {
        return false;
    }
    work.external_response.fill(0.0);
    let body = &model.bodies[field.body];
    let Some(banded) = body.resonator.capabilities().banded else { return false };
    for &(index, port) in &field.external {
        banded.load(port, state.inputs[index], &mut work.external_response);
    }
    banded.factor().solve(&mut work.external_response);
    true
}
