//! One step of a model: predict, couple, advance, book.

mod field;
pub(crate) mod given;
mod known;
mod lone;
pub(crate) mod row;
pub(crate) mod sweep;

use crate::clock::Clock;
use crate::contact::Law;
use crate::interaction::{Gap, Interaction, Resolved};
use crate::model::{Body, Joint, Model};
use crate::resonator::Audit;
use crate::solver::island::{Island, NOTHING, Workspace};
use crate::solver::{SolverCounts, dense, direct, mixed, newton, turns};
use crate::state::{Condition, State};

/// Forces (N) and velocities (m/s) from here on have energies that overflow: they are refused and counted.
pub(crate) const HUGE: f64 = 1e150;

/// Energies of one step, J.
#[derive(Default)]
struct Flow {
    supplied: f64,
    dissipated: f64,
    solver: f64,
}

/// Advances `state` by one time step. Allocates nothing.
pub fn step(model: &Model, state: &mut State) {
    sweep::rest_some(model, state);
    predict(model, state);
    if !model.given.is_empty() {
        given::push(model, state);
    }
    let mut flow = Flow::default();
    if !model.rows.is_empty() {
        row::solve(model, state, &mut flow);
    }
    if !model.lone.is_empty() {
        lone::solve(model, state, &mut flow);
    }
    if !model.islands.is_empty() {
        solve_islands(model, state, &mut flow);
    }
    if !model.fields.is_empty() {
        solve_fields(model, state, &mut flow);
    }
    if state.ledger.enabled {
        given::book(model, state, &mut flow);
    }
    advance(model, state, &mut flow);
    state.steps += 1;
    if !state.moving.is_empty() {
        settle_gaps(model, state);
    }
    sweep::sweep(model, state);
    if state.ledger.enabled {
        state.ledger.close_step(flow.supplied, flow.dissipated, flow.solver);
    }
}

// what a model may lack stays out of the loop's function, which would keep room and registers for it
#[inline(never)]
fn solve_islands(model: &Model, state: &mut State, flow: &mut Flow) {
    // taken out and put back, so that islands may borrow the rest of the state
    let mut works = std::mem::take(&mut state.workspaces);
    for (island, work) in model.islands.iter().zip(&mut works) {
        solve_island(model, island, state, work);
        apply(model, island, state, work, flow);
    }
    state.workspaces = works;
}

#[inline(never)]
fn solve_fields(model: &Model, state: &mut State, flow: &mut Flow) {
    let mut works = std::mem::take(&mut state.field_works);
    for (along, work) in model.fields.iter().zip(&mut works) {
        field::solve(model, along, state, work, flow);
    }
    state.field_works = works;
}

fn predict(model: &Model, state: &mut State) {
    let State { pressed, forces, given, .. } = state;
    pressed.release(|slot| (forces[slot], given[slot]) = (0.0, 0.0));
    for (i, body) in model.bodies.iter().enumerate() {
        if let Some(port) = body.only
            && state.conditions[i] == Condition::Moving
        {
            let audited = state.ledger.enabled;
            let free = body.resonator.free_velocity(&mut state.values[body.state.clone()], port, audited);
            state.free[body.slots.start] = free;
            let sound = free.abs() < HUGE;
            if !sound {
                quarantine(model, state, i);
            }
            continue;
        }
        predict_ports(model, body, i, state);
    }
}

// out of the loop, as is the other below: a body of which one port is touched goes round it with what fits into registers
#[inline(never)]
fn predict_ports(model: &Model, body: &Body, i: usize, state: &mut State) {
    let free = &mut state.free[body.slots.clone()];
    if state.conditions[i] != Condition::Moving {
        free.fill(0.0);
        state.stiffening[body.slots.clone()].fill(0.0);
        return;
    }
    body.resonator.free_velocities(&mut state.values[body.state.clone()], &body.touched, free);
    if body.varies {
        let values = &state.values[body.state.clone()];
        body.resonator.stiffening(values, &body.touched, &mut state.stiffening[body.slots.clone()]);
        state.counts.overstretched += u64::from(body.resonator.is_overstretched(values));
    }
    // every one is looked at, which is faster than stopping at the first
    if !free.iter().fold(true, |sound, v| sound & (v.abs() < HUGE)) {
        quarantine(model, state, i);
    }
}

