//! Friction compared with closed forms and the handbook's reference numbers. [SO8 §8.3.2, FR, handbook §5]

use ictus_core::{
    BodyId, Bristles, Clock, Contact, ContactId, Damping, Discretisation, End, Friction, FrictionParameters,
    Interaction, Law, Mass, ModalBank, Mode, Model, ModelBuilder, Scheme, State, step,
};
use ictus_testkit::scene::SCHEMES;
use ictus_testkit::{Draw, draws};
use std::f64::consts::{LN_10, PI, TAU};

const RATE: f64 = 44_100.0;

/// Surfaces of the presliding and onset tests. [handbook §5]
const RUBBER: FrictionParameters = FrictionParameters {
    stiffness: 1e5,
    damping: 50.0,
    viscosity: 0.4,
    sticking: 0.975,
    sliding: 0.197,
    stribeck: 0.1,
    breakaway: 0.7,
};

/// Rosin on a string. [handbook §5]
const ROSIN: FrictionParameters = FrictionParameters::ROSIN;

/// T60 of an amplitude that falls to 1/e in `time`.
fn t60(time: f64) -> f64 {
    3.0 * LN_10 * time
}

#[test]
fn steady_sliding_is_the_stribeck_curve() {
    let clock = Clock::new(Scheme::Midpoint, 1.0 / RATE);
    for bristles in [Bristles::ElastoPlastic, Bristles::LuGre, Bristles::None] {
        let law = Friction::new(clock, RUBBER, bristles, Damping::Passive).unwrap();
        for speed in [1e-4, 1e-3, 0.01, 0.05, 0.1, 0.2, 0.5, 2.0] {
            for sign in [-1.0, 1.0] {
                let mut state = vec![0.0; law.state_len()];
                let normal = 0.3;
                law.press(&mut state, normal);
                let mut force = 0.0;
                for _ in 0..((3e-4 / (speed * clock.dt)) as usize).max(4000) {
                    let resolved = law.resolve(&state, sign * speed, 0.0);
                    assert!(law.commit(&mut state, &resolved) >= 0.0);
                    force = resolved.force;
                }
                let u = speed / RUBBER.stribeck;
                let shares = RUBBER.sliding + (RUBBER.sticking - RUBBER.sliding) * libm::exp(-u * u);
                let expected = sign * (normal * shares + RUBBER.viscosity * speed);
                assert!((force / expected - 1.0).abs() < 1e-10, "{bristles:?} at {speed} m/s: {force} N, {expected} N");
            }
        }
    }
}

/// A mass of 0.1 kg on a rough floor under 0.02 + 0.02 sin(2π 20 t) N: far below the static limit of the bristles. Creep from 1 s to 4 s, m.
fn creep(scheme: Scheme, bristles: Bristles) -> f64 {
    let clock = Clock::new(scheme, 1.0 / RATE);
    let mut builder = ModelBuilder::new(clock);
    let mass = builder.body("mass", Mass::new(clock, 0.1, 0.0, 0.0).unwrap());
    let law = Friction::new(clock, RUBBER, bristles, Damping::Passive).unwrap();
    let floor = builder.contact(Contact::new("floor", [End::port(mass, 0), End::Wall], law.into()));
    let push = builder.contact(Contact::new("push", [End::port(mass, 0), End::Wall], Law::Force));
    let model = builder.build().unwrap();
    let mut state = State::new(&model);
    state.press(&model, floor, 0.3);
    let second = RATE as u64;
    let mut at = [0.0; 2];
    for n in 0..4 * second {
        state.set_input(push, 0.02 + 0.02 * libm::sin(TAU * 20.0 * n as f64 * clock.dt));
        step(&model, &mut state);
        if n + 1 == second {
            at[0] = state.displacement(&model, mass, 0);
        }
    }
    at[1] = state.displacement(&model, mass, 0);
    assert!(state.ledger.max_residual_rel() < 1e-11, "residual {:e}", state.ledger.max_residual_rel());
    (at[1] - at[0]).abs()
}

