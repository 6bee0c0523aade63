//! The Kirchhoff string compared with exact solutions, itself at finer steps, and the numbers of handbook §6.

use ictus_core::{
    BodyId, Clock, Contact, ContactId, Deflection, End, Law, Model, ModelBuilder, Path, Scheme, State, StretchedBank,
    step,
};
use ictus_testkit::bodies::{StringModes, string_modes};
use ictus_testkit::scene::SCHEMES;
use ictus_testkit::signal::{cents, crossings};
use std::f64::consts::{PI, TAU};

/// The string of RB14: length (m), speed of waves (m/s), and b = E/(2ρL), the modulus of a string of 1 kg/m.
const LENGTH: f64 = 1.8;
const SPEED: f64 = 200.0;
const B: f64 = 2e11 / (2.0 * 7850.0 * LENGTH);
const RATE: f64 = 44_100.0;
/// T60 of δ = 3 1/s.
const DECAY: f64 = 3.0 * std::f64::consts::LN_10 / 1.5;

fn bank(clock: Clock, partials: usize, decay: f64, positions: &[f64], modulus: f64) -> StretchedBank {
    let StringModes { modes, shapes, slopes } =
        string_modes(partials, LENGTH, 1.0, SPEED / (2.0 * LENGTH), decay, positions);
    StretchedBank::new(clock, &modes, &shapes, &slopes, modulus).expect("a valid bank")
}

/// ω of q̈ + ω0² q + β q³ = 0 from amplitude A: π√(ω0² + βA²)/(2K(m)), m = βA²/(2(ω0² + βA²)), K by the arithmetic-geometric mean.
fn duffing_frequency(omega: f64, beta: f64, amplitude: f64) -> f64 {
    let stiff = omega * omega + beta * amplitude * amplitude;
    let m = beta * amplitude * amplitude / (2.0 * stiff);
    let (mut a, mut g) = (1.0, (1.0 - m).sqrt());
    for _ in 0..20 {
        (a, g) = (0.5 * (a + g), (a * g).sqrt());
    }
    let quarter = PI / (2.0 * a);
    stiff.sqrt() * PI / (2.0 * quarter) / TAU
}

#[test]
fn the_pitch_of_one_mode_follows_the_elliptic_function() {
    let omega = PI * SPEED / LENGTH;
    let beta = B * (PI / LENGTH).powi(4) * LENGTH / 2.0;
    for (amplitude, listed) in [(5e-3, 55.80752), (10e-3, 56.55562), (20e-3, 59.44048), (40e-3, 69.67988)] {
        let exact = duffing_frequency(omega, beta, amplitude);
        assert!((exact - listed).abs() < 1e-5, "handbook: {listed}, elliptic: {exact}");
        for scheme in SCHEMES {
            let clock = Clock::new(scheme, 1.0 / RATE);
            let mut builder = ModelBuilder::new(clock);
            let string = builder.body("string", bank(clock, 1, f64::INFINITY, &[0.5], B));
            let model = builder.build().expect("a valid model");
            let mut state = State::new(&model);
            state.deflect(&model, string, Deflection::Fundamental { displacement: amplitude });
            let mut signal = Vec::new();
            for _ in 0..(2.0 * RATE) as usize {
                step(&model, &mut state);
                signal.push(state.displacement(&model, string, 0));
            }
            let found = crossings(&signal, RATE);
            let off = cents(found, exact);
            println!("{scheme:?} {:.0} mm: {found:.5} Hz, {off:+.4} cent", 1e3 * amplitude);
            assert!(off.abs() < 0.1, "{scheme:?}, {amplitude} m: {off} cent");
            assert!(state.ledger.max_residual_rel() < 1e-12);
        }
    }
}

/// The excitation of the numbers: a raised cosine of 88 samples.
fn push(at: usize, amplitude: f64) -> f64 {
    if at < 88 { 0.5 * amplitude * (1.0 - libm::cos(TAU * at as f64 / 88.0)) } else { 0.0 }
}

struct Adhered {
    model: Model,
    state: State,
    string: BodyId,
    force: ContactId,
    holds: Vec<ContactId>,
}

/// Positions of the driven and the recorded port.
const PUSHED: f64 = 0.3;
const RECORDED: f64 = 0.08;

fn adhered(scheme: Scheme, partials: usize, modulus: f64, places: &[f64]) -> Adhered {
    let clock = Clock::new(scheme, 1.0 / RATE);
    let mut positions = vec![PUSHED, RECORDED];
    positions.extend(places);
    let mut body = bank(clock, partials, DECAY, &positions, modulus);
    for port in 2..positions.len() {
        body = body.with_path(port, Path::String(vec![(0..partials, 1.0)])).expect("a valid path");
    }
    let mut builder = ModelBuilder::new(clock);
    let string = builder.body("string", body);
    let force = builder.contact(Contact::new("push", [End::port(string, 0), End::Wall], Law::Force));
    let holds = (2..positions.len())
        .map(|port| {
            let ends = [End::port(string, port), End::Wall];
            builder.contact(Contact::new(format!("hold {port}"), ends, Law::Velocity))
        })
        .collect();
    let model = builder.build().expect("a valid model");
    let state = State::new(&model);
    Adhered { model, state, string, force, holds }
}