/// Stops a body whose numbers are no longer usable; its last booked energy counts as lost.
pub(crate) fn quarantine(model: &Model, state: &mut State, i: usize) {
    let body = &model.bodies[i];
    state.values[body.state.clone()].fill(0.0);
    state.free[body.slots.clone()].fill(0.0);
    state.conditions[i] = Condition::Quarantined;
    state.counts.quarantined += 1;
}

/// The resolvent laws of an island with their state.
struct IslandLaws<'a> {
    model: &'a Model,
    island: &'a Island,
    values: &'a [f64],
}

fn resolvent(joint: &Joint) -> &dyn Interaction {
    match &joint.contact.law {
        Law::Resolvent(law) => &**law,
        _ => unreachable!("an island's resolvent range holds resolvent laws only"),
    }
}

impl newton::Laws for IslandLaws<'_> {
    fn law(&self, i: usize) -> (&dyn Interaction, &[f64]) {
        let joint = &self.model.joints[self.island.joints[self.island.resolvent.start + i]];
        (resolvent(joint), &self.values[joint.state.clone()])
    }

    fn collisions(&self) -> Option<direct::Collisions<'_>> {
        self.island.collisions.as_ref().map(|known| direct::Collisions { known, values: self.values })
    }
}

/// The state of a law that rests apart.
fn is_apart(values: &[f64]) -> bool {
    // all are looked at: a branch would be guessed wrong
    matches!(*values, [now, before, held, earlier] if (now < 0.0) & (before < 0.0) & (held == 0.0) & (earlier == 0.0))
}

/// True if a resting contact stays so: then its gap has moved on and there is nothing else to do. Most points of a barrier, most
/// of the time.
#[inline(always)]
fn passes_by(clock: Clock, values: &mut [f64], closing: f64) -> bool {
    let mut gap = Gap::load(values);
    let open = gap.passes_by(clock, closing);
    if open {
        gap.store(values);
    }
    open
}

/// False where numbers are too large to be worked with, or not numbers.
fn usable(resolved: &Resolved) -> bool {
    let Resolved { closing, force, end, potential, .. } = *resolved;
    [closing, force, end, potential].iter().all(|x| x.abs() < HUGE)
}

/// The same for a collision. Its closing velocity leads from one usable gap to another; only its work over the step is ever asked for.
#[inline(always)]
fn usable_gap(resolved: &Resolved) -> bool {
    let Resolved { force, end, potential, .. } = *resolved;
    [force, end, potential].iter().all(|x| x.abs() < HUGE)
}

/// The opposing force of a contact that pushes from outside; 0 where its input is not usable.
fn given_force(state: &mut State, index: usize) -> f64 {
    let input = state.inputs[index];
    if input.abs() < HUGE { -input } else { refuse(state) }
}

/// No force, since what was asked for is not usable.
#[cold]
fn refuse(state: &mut State) -> f64 {
    state.counts.refused_forces += 1;
    0.0
}

/// out −= factor · row.
fn subtract(out: &mut [f64], row: &[f64], factor: f64) {
    for (out, w) in out.iter_mut().zip(row) {
        *out -= w * factor;
    }
}

