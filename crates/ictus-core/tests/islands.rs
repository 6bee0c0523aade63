//! Coupled contacts: the scenes of handbook §7 with its figures.

use ictus_core::{Clock, Contact, End, Law, Mass, ModelBuilder, PowerLaw, Spring, State, step};
use ictus_testkit::scene::island::Builder;
use ictus_testkit::scene::{ContactMethod, SCHEMES, Scene, collide, island};
use ictus_testkit::{Draw, draws};

/// Steps per draw.
const STEPS: usize = 400;

/// Coupled solves, and those that needed more than five iterations.
#[derive(Default)]
struct Tally {
    solves: u64,
    slow: u64,
}

fn plays(tally: &mut Tally, (name, build): Builder) {
    for scheme in SCHEMES {
        let (mut solves, mut slow, mut iterations, mut most, mut missed) = (0, 0, 0, 0, 0);
        let (mut residual, mut raw, mut touched) = (0.0_f64, 0.0_f64, 0);
        let count = draws(200);
        for seed in 0..count {
            let mut scene = build(scheme, &mut Draw::new(0x7_0000 + seed as u64));
            let report = scene.play(STEPS);
            solves += report.counts.coupled_solves;
            slow += report.counts.histogram[6..].iter().sum::<u64>();
            iterations += report.counts.coupled_iterations;
            most = most.max(report.counts.max_coupled_iterations);
            missed += report.counts.missed;
            residual = residual.max(report.residual[0]);
            raw = raw.max(report.residual[1]);
            touched += u64::from(report.contact_steps > 0);
            assert!(report.force[0] >= 0.0, "{name} {scheme:?} seed {seed}: pulls with {:e} N", report.force[0]);
        }
        println!(
            "{name} {scheme:?}: {touched}/{count} touched, {solves} coupled solves, mean {:.2}, {:.3} % within 5, most {most}, \
             missed {missed}, residual {residual:.1e} (without the solver column {raw:.1e})",
            iterations as f64 / solves as f64,
            100.0 * (1.0 - slow as f64 / solves as f64)
        );
        assert!(touched as usize > count * 4 / 5 && solves > 10 * count as u64, "{name}: hardly any contact");
        assert_eq!(missed, 0, "{name} {scheme:?}");
        assert!(most <= 12, "{name} {scheme:?}: {most} iterations");
        assert!(residual <= 1e-12, "{name} {scheme:?}: residual {residual:e}");
        assert!(slow as f64 <= 1e-3 * solves as f64, "{name} {scheme:?}: {slow} slow solves of {solves}");
        tally.solves += solves;
        tally.slow += slow;
    }
}

#[test]
fn scenes_are_solved_without_a_miss() {
    let mut tally = Tally::default();
    for scene in island::SCENES {
        plays(&mut tally, scene);
    }
    println!("all scenes: {:.3} % within 5", 100.0 * (1.0 - tally.slow as f64 / tally.solves as f64));
}

#[test]
fn sixteen_touching_balls_in_both_directions() {
    for scheme in SCHEMES {
        for forwards in [true, false] {
            let clock = Clock::new(scheme, 1.0 / 44_100.0);
            let mut scene = island::touching(clock, 16, 1e13, forwards);
            let report = scene.play(2000);
            let last = scene.state.velocity(&scene.model, *scene.bodies.last().unwrap(), 0);
            println!(
                "{scheme:?} forwards {forwards}: most {} iterations, mean {:.2}, last ball at {last:.3} m/s, residual {:.1e}",
                report.counts.max_coupled_iterations,
                report.counts.mean_iterations(),
                report.residual[0]
            );
            assert!(report.contact_steps >= 15 && last > 0.1, "the blow did not go through");
            assert!(report.counts.max_coupled_iterations <= 8 && report.counts.missed == 0);
            assert!(report.residual[0] <= 1e-12);
        }
    }
}

/// A touching chain, solved to `tolerance`.
fn loose_chain(clock: Clock, tolerance: f64) -> Scene {
    let mut builder = ModelBuilder::new(clock);
    builder.tolerance(tolerance);
    let balls: Vec<_> =
        (0..6).map(|i| builder.body(format!("ball {i}"), Mass::new(clock, 0.01, 4e3, 0.0).unwrap())).collect();
    let law = PowerLaw::new(1e8, 1.5);
    let collisions = (1..6)
        .map(|i| {
            let ends = [End::port(balls[i - 1], 0), End::port(balls[i], 0)];
            collide(&mut builder, "balls", ends, ContactMethod::LOSSLESS.law(clock, law), 0.0)
        })
        .collect();
    let mut scene = Scene::new(builder, balls, collisions);
    scene.state.throw(&scene.model, scene.bodies[0], 2.0, None);
    scene
}

