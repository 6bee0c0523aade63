//! The constant part of a simulation: bodies, contacts, and the islands they form.

use crate::awake::Groups;
use crate::clock::Clock;
use crate::contact::{BodyId, Contact, ContactId, End, Law};
use crate::error::BuildError;
use crate::interaction::collision::Collision;
use crate::mobility::Mobility;
use crate::paths::{Special, takes};
use crate::resonator::FastResonator;
use crate::solver::island::Island;
use crate::step::external_force::ExternalForce;
use crate::step::row::CollisionRow;
use ictus_kernels::LANES;
use std::ops::Range;

/// Relative residual at which Newton stops. [handbook §7]
const TOLERANCE: f64 = 1e-14;

/// A body of a model.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub name: String,
    pub resonator: Box<dyn FastResonator>,
    pub state: Range<usize>,
    /// Ports with contacts, each once; the forces and velocities of a step use this order.
    pub touched: Vec<usize>,
    /// Range of the touched ports in the model-wide arrays.
    pub slots: Range<usize>,
    /// Y over the touched ports.
    pub mobility: Mobility,
    /// Y changes from step to step: the body stiffens, or a touched port can move.
    pub varies: bool,
    /// The port of a single-port body with constant Y: such a body steps without lists of ports.
    pub single_port: Option<usize>,
}

impl Body {
    /// Mobilities of the touched ports around `slot` for a force there: their range, and Y, m/s per N.
    pub fn responses(&self, slot: usize) -> (Range<usize>, &[f64]) {
        self.mobility.row(slot - self.slots.start)
    }
}

/// Slot of a contact's end in the model-wide port arrays, and +1 for A, −1 for B.
pub(crate) type Endpoint = (usize, f64);

/// A contact of a model.
#[derive(Clone, Debug)]
pub(crate) struct ModelContact {
    pub definition: Contact,
    pub state: Range<usize>,
    pub endpoints: [Option<Endpoint>; 2],
}

/// Endpoints and state of a contact that is alone in its island.
#[derive(Clone, Debug)]
pub(crate) struct ContactSite {
    pub contact: usize,
    /// An end at the wall has the sign 0.
    pub endpoints: [Endpoint; 2],
    pub state: Range<usize>,
    /// W, m/s per N.
    pub mobility: f64,
    pub rests_apart: bool,
}

/// A contact that is alone in its island, with the data of an open step in one place.
#[derive(Clone, Debug)]
pub(crate) struct Lone {
    pub site: ContactSite,
    /// Its law, if it is a collision.
    pub collision: Option<Collision>,
}

/// Bodies, laws and islands. Built by a [`ModelBuilder`]; a clone can be [retuned](crate::retune).
#[derive(Clone, Debug)]
pub struct Model {
    pub(crate) clock: Clock,
    pub(crate) bodies: Vec<Body>,
    pub(crate) contacts: Vec<ModelContact>,
    /// External forces, applied before the solve.
    pub(crate) external_forces: Vec<ExternalForce>,
    /// Rows of islands with one collision each, in array layout.
    pub(crate) rows: Vec<CollisionRow>,
    /// Other islands with one resolvent law.
    pub(crate) lone: Vec<Lone>,
    /// All other islands.
    pub(crate) islands: Vec<Island>,
    pub(crate) groups: Groups,
    pub(crate) state_len: usize,
    pub(crate) slot_count: usize,
    pub(crate) tolerance: f64,
}

/// A constraint that adds nothing to the others engaged at the same time.
#[derive(Clone, Debug, PartialEq)]
pub struct Redundant {
    /// The constraint that was left out.
    pub constraint: ContactId,
    /// The constraints that already fix its velocity.
    pub others: Vec<ContactId>,
}

/// Collects bodies and contacts of a [`Model`].
#[derive(Debug)]
pub struct ModelBuilder {
    clock: Clock,
    bodies: Vec<(String, Box<dyn FastResonator>)>,
    contacts: Vec<Contact>,
    tolerance: f64,
}

impl ModelBuilder {
    /// An empty model.
    pub fn new(clock: Clock) -> Self {
        Self { clock, bodies: Vec::new(), contacts: Vec::new(), tolerance: TOLERANCE }
    }

    /// Adds a body.
    pub fn body(&mut self, name: impl Into<String>, resonator: impl FastResonator + 'static) -> BodyId {
        self.boxed_body(name, Box::new(resonator))
    }

    /// Adds a body whose type is known only at run time.
    pub fn boxed_body(&mut self, name: impl Into<String>, resonator: Box<dyn FastResonator>) -> BodyId {
        self.bodies.push((name.into(), resonator));
        BodyId(self.bodies.len() - 1)
    }

