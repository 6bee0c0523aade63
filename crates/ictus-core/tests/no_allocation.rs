//! A step never allocates, nor does an impulse.

use ictus_core::{
    Bristles, Clock, Collision, Contact, Damping, Discretisation, End, Friction, FrictionParameters, Mass, ModalBank,
    Mode, ModelBuilder, PowerLaw, State,
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

/// A single test: allocations of other threads would be counted too. The harness makes its last ones after it has started the test.
#[test]
fn steps_do_not_allocate() {
    std::thread::sleep(std::time::Duration::from_millis(300));
    friction_does_not_allocate();
    kicks_do_not_allocate();
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
