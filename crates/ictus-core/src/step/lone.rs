//! The part of a step that solves contacts which are alone in their islands: one resolvent law each.

use super::{Energies, Flow, Settled, book, is_apart, passes_by, resolvent, usable, usable_gap};
use crate::interaction::collision::Collision;
use crate::interaction::{Interaction, Resolved};
use crate::model::{Lone, Model, Wire};
use crate::solver::island::NOTHING;
use crate::state::State;
use std::ops::Range;

#[inline(never)]
pub(super) fn solve(model: &Model, state: &mut State, flow: &mut Flow) {
    for at in &model.lone {
        let [free, other] = at.wires.map(|(slot, sign)| sign * state.free[slot]);
        let free = free + other - state.rates[at.joint];
        let open = state.resting[at.joint] && passes_by(model.clock, &mut state.values[at.state.start..], free);
        if open {
            continue;
        }
        // most laws are collisions: known by name, they are solved without a call; where the answer is simple, it stays in registers
        match &at.collision {
            Some(law) if law.is_dear() => solve_small(model, at, law, free, state, flow),
            Some(law) => solve_by_root(model, at, law, free, state, flow),
            None => solve_one(model, at, resolvent(&model.joints[at.joint]), free, state, flow),
        }
    }
}

// each by itself, or none of them has registers enough
#[inline(never)]
fn solve_small(model: &Model, at: &Lone, law: &Collision, free: f64, state: &mut State, flow: &mut Flow) {
    match law.resolve_small(&state.values[at.state.clone()], free, at.mobility) {
        Some(resolved) => Alone::new(at, free).accept(model, law, &resolved, usable_gap(&resolved), state, flow),
        None => solve_large(model, at, law, free, state, flow),
    }
}

#[inline(never)]
fn solve_by_root(model: &Model, at: &Lone, law: &Collision, free: f64, state: &mut State, flow: &mut Flow) {
    match law.resolve_by_root(&state.values[at.state.clone()], free, at.mobility) {
        Some(resolved) => Alone::new(at, free).accept(model, law, &resolved, usable_gap(&resolved), state, flow),
        None => solve_large(model, at, law, free, state, flow),
    }
}

#[inline(never)]
fn solve_large(model: &Model, at: &Lone, law: &Collision, free: f64, state: &mut State, flow: &mut Flow) {
    let resolved = law.resolve_large(&state.values[at.state.clone()], free, at.mobility);
    let usable = usable(&resolved);
    Alone::new(at, free).accept(model, law, &resolved, usable, state, flow);
}

#[inline(never)]
fn solve_one<L: Interaction + ?Sized>(
    model: &Model,
    at: &Lone,
    law: &L,
    free: f64,
    state: &mut State,
    flow: &mut Flow,
) {
    let values = &mut state.values[at.state.clone()];
    law.prepare(values, free, at.mobility);
    let resolved = law.resolve(values, free, at.mobility);
    let usable = usable(&resolved);
    Alone::new(at, free).accept(model, law, &resolved, usable, state, flow);
}

/// A contact whose force no other contact feels, in a step.
pub(super) struct Alone {
    pub joint: usize,
    /// An end at the wall has the sign 0.
    pub wires: [Wire; 2],
    pub state: Range<usize>,
    /// w if it does not push, m/s.
    pub free: f64,
    /// W, m/s per N.
    pub mobility: f64,
    pub rests_apart: bool,
}

impl Alone {
    #[inline(always)]
    fn new(at: &Lone, free: f64) -> Self {
        let Lone { joint, wires, mobility, rests_apart, .. } = *at;
        Self { joint, wires, state: at.state.clone(), free, mobility, rests_apart }
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
        let index = self.joint;
        let Resolved { force, slope, evaluations, .. } = *resolved;
        if force != 0.0 || slope > 0.0 {
            state.counts.count_lone(evaluations.saturating_sub(1));
        }
        state.contact_forces[index] = force;
        if force != 0.0 {
            for (slot, sign) in self.wires {
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
        let values = &mut state.values[self.state];
        law.commit_unheard(values, resolved);
        state.resting[index] = self.rests_apart && force == 0.0 && is_apart(values);
    }

    /// Lets nothing happen where the answer is of no use.
    #[cold]
    fn refuse<L: Interaction + ?Sized>(self, model: &Model, law: &L, state: &mut State, flow: &mut Flow) {
        let index = self.joint;
        state.counts.refused_forces += 1;
        state.mark_stale(index);
        state.contact_forces[index] = 0.0;
        let values = &state.values[self.state];
        state.resting[index] = self.rests_apart && is_apart(values);
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
        let values = &mut state.values[self.state];
        let dissipated = law.commit(values, &resolved);
        let stored = law.energy(values);
        state.resting[self.joint] = self.rests_apart && force == 0.0 && is_apart(values);
        let moved = if force == 0.0 { closing } else { self.free - self.mobility * force };
        let settled = Settled { force, closing, yielded: 0.0, moved, resolved: &resolved };
        book(model, state, self.joint, &settled, Energies { dissipated, stored }, flow);
    }
}