    /// Adds a contact.
    pub fn contact(&mut self, contact: Contact) -> ContactId {
        self.contacts.push(contact);
        ContactId(self.contacts.len() - 1)
    }

    /// Sets the relative residual at which the island solver stops. The default is rounding error; a looser tolerance shows in the ledger.
    pub fn tolerance(&mut self, tolerance: f64) {
        self.tolerance = tolerance;
    }

    /// Finds the islands; an error for a model that cannot be simulated.
    pub fn build(self) -> Result<Model, BuildError> {
        let touched = touched_ports(&self.bodies, &self.contacts)?;
        let (mut state_len, mut slot_count) = (0, 0);
        let mut bodies: Vec<Body> = (self.bodies.into_iter().zip(touched))
            .map(|((name, resonator), touched)| {
                let body = Body::place(name, resonator, touched, state_len, slot_count);
                (state_len, slot_count) = (body.state.end, body.slots.end);
                body
            })
            .collect();
        let contacts: Vec<ModelContact> = (self.contacts.into_iter())
            .map(|contact| {
                let contact = ModelContact::place(contact, &bodies, state_len);
                state_len = contact.state.end;
                contact
            })
            .collect();
        bodies.iter_mut().for_each(Body::find_mobility);
        let external_forces: Vec<ExternalForce> =
            contacts.iter().enumerate().filter_map(|(i, contact)| ExternalForce::find(i, contact, &bodies)).collect();
        let solved = |contact: usize| external_forces.iter().all(|external| external.contact != contact);
        let all_islands = Island::find(&bodies, &contacts, solved)?;
        let (single, islands): (Vec<_>, Vec<_>) =
            all_islands.into_iter().partition(|island| island.is_lone() && takes(Special::Lone, 1));
        let lone = single.iter().filter_map(|island| Lone::new(island, &contacts)).collect();
        let (rows, lone) =
            if takes(Special::CollisionRow, 0) { CollisionRow::find(lone, &contacts) } else { (Vec::new(), lone) };
        takes(Special::CollisionRow, rows.len());
        let groups = Groups::find(&bodies, &contacts);
        Ok(Model {
            clock: self.clock,
            bodies,
            contacts,
            external_forces,
            rows,
            lone,
            islands,
            groups,
            state_len,
            slot_count,
            tolerance: self.tolerance,
        })
    }
}

/// The ports of every body that contacts touch, each once, in the order of the contacts.
fn touched_ports(
    bodies: &[(String, Box<dyn FastResonator>)],
    contacts: &[Contact],
) -> Result<Vec<Vec<usize>>, BuildError> {
    let mut touched: Vec<Vec<usize>> = vec![Vec::new(); bodies.len()];
    for contact in contacts {
        if contact.ends == [End::Wall, End::Wall] {
            return Err(BuildError::WallAgainstWall { contact: contact.name.clone() });
        }
        for end in contact.ends {
            let End::Port { body, port } = end else {
                continue;
            };
            let (name, resonator) = &bodies[body.0];
            if port >= resonator.port_count() {
                return Err(BuildError::NoSuchPort { contact: contact.name.clone(), body: name.clone(), port });
            }
            if !touched[body.0].contains(&port) {
                touched[body.0].push(port);
            }
        }
    }
    Ok(touched)
}

impl Body {
    /// Computes the mobilities of the touched ports.
    fn find_mobility(&mut self) {
        self.mobility = Mobility::new(&*self.resonator, &self.touched);
        if let ([port], false) = (&*self.touched, self.varies) {
            self.single_port = Some(*port);
        }
    }

    /// A body whose state begins at or after `state_start` and whose slots begin at `slot_start`; its mobility is computed later.
    fn place(
        name: String,
        resonator: Box<dyn FastResonator>,
        touched: Vec<usize>,
        state_start: usize,
        slot_start: usize,
    ) -> Self {
        let varies = (resonator.varying())
            .is_some_and(|body| body.stiffens() || touched.iter().any(|&port| body.is_movable(port)));
        let resonator = match *touched {
            [port] if !varies && takes(Special::SinglePort, 1) => resonator.touched_at(port).unwrap_or(resonator),
            _ => resonator,
        };
        // every body begins at a cache line
        let start = state_start.next_multiple_of(LANES);
        let state = start..start + resonator.state_len();
        let slots = slot_start..slot_start + touched.len();
        let mobility = Mobility::default();
        Self { name, resonator, state, touched, slots, mobility, varies, single_port: None }
    }
}

