//! A string touched at one port steps in the modes of its grid, and agrees with the grid.

use ictus_core::{Clock, Deflection, Ends, ExplicitString, FastResonator, Scheme, StringParameters};
use ictus_testkit::Draw;
use ictus_testkit::resonator::{deflect, profile};

const RATE: f64 = 48_000.0;
/// On a point of some grids, between two of others, and in the first interval.
const PORTS: [f64; 3] = [0.3, 0.5, 0.001];

fn parameters(stiffness: f64, losses: [f64; 2]) -> StringParameters {
    StringParameters {
        length: 0.6,
        density: 5e-3,
        tension: 100.0,
        stiffness,
        damping: losses[0],
        diffusion: losses[1],
        kelvin_voigt: 0.0,
        ends: Ends::Supported,
    }
}

fn string(clock: Clock, parameters: StringParameters, coarser: usize, ports: &[f64]) -> ExplicitString {
    let finest = parameters.finest(clock.dt).expect("a grid").intervals;
    ExplicitString::new(clock, parameters, parameters.grid(finest.div_ceil(coarser)), ports).expect("a stable string")
}

/// A string on its grid and the same string in its modes, both at rest.
struct Pair {
    bodies: [Box<dyn FastResonator>; 2],
    states: [Vec<f64>; 2],
}

impl Pair {
    fn new(string: ExplicitString, touched: usize) -> Self {
        let modes = string.touched_at(touched).expect("modes of the grid");
        let bodies: [Box<dyn FastResonator>; 2] = [Box::new(string), modes];
        let states = bodies.each_ref().map(|body| {
            let mut state = vec![0.0; body.state_len()];
            body.reset(&mut state);
            state
        });
        Self { bodies, states }
    }

    fn deflect(&mut self, deflection: Deflection) {
        for (body, state) in self.bodies.iter().zip(&mut self.states) {
            assert!(deflect(&**body, state, deflection));
        }
    }

    /// `of` for both.
    fn both<T>(&self, of: impl Fn(&dyn FastResonator, &[f64]) -> T) -> [T; 2] {
        [0, 1].map(|i| of(&*self.bodies[i], &self.states[i]))
    }

    /// The largest difference between the two at any point, relative to the largest displacement.
    fn apart(&self) -> f64 {
        let [grid, modes] = self.both(|body, state| profile(body, state));
        assert_eq!(grid.len(), modes.len());
        let largest = grid.iter().fold(1e-300, |most: f64, u| most.max(u.abs()));
        grid.iter().zip(&modes).fold(0.0, |most: f64, (u, other)| most.max((u - other).abs())) / largest
    }
}

/// Rounding error of some hundred modes, over some thousand steps with nearly lossless partials.
const ROUNDING: f64 = 1e-10;

