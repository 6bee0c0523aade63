//! Extreme magnitudes do not spread, and decayed sounds end in zeros.

use ictus_core::{
    Clock, Contact, Deflection, Discretisation, End, Ends, Law, Mass, ModalBank, Mode, ModelBuilder, PowerLaw, State,
    Stepping, step,
};
use ictus_testkit::bodies;
use ictus_testkit::scene::{ContactMethod, SCHEMES};

/// One ball against a wall and another, with extreme numbers, beside a quiet pair that must be unaffected.
fn absurd(clock: Clock, method: ContactMethod, [mass, stiffness, speed, force]: [f64; 4]) -> State {
    let mut builder = ModelBuilder::new(clock);
    let [a, b, quiet] =
        [mass, 0.01, 0.01].map(|m| builder.body("ball", Mass::new(clock, m, 0.0, 0.0).expect("a valid mass")));
    let law = |k| method.law(clock, PowerLaw::new(k, 1.5));
    let gentle = ContactMethod::LOSSLESS.law(clock, PowerLaw::new(1e6, 1.5));
    let contacts = [
        Contact::new("a on wall", [End::port(a, 0), End::Wall], law(stiffness)).with_gap(1e-3),
        Contact::new("a on b", [End::port(a, 0), End::port(b, 0)], law(stiffness)).with_gap(1e-3),
        Contact::new("quiet", [End::port(quiet, 0), End::Wall], gentle).with_gap(1e-3),
        Contact::new("push", [End::port(a, 0), End::Wall], Law::Force),
    ]
    .map(|contact| builder.contact(contact));
    let model = builder.build().expect("a valid model");
    let mut state = State::new(&model);
    state.throw(&model, quiet, 1.0, None);
    state.throw(&model, a, speed, None);
    state.set_input(contacts[3], force);
    for n in 0..600 {
        step(&model, &mut state);
        for body in [a, b, quiet] {
            assert!(state.displacement(&model, body, 0).is_finite(), "displacement at step {n}");
            assert!(state.velocity(&model, body, 0).is_finite(), "velocity at step {n}");
        }
        for contact in contacts {
            assert!(state.contact_force(contact).is_finite(), "force at step {n}");
        }
        let total = &state.ledger.total;
        for value in
            [total.stored, total.supplied.value(), total.dissipated.value(), total.solver.value(), total.residual()]
        {
            assert!(!value.is_nan(), "the ledger shows NaN at step {n}: {total:?}");
        }
    }
    let back = state.velocity(&model, quiet, 0);
    assert!((back + 1.0).abs() < 1e-2, "the quiet ball plays on, {back} m/s");
    assert!(!state.is_quarantined(quiet));
    state
}

#[test]
fn absurd_magnitudes_are_contained() {
    for scheme in SCHEMES {
        let clock = Clock::new(scheme, 1.0 / 44_100.0);
        for method in
            [ContactMethod::LOSSLESS, ContactMethod::Gradient(0.5), ContactMethod::ALL[1], ContactMethod::ALL[2]]
        {
            for case in [
                [0.01, 1e7, 1e200, 0.0],
                [0.01, 1e7, -1e200, 0.0],
                [0.01, 1e7, 1.0, 1e300],
                [0.01, 1e300, 1.0, 0.0],
                [1e-30, 1e7, 1.0, 0.0],
                [1e-30, 1e13, 1.0, 1e300],
                [1e200, 1e7, 1.0, 0.0],
                [0.01, 1e-300, 1.0, 0.0],
                [1e-300, 1e300, 1e150, 1e150],
            ] {
                let state = absurd(clock, method, case);
                println!(
                    "{scheme:?} {method:?} {case:?}: quarantined {}, refused {}, missed {}",
                    state.counts.quarantined, state.counts.refused_forces, state.counts.missed
                );
            }
        }
    }
}

#[test]
fn overflowing_bodies_are_quarantined_and_counted() {
    for scheme in SCHEMES {
        let clock = Clock::new(scheme, 1.0 / 44_100.0);
        let state = absurd(clock, ContactMethod::LOSSLESS, [0.01, 1e7, 1e200, 0.0]);
        assert!(state.counts.quarantined >= 1, "{:?}", state.counts);
        let state = absurd(clock, ContactMethod::LOSSLESS, [0.01, 1e7, 1.0, 1e300]);
        assert!(state.counts.refused_forces >= 1, "{:?}", state.counts);
        let state = absurd(clock, ContactMethod::LOSSLESS, [1e-30, 1e7, 1.0, 1e140]);
        assert!(state.counts.quarantined >= 1, "{:?}", state.counts);
    }
}

#[test]
fn silence_is_zero_and_no_slower_than_sound() {
    for scheme in SCHEMES {
        let clock = Clock::new(scheme, 1.0 / 44_100.0);
        let mut builder = ModelBuilder::new(clock);
        let modes: Vec<Mode> =
            (0..64).map(|i| Mode { frequency: 100.0 + 150.0 * f64::from(i), decay: 0.02, mass: 0.01 }).collect();
        let bank = ModalBank::new(clock, &modes, &[vec![1.0; 64]], Discretisation::Exact).unwrap();
        let parameters =
            ictus_core::StringParameters { damping: 400.0, ..bodies::string_parameters(true, true, Ends::Fixed) };
        let string = bodies::string(clock, Stepping::Explicit, parameters, parameters.grid(64), &[0.3]);
        let bank = builder.body("bank", bank);
        let string = builder.boxed_body("string", string);
        let law = ContactMethod::LOSSLESS.law(clock, PowerLaw::new(1e6, 1.5));
        builder.contact(Contact::new("touch", [End::port(bank, 0), End::port(string, 0)], law));
        let model = builder.build().unwrap();
        let mut state = State::new(&model);
        state.deflect(&model, bank, Deflection::Static { port: 0, displacement: 1e-3 });
        state.deflect(&model, string, Deflection::Fundamental { displacement: -1e-3 });
        let time = |state: &mut State, steps: u32| {
            let start = std::time::Instant::now();
            for _ in 0..steps {
                step(&model, state);
            }
            start.elapsed().as_secs_f64() / f64::from(steps)
        };
        let active = time(&mut state, 4096).min(time(&mut state, 4096));
        let mut tail = Vec::new();
        for _ in 0..60 {
            tail.push(time(&mut state, 2560));
            assert_eq!(state.steps % 256, 0, "right after housekeeping");
            for body in [bank, string] {
                for value in [
                    state.displacement(&model, body, 0),
                    state.velocity(&model, body, 0),
                    state.body_energy(&model, body),
                ] {
                    assert!(!value.is_subnormal(), "{scheme:?}: subnormal {value:e} at step {}", state.steps);
                }
            }
        }
        // the median: other load on the machine slows single intervals
        tail.sort_by(f64::total_cmp);
        let silent = tail[tail.len() / 2];
        let rest = state.body_energy(&model, bank) + state.body_energy(&model, string);
        println!("{scheme:?}: {:.2} µs active, tail {:.2} µs, energy left {rest:e} J", 1e6 * active, 1e6 * silent);
        assert_eq!(rest, 0.0, "the tail ends in exact zeros");
        // a microcode assist for subnormal numbers costs tens of times as much; a busy machine less than four
        assert!(silent < 4.0 * active, "the tail is {:.1} times slower", silent / active);
    }
}
