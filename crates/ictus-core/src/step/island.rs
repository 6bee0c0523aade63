//! The part of a step that solves islands: contacts that share bodies.
//!
//! The linear laws are eliminated, the others solved by a Newton iteration. In most steps of most instruments all of these are open and stay so under the forces of the
//! linear laws: then there is nothing to iterate, and the island [rests](solve_resting).

use super::commit::{ContactStep, commit_contact};
use super::{Flow, HUGE, is_apart, passes_by, reject, resolvent, subtract, usable};
use crate::contact::Law;
use crate::interaction::{Gap, Interaction};
use crate::model::Model;
use crate::paths::{Special, takes};
use crate::solver::island::{Island, NO_FORCE, Workspace};
use crate::solver::{SolverCounts, dense, general_newton, non_monotone_newton};
use crate::state::State;

/// Solves all islands that are awake.
// optional stages are separate functions: inlined, they would cost the loop stack and registers
#[inline(never)]
pub(super) fn solve(model: &Model, state: &mut State, flow: &mut Flow) {
    // moved out and back, so that islands can borrow the rest of the state
    let mut works = std::mem::take(&mut state.workspaces);
    for at in 0..state.awake.islands.len() {
        let i = state.awake.islands[at];
        let (island, work) = (&model.islands[i], &mut works[i]);
        begin(model, island, state, work);
        if solve_resting(model, island, state, work) {
            apply_linear(model, island, state, work, flow);
        } else {
            solve_resolvent(model, island, state, work);
            apply(model, island, state, work, flow);
        }
    }
    state.workspaces = works;
}

/// The resolvent laws of an island with their state.
struct IslandLaws<'a> {
    model: &'a Model,
    island: &'a Island,
    values: &'a [f64],
}

impl general_newton::Laws for IslandLaws<'_> {
    fn law(&self, i: usize) -> (&dyn Interaction, &[f64]) {
        let contact = &self.model.contacts[self.island.contacts[self.island.resolvent.start + i]];
        (resolvent(contact), &self.values[contact.state.clone()])
    }
}

/// The opposing force of an external force; 0 if its input is out of range.
fn external_input(state: &mut State, index: usize) -> f64 {
    let input = state.inputs[index];
    if input.abs() < HUGE { -input } else { reject(state) }
}

/// The motion of the contacts under the external forces and those of the linear laws.
fn begin(model: &Model, island: &Island, state: &mut State, work: &mut Workspace) {
    for (i, (&contact, [a, b])) in island.contacts.iter().zip(&island.endpoints).enumerate() {
        // an opening gap reduces the approach velocity
        work.motion[i] = a.1 * state.free[a.0] + b.1 * state.free[b.0] - state.rates[contact];
    }
    if island.varies {
        state.counts.dropped_pivots += island.refresh(model, state, work) as u64;
    }
    for i in island.external.clone() {
        work.force[i] = external_input(state, island.contacts[i]);
        if work.force[i] != 0.0 {
            subtract(&mut work.motion, island.row(&work.mobility, i), work.force[i]);
        }
    }
    if work.engaged.len() < island.linear.len() {
        for i in island.linear.clone() {
            (work.force[i], work.approach[i], work.yielded[i]) = (0.0, 0.0, 0.0);
        }
    }
    if !work.engaged.is_empty() {
        solve_linear(model, island, state, work);
    }
}

/// True if all resolvent laws are open and inactive, and stay so: then their gaps have been advanced, and the forces of the linear laws are final.
fn solve_resting(model: &Model, island: &Island, state: &mut State, work: &mut Workspace) -> bool {
    let (contacts, motion) = (&island.contacts[island.resolvent.clone()], &work.motion[island.resolvent.clone()]);
    let stays = |(&contact, &approach): (&usize, &f64)| {
        state.resting[contact]
            && Gap::load(&state.values[model.contacts[contact].state.start..]).passes_by(model.clock, approach)
    };
    let usable = |force: &f64| force.abs() < HUGE;
    let rests = contacts.iter().zip(motion).all(stays) && work.rhs[..work.engaged.len()].iter().all(usable);
    if !rests || !takes(Special::Resting, 1) {
        return false;
    }
    for (&contact, &approach) in contacts.iter().zip(motion) {
        passes_by(model.clock, &mut state.values[model.contacts[contact].state.start..], approach);
    }
    work.newton.rest();
    for row in 0..work.engaged.len() {
        set_linear_force(work, row, work.rhs[row], &mut state.counts);
    }
    true
}