impl ModelContact {
    /// Body, slot and sign of its ends that are not the wall.
    pub fn ends(&self) -> impl Iterator<Item = (usize, Endpoint)> + use<> {
        let ends = self.definition.ends.into_iter().zip(self.endpoints);
        ends.filter_map(|(end, endpoint)| match end {
            End::Wall => None,
            End::Port { body, .. } => endpoint.map(|endpoint| (body.0, endpoint)),
        })
    }

    /// True if one of its ends is on that body.
    pub fn is_on(&self, id: BodyId) -> bool {
        self.definition.ends.iter().any(|end| matches!(end, End::Port { body, .. } if *body == id))
    }

    /// A contact whose state begins at `start`.
    fn place(definition: Contact, bodies: &[Body], start: usize) -> Self {
        let len = match &definition.law {
            Law::Force | Law::Velocity => 0,
            Law::Spring(_) => 2,
            Law::Resolvent(law) => law.state_len(),
        };
        let endpoints = [0, 1].map(|side| {
            let End::Port { body, port } = definition.ends[side] else {
                return None;
            };
            let body = &bodies[body.0];
            let slot = body.touched.iter().position(|&p| p == port)? + body.slots.start;
            Some((slot, if side == 0 { 1.0 } else { -1.0 }))
        });
        Self { definition, state: start..start + len, endpoints }
    }
}

impl Lone {
    /// The contact of an island of one; `None` for linear laws.
    fn new(island: &Island, contacts: &[ModelContact]) -> Option<Self> {
        let contact = &contacts[island.contacts[0]];
        let Law::Resolvent(law) = &contact.definition.law else {
            return None;
        };
        let mut endpoints = contact.endpoints.into_iter().flatten();
        let endpoint = endpoints.next()?;
        let site = ContactSite {
            contact: island.contacts[0],
            endpoints: [endpoint, endpoints.next().unwrap_or((endpoint.0, 0.0))],
            state: contact.state.clone(),
            mobility: island.built(0, 0),
            rests_apart: law.rests_apart(),
        };
        Some(Self { site, collision: law.as_collision().cloned() })
    }
}

impl Model {
    /// Time step and scheme.
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// All bodies.
    pub fn body_ids(&self) -> impl Iterator<Item = BodyId> + use<> {
        (0..self.bodies.len()).map(BodyId)
    }

    /// All contacts.
    pub fn contact_ids(&self) -> impl Iterator<Item = ContactId> + use<> {
        (0..self.contacts.len()).map(ContactId)
    }

    /// Number of bodies.
    pub fn body_count(&self) -> usize {
        self.bodies.len()
    }

    /// Number of contacts.
    pub fn contact_count(&self) -> usize {
        self.contacts.len()
    }

    /// Number of islands: groups of contacts that are solved together.
    pub fn island_count(&self) -> usize {
        let in_rows: usize = self.rows.iter().map(|row| row.contacts.len()).sum();
        self.external_forces.len() + in_rows + self.lone.len() + self.islands.len()
    }

    /// Name of a body.
    pub fn body_name(&self, body: BodyId) -> &str {
        &self.bodies[body.0].name
    }

    /// Name of a contact.
    pub fn contact_name(&self, contact: ContactId) -> &str {
        &self.contacts[contact.0].definition.name
    }

    /// The body of that name.
    pub fn find_body(&self, name: &str) -> Option<BodyId> {
        self.bodies.iter().position(|body| body.name == name).map(BodyId)
    }

    /// The contact of that name.
    pub fn find_contact(&self, name: &str) -> Option<ContactId> {
        self.contact_names().position(|n| n == name).map(ContactId)
    }

    /// Names of all bodies, in order.
    pub fn body_names(&self) -> impl Iterator<Item = &str> {
        self.bodies.iter().map(|body| body.name.as_str())
    }

    /// Names of all contacts, in order.
    pub fn contact_names(&self) -> impl Iterator<Item = &str> {
        self.contacts.iter().map(|contact| contact.definition.name.as_str())
    }

    /// The two ends of a contact.
    pub fn contact_ends(&self, contact: ContactId) -> [End; 2] {
        self.contacts[contact.0].definition.ends
    }

    /// Number of points of the grid along a body, both ends included; 0 for a body without such a grid.
    pub fn profile_len(&self, body: BodyId) -> usize {
        self.bodies[body.0].resonator.capabilities().shape.map_or(0, |shape| shape.profile_len())
    }

    /// The redundant imposed velocities when exactly `engaged` are engaged.
    pub fn redundant(&self, engaged: &[ContactId]) -> Vec<Redundant> {
        self.islands.iter().flat_map(|island| island.redundant(self, engaged)).collect()
    }
}
