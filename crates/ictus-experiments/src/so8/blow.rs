//! A blow of a free hammer by the core, recorded: on the wall, or on modes.

use super::hunt_crossley::HuntCrossley;
use crate::rig::step_count;
use ictus_core::{
    BodyId, BuildError, Clock, Collision, Contact, Deflection, Discretisation, End, Law, Mass, ModalBank, Mode,
    ModelBuilder, PowerLaw, Scheme, State, step,
};

/// A mode by its frequency (Hz), amplitude decay time t_e (s) and mass (kg).
pub type Partial = (f64, f64, f64);

/// What is struck.
#[derive(Clone, Copy, Debug)]
pub enum Struck<'a> {
    /// Does not move.
    Wall,
    /// Modes that all weigh 1 where they are struck, displaced at time 0 by this much (m) in the shape of the lowest.
    Modes(&'a [Partial], f64),
}

/// How it is struck.
#[derive(Clone, Copy, Debug)]
pub struct Strike {
    /// Hammer and contact.
    pub law: HuntCrossley,
    /// m/s.
    pub velocity: f64,
    /// Seconds until the hammer reaches the surface at rest.
    pub arrival: f64,
    /// Samples per second.
    pub rate: f64,
    /// Length of the recording.
    pub seconds: f64,
}

/// The recording. Values are at the samples, from time 0; forces are means over the step that ends there.
#[derive(Clone, Debug, Default)]
pub struct Blow {
    /// s.
    pub time: Vec<f64>,
    /// Position of the hammer, m.
    pub hammer: Vec<f64>,
    /// Speed of the hammer, m/s.
    pub speed: Vec<f64>,
    /// Position of the struck point, m.
    pub point: Vec<f64>,
    /// Speed of the struck point, m/s.
    pub sound: Vec<f64>,
    /// Force, N.
    pub force: Vec<f64>,
    /// Largest residual of the energy ledger over the peak energy.
    pub residual: f64,
}

/// Plays a blow in the midpoint scheme, as the chapter does.
pub fn blow(strike: &Strike, struck: Struck) -> Result<Blow, BuildError> {
    let Strike { law, velocity, arrival, rate, seconds } = *strike;
    let clock = Clock::new(Scheme::Midpoint, 1.0 / rate);
    let mut builder = ModelBuilder::new(clock);
    let mass = Mass::new(clock, law.mass, 0.0, 0.0)?.starting(-arrival * velocity, velocity);
    let hammer = builder.body("hammer", mass);
    let object = match struck {
        Struck::Wall => None,
        Struck::Modes(partials, _) => Some(builder.body("object", bank(clock, partials)?)),
    };
    let contact = Collision::new(clock, PowerLaw::new(law.stiffness, law.exponent), law.loss);
    let ends = [End::port(hammer, 0), object.map_or(End::Wall, |object| End::port(object, 0))];
    let contact = builder.contact(Contact::new("contact", ends, Law::from(contact)));
    let model = builder.build()?;
    let mut state = State::new(&model);
    if let (Some(object), Struck::Modes(_, displacement)) = (object, struck)
        && displacement != 0.0
    {
        state.deflect(&model, object, Deflection::Fundamental { displacement });
    }
    let mut blow = Blow::default();
    let read = |state: &State, body: Option<BodyId>| {
        body.map_or([0.0; 2], |body| [state.displacement(&model, body, 0), state.velocity(&model, body, 0)])
    };
    for n in 0..=step_count(seconds, rate)? {
        if n > 0 {
            step(&model, &mut state);
        }
        let ([x, v], [u, w]) = (read(&state, Some(hammer)), read(&state, object));
        blow.time.push(n as f64 / rate);
        blow.hammer.push(x);
        blow.speed.push(v);
        blow.point.push(u);
        blow.sound.push(w);
        blow.force.push(if n > 0 { state.contact_force(contact) } else { 0.0 });
    }
    blow.residual = state.ledger.max_residual_rel();
    Ok(blow)
}

fn bank(clock: Clock, partials: &[Partial]) -> Result<ModalBank, BuildError> {
    // T60 = 3 ln 10 t_e
    let t60 = 3.0 * std::f64::consts::LN_10;
    let modes: Vec<Mode> =
        partials.iter().map(|&(frequency, decay, mass)| Mode { frequency, decay: t60 * decay, mass }).collect();
    ModalBank::new(clock, &modes, &[vec![1.0; partials.len()]], Discretisation::Exact)
}

impl Blow {
    /// Speed of the hammer at the end, m/s.
    pub fn v_out(&self) -> f64 {
        self.speed.last().copied().unwrap_or(0.0)
    }

    /// How often contact begins.
    pub fn contacts(&self) -> usize {
        self.force.windows(2).filter(|pair| pair[0] == 0.0 && pair[1] > 0.0).count()
    }

    /// Seconds with force.
    pub fn touching(&self) -> f64 {
        let steps = self.force.iter().filter(|force| **force > 0.0).count();
        steps as f64 * self.time.get(1).copied().unwrap_or(0.0)
    }

    /// From the arrival at a wall until the hammer, flying free, was back at it, s.
    pub fn contact_time(&self, arrival: f64) -> f64 {
        let (time, x) = (self.time.last().copied().unwrap_or(0.0), self.hammer.last().copied().unwrap_or(0.0));
        time - x / self.v_out() - arrival
    }
}
