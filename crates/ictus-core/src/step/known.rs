//! The end of a step of islands whose laws are known by name, while no books are kept.

use super::{is_apart, passes_by};
use crate::interaction::Interaction;
use crate::model::Model;
use crate::solver::direct::Known;
use crate::solver::island::{Island, NOTHING, Workspace};
use crate::state::State;

/// Hands the forces of an island's collisions to the bodies and lets the laws accept the step.
pub(super) fn apply(model: &Model, island: &Island, known: &[Known], state: &mut State, work: &Workspace) {
    let first = island.resolvent.start;
    let ends = island.joints[first..].iter().zip(&island.wires[first..]);
    for ((&index, wires), (Known { law, state: start }, resolved)) in ends.zip(known.iter().zip(&work.newton.resolved))
    {
        let force = resolved.force;
        let values = &mut state.values[*start..*start + 4];
        let idle = force == 0.0 && state.resting[index];
        if idle && passes_by(model.clock, values, resolved.closing) {
            continue;
        }
        if *resolved != NOTHING {
            law.commit_unheard(values, resolved);
        }
        state.resting[index] = force == 0.0 && island.monotone && is_apart(values);
        state.contact_forces[index] = force;
        if force != 0.0 {
            for &(slot, sign) in wires.iter().filter(|wire| wire.1 != 0.0) {
                state.forces[slot] -= sign * force;
                state.pressed.mark(slot);
            }
            state.touches[index].note(force, state.steps);
        }
    }
}
