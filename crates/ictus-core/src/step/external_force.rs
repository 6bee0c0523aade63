//! External forces: known before the solve, so that they only change the free velocities of the contacts.
//!
//! On bodies of variable mobility they belong to the island, which stores that mobility.

use super::Flow;
use crate::contact::Law;
use crate::model::{Body, Endpoint, Model, ModelContact};
use crate::state::State;
use crate::step::{HUGE, reject, subtract};

/// An external force on bodies of constant mobility.
#[derive(Clone, Debug)]
pub(crate) struct ExternalForce {
    pub contact: usize,
    pub forced: Vec<ForcedBody>,
}

/// Effect of an external force on one body.
#[derive(Clone, Debug)]
pub(crate) struct ForcedBody {
    pub body: usize,
    pub endpoint: Endpoint,
    /// The first touched port that responds, and the mobilities from it on, m/s per N.
    first: usize,
    responses: Vec<f64>,
}

impl ExternalForce {
    /// The external force of a contact, unless an island must handle it.
    pub fn find(index: usize, contact: &ModelContact, bodies: &[Body]) -> Option<Self> {
        if !matches!(contact.definition.law, Law::Force) {
            return None;
        }
        let forced = contact.endpoints.into_iter().flatten().map(|endpoint| {
            let body = bodies.iter().position(|body| body.slots.contains(&endpoint.0))?;
            let target = Some(&bodies[body]).filter(|body| !body.varies)?;
            let (reach, responses) = target.responses(endpoint.0);
            Some(ForcedBody { body, endpoint, first: target.slots.start + reach.start, responses: responses.to_vec() })
        });
        Some(Self { contact: index, forced: forced.collect::<Option<_>>()? })
    }
}

impl ExternalForce {
    /// Reads the mobilities of a body anew, after it has been retuned.
    pub fn couple(&mut self, bodies: &[Body], body: usize) {
        for forced in self.forced.iter_mut().filter(|forced| forced.body == body) {
            forced.responses.copy_from_slice(bodies[body].responses(forced.endpoint.0).1);
        }
    }
}

/// Applies the external forces: v̄° becomes the motion of the bodies under external forces only. False if all are zero.
pub(super) fn apply(model: &Model, state: &mut State) -> bool {
    let forces = 0..state.awake.external_forces.len();
    forces.fold(false, |driven, at| apply_one(&model.external_forces[state.awake.external_forces[at]], state) | driven)
}

// separate from the loop, which would otherwise reserve stack and registers for it
#[inline(never)]
fn apply_one(external: &ExternalForce, state: &mut State) -> bool {
    // +0 for an input of ±0
    let force = 0.0 - state.inputs[external.contact];
    let force = if force.abs() < HUGE { force } else { reject(state) };
    state.contact_forces[external.contact] = force;
    if force == 0.0 {
        return false;
    }
    match &external.forced[..] {
        // common case: one body, touched at one port; a loop would need callee-saved registers
        [target] if target.responses.len() == 1 && !state.ledger.enabled => {
            let signed_force = target.apply_to_port(force, state);
            state.free[target.first] -= target.responses[0] * signed_force;
            if state.boundary.enabled {
                state.external[target.endpoint.0] -= signed_force;
            }
        }
        forced => apply_to_all(forced, force, state),
    }
    true
}

#[inline(never)]
fn apply_to_all(forced: &[ForcedBody], force: f64, state: &mut State) {
    for target in forced {
        let signed_force = target.apply_to_port(force, state);
        if state.ledger.enabled || state.boundary.enabled {
            state.external[target.endpoint.0] -= signed_force;
        }
        subtract(&mut state.free[target.first..], &target.responses, signed_force);
    }
}

impl ForcedBody {
    /// Applies the force to its port, and returns it with its sign, N.
    #[inline(always)]
    fn apply_to_port(&self, force: f64, state: &mut State) -> f64 {
        let (slot, sign) = self.endpoint;
        let signed_force = sign * force;
        state.forces[slot] -= signed_force;
        state.pressed.mark(slot);
        signed_force
    }
}

/// Enters the work of the external forces, once all forces of the step are known.
#[inline(never)]
pub(super) fn book(model: &Model, state: &mut State, flow: &mut Flow) {
    for at in 0..state.awake.external_forces.len() {
        let external = &model.external_forces[state.awake.external_forces[at]];
        let force = state.contact_forces[external.contact];
        if force == 0.0 {
            continue;
        }
        // common case: one body, touched at one port
        if let [ForcedBody { endpoint: (slot, sign), responses, .. }] = &external.forced[..]
            && let ([mobility], false) = (&responses[..], state.ledger.enabled)
        {
            let velocity = state.free[*slot] + mobility * (state.forces[*slot] - state.external[*slot]);
            flow.supplied -= model.clock.dt * force * (sign * velocity - state.rates[external.contact]);
            continue;
        }
        let ports = Ports { free: &state.free, forces: &state.forces, external: &state.external };
        let velocity =
            |target: &ForcedBody| target.endpoint.1 * ports.velocity(&model.bodies[target.body], target.endpoint.0);
        let moved = external.forced.iter().map(velocity).sum::<f64>() - state.rates[external.contact];
        let supplied = -model.clock.dt * force * moved;
        flow.supplied += supplied;
        if state.ledger.enabled {
            state.ledger.contacts[external.contact].supplied.add(supplied);
        }
    }
}

/// Velocities and forces at the touched ports in a step.
pub(super) struct Ports<'a> {
    pub free: &'a [f64],
    pub forces: &'a [f64],
    pub external: &'a [f64],
}

impl Ports<'_> {
    /// v̄ at a port of a body of constant mobility, under all forces of the step, m/s.
    pub fn velocity(&self, body: &Body, slot: usize) -> f64 {
        let (reach, responses) = body.responses(slot);
        let reach = body.slots.start + reach.start..body.slots.start + reach.end;
        let forces = self.forces[reach.clone()].iter().zip(&self.external[reach]);
        let response: f64 = forces.zip(responses).map(|((force, external), y)| y * (force - external)).sum();
        self.free[slot] + response
    }
}
