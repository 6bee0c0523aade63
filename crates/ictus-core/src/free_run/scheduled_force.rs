//! Scheduled forces: external forces whose inputs are known for a whole block.
//!
//! They act as in [`external_force`](crate::step::external_force): the bodies respond to them, and the contacts see v̄° less their effect.

use super::{BlockBody, LONG_BLOCK, index_in};
use crate::model::{Body, Model};
use crate::state::State;
use crate::step::HUGE;
use crate::step::external_force::{ExternalForce, ForcedBody};

/// An external force on bodies of constant mobility.
#[derive(Clone, Debug)]
pub(super) struct ScheduledForce {
    pub contact: usize,
    /// Force on end A in each step, N.
    pub inputs: Vec<f64>,
    /// The caller has written the inputs of this block; otherwise the input of the state holds.
    pub planned: bool,
    /// False if it is zero throughout the block.
    pub acts: bool,
    ends: Vec<DrivenPort>,
    /// The velocities of all its ports are recorded anyway, so that its work needs no others.
    is_recorded: bool,
    affected: Vec<AffectedPort>,
}

/// A driven port.
#[derive(Clone, Debug)]
struct DrivenPort {
    body: usize,
    port: usize,
    /// Index among the free-velocity ports of the body.
    index: usize,
    /// Index among the recorded velocity ports of the body, if it is one.
    recorded: Option<usize>,
    /// Velocity before the block, m/s, if it is one.
    before: f64,
    sign: f64,
}

/// A free-velocity port that responds to the force.
#[derive(Clone, Debug)]
struct AffectedPort {
    body: usize,
    index: usize,
    /// Place of its mobility in that of the body.
    place: [usize; 2],
    sign: f64,
}

impl ScheduledForce {
    /// Adds its ports to the free-velocity ports, after those of contacts.
    pub fn new(model: &Model, external: &ExternalForce, bodies: &mut [BlockBody]) -> Self {
        let ends = external.forced.iter().map(|&ForcedBody { body, endpoint: (slot, sign), .. }| {
            let port = model.bodies[body].touched[slot - model.bodies[body].slots.start];
            let block_body = &mut bodies[body];
            let recorded = block_body.velocity_ports.iter().position(|recorded| *recorded == port);
            let index = index_in(&mut block_body.free_ports, port);
            DrivenPort { body, port, index, recorded, before: 0.0, sign }
        });
        let ends: Vec<DrivenPort> = ends.collect();
        Self {
            contact: external.contact,
            inputs: vec![0.0; LONG_BLOCK],
            planned: false,
            acts: false,
            is_recorded: ends.iter().all(|end| end.recorded.is_some()),
            ends,
            affected: Vec::new(),
        }
    }

    /// Finds the free-velocity ports that respond to it. Call after all ports have been added.
    pub fn find_affected(&mut self, model: &Model, external: &ExternalForce, bodies: &[BlockBody]) {
        for &ForcedBody { body, endpoint: (slot, sign), .. } in &external.forced {
            let Body { touched, .. } = &model.bodies[body];
            let (reach, _) = model.bodies[body].responses(slot);
            for column in reach {
                let port = touched[column];
                if let Some(index) = bodies[body].free_ports.iter().position(|&other| other == port) {
                    let place = [slot - model.bodies[body].slots.start, column];
                    self.affected.push(AffectedPort { body, index, place, sign });
                }
            }
        }
    }

    /// Evaluates it for the next `steps` steps. False if a single step must handle it.
    pub fn prepare(&mut self, state: &State, steps: usize) -> bool {
        let input = state.inputs[self.contact];
        if !self.planned {
            self.acts = input != 0.0;
            if !self.acts {
                return true;
            }
            self.inputs[..steps].fill(input);
        }
        let inputs = &self.inputs[..steps];
        self.acts = inputs.iter().fold(false, |acts, input| acts | (*input != 0.0));
        let usable = inputs.iter().fold(true, |usable, input| usable & (input.abs() < HUGE));
        usable && state.rates[self.contact] == 0.0
    }

    /// True if its work needs no free velocities: the mean velocity of a step is that of the velocities before and after it.
    pub fn is_recorded(&self) -> bool {
        self.is_recorded
    }