/// Finds the forces of an island.
fn solve_island(model: &Model, island: &Island, state: &mut State, work: &mut Workspace) {
    for (i, (&joint, [a, b])) in island.joints.iter().zip(&island.wires).enumerate() {
        // a gap that opens is a contact that closes more slowly
        work.motion[i] = a.1 * state.free[a.0] + b.1 * state.free[b.0] - state.rates[joint];
    }
    state.counts.dropped_pivots += island.refresh(model, state, work) as u64;
    for i in island.given.clone() {
        work.force[i] = given_force(state, island.joints[i]);
        if work.force[i] != 0.0 {
            subtract(&mut work.motion, island.row(&work.mobility, i), work.force[i]);
        }
    }
    for i in island.linear.clone() {
        (work.force[i], work.closing[i], work.yielded[i]) = (0.0, 0.0, 0.0);
    }
    let (l, m) = (work.engaged.len(), island.resolvent.len());
    if l > 0 {
        solve_linear(model, island, state, work);
    }
    let first = island.resolvent.start;
    for (a, &index) in island.joints[first..].iter().enumerate() {
        work.newton.free[a] = work.motion[first + a];
        // collisions have nothing to prepare
        if island.collisions.is_none() && !state.resting[index] {
            let joint = &model.joints[index];
            let values = &mut state.values[joint.state.clone()];
            resolvent(joint).prepare(values, work.newton.free[a], work.reduced[a * m + a]);
        }
    }
    if m > 0 {
        if !island.pressed.is_empty() {
            press(model, island, state, work);
        }
        let laws = IslandLaws { model, island, values: &state.values };
        let rests = |a: usize| state.resting[island.joints[island.resolvent.start + a]];
        let stays_open = |a: usize, closing: f64| {
            let start = model.joints[island.joints[island.resolvent.start + a]].state.start;
            rests(a) && Gap::load(&state.values[start..]).passes_by(model.clock, closing)
        };
        let outcome = if island.monotone {
            work.live.solve(&laws, rests, stays_open, &work.reduced, model.tolerance, &mut work.newton)
        } else {
            mixed::solve(&laws, &work.reduced, model.tolerance, &mut work.newton, &[])
        };
        count(&mut state.counts, m, &outcome);
        if outcome.missed {
            let in_turn = turns::settle(&laws, &work.reduced, model.tolerance, &mut work.newton);
            state.counts.in_turn += u64::from(in_turn);
            for &joint in &island.joints {
                state.mark_stale(joint);
            }
        }
    }
    for a in 0..m {
        let i = island.resolvent.start + a;
        let resolved = &mut work.newton.resolved[a];
        if !usable(resolved) {
            *resolved = NOTHING;
            state.counts.refused_forces += 1;
            state.mark_stale(island.joints[i]);
        }
        work.force[i] = resolved.force;
        work.closing[i] = resolved.closing;
    }
    for row in 0..l {
        let i = work.engaged[row];
        let mut force = work.rhs[row];
        for (resolved, transfer) in work.newton.resolved.iter().zip(&work.transfer[row * m..]) {
            force -= transfer * resolved.force;
        }
        let usable = force.abs() < HUGE;
        work.force[i] = if usable { force } else { 0.0 };
        state.counts.refused_forces += u64::from(!usable);
        work.yielded[i] = work.yielding[row] * work.force[i];
        work.closing[i] += work.yielded[i];
    }
}

/// Forces of the engaged linear laws, had the others none; `motion` becomes what they leave.
fn solve_linear(model: &Model, island: &Island, state: &State, work: &mut Workspace) {
    let l = work.engaged.len();
    for row in 0..l {
        let i = work.engaged[row];
        let joint = &model.joints[island.joints[i]];
        work.closing[i] = match &joint.contact.law {
            Law::Spring(spring) => spring.target(&state.values[joint.state.clone()]),
            // v' = 2v̄ − v: with the mean halfway, the step ends at the velocity asked for, whatever it began with
            _ => 0.5 * (state.closing_velocity(model, joint) + state.inputs[island.joints[i]]),
        };
        work.rhs[row] = work.motion[i] - work.closing[i];
    }
    dense::solve(&work.factor, l, l, &work.dropped, &mut work.rhs[..l]);
    for row in 0..l {
        subtract(&mut work.motion, island.row(&work.mobility, work.engaged[row]), work.rhs[row]);
    }
    // once more for what rounding left: the last digit of W + e is always wrong in the same direction, and its work would add up over the steps
    for row in 0..l {
        let i = work.engaged[row];
        work.slack[row] = work.motion[i] - work.closing[i] - work.yielding[row] * work.rhs[row];
    }
    dense::solve(&work.factor, l, l, &work.dropped, &mut work.slack[..l]);
    for row in 0..l {
        work.rhs[row] += work.slack[row];
        subtract(&mut work.motion, island.row(&work.mobility, work.engaged[row]), work.slack[row]);
    }
}

