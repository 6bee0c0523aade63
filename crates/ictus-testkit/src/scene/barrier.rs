//! Strings over distributed barriers: one contact per point, several plucks and blows. [CW14 §4, D21 §IV]

use super::{ContactMethod, Report, Scene, plain_string};
use crate::draw::Draw;
use ictus_core::{
    BodyId, Clock, Contact, ContactId, Deflection, Discretisation, End, ExplicitString, ImplicitString, Law, ModalBank,
    Mode, Model, ModelBuilder, PowerLaw, Scheme, State, StringParameters,
};

/// How the string is made, and with it how its contacts are coupled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Make {
    /// Explicit grid: every contact on its own.
    Explicit(Scheme),
    /// Implicit grid, midpoint: contacts coupled by a banded matrix.
    Implicit,
    /// Modes: contacts coupled by a full matrix.
    Modal(Scheme),
}

impl Make {
    /// Every structure.
    pub const ALL: [Self; 5] = [
        Self::Explicit(Scheme::Leapfrog),
        Self::Explicit(Scheme::Midpoint),
        Self::Implicit,
        Self::Modal(Scheme::Leapfrog),
        Self::Modal(Scheme::Midpoint),
    ];

    /// The scheme it lives in.
    pub fn scheme(self) -> Scheme {
        match self {
            Self::Explicit(scheme) | Self::Modal(scheme) => scheme,
            Self::Implicit => Scheme::Midpoint,
        }
    }
}

/// A point of a barrier: position (fraction of the length) and height (m, the string at rest is at 0).
pub type Point = (f64, f64);

/// What a string over a barrier is made of.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Structure of the string.
    pub make: Make,
    /// Time step, s.
    pub dt: f64,
    /// The string.
    pub parameters: StringParameters,
    /// Intervals of the grid, or modes.
    pub fineness: usize,
    /// The barrier below the string.
    pub points: Vec<Point>,
    /// Law of one point.
    pub power: PowerLaw,
    /// How it is computed.
    pub method: ContactMethod,
    /// Where the hand acts, fraction of the length.
    pub hand: f64,
    /// Where probes read the displacement, fractions of the length.
    pub probes: Vec<f64>,
}

/// A string over a barrier.
#[derive(Debug)]
pub struct Strung {
    /// The scene; its collisions are the points of the barrier in order.
    pub scene: Scene,
    /// The string.
    pub string: BodyId,
    /// Port of the hand.
    pub port: usize,
    /// The hand: an imposed force.
    pub hand: ContactId,
    probes: usize,
}

impl Plan {
    /// The clock of the plan.
    pub fn clock(&self) -> Clock {
        Clock::new(self.make.scheme(), self.dt)
    }

    /// Builds the string over its barrier.
    pub fn build(&self) -> Strung {
        let clock = self.clock();
        let mut positions: Vec<f64> = self.points.iter().map(|point| point.0).collect();
        positions.push(self.hand);
        positions.extend(&self.probes);
        let mut builder = ModelBuilder::new(clock);
        let grid = self.parameters.grid(self.fineness);
        let string = match self.make {
            Make::Explicit(_) => builder
                .body("string", ExplicitString::new(clock, self.parameters, grid, &positions).expect("a valid string")),
            Make::Implicit => builder
                .body("string", ImplicitString::new(clock, self.parameters, grid, &positions).expect("a valid string")),
            Make::Modal(_) => builder.body("string", self.bank(clock, &positions)),
        };
        let collisions = self
            .points
            .iter()
            .enumerate()
            .map(|(port, (_, height))| {
                let ends = [End::Wall, End::port(string, port)];
                let law = self.method.law(clock, self.power);
                builder.contact(Contact::new(format!("point {port}"), ends, law).with_gap(-height))
            })
            .collect();
        let port = self.points.len();
        let hand = builder.contact(Contact::new("hand", [End::port(string, port), End::Wall], Law::Force));
        Strung { scene: Scene::new(builder, vec![string], collisions), string, port, hand, probes: self.probes.len() }
    }

    fn bank(&self, clock: Clock, positions: &[f64]) -> ModalBank {
        let StringParameters { length, density, tension, damping, .. } = self.parameters;
        let base = 0.5 * (tension / density).sqrt() / length;
        let decay = if damping > 0.0 { 3.0 * std::f64::consts::LN_10 / damping } else { f64::INFINITY };
        let modes: Vec<Mode> = (1..=self.fineness)
            .map(|m| Mode { frequency: base * m as f64, decay, mass: 0.5 * density * length })
            .collect();
        let shapes: Vec<Vec<f64>> = positions
            .iter()
            .map(|x| (1..=self.fineness).map(|m| libm::sin(std::f64::consts::PI * m as f64 * x)).collect())
            .collect();
        ModalBank::new(clock, &modes, &shapes, Discretisation::Exact).expect("modes below half the sample rate")
    }
}

impl Strung {
    /// Displacement under the hand, m.
    pub fn height(&self) -> f64 {
        self.scene.state.displacement(&self.scene.model, self.string, self.port)
    }

    /// Displacement at every probe, m.
    pub fn shape(&self) -> impl Iterator<Item = f64> {
        let count = self.probes;
        (0..count).map(|i| self.scene.state.displacement(&self.scene.model, self.string, self.port + 1 + i))
    }

    /// Sum of the barrier's forces, N.
    pub fn total_force(&self) -> f64 {
        self.scene.collisions.iter().map(|&contact| self.scene.state.contact_force(contact)).sum()
    }

