//! A step never allocates, nor does an impulse or a change of coefficients.

use ictus_core::{
    BodyId, Bristles, Clock, Collision, Contact, Damping, Discretisation, End, Ends, ExplicitString, Felt, Friction,
    FrictionParameters, Law, Mass, ModalBank, Mode, ModelBuilder, PowerLaw, Spring, State, StretchedBank,
    StretchedString, StringParameters,
};
use ictus_testkit::scene::{SCHEMES, island};
use ictus_testkit::{Draw, bodies};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// A bow with a mass that falls on a body and rubs it, and a second bow beside it.
fn friction_does_not_allocate() {
    for scheme in SCHEMES {
        let clock = Clock::new(scheme, 1.0 / 44_100.0);
        let modes: Vec<Mode> =
            (1..12).map(|n| Mode { frequency: 200.0 * f64::from(n), decay: 1.0, mass: 1e-3 }).collect();
        let shapes = [vec![1.0; 11], vec![-0.5; 11]];
        let bank = ModalBank::new(clock, &modes, &shapes, Discretisation::Exact).unwrap();
        let mut builder = ModelBuilder::new(clock);
        let body = builder.body("body", bank);
        let bow = builder.body("bow", Mass::new(clock, 0.01, 0.0, 0.0).unwrap());
        let law = Collision::new(clock, PowerLaw::new(1e6, 1.5), 0.1);
        let hit = builder.contact(Contact::new("hit", [End::port(bow, 0), End::port(body, 0)], law.into()));
        let parameters = FrictionParameters::ROSIN;
        let rubs = [Some(hit), None].map(|by| {
            let law = Friction::new(clock, parameters, Bristles::ElastoPlastic, Damping::Passive).unwrap();
            let contact = Contact::new("rub", [End::port(body, 1), End::Wall], law.into());
            builder.contact(if let Some(by) = by { contact.pressed_by(by) } else { contact })
        });
        let model = builder.build().unwrap();
        let mut state = State::new(&model);
        state.throw(&model, bow, 0.5, Some(-1e-3));
        let region = Region::new(ALLOCATOR);
        for n in 0..2000 {
            state.press(&model, rubs[1], 2.0);
            rubs.iter().for_each(|&rub| state.slide(rub, 1e-4 * f64::from(n)));
            ictus_core::step(&model, &mut state);
        }
        let change = region.change();
        assert_eq!(change.allocations + change.reallocations + change.deallocations, 0, "{scheme:?}: {change:?}");
        assert!(state.counts.coupled_solves > 1000);
    }
}

/// Impulses at every port of every body.
fn kicks_do_not_allocate() {
    for scheme in SCHEMES {
        let clock = Clock::new(scheme, 1.0 / 44_100.0);
        for (name, body) in bodies::all(clock, &mut Draw::new(6)) {
            let mut builder = ModelBuilder::new(clock);
            let ports = body.port_count();
            let body = builder.boxed_body("body", body);
            let law = Collision::new(clock, PowerLaw::new(1e6, 1.5), 0.1);
            builder.contact(Contact::new("hit", [End::port(body, 0), End::Wall], law.into()));
            let model = builder.build().unwrap();
            let mut state = State::new(&model);
            let region = Region::new(ALLOCATOR);
            for port in 0..ports {
                assert!(state.kick(&model, body, port, 1e-4), "{name}");
                ictus_core::step(&model, &mut state);
            }
            let change = region.change();
            assert_eq!(change.allocations + change.reallocations + change.deallocations, 0, "{name}: {change:?}");
        }
    }
}

/// Changes of every kind, of what is possible and of what is refused.
fn changes_do_not_allocate() {
    for scheme in SCHEMES {
        changes(Clock::new(scheme, 1.0 / 44_100.0));
    }
}