/// Normal forces from the collisions of this very step, found with the frictions pushing as before. The forces of the step before would be
/// wrong by as much as a contact changes in a step, which is everything in an impact. [handbook §7]
fn press(model: &Model, island: &Island, state: &mut State, work: &mut Workspace) {
    let laws = IslandLaws { model, island, values: &state.values };
    mixed::solve(&laws, &work.reduced, model.tolerance, &mut work.newton, &island.pressed);
    for &(friction, by) in &island.pressed {
        let normal = work.newton.resolved[by].force;
        let joint = &model.joints[island.joints[island.resolvent.start + friction]];
        resolvent(joint).press(&mut state.values[joint.state.clone()], normal.max(0.0));
    }
}

fn count(counts: &mut SolverCounts, laws: usize, outcome: &newton::Outcome) {
    if outcome.busy {
        if laws == 1 {
            counts.count_lone(outcome.evaluations.saturating_sub(1));
        } else {
            counts.count_coupled(outcome.iterations);
        }
    }
    counts.missed += u64::from(outcome.missed);
}

/// Hands a contact's force to its bodies.
fn push(model: &Model, state: &mut State, index: usize, force: f64) {
    state.contact_forces[index] = force;
    if force != 0.0 {
        for (slot, sign) in model.joints[index].wires.into_iter().flatten() {
            state.forces[slot] -= sign * force;
            state.pressed.mark(slot);
        }
    }
}

/// Hands the forces to the bodies, lets the laws accept the step, books the contacts.
fn apply(model: &Model, island: &Island, state: &mut State, work: &mut Workspace, flow: &mut Flow) {
    if state.ledger.enabled {
        // what the bodies will really do, by the port equation; the given forces and the first answers of the linear laws are in it already
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
    let named = island.collisions.as_ref().filter(|_| !state.ledger.enabled);
    let others = if named.is_some() { island.resolvent.start } else { island.len() };
    for (i, &index) in island.joints[..others].iter().enumerate() {
        let (force, closing) = (work.force[i], work.closing[i]);
        let idle = force == 0.0 && state.resting[index];
        if idle && passes_by(model.clock, &mut state.values[model.joints[index].state.start..], closing) {
            continue;
        }
        push(model, state, index, force);
        let resolved = i.checked_sub(island.resolvent.start).map_or(&NOTHING, |a| &work.newton.resolved[a]);
        let settled = Settled { force, closing, yielded: work.yielded[i], moved: work.motion[i], resolved };
        settle(model, state, index, &settled, flow);
        state.resting[index] =
            force == 0.0 && island.rests_apart(i) && is_apart(&state.values[model.joints[index].state.clone()]);
    }
    if let Some(known) = named {
        known::apply(model, island, known, state, work);
    }
}

/// What a step decided about one contact.
struct Settled<'a> {
    force: f64,
    /// w according to the law.
    closing: f64,
    /// The part of w by which a light touch gave way.
    yielded: f64,
    /// w according to the bodies.
    moved: f64,
    resolved: &'a Resolved,
}

/// Lets a law accept the step and books it.
fn settle(model: &Model, state: &mut State, index: usize, settled: &Settled, flow: &mut Flow) {
    let Settled { force, closing, yielded, moved, resolved } = *settled;
    let dt = model.clock.dt;
    let joint = &model.joints[index];
    let audited = state.ledger.enabled;
    let values = &mut state.values[joint.state.clone()];
    let (dissipated, stored) = match &joint.contact.law {
        Law::Force => {
            flow.supplied -= dt * force * moved;
            if audited {
                state.ledger.contacts[index].supplied.add(-dt * force * moved);
            }
            return;
        }
        Law::Velocity => {
            let [supplied, dissipated, mismatch] =
                [yielded - closing, yielded, closing - moved].map(|w| dt * force * w);
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
            let dissipated = spring.commit(values, closing);
            (dissipated, if audited { spring.energy(values) } else { 0.0 })
        }
        Law::Resolvent(law) => {
            if force != 0.0 {
                state.touches[index].note(force, state.steps);
            }
            let dissipated = if *resolved == NOTHING { 0.0 } else { law.commit(values, resolved) };
            (dissipated, if audited { law.energy(values) } else { 0.0 })
        }
    };
    book(model, state, index, settled, Energies { dissipated, stored }, flow);
}

