//! One step of a model: predict, couple, advance, enter in the ledger.

mod collisions;
pub(crate) mod external_force;
pub(crate) mod housekeeping;
mod lone;
pub(crate) mod row;

use crate::clock::Clock;
use crate::contact::Law;
use crate::interaction::{Gap, Interaction, Resolved};
use crate::model::{Body, Model, ModelContact};
use crate::paths::{Special, takes};
use crate::resonator::Audit;
use crate::solver::island::{Island, NO_FORCE, Workspace};
use crate::solver::{SolverCounts, dense, general_newton, non_monotone_newton, sequential, small_newton};
use crate::state::{Condition, State};

/// Limit of forces (N) and velocities (m/s): beyond it energies overflow, and values are rejected and counted.
pub(crate) const HUGE: f64 = 1e150;

/// Energies of one step, J.
#[derive(Default)]
struct Flow {
    supplied: f64,
    dissipated: f64,
    solver: f64,
}

/// Advances `state` by one time step. Does not allocate.
pub fn step(model: &Model, state: &mut State) {
    housekeeping::rest_some(model, state);
    state.awake.update(model);
    predict(model, state);
    let driven = !state.awake.external_forces.is_empty() && external_force::apply(model, state);
    let mut flow = Flow::default();
    if !state.awake.rows.is_empty() {
        row::solve(model, state, &mut flow);
    }
    if !state.awake.lone.is_empty() {
        lone::solve(model, state, &mut flow);
    }
    if !state.awake.islands.is_empty() {
        solve_islands(model, state, &mut flow);
    }
    if driven && (state.ledger.enabled || state.boundary.enabled) {
        external_force::book(model, state, &mut flow);
    }
    advance(model, state, &mut flow);
    state.steps += 1;
    if !state.moving.is_empty() {
        advance_gaps(model, state);
    }
    housekeeping::run(model, state);
    state.boundary.add(flow.supplied);
    if state.ledger.enabled {
        state.ledger.close_step(flow.supplied, flow.dissipated, flow.solver);
    }
}

// optional stages are separate functions: inlined, they would cost the loop stack and registers
#[inline(never)]
fn solve_islands(model: &Model, state: &mut State, flow: &mut Flow) {
    // moved out and back, so that islands can borrow the rest of the state
    let mut works = std::mem::take(&mut state.workspaces);
    for at in 0..state.awake.islands.len() {
        let i = state.awake.islands[at];
        let (island, work) = (&model.islands[i], &mut works[i]);
        solve_island(model, island, state, work);
        apply(model, island, state, work, flow);
    }
    state.workspaces = works;
}

fn predict(model: &Model, state: &mut State) {
    let State { pressed, forces, external, .. } = state;
    pressed.release(|slot| (forces[slot], external[slot]) = (0.0, 0.0));
    for at in 0..state.awake.bodies.len() {
        let i = state.awake.bodies[at];
        let body = &model.bodies[i];
        if let Some(port) = body.single_port
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

// separate, as is `advance_ports`: the loop over single-port bodies then fits in registers
#[inline(never)]
fn predict_ports(model: &Model, body: &Body, i: usize, state: &mut State) {
    let free = &mut state.free[body.slots.clone()];
    if state.conditions[i] != Condition::Moving {
        free.fill(0.0);
        state.stiffening[body.slots.clone()].fill(0.0);
        return;
    }
    body.resonator.free_velocities(&mut state.values[body.state.clone()], &body.touched, free);
    if body.varies
        && let Some(varying) = body.resonator.varying()
    {
        let values = &state.values[body.state.clone()];
        varying.stiffening(values, &body.touched, &mut state.stiffening[body.slots.clone()]);
        state.counts.overstretched += u64::from(varying.is_overstretched(values));
    }
    // checking all of them is faster than stopping at the first
    if !free.iter().fold(true, |sound, v| sound & (v.abs() < HUGE)) {
        quarantine(model, state, i);
    }
}

/// Stops a body whose state is out of range; its last entered energy counts as dissipated.
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

fn resolvent(contact: &ModelContact) -> &dyn Interaction {
    match &contact.definition.law {
        Law::Resolvent(law) => &**law,
        _ => unreachable!("an island's resolvent range holds resolvent laws only"),
    }
}

impl general_newton::Laws for IslandLaws<'_> {
    fn law(&self, i: usize) -> (&dyn Interaction, &[f64]) {
        let contact = &self.model.contacts[self.island.contacts[self.island.resolvent.start + i]];
        (resolvent(contact), &self.values[contact.state.clone()])
    }

    fn collisions(&self) -> Option<small_newton::Collisions<'_>> {
        self.island.collisions.as_ref().map(|members| small_newton::Collisions { members, values: self.values })
    }
}

