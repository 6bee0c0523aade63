//! End of a step for islands of collisions while the ledger is disabled.

use super::{Flow, is_apart, passes_by};
use crate::interaction::Interaction;
use crate::model::Model;
use crate::solver::island::{Island, NO_FORCE, Workspace};
use crate::solver::small_newton::IslandCollision;
use crate::state::State;

/// Applies the forces of an island's collisions to the bodies and commits the laws.
pub(super) fn apply(
    model: &Model,
    island: &Island,
    members: &[IslandCollision],
    state: &mut State,
    work: &Workspace,
    flow: &mut Flow,
) {
    let first = island.resolvent.start;
    let ends = island.contacts[first..].iter().zip(&island.endpoints[first..]);
    for ((&index, endpoints), (IslandCollision { law, state: start }, resolved)) in
        ends.zip(members.iter().zip(&work.newton.resolved))
    {
        let force = resolved.force;
        let values = &mut state.values[*start..*start + 4];
        let inactive = force == 0.0 && state.resting[index];
        if inactive && passes_by(model.clock, values, resolved.approach) {
            continue;
        }
        if *resolved != NO_FORCE {
            law.commit_unaudited(values, resolved);
        }
        state.resting[index] = force == 0.0 && island.monotone && is_apart(values);
        state.contact_forces[index] = force;
        if force != 0.0 {
            for &(slot, sign) in endpoints.iter().filter(|endpoint| endpoint.1 != 0.0) {
                state.forces[slot] -= sign * force;
                state.pressed.mark(slot);
            }
            state.contact_statistics[index].record(force, state.steps);
            flow.supplied -= model.clock.dt * force * state.rates[index];
        }
    }
}
