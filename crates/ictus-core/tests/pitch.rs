//! Frequencies and decays of banks and strings, measured from their output, at three sample rates in both schemes.

use ictus_core::{
    Clock, Deflect, Deflection, Discretisation, Ends, FastResonator, Grid, ModalBank, Mode, Resonator, Scheme,
    Stepping, StringParameters,
};
use ictus_testkit::bodies;
use ictus_testkit::resonator::{deflect, profile};
use ictus_testkit::scene::SCHEMES;
use ictus_testkit::signal::{cents, pole};

const RATES: [f64; 3] = [44_100.0, 48_000.0, 96_000.0];
/// σ T60 = ln 1000.
const LN_1000: f64 = 3.0 * std::f64::consts::LN_10;

/// Displacement at `port` over `steps` free steps.
fn render(body: &dyn FastResonator, state: &mut [f64], port: usize, steps: usize) -> Vec<f64> {
    let mut free = [0.0];
    (0..steps)
        .map(|_| {
            body.free_velocities(state, &[port], &mut free);
            body.advance(state, &[port], &[0.0], false);
            body.displacement(state, port)
        })
        .collect()
}

#[test]
fn modes_have_their_frequencies_and_decays() {
    let (mut worst_cents, mut worst_decay) = (0.0_f64, 0.0_f64);
    for scheme in SCHEMES {
        for rate in RATES {
            let clock = Clock::new(scheme, 1.0 / rate);
            for frequency in [27.5, 110.0, 440.0, 1760.0, 7040.0, 15_000.0, 21_000.0] {
                for decay in [0.02, 0.3, 5.0] {
                    let mode = Mode { frequency, decay, mass: 0.02 };
                    let bank = ModalBank::new(clock, &[mode], &[vec![1.0]], Discretisation::Exact).unwrap();
                    let mut state = vec![0.0; bank.state_len()];
                    assert!(bank.deflect(&mut state, Deflection::Fundamental { displacement: 1e-3 }));
                    let steps = (rate * decay.max(4.0 / frequency).min(1.0)) as usize;
                    let (measured, sigma) = pole(&render(&bank, &mut state, 0, steps), rate, frequency);
                    worst_cents = worst_cents.max(cents(measured, frequency).abs());
                    worst_decay = worst_decay.max((sigma * decay / LN_1000 - 1.0).abs());
                }
            }
        }
    }
    println!("exact modes: worst {worst_cents:.1e} cent, decay {worst_decay:.1e}");
    assert!(worst_cents <= 0.01 && worst_decay <= 1e-3);
}

#[test]
fn plain_modes_are_warped_as_the_chapter_says() {
    // [handbook §4]: f_d = (Fs/π) atan(π f/Fs) for an undamped mode of the bilinear rule
    for rate in RATES {
        let clock = Clock::new(Scheme::Midpoint, 1.0 / rate);
        let mode = Mode { frequency: 5000.0, decay: f64::INFINITY, mass: 0.02 };
        let bank = ModalBank::new(clock, &[mode], &[vec![1.0]], Discretisation::Plain).unwrap();
        let mut state = vec![0.0; bank.state_len()];
        bank.deflect(&mut state, Deflection::Fundamental { displacement: 1e-3 });
        let expected = rate / std::f64::consts::PI * libm::atan(std::f64::consts::PI * 5000.0 / rate);
        let (measured, _) = pole(&render(&bank, &mut state, 0, 20_000), rate, expected);
        println!("plain 5 kHz mode at {rate} Hz sounds at {measured:.3} Hz");
        assert!(cents(measured, expected).abs() < 1e-4);
    }
}

/// All discretisations of a string.
const WAYS: [(Scheme, Stepping); 3] = [
    (Scheme::Leapfrog, Stepping::Explicit),
    (Scheme::Midpoint, Stepping::Explicit),
    (Scheme::Midpoint, Stepping::Implicit),
];

