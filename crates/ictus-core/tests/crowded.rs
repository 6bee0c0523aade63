//! Random worlds with up to 200 contacts on one body: the solver neither adds energy nor misses, whatever opens and closes.

use ictus_core::{
    BodyId, Clock, Collision, Contact, Discretisation, End, Mass, ModalBank, Mode, Model, ModelBuilder, PowerLaw,
    Scheme, State, step,
};
use ictus_testkit::{Draw, draws};

/// Modes of the body.
const MODES: usize = 60;
/// Steps of a world.
const STEPS: usize = 200;

/// A bank with a port for every contact: masses that are thrown at it, some of them held against a wall on their other side, and stops on the wall itself.
fn world(scheme: Scheme, contacts: usize, draw: &mut Draw) -> (Model, State) {
    let clock = Clock::new(scheme, 1.0 / 48_000.0);
    let mut builder = ModelBuilder::new(clock);
    let modes: Vec<Mode> = (0..MODES)
        .map(|i| Mode {
            frequency: 80.0 + 18_000.0 * (i as f64 + draw.uniform(0.0, 1.0)) / MODES as f64,
            decay: draw.log(0.05, 5.0),
            mass: draw.log(0.05, 2.0),
        })
        .collect();
    let shapes: Vec<Vec<f64>> = (0..contacts).map(|_| (0..MODES).map(|_| draw.uniform(-1.0, 1.0)).collect()).collect();
    let bank = ModalBank::new(clock, &modes, &shapes, Discretisation::Exact).expect("a bank");
    let body = builder.body("body", bank);
    let law = |draw: &mut Draw| {
        let loss = if draw.chance(0.5) { 0.0 } else { draw.log(0.01, 10.0) };
        Collision::new(clock, PowerLaw::new(draw.log(1e4, 1e9), draw.pick(&[1.0, 1.3, 1.5, 2.5])), loss)
    };
    let mut thrown: Vec<(BodyId, f64)> = Vec::new();
    for port in 0..contacts {
        let gap = draw.uniform(0.0, 1e-4);
        let other = if draw.chance(0.2) {
            End::Wall
        } else {
            let mass = Mass::new(clock, draw.log(1e-4, 1.0), 0.0, 0.0).expect("a mass");
            let mass = builder.body(format!("mass {port}"), mass);
            thrown.push((mass, draw.uniform(0.0, 3.0)));
            if draw.chance(0.2) {
                let held = Contact::new("held", [End::port(mass, 0), End::Wall], law(draw).into());
                builder.contact(held.with_gap(draw.uniform(0.0, 1e-4)));
            }
            End::port(mass, 0)
        };
        builder.contact(Contact::new("hit", [other, End::port(body, port)], law(draw).into()).with_gap(gap));
    }
    let model = builder.build().expect("a model");
    let mut state = State::new(&model);
    for (mass, velocity) in thrown {
        state.throw(&model, mass, velocity, None);
    }
    (model, state)
}

#[test]
fn crowds_of_contacts_add_no_energy_and_are_solved() {
    let (mut solves, mut missed, mut residual) = (0, 0, 0.0_f64);
    for contacts in [1, 3, 10, 30, 100, 200] {
        for scheme in [Scheme::Midpoint, Scheme::Leapfrog] {
            let (mut here, mut most, mut fallbacks, mut misses) = (0, 0, 0, 0);
            let begin = std::time::Instant::now();
            for seed in 0..draws(4) {
                let (model, mut state) = world(scheme, contacts, &mut Draw::new(0x9_0000 + seed as u64));
                let mut last = state.stored(&model);
                let first = last;
                for n in 0..STEPS {
                    step(&model, &mut state);
                    let now = state.stored(&model);
                    assert!(
                        now <= last + 1e-11 * first,
                        "{contacts} {scheme:?} {seed}: step {n} gained {:e}",
                        (now - last) / first
                    );
                    last = now;
                }
                residual = residual.max(state.ledger.max_residual_rel());
                assert_eq!(state.counts.quarantined, 0);
                here += state.counts.coupled_solves;
                most = most.max(state.counts.max_coupled_iterations);
                misses += state.counts.missed;
                fallbacks += state.counts.fallbacks;
            }
            println!(
                "{contacts} {scheme:?}: {here} solves, most {most} iterations, {misses} missed, {fallbacks} fallbacks, {:.1} µs a step",
                1e6 * begin.elapsed().as_secs_f64() / (draws(4) * STEPS) as f64
            );
            (solves, missed) = (solves + here, missed + misses);
        }
    }
    println!("{missed} of {solves} missed, residual {residual:.1e}");
    assert!(missed as f64 <= 1e-5 * solves as f64 && residual <= 1e-9);
}
