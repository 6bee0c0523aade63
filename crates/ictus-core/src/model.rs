//! The constant half of a simulation: bodies, contacts, and the islands they form.

use crate::clock::Clock;
use crate::contact::{BodyId, Contact, ContactId, End, Law};
use crate::error::BuildError;
use crate::interaction::collision::Collision;
use crate::resonator::Resonator;
use crate::solver::field::Field;
use crate::solver::island::Island;
use crate::step::given::Given;
use crate::step::row::Row;
use ictus_kernels::LANES;
use std::ops::Range;

/// Relative residual at which Newton stops. [handbook §7]
const TOLERANCE: f64 = 1e-14;

/// A body in its model.
#[derive(Debug)]
pub(crate) struct Body {
    pub name: String,
    pub resonator: Box<dyn Resonator>,
    pub state: Range<usize>,
    /// Ports that contacts touch, each once; forces and velocities of the step use this order.
    pub touched: Vec<usize>,
    /// Where the touched ports lie in the model-wide arrays.
    pub slots: Range<usize>,
    /// Y over the touched ports; empty where a field carries all contacts.
    pub mobility: Mobility,
    /// Index of the field that carries this body's contacts.
    pub field: Option<usize>,
    /// Y changes from step to step: the body stiffens, or a touched port can move.
    pub varies: bool,
    /// The touched port where it is the only one and Y is constant: such a body steps without lists of ports.
    pub only: Option<usize>,
}

impl Body {
    /// How the touched ports around `slot` respond to a force there: which of them, and Y, m/s per N.
    pub fn responses(&self, slot: usize) -> (Range<usize>, &[f64]) {
        self.mobility.row(slot - self.slots.start)
    }
}

/// A matrix of which only the part of every row between its first and its last number is kept: on a grid ports respond to their neighbours only.
#[derive(Debug, Default)]
pub(crate) struct Mobility {
    /// Per row: the columns outside of which it is zero, and where the others begin.
    rows: Vec<(Range<usize>, usize)>,
    values: Vec<f64>,
}

impl Mobility {
    fn new(resonator: &dyn Resonator, ports: &[usize]) -> Self {
        let mut mobility = Self::default();
        for &p in ports {
            let row: Vec<f64> = ports.iter().map(|&q| resonator.mobility(p, q)).collect();
            let first = row.iter().position(|y| *y != 0.0).unwrap_or(0);
            let end = row.iter().rposition(|y| *y != 0.0).map_or(first, |last| last + 1);
            mobility.rows.push((first..end, mobility.values.len()));
            mobility.values.extend(&row[first..end]);
        }
        mobility
    }

    /// The columns of a row that are not zero.
    fn row(&self, row: usize) -> (Range<usize>, &[f64]) {
        let (reach, start) = &self.rows[row];
        (reach.clone(), &self.values[*start..*start + reach.len()])
    }

    pub fn at(&self, row: usize, column: usize) -> f64 {
        let (reach, values) = self.row(row);
        if reach.contains(&column) { values[column - reach.start] } else { 0.0 }
    }
}

/// Where a contact's end lies: slot in the model-wide port arrays, and +1 for A, −1 for B.
pub(crate) type Wire = (usize, f64);

/// A contact in its model.
#[derive(Debug)]
pub(crate) struct Joint {
    pub contact: Contact,
    pub state: Range<usize>,
    pub wires: [Option<Wire>; 2],
}

/// Where a contact acts that is alone in its island.
#[derive(Debug)]
pub(crate) struct Place {
    pub joint: usize,
    /// An end at the wall has the sign 0.
    pub wires: [Wire; 2],
    pub state: Range<usize>,
    /// W, m/s per N.
    pub mobility: f64,
    pub rests_apart: bool,
}

/// A contact that is alone in its island, with what a step needs while it is open close together.
#[derive(Debug)]
pub(crate) struct Lone {
    pub place: Place,
    /// Its law, if that is a collision.
    pub collision: Option<Collision>,
}

/// Bodies, laws and islands. Made by a [`ModelBuilder`], never changed.
#[derive(Debug)]
pub struct Model {
    pub(crate) clock: Clock,
    pub(crate) bodies: Vec<Body>,
    pub(crate) joints: Vec<Joint>,
    /// Forces from outside that act before anything is solved.
    pub(crate) given: Vec<Given>,
    /// Islands of one collision each, side by side.
    pub(crate) rows: Vec<Row>,
    /// Other islands of one resolvent law.
    pub(crate) lone: Vec<Lone>,
    /// All other islands.
    pub(crate) islands: Vec<Island>,
    pub(crate) fields: Vec<Field>,
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

/// Collects bodies and contacts.
#[derive(Debug)]
pub struct ModelBuilder {
    clock: Clock,
    bodies: Vec<(String, Box<dyn Resonator>)>,
    contacts: Vec<Contact>,
    tolerance: f64,
}

impl ModelBuilder {
    /// An empty model.
    pub fn new(clock: Clock) -> Self {
        Self { clock, bodies: Vec::new(), contacts: Vec::new(), tolerance: TOLERANCE }
    }

    /// Adds a body.
    pub fn body(&mut self, name: impl Into<String>, resonator: impl Resonator + 'static) -> BodyId {
        self.boxed_body(name, Box::new(resonator))
    }

    /// Adds a body of a kind known only at run time.
    pub fn boxed_body(&mut self, name: impl Into<String>, resonator: Box<dyn Resonator>) -> BodyId {
        self.bodies.push((name.into(), resonator));
        BodyId(self.bodies.len() - 1)
    }

