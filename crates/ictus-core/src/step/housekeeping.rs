//! Housekeeping of the whole state, on a fixed schedule: flush decayed values, catch non-finite ones, read open gaps from the bodies, and let decayed bodies
//! sleep. Long tasks are distributed over several runs, so that no sample takes much longer than others.

use super::{is_apart, quarantine};
use crate::awake::Group;
use crate::contact::{ContactId, Law};
use crate::interaction::Gap;
use crate::model::{Body, Lone, Model};
use crate::paths::{Special, takes};
use crate::state::{Condition, State};
use ictus_kernels::{Flaws, flaws, flush};

/// Steps between two runs.
pub(crate) const HOUSEKEEPING: u64 = 256;
/// Magnitude below which a value is flushed to zero: its square is still a normal number, and far below audibility.
const FLUSH: f64 = 1e-140;

/// Approximate number of values of a body checked per run; the rest follows in later runs.
const CHECKED_PER_RUN: usize = 1024;
/// Most runs over which the check of a body with independent values, such as modes, is distributed: a value takes longer to decay from [`FLUSH`] to a subnormal number, unless it loses half of itself per step.
const MAX_RUNS: usize = 2;

/// Runs between two in which a given body may fall asleep, or a given open gap is read: round robin over bodies and contacts.
const ROUND: u64 = 16;
/// Stored energy below which a body comes to rest, J: 1/(4·10⁹) of the thermal energy of a mode at room temperature, and that of a kilogramme at 1.4·10⁻¹⁵ m/s.
const ASLEEP: f64 = 1e-30;

/// On schedule, flushes decayed values, catches non-finite ones, and resynchronises open contacts with their bodies.
pub(crate) fn run(model: &Model, state: &mut State) {
    let due = state.steps.is_multiple_of(HOUSEKEEPING);
    if due || state.any_stale {
        run_now(model, state, due);
    }
}

/// On schedule, and before a step, so that the outputs of the last one are unchanged: lets some of the bodies fall asleep.
pub(crate) fn rest_some(model: &Model, state: &mut State) {
    if state.steps.is_multiple_of(HOUSEKEEPING) {
        rest_now(model, state, state.steps / HOUSEKEEPING);
    }
}

#[inline(never)]
fn rest_now(model: &Model, state: &mut State, run: u64) {
    for (number, group) in model.groups.all.iter().enumerate() {
        if !state.awake.is_awake(number) {
            continue;
        }
        for &i in &group.bodies {
            if state.conditions[i] == Condition::Moving && may_sleep(&model.bodies[i]) && is_due(run, i) {
                put_to_rest(model, state, i);
            }
        }
        if is_due(run, number) {
            put_group_to_rest(model, state, group);
        }
        if is_still(model, state, group) && takes(Special::Sleep, 1) {
            put_to_sleep(model, state, number);
        }
    }
}

/// True for bodies with constant mobility.
fn may_sleep(body: &Body) -> bool {
    !body.varies
}

/// Before the first step: bodies without energy start asleep.
pub(crate) fn rest_untouched(model: &Model, state: &mut State) {
    for (i, body) in model.bodies.iter().enumerate() {
        if state.ledger.bodies[i].stored == 0.0
            && may_sleep(body)
            && body.resonator.come_to_rest(&mut state.values[body.state.clone()])
        {
            state.conditions[i] = Condition::Asleep;
        }
    }
    for (number, group) in model.groups.all.iter().enumerate() {
        if is_still(model, state, group) {
            put_to_sleep(model, state, number);
        }
    }
}

/// Rests bodies that have nearly decayed together with the springs between them: one by one, the others would keep them awake.
fn put_group_to_rest(model: &Model, state: &mut State, group: &Group) {
    let springs = |contact: &usize| matches!(model.contacts[*contact].definition.law, Law::Spring(_));
    let faint = |contact: &usize| state.contact_energy(model, ContactId(*contact)) < ASLEEP;
    let any_spring = group.contacts.iter().any(springs);
    let decayed = |body: &usize| {
        let body = &model.bodies[*body];
        may_sleep(body) && body.resonator.energy(&state.values[body.state.clone()]) < ASLEEP
    };
    if !any_spring || !group.bodies.iter().all(decayed) || !group.contacts.iter().all(faint) {
        return;
    }
    for &i in &group.bodies {
        if state.conditions[i] == Condition::Moving {
            put_to_rest(model, state, i);
        }
    }
    for &i in group.contacts.iter().filter(|&contact| springs(contact)) {
        state.values[model.contacts[i].state.clone()].fill(0.0);
        state.contact_forces[i] = 0.0;
        if state.ledger.enabled {
            state.ledger.put_contact_to_rest(i);
        }
    }
}

