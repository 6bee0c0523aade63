//! Random worlds: bodies of every kind, contacts of every kind, gestures in between.

use super::{ContactMethod, Scene, clock, collide};
use crate::bodies;
use crate::draw::Draw;
use ictus_core::{
    BodyId, Bristles, Clock, Contact, ContactId, Damping, Deflection, End, Ends, Felt, Friction, FrictionParameters,
    Gradient, Law, Mass, ModelBuilder, NonlinearSpring, PowerLaw, Scheme, Spring,
};

/// A random world and its script.
#[derive(Debug)]
pub struct World {
    /// The scene; `collisions` holds the discrete-gradient ones and felts.
    pub scene: Scene,
    forces: Vec<ContactId>,
    velocities: Vec<ContactId>,
    frictions: Vec<ContactId>,
    scale: f64, // m
}

fn body(clock: Clock, draw: &mut Draw, builder: &mut ModelBuilder, i: usize) -> (BodyId, usize) {
    let name = format!("body {i}");
    match draw.integer(0, 3) {
        0 | 1 => {
            let m = draw.log(1e-4, 0.3);
            let stiffness = if draw.chance(0.5) { 0.0 } else { m * draw.log(1e3, 1e7) };
            let resistance = if draw.chance(0.5) { 0.0 } else { draw.log(1e-4, 1.0) };
            (builder.body(name, Mass::new(clock, m, stiffness, resistance).expect("a valid mass")), 1)
        }
        2 => {
            let modes = draw.integer(1, 12);
            (builder.body(name, super::island::bar(clock, draw, modes, 3)), 3)
        }
        _ => {
            let ends = draw.pick(&[Ends::Supported, Ends::Fixed]);
            let parameters = bodies::string_parameters(draw.chance(0.5), draw.chance(0.5), ends);
            let finest = parameters.finest(clock.dt).expect("a long enough string").intervals;
            let grid = parameters.grid(draw.integer(3, finest.min(50)));
            let ports: Vec<f64> = (0..3).map(|_| draw.uniform(0.05, 0.95)).collect();
            let stepping = draw.pick(bodies::steppings(clock.scheme));
            (builder.boxed_body(name, bodies::string(clock, stepping, parameters, grid, &ports)), 3)
        }
    }
}

fn friction(clock: Clock, draw: &mut Draw) -> Friction {
    let sliding = draw.log(0.05, 1.0);
    let parameters = FrictionParameters {
        stiffness: draw.log(1e3, 1e6),
        damping: if draw.chance(0.3) { 0.0 } else { draw.log(1e-2, 30.0) },
        viscosity: if draw.chance(0.5) { 0.0 } else { draw.log(1e-3, 1.0) },
        sticking: sliding * draw.uniform(1.0, 3.0),
        sliding,
        stribeck: draw.log(0.01, 0.5),
        breakaway: draw.uniform(0.1, 0.95),
    };
    let bristles = draw.pick(&[Bristles::ElastoPlastic, Bristles::ElastoPlastic, Bristles::LuGre]);
    Friction::new(clock, parameters, bristles, Damping::Passive).expect("valid surfaces")
}

/// Builds a world: 2–8 bodies, 1–12 contacts.
pub fn world(scheme: Scheme, draw: &mut Draw) -> World {
    let clock = clock(scheme, draw);
    let mut builder = ModelBuilder::new(clock);
    let ports: Vec<(BodyId, usize)> = (0..draw.integer(2, 8)).map(|i| body(clock, draw, &mut builder, i)).collect();
    let scale = draw.log(1e-6, 1e-3);
    let end = |draw: &mut Draw| {
        let (body, count) = draw.pick(&ports);
        End::port(body, draw.integer(0, count - 1))
    };
    let [mut collisions, mut forces, mut velocities, mut frictions] = [const { Vec::new() }; 4];
    for i in 0..draw.integer(1, 12) {
        let a = end(draw);
        let mut b = if draw.chance(0.35) { End::Wall } else { end(draw) };
        if a == b {
            b = End::Wall;
        }
        let power = PowerLaw::new(draw.log(1e3, 1e12), draw.uniform(1.0, 3.0));
        let gap = scale * draw.uniform(-0.05, 1.0);
        let name = format!("contact {i}");
        match draw.integer(0, 12) {
            0..=3 => {
                let loss = if draw.chance(0.5) { 0.0 } else { draw.log(1e-2, 2.0) };
                let law = ContactMethod::Gradient(loss).law(clock, power);
                collisions.push(collide(&mut builder, &name, [a, b], law, gap));
            }
            4 => {
                let method = ContactMethod::Quadratised(draw.pick(&[Gradient::Current, Gradient::Corrected]));
                collide(&mut builder, &name, [a, b], method.law(clock, power), gap.abs());
            }
            5 => {
                builder.contact(Contact::new(name, [a, b], Law::from(NonlinearSpring::new(clock, power))));
            }
            6 | 7 => {
                let spring = Spring::new(clock, draw.log(1e2, 1e7), draw.log(1e-4, 1.0)).expect("a valid spring");
                builder.contact(Contact::new(name, [a, b], Law::from(spring)).with_gap(gap));
            }
            10 => {
                let felt = Felt::new(clock, power, draw.uniform(0.0, 0.95), draw.log(1e-5, 1e-2)).expect("felt");
                collisions.push(collide(&mut builder, &name, [a, b], Law::from(felt), gap));
            }
            11 | 12 => {
                frictions.push(builder.contact(Contact::new(name, [a, b], Law::from(friction(clock, draw)))));
            }
            8 => forces.push(builder.contact(Contact::new(name, [a, b], Law::Force))),
            // against the wall: two ports of a body that moves as one cannot be led apart
            _ => velocities.push(builder.contact(Contact::new(name, [a, End::Wall], Law::Velocity))),
        }
    }
    let bodies = ports.iter().map(|&(body, _)| body).collect();
    World { scene: Scene::new(builder, bodies, collisions), forces, velocities, frictions, scale }
}

impl World {
    /// Before step `n`: throws, deflections, forces, surfaces that are pressed and drawn along, constraints that come and go.
    pub fn gesture(&mut self, n: usize, draw: &mut Draw) {
        let Scene { model, state, bodies, .. } = &mut self.scene;
        if n == 0 || draw.chance(2e-3) {
            let body = draw.pick(bodies);
            let velocity = draw.log(1e-2, 5.0) * draw.sign();
            let displacement = self.scale * draw.uniform(-1.0, 1.0);
            if !state.throw(model, body, velocity, None) {
                let deflection = if draw.chance(0.5) {
                    Deflection::Fundamental { displacement }
                } else {
                    Deflection::Static { port: 0, displacement }
                };
                state.deflect(model, body, deflection);
            }
        }
        for &contact in &self.forces {
            if draw.chance(5e-3) {
                state.set_input(contact, draw.log(1e-3, 10.0) * draw.sign());
            }
        }
        for &contact in &self.frictions {
            if n == 0 || draw.chance(5e-3) {
                let normal = if draw.chance(0.2) { 0.0 } else { draw.log(1e-2, 10.0) };
                state.press(model, contact, normal);
                state.slide(contact, draw.log(1e-3, 1.0) * draw.sign());
            }
        }
        for &contact in &self.velocities {
            if draw.chance(5e-3) {
                state.engage(model, contact, draw.chance(0.6));
                state.set_input(contact, draw.uniform(-0.3, 0.3));
            }
        }
    }
}
