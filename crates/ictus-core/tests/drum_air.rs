//! The air between two heads against a continuous tube.
//!
//! A head of density ρ and wave speed c_m under a uniform pressure p e^{jωt} moves the volume V = p πa²/(ρω²) J₂(x)/J₀(x), x = ωa/c_m. A tube of length L between two equal heads that
//! move together has a node of pressure in its middle, p = ρ₀ V̈ tan(kL/2)/(k πa²); between heads that move apart an antinode, tan → −cot. Sounding frequencies are the roots of
//! J₀(x) = ρ₀/(ρk) tan(kL/2) J₂(x), or with −cot.

use ictus_core::{
    Air, Clock, Deflect, Deflection, Drum, Edge, Outline, Resonator, Scheme, Surface, SurfaceGrid, SurfaceParameters,
};
use ictus_testkit::scene::SCHEMES;
use ictus_testkit::signal::cents;
use std::f64::consts::{PI, TAU};

const RATE: f64 = 48_000.0;
const STEPS: usize = 48_000;
const RADIUS: f64 = 0.165; // m
const DEPTH: f64 = 0.3; // m
const DENSITY: f64 = 0.35; // kg/m²
const PITCH: f64 = 110.0; // Hz, of a head without air
const J01: f64 = 2.404_825_557_695_773;
const BULK_MODULUS: f64 = 1.42e5; // Pa
const AIR: f64 = 1.204; // kg/m³

/// The root of the tube's equation between two frequencies, Hz.
fn tube(apart: bool, mut low: f64, mut high: f64) -> f64 {
    let f = |hz: f64| {
        let k = TAU * hz / (BULK_MODULUS / AIR).sqrt();
        let turn = libm::tan(0.5 * k * DEPTH);
        let x = J01 * hz / PITCH;
        libm::jn(0, x) - AIR / (DENSITY * k) * if apart { -1.0 / turn } else { turn } * libm::jn(2, x)
    };
    let rising = f(high) > f(low);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if (f(middle) > 0.0) == rising {
            high = middle;
        } else {
            low = middle;
        }
    }
    low
}

/// Both heads' middles, sum and difference, after the first head was deflected in its lowest shape.
fn ring(scheme: Scheme, points: usize, cells: usize) -> [Vec<f64>; 2] {
    let clock = Clock::new(scheme, 1.0 / RATE);
    let wave = TAU * PITCH * RADIUS / J01;
    let parameters = SurfaceParameters {
        outline: Outline::Disc(RADIUS),
        density: DENSITY,
        tension: DENSITY * wave * wave,
        rigidity: 0.0,
        poisson: 0.3,
        damping: 0.0,
        diffusion: 0.0,
        edge: Edge::Supported,
    };
    let grid = SurfaceGrid { columns: points, rows: points };
    let head = || Surface::new(clock, parameters, grid, &[[0.0, 0.0]]).unwrap();
    let air = Air { volume: PI * RADIUS * RADIUS * DEPTH, depth: DEPTH, cells, damping: 0.0 };
    let drum = Drum::new(clock, vec![head(), head()], air, vec![(0, 0), (1, 0)]).unwrap();
    let mut state = vec![0.0; drum.state_len()];
    assert!(drum.deflect(&mut state, Deflection::Fundamental { displacement: 1e-3 }));
    let start = drum.energy(&state);
    let mut out = [Vec::with_capacity(STEPS), Vec::with_capacity(STEPS)];
    for _ in 0..STEPS {
        drum.free_velocities(&mut state, &[], &mut []);
        drum.advance(&mut state, &[], &[], false);
        let [a, b] = [0, 1].map(|port| drum.displacement(&state, port));
        out[0].push(a + b);
        out[1].push(a - b);
    }
    assert!((drum.energy(&state) / start - 1.0).abs() < 1e-11, "the air keeps its energy");
    out
}

/// Where the windowed spectrum of a signal peaks near a frequency, Hz.
fn peak(signal: &[f64], near: f64) -> f64 {
    let size = |hz: f64| {
        let (mut re, mut im) = (0.0, 0.0);
        for (n, x) in signal.iter().enumerate() {
            let window = libm::sin(PI * n as f64 / signal.len() as f64);
            let (sin, cos) = libm::sincos(TAU * hz * n as f64 / RATE);
            let x = x * window * window * window * window;
            (re, im) = (re + x * cos, im + x * sin);
        }
        re * re + im * im
    };
    // the lobe is 6 Hz wide: three points of a parabola around its top, twice
    let mut at =
        (0..).map(|i| near - 6.0 + f64::from(i)).take(13).max_by(|a, b| size(*a).total_cmp(&size(*b))).unwrap();
    for width in [0.5, 0.02] {
        let [a, b, c] = [at - width, at, at + width].map(|hz| libm::log(size(hz)));
        at += 0.5 * width * (a - c) / (a - 2.0 * b + c);
    }
    at
}

#[test]
fn two_heads_and_their_air_sound_like_a_tube_to_second_order() {
    let theory = [tube(false, 60.0, 109.0), tube(true, 240.0, 350.0)];
    assert!((theory[0] - 93.98).abs() < 0.01 && (theory[1] - 280.26).abs() < 0.01, "{theory:?}");
    for scheme in SCHEMES {
        let measured: Vec<[f64; 2]> = [2, 4, 8]
            .map(|cells| {
                let signals = ring(scheme, 32, cells);
                [0, 1].map(|i| peak(&signals[i], theory[i]))
            })
            .to_vec();
        let off: Vec<[f64; 2]> = measured.iter().map(|hz| [0, 1].map(|i| cents(hz[i], theory[i]))).collect();
        println!("{scheme:?}: {off:.2?} cents");
        for i in 0..2 {
            // the grid of the heads adds the same to all
            let order = libm::log2((off[0][i] - off[1][i]) / (off[1][i] - off[2][i]));
            assert!((1.8..2.2).contains(&order), "{scheme:?}: order {order}, {off:?}");
            assert!(off[1][i].abs() < 4.0, "{scheme:?}: {off:?}");
        }
    }
}