    /// Releases the string from a pluck under the hand.
    pub fn pluck(&mut self, displacement: f64) {
        let deflection = Deflection::Static { port: self.port, displacement };
        assert!(self.scene.state.deflect(&self.scene.model, self.string, deflection), "a string can be plucked");
    }
}

/// A drawn string over a drawn barrier with its gestures.
#[derive(Debug)]
pub struct Drawn {
    /// What it is made of.
    pub plan: Plan,
    /// The string.
    pub strung: Strung,
    /// Steps to play.
    pub steps: usize,
    /// Pulses of the hand: first step, length in steps, peak force in N.
    pulses: Vec<(usize, usize, f64)>,
}

/// A flat barrier, a curved bridge at one end, or a few frets; heights in units of the pluck.
fn profile(draw: &mut Draw, intervals: usize, amplitude: f64) -> Vec<Point> {
    let at = |i: usize| i as f64 / intervals as f64;
    match draw.integer(0, 2) {
        0 => {
            let depth = amplitude * draw.uniform(0.0, 0.6);
            (1..intervals).map(|i| (at(i), -depth)).collect()
        }
        1 => {
            let reach = draw.uniform(0.1, 0.5).max(2.5 / intervals as f64);
            let fall = amplitude * draw.log(0.02, 0.5);
            let inside = (1..intervals).map(at).filter(|&x| x <= reach);
            inside.map(|x| (x, -fall * (x / reach) * (x / reach))).collect()
        }
        _ => {
            let depth = amplitude * draw.uniform(0.02, 0.4);
            let mut places: Vec<usize> = (1..=draw.integer(3, 12))
                .map(|fret| ((1.0 - libm::exp2(-(fret as f64) / 12.0)) * intervals as f64).round() as usize)
                .filter(|&i| i >= 1)
                .collect();
            places.dedup();
            // near the nut a string moves less, and frets stand closer
            places.into_iter().map(|i| (at(i), -depth * (3.0 * at(i)).min(1.0) * draw.uniform(0.8, 1.2))).collect()
        }
    }
}

/// Draws a string over a barrier: density of stiffness 1e5–1e12, α 1–3, one pluck, then three blows or pulls by the hand.
pub fn draw_one(method: ContactMethod, make: Make, draw: &mut Draw) -> Drawn {
    let dt = 1.0 / draw.pick(&[44_100.0, 48_000.0, 96_000.0]);
    let lossy = draw.chance(0.5);
    let mut parameters = plain_string(draw.log(80.0, 400.0), draw.log(5e-4, 5e-3));
    let stiff = draw.chance(0.3) && !matches!(make, Make::Modal(_));
    parameters.stiffness = if stiff { parameters.tension * draw.log(1e-6, 1e-4) } else { 0.0 };
    if !lossy {
        (parameters.damping, parameters.diffusion) = (0.0, 0.0);
    }
    let finest = parameters.finest(dt).expect("a string long enough for its sample rate").intervals;
    let (intervals, fineness) = match make {
        Make::Modal(_) => (draw.integer(10, 18), draw.integer(12, 36).min(finest)),
        _ => {
            let n = draw.integer(16, 40).min(finest);
            (n, n)
        }
    };
    let amplitude = draw.log(2e-4, 5e-3);
    let exponent = if draw.chance(0.4) { draw.pick(&[1.0, 1.5, 2.0, 2.5, 3.0]) } else { draw.uniform(1.0, 3.0) };
    let plan = Plan {
        make,
        dt,
        parameters,
        fineness,
        points: profile(draw, intervals, amplitude),
        power: PowerLaw::new(draw.log(1e5, 1e12) / intervals as f64, exponent),
        method,
        hand: draw.uniform(0.15, 0.85),
        probes: Vec::new(),
    };
    let mut strung = plan.build();
    strung.pluck(amplitude);
    let period = 2.0 * (parameters.density / parameters.tension).sqrt() / dt;
    let quarter = (1.5 * period) as usize;
    let steps = (4 * quarter).min(LONGEST);
    let pulses = (1..4)
        .map(|i| {
            // about as strong as the pull that holds the pluck; the last one drives the string onto the barrier
            let strength = if i == 3 { -draw.log(1.0, 3.0) } else { draw.log(0.2, 2.0) * draw.sign() };
            let force = 4.0 * parameters.tension * amplitude * strength;
            (i * steps / 4, draw.integer(20, 80), force)
        })
        .collect();
    Drawn { plan, strung, steps, pulses }
}

/// Longest run of a drawn string, steps.
const LONGEST: usize = 1200;

impl Drawn {
    /// Plays the gestures; calls `each` after every step.
    pub fn play_with(&mut self, mut each: impl FnMut(&Model, &State)) -> Report {
        let (pulses, hand) = (&self.pulses, self.strung.hand);
        self.strung.scene.play_with(self.steps, |model, state, n| {
            let force = pulses.iter().find(|(first, length, _)| (*first..first + length).contains(&n));
            state.set_input(
                hand,
                force.map_or(0.0, |(first, length, peak)| {
                    let phase = (n - first) as f64 / *length as f64;
                    peak * 0.5 * (1.0 - libm::cos(std::f64::consts::TAU * phase))
                }),
            );
            each(model, state);
        })
    }

    /// The compression at which one point would hold all the energy there ever was, m.
    pub fn deepest(&self, state: &State) -> f64 {
        let degree = self.plan.power.exponent() + 1.0;
        libm::pow(degree * state.ledger.peak / self.plan.power.stiffness(), 1.0 / degree)
    }
}
