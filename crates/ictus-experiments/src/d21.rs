//! D21 §II–VI: collisions by energy quadratisation beside two iterative methods.
//!
//! IT-1 is the discrete gradient in the midpoint scheme, IT-2 the same in leapfrog, N-IT the quadratised collision. The
//! explicit gradient printed for N-IT sticks or leaks after the first impact while its energy stays exact, so that no energy
//! plot shows it; all figures here use the one of the handbook (`var4`).

pub mod control;
pub mod fretboard;
pub mod hammer;
pub mod mass;
pub mod order;
pub mod tromba;
pub mod wire;

use crate::rig::ContactMethod;
use ictus_core::{BodyId, BuildError, Clock, Contact, ContactId, End, Mass, Model, ModelBuilder, Scheme, State};

/// Said in the notes of every figure that shows N-IT.
const GRADIENT_NOTE: &str = "N-IT uses the handbook's gradient (var4). Eq. 27 with its guard as printed conserves energy to 1e-13 \
     and still sticks or passes through after the first impact.";

/// A method of the paper with its name.
#[derive(Clone, Copy, Debug)]
struct Named {
    name: &'static str,
    scheme: Scheme,
    method: ContactMethod,
}

const IT1: Named = Named { name: "IT-1", scheme: Scheme::Midpoint, method: ContactMethod::Iterative };
const IT2: Named = Named { name: "IT-2", scheme: Scheme::Leapfrog, method: ContactMethod::Iterative };
const NIT: Named = Named { name: "N-IT", scheme: Scheme::Leapfrog, method: ContactMethod::NonIterative };

/// A mass on a spring in front of a wall at 0.
#[derive(Clone, Copy, Debug)]
struct Bouncer {
    mass: f64,      // M, kg
    spring: f64,    // K, N/m
    stiffness: f64, // K_η, N/m^α
    exponent: f64,  // α
    position: f64,  // u0, m
    velocity: f64,  // v0, m/s
}

/// The mass and its wall as a model.
struct Bounce {
    model: Model,
    mass: BodyId,
    wall: ContactId,
    state: State,
}

impl Bouncer {
    fn build(&self, named: Named, rate: f64) -> Result<Bounce, BuildError> {
        let clock = Clock::new(named.scheme, 1.0 / rate);
        let mut builder = ModelBuilder::new(clock);
        let mass = builder.body("mass", Mass::new(clock, self.mass, self.spring, 0.0)?);
        let law = named.method.law(clock, self.stiffness, self.exponent);
        let wall = builder.contact(Contact::new("wall", [End::port(mass, 0), End::Wall], law));
        let model = builder.build()?;
        let mut state = State::new(&model);
        state.throw(&model, mass, self.velocity, Some(self.position));
        Ok(Bounce { model, mass, wall, state })
    }
}

impl Bounce {
    fn step(&mut self) {
        ictus_core::step(&self.model, &mut self.state);
    }

    fn position(&self) -> f64 {
        self.state.displacement(&self.model, self.mass, 0)
    }

    fn velocity(&self) -> f64 {
        self.state.velocity(&self.model, self.mass, 0)
    }

    fn force(&self) -> f64 {
        self.state.contact_force(self.wall)
    }
}
