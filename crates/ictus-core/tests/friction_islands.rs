//! Friction that shares its bodies: several frictions on one object, friction pressed by the collision of the same pair. [handbook §7]

use ictus_core::{
    Bristles, Clock, Collision, Contact, Damping, Discretisation, End, Friction, FrictionParameters, Mass, ModalBank,
    Mode, ModelBuilder, PowerLaw, Scheme, State, step,
};
use ictus_testkit::scene::SCHEMES;
use ictus_testkit::{Draw, draws};
use std::f64::consts::TAU;

const RATE: f64 = 44_100.0;

fn surfaces(draw: &mut Draw) -> FrictionParameters {
    let sliding = draw.log(0.05, 1.0);
    FrictionParameters {
        stiffness: draw.log(1e3, 1e6),
        damping: draw.log(1e-2, 30.0),
        viscosity: if draw.chance(0.5) { 0.0 } else { draw.log(1e-3, 1.0) },
        sticking: sliding * draw.uniform(1.0, 3.0),
        sliding,
        stribeck: draw.log(0.01, 0.5),
        breakaway: draw.uniform(0.1, 0.95),
    }
}

fn bank(clock: Clock, draw: &mut Draw, ports: usize) -> ModalBank {
    let modes: Vec<Mode> = (0..draw.integer(2, 20))
        .map(|_| Mode { frequency: draw.log(60.0, 10_000.0), decay: draw.log(0.05, 5.0), mass: draw.log(1e-3, 0.1) })
        .collect();
    let shapes: Vec<Vec<f64>> = (0..ports).map(|_| modes.iter().map(|_| draw.uniform(-1.0, 1.0)).collect()).collect();
    ModalBank::new(clock, &modes, &shapes, Discretisation::Exact).unwrap()
}

#[test]
fn four_bows_on_one_body() {
    let (mut missed, mut most, mut solves, mut worst, mut within) = (0, 0, 0, 0.0_f64, 0.0);
    let count = draws(200);
    for seed in 0..count {
        let mut draw = Draw::new(0xF1_0000 + seed as u64);
        let clock = Clock::new(draw.pick(&SCHEMES), 1.0 / RATE);
        let mut builder = ModelBuilder::new(clock);
        let body = builder.body("body", bank(clock, &mut draw, 4));
        let bows: Vec<_> = (0..4)
            .map(|port| {
                let law = Friction::new(clock, surfaces(&mut draw), Bristles::ElastoPlastic, Damping::Passive).unwrap();
                let contact = Contact::new(format!("bow {port}"), [End::port(body, port), End::Wall], law.into());
                (builder.contact(contact), draw.log(0.1, 10.0), draw.log(0.01, 1.0) * draw.sign())
            })
            .collect();
        let model = builder.build().unwrap();
        let mut state = State::new(&model);
        for n in 0..4000 {
            let phase = f64::from(n) / 4000.0;
            for &(bow, normal, speed) in &bows {
                state.press(&model, bow, normal);
                state.slide(bow, speed * libm::cos(TAU * 2.0 * phase));
            }
            step(&model, &mut state);
        }
        let ledger = &state.ledger;
        for &(bow, ..) in &bows {
            assert!(ledger.contacts[bow.index()].min_dissipated >= -1e-12 * clock.dt, "draw {seed}");
        }
        let flow = ledger.total.dissipated.value().max(ledger.peak);
        let residual = ledger.total.max_residual / flow;
        assert!(residual <= 1e-12, "draw {seed}: residual {residual:e}");
        worst = worst.max(residual);
        missed += state.counts.missed;
        most = most.max(state.counts.max_coupled_iterations);
        solves += state.counts.coupled_solves;
        within += state.counts.share_within(5) * state.counts.coupled_solves as f64;
    }
    println!(
        "{solves} solves: {missed} missed, at most {most} iterations, {:.3} % within 5, residual {worst:.1e}",
        100.0 * within / solves as f64
    );
    assert!(missed == 0 && most <= 100, "{missed} missed, {most} iterations");
}

