//! Stulov's felt: restitution compared with an independent integration of the law, order, passivity, behaviour. [handbook §4]

use ictus_core::{BodyId, Clock, End, Felt, Gap, Interaction, Mass, ModelBuilder, PowerLaw, Scheme};
use ictus_testkit::scene::strike::{Blow, Hammer, blow};
use ictus_testkit::scene::{ContactMethod, RATES, SCHEMES, Scene, collide, impact};
use ictus_testkit::{Draw, draws};

const MASS: f64 = 1e-2; // kg
const STIFFNESS: f64 = 1.5e11; // N/m^α
const EXPONENT: f64 = 2.8;
const HYSTERESIS: f64 = 0.5;
const RELAXATION: f64 = 2e-4; // s

/// Velocities before and after impact, m/s. [handbook §4]
const TABLE: [(f64, f64); 3] = [(1.0, -0.635474), (2.0, -1.319610), (4.0, -2.792065)];

fn play(scheme: Scheme, rate: f64, velocity: f64, arrival: f64) -> Blow {
    let clock = Clock::new(scheme, 1.0 / rate);
    let law = Felt::new(clock, PowerLaw::new(STIFFNESS, EXPONENT), HYSTERESIS, RELAXATION).unwrap();
    blow(clock, law.into(), Hammer { mass: MASS, velocity, arrival }, None, 4e-3)
}

/// The law as published, y in m^α, by Runge–Kutta of order 4: an independent rebound velocity.
fn control(velocity: f64, step: f64) -> f64 {
    let rates = |[x, v, y]: [f64; 3]| {
        let fresh = if x > 0.0 { libm::pow(x, EXPONENT) } else { 0.0 };
        let force = (STIFFNESS * (fresh - HYSTERESIS * y)).max(0.0);
        [v, -force / MASS, (fresh - y) / RELAXATION]
    };
    let along = |a: [f64; 3], b: [f64; 3], h: f64| [a[0] + h * b[0], a[1] + h * b[1], a[2] + h * b[2]];
    let mut state = [0.0, velocity, 0.0];
    while state[0] >= 0.0 {
        let k1 = rates(state);
        let k2 = rates(along(state, k1, 0.5 * step));
        let k3 = rates(along(state, k2, 0.5 * step));
        let k4 = rates(along(state, k3, step));
        for (k, weight) in [(k1, 1.0), (k2, 2.0), (k3, 2.0), (k4, 1.0)] {
            state = along(state, k, weight * step / 6.0);
        }
    }
    state[1]
}

#[test]
fn the_rebound_is_that_of_the_law() {
    for (velocity, reference) in TABLE {
        let independent = control(velocity, 1e-8);
        assert!((independent / reference - 1.0).abs() < 1e-6, "v={velocity}: {independent} against {reference}");
        for scheme in SCHEMES {
            let errors: Vec<f64> = [44_100.0, 88_200.0, 176_400.0, 352_800.0]
                .map(|rate| {
                    // for any arrival time between two samples
                    let phases = (0..8).map(|i| (play(scheme, rate, velocity, 1.0 + f64::from(i) / 8.0)).v_out);
                    phases.map(|v| (v / reference - 1.0).abs()).fold(0.0, f64::max)
                })
                .to_vec();
            let ratios: Vec<f64> = errors.windows(2).map(|pair| pair[0] / pair[1]).collect();
            println!("{scheme:?} v={velocity}: errors {errors:.7?}, ratios {ratios:.2?}");
            // the bounds of Hunt–Crossley impacts [handbook §4]; leapfrog has steps twice as long and four times the error
            let bound = if scheme == Scheme::Midpoint { 4e-3 } else { 1.6e-2 };
            assert!(errors[0] <= bound && errors[2] <= 0.075 * bound, "{scheme:?} v={velocity}: {errors:?}");
            assert!(ratios.iter().all(|ratio| (3.5..5.0).contains(ratio)), "{scheme:?} v={velocity}: {ratios:?}");
        }
    }
}

#[test]
fn felt_is_passive() {
    let mut draw = Draw::new(0xfe17);
    let (mut blows, mut residual, mut least) = (0, 0.0_f64, 0.0_f64);
    for _ in 0..draws(300) {
        let clock = Clock::new(draw.pick(&SCHEMES), 1.0 / draw.pick(&RATES));
        let power = PowerLaw::new(draw.log(1e6, 1e17), draw.uniform(1.0, 4.0));
        let law = Felt::new(clock, power, draw.uniform(0.0, 0.99), draw.log(1e-6, 1e-1)).unwrap();
        let (mass, velocity) = (draw.log(1e-3, 1e-1), draw.log(0.1, 10.0));
        let hammer = Hammer { mass, velocity, arrival: draw.uniform(0.5, 3.0) };
        let blow = blow(clock, law.into(), hammer, None, 0.05);
        blows += blow.contacts;
        residual = residual.max(blow.residual[0]);
        least = least.min(blow.least_loss);
        assert!(blow.v_out.abs() <= velocity * (1.0 + 1e-12), "{hammer:?} left at {} m/s", blow.v_out);
        assert_eq!(blow.missed, 0);
    }
    println!("{blows} blows: residual {residual:.1e}, least loss of a step {least:.1e} of the energy");
    assert!(blows as usize >= draws(300));
    assert!(residual <= 1e-12);
    assert!(least >= 0.0);
}

