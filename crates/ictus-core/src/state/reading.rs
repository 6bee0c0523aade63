//! What can be read of a state: motions, shapes, forces, energies.

use super::{Condition, State};
use crate::clock::Scheme;
use crate::contact::{BodyId, ContactId, End, Law};
use crate::interaction::{Gap, Rubbing};
use crate::model::{Model, ModelContact};
use crate::resonator::surface::SurfaceShape;

impl State {
    /// Displacement of a port, m.
    pub fn displacement(&self, model: &Model, body: BodyId, port: usize) -> f64 {
        let body = &model.bodies[body.0];
        body.resonator.displacement(&self.values[body.state.clone()], port)
    }

    /// Displacement along a body on a grid, both ends included, m. Allocates.
    pub fn profile(&self, model: &Model, body: BodyId) -> Option<Vec<f64>> {
        let body = &model.bodies[body.0];
        body.resonator.capabilities().shape?.profile(&self.values[body.state.clone()])
    }

    /// Writes the displacement (m) along a body at as many even distances as `out` has, both ends included: see [`Shape::profile_into`](crate::Shape::profile_into). Does not allocate.
    pub fn profile_into(&self, model: &Model, body: BodyId, out: &mut [f64]) -> bool {
        let body = &model.bodies[body.0];
        let shape = body.resonator.capabilities().shape;
        shape.is_some_and(|shape| shape.profile_into(&self.values[body.state.clone()], out))
    }

    /// Displacement over surface `which` (0, or 1 for the lower head of a drum) of a body on a two-dimensional grid, m.
    pub fn surface_shape<'a>(&'a self, model: &'a Model, body: BodyId, which: usize) -> Option<SurfaceShape<'a>> {
        let body = &model.bodies[body.0];
        body.resonator.capabilities().shape?.surface_shape(&self.values[body.state.clone()], which)
    }

    /// Velocity of a port, m/s (at n − ½ in leapfrog).
    pub fn velocity(&self, model: &Model, body: BodyId, port: usize) -> f64 {
        let body = &model.bodies[body.0];
        body.resonator.velocity(&self.values[body.state.clone()], port)
    }

    /// Current approach velocity of the ends of a contact, m/s (at n − ½ in leapfrog).
    pub(crate) fn approach_velocity(&self, model: &Model, contact: &ModelContact) -> f64 {
        let ends = contact.definition.ends.into_iter().zip([1.0, -1.0]);
        ends.map(|(end, sign)| match end {
            End::Wall => 0.0,
            End::Port { body, port } => sign * self.velocity(model, body, port),
        })
        .sum()
    }

    /// Force of a contact over the last step, N: positive pushes the ends apart.
    pub fn contact_force(&self, contact: ContactId) -> f64 {
        self.contact_forces[contact.0]
    }

    /// Velocity at which the ends of a contact approach each other now, m/s (at n − ½ in leapfrog).
    pub fn approach(&self, model: &Model, contact: ContactId) -> f64 {
        self.approach_velocity(model, &model.contacts[contact.0])
    }

    /// How the surfaces of a contact with friction move on each other; `None` for other laws.
    pub fn rubbing(&self, model: &Model, contact: ContactId) -> Option<Rubbing> {
        let contact = &model.contacts[contact.0];
        match &contact.definition.law {
            Law::Resolvent(law) => law.rubbing(&self.values[contact.state.clone()]),
            _ => None,
        }
    }

    /// Stored energy of a body, J.
    pub fn body_energy(&self, model: &Model, body: BodyId) -> f64 {
        let body = &model.bodies[body.0];
        body.resonator.energy(&self.values[body.state.clone()])
    }

    /// Stored energy of a contact, J.
    pub fn contact_energy(&self, model: &Model, contact: ContactId) -> f64 {
        let contact = &model.contacts[contact.0];
        let state = &self.values[contact.state.clone()];
        match &contact.definition.law {
            Law::Force | Law::Velocity => 0.0,
            Law::Spring(spring) => spring.energy(state),
            Law::Resolvent(law) => law.energy(state),
        }
    }

    /// The gap of a contact now, m: the distance that A travels towards B before they touch, where [`set_gap`](Self::set_gap) has moved it.
    pub fn contact_gap(&self, contact: ContactId) -> f64 {
        self.offsets[contact.0].now
    }

    /// Gap coordinate of a contact from the positions of its bodies: u_A − u_B − gap, positive when compressed.
    pub fn gap(&self, model: &Model, contact: ContactId) -> Gap {
        self.read_gap(model, contact.0)
    }

    /// The smallest non-zero magnitude in the state, if any: decayed values are flushed long before they become subnormal.
    pub fn faintest(&self) -> Option<f64> {
        self.values.iter().map(|value| value.abs()).filter(|&size| size > 0.0).min_by(f64::total_cmp)
    }

    /// True if the body has decayed and is skipped until a force wakes it.
    pub fn is_asleep(&self, body: BodyId) -> bool {
        self.conditions[body.0] == Condition::Asleep
    }

    /// True if the body was stopped because its state was not finite.
    pub fn is_quarantined(&self, body: BodyId) -> bool {
        self.conditions[body.0] == Condition::Quarantined
    }

    pub(crate) fn read_gap(&self, model: &Model, index: usize) -> Gap {
        let contact = &model.contacts[index];
        let (mut now, mut before) = (-self.offsets[index].now, -self.offsets[index].before);
        for (end, sign) in contact.definition.ends.into_iter().zip([1.0, -1.0]) {
            let End::Port { body, port } = end else {
                continue;
            };
            let displacement = self.displacement(model, body, port);
            now += sign * displacement;
            before += sign
                * match model.clock.scheme {
                    Scheme::Midpoint => displacement,
                    Scheme::Leapfrog => displacement - model.clock.dt * self.velocity(model, body, port),
                };
        }
        Gap { now, before }
    }
}
