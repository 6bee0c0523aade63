//! Hunt–Crossley impacts compared with closed forms and an independent integration. [SO8 §8.3.1, 8.4.1, handbook §4]

use ictus_core::{Clock, Collision, Discretisation, ModalBank, Mode, PowerLaw, Scheme};
use ictus_testkit::scene::SCHEMES;
use ictus_testkit::scene::strike::{Blow, Hammer, blow};

const MASS: f64 = 1e-2; // kg
const STIFFNESS: f64 = 1.5e11; // N/m^α
const EXPONENT: f64 = 2.8;
const LOSS: f64 = 0.6; // μ, s/m

/// v_in m/s, v_out m/s, t0 s, x_max m. [handbook §4]
const TABLE: [[f64; 4]; 3] = [
    [1.0, -0.711950180, 1.172401601e-3, 0.370483e-3],
    [2.0, -1.093708101, 0.919713781e-3, 0.501736e-3],
    [4.0, -1.451489274, 0.775855263e-3, 0.661447e-3],
];

/// Frequency Hz, amplitude decay time s, mass kg.
const MODES: [(f64, f64, f64); 3] = [(500.0, 0.6, 0.02), (1300.0, 0.4, 0.02), (2500.0, 0.25, 0.02)];

fn law(clock: Clock, stiffness: f64, loss: f64) -> ictus_core::Law {
    Collision::new(clock, PowerLaw::new(stiffness, EXPONENT), loss).into()
}

fn on_wall(scheme: Scheme, rate: f64, velocity: f64, arrival: f64) -> Blow {
    let clock = Clock::new(scheme, 1.0 / rate);
    blow(clock, law(clock, STIFFNESS, LOSS), Hammer { mass: MASS, velocity, arrival }, None, 4e-3)
}

fn on_modes(scheme: Scheme, rate: f64, velocity: f64, stiffness: f64, seconds: f64) -> Blow {
    let clock = Clock::new(scheme, 1.0 / rate);
    let modes = MODES.map(|(frequency, decay, mass)| Mode { frequency, decay: 3.0 * libm::log(10.0) * decay, mass });
    let bank = ModalBank::new(clock, &modes, &[vec![1.0; 3]], Discretisation::Exact).unwrap();
    blow(clock, law(clock, stiffness, LOSS), Hammer { mass: MASS, velocity, arrival: 1.0 }, Some(bank), seconds)
}

/// 1 + μ v_out = −W₀(−p e^{−p}), p = 1 + μ v_in: the root q < 1 of q e^{−q} = p e^{−p}.
fn rebound(velocity: f64) -> f64 {
    let p = 1.0 + LOSS * velocity;
    let target = libm::log(p) - p;
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..200 {
        let q = 0.5 * (low + high);
        if libm::log(q) - q < target { low = q } else { high = q }
    }
    (low - 1.0) / LOSS
}

/// Compression when the velocity differs by `away` from the velocity `end` at which it is zero, m. [SO8 eq. 8.13]
fn compression(away: f64, end: f64) -> f64 {
    let share = libm::log1p(LOSS * away / (1.0 + LOSS * end)) - LOSS * away;
    libm::pow((EXPONENT + 1.0) * MASS / (STIFFNESS * LOSS * LOSS) * share.max(0.0), 1.0 / (EXPONENT + 1.0))
}

/// t0 = ∫ m dv / f, by the tanh–sinh rule, which handles the singular ends. [SO8 eq. 8.27]
fn contact_time(v_in: f64) -> f64 {
    let ends = [rebound(v_in), v_in];
    let half = 0.5 * (ends[1] - ends[0]);
    let h = 1.0 / 256.0;
    let sum: f64 = (-1000..=1000)
        .map(|i| {
            let t = h * f64::from(i);
            let u = 0.5 * std::f64::consts::PI * libm::sinh(t);
            let weight = half * 0.5 * std::f64::consts::PI * libm::cosh(t) / (libm::cosh(u) * libm::cosh(u));
            // eq. 8.13 vanishes at both ends; evaluated from the nearer one it keeps its digits
            let (end, side) = if u < 0.0 { (ends[0], 1.0) } else { (ends[1], -1.0) };
            let away = side * half * libm::exp(-u.abs()) / libm::cosh(u);
            let x = compression(away, end);
            let force = STIFFNESS * libm::pow(x, EXPONENT) * (1.0 + LOSS * (end + away));
            if weight > 0.0 && force > 0.0 { weight * MASS / force } else { 0.0 }
        })
        .sum();
    h * sum
}

#[test]
fn the_table_is_the_closed_form() {
    for [v_in, v_out, t0, x_max] in TABLE {
        let [v, t, x] = [rebound(v_in), contact_time(v_in), compression(-v_in, v_in)];
        println!("v_in {v_in}: v_out {v:.9}, t0 {:.9} ms, x_max {:.6} mm", 1e3 * t, 1e3 * x);
        assert!((v / v_out - 1.0).abs() < 1e-9);
        assert!((t / t0 - 1.0).abs() < 1e-8);
        assert!((x / x_max - 1.0).abs() < 2e-6);
    }
}