impl Adhered {
    fn step(&mut self, at: usize, amplitude: f64) -> f64 {
        self.state.set_input(self.force, push(at, amplitude));
        step(&self.model, &mut self.state);
        self.state.velocity(&self.model, self.string, 1)
    }

    fn held_velocity(&self, hold: usize) -> f64 {
        self.state.velocity(&self.model, self.string, 2 + hold)
    }
}

/// Strongest frequency between 60 and 100 Hz under a Hann window.
fn pitch(signal: &[f64]) -> f64 {
    let n = signal.len() as f64;
    let power = |frequency: f64| {
        let (mut re, mut im) = (0.0, 0.0);
        for (i, x) in signal.iter().enumerate() {
            let window = 0.5 - 0.5 * libm::cos(TAU * i as f64 / n);
            let (sin, cos) = libm::sincos(TAU * frequency * i as f64 / RATE);
            re += window * x * cos;
            im += window * x * sin;
        }
        re * re + im * im
    };
    let mut best = (0.0, 0.0);
    let mut frequency = 60.0;
    while frequency < 100.0 {
        let found = power(frequency);
        if found > best.1 {
            best = (frequency, found);
        }
        frequency += 0.02;
    }
    best.0
}

#[test]
fn a_held_point_sets_the_pitch() {
    for (partials, listed) in [(10, 78.20), (20, 77.68), (40, 77.44), (80, 77.30)] {
        for (scheme, modulus, amplitude) in
            [(Scheme::Midpoint, B, 500.0), (Scheme::Leapfrog, B, 500.0), (Scheme::Midpoint, 0.0, 500.0)]
        {
            let mut scene = adhered(scheme, partials, modulus, &[0.72]);
            let mut sound = Vec::new();
            let mut fastest = 0.0f64;
            for at in 0..50_000 {
                scene.state.engage(&scene.model, scene.holds[0], at >= 40_000);
                let velocity = scene.step(at, amplitude);
                if at >= 40_000 {
                    sound.push(velocity);
                    fastest = fastest.max(scene.held_velocity(0).abs());
                }
            }
            let found = pitch(&sound);
            println!(
                "K={partials} {scheme:?} modulus {modulus:.1e}: {found:.2} Hz (listed {listed}), held {fastest:.1e} m/s, residual {:.1e}",
                scene.state.ledger.max_residual_rel()
            );
            assert!((found - listed).abs() <= 0.3, "{partials} partials: {found} Hz");
            assert!(fastest < 1e-12, "the held point moves at {fastest} m/s");
            assert!(scene.state.ledger.max_residual_rel() < 1e-11);
        }
    }
}

#[test]
fn a_moving_hold_slides() {
    let mut scene = adhered(Scheme::Midpoint, 20, B, &[0.72]);
    let mut sound = Vec::new();
    let mut fastest = 0.0f64;
    for at in 0..60_000 {
        scene.state.engage(&scene.model, scene.holds[0], at >= 20_000);
        if at >= 20_000 {
            let place = 0.72 - 0.04 * (at - 20_000) as f64 / 40_000.0;
            scene.state.move_port(&scene.model, scene.string, 2, place);
        }
        let velocity = scene.step(at, 500.0);
        if at >= 20_000 {
            sound.push(velocity);
            fastest = fastest.max(scene.held_velocity(0).abs());
        }
    }
    // in thirds, as in the handbook
    let third = sound.len() / 3;
    let found = [0, 1, 2].map(|i| pitch(&sound[i * third..(i + 1) * third]));
    println!("{found:?}, held {fastest:.1e}, residual {:.1e}", scene.state.ledger.max_residual_rel());
    for (found, listed) in found.into_iter().zip([78.2, 79.9, 81.5]) {
        assert!((found - listed).abs() < 0.5, "{found} Hz, listed {listed}");
    }
    assert!(fastest < 1e-12);
    assert!(scene.state.ledger.max_residual_rel() < 1e-11);
}

#[test]
fn two_points_are_held_at_once_at_any_amplitude() {
    // the published method diverges from 1500 on
    for amplitude in [500.0, 750_000.0] {
        for scheme in SCHEMES {
            let mut scene = adhered(scheme, 40, B, &[0.36, 0.72]);
            let (mut fastest, mut speed) = (0.0f64, 0.0f64);
            let mut last = f64::INFINITY;
            for at in 0..20_000 {
                for hold in 0..2 {
                    scene.state.engage(&scene.model, scene.holds[hold], at >= 5_000);
                }
                speed = speed.max(scene.step(at, amplitude).abs());
                let energy = scene.state.ledger.total.stored;
                if at >= 88 {
                    assert!(energy <= last * (1.0 + 1e-13), "energy rose at {at}: {last} -> {energy}");
                    last = energy;
                }
                if at >= 5_000 {
                    fastest = fastest.max(scene.held_velocity(0).abs().max(scene.held_velocity(1).abs()));
                }
            }
            println!(
                "{scheme:?} amp {amplitude}: held {:.1e} of {speed:.1} m/s, residual {:.1e}",
                fastest,
                scene.state.ledger.max_residual_rel()
            );
            assert!(fastest < 1e-12 * speed.max(1.0), "{fastest}");
            assert!(scene.state.ledger.max_residual_rel() < 1e-11);
        }
    }
}
