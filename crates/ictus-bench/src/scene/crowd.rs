//! Many things at once: contacts on one body, and bodies that sleep, wait or ring beside a contact that is held.

use super::clock;
use ictus_core::{
    BodyId, Clock, Collision, Contact, ContactId, Deflection, Discretisation, End, Law, Mass, ModalBank, Mode, Model,
    ModelBuilder, PowerLaw, Scheme, State, step,
};

/// Of every contact, N/m^exponent.
const STIFFNESS: f64 = 1e6;
const EXPONENT: f64 = 1.5;
/// Force on every mass, N.
const FORCE: f64 = 1.0;
/// Steps before anything is timed: a second, in which what rings after the start fades.
const SETTLING: usize = 48_000;

/// A bar: modes that rise like those of a free bar, with `ports` ports along it.
fn bar(clock: Clock, modes: usize, ports: usize, decay: f64) -> ModalBank {
    let list: Vec<Mode> = (0..modes)
        .map(|i| Mode { frequency: 120.0 + 18_000.0 * (i as f64 + 0.5) / modes as f64, decay, mass: 0.5 })
        .collect();
    // cosines at places that no two ports share
    let place = |port: usize| (port as f64 + 0.5) / ports as f64;
    let shape = |port: usize| {
        (0..modes).map(|i| libm::cos(std::f64::consts::PI * (i + 1) as f64 * place(port))).collect::<Vec<f64>>()
    };
    let shapes: Vec<Vec<f64>> = (0..ports).map(shape).collect();
    ModalBank::new(clock, &list, &shapes, Discretisation::Exact).expect("modes below half the sample rate")
}

fn collision(clock: Clock) -> Law {
    Collision::new(clock, PowerLaw::new(STIFFNESS, EXPONENT), 0.3).into()
}

/// Masses pressed on one body of 60 modes.
#[derive(Debug)]
pub struct Pressing {
    /// Of all.
    pub model: Model,
    masses: Vec<BodyId>,
    contacts: Vec<ContactId>,
    pushes: Vec<ContactId>,
}

impl Pressing {
    /// So many contacts.
    pub fn new(contacts: usize) -> Self {
        let clock = clock(Scheme::Midpoint);
        let mut builder = ModelBuilder::new(clock);
        let body = builder.body("body", bar(clock, 60, contacts, 0.2));
        let mass = |i| Mass::new(clock, 0.01 * (1.0 + 0.01 * i as f64), 0.0, 0.0).expect("a mass");
        let masses: Vec<BodyId> = (0..contacts).map(|i| builder.body(format!("mass {i}"), mass(i))).collect();
        let on = |(port, &mass): (usize, &BodyId)| {
            let ends = [End::port(mass, 0), End::port(body, port)];
            Contact::new(format!("contact {port}"), ends, collision(clock))
        };
        let list: Vec<Contact> = masses.iter().enumerate().map(on).collect();
        let contacts = list.into_iter().map(|contact| builder.contact(contact)).collect();
        // alternately up and down, or the body would only be pushed away
        let push = |&mass: &BodyId| Contact::new("push", [End::port(mass, 0), End::Wall], Law::Force);
        let list: Vec<Contact> = masses.iter().map(push).collect();
        let pushes = list.into_iter().map(|contact| builder.contact(contact)).collect();
        Self { model: builder.build().expect("contacts"), masses, contacts, pushes }
    }

    /// A hundredth of a second after the masses were laid on the body, with losses in every contact.
    pub fn pressed(&self) -> State {
        let mut state = State::new(&self.model);
        state.audit(&self.model, false);
        let depth = libm::pow(FORCE / STIFFNESS, 1.0 / EXPONENT);
        for (i, (&mass, &push)) in self.masses.iter().zip(&self.pushes).enumerate() {
            state.throw(&self.model, mass, 0.0, Some(depth));
            state.set_input(push, FORCE * (1.0 + 0.1 * libm::sin(i as f64)));
        }
        for _ in 0..480 {
            step(&self.model, &mut state);
        }
        state
    }

    /// Contacts that push now.
    pub fn closed(&self, state: &State) -> usize {
        self.contacts.iter().filter(|&&contact| state.contact_force(contact) > 0.0).count()
    }
}

/// What stands around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crowd {
    /// Bars that were never touched, each with a mallet that rests at a distance.
    Asleep,
    /// Mallets that rest at a distance from a wall.
    Parked,
    /// Bars that ring, each with a mallet that has left.
    Ringing,
}

/// A mass held on a bar, and a crowd.
#[derive(Debug)]
pub struct Crowded {
    /// Of all.
    pub model: Model,
    /// The bodies of the crowd: bars, or mallets.
    pub crowd: Vec<BodyId>,
    kind: Crowd,
    mass: BodyId,
    push: ContactId,
}

impl Crowd {
    /// So many of them beside a contact that is held.
    pub fn scene(self, count: usize) -> Crowded {
        let clock = clock(Scheme::Midpoint);
        let mut builder = ModelBuilder::new(clock);
        let held = builder.body("held", bar(clock, 12, 1, 0.2));
        let mass = builder.body("mass", Mass::new(clock, 0.01, 0.0, 0.0).expect("a mass"));
        builder.contact(Contact::new("held", [End::port(mass, 0), End::port(held, 0)], collision(clock)));
        let push = builder.contact(Contact::new("push", [End::port(mass, 0), End::Wall], Law::Force));
        let mut crowd = Vec::new();
        for i in 0..count {
            let mallet = builder.body(format!("mallet {i}"), Mass::new(clock, 0.01, 0.0, 0.0).expect("a mass"));
            let end = if self == Self::Parked {
                crowd.push(mallet);
                End::Wall
            } else {
                let body = builder.body(format!("bar {i}"), bar(clock, 12, 1, 20.0));
                crowd.push(body);
                End::port(body, 0)
            };
            let contact = Contact::new(format!("contact {i}"), [End::port(mallet, 0), end], collision(clock));
            builder.contact(contact.with_gap(0.01));
        }
        Crowded { model: builder.build().expect("contacts"), crowd, kind: self, mass, push }
    }
}

impl Crowded {
    /// A second later.
    pub fn settled(&self) -> State {
        let mut state = State::new(&self.model);
        state.audit(&self.model, false);
        let depth = libm::pow(FORCE / STIFFNESS, 1.0 / EXPONENT);
        state.throw(&self.model, self.mass, 0.0, Some(depth));
        state.set_input(self.push, FORCE);
        for &body in self.crowd.iter().filter(|_| self.kind == Crowd::Ringing) {
            let bent = state.deflect(&self.model, body, Deflection::Static { port: 0, displacement: 1e-4 });
            assert!(bent, "a bar can be bent");
        }
        for _ in 0..SETTLING / if self.kind == Crowd::Ringing { 100 } else { 1 } {
            step(&self.model, &mut state);
        }
        state
    }
}