#[test]
fn a_loose_tolerance_shows_in_the_ledger_which_still_balances() {
    for scheme in SCHEMES {
        let clock = Clock::new(scheme, 1.0 / 44_100.0);
        let [tight, loose] = [1e-14, 1e-8].map(|tolerance| loose_chain(clock, tolerance).play(20_000));
        println!(
            "{scheme:?}: raw {:.1e} at 1e-14, {:.1e} at 1e-8; closed {:.1e} and {:.1e}",
            tight.residual[1], loose.residual[1], tight.residual[0], loose.residual[0]
        );
        assert!(tight.impacts > 20 && loose.impacts > 20);
        assert!(loose.residual[1] > 30.0 * tight.residual[1], "a loose solve must show");
        assert!(tight.residual[0] <= 1e-12 && loose.residual[0] <= 1e-12, "the ledger must close");
    }
}

/// The bits of all outputs of a scene over the next steps.
fn outputs(scene: &Scene, state: &mut State) -> Vec<u64> {
    let mut bits = Vec::new();
    for _ in 0..300 {
        step(&scene.model, state);
        bits.extend(scene.bodies.iter().map(|&body| state.displacement(&scene.model, body, 0).to_bits()));
        bits.extend(scene.collisions.iter().map(|&contact| state.contact_force(contact).to_bits()));
    }
    bits
}

#[test]
fn a_snapshot_continues_and_the_audit_changes_no_bit() {
    for (name, build) in island::SCENES {
        for scheme in SCHEMES {
            for seed in 0..10 {
                let mut scene = build(scheme, &mut Draw::new(seed));
                scene.play(150);
                let snapshot = scene.state.clone();
                let mut unaudited = snapshot.clone();
                unaudited.ledger.enabled = false;
                let original = outputs(&scene, &mut snapshot.clone());
                assert!(
                    original == outputs(&scene, &mut snapshot.clone()),
                    "{name} {scheme:?}: a copy plays differently"
                );
                assert!(original == outputs(&scene, &mut unaudited), "{name} {scheme:?}: the audit changed the sound");
            }
        }
    }
}

/// A linear spring between two masses has an analytic frequency in either scheme.
#[test]
fn a_spring_between_masses_sounds_as_computed() {
    for scheme in SCHEMES {
        let k = 1.0 / 48_000.0;
        let clock = Clock::new(scheme, k);
        let mut builder = ModelBuilder::new(clock);
        let (m, stiffness) = (0.01, 5e4);
        let [a, b] = ["a", "b"].map(|name| builder.body(name, Mass::new(clock, m, 0.0, 0.0).unwrap()));
        let law = Law::from(Spring::new(clock, stiffness, 0.0).unwrap());
        builder.contact(Contact::new("spring", [End::port(a, 0), End::port(b, 0)], law));
        let model = builder.build().unwrap();
        let mut state = State::new(&model);
        state.throw(&model, a, 1.0, None);
        state.throw(&model, b, -1.0, None);
        let signal: Vec<f64> = (0..20_000)
            .map(|_| {
                step(&model, &mut state);
                state.displacement(&model, a, 0) - state.displacement(&model, b, 0)
            })
            .collect();
        // f = K·mean(η⁻, η⁺) in leapfrog: tan² and sin² of the half angle both fold into K k²/(2 m)
        let omega = (2.0 * stiffness / m).sqrt();
        let angle = match scheme {
            ictus_core::Scheme::Midpoint => 2.0 * libm::atan(0.5 * omega * k),
            ictus_core::Scheme::Leapfrog => libm::acos(1.0 / (1.0 + 0.5 * omega * omega * k * k)),
        };
        let expected = angle / (std::f64::consts::TAU * k);
        let (frequency, decay) = ictus_testkit::signal::pole(&signal, 48_000.0, expected);
        println!("{scheme:?}: {frequency:.6} Hz, expected {expected:.6} Hz, decay {decay:.1e} 1/s");
        assert!(ictus_testkit::signal::cents(frequency, expected).abs() < 1e-6 && decay.abs() < 1e-6);
        assert!(state.ledger.max_residual_rel() < 1e-12);
    }
}