/// True for the state of an open, inactive law.
fn is_apart(values: &[f64]) -> bool {
    // without short-circuit: a branch would be mispredicted
    matches!(*values, [now, before, held, earlier] if (now < 0.0) & (before < 0.0) & (held == 0.0) & (earlier == 0.0))
}

/// True if an open contact stays open: then its gap has been advanced and nothing else is to do. The common case for the points of a
/// barrier.
#[inline(always)]
fn passes_by(clock: Clock, values: &mut [f64], approach: f64) -> bool {
    let mut gap = Gap::load(values);
    let open = gap.passes_by(clock, approach);
    if open {
        gap.store(values);
    }
    open
}

/// False if a value is out of range or not finite.
fn usable(resolved: &Resolved) -> bool {
    let Resolved { approach, force, end, potential, plasticity, .. } = *resolved;
    [approach, force, end, potential.magnitude(), plasticity].iter().all(|x| x.abs() < HUGE)
}

/// The same for a collision, whose approach velocity is bounded by its gaps and needed only for the work of the step.
#[inline(always)]
fn usable_gap(resolved: &Resolved) -> bool {
    let Resolved { force, end, potential, .. } = *resolved;
    [force, end, potential.magnitude()].iter().all(|x| x.abs() < HUGE)
}

/// The opposing force of an external force; 0 if its input is out of range.
fn external_input(state: &mut State, index: usize) -> f64 {
    let input = state.inputs[index];
    if input.abs() < HUGE { -input } else { reject(state) }
}

/// Counts a rejected force and returns 0.
#[cold]
fn reject(state: &mut State) -> f64 {
    state.counts.refused_forces += 1;
    0.0
}

/// out −= factor · row.
fn subtract(out: &mut [f64], row: &[f64], factor: f64) {
    for (out, w) in out.iter_mut().zip(row) {
        *out -= w * factor;
    }
}

/// Computes the forces of an island.
fn solve_island(model: &Model, island: &Island, state: &mut State, work: &mut Workspace) {
    for (i, (&contact, [a, b])) in island.contacts.iter().zip(&island.endpoints).enumerate() {
        // an opening gap reduces the approach velocity
        work.motion[i] = a.1 * state.free[a.0] + b.1 * state.free[b.0] - state.rates[contact];
    }
    state.counts.dropped_pivots += island.refresh(model, state, work) as u64;
    for i in island.external.clone() {
        work.force[i] = external_input(state, island.contacts[i]);
        if work.force[i] != 0.0 {
            subtract(&mut work.motion, island.row(&work.mobility, i), work.force[i]);
        }
    }
    for i in island.linear.clone() {
        (work.force[i], work.approach[i], work.yielded[i]) = (0.0, 0.0, 0.0);
    }
    let (l, m) = (work.engaged.len(), island.resolvent.len());
    if l > 0 {
        solve_linear(model, island, state, work);
    }
    let first = island.resolvent.start;
    for (a, &index) in island.contacts[first..].iter().enumerate() {
        work.newton.free[a] = work.motion[first + a];
        // collisions have nothing to prepare
        if island.collisions.is_none() && !state.resting[index] {
            let contact = &model.contacts[index];
            let values = &mut state.values[contact.state.clone()];
            resolvent(contact).prepare(values, work.newton.free[a], work.reduced[a * m + a]);
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
        let outcome = if island.monotone {
            work.active_set.solve(&laws, rests, stays_open, &work.reduced, model.tolerance, &mut work.newton)
        } else {
            non_monotone_newton::solve(&laws, &work.reduced, model.tolerance, &mut work.newton, &[])
        };
        count(&mut state.counts, m, &outcome);
        if outcome.missed {
            let fell_back = sequential::fall_back(&laws, &work.reduced, model.tolerance, &mut work.newton);
            state.counts.fallbacks += u64::from(fell_back);
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
        let i = work.engaged[row];
        let mut force = work.rhs[row];
        for (resolved, transfer) in work.newton.resolved.iter().zip(&work.transfer[row * m..]) {
            force -= transfer * resolved.force;
        }
        let usable = force.abs() < HUGE;
        work.force[i] = if usable { force } else { 0.0 };
        state.counts.refused_forces += u64::from(!usable);
        work.yielded[i] = work.yielding[row] * work.force[i];
        work.approach[i] += work.yielded[i];
    }
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
    let by_collision = island.collisions.as_ref().filter(|_| !state.ledger.enabled && takes(Special::CollisionEnd, 1));
    let others = if by_collision.is_some() { island.resolvent.start } else { island.len() };
    for (i, &index) in island.contacts[..others].iter().enumerate() {
        let (force, approach) = (work.force[i], work.approach[i]);
        let inactive = force == 0.0 && state.resting[index];
        if inactive && passes_by(model.clock, &mut state.values[model.contacts[index].state.start..], approach) {
            continue;
        }
        apply_force(model, state, index, force);
        let resolved = i.checked_sub(island.resolvent.start).map_or(&NO_FORCE, |a| &work.newton.resolved[a]);
        let contact_step = ContactStep { force, approach, yielded: work.yielded[i], moved: work.motion[i], resolved };
        commit_contact(model, state, index, &contact_step, flow);
        state.resting[index] =
            force == 0.0 && island.rests_apart(i) && is_apart(&state.values[model.contacts[index].state.clone()]);
    }
    if let Some(members) = by_collision {
        collisions::apply(model, island, members, state, work, flow);
    }
}

/// w of one contact under all forces of the step, m/s: `motion` lacks the resolvent forces, and the linear ones in so far as these changed them.
fn motion_under_all(island: &Island, work: &Workspace, i: usize) -> f64 {
    let mobility = island.row(&work.mobility, i);
    let linear = work.engaged.iter().enumerate().map(|(row, &j)| mobility[j] * (work.force[j] - work.rhs[row]));
    let resolvent = island.resolvent.clone().map(|j| mobility[j] * work.force[j]);
    work.motion[i] - linear.chain(resolvent).sum::<f64>()
}

/// Result of a step for one contact.
struct ContactStep<'a> {
    force: f64,
    /// w according to the law.
    approach: f64,
    /// The part of w by which a light grip yielded.
    yielded: f64,
    /// w according to the bodies.
    moved: f64,
    resolved: &'a Resolved,
}

/// Commits the step of a law and enters it in the ledger.
fn commit_contact(model: &Model, state: &mut State, index: usize, contact_step: &ContactStep, flow: &mut Flow) {
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
            let dissipated = if *resolved == NO_FORCE { 0.0 } else { law.commit(values, resolved) };
            (dissipated, if audited { law.energy(values) } else { 0.0 })
        }
    };
    book(model, state, index, contact_step, Energies { dissipated, stored }, flow);
}