/// True if a step would change nothing in the group.
fn is_still(model: &Model, state: &State, group: &Group) -> bool {
    group.bodies.iter().all(|&body| state.conditions[body] == Condition::Asleep)
        && group.contacts.iter().all(|&contact| is_contact_still(model, state, contact))
}

fn is_contact_still(model: &Model, state: &State, index: usize) -> bool {
    let contact = &model.contacts[index];
    let values = &state.values[contact.state.clone()];
    let unmoved = || matches!(*values, [now, before, ..] if now == before);
    let idle = match &contact.definition.law {
        Law::Force => state.inputs[index] == 0.0,
        Law::Velocity => state.grips[index] == 0.0,
        Law::Spring(_) => unmoved() && state.contact_energy(model, ContactId(index)) == 0.0,
        Law::Resolvent(law) => law.rests_apart() && is_apart(values) && unmoved() && !state.stale[index],
    };
    idle && state.contact_forces[index] == 0.0 && state.rates[index] == 0.0 && !state.offsets[index].moving
}

/// Lets a group sleep in which nothing moves.
fn put_to_sleep(model: &Model, state: &mut State, number: usize) {
    for &body in &model.groups.all[number].bodies {
        for slot in model.bodies[body].slots.clone() {
            (state.free[slot], state.forces[slot], state.external[slot]) = (0.0, 0.0, 0.0);
        }
    }
    state.awake.put_to_sleep(number);
}

/// True if a body or a contact is due in this run.
fn is_due(run: u64, number: usize) -> bool {
    (run + number as u64).is_multiple_of(ROUND)
}

/// Stops a body that has nearly decayed; it is skipped until a force wakes it.
fn put_to_rest(model: &Model, state: &mut State, i: usize) {
    let body = &model.bodies[i];
    let values = &mut state.values[body.state.clone()];
    // twice, so that the moment does not depend on the ledger or on blocks, which leave a body between two steps
    if body.resonator.energy(values) >= 2.0 * ASLEEP {
        return;
    }
    body.resonator.forget(values);
    if body.resonator.energy(values) < ASLEEP && body.resonator.come_to_rest(values) {
        state.conditions[i] = Condition::Asleep;
        if state.ledger.enabled {
            state.ledger.put_to_rest(i);
        }
    }
}

/// The part of a body's values to check in this run. A flaw that spreads through the body is in every part before the next run.
fn values_due<'a>(body: &Body, values: &'a [f64], run: u64) -> &'a [f64] {
    let max_runs = if body.resonator.spreads() { usize::MAX } else { MAX_RUNS };
    let runs = values.len().div_ceil(CHECKED_PER_RUN).clamp(1, max_runs);
    let size = values.len().div_ceil(runs).max(1);
    values.chunks(size).nth((run % runs as u64) as usize).unwrap_or(&[])
}

#[inline(never)]
fn run_now(model: &Model, state: &mut State, due: bool) {
    let run = state.steps / HOUSEKEEPING;
    if due {
        for at in 0..state.awake.bodies.len() {
            let i = state.awake.bodies[at];
            let body = &model.bodies[i];
            if state.conditions[i] == Condition::Asleep {
                continue;
            }
            let values = &mut state.values[body.state.clone()];
            let Flaws { unsound, faint } = flaws(values_due(body, values, run), FLUSH);
            if unsound {
                quarantine(model, state, i);
                continue;
            }
            if faint {
                body.resonator.forget(values);
                flush(values, FLUSH);
            }
        }
    }
    for (i, contact) in model.contacts.iter().enumerate() {
        if !(due && is_due(run, i) || state.stale[i]) {
            continue;
        }
        let Law::Resolvent(law) = &contact.definition.law else {
            continue;
        };
        if !law.is_open(&state.values[contact.state.clone()]) {
            continue;
        }
        let gap = state.read_gap(model, i);
        let apart = gap.now <= 0.0 && gap.before <= 0.0;
        if apart && [gap.now, gap.before].iter().all(|x| x.is_finite()) {
            law.resynchronise(&mut state.values[contact.state.clone()], Gap { now: gap.now, before: gap.before });
            state.stale[i] = false;
            state.resting[i] = false;
        }
    }
    // skipping an open contact gives the bits of resolving it, if it is alone in its island
    for Lone { site, .. } in &model.lone {
        let values = &state.values[site.state.clone()];
        state.resting[site.contact] = site.rests_apart && !state.stale[site.contact] && is_apart(values);
    }
    state.any_stale = state.stale.contains(&true);
}
