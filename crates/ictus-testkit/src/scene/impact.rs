//! Scenes with repeated impacts, to see how a collision behaves and not only what it conserves. [handbook §2]

use super::{ContactMethod, Report, Scene, clock, collide, plain_string, string};
use crate::bodies;
use crate::draw::Draw;
use ictus_core::{
    BodyId, Clock, Discretisation, End, Mass, ModalBank, Mode, ModelBuilder, PowerLaw, Scheme, StringParameters,
};

/// A scene and the limits its physics sets.
#[derive(Debug)]
pub struct Impact {
    /// The scene.
    pub scene: Scene,
    /// The compression at which the contact would hold all the energy, m.
    pub deepest: f64,
    /// Steps that give the body time to come back several times.
    pub steps: usize,
}

impl Impact {
    /// True if the run reported passed through: deeper than all the energy allows, and than a method that evaluates the gap once a
    /// step may be late by.
    pub fn passed(&self, report: &Report) -> bool {
        report.depth > 2.0 * self.deepest + 2.0 * report.stride
    }
}

/// Name and builder of a scene.
pub type Builder = (&'static str, fn(ContactMethod, Scheme, &mut Draw) -> Impact);

/// One moving mass.
pub const SINGLE: [Builder; 2] = [("mass on a spring at a wall", wall), ("mass between two walls", slot)];
/// A hammer on something that gives way.
pub const HAMMERS: [Builder; 3] =
    [("hammer on an oscillator", oscillator), ("hammer on a bank", bank), ("hammer on a string", piano)];

/// Longest run, steps.
const LONGEST: usize = 6000;

fn power(draw: &mut Draw) -> PowerLaw {
    let exponent = if draw.chance(0.4) { draw.pick(&[1.0, 1.5, 2.0, 2.5, 3.0]) } else { draw.uniform(1.0, 3.0) };
    PowerLaw::new(draw.log(1e4, 1e13), exponent)
}

fn finish(scene: Scene, power: PowerLaw, steps: usize) -> Impact {
    let energy = scene.state.ledger.total.stored;
    let degree = power.exponent() + 1.0;
    let deepest = libm::pow(degree * energy / power.stiffness(), 1.0 / degree);
    Impact { scene, deepest, steps: steps.min(LONGEST) }
}

/// D21 Fig. 1 at random.
pub fn wall(method: ContactMethod, scheme: Scheme, draw: &mut Draw) -> Impact {
    let clock = clock(scheme, draw);
    let power = power(draw);
    let mass = draw.log(1e-3, 0.1);
    let frequency = draw.log(50.0, 500.0);
    let omega = std::f64::consts::TAU * frequency;
    let mut builder = ModelBuilder::new(clock);
    let ball = builder.body("ball", Mass::new(clock, mass, mass * omega * omega, 0.0).expect("a valid mass"));
    let contact = collide(&mut builder, "wall", [End::port(ball, 0), End::Wall], method.law(clock, power), 0.0);
    let mut scene = Scene::new(builder, vec![ball], vec![contact]);
    scene.state.throw(&scene.model, ball, draw.log(0.1, 5.0), Some(-draw.log(1e-5, 1e-2)));
    finish(scene, power, (6.0 / (frequency * clock.dt)) as usize)
}

/// A free mass between two walls.
pub fn slot(method: ContactMethod, scheme: Scheme, draw: &mut Draw) -> Impact {
    let clock = clock(scheme, draw);
    let power = power(draw);
    let mass = draw.log(1e-3, 0.1);
    let speed = draw.log(0.1, 5.0);
    let gap = speed * clock.dt * draw.log(3.0, 60.0);
    let mut builder = ModelBuilder::new(clock);
    let ball = builder.body("ball", Mass::new(clock, mass, 0.0, 0.0).expect("a valid mass"));
    let right = collide(&mut builder, "right", [End::port(ball, 0), End::Wall], method.law(clock, power), gap);
    let left = collide(&mut builder, "left", [End::Wall, End::port(ball, 0)], method.law(clock, power), gap);
    let mut scene = Scene::new(builder, vec![ball], vec![right, left]);
    scene.state.throw(&scene.model, ball, speed, None);
    let mut impact = finish(scene, power, 0);
    // a soft wall keeps the ball for a while
    impact.steps = (20.0 * (gap + 2.0 * impact.deepest) / (speed * clock.dt)).min(LONGEST as f64) as usize;
    impact
}

fn hammer(clock: Clock, draw: &mut Draw, builder: &mut ModelBuilder) -> (BodyId, f64) {
    let mass = draw.log(1e-3, 0.05);
    // springs back, so that it strikes again
    let frequency = draw.log(30.0, 200.0);
    let omega = std::f64::consts::TAU * frequency;
    let body = Mass::new(clock, mass, mass * omega * omega, 0.0).expect("a valid mass");
    (builder.body("hammer", body), frequency)
}

fn strike(
    builder: ModelBuilder,
    parts: (BodyId, f64, BodyId),
    (method, power): (ContactMethod, PowerLaw),
    clock: Clock,
    draw: &mut Draw,
) -> Impact {
    let (hammer, frequency, struck) = parts;
    let mut builder = builder;
    let ends = [End::port(hammer, 0), End::port(struck, 0)];
    let contact = collide(&mut builder, "felt", ends, method.law(clock, power), draw.log(1e-6, 1e-4));
    let mut scene = Scene::new(builder, vec![hammer, struck], vec![contact]);
    scene.state.throw(&scene.model, hammer, draw.log(0.2, 5.0), None);
    finish(scene, power, (4.0 / (frequency * clock.dt)) as usize)
}

/// A hammer on a mass and spring.
pub fn oscillator(method: ContactMethod, scheme: Scheme, draw: &mut Draw) -> Impact {
    let clock = clock(scheme, draw);
    let power = power(draw);
    let mut builder = ModelBuilder::new(clock);
    let (body, frequency) = hammer(clock, draw, &mut builder);
    let target = draw.log(1e-3, 0.1);
    let omega = std::f64::consts::TAU * draw.log(100.0, 1000.0);
    let struck = builder.body("target", Mass::new(clock, target, target * omega * omega, 0.0).expect("a valid mass"));
    strike(builder, (body, frequency, struck), (method, power), clock, draw)
}

/// A hammer on a few modes.
pub fn bank(method: ContactMethod, scheme: Scheme, draw: &mut Draw) -> Impact {
    let clock = clock(scheme, draw);
    let power = power(draw);
    let mut builder = ModelBuilder::new(clock);
    let (body, frequency) = hammer(clock, draw, &mut builder);
    let modes: Vec<Mode> = (0..draw.integer(2, 8))
        .map(|_| Mode { frequency: draw.log(100.0, 8000.0), decay: f64::INFINITY, mass: draw.log(5e-3, 0.1) })
        .collect();
    let shape: Vec<f64> = modes.iter().map(|_| draw.uniform(0.3, 1.0)).collect();
    let bank = ModalBank::new(clock, &modes, &[shape], Discretisation::Exact).expect("a valid bank");
    let struck = builder.body("bank", bank);
    strike(builder, (body, frequency, struck), (method, power), clock, draw)
}

/// A hammer on a string of finite differences, as in D21 Fig. 3.
pub fn piano(method: ContactMethod, scheme: Scheme, draw: &mut Draw) -> Impact {
    let clock = clock(scheme, draw);
    let power = power(draw);
    let mut builder = ModelBuilder::new(clock);
    let (body, frequency) = hammer(clock, draw, &mut builder);
    let parameters =
        StringParameters { damping: 0.0, diffusion: 0.0, ..plain_string(draw.log(60.0, 400.0), draw.log(1e-3, 1e-2)) };
    let stepping = draw.pick(bodies::steppings(clock.scheme));
    let struck = builder.boxed_body("string", string(clock, stepping, parameters, 80, &[draw.uniform(0.1, 0.9)]));
    strike(builder, (body, frequency, struck), (method, power), clock, draw)
}