    /// Adds a contact.
    pub fn contact(&mut self, contact: Contact) -> ContactId {
        self.contacts.push(contact);
        ContactId(self.contacts.len() - 1)
    }

    /// Relative residual at which the island solver stops. The default is rounding; looser shows in the ledger.
    pub fn tolerance(&mut self, tolerance: f64) {
        self.tolerance = tolerance;
    }

    /// Finds the islands and checks what cannot work.
    pub fn build(self) -> Result<Model, BuildError> {
        let mut touched: Vec<Vec<usize>> = vec![Vec::new(); self.bodies.len()];
        for contact in &self.contacts {
            if contact.ends == [End::Wall, End::Wall] {
                return Err(BuildError::WallAgainstWall { contact: contact.name.clone() });
            }
            for end in contact.ends {
                let End::Port { body, port } = end else {
                    continue;
                };
                let (name, resonator) = &self.bodies[body.0];
                if port >= resonator.port_count() {
                    return Err(BuildError::NoSuchPort { contact: contact.name.clone(), body: name.clone(), port });
                }
                if !touched[body.0].contains(&port) {
                    touched[body.0].push(port);
                }
            }
        }
        let (mut state_len, mut slot_count) = (0, 0);
        let mut bodies = Vec::new();
        for ((name, resonator), touched) in self.bodies.into_iter().zip(touched) {
            let varies = resonator.stiffens() || touched.iter().any(|&port| resonator.is_movable(port));
            let resonator = match *touched {
                [port] if !varies => resonator.touched_at(port).unwrap_or(resonator),
                _ => resonator,
            };
            // every body begins at a cache line
            let start = usize::next_multiple_of(state_len, LANES);
            let state = start..start + resonator.state_len();
            let slots = slot_count..slot_count + touched.len();
            (state_len, slot_count) = (state.end, slots.end);
            bodies.push(Body {
                name,
                resonator,
                state,
                touched,
                slots,
                mobility: Mobility::default(),
                field: None,
                varies,
                only: None,
            });
        }
        let mut joints = Vec::new();
        for contact in self.contacts {
            let len = match &contact.law {
                Law::Force | Law::Velocity => 0,
                Law::Spring(_) => 2,
                Law::Resolvent(law) => law.state_len(),
            };
            let state = state_len..state_len + len;
            state_len = state.end;
            let wires = [0, 1].map(|side| {
                let End::Port { body, port } = contact.ends[side] else {
                    return None;
                };
                let body = &bodies[body.0];
                let slot = body.touched.iter().position(|&p| p == port)? + body.slots.start;
                Some((slot, if side == 0 { 1.0 } else { -1.0 }))
            });
            joints.push(Joint { contact, state, wires });
        }
        let mut fields = Vec::new();
        for (index, body) in bodies.iter_mut().enumerate() {
            if let Some(field) = Field::find(index, body, &joints) {
                body.field = Some(fields.len());
                fields.push(field);
                continue;
            }
            body.mobility = Mobility::new(&*body.resonator, &body.touched);
            if let ([port], false) = (&*body.touched, body.varies) {
                body.only = Some(*port);
            }
        }
        let given: Vec<Given> =
            joints.iter().enumerate().filter_map(|(i, joint)| Given::find(i, joint, &bodies)).collect();
        let solved = |joint: usize| given.iter().all(|given| given.joint != joint);
        let found = Island::find(&bodies, &joints, solved)?;
        let (alone, islands): (Vec<_>, Vec<_>) = found.into_iter().partition(Island::is_lone);
        let lone = alone
            .into_iter()
            .filter_map(|island| {
                let joint = &joints[island.joints[0]];
                let Law::Resolvent(law) = &joint.contact.law else {
                    return None;
                };
                let mut wires = joint.wires.into_iter().flatten();
                let wire = wires.next()?;
                let place = Place {
                    joint: island.joints[0],
                    wires: [wire, wires.next().unwrap_or((wire.0, 0.0))],
                    state: joint.state.clone(),
                    mobility: island.built(0, 0),
                    rests_apart: law.rests_apart(),
                };
                Some(Lone { place, collision: law.as_collision().cloned() })
            })
            .collect();
        let (rows, lone) = Row::find(lone, &joints);
        Ok(Model {
            clock: self.clock,
            bodies,
            joints,
            given,
            rows,
            lone,
            islands,
            fields,
            state_len,
            slot_count,
            tolerance: self.tolerance,
        })
    }
}

impl Model {
    /// Time step and frame.
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// Number of bodies.
    pub fn body_count(&self) -> usize {
        self.bodies.len()
    }

    /// Number of contacts.
    pub fn contact_count(&self) -> usize {
        self.joints.len()
    }

    /// Number of islands: groups of contacts that must be solved together.
    pub fn island_count(&self) -> usize {
        let in_rows: usize = self.rows.iter().map(|row| row.joints.len()).sum();
        self.given.len() + in_rows + self.lone.len() + self.islands.len() + self.fields.len()
    }

    /// Name of a body.
    pub fn body_name(&self, body: BodyId) -> &str {
        &self.bodies[body.0].name
    }

    /// Name of a contact.
    pub fn contact_name(&self, contact: ContactId) -> &str {
        &self.joints[contact.0].contact.name
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
        self.joints.iter().map(|joint| joint.contact.name.as_str())
    }

    /// Which imposed velocities are redundant when exactly `engaged` are engaged.
    pub fn redundant(&self, engaged: &[ContactId]) -> Vec<Redundant> {
        self.islands.iter().flat_map(|island| island.redundant(self, engaged)).collect()
    }
}