/// Writes the shape of partial `n` of a supported string into a fresh state.
fn partial(body: &dyn FastResonator, grid: Grid, n: usize) -> Vec<f64> {
    let mut state = vec![0.0; body.state_len()];
    // the value that is the displacement of the first point behind the end
    let is_point = |i: &usize| {
        state[*i] = 1.0;
        let found = profile(body, &state)[1] == 1.0;
        state[*i] = 0.0;
        found
    };
    let first = (0..body.state_len()).find(is_point).expect("a point") - 1;
    for i in 1..grid.intervals {
        state[first + i] = 1e-3 * libm::sin(std::f64::consts::PI * (n * i) as f64 / grid.intervals as f64);
    }
    state
}

#[test]
fn partials_of_strings_are_those_computed() {
    for (scheme, stepping) in WAYS {
        for rate in RATES {
            let clock = Clock::new(scheme, 1.0 / rate);
            for stiff in [false, true] {
                let parameters = bodies::string_parameters(stiff, false, Ends::Supported);
                let grid = parameters.finest(clock.dt).unwrap();
                let body = bodies::string(clock, stepping, parameters, grid, &[0.137]);
                let wave = (parameters.tension / parameters.density).sqrt();
                let f0 = 0.5 * wave / parameters.length;
                let pi_over_l = std::f64::consts::PI / parameters.length;
                let inharmonicity = parameters.stiffness * pi_over_l * pi_over_l / parameters.tension;
                let (mut computed, mut off, mut theory) = (0.0_f64, 0.0_f64, 0.0_f64);
                for n in [1, 2, 3, 5, 8, 13, 20] {
                    let expected = parameters.grid_frequency(stepping, clock.dt, grid, n);
                    let mut state = partial(&*body, grid, n);
                    let (measured, sigma) = pole(&render(&*body, &mut state, 0, 8000), rate, expected);
                    computed = computed.max(cents(measured, expected).abs());
                    assert!(sigma.abs() < 1e-3, "a lossless string decays at {sigma} 1/s");
                    let ideal = n as f64 * f0 * (1.0 + inharmonicity * (n * n) as f64).sqrt();
                    off = off.max(cents(measured, ideal).abs());
                    theory = theory.max(cents(expected, ideal).abs());
                }
                println!(
                    "{scheme:?} {stepping:?} {rate} Hz stiff {stiff} N={}: {computed:.1e} cent off the grid's own, {off:.2} cent off the continuum (computed {theory:.2})",
                    grid.intervals
                );
                assert!(computed <= 0.01, "{computed} cent off the dispersion computed");
                assert!((off - theory).abs() <= 0.01, "dispersion {off} cent, computed {theory} cent");
            }
        }
    }
}

#[test]
fn uniform_loss_decays_alike_at_every_rate() {
    for (scheme, stepping) in WAYS {
        for rate in RATES {
            let clock = Clock::new(scheme, 1.0 / rate);
            let parameters =
                StringParameters { diffusion: 0.0, ..bodies::string_parameters(true, true, Ends::Supported) };
            let grid = parameters.grid(60);
            let body = bodies::string(clock, stepping, parameters, grid, &[0.137]);
            let expected = parameters.grid_frequency(stepping, clock.dt, grid, 3);
            let mut state = partial(&*body, grid, 3);
            let (_, sigma) = pole(&render(&*body, &mut state, 0, 20_000), rate, expected);
            println!("{scheme:?} {stepping:?} {rate} Hz: σ {sigma:.6} 1/s, expected {} 1/s", parameters.damping);
            assert!((sigma / parameters.damping - 1.0).abs() < 1e-3);
        }
    }
}

#[test]
fn the_ideal_string_at_the_limit_is_exact() {
    SCHEMES.into_iter().for_each(returns);
}