#[test]
fn only_lugre_creeps_before_it_slides() {
    for scheme in SCHEMES {
        let (held, crept) = (creep(scheme, Bristles::ElastoPlastic), creep(scheme, Bristles::LuGre));
        println!("{scheme:?}: drift in 3 s {held:.1e} m elasto-plastic, {crept:.1e} m LuGre");
        assert!(held < 1e-15 && crept > 1e-6);
    }
}

/// A body rubbed at one port by a surface that the player moves.
struct Rubbed {
    model: Model,
    state: State,
    body: BodyId,
    contact: ContactId,
}

impl Rubbed {
    fn new(clock: Clock, bank: ModalBank, law: Friction) -> Self {
        let mut builder = ModelBuilder::new(clock);
        let body = builder.body("body", bank);
        let contact = builder.contact(Contact::new("bow", [End::port(body, 0), End::Wall], law.into()));
        let model = builder.build().unwrap();
        let state = State::new(&model);
        Self { model, state, body, contact }
    }

    /// One step with normal force `normal` and bow velocity `speed`; returns displacement and velocity of the port after it.
    fn step(&mut self, normal: f64, speed: f64) -> [f64; 2] {
        self.state.press(&self.model, self.contact, normal);
        self.state.slide(self.contact, speed);
        step(&self.model, &mut self.state);
        [self.state.displacement(&self.model, self.body, 0), self.state.velocity(&self.model, self.body, 0)]
    }
}

/// Modes (Hz), decay to 1/e (s), masses (kg), all with shape 1 at the port.
fn object(clock: Clock, hz: &[f64], decay: &[f64], mass: &[f64]) -> ModalBank {
    let modes: Vec<Mode> =
        (0..hz.len()).map(|i| Mode { frequency: hz[i], decay: t60(decay[i]), mass: mass[i] }).collect();
    ModalBank::new(clock, &modes, &[vec![1.0; hz.len()]], Discretisation::Exact).unwrap()
}

fn rms(values: &[f64]) -> f64 {
    (values.iter().map(|x| x * x).sum::<f64>() / values.len() as f64).sqrt()
}

#[test]
fn a_mode_begins_to_sing_where_the_curve_falls_steeply_enough() {
    for scheme in SCHEMES {
        let clock = Clock::new(scheme, 1.0 / RATE);
        let swing = |speed: f64| {
            let parameters = FrictionParameters { damping: 2.0, viscosity: 0.0, ..RUBBER };
            let law = Friction::new(clock, parameters, Bristles::ElastoPlastic, Damping::Passive).unwrap();
            let mut rubbed = Rubbed::new(clock, object(clock, &[500.0], &[0.5], &[1e-3]), law);
            let velocities: Vec<f64> = (0..4 * RATE as usize).map(|_| rubbed.step(0.3, speed)[1]).collect();
            rms(&velocities[3 * RATE as usize..])
        };
        let (slow, fast) = (swing(0.28), swing(0.30));
        println!("{scheme:?}: rms velocity {slow:.4} m/s at 0.28 m/s, {fast:.2e} m/s at 0.30 m/s");
        assert!(slow > 0.1 && fast < 0.01);
    }
}

/// The bowed string of the handbook: 60 modes of 0.33 m at 196 Hz, bowed at `place` (share of the length).
fn string(clock: Clock, place: f64) -> ModalBank {
    let (length, density, f0) = (0.33, 2.66e-3, 196.0);
    let modes: Vec<Mode> = (1..=60)
        .map(|n| {
            let undamped = TAU * f0 * f64::from(n);
            // a = 2μ/0.2, that is 2σ = 10 1/s
            let sounding = (undamped * undamped - 25.0).sqrt() / TAU;
            Mode { frequency: sounding, decay: t60(0.2), mass: 0.5 * density * length }
        })
        .collect();
    let shape = (1..=60).map(|n| libm::sin(PI * f64::from(n) * place)).collect();
    ModalBank::new(clock, &modes, &[shape], Discretisation::Exact).unwrap()
}