/// Energies of a contact, J.
struct Energies {
    /// Dissipated over the step.
    dissipated: f64,
    /// Stored after it.
    stored: f64,
}

/// Enters a step of a contact that stores energy.
#[inline(always)]
fn book(
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

fn advance(model: &Model, state: &mut State, flow: &mut Flow) {
    let audited = state.ledger.enabled;
    for at in 0..state.awake.bodies.len() {
        let i = state.awake.bodies[at];
        let body = &model.bodies[i];
        if let Some(port) = body.single_port
            && !audited
            && state.conditions[i] == Condition::Moving
        {
            let force = state.forces[body.slots.start];
            body.resonator.advance_single_port(&mut state.values[body.state.clone()], port, force);
            continue;
        }
        advance_ports(model, body, i, state, flow);
    }
}

#[inline(never)]
fn advance_ports(model: &Model, body: &Body, i: usize, state: &mut State, flow: &mut Flow) {
    let audited = state.ledger.enabled;
    let ports_of_step = external_force::Ports { free: &state.free, forces: &state.forces, external: &state.external };
    let (rows, ports, port_forces) = state.pressed.gather(body, &state.forces);
    let quarantined = state.conditions[i] == Condition::Quarantined;
    if state.conditions[i] == Condition::Asleep {
        if port_forces.is_empty() {
            return;
        }
        state.conditions[i] = Condition::Moving;
    }
    let mut supplied = 0.0;
    if audited && (!body.varies || quarantined) {
        for (&row, &force) in rows.iter().zip(port_forces) {
            supplied += model.clock.dt * force * ports_of_step.velocity(body, body.slots.start + row);
        }
    }
    if quarantined {
        // a stopped body yields as before and stores nothing
        flow.dissipated += state.ledger.bodies[i].forfeit(supplied);
        return;
    }
    let values = &mut state.values[body.state.clone()];
    if !audited {
        body.resonator.advance(values, ports, port_forces, false);
        return;
    }
    let Audit { dissipated, stored } = body.resonator.advance_audited(values, ports, port_forces);
    if body.varies
        && let Some(varying) = body.resonator.varying()
    {
        let work = |(&port, &force)| model.clock.dt * force * varying.mean_velocity(values, port);
        supplied = ports.iter().zip(port_forces).map(work).sum();
    }
    if stored.is_finite() && dissipated.is_finite() {
        state.ledger.bodies[i].book(stored, supplied, dissipated, 0.0);
        flow.dissipated += dissipated;
    } else {
        flow.dissipated += state.ledger.bodies[i].forfeit(supplied);
        quarantine(model, state, i);
    }
}

/// Completes the motion of gaps. A gap that no longer moves is removed once both instants of the scheme agree.
#[inline(never)]
fn advance_gaps(model: &Model, state: &mut State) {
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
