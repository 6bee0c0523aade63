//! The end of a step for one contact: its law takes the solution over, and the ledger enters it.

use super::Flow;
use crate::contact::Law;
use crate::interaction::Resolved;
use crate::model::Model;
use crate::solver::island::NO_FORCE;
use crate::state::State;

/// Result of a step for one contact.
pub(super) struct ContactStep<'a> {
    pub force: f64,
    /// w according to the law.
    pub approach: f64,
    /// The part of w by which a light grip yielded.
    pub yielded: f64,
    /// w according to the bodies.
    pub moved: f64,
    pub resolved: &'a Resolved,
}

/// Commits the step of a law and enters it in the ledger.
pub(super) fn commit_contact(
    model: &Model,
    state: &mut State,
    index: usize,
    contact_step: &ContactStep,
    flow: &mut Flow,
) {
    let ContactStep { force, approach, yielded, moved, resolved } = *contact_step;
    let dt = model.clock.dt;
    let contact = &model.contacts[index];
    let audited = state.ledger.enabled;
    let values = &mut state.values[contact.state.clone()];
    let (dissipated, stored) = match &contact.definition.law {
        Law::Force => {
            flow.supplied -= dt * force * moved;
            if audited {
                state.ledger.contacts[index].supplied.add(-dt * force * moved);
            }
            return;
        }
        Law::Velocity => {
            let [supplied, dissipated, mismatch] =
                [yielded - approach, yielded, approach - moved].map(|w| dt * force * w);
            flow.supplied += supplied;
            flow.dissipated += dissipated;
            flow.solver += mismatch;
            if audited {
                let entry = &mut state.ledger.contacts[index];
                entry.supplied.add(supplied);
                entry.dissipated.add(dissipated);
                entry.solver.add(mismatch);
            }
            return;
        }
        Law::Spring(spring) => {
            let dissipated = spring.commit(values, approach);
            (dissipated, if audited { spring.energy(values) } else { 0.0 })
        }
        Law::Resolvent(law) => {
            if force != 0.0 {
                state.contact_statistics[index].record(force, state.steps);
            }
            if !audited {
                if *resolved != NO_FORCE {
                    law.commit_unaudited(values, resolved);
                }
                flow.supplied -= dt * force * state.rates[index];
                return;
            }
            let dissipated = if *resolved == NO_FORCE { 0.0 } else { law.commit(values, resolved) };
            (dissipated, law.energy(values))
        }
    };
    book(model, state, index, contact_step, Energies { dissipated, stored }, flow);
}

/// Energies of a contact, J.
pub(super) struct Energies {
    /// Dissipated over the step.
    pub dissipated: f64,
    /// Stored after it.
    pub stored: f64,
}

/// Enters a step of a contact that stores energy.
#[inline(always)]
pub(super) fn book(
    model: &Model,
    state: &mut State,
    index: usize,
    contact_step: &ContactStep,
    energies: Energies,
    flow: &mut Flow,
) {
    let ContactStep { force, approach, moved, .. } = *contact_step;
    let Energies { dissipated, stored } = energies;
    if !state.ledger.enabled {
        flow.supplied -= model.clock.dt * force * state.rates[index];
        return;
    }
    // an inactive contact does not change its entry
    if force != 0.0 || stored != state.ledger.contacts[index].stored {
        let dt = model.clock.dt;
        let mismatch = dt * force * (approach - moved);
        flow.supplied -= dt * force * state.rates[index];
        state.ledger.book_contact(index, stored, dt * force * approach, dissipated);
        if mismatch != 0.0 {
            state.ledger.contacts[index].solver.add(mismatch);
        }
        flow.dissipated += dissipated;
        flow.solver += mismatch;
    }
}