/// Results of the last second of a bowed string.
struct Bowing {
    stick: f64,
    pitch: f64,
    swing: f64,
    least_loss: f64,
    residual: f64,
}

fn bow(scheme: Scheme, place: f64, parameters: FrictionParameters, bristles: Bristles, form: Damping) -> Bowing {
    let clock = Clock::new(scheme, 1.0 / RATE);
    bow_with(clock, place, Friction::new(clock, parameters, bristles, form).unwrap())
}

fn bow_with(clock: Clock, place: f64, law: Friction) -> Bowing {
    let mut rubbed = Rubbed::new(clock, string(clock, place), law);
    let (speed, normal) = (0.3, 3.6);
    let second = RATE as usize;
    let mut last = Vec::new();
    let mut stuck = 0;
    for n in 0..2 * second {
        let bow = speed * (n as f64 / (0.2 * RATE)).min(1.0);
        let [u, v] = rubbed.step(normal, bow);
        if n >= second {
            last.push(u);
            stuck += usize::from((v - bow).abs() < 0.1 * speed);
        }
    }
    let mean = last.iter().sum::<f64>() / last.len() as f64;
    let rises: Vec<f64> = (1..last.len())
        .filter(|&i| last[i - 1] < mean && last[i] >= mean)
        .map(|i| i as f64 - (last[i] - mean) / (last[i] - last[i - 1]))
        .collect();
    let pitch = match rises.len() {
        0 | 1 => 0.0,
        n => (n - 1) as f64 * RATE / (rises[n - 1] - rises[0]),
    };
    let (low, high) = last.iter().fold((f64::MAX, f64::MIN), |(low, high), &u| (low.min(u), high.max(u)));
    let ledger = &rubbed.state.ledger;
    Bowing {
        stick: stuck as f64 / second as f64,
        pitch,
        swing: high - low,
        least_loss: ledger.contacts[rubbed.contact.index()].min_dissipated / clock.dt,
        residual: ledger.max_residual_rel(),
    }
}

#[test]
fn a_bowed_string_has_helmholtz_motion() {
    for scheme in SCHEMES {
        for (place, stick) in [(0.1, 0.884), (0.25, 0.742), (0.5, 0.488)] {
            let b = bow(scheme, place, ROSIN, Bristles::ElastoPlastic, Damping::Passive);
            let ideal = 0.3 * (1.0 - place) / 196.0;
            println!(
                "{scheme:?} at {place} L: sticks {:.3} ({stick}), {:.2} Hz, swing {:.3} of the ideal, least loss {:.1e} W, residual {:.1e}",
                b.stick,
                b.pitch,
                b.swing / ideal,
                b.least_loss,
                b.residual
            );
            assert!((b.stick - stick).abs() <= 0.03);
            assert!((b.pitch - 196.0).abs() <= 0.5);
            assert!((0.96..=1.01).contains(&(b.swing / ideal)));
            assert!(b.least_loss >= -1e-12 && b.residual < 1e-11);
        }
    }
}