fn returns(scheme: Scheme) {
    let rate = 48_000.0;
    let clock = Clock::new(scheme, 1.0 / rate);
    let intervals: u32 = 120;
    // c k = h: a wave crosses one interval per step
    let parameters = StringParameters {
        length: 0.6,
        density: 4e-3,
        tension: 4e-3 * libm::pow(0.6 / f64::from(intervals) * rate, 2.0),
        ..bodies::string_parameters(false, false, Ends::Supported)
    };
    let grid = parameters.finest(clock.dt).unwrap();
    assert_eq!(grid.intervals, intervals as usize, "the grid does not reach the limit");
    let places: Vec<f64> = (1..intervals).map(|i| f64::from(i) / f64::from(intervals)).collect();
    let body = bodies::string(clock, Stepping::Explicit, parameters, grid, &places);
    let mut state = vec![0.0; body.state_len()];
    deflect(&*body, &mut state, Deflection::Static { port: 35, displacement: 1e-3 });
    // from a moment at which it moves, so that velocities are not small
    render(&*body, &mut state, 0, 37);
    let motion = |state: &[f64]| {
        let shape = profile(&*body, state);
        [shape, (0..places.len()).map(|port| body.velocity(state, port)).collect()]
    };
    let start = motion(&state);
    let mut returned = |periods: usize| {
        render(&*body, &mut state, 0, 2 * grid.intervals * periods);
        let now = motion(&state);
        [0, 1].map(|of| {
            let size = start[of].iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            now[of].iter().zip(&start[of]).map(|(now, was)| (now - was).abs()).fold(0.0, f64::max) / size
        })
    };
    let [once, often] = [1, 499].map(&mut returned);
    println!(
        "displacement and velocity are back to {:.1e} and {:.1e} of their size after one period, {:.1e} and {:.1e} after 500",
        once[0], once[1], often[0], often[1]
    );
    // in the midpoint scheme the partial next to the limit has (π/2N)² of the mass, so the same rounding of energy moves it faster
    let swing = match scheme {
        Scheme::Leapfrog => 1.0,
        Scheme::Midpoint => 2.0 * f64::from(intervals) / std::f64::consts::PI,
    };
    // rounding: a few units in the last place for each of the 240 steps of a period
    let within = |[u, v]: [f64; 2], bound: f64| u <= bound && v <= swing * bound;
    assert!(within(once, 240.0 * 16.0 * f64::EPSILON) && within(often, 1e-10));
}

#[test]
fn explicit_strings_stay_bounded_at_the_limit() {
    SCHEMES.into_iter().for_each(stay_bounded);
}

fn stay_bounded(scheme: Scheme) {
    let clock = Clock::new(scheme, 1.0 / 44_100.0);
    for ends in [Ends::Supported, Ends::Fixed] {
        for (stiff, lossy) in [(false, false), (true, false), (true, true), (false, true)] {
            for intervals in [3, 4, 5, 20] {
                let parameters = bodies::string_parameters(stiff, lossy, ends);
                // shortened until this many intervals are at the limit
                let length = parameters.spacing_limit(clock.dt) * f64::from(intervals);
                let parameters = StringParameters { length, ..parameters };
                let grid = parameters.finest(clock.dt).unwrap();
                assert_eq!(grid.intervals, intervals as usize);
                let body = bodies::string(clock, Stepping::Explicit, parameters, grid, &[0.4]);
                let mut state = vec![0.0; body.state_len()];
                let mut free = [0.0];
                body.free_velocities(&mut state, &[0], &mut free);
                body.advance(&mut state, &[0], &[1.0], false);
                let initial = body.energy(&state);
                let (mut last, mut rise) = (initial, 0.0_f64);
                for n in 0..1_000_000 {
                    body.free_velocities(&mut state, &[0], &mut free);
                    body.advance(&mut state, &[0], &[0.0], false);
                    if n % 1000 == 0 {
                        let energy = body.energy(&state);
                        rise = rise.max((energy - last) / initial);
                        last = energy;
                    }
                }
                let largest = state.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
                if intervals < 5 {
                    println!(
                        "{ends:?} stiff {stiff} lossy {lossy} N={intervals}: rise {rise:.1e}, end {:.3e}",
                        last / initial
                    );
                }
                assert!(largest.is_finite() && largest < 1e3, "grew to {largest:e}");
                assert!(rise <= 1e-11 && last <= initial * (1.0 + 1e-9), "energy rose by {rise:e}");
            }
        }
    }
}
