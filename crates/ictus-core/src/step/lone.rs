//! The part of a step that solves isolated contacts: one resolvent law per island.

use super::commit::{ContactStep, Energies, book};
use super::{Flow, is_apart, passes_by, resolvent, usable, usable_gap};
use crate::interaction::collision::Collision;
use crate::interaction::{Interaction, Resolved};
use crate::model::{ContactSite, Lone, Model};
use crate::solver::island::NO_FORCE;
use crate::state::State;

#[inline(never)]
pub(super) fn solve(model: &Model, state: &mut State, flow: &mut Flow) {
    for at in 0..state.awake.lone.len() {
        let Lone { site, collision } = &model.lone[state.awake.lone[at]];
        let [free, other] = site.endpoints.map(|(slot, sign)| sign * state.free[slot]);
        let free = free + other - state.rates[site.contact];
        let open = state.resting[site.contact] && passes_by(model.clock, &mut state.values[site.state.start..], free);
        if open {
            continue;
        }
        let isolated = IsolatedContact { site, free };
        // most laws are collisions: their concrete type avoids a virtual call, and simple solutions stay in registers
        match collision {
            Some(law) if law.needs_pow() => solve_small(model, isolated, law, state, flow),
            Some(law) => solve_by_root(model, isolated, law, state, flow),
            None => solve_one(model, isolated, resolvent(&model.contacts[site.contact]), state, flow),
        }
    }
}

// separate functions: together they would exceed the registers
#[inline(never)]
fn solve_small(model: &Model, isolated: IsolatedContact, law: &Collision, state: &mut State, flow: &mut Flow) {
    match law.resolve_small(isolated.values(state), isolated.free, isolated.site.mobility) {
        Some(resolved) => isolated.accept(model, law, &resolved, usable_gap(&resolved), state, flow),
        None => solve_large(model, isolated, law, state, flow),
    }
}

#[inline(never)]
fn solve_by_root(model: &Model, isolated: IsolatedContact, law: &Collision, state: &mut State, flow: &mut Flow) {
    match law.resolve_by_root(isolated.values(state), isolated.free, isolated.site.mobility) {
        Some(resolved) => isolated.accept(model, law, &resolved, usable_gap(&resolved), state, flow),
        None => solve_large(model, isolated, law, state, flow),
    }
}

#[inline(never)]
fn solve_large(model: &Model, isolated: IsolatedContact, law: &Collision, state: &mut State, flow: &mut Flow) {
    let resolved = law.resolve_large(isolated.values(state), isolated.free, isolated.site.mobility);
    isolated.accept(model, law, &resolved, usable(&resolved), state, flow);
}

#[inline(never)]
fn solve_one<L: Interaction + ?Sized>(
    model: &Model,
    isolated: IsolatedContact,
    law: &L,
    state: &mut State,
    flow: &mut Flow,
) {
    let IsolatedContact { site, free } = isolated;
    let values = &mut state.values[site.state.clone()];
    law.prepare(values, free, site.mobility);
    let resolved = law.resolve(values, free, site.mobility);
    isolated.accept(model, law, &resolved, usable(&resolved), state, flow);
}

/// A contact without coupling to others, in a step.
#[derive(Clone, Copy)]
pub(super) struct IsolatedContact<'a> {
    pub site: &'a ContactSite,
    /// Free approach velocity w, m/s.
    pub free: f64,
}

impl IsolatedContact<'_> {
    #[inline(always)]
    fn values<'a>(&self, state: &'a State) -> &'a [f64] {
        &state.values[self.site.state.clone()]
    }

    /// Applies the force of the contact to its bodies, commits its law, and enters it in the ledger.
    #[inline(always)]
    pub fn accept<L: Interaction + ?Sized>(
        self,
        model: &Model,
        law: &L,
        resolved: &Resolved,
        usable: bool,
        state: &mut State,
        flow: &mut Flow,
    ) {
        if !usable {
            return self.reject(model, law, state, flow);
        }
        let index = self.site.contact;
        let Resolved { force, slope, evaluations, .. } = *resolved;
        if force != 0.0 || slope > 0.0 {
            state.counts.count_lone(evaluations.saturating_sub(1));
        }
        state.contact_forces[index] = force;
        if force != 0.0 {
            for (slot, sign) in self.site.endpoints {
                if sign != 0.0 {
                    state.forces[slot] -= sign * force;
                    state.pressed.mark(slot);
                }
            }
            state.contact_statistics[index].record(force, state.steps);
        }
        if state.ledger.enabled {
            return self.commit_audited(model, law, *resolved, state, flow);
        }
        if force != 0.0 {
            flow.supplied -= model.clock.dt * force * state.rates[index];
        }
        let values = &mut state.values[self.site.state.clone()];
        law.commit_unaudited(values, resolved);
        state.resting[index] = self.site.rests_apart && force == 0.0 && is_apart(values);
    }

    /// Applies no force, in place of a solution that is out of range.
    #[cold]
    fn reject<L: Interaction + ?Sized>(self, model: &Model, law: &L, state: &mut State, flow: &mut Flow) {
        let index = self.site.contact;
        state.counts.refused_forces += 1;
        state.mark_stale(index);
        state.contact_forces[index] = 0.0;
        let values = &state.values[self.site.state.clone()];
        state.resting[index] = self.site.rests_apart && is_apart(values);
        if state.ledger.enabled {
            let stored = law.energy(values);
            let contact_step = ContactStep { force: 0.0, approach: 0.0, yielded: 0.0, moved: 0.0, resolved: &NO_FORCE };
            book(model, state, index, &contact_step, Energies { dissipated: 0.0, stored }, flow);
        }
    }

    // separate and by value: quantities that only the ledger needs, such as the approach velocity with its division, are computed only here
    #[inline(never)]
    fn commit_audited<L: Interaction + ?Sized>(
        self,
        model: &Model,
        law: &L,
        resolved: Resolved,
        state: &mut State,
        flow: &mut Flow,
    ) {
        let Resolved { force, approach, .. } = resolved;
        let values = &mut state.values[self.site.state.clone()];
        let dissipated = law.commit(values, &resolved);
        let stored = law.energy(values);
        state.resting[self.site.contact] = self.site.rests_apart && force == 0.0 && is_apart(values);
        let moved = if force == 0.0 { approach } else { self.free - self.site.mobility * force };
        let contact_step = ContactStep { force, approach, yielded: 0.0, moved, resolved: &resolved };
        book(model, state, self.site.contact, &contact_step, Energies { dissipated, stored }, flow);
    }
}