/// A fixed number of Newton iterations keeps the energy balance and the regime; amplitude and pitch are those of the converged solution.
#[test]
fn a_fixed_number_of_steps_plays_the_same_regime() {
    for scheme in SCHEMES {
        let clock = Clock::new(scheme, 1.0 / RATE);
        for place in [0.1, 0.25, 0.5] {
            let law = || Friction::new(clock, ROSIN, Bristles::ElastoPlastic, Damping::Passive).unwrap();
            let exact = bow_with(clock, place, law());
            for steps in [1, 2, 3] {
                let b = bow_with(clock, place, law().with_steps(steps));
                println!(
                    "{scheme:?} at {place} L, {steps} steps: sticks {:.3} ({:.3}), {:.2} Hz, swing {:.4} of the exact one, least loss {:.1e} W, residual {:.1e}",
                    b.stick,
                    exact.stick,
                    b.pitch,
                    b.swing / exact.swing,
                    b.least_loss,
                    b.residual
                );
                assert!(b.least_loss >= -1e-12 && b.residual < 1e-11);
                if steps >= 2 {
                    assert!((b.stick - exact.stick).abs() <= 0.03 && (b.pitch - 196.0).abs() <= 0.5);
                    assert!((b.swing / exact.swing - 1.0).abs() < 0.02);
                }
            }
        }
    }
}

#[test]
fn dahl_is_silent() {
    let parameters = FrictionParameters { damping: 0.0, sticking: 0.2, ..ROSIN };
    for scheme in SCHEMES {
        let b = bow(scheme, 0.1, parameters, Bristles::LuGre, Damping::Passive);
        println!("{scheme:?}: Dahl swings {:.1e} m", b.swing);
        assert!(b.swing < 1e-6);
    }
}

#[test]
fn the_published_damping_generates_energy_and_the_passive_one_does_not() {
    let parameters = FrictionParameters { damping: 10.0, ..ROSIN };
    for scheme in SCHEMES {
        for place in [0.1, 0.25, 0.5] {
            let ours = bow(scheme, place, parameters, Bristles::ElastoPlastic, Damping::Passive);
            let printed = bow(scheme, place, parameters, Bristles::ElastoPlastic, Damping::Printed);
            println!(
                "{scheme:?} σ1 = 10 at {place} L: least loss {:.1e} W, printed {:.3e} W",
                ours.least_loss, printed.least_loss
            );
            assert!(ours.least_loss >= -1e-12 && ours.residual < 1e-11);
            assert!(printed.least_loss < -100.0, "the printed form was expected to fail");
        }
    }
}

/// A random rubbing case: rms velocity of the body in its last third, and the figures of the solver and the ledger.
struct Drawn {
    rms: f64,
    least_loss: f64,
    residual: f64,
    slid: bool,
    missed: u64,
    iterations: u32,
}

impl Drawn {
    fn new(seed: usize, steps: Option<u32>) -> Self {
        let drawn = Self::of(seed, steps, Damping::Passive);
        assert!(drawn.least_loss >= -1e-12, "draw {seed}: {:e} W", drawn.least_loss);
        assert!(drawn.residual < 1e-11, "draw {seed}: residual {:e}", drawn.residual);
        drawn
    }