/// Energies of a contact, J.
struct Energies {
    /// Lost over the step.
    dissipated: f64,
    /// Stored after it.
    stored: f64,
}

/// Books a step of a contact that stores energy.
#[inline(always)]
fn book(model: &Model, state: &mut State, index: usize, settled: &Settled, energies: Energies, flow: &mut Flow) {
    let Settled { force, closing, moved, .. } = *settled;
    let Energies { dissipated, stored } = energies;
    // an idle contact changes nothing in its books
    if state.ledger.enabled && (force != 0.0 || stored != state.ledger.contacts[index].stored) {
        let dt = model.clock.dt;
        let mismatch = dt * force * (closing - moved);
        flow.supplied -= dt * force * state.rates[index];
        state.ledger.book_contact(index, stored, dt * force * closing, dissipated);
        if mismatch != 0.0 {
            state.ledger.contacts[index].solver.add(mismatch);
        }
        flow.dissipated += dissipated;
        flow.solver += mismatch;
    }
}

fn advance(model: &Model, state: &mut State, flow: &mut Flow) {
    let audited = state.ledger.enabled;
    for (i, body) in model.bodies.iter().enumerate() {
        if let Some(port) = body.only
            && !audited
            && state.conditions[i] == Condition::Moving
        {
            let force = state.forces[body.slots.start];
            body.resonator.advance_alone(&mut state.values[body.state.clone()], port, force);
            continue;
        }
        advance_ports(model, body, i, state, flow);
    }
}

#[inline(never)]
fn advance_ports(model: &Model, body: &Body, i: usize, state: &mut State, flow: &mut Flow) {
    let audited = state.ledger.enabled;
    let at = given::Ports { free: &state.free, forces: &state.forces, given: &state.given };
    let (rows, ports, pressing) = state.pressed.gather(body, &state.forces);
    let stopped = state.conditions[i] == Condition::Quarantined;
    if state.conditions[i] == Condition::Asleep {
        if pressing.is_empty() {
            return;
        }
        state.conditions[i] = Condition::Moving;
    }
    let mut supplied = 0.0;
    if let Some(along) = body.field {
        supplied = state.field_works[along].supplied;
    } else if audited && (!body.varies || stopped) {
        for (&row, &force) in rows.iter().zip(pressing) {
            supplied += model.clock.dt * force * at.velocity(body, body.slots.start + row);
        }
    }
    if stopped {
        // a stopped body yields as before and keeps nothing
        flow.dissipated += state.ledger.bodies[i].forfeit(supplied);
        return;
    }
    let values = &mut state.values[body.state.clone()];
    if !audited {
        body.resonator.advance(values, ports, pressing, false);
        return;
    }
    let Audit { dissipated, stored } = body.resonator.advance_audited(values, ports, pressing);
    if body.varies {
        let work = |(&port, &force)| model.clock.dt * force * body.resonator.mean_velocity(values, port);
        supplied = ports.iter().zip(pressing).map(work).sum();
    }
    if stored.is_finite() && dissipated.is_finite() {
        state.ledger.bodies[i].book(stored, supplied, dissipated, 0.0);
        flow.dissipated += dissipated;
    } else {
        flow.dissipated += state.ledger.bodies[i].forfeit(supplied);
        quarantine(model, state, i);
    }
}

/// Gaps that moved arrive. One that stands still from here on is forgotten once both instants of the frame agree.
#[inline(never)]
fn settle_gaps(model: &Model, state: &mut State) {
    let (offsets, rates) = (&mut state.offsets, &mut state.rates);
    state.moving.retain(|&i| {
        let offset = &mut offsets[i];
        offset.before = offset.now;
        offset.now = offset.next;
        rates[i] = offset.rate(model.clock);
        offset.moving = offset.before != offset.now;
        offset.moving
    });
}