#[test]
fn rebound_contact_time_and_depth_converge() {
    for [v_in, ..] in TABLE {
        let (v_out, t0, x_max) = (rebound(v_in), contact_time(v_in), compression(-v_in, v_in));
        for scheme in SCHEMES {
            let errors = [1.0, 2.0, 4.0, 8.0].map(|factor| {
                // for any arrival time between two samples
                (0..8)
                    .map(|i| {
                        let Blow { v_out: v, contact_time, depth, .. } =
                            on_wall(scheme, 44_100.0 * factor, v_in, 1.0 + f64::from(i) / 8.0);
                        [v / v_out - 1.0, contact_time / t0 - 1.0, depth / x_max - 1.0]
                    })
                    .fold([0.0_f64; 3], |worst, e| [0, 1, 2].map(|i| worst[i].max(e[i].abs())))
            });
            println!("{scheme:?} v={v_in}: v_out, t0, x_max off by {errors:.6?}");
            for i in 0..3 {
                // [handbook §4]
                assert!(errors[0][i] <= 4e-3, "{scheme:?} v={v_in}: {errors:?} at 44.1 kHz");
                assert!(errors[2][i] <= 3e-4, "{scheme:?} v={v_in}: {errors:?} at four times the rate");
                for pair in errors.windows(2) {
                    let ratio = pair[0][i] / pair[1][i];
                    assert!((3.6..5.0).contains(&ratio), "{scheme:?} v={v_in}: falls by {ratio} per doubled rate");
                }
            }
        }
    }
}

/// A hammer on the three modes by Runge–Kutta of order 4, with the force as published or clipped at zero: velocity of the hammer after 10 ms,
/// number of contacts, smallest force.
fn control(velocity: f64, stiffness: f64, sticky: bool, step: f64) -> (f64, u32, f64) {
    let force = |s: &[f64; 8]| {
        let (x, v) = (s[0] - s[2] - s[3] - s[4], s[1] - s[5] - s[6] - s[7]);
        let factor = 1.0 + LOSS * v;
        let law = if x > 0.0 { stiffness * libm::pow(x, EXPONENT) * factor } else { 0.0 };
        if sticky { law } else { law.max(0.0) }
    };
    let rates = |s: &[f64; 8]| {
        let f = force(s);
        let mut out = [0.0; 8];
        (out[0], out[1]) = (s[1], -f / MASS);
        for (i, (frequency, decay, mass)) in MODES.into_iter().enumerate() {
            // the frequencies are the damped ones
            let omega = std::f64::consts::TAU * frequency;
            out[2 + i] = s[5 + i];
            out[5 + i] = f / mass - 2.0 / decay * s[5 + i] - (omega * omega + 1.0 / (decay * decay)) * s[2 + i];
        }
        out
    };
    let along = |s: &[f64; 8], d: &[f64; 8], h: f64| std::array::from_fn::<f64, 8, _>(|i| s[i] + h * d[i]);
    let mut state = [0.0; 8];
    state[1] = velocity;
    let (mut contacts, mut pushing, mut least) = (0, false, 0.0_f64);
    for _ in 0..(0.01 / step) as usize {
        let k1 = rates(&state);
        let k2 = rates(&along(&state, &k1, 0.5 * step));
        let k3 = rates(&along(&state, &k2, 0.5 * step));
        let k4 = rates(&along(&state, &k3, step));
        for (k, weight) in [(k1, 1.0), (k2, 2.0), (k3, 2.0), (k4, 1.0)] {
            state = along(&state, &k, weight * step / 6.0);
        }
        let f = force(&state);
        contacts += u32::from(f != 0.0 && !pushing);
        pushing = f != 0.0;
        least = least.min(f);
    }
    (state[1], contacts, least)
}

#[test]
fn a_hammer_on_three_modes() {
    // speed, stiffness, speed afterwards and contacts [handbook §4]
    for (velocity, stiffness, reference, count) in
        [(1.0, STIFFNESS, 0.534803, 1), (3.0, STIFFNESS, 1.618510, 1), (1.0, 1.5e13, 0.581936, 2)]
    {
        let (printed, contacts, least) = control(velocity, stiffness, true, 2e-7);
        let (expected, ..) = control(velocity, stiffness, false, 2e-7);
        println!(
            "v={velocity} k={stiffness:e}: as written {:.6} with at least {least:.3} N, never pulling {:.6}",
            -printed, -expected
        );
        assert!((-printed / reference - 1.0).abs() < 1e-6 && contacts == count, "v={velocity}: {printed}");
        // the published law pulls where the mode recedes faster than 1/μ; the law of the core never does, and the hammer leaves 0.09 % faster
        assert_eq!(least < 0.0, velocity == 3.0);
        for scheme in SCHEMES {
            let errors = [1.0, 2.0, 4.0, 8.0, 16.0].map(|factor| {
                let blow = on_modes(scheme, 44_100.0 * factor, velocity, stiffness, 0.01);
                assert_eq!(blow.contacts, u64::from(count), "{scheme:?} v={velocity} k={stiffness:e}");
                assert!(blow.residual[0] <= 1e-12 && blow.missed == 0);
                (blow.v_out / expected - 1.0).abs()
            });
            println!("    {scheme:?}: off by {errors:.6?}");
            assert!(errors[2] <= 1e-3 && errors[4] <= 3e-5, "{scheme:?} v={velocity} k={stiffness:e}: {errors:?}");
            assert!(errors[3] / errors[4] > 3.0, "{scheme:?} v={velocity} k={stiffness:e}: not of order 2, {errors:?}");
        }
    }
}

#[test]
fn restitution_is_one_without_loss() {
    for scheme in SCHEMES {
        for exponent in 6..=17 {
            for phase in 0..16 {
                let clock = Clock::new(scheme, 1.0 / 44_100.0);
                let stiffness = 1.5 * libm::pow(10.0, f64::from(exponent));
                let hammer = Hammer { mass: MASS, velocity: 2.0, arrival: 1.0 + f64::from(phase) / 16.0 };
                let blow = blow(clock, law(clock, stiffness, 0.0), hammer, None, 0.2);
                assert!(blow.contacts > 0);
                assert!((blow.v_out / -2.0 - 1.0).abs() <= 1e-12, "{scheme:?} k={stiffness:e}: {}", blow.v_out);
            }
        }
    }
}