fn changes(clock: Clock) {
    let mode = |pitch: f64, i: usize| Mode { frequency: pitch * (1 + i) as f64, decay: 1.0, mass: 1e-3 };
    let modes: Vec<Mode> = (0..11).map(|i| mode(200.0, i)).collect();
    let shapes = [vec![1.0; 11], vec![-0.5; 11], vec![0.7; 11]];
    let bank = |ports: usize| ModalBank::new(clock, &modes, &shapes[..ports], Discretisation::Exact).unwrap();
    let string = StringParameters {
        length: 0.65,
        density: 4e-3,
        tension: 80.0,
        stiffness: 2e-4,
        damping: 3.0,
        diffusion: 2e-3,
        kelvin_voigt: 0.0,
        ends: Ends::Supported,
    };
    let grid = string.grid(20);
    let explicit = |ports: &[f64]| ExplicitString::new(clock, string, grid, ports).unwrap();
    let mass = |mass: f64, stiffness: f64| Mass::new(clock, mass, stiffness, 0.0);
    let felt = |stiffness: f64| Felt::new(clock, PowerLaw::new(stiffness, 2.3), 0.5, 1e-4);
    let collision = |stiffness: f64| Collision::new(clock, PowerLaw::new(stiffness, 1.5), 0.1);
    let spring = |stiffness: f64| Spring::new(clock, stiffness, 0.1);
    let mut builder = ModelBuilder::new(clock);
    let ball = builder.body("ball", mass(0.01, 0.0).unwrap());
    let (bar, tube) = (builder.body("bar", bank(3)), builder.body("tube", bank(1)));
    let stretched = builder.body("stretched", StretchedBank::new(clock, &modes, &shapes, &[9.0; 11], 1e4).unwrap());
    let points: Vec<f64> = (3..10).map(|i| f64::from(i) / 20.0).collect();
    let (long, sounding) = (builder.body("long", explicit(&points)), builder.body("sounding", explicit(&[0.4])));
    let tight = builder.body("tight", StretchedString::new(clock, string, grid, &[0.3], 1e4).unwrap());
    let mut add = |ends: [End; 2], law: Law| builder.contact(Contact::new("contact", ends, law));
    let wall = |body: BodyId, port: usize| [End::port(body, port), End::Wall];
    let hit = add([End::port(ball, 0), End::port(bar, 0)], collision(1e6).into());
    let stand = add(wall(bar, 1), spring(1e4).unwrap().into());
    let rest = [(tube, 0), (stretched, 0), (sounding, 0), (tight, 0)]
        .map(|(body, port)| add(wall(body, port), felt(1e8).unwrap().into()));
    let barrier = [0, 1, 2, 3, 4, 5, 6].map(|port| add(wall(long, port), collision(1e6).into()));
    let push = add(wall(bar, 2), Law::Force);
    let mut model = builder.build().unwrap();
    let mut state = State::new(&model);
    state.throw(&model, ball, 1.0, Some(-1e-5));
    state.set_input(push, 0.1);
    let region = Region::new(ALLOCATOR);
    for n in 0..200 {
        let turn = 1.0 + 0.1 * f64::from(n % 7);
        let now = &mut state;
        let mut made = model.set_mass(Some(now), ball, mass(0.01 * turn, 10.0 * turn).unwrap());
        for body in [bar, tube, stretched] {
            made &= model.set_modes(Some(now), body, &mut |i| mode(150.0 * turn, i));
            made &= model.set_shape(Some(now), body, 0, &[0.5 * turn; 11]);
        }
        for body in [long, sounding, tight] {
            made &= model.set_string(Some(now), body, StringParameters { tension: 70.0 / turn, ..string });
        }
        for contact in rest {
            made &= model.set_felt(Some(now), contact, felt(1e8 * turn).unwrap());
        }
        made &= model.set_collision(Some(now), hit, collision(1e6 * turn));
        made &= model.set_collisions(Some(now), barrier[0], barrier.len(), &collision(1e6 * turn));
        made &= model.set_spring(Some(now), stand, spring(1e4 * turn).unwrap());
        let refused = model.set_modes(Some(now), bar, &mut |i| mode(1e5, i))
            || model.set_string(Some(now), long, StringParameters { tension: 1e5, ..string })
            || model.set_collision(Some(now), barrier[2], collision(1e5));
        assert!(made && !refused, "{n}");
        ictus_core::step(&model, &mut state);
    }
    let change = region.change();
    assert_eq!(change.allocations + change.reallocations + change.deallocations, 0, "{change:?}");
}

/// A single test: allocations of other threads would be counted too. The harness makes its last ones after it has started the test.
#[test]
fn steps_do_not_allocate() {
    std::thread::sleep(std::time::Duration::from_millis(300));
    friction_does_not_allocate();
    kicks_do_not_allocate();
    changes_do_not_allocate();
    let mut contacts = 0;
    for (name, build) in island::SCENES {
        for scheme in SCHEMES {
            let mut scene = build(scheme, &mut Draw::new(5));
            let drive = scene.drives.first().copied();
            let region = Region::new(ALLOCATOR);
            for n in 0..2000 {
                // inputs and constraints change in the audio path too
                if let (Some(drive), 1000) = (drive, n) {
                    scene.state.set_input(drive, 0.0);
                    scene.state.engage(&scene.model, drive, false);
                }
                ictus_core::step(&scene.model, &mut scene.state);
            }
            let change = region.change();
            let count = change.allocations + change.reallocations + change.deallocations;
            assert_eq!(count, 0, "{name} {scheme:?}: {change:?}");
            contacts += scene.state.counts.solves;
        }
    }
    println!("no allocation in {contacts} solves with contact");
    assert!(contacts > 1000);
}
