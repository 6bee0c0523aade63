//! The part of a step that solves contacts which are alone in their islands: one resolvent law each.

use super::{Energies, Flow, Settled, book, is_apart, passes_by, resolvent, usable, usable_gap};
use crate::interaction::collision::Collision;
use crate::interaction::{Interaction, Resolved};
use crate::model::{Lone, Model, Place};
use crate::solver::island::NOTHING;
use crate::state::State;

#[inline(never)]
pub(super) fn solve(model: &Model, state: &mut State, flow: &mut Flow) {
    for Lone { place, collision } in &model.lone {
        let [free, other] = place.wires.map(|(slot, sign)| sign * state.free[slot]);
        let free = free + other - state.rates[place.joint];
        let open = state.resting[place.joint] && passes_by(model.clock, &mut state.values[place.state.start..], free);
        if open {
            continue;
        }
        let alone = Alone { place, free };
        // most laws are collisions: known by name, they are solved without a call; where the answer is simple, it stays in registers
        match collision {
            Some(law) if law.is_dear() => solve_small(model, alone, law, state, flow),
            Some(law) => solve_by_root(model, alone, law, state, flow),
            None => solve_one(model, alone, resolvent(&model.joints[place.joint]), state, flow),
        }
    }
}

// each by itself, or none of them has registers enough
#[inline(never)]
fn solve_small(model: &Model, alone: Alone, law: &Collision, state: &mut State, flow: &mut Flow) {
    match law.resolve_small(alone.values(state), alone.free, alone.place.mobility) {
        Some(resolved) => alone.accept(model, law, &resolved, usable_gap(&resolved), state, flow),
        None => solve_large(model, alone, law, state, flow),
    }
}

#[inline(never)]
fn solve_by_root(model: &Model, alone: Alone, law: &Collision, state: &mut State, flow: &mut Flow) {
    match law.resolve_by_root(alone.values(state), alone.free, alone.place.mobility) {
        Some(resolved) => alone.accept(model, law, &resolved, usable_gap(&resolved), state, flow),
        None => solve_large(model, alone, law, state, flow),
    }
}

#[inline(never)]
fn solve_large(model: &Model, alone: Alone, law: &Collision, state: &mut State, flow: &mut Flow) {
    let resolved = law.resolve_large(alone.values(state), alone.free, alone.place.mobility);
    alone.accept(model, law, &resolved, usable(&resolved), state, flow);
}

#[inline(never)]
fn solve_one<L: Interaction + ?Sized>(model: &Model, alone: Alone, law: &L, state: &mut State, flow: &mut Flow) {
    let Alone { place, free } = alone;
    let values = &mut state.values[place.state.clone()];
    law.prepare(values, free, place.mobility);
    let resolved = law.resolve(values, free, place.mobility);
    alone.accept(model, law, &resolved, usable(&resolved), state, flow);
}

/// A contact whose force no other contact feels, in a step.
#[derive(Clone, Copy)]
pub(super) struct Alone<'a> {
    pub place: &'a Place,
    /// w if it does not push, m/s.
    pub free: f64,
}

impl Alone<'_> {
    #[inline(always)]
    fn values<'a>(&self, state: &'a State) -> &'a [f64] {
        &state.values[self.place.state.clone()]
    }

    /// Hands the force of the contact to its bodies, lets its law accept the step, and books it.
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
            return self.refuse(model, law, state, flow);
        }
        let index = self.place.joint;
        let Resolved { force, slope, evaluations, .. } = *resolved;
        if force != 0.0 || slope > 0.0 {
            state.counts.count_lone(evaluations.saturating_sub(1));
        }
        state.contact_forces[index] = force;
        if force != 0.0 {
            for (slot, sign) in self.place.wires {
                if sign != 0.0 {
                    state.forces[slot] -= sign * force;
                    state.pressed.mark(slot);
                }
            }
            state.touches[index].note(force, state.steps);
        }
        if state.ledger.enabled {
            return self.commit_audited(model, law, *resolved, state, flow);
        }
        let values = &mut state.values[self.place.state.clone()];
        law.commit_unheard(values, resolved);
        state.resting[index] = self.place.rests_apart && force == 0.0 && is_apart(values);
    }

    /// Lets nothing happen where the answer is of no use.
    #[cold]
    fn refuse<L: Interaction + ?Sized>(self, model: &Model, law: &L, state: &mut State, flow: &mut Flow) {
        let index = self.place.joint;
        state.counts.refused_forces += 1;
        state.mark_stale(index);
        state.contact_forces[index] = 0.0;
        let values = &state.values[self.place.state.clone()];
        state.resting[index] = self.place.rests_apart && is_apart(values);
        if state.ledger.enabled {
            let stored = law.energy(values);
            let settled = Settled { force: 0.0, closing: 0.0, yielded: 0.0, moved: 0.0, resolved: &NOTHING };
            book(model, state, index, &settled, Energies { dissipated: 0.0, stored }, flow);
        }
    }

    // out of the way and by value: what only the books ask for, such as the closing velocity, for which collisions divide, is found out here only
    #[inline(never)]
    fn commit_audited<L: Interaction + ?Sized>(
        self,
        model: &Model,
        law: &L,
        resolved: Resolved,
        state: &mut State,
        flow: &mut Flow,
    ) {
        let Resolved { force, closing, .. } = resolved;
        let values = &mut state.values[self.place.state.clone()];
        let dissipated = law.commit(values, &resolved);
        let stored = law.energy(values);
        state.resting[self.place.joint] = self.place.rests_apart && force == 0.0 && is_apart(values);
        let moved = if force == 0.0 { closing } else { self.free - self.place.mobility * force };
        let settled = Settled { force, closing, yielded: 0.0, moved, resolved: &resolved };
        book(model, state, self.place.joint, &settled, Energies { dissipated, stored }, flow);
    }
}
