//! Contacts that must be solved together. [handbook §7]

use super::{ContactMethod, Scene, clock, collide, plain_string, string};
use crate::bodies;
use crate::draw::Draw;
use ictus_core::{
    Clock, Contact, ContactId, Discretisation, End, Law, Mass, ModalBank, Mode, ModelBuilder, PowerLaw, Scheme, Spring,
    State,
};

/// Name and builder of a scene.
pub type Builder = (&'static str, fn(Scheme, &mut Draw) -> Scene);

/// All scenes of this file.
pub const SCENES: [Builder; 7] = [
    ("cradle", cradle),
    ("squeezed mass", squeezed),
    ("mass on bar on string", stack),
    ("string with rattles", rattles),
    ("hyperstatic mass", hyperstatic),
    ("springs and drives", springs_and_drives),
    ("rattling chain", chain),
];

/// A hard or soft contact: K 1e6–1e13, α 1–3.5, sometimes lossy.
fn any_collision(clock: Clock, draw: &mut Draw) -> Law {
    let exponent = if draw.chance(0.5) { draw.pick(&[1.0, 1.5, 2.0, 2.5, 3.0]) } else { draw.uniform(1.0, 3.5) };
    let loss = if draw.chance(0.3) { draw.log(1e-3, 1.0) } else { 0.0 };
    ContactMethod::Gradient(loss).law(clock, PowerLaw::new(draw.log(1e6, 1e13), exponent))
}

fn mass(clock: Clock, draw: &mut Draw, frequency: f64) -> (Mass, f64) {
    let mass = draw.log(1e-3, 0.1);
    let omega = std::f64::consts::TAU * frequency;
    (Mass::new(clock, mass, mass * omega * omega, 0.0).expect("a valid mass"), mass)
}

/// A metal bar: `modes` free-bar partials with drawn shapes at `ports` ports, standing on its first, rigid, mode.
pub fn bar(clock: Clock, draw: &mut Draw, modes: usize, ports: usize) -> ModalBank {
    let base = draw.log(100.0, 600.0);
    let list: Vec<Mode> = (0..modes)
        .map(|i| Mode {
            frequency: if i == 0 { 0.0 } else { (base * libm::pow(i as f64, 1.8)).min(0.45 / clock.dt) },
            decay: if i == 0 { f64::INFINITY } else { draw.log(0.05, 2.0) },
            mass: 0.05,
        })
        .collect();
    let shapes: Vec<Vec<f64>> =
        (0..ports).map(|_| (0..modes).map(|i| if i == 0 { 1.0 } else { draw.uniform(-1.4, 1.4) }).collect()).collect();
    ModalBank::new(clock, &list, &shapes, Discretisation::Exact).expect("a valid bar")
}

/// Balls in a row, touching or nearly, the first one or two thrown.
pub fn cradle(scheme: Scheme, draw: &mut Draw) -> Scene {
    let clock = clock(scheme, draw);
    let mut builder = ModelBuilder::new(clock);
    let n = draw.integer(3, 8);
    let pendulum = draw.log(20.0, 300.0);
    let equal = draw.log(1e-3, 0.1);
    let alike = draw.chance(0.5);
    let omega = std::f64::consts::TAU * pendulum;
    let balls: Vec<_> = (0..n)
        .map(|i| {
            let m = if alike { equal } else { draw.log(1e-3, 0.1) };
            builder.body(format!("ball {i}"), Mass::new(clock, m, m * omega * omega, 0.0).expect("a valid ball"))
        })
        .collect();
    let law = PowerLaw::new(draw.log(1e6, 1e13), draw.uniform(1.0, 3.5));
    let touching = draw.chance(0.5);
    let collisions = (1..n)
        .map(|i| {
            let gap = if touching { 0.0 } else { draw.log(1e-8, 1e-4) };
            let law = if alike { ContactMethod::LOSSLESS.law(clock, law) } else { any_collision(clock, draw) };
            collide(&mut builder, "balls", [End::port(balls[i - 1], 0), End::port(balls[i], 0)], law, gap)
        })
        .collect();
    let mut scene = Scene::new(builder, balls, collisions);
    for i in 0..draw.integer(1, 2) {
        scene.state.throw(&scene.model, scene.bodies[i], draw.log(0.1, 5.0), None);
    }
    scene
}

/// One or two masses wedged between walls.
pub fn squeezed(scheme: Scheme, draw: &mut Draw) -> Scene {
    let clock = clock(scheme, draw);
    let mut builder = ModelBuilder::new(clock);
    let n = draw.integer(1, 2);
    let balls: Vec<_> = (0..n).map(|i| builder.body(format!("ball {i}"), mass(clock, draw, 0.0).0)).collect();
    let mut ends = vec![End::Wall];
    ends.extend(balls.iter().map(|&ball| End::port(ball, 0)));
    ends.push(End::Wall);
    let collisions = ends
        .windows(2)
        .map(|pair| {
            // negative: wedged in
            let gap = draw.log(1e-8, 1e-5) * draw.sign();
            let law = any_collision(clock, draw);
            collide(&mut builder, "squeeze", [pair[0], pair[1]], law, gap)
        })
        .collect();
    let mut scene = Scene::new(builder, balls, collisions);
    scene.state.throw(&scene.model, scene.bodies[0], draw.log(0.01, 5.0), None);
    scene
}

/// A mass on a bar on a string, all under their own weight, the mass dropped.
pub fn stack(scheme: Scheme, draw: &mut Draw) -> Scene {
    let clock = clock(scheme, draw);
    let mut builder = ModelBuilder::new(clock);
    let (mass, kilograms) = mass(clock, draw, 0.0);
    let ball = builder.body("mass", mass);
    let modes = draw.integer(2, 12);
    let bar = builder.body("bar", bar(clock, draw, modes, 3));
    let parameters = plain_string(draw.log(60.0, 300.0), draw.log(1e-3, 1e-2));
    let positions = [draw.uniform(0.1, 0.45), draw.uniform(0.55, 0.9)];
    let stepping = draw.pick(bodies::steppings(clock.scheme));
    let string = builder.boxed_body("string", string(clock, stepping, parameters, 40, &positions));
    let drop = draw.log(1e-6, 1e-3);
    let collisions = vec![
        collide(&mut builder, "top", [End::port(ball, 0), End::port(bar, 0)], any_collision(clock, draw), drop),
        collide(&mut builder, "left", [End::port(bar, 1), End::port(string, 0)], any_collision(clock, draw), 0.0),
        collide(&mut builder, "right", [End::port(bar, 2), End::port(string, 1)], any_collision(clock, draw), 0.0),
    ];
    let weights = [
        (builder.contact(Contact::new("weight", [End::port(ball, 0), End::Wall], Law::Force)), 9.81 * kilograms),
        (builder.contact(Contact::new("weight of bar", [End::port(bar, 0), End::Wall], Law::Force)), 9.81 * 0.05),
    ];
    let mut scene = Scene::new(builder, vec![ball, bar, string], collisions);
    for (contact, force) in weights {
        scene.state.set_input(contact, force);
        scene.drives.push(contact);
    }
    scene.state.throw(&scene.model, ball, draw.log(0.05, 3.0), None);
    scene
}

/// Ten masses that rattle on a plucked string, pressed by small forces.
pub fn rattles(scheme: Scheme, draw: &mut Draw) -> Scene {
    let clock = clock(scheme, draw);
    let mut builder = ModelBuilder::new(clock);
    let positions: Vec<f64> = (0..10).map(|i| 0.05 + 0.09 * i as f64 + draw.uniform(0.0, 0.05)).collect();
    let parameters = plain_string(draw.log(60.0, 300.0), draw.log(1e-3, 1e-2));
    let stepping = draw.pick(bodies::steppings(clock.scheme));
    let string = builder.boxed_body("string", string(clock, stepping, parameters, draw.integer(12, 80), &positions));
    let mut bodies = vec![string];
    let (mut collisions, mut weights) = (Vec::new(), Vec::new());
    for port in 0..10 {
        let (mass, kilograms) = mass(clock, draw, 0.0);
        let ball = builder.body(format!("rattle {port}"), mass);
        let law = any_collision(clock, draw);
        collisions.push(collide(&mut builder, "rattle", [End::port(ball, 0), End::port(string, port)], law, 0.0));
        let weight = builder.contact(Contact::new("weight", [End::port(ball, 0), End::Wall], Law::Force));
        weights.push((weight, 9.81 * kilograms));
        bodies.push(ball);
    }
    let mut scene = Scene::new(builder, bodies, collisions);
    for (contact, force) in weights {
        scene.state.set_input(contact, force);
        scene.drives.push(contact);
    }
    for i in 1..scene.bodies.len() {
        scene.state.throw(&scene.model, scene.bodies[i], draw.uniform(-0.5, 2.0), None);
    }
    scene
}

/// A rigid mass that touches many things at once: W is singular.
pub fn hyperstatic(scheme: Scheme, draw: &mut Draw) -> Scene {
    let clock = clock(scheme, draw);
    let mut builder = ModelBuilder::new(clock);
    let block = builder.body("block", mass(clock, draw, 0.0).0);
    let mut bodies = vec![block];
    let mut collisions = Vec::new();
    for i in 0..draw.integer(2, 10) {
        let other = if draw.chance(0.3) {
            let ball = builder.body(format!("ball {i}"), mass(clock, draw, 50.0).0);
            bodies.push(ball);
            End::port(ball, 0)
        } else {
            End::Wall
        };
        let law = any_collision(clock, draw);
        let gap = if draw.chance(0.3) { 0.0 } else { draw.log(1e-8, 1e-5) };
        let ends = if draw.chance(0.7) { [End::port(block, 0), other] } else { [other, End::port(block, 0)] };
        collisions.push(collide(&mut builder, "leg", ends, law, gap));
    }
    let mut scene = Scene::new(builder, bodies, collisions);
    scene.state.throw(&scene.model, block, draw.log(0.05, 5.0) * draw.sign(), None);
    scene
}

/// Balls and a bar joined by springs and dampers, one led by an imposed velocity, all colliding.
pub fn springs_and_drives(scheme: Scheme, draw: &mut Draw) -> Scene {
    let clock = clock(scheme, draw);
    let mut builder = ModelBuilder::new(clock);
    let n = draw.integer(3, 6);
    let mut bodies: Vec<_> = (0..n).map(|i| builder.body(format!("ball {i}"), mass(clock, draw, 80.0).0)).collect();
    let modes = draw.integer(2, 8);
    bodies.push(builder.body("bar", bar(clock, draw, modes, 2)));
    let mut collisions = Vec::new();
    for i in 1..=n {
        let law = any_collision(clock, draw);
        let gap = if draw.chance(0.3) { 0.0 } else { draw.log(1e-7, 1e-4) };
        collisions.push(collide(
            &mut builder,
            "pair",
            [End::port(bodies[i - 1], 0), End::port(bodies[i], 0)],
            law,
            gap,
        ));
        if draw.chance(0.5) {
            let spring = Spring::new(clock, draw.log(1e2, 1e6), draw.log(1e-3, 1.0)).expect("a valid spring");
            let ends =
                [End::port(bodies[i - 1], 0), if draw.chance(0.5) { End::Wall } else { End::port(bodies[i], 0) }];
            builder.contact(Contact::new("spring", ends, Law::from(spring)));
        }
    }
    let law = any_collision(clock, draw);
    collisions.push(collide(&mut builder, "stop", [End::port(bodies[n], 1), End::Wall], law, draw.log(1e-6, 1e-4)));
    let led = draw.integer(0, n - 1);
    let drive = builder.contact(Contact::new("lead", [End::port(bodies[led], 0), End::Wall], Law::Velocity));
    let mut scene = Scene::new(builder, bodies, collisions);
    scene.drives.push(drive);
    scene.state.engage(&scene.model, drive, true);
    scene.state.set_input(drive, draw.uniform(-0.5, 0.5));
    scene.state.throw(&scene.model, scene.bodies[0], draw.log(0.1, 3.0), None);
    scene
}

/// Loose balls between two walls.
pub fn chain(scheme: Scheme, draw: &mut Draw) -> Scene {
    let clock = clock(scheme, draw);
    let mut builder = ModelBuilder::new(clock);
    let n = draw.integer(3, 10);
    let balls: Vec<_> = (0..n).map(|i| builder.body(format!("ball {i}"), mass(clock, draw, 0.0).0)).collect();
    let mut ends = vec![End::Wall];
    ends.extend(balls.iter().map(|&ball| End::port(ball, 0)));
    ends.push(End::Wall);
    let collisions = ends
        .windows(2)
        .map(|pair| {
            let law = any_collision(clock, draw);
            collide(&mut builder, "link", [pair[0], pair[1]], law, draw.log(1e-7, 3e-4))
        })
        .collect();
    let mut scene = Scene::new(builder, balls, collisions);
    for i in 0..n {
        scene.state.throw(&scene.model, scene.bodies[i], draw.uniform(-3.0, 3.0), None);
    }
    scene
}

/// `n` touching balls of 10 g at stiffness `stiffness`, numbered forwards or backwards, the first thrown at 1 m/s.
pub fn touching(clock: Clock, n: usize, stiffness: f64, forwards: bool) -> Scene {
    let mut builder = ModelBuilder::new(clock);
    let balls: Vec<_> = (0..n)
        .map(|i| builder.body(format!("ball {i}"), Mass::new(clock, 0.01, 0.0, 0.0).expect("a valid ball")))
        .collect();
    let law = PowerLaw::new(stiffness, 1.5);
    let mut pairs: Vec<usize> = (1..n).collect();
    if !forwards {
        pairs.reverse();
    }
    let collisions: Vec<ContactId> = pairs
        .into_iter()
        .map(|i| {
            let ends = [End::port(balls[i - 1], 0), End::port(balls[i], 0)];
            collide(&mut builder, "balls", ends, ContactMethod::LOSSLESS.law(clock, law), 0.0)
        })
        .collect();
    let mut scene = Scene::new(builder, balls, collisions);
    scene.state = State::new(&scene.model);
    scene.state.throw(&scene.model, scene.bodies[0], 1.0, None);
    scene
}