/// Computes the forces of the resolvent laws, and from these the final ones of the linear laws.
fn solve_resolvent(model: &Model, island: &Island, state: &mut State, work: &mut Workspace) {
    let (l, m) = (work.engaged.len(), island.resolvent.len());
    let first = island.resolvent.start;
    for (a, &index) in island.contacts[first..].iter().enumerate() {
        let free = work.motion[first + a];
        work.newton.free[a] = free;
        // collisions have nothing to prepare
        if island.solver.prepares() {
            let contact = &model.contacts[index];
            let values = &mut state.values[contact.state.clone()];
            if !(state.resting[index] && Gap::load(values).passes_by(model.clock, free)) {
                resolvent(contact).prepare(values, free, work.reduced[a * m + a]);
            }
        }
    }
    if m > 0 {
        if !island.pressed.is_empty() {
            press(model, island, state, work);
        }
        let laws = IslandLaws { model, island, values: &state.values };
        let rests = |a: usize| state.resting[island.contacts[island.resolvent.start + a]];
        let stays_open = |a: usize, approach: f64| {
            let start = model.contacts[island.contacts[island.resolvent.start + a]].state.start;
            rests(a) && Gap::load(&state.values[start..]).passes_by(model.clock, approach)
        };
        let (outcome, fell_back) =
            island.solver.solve((&laws, &state.values), rests, stays_open, model.tolerance, work);
        count(&mut state.counts, m, &outcome);
        state.counts.fallbacks += u64::from(fell_back);
        if outcome.missed {
            for &contact in &island.contacts {
                state.mark_stale(contact);
            }
        }
    }
    for a in 0..m {
        let i = island.resolvent.start + a;
        let resolved = &mut work.newton.resolved[a];
        if !usable(resolved) {
            *resolved = NO_FORCE;
            state.counts.refused_forces += 1;
            state.mark_stale(island.contacts[i]);
        }
        work.force[i] = resolved.force;
        work.approach[i] = resolved.approach;
    }
    for row in 0..l {
        let mut force = work.rhs[row];
        for (resolved, transfer) in work.newton.resolved.iter().zip(&work.transfer[row * m..]) {
            force -= transfer * resolved.force;
        }
        set_linear_force(work, row, force, &mut state.counts);
    }
}

/// Sets the force of an engaged linear law, unless it is out of range.
#[inline(always)]
fn set_linear_force(work: &mut Workspace, row: usize, force: f64, counts: &mut SolverCounts) {
    let i = work.engaged[row];
    let usable = force.abs() < HUGE;
    work.force[i] = if usable { force } else { 0.0 };
    counts.refused_forces += u64::from(!usable);
    work.yielded[i] = work.yielding[row] * work.force[i];
    work.approach[i] += work.yielded[i];
}

/// Computes the forces of the engaged linear laws without those of the others; `motion` becomes the remaining motion.
fn solve_linear(model: &Model, island: &Island, state: &State, work: &mut Workspace) {
    let l = work.engaged.len();
    for row in 0..l {
        let i = work.engaged[row];
        let contact = &model.contacts[island.contacts[i]];
        work.approach[i] = match &contact.definition.law {
            Law::Spring(spring) => spring.target(&state.values[contact.state.clone()]),
            // v' = 2v̄ − v: with this mean, the step ends at the imposed velocity, whatever it began with
            _ => 0.5 * (state.approach_velocity(model, contact) + state.inputs[island.contacts[i]]),
        };
        work.rhs[row] = work.motion[i] - work.approach[i];
    }
    dense::solve(&work.factor, l, l, &work.dropped, &mut work.rhs[..l]);
    for row in 0..l {
        subtract(&mut work.motion, island.row(&work.mobility, work.engaged[row]), work.rhs[row]);
    }
    // iterative refinement: the rounding error of W + e has a constant sign, and its work would accumulate over the steps
    for row in 0..l {
        let i = work.engaged[row];
        work.slack[row] = work.motion[i] - work.approach[i] - work.yielding[row] * work.rhs[row];
    }
    dense::solve(&work.factor, l, l, &work.dropped, &mut work.slack[..l]);
    for row in 0..l {
        work.rhs[row] += work.slack[row];
        subtract(&mut work.motion, island.row(&work.mobility, work.engaged[row]), work.slack[row]);
    }
}