/// The memory decays while apart, and a second impact on compressed felt is softer.
#[test]
fn memory_decays_while_apart() {
    for scheme in SCHEMES {
        let clock = Clock::new(scheme, 1.0 / 44_100.0);
        let law = Felt::new(clock, PowerLaw::new(1e8, 2.0), 0.6, 1e-3).unwrap();
        let mut state = vec![0.0; law.state_len()];
        law.reset(&mut state, Gap { now: 1e-3, before: 1e-3 });
        let held = |state: &mut Vec<f64>, z: f64, steps: usize| {
            for _ in 0..steps {
                let answer = law.resolve(state, z, 0.0);
                law.commit(state, &answer);
            }
        };
        held(&mut state, 0.0, 400);
        let relaxed = law.resolve(&state, 0.0, 0.0).force;
        // the force of virgin felt is 100 N; after nine relaxation times 1 − ε of it is left
        assert!((relaxed / 40.0 - 1.0).abs() < 1e-3, "{scheme:?}: {relaxed} N");
        held(&mut state, -1e-3 / clock.dt, 2);
        let kept = law.energy(&state);
        assert!(kept > 0.0, "{scheme:?}: compressed felt comes back slowly");
        held(&mut state, 0.0, 44);
        let later = law.energy(&state);
        // the energy goes with Y^{3/2}, τ = 44.1 steps
        assert!((later / kept - libm::exp(-1.5 * 44.0 / 44.1)).abs() < 0.01, "{scheme:?}: {later} of {kept}");
        held(&mut state, 0.0, 20_000);
        assert_eq!(state[2..], [0.0; 6], "{scheme:?}");
    }
}

/// The behaviour tests of collisions, except that felt may retain energy while apart, which it dissipates.
#[test]
fn felt_behaves() {
    for (name, build) in impact::SINGLE.into_iter().chain(impact::HAMMERS) {
        for scheme in SCHEMES {
            let (mut pulled, mut passed, mut impacts, mut residual, mut missed) = (0, 0, 0, 0.0_f64, 0);
            let count = draws(100);
            for seed in 0..count {
                let mut draw = Draw::new(0xfe_0000 + seed as u64);
                let (hysteresis, relaxation) = (draw.uniform(0.0, 0.9), draw.log(1e-5, 1e-2));
                let mut case = build(ContactMethod::Felt(hysteresis, relaxation), scheme, &mut draw);
                // relaxed felt stores (1 − ε) of the energy of virgin felt at the same depth, φ ~ x^{α+1}, α ≥ 1
                case.deepest /= (1.0 - hysteresis).sqrt();
                let report = case.scene.play(case.steps);
                pulled += usize::from(report.force[0] < 0.0);
                passed += usize::from(case.passed(&report));
                impacts += report.impacts;
                residual = residual.max(report.residual[0]);
                missed += report.counts.missed;
                assert!(report.contact_steps > 0, "{name} {scheme:?} {seed}: no contact");
            }
            println!("{name} {scheme:?}: {impacts} impacts, residual {residual:.1e}");
            assert_eq!([pulled, passed, missed as usize], [0; 3], "{name} {scheme:?}: pulled, passed, missed");
            assert!(residual <= 1e-12, "{name} {scheme:?}: residual {residual:e}");
        }
    }
}

#[test]
fn invalid_parameters_are_rejected() {
    let clock = Clock::new(Scheme::Midpoint, 1.0 / 44_100.0);
    let law = PowerLaw::new(1e8, 2.0);
    for (hysteresis, relaxation) in [(1.0, 1e-3), (-0.1, 1e-3), (f64::NAN, 1e-3), (0.5, 0.0), (0.5, f64::INFINITY)] {
        assert!(Felt::new(clock, law, hysteresis, relaxation).is_err(), "ε={hysteresis} τ={relaxation}");
    }
}

