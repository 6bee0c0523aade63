//! One step of a model: predict, couple, advance, enter in the ledger.

mod commit;
pub(crate) mod external_force;
pub(crate) mod housekeeping;
mod island;
mod lone;
pub(crate) mod row;

use crate::clock::Clock;
use crate::contact::Law;
use crate::interaction::{Gap, Interaction, Resolved};
use crate::model::{Body, Model, ModelContact};
use crate::resonator::Audit;
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
    let mut flow = Flow::default();
    housekeeping::rest_some(model, state);
    state.awake.update(model);
    predict(model, state);
    let driven = !state.awake.external_forces.is_empty() && external_force::apply(model, state);
    solve(model, state, &mut flow);
    if driven && (state.ledger.enabled || state.boundary.enabled) {
        external_force::book(model, state, &mut flow);
    }
    advance(model, state, &mut flow);
    state.steps += 1;
    if !state.moving.is_empty() {
        advance_gaps(model, state);
    }
    housekeeping::run(model, state);
    account(state, &flow);
}

/// Finds the forces of all contacts and applies them to the bodies: isolated ones in rows and one by one, then islands.
#[inline(always)]
fn solve(model: &Model, state: &mut State, flow: &mut Flow) {
    if !state.awake.rows.is_empty() {
        row::solve(model, state, flow);
    }
    if !state.awake.lone.is_empty() {
        lone::solve(model, state, flow);
    }
    if !state.awake.islands.is_empty() {
        island::solve(model, state, flow);
    }
}

/// Closes the accounts of the step.
#[inline(always)]
fn account(state: &mut State, flow: &Flow) {
    state.boundary.add(flow.supplied);
    if state.ledger.enabled {
        state.ledger.close_step(flow.supplied, flow.dissipated, flow.solver);
    }
}

fn predict(model: &Model, state: &mut State) {
    let State { pressed, forces, external, .. } = state;
    pressed.release(|slot| (forces[slot], external[slot]) = (0.0, 0.0));
    for at in 0..state.awake.bodies.len() {
        let i = state.awake.bodies[at];
        let body = &model.bodies[i];
        let Some(port) = body.single_port else {
            predict_ports(model, body, i, state);
            continue;
        };
        if state.conditions[i] != Condition::Moving {
            state.free[body.slots.start] = 0.0;
            continue;
        }
        let audited = state.ledger.enabled;
        let free = body.resonator.free_velocity(&mut state.values[body.state.clone()], port, audited);
        state.free[body.slots.start] = free;
        let sound = free.abs() < HUGE;
        if !sound {
            quarantine(model, state, i);
        }
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

fn resolvent(contact: &ModelContact) -> &dyn Interaction {
    match &contact.definition.law {
        Law::Resolvent(law) => &**law,
        _ => unreachable!("an island's resolvent range holds resolvent laws only"),
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

fn advance(model: &Model, state: &mut State, flow: &mut Flow) {
    let audited = state.ledger.enabled;
    for at in 0..state.awake.bodies.len() {
        let i = state.awake.bodies[at];
        let body = &model.bodies[i];
        if let Some(port) = body.single_port {
            let force = state.forces[body.slots.start];
            match state.conditions[i] {
                Condition::Asleep if force == 0.0 => continue,
                Condition::Moving if !audited => {
                    body.resonator.advance_single_port(&mut state.values[body.state.clone()], port, force);
                    continue;
                }
                _ => {}
            }
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