    fn of(seed: usize, steps: Option<u32>, form: Damping) -> Self {
        let mut draw = Draw::new(0xF0_0000 + seed as u64);
        let clock = Clock::new(draw.pick(&SCHEMES), 1.0 / RATE);
        let sliding = draw.log(0.05, 1.5);
        let parameters = FrictionParameters {
            stiffness: draw.log(1e2, 1e7),
            damping: if draw.chance(0.2) { 0.0 } else { draw.log(1e-3, 1e3) },
            viscosity: if draw.chance(0.5) { 0.0 } else { draw.log(1e-3, 10.0) },
            sticking: sliding * draw.uniform(1.0, 4.0),
            sliding,
            stribeck: draw.log(1e-3, 1.0),
            breakaway: draw.uniform(0.0, 0.99),
        };
        let bristles = draw.pick(&[Bristles::ElastoPlastic, Bristles::ElastoPlastic, Bristles::LuGre, Bristles::None]);
        let mut law = Friction::new(clock, parameters, bristles, form).unwrap();
        if let Some(steps) = steps {
            law = law.with_steps(steps);
        }
        let count = draw.integer(1, 20);
        let hz: Vec<f64> = (0..count).map(|_| draw.log(40.0, 15_000.0)).collect();
        let decay: Vec<f64> = (0..count).map(|_| draw.log(0.01, 2.0)).collect();
        let mass: Vec<f64> = (0..count).map(|_| draw.log(1e-4, 0.1)).collect();
        let mut rubbed = Rubbed::new(clock, object(clock, &hz, &decay, &mass), law);
        let (speed, normal) = (draw.log(1e-3, 3.0), draw.log(1e-2, 50.0));
        let mut last = Vec::with_capacity(1000);
        for n in 0..3000 {
            let phase = f64::from(n) / 3000.0;
            let pressed = if n % 1000 < 900 { normal * (1.0 - 0.8 * phase) } else { 0.0 };
            let [u, v] = rubbed.step(pressed, speed * libm::sin(TAU * 3.0 * phase));
            assert!(u.is_finite() && v.is_finite(), "draw {seed} at step {n}");
            if n >= 2000 {
                last.push(v);
            }
            let stored = rubbed.state.contact_energy(&rubbed.model, rubbed.contact);
            let bent = (2.0 * stored / parameters.stiffness).sqrt();
            assert!(bent <= parameters.sticking * pressed / parameters.stiffness * (1.0 + 1e-12), "draw {seed}");
        }
        let ledger = &rubbed.state.ledger;
        let entry = &ledger.contacts[rubbed.contact.index()];
        // a slow heavy rub may transfer far more energy than it ever stores: residuals are relative to the larger of the two
        let flow = ledger.total.dissipated.value().max(ledger.peak);
        Self {
            rms: rms(&last),
            least_loss: entry.min_dissipated / clock.dt,
            residual: ledger.total.max_residual.max(ledger.total.max_raw_residual) / flow,
            slid: entry.dissipated.value() > 0.0,
            missed: rubbed.state.counts.missed,
            iterations: rubbed.state.counts.max_iterations,
        }
    }
}

#[test]
fn friction_is_passive() {
    let all: Vec<Drawn> = (0..draws(2000)).map(|seed| Drawn::new(seed, None)).collect();
    let slid = all.iter().filter(|drawn| drawn.slid).count();
    let missed: u64 = all.iter().map(|drawn| drawn.missed).sum();
    let most = all.iter().map(|drawn| drawn.iterations).max().unwrap_or(0);
    println!(
        "least loss {:e} W, residual {:e}, {slid} slid, {missed} missed, at most {most} iterations",
        all.iter().map(|drawn| drawn.least_loss).fold(0.0, f64::min),
        all.iter().map(|drawn| drawn.residual).fold(0.0, f64::max)
    );
    assert!(slid > draws(2000) * 4 / 5 && missed == 0 && most <= 100);
}

/// Why the published form is not the default: with it, some of the same draws have steps that generate energy.
#[test]
fn the_published_form_generates_energy_in_some_draws() {
    let count = draws(400);
    let all: Vec<Drawn> = (0..count).map(|seed| Drawn::of(seed, None, Damping::Printed)).collect();
    let giving = all.iter().filter(|drawn| drawn.least_loss < -1e-12).count();
    let most = all.iter().map(|drawn| drawn.least_loss).fold(0.0, f64::min);
    println!("printed form: {giving} of {count} draws give energy, up to {:.1e} W", -most);
    assert!(giving > count / 100);
}

/// With a fixed number of iterations nothing diverges and no energy is gained either; most draws move as with the converged solution.
#[test]
fn a_fixed_number_of_steps_is_passive() {
    let count = draws(400);
    let exact: Vec<Drawn> = (0..count).map(|seed| Drawn::new(seed, None)).collect();
    for steps in [1, 2, 3] {
        let close = |seed: usize| (Drawn::new(seed, Some(steps)).rms / exact[seed].rms - 1.0).abs() < 0.1;
        let same = (0..count).filter(|&seed| close(seed)).count();
        println!("{steps} steps: {same} of {count} draws within 10 % of the exact motion");
        assert!(same * 4 > count * 3);
    }
}