    /// Keeps the velocities before the block.
    pub fn begin(&mut self, model: &Model, state: &State) {
        for DrivenPort { body, port, before, .. } in &mut self.ends {
            let body = &model.bodies[*body];
            *before = body.resonator.velocity(&state.values[body.state.clone()], *port);
        }
    }

    /// Adds its work in each step to `total`, J, from the velocities that are recorded anyway.
    pub fn sum_recorded_work(&self, dt: f64, bodies: &[BlockBody], total: &mut [f64]) {
        for &DrivenPort { body, recorded, mut before, sign, .. } in &self.ends {
            let BlockBody { velocity_ports, velocities, .. } = &bodies[body];
            let after = velocities[recorded.unwrap_or(0)..].iter().step_by(velocity_ports.len().max(1));
            for ((sum, input), &after) in total.iter_mut().zip(&self.inputs).zip(after) {
                *sum += dt * input * (sign * (0.5 * (before + after)));
                before = after;
            }
        }
    }

    /// Adds its ports to the driven ports.
    pub fn add_driven(&self, bodies: &mut [BlockBody]) {
        for &DrivenPort { body, port, .. } in &self.ends {
            index_in(&mut bodies[body].pushed, port);
        }
    }

    /// Adds its force to the forces at the driven ports.
    pub fn add_to(&self, bodies: &mut [BlockBody], steps: usize) {
        for &DrivenPort { body, port, sign, .. } in &self.ends {
            let BlockBody { pushed, forces, .. } = &mut bodies[body];
            let column = pushed.iter().position(|&other| other == port).unwrap_or(0);
            let add = |(sum, input): (&mut f64, &f64)| *sum -= sign * -input;
            // contiguous forces vectorise
            if pushed.len() == 1 {
                forces.iter_mut().zip(&self.inputs[..steps]).for_each(add);
            } else {
                forces[column..].iter_mut().step_by(pushed.len()).zip(&self.inputs[..steps]).for_each(add);
            }
        }
    }

    /// Adds its effect to the free-velocity ports: v̄° becomes the motion under external forces only.
    pub fn add_response(&self, model: &Model, bodies: &mut [BlockBody], steps: usize) {
        for &AffectedPort { body, index, place: [row, column], sign } in &self.affected {
            let mobility = model.bodies[body].mobility.at(row, column);
            let BlockBody { free, recorded, .. } = &mut bodies[body];
            if index < *recorded {
                for (free, input) in free[index..].iter_mut().step_by(*recorded).zip(&self.inputs[..steps]) {
                    *free -= mobility * (sign * -input);
                }
            }
        }
    }

    /// True if the velocities of its ports are in range.
    pub fn is_sound(&self, model: &Model, state: &State) -> bool {
        self.ends.iter().all(|&DrivenPort { body, port, .. }| {
            let body = &model.bodies[body];
            body.resonator.velocity(&state.values[body.state.clone()], port).abs() < HUGE
        })
    }

    /// Sets the input and contact force of the state to those of the last of `steps` steps.
    pub fn write_back(&self, state: &mut State, steps: usize) {
        if self.planned || self.acts {
            let input = self.inputs[steps - 1];
            state.inputs[self.contact] = input;
            state.contact_forces[self.contact] = if input == 0.0 { 0.0 } else { -input };
        }
    }

    /// Adds its work in each step to `total`, J, and enters it in the ledger if that is enabled.
    pub fn sum_work(&self, model: &Model, state: &mut State, bodies: &[BlockBody], total: &mut [f64]) {
        let audited = state.ledger.enabled;
        let supplied = &mut state.ledger.contacts[self.contact].supplied;
        for (n, (sum, input)) in total.iter_mut().zip(&self.inputs).enumerate() {
            let force = -input;
            let velocity =
                |end: &DrivenPort| end.sign * bodies[end.body].free[n * bodies[end.body].recorded + end.index];
            let moved = self.ends.iter().map(velocity).sum::<f64>();
            let work = -model.clock.dt * force * moved;
            *sum += work;
            if audited {
                supplied.add(work);
            }
        }
    }
}