/// Computes normal forces from the collisions of the current step, with the friction forces of the previous one. Normal forces of the previous step would be
/// wrong by the change of a contact in one step, which is everything in an impact. [handbook §7]
fn press(model: &Model, island: &Island, state: &mut State, work: &mut Workspace) {
    let laws = IslandLaws { model, island, values: &state.values };
    non_monotone_newton::solve(&laws, &work.reduced, model.tolerance, &mut work.newton, &island.pressed);
    for &(friction, by) in &island.pressed {
        let normal = work.newton.resolved[by].force;
        let contact = &model.contacts[island.contacts[island.resolvent.start + friction]];
        resolvent(contact).press(&mut state.values[contact.state.clone()], normal.max(0.0));
    }
}

fn count(counts: &mut SolverCounts, laws: usize, outcome: &general_newton::Outcome) {
    if outcome.any_closed {
        if laws == 1 {
            counts.count_lone(outcome.evaluations.saturating_sub(1));
        } else {
            counts.count_coupled(outcome.iterations);
        }
    }
    counts.missed += u64::from(outcome.missed);
}

/// Applies a contact's force to its bodies.
fn apply_force(model: &Model, state: &mut State, index: usize, force: f64) {
    state.contact_forces[index] = force;
    if force != 0.0 {
        for (slot, sign) in model.contacts[index].endpoints.into_iter().flatten() {
            state.forces[slot] -= sign * force;
            state.pressed.mark(slot);
        }
    }
}

/// Applies the forces to the bodies, commits the laws, and enters the contacts in the ledger.
fn apply(model: &Model, island: &Island, state: &mut State, work: &mut Workspace, flow: &mut Flow) {
    if state.ledger.enabled {
        // the motion of the bodies by the port equation; it already includes the external forces and the first forces of the linear laws
        for (row, &i) in work.engaged.iter().enumerate() {
            if work.force[i] != work.rhs[row] {
                subtract(&mut work.motion, island.row(&work.mobility, i), work.force[i] - work.rhs[row]);
            }
        }
        for i in island.resolvent.clone() {
            if work.force[i] != 0.0 {
                subtract(&mut work.motion, island.row(&work.mobility, i), work.force[i]);
            }
        }
    }
    if !state.ledger.enabled && state.boundary.enabled {
        // only the motion against external forces matters
        for i in island.external.clone().filter(|&i| work.force[i] != 0.0) {
            work.motion[i] = motion_under_all(island, work, i);
        }
    }
    for (i, &index) in island.contacts.iter().enumerate() {
        let (force, approach) = (work.force[i], work.approach[i]);
        let inactive = force == 0.0 && state.resting[index];
        if inactive && passes_by(model.clock, &mut state.values[model.contacts[index].state.start..], approach) {
            continue;
        }
        apply_one(model, island, i, state, work, flow);
        state.resting[index] =
            force == 0.0 && island.rests_apart(i) && is_apart(&state.values[model.contacts[index].state.clone()]);
    }
}

/// The same for an island whose resolvent laws rest.
fn apply_linear(model: &Model, island: &Island, state: &mut State, work: &Workspace, flow: &mut Flow) {
    for i in 0..island.resolvent.start {
        apply_one(model, island, i, state, work, flow);
    }
}

fn apply_one(model: &Model, island: &Island, i: usize, state: &mut State, work: &Workspace, flow: &mut Flow) {
    let (index, force) = (island.contacts[i], work.force[i]);
    apply_force(model, state, index, force);
    let resolved = i.checked_sub(island.resolvent.start).map_or(&NO_FORCE, |a| &work.newton.resolved[a]);
    let (approach, yielded, moved) = (work.approach[i], work.yielded[i], work.motion[i]);
    commit_contact(model, state, index, &ContactStep { force, approach, yielded, moved, resolved }, flow);
}

/// w of one contact under all forces of the step, m/s: `motion` lacks the resolvent forces, and the linear ones in so far as these changed them.
fn motion_under_all(island: &Island, work: &Workspace, i: usize) -> f64 {
    let mobility = island.row(&work.mobility, i);
    let linear = work.engaged.iter().enumerate().map(|(row, &j)| mobility[j] * (work.force[j] - work.rhs[row]));
    let resolvent = island.resolvent.clone().map(|j| mobility[j] * work.force[j]);
    work.motion[i] - linear.chain(resolvent).sum::<f64>()
}
