//! Forces from outside: known before anything is solved, so that they only move what the contacts meet.
//!
//! On bodies whose mobility varies they stay with their island, which keeps that mobility.

use super::Flow;
use crate::contact::Law;
use crate::model::{Body, Joint, Model, Wire};
use crate::state::State;
use crate::step::{HUGE, refuse, subtract};

/// A force from outside on bodies of constant mobility.
#[derive(Debug)]
pub(crate) struct Given {
    pub joint: usize,
    pub pushes: Vec<Push>,
}

/// What a force from outside does to one body.
#[derive(Debug)]
pub(crate) struct Push {
    pub body: usize,
    pub wire: Wire,
    /// The first touched port that responds, and how it and the ports behind it do, m/s per N.
    first: usize,
    responses: Vec<f64>,
}

impl Given {
    /// The given force of a joint, unless an island or a field must carry it.
    pub fn find(index: usize, joint: &Joint, bodies: &[Body]) -> Option<Self> {
        if !matches!(joint.contact.law, Law::Force) {
            return None;
        }
        let pushes = joint.wires.into_iter().flatten().map(|wire| {
            let body = bodies.iter().position(|body| body.slots.contains(&wire.0))?;
            let pushed = Some(&bodies[body]).filter(|body| !body.varies && body.field.is_none())?;
            let (reach, responses) = pushed.responses(wire.0);
            Some(Push { body, wire, first: pushed.slots.start + reach.start, responses: responses.to_vec() })
        });
        Some(Self { joint: index, pushes: pushes.collect::<Option<_>>()? })
    }
}

/// Lets the forces from outside act: v̄° becomes what the bodies do under them alone.
pub(super) fn push(model: &Model, state: &mut State) {
    for given in &model.given {
        push_one(given, state);
    }
}

// not in the loop, which would keep room and registers for what they share
#[inline(never)]
fn push_one(given: &Given, state: &mut State) {
    // 0 for an input of either sign of it
    let force = 0.0 - state.inputs[given.joint];
    let force = if force.abs() < HUGE { force } else { refuse(state) };
    state.contact_forces[given.joint] = force;
    if force == 0.0 {
        return;
    }
    match &given.pushes[..] {
        // most forces act on one body, and most bodies are touched at one port; a loop would need registers that somebody must save
        [push] if push.responses.len() == 1 && !state.ledger.enabled => {
            let pushing = push.press(force, state);
            state.free[push.first] -= push.responses[0] * pushing;
        }
        pushes => push_all(pushes, force, state),
    }
}

#[inline(never)]
fn push_all(pushes: &[Push], force: f64, state: &mut State) {
    for push in pushes {
        let pushing = push.press(force, state);
        if state.ledger.enabled {
            state.given[push.wire.0] -= pushing;
        }
        subtract(&mut state.free[push.first..], &push.responses, pushing);
    }
}

impl Push {
    /// Presses its port, and returns by how much, N.
    #[inline(always)]
    fn press(&self, force: f64, state: &mut State) -> f64 {
        let (slot, sign) = self.wire;
        let pushing = sign * force;
        state.forces[slot] -= pushing;
        state.pressed.mark(slot);
        pushing
    }
}

/// Books the work of the forces from outside, once all forces of the step are known.
#[inline(never)]
pub(super) fn book(model: &Model, state: &mut State, flow: &mut Flow) {
    for given in &model.given {
        let force = state.contact_forces[given.joint];
        if force == 0.0 {
            continue;
        }
        let ports = Ports { free: &state.free, forces: &state.forces, given: &state.given };
        let velocity = |push: &Push| push.wire.1 * ports.velocity(&model.bodies[push.body], push.wire.0);
        let moved = given.pushes.iter().map(velocity).sum::<f64>() - state.rates[given.joint];
        let supplied = -model.clock.dt * force * moved;
        flow.supplied += supplied;
        state.ledger.contacts[given.joint].supplied.add(supplied);
    }
}

/// What happens at the touched ports in a step.
pub(super) struct Ports<'a> {
    pub free: &'a [f64],
    pub forces: &'a [f64],
    pub given: &'a [f64],
}

impl Ports<'_> {
    /// v̄ at a port of a body of constant mobility, under all forces of the step, m/s.
    pub fn velocity(&self, body: &Body, slot: usize) -> f64 {
        let (reach, responses) = body.responses(slot);
        let reach = body.slots.start + reach.start..body.slots.start + reach.end;
        let forces = self.forces[reach.clone()].iter().zip(&self.given[reach]);
        let response: f64 = forces.zip(responses).map(|((force, given), y)| y * (force - given)).sum();
        self.free[slot] + response
    }
}
