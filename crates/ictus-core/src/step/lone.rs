//! The part of a step that solves contacts which are alone in their islands: one resolvent law each.

use super::{Energies, Flow, Settled, book, is_apart, passes_by, resolvent, usable};
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
            Some(law) => match law.resolve_small(&state.values[at.state.clone()], free, at.mobility) {
                Some(resolved) => Alone::new(at, free).accept(model, law, resolved, state, flow),
                None => solve_large(model, at, law, free, state, flow),
            },
            None => solve_one(model, at, resolvent(&model.joints[at.joint]), free, state, flow),
        }
    }
}

#[inline(never)]
fn solve_large(model: &Model, at: &Lone, law: &Collision, free: f64, state: &mut State, flow: &mut Flow) {
    let resolved = law.resolve_large(&state.values[at.state.clone()], free, at.mobility);
    Alone::new(at, free).accept(model, law, resolved, state, flow);
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
    Alone::new(at, free).accept(model, law, resolved, state, flow);
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
        mut resolved: Resolved,
        state: &mut State,
        flow: &mut Flow,
    ) {
        let index = self.joint;
        let refused = !usable(&resolved);
        if refused {
            resolved = NOTHING;
            state.counts.refused_forces += 1;
            state.mark_stale(index);
        }
        let Resolved { force, closing, slope, evaluations, .. } = resolved;
        if slope > 0.0 || force != 0.0 {
            state.counts.count_lone(evaluations.saturating_sub(1));
        }
        state.contact_forces[index] = force;
        let mut moved = closing;
        if force != 0.0 {
            moved = self.free - self.mobility * force;
            for (slot, sign) in self.wires.into_iter().filter(|wire| wire.1 != 0.0) {
                state.forces[slot] -= sign * force;
                state.pressed.mark(slot);
            }
            state.touches[index].note(force, state.steps);
        }
        let values = &mut state.values[self.state];
        let dissipated = if refused { 0.0 } else { law.commit(values, &resolved) };
        state.resting[index] = self.rests_apart && force == 0.0 && is_apart(values);
        if state.ledger.enabled {
            let stored = law.energy(values);
            let settled = Settled { force, closing, yielded: 0.0, moved, resolved: &resolved };
            book(model, state, index, &settled, Energies { dissipated, stored }, flow);
        }
    }
}