#[test]
fn motion_and_energy_are_those_of_the_grid() {
    let mut draw = Draw::new(5);
    for scheme in [Scheme::Leapfrog, Scheme::Midpoint] {
        let clock = Clock::new(scheme, 1.0 / RATE);
        for (stiffness, losses) in
            [(0.0, [0.0; 2]), (0.0, [0.8, 1e-3]), (2e-4, [0.0; 2]), (2e-4, [0.8, 1e-3]), (2e-3, [20.0, 0.05])]
        {
            for (coarser, touched) in [(1, 0), (1, 1), (1, 2), (3, 0), (20, 1)] {
                let case = format!("{scheme:?}, EI {stiffness}, losses {losses:?}, port {touched}, 1/{coarser}");
                let mut pair = Pair::new(string(clock, parameters(stiffness, losses), coarser, &PORTS), touched);
                let [mut loudest, mut furthest, mut scale] = [1e-300; 3];
                for n in 0..3000 {
                    let force = if n % 3 == 0 { 0.0 } else { draw.uniform(-1.0, 1.0) };
                    let before = pair.both(|body, state| body.energy(state));
                    let mut results = Vec::new();
                    for (body, state) in pair.bodies.iter().zip(&mut pair.states) {
                        let free = body.free_velocity(state, touched, true);
                        let audit = body.advance_audited(state, &[touched], &[force]);
                        results.push((free, audit));
                    }
                    let [(free, audit), (other_free, other)] = results[..] else { panic!("two of them") };
                    let at_port = |of: fn(&dyn FastResonator, &[f64], usize) -> f64| {
                        pair.both(|body, state| [0, 1, 2].map(|port| of(body, state, port)))
                    };
                    let velocities = at_port(|body, state, port| body.velocity(state, port));
                    let places = at_port(|body, state, port| body.displacement(state, port));
                    for ([grid, modes], most) in [velocities, places].iter().zip([&mut loudest, &mut furthest]) {
                        *most = grid.iter().fold(*most, |most: f64, value| most.max(value.abs()));
                        for (value, other) in grid.iter().zip(modes) {
                            assert!((value - other).abs() < ROUNDING * *most, "{case}, step {n}: {value} {other}");
                        }
                    }
                    assert!((free - other_free).abs() < ROUNDING * loudest, "{case}, step {n}");
                    scale = audit.stored.max(scale);
                    assert!((audit.stored - other.stored).abs() < ROUNDING * scale, "{case}, step {n}");
                    assert!((audit.dissipated - other.dissipated).abs() < ROUNDING * scale, "{case}, step {n}");
                    // stored = previously stored + supplied − dissipated
                    let mobility = pair.bodies[1].mobility(touched, touched);
                    let supplied = clock.dt * force * (other_free + mobility * force);
                    let residual = other.stored - before[1] - supplied + other.dissipated;
                    assert!(residual.abs() < 1e-13 * scale, "{case}, step {n}: {residual:e} of {scale:e}");
                }
                assert!(pair.apart() < ROUNDING, "{case}: {:e}", pair.apart());
                let [grid, modes] = pair.both(|body, _| [0, 1, 2].map(|port| body.mobility(touched, port)));
                for (grid, other) in grid.iter().zip(modes) {
                    let own = pair.bodies[0].mobility(touched, touched);
                    assert!((grid - other).abs() < 1e-13 * own, "{case}: {grid} {other}");
                }
            }
        }
    }
}

#[test]
fn deflections_are_those_of_the_grid() {
    for (scheme, diffusion) in [(Scheme::Leapfrog, 0.0), (Scheme::Midpoint, 0.0), (Scheme::Midpoint, 1e-3)] {
        let clock = Clock::new(scheme, 1.0 / RATE);
        for stiffness in [0.0, 2e-4] {
            for deflection in [
                Deflection::Static { port: 0, displacement: 1e-3 },
                Deflection::Static { port: 1, displacement: -2e-3 },
                Deflection::Fundamental { displacement: 1e-3 },
            ] {
                let case = format!("{scheme:?}, EI {stiffness}, {deflection:?}");
                let mut pair = Pair::new(string(clock, parameters(stiffness, [0.8, diffusion]), 1, &PORTS), 1);
                pair.deflect(deflection);
                assert!(pair.apart() < 1e-12, "{case}: {:e}", pair.apart());
                for _ in 0..1000 {
                    for (body, state) in pair.bodies.iter().zip(&mut pair.states) {
                        body.free_velocity(state, 1, false);
                        body.advance_single_port(state, 1, 0.0);
                    }
                }
                assert!(pair.apart() < ROUNDING, "{case}: {:e}", pair.apart());
                let [energy, other] = pair.both(|body, state| body.energy(state));
                assert!(energy > 0.0 && (energy - other).abs() < ROUNDING * energy, "{case}: {energy} {other}");
            }
        }
    }
}

#[test]
fn it_stays_on_its_grid_where_its_modes_are_no_sines_or_ports_are_many_or_move() {
    let clock = Clock::new(Scheme::Leapfrog, 1.0 / RATE);
    let stays = |string: ExplicitString| string.touched_at(0).is_none();
    let stiff = parameters(2e-4, [0.8, 1e-3]);
    assert!(!stays(string(clock, stiff, 1, &PORTS)));
    let fixed = |parameters| StringParameters { ends: Ends::Fixed, ..parameters };
    assert!(stays(string(clock, fixed(stiff), 1, &PORTS)));
    assert!(!stays(string(clock, fixed(parameters(0.0, [0.8, 1e-3])), 1, &PORTS)), "what does not bend ends alike");
    assert!(stays(string(clock, stiff, 1, &[0.1, 0.2, 0.3, 0.4])));
    assert!(stays(string(clock, stiff, 1, &PORTS).with_movable(1)));
    let long = StringParameters { length: 60.0, ..stiff };
    assert!(stays(string(clock, long, 1, &PORTS)));
}
