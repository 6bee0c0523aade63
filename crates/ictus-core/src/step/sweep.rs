//! What is done for the state as a whole, on a fixed schedule: decayed values are flushed, non-finite ones caught, open gaps read from the bodies, and bodies that have decayed
//! fall asleep. What takes long goes by turns, so that no sample takes much longer than others.

use super::{is_apart, quarantine};
use crate::contact::Law;
use crate::interaction::Gap;
use crate::model::{Body, Lone, Model};
use crate::state::{Condition, State};
use ictus_kernels::{Flaws, flaws, flush};

/// Steps between sweeps that flush decayed values, look for non-finite ones and resynchronise open gaps.
pub(crate) const SWEEP: u64 = 256;
/// Below this magnitude a value is flushed to zero: its square is still a normal number, and far below any audible one.
const FLUSH: f64 = 1e-140;

/// About so many values of a body are looked at in a sweep; the others have their turn later.
const LOOKED_AT: usize = 1024;
/// Most turns of bodies whose values are on their own, such as modes: one that decays from [`FLUSH`] until it is slow takes longer, unless it loses half of itself in a step.
const FEW_TURNS: usize = 2;

/// Sweeps from one in which a body may fall asleep, or an open gap is read, to the next: bodies and contacts take turns.
const TURNS: u64 = 16;
/// A body that stores less than this comes to rest, J: a four-billionth of what the warmth of a room gives every mode, and what a kilogramme has at 1.4·10⁻¹⁵ m/s.
const ASLEEP: f64 = 1e-30;

/// On a fixed schedule: flush decayed values, catch non-finite ones, and let open contacts look at their bodies.
pub(crate) fn sweep(model: &Model, state: &mut State) {
    let due = state.steps.is_multiple_of(SWEEP);
    if due || state.any_stale {
        sweep_now(model, state, due);
    }
}

/// On a fixed schedule, and before a step: what was heard of the last one stays as it was. Some of the bodies may fall asleep.
pub(crate) fn rest_some(model: &Model, state: &mut State) {
    if state.steps.is_multiple_of(SWEEP) {
        rest_now(model, state, state.steps / SWEEP);
    }
}

#[inline(never)]
fn rest_now(model: &Model, state: &mut State, turn: u64) {
    for (i, body) in model.bodies.iter().enumerate() {
        if state.conditions[i] == Condition::Moving && may_sleep(body) && is_turn(turn, i) {
            put_to_rest(model, state, i);
        }
    }
}

/// True for bodies that are looked at port by port, with a mobility that stays.
fn may_sleep(body: &Body) -> bool {
    !body.varies && body.field.is_none()
}

/// Before the first step: what has yet to be touched sleeps from the beginning.
pub(crate) fn rest_untouched(model: &Model, state: &mut State) {
    for (i, body) in model.bodies.iter().enumerate() {
        if state.ledger.bodies[i].stored == 0.0
            && may_sleep(body)
            && body.resonator.come_to_rest(&mut state.values[body.state.clone()])
        {
            state.conditions[i] = Condition::Asleep;
        }
    }
}

/// Whether it is the turn of a body or a contact.
fn is_turn(turn: u64, number: usize) -> bool {
    (turn + number as u64).is_multiple_of(TURNS)
}

/// Stops a body that has all but decayed, and passes it over until it is touched again.
fn put_to_rest(model: &Model, state: &mut State, i: usize) {
    let body = &model.bodies[i];
    let values = &mut state.values[body.state.clone()];
    // twice, so that the books and the blocks of a body, which leave it on its way from one step to the next, have no say in when it falls asleep
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

/// The part of a body's values whose turn it is. Where flaws spread by themselves, they are everywhere before the next turn.
fn looked_at<'a>(body: &Body, values: &'a [f64], turn: u64) -> &'a [f64] {
    let most = if body.resonator.spreads() { usize::MAX } else { FEW_TURNS };
    let turns = values.len().div_ceil(LOOKED_AT).clamp(1, most);
    let size = values.len().div_ceil(turns).max(1);
    values.chunks(size).nth((turn % turns as u64) as usize).unwrap_or(&[])
}

#[inline(never)]
fn sweep_now(model: &Model, state: &mut State, due: bool) {
    let turn = state.steps / SWEEP;
    if due {
        for (i, body) in model.bodies.iter().enumerate() {
            if state.conditions[i] == Condition::Asleep {
                continue;
            }
            let values = &mut state.values[body.state.clone()];
            let Flaws { unsound, faint } = flaws(looked_at(body, values, turn), FLUSH);
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
    for (i, joint) in model.joints.iter().enumerate() {
        if !(due && is_turn(turn, i) || state.stale[i]) {
            continue;
        }
        let Law::Resolvent(law) = &joint.contact.law else {
            continue;
        };
        if !law.is_open(&state.values[joint.state.clone()]) {
            continue;
        }
        let gap = state.read_gap(model, i);
        let apart = gap.now <= 0.0 && gap.before <= 0.0;
        if apart && [gap.now, gap.before].iter().all(|x| x.is_finite()) {
            law.resynchronise(&mut state.values[joint.state.clone()], Gap { now: gap.now, before: gap.before });
            state.stale[i] = false;
            state.resting[i] = false;
        }
    }
    // passing by gives the bits that resolving an open contact would, where no other contact is solved with it
    for Lone { place, .. } in &model.lone {
        let values = &state.values[place.state.clone()];
        state.resting[place.joint] = place.rests_apart && !state.stale[place.joint] && is_apart(values);
    }
    state.any_stale = state.stale.contains(&true);
}