/// The loading step over many decades, with memories of every age.
#[test]
fn scalar_draws() {
    let mut draw = Draw::new(0xfe23);
    let count = draws(300_000);
    let (mut worst, mut total, mut closed, mut identity) = ((0, String::new()), 0_u64, 0_u64, (0.0_f64, String::new()));
    for _ in 0..count {
        let clock = Clock::new(draw.pick(&SCHEMES), 1.0 / draw.pick(&RATES));
        let stiffness = if draw.chance(0.9) { draw.log(1e3, 1e13) } else { draw.log(1e13, 1e17) };
        let exponent = if draw.chance(0.3) { draw.pick(&[1.0, 1.5, 2.0, 2.5, 3.0]) } else { draw.uniform(1.0, 5.0) };
        let hysteresis = if draw.chance(0.1) { 0.0 } else { draw.uniform(0.0, 0.99) };
        let law = Felt::new(clock, PowerLaw::new(stiffness, exponent), hysteresis, draw.log(1e-6, 1.0)).unwrap();
        let mut state = vec![0.0; law.state_len()];
        let start = draw.log(1e-12, 1e-2) * draw.sign();
        law.reset(&mut state, Gap { now: start, before: start });
        // some steps of a motion of about the size of the start give it a history
        for _ in 0..draw.integer(0, 6) {
            let z = start.abs() / clock.dt * draw.log(1e-4, 3.0) * draw.sign();
            let answer = law.resolve(&state, z, 0.0);
            assert!(law.commit(&mut state, &answer) >= 0.0);
        }
        let here = state[0].abs().max(state[1].abs());
        let (z, r) = (draw.log(1e-8, 1e2) * draw.sign(), draw.log(1e-10, 1e3));
        let answer = law.resolve(&state, z, r);
        let case = || format!("K={stiffness:e} α={exponent} ε={hysteresis} {state:?} z={z:e} r={r:e}: {answer:?}");
        assert!(answer.force >= 0.0 && answer.slope >= 0.0, "{}", case());
        assert!(answer.force.is_finite() && answer.approach.is_finite(), "{}", case());
        closed += u64::from(answer.force > 0.0);
        total += u64::from(answer.evaluations);
        if answer.evaluations > worst.0 {
            worst = (answer.evaluations, case());
        }
        let terms = answer.approach.abs() + r * answer.force + z.abs() + here / clock.span();
        let miss = (answer.approach + r * answer.force - z).abs() / terms;
        if miss > identity.0 {
            identity = (miss, case());
        }
    }
    println!("{count} draws, {closed} in contact: mean {:.2} evaluations", total as f64 / closed as f64);
    println!("most {} at {}", worst.0, worst.1);
    println!("identity {:.1e} at {}", identity.0, identity.1);
    assert!(closed > count as u64 / 4, "only {closed} draws touched");
    assert!(identity.0 <= 1e-14);
    assert!(worst.0 <= 16);
}

/// Felt and bare contacts in one island: masses thrown against each other between two walls.
#[test]
fn felt_shares_islands() {
    let (mut missed, mut residual, mut impacts, mut most) = (0, 0.0_f64, 0, 0);
    for seed in 0..draws(200) {
        let mut draw = Draw::new(0xfe_1000 + seed as u64);
        let scheme = draw.pick(&SCHEMES);
        let clock = Clock::new(scheme, 1.0 / draw.pick(&RATES));
        let mut builder = ModelBuilder::new(clock);
        let count = draw.integer(2, 5);
        let bodies: Vec<BodyId> = (0..count)
            .map(|i| {
                let mass = Mass::new(clock, draw.log(1e-3, 1e-1), 0.0, 0.0).unwrap();
                builder.body(format!("mass {i}"), mass.starting(0.0, draw.uniform(-3.0, 3.0)))
            })
            .collect();
        let ends: Vec<End> = std::iter::once(End::Wall)
            .chain(bodies.iter().map(|&body| End::port(body, 0)))
            .chain([End::Wall])
            .collect();
        let contacts = ends
            .windows(2)
            .enumerate()
            .map(|(i, pair)| {
                let power = PowerLaw::new(draw.log(1e5, 1e12), draw.uniform(1.0, 3.5));
                let method = match draw.integer(0, 2) {
                    0 => ContactMethod::Gradient(draw.uniform(0.0, 0.5)),
                    _ => ContactMethod::Felt(draw.uniform(0.0, 0.95), draw.log(1e-5, 1e-2)),
                };
                collide(&mut builder, &format!("contact {i}"), [pair[0], pair[1]], method.law(clock, power), 1e-4)
            })
            .collect();
        let mut scene = Scene::new(builder, bodies, contacts);
        let report = scene.play(3000);
        missed += report.counts.missed;
        impacts += report.impacts;
        residual = residual.max(report.residual[0]);
        most = most.max(report.counts.max_iterations);
        assert!(report.force[0] >= 0.0, "seed {seed}: pulled with {} N", report.force[0]);
        let lost = scene.state.ledger.contacts.iter().map(|entry| entry.min_dissipated).fold(0.0, f64::min);
        assert!(lost >= 0.0, "seed {seed}: a contact gave {lost:e} J");
    }
    println!("{impacts} impacts, {missed} misses, at most {most} iterations, residual {residual:.1e}");
    assert!(impacts as usize > 5 * draws(200));
    assert_eq!(missed, 0);
    assert!(residual <= 1e-12);
}
