//! Forces from outside whose inputs are known for a whole block.
//!
//! They act as [`given`](crate::step::given) lets them: the bodies feel them, and the contacts meet v̄° less what the forces change.

use super::{LONG_BLOCK, Listened, place_of};
use crate::model::Model;
use crate::state::State;
use crate::step::HUGE;
use crate::step::given::{Given, Push};

/// A force from outside on bodies of constant mobility.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub joint: usize,
    /// Force on end A in each step, N.
    pub inputs: Vec<f64>,
    /// The inputs were given for this block; otherwise the one of the state holds.
    pub planned: bool,
    /// False if it is zero throughout the block.
    pub acts: bool,
    ends: Vec<Pushed>,
    felt: Vec<Felt>,
}

/// A port that is pushed.
#[derive(Clone, Debug)]
struct Pushed {
    body: usize,
    port: usize,
    /// Among the watched ports of the body.
    place: usize,
    sign: f64,
}

/// A watched port that feels the push.
#[derive(Clone, Debug)]
struct Felt {
    body: usize,
    place: usize,
    mobility: f64, // Y, m/s per N
    sign: f64,
}

impl Known {
    /// Joins the ports it pushes to those that are watched, behind the ones that contacts ask for.
    pub fn new(model: &Model, given: &Given, bodies: &mut [Listened]) -> Self {
        let ends = given.pushes.iter().map(|&Push { body, wire: (slot, sign), .. }| {
            let port = model.bodies[body].touched[slot - model.bodies[body].slots.start];
            Pushed { body, port, place: place_of(&mut bodies[body].watched, port), sign }
        });
        let ends = ends.collect();
        Self { joint: given.joint, inputs: vec![0.0; LONG_BLOCK], planned: false, acts: false, ends, felt: Vec::new() }
    }

    /// Finds which of the watched ports feel it, once all are known.
    pub fn find_felt(&mut self, model: &Model, given: &Given, bodies: &[Listened]) {
        for &Push { body: index, wire: (slot, sign), .. } in &given.pushes {
            let body = &model.bodies[index];
            let (reach, responses) = body.responses(slot);
            for (touched, &mobility) in reach.zip(responses) {
                let port = body.touched[touched];
                if let Some(place) = bodies[index].watched.iter().position(|&watched| watched == port) {
                    self.felt.push(Felt { body: index, place, mobility, sign });
                }
            }
        }
    }

    /// Decides what it does in the next `steps` steps. False if a step must tell what to do with it.
    pub fn prepare(&mut self, state: &State, steps: usize) -> bool {
        let input = state.inputs[self.joint];
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
        usable && state.rates[self.joint] == 0.0
    }

    /// Notes which ports it pushes.
    pub fn mark(&self, bodies: &mut [Listened]) {
        for &Pushed { body, port, .. } in &self.ends {
            place_of(&mut bodies[body].pushed, port);
        }
    }

    /// Adds its forces to those on the pushed ports.
    pub fn add_to(&self, bodies: &mut [Listened], steps: usize) {
        for &Pushed { body, port, sign, .. } in &self.ends {
            let Listened { pushed, forces, .. } = &mut bodies[body];
            let column = pushed.iter().position(|&other| other == port).unwrap_or(0);
            let add = |(sum, input): (&mut f64, &f64)| *sum -= sign * -input;
            // side by side, some at a time
            if pushed.len() == 1 {
                forces.iter_mut().zip(&self.inputs[..steps]).for_each(add);
            } else {
                forces[column..].iter_mut().step_by(pushed.len()).zip(&self.inputs[..steps]).for_each(add);
            }
        }
    }

    /// Lets the watched ports feel it: v̄° becomes what the bodies do under the forces from outside alone.
    pub fn press(&self, bodies: &mut [Listened], steps: usize) {
        for &Felt { body, place, mobility, sign } in &self.felt {
            let Listened { free, seen, .. } = &mut bodies[body];
            if place < *seen {
                for (free, input) in free[place..].iter_mut().step_by(*seen).zip(&self.inputs[..steps]) {
                    *free -= mobility * (sign * -input);
                }
            }
        }
    }

    /// True if what it pushes moves at a speed that can be worked with.
    pub fn is_sound(&self, model: &Model, state: &State) -> bool {
        self.ends.iter().all(|&Pushed { body, port, .. }| {
            let body = &model.bodies[body];
            body.resonator.velocity(&state.values[body.state.clone()], port).abs() < HUGE
        })
    }

    /// Leaves in the state what the last of so many steps would have.
    pub fn leave(&self, state: &mut State, steps: usize) {
        if self.planned || self.acts {
            let input = self.inputs[steps - 1];
            state.inputs[self.joint] = input;
            state.contact_forces[self.joint] = if input == 0.0 { 0.0 } else { -input };
        }
    }

    /// Books its work, and adds it to `total`, J.
    pub fn book(&self, model: &Model, state: &mut State, bodies: &[Listened], total: &mut [f64]) {
        let supplied = &mut state.ledger.contacts[self.joint].supplied;
        for (n, (sum, input)) in total.iter_mut().zip(&self.inputs).enumerate() {
            let force = -input;
            let velocity = |end: &Pushed| end.sign * bodies[end.body].free[n * bodies[end.body].seen + end.place];
            let moved = self.ends.iter().map(velocity).sum::<f64>();
            let work = -model.clock.dt * force * moved;
            *sum += work;
            supplied.add(work);
        }
    }
}