/// A ball that hits a wall obliquely: the tangential momentum it loses, relative to the Coulomb limit.
fn slant(scheme: Scheme, rate: f64) -> f64 {
    let clock = Clock::new(scheme, 1.0 / rate);
    let mut builder = ModelBuilder::new(clock);
    let [across, along] = ["across", "along"].map(|name| builder.body(name, Mass::new(clock, 0.01, 0.0, 0.0).unwrap()));
    let law = Collision::new(clock, PowerLaw::new(1e8, 1.5), 0.2);
    let hit = builder.contact(Contact::new("hit", [End::port(across, 0), End::Wall], law.into()).with_gap(1e-3));
    let parameters = FrictionParameters {
        stiffness: 1e8,
        damping: 1.0,
        viscosity: 0.0,
        sticking: 0.3,
        sliding: 0.3,
        stribeck: 0.1,
        breakaway: 0.7,
    };
    let law = Friction::new(clock, parameters, Bristles::ElastoPlastic, Damping::Passive).unwrap();
    builder.contact(Contact::new("rub", [End::port(along, 0), End::Wall], law.into()).pressed_by(hit));
    let model = builder.build().unwrap();
    let mut state = State::new(&model);
    state.throw(&model, across, 1.0, None);
    state.throw(&model, along, 5.0, None);
    let before = [across, along].map(|body| state.velocity(&model, body, 0));
    for _ in 0..(0.01 * rate) as usize {
        step(&model, &mut state);
    }
    let after = [across, along].map(|body| state.velocity(&model, body, 0));
    assert!(after[0] < -0.5, "did not bounce: {after:?}");
    assert!(state.ledger.max_residual_rel() < 1e-12, "residual {:e}", state.ledger.max_residual_rel());
    assert_eq!(state.counts.missed, 0);
    (before[1] - after[1]) / (0.3 * (before[0] - after[0]))
}

#[test]
fn an_oblique_impact_obeys_coulomb() {
    for scheme in SCHEMES {
        for rate in [44_100.0, 96_000.0] {
            let share = slant(scheme, rate);
            println!("{scheme:?} {rate} Hz: {share:.6} of μ times the normal impulse");
            assert!((share - 1.0).abs() < 1e-3, "{share}");
        }
    }
}

/// A bow with mass falls on a vibrating body, bounces, presses and rubs, all at once.
#[test]
fn bouncing_bows_keep_the_energy_balance() {
    let (mut missed, mut most, mut rubbed) = (0, 0, 0);
    let count = draws(200);
    for seed in 0..count {
        let mut draw = Draw::new(0xF2_0000 + seed as u64);
        let clock = Clock::new(draw.pick(&SCHEMES), 1.0 / RATE);
        let mut builder = ModelBuilder::new(clock);
        let body = builder.body("body", bank(clock, &mut draw, 2));
        let bow = builder.body("bow", Mass::new(clock, draw.log(1e-3, 0.1), 0.0, 0.0).unwrap());
        let power = PowerLaw::new(draw.log(1e5, 1e9), draw.uniform(1.0, 2.5));
        let law = Collision::new(clock, power, draw.uniform(0.0, 1.0));
        let hit = builder.contact(Contact::new("hit", [End::port(bow, 0), End::port(body, 0)], law.into()));
        let law = Friction::new(clock, surfaces(&mut draw), Bristles::ElastoPlastic, Damping::Passive).unwrap();
        let ends = [End::port(body, 1), End::Wall];
        let rub = builder.contact(Contact::new("rub", ends, law.into()).pressed_by(hit));
        let push = builder.contact(Contact::new("push", [End::port(bow, 0), End::Wall], ictus_core::Law::Force));
        let model = builder.build().unwrap();
        let mut state = State::new(&model);
        state.throw(&model, bow, draw.log(0.01, 2.0), Some(-1e-3));
        let (force, speed) = (draw.log(0.1, 5.0), draw.log(0.01, 1.0));
        for _ in 0..4000 {
            state.set_input(push, force);
            state.slide(rub, speed);
            step(&model, &mut state);
        }
        let ledger = &state.ledger;
        let entry = &ledger.contacts[rub.index()];
        rubbed += usize::from(entry.dissipated.value() > 0.0);
        assert!(entry.min_dissipated >= -1e-12 * clock.dt, "draw {seed}");
        let flow = ledger.total.dissipated.value().max(ledger.peak);
        assert!(ledger.total.max_residual <= 1e-12 * flow, "draw {seed}: {:e}", ledger.total.max_residual / flow);
        missed += state.counts.missed;
        most = most.max(state.counts.max_coupled_iterations);
    }
    println!("{rubbed} of {count} rubbed, {missed} missed, at most {most} iterations");
    assert!(missed == 0 && most <= 100 && rubbed > count * 9 / 10);
}
