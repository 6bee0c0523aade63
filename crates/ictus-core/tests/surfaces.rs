//! Membranes and plates: frequencies of their modes, convergence, invalid parameters.

use ictus_core::{
    Clock, Deflect, Deflection, Edge, Outline, Resonator, Scheme, Surface, SurfaceGrid, SurfaceParameters,
};
use ictus_testkit::bodies::surface_parameters;
use ictus_testkit::eigen::frequencies;
use ictus_testkit::scene::SCHEMES;
use ictus_testkit::signal::{cents, pole};
use std::f64::consts::{PI, TAU};

const RATE: f64 = 48_000.0;

fn clock() -> Clock {
    Clock::new(Scheme::Leapfrog, 1.0 / RATE)
}

fn square(n: usize) -> SurfaceGrid {
    SurfaceGrid { columns: n, rows: n }
}

/// Lowest roots of J_m, each as often as it has modes.
fn bessel_roots() -> Vec<f64> {
    let table = [
        (0, 2.404_825_557_7),
        (1, 3.831_705_970_2),
        (2, 5.135_622_301_8),
        (0, 5.520_078_110_3),
        (3, 6.380_161_895_9),
        (1, 7.015_586_669_8),
        (4, 7.588_342_434_5),
        (2, 8.417_244_140_4),
        (0, 8.653_727_912_9),
        (5, 8.771_483_816_0),
        (3, 9.761_023_129_9),
        (6, 9.936_109_524_2),
    ];
    let roots: Vec<f64> =
        table.iter().flat_map(|&(m, root)| std::iter::repeat_n(root, if m == 0 { 1 } else { 2 })).collect();
    roots[..20].to_vec()
}

/// Deviation of the eigenfrequencies of a body from `theory` (Hz), in cents.
fn off(parameters: SurfaceParameters, grid: SurfaceGrid, theory: &[f64]) -> Vec<f64> {
    let body = Surface::new(clock(), parameters, grid, &[]).unwrap();
    let rigid = if parameters.edge == Edge::Free { 3 } else { 0 };
    let found = frequencies(&body, clock(), theory.len() + rigid);
    assert!(found[..rigid].iter().all(|f| *f < 1e-3 * theory[0]), "rigid motion has a pitch: {found:?}");
    found[rigid..].iter().zip(theory).map(|(found, theory)| cents(*found, *theory)).collect()
}

fn worst(off: &[f64]) -> f64 {
    off.iter().fold(0.0, |worst: f64, x| worst.max(x.abs()))
}

fn sorted_rectangle(wave: impl Fn(f64) -> f64, sides: [f64; 2]) -> Vec<f64> {
    let mut list: Vec<f64> = (1..16)
        .flat_map(|m| (1..16).map(move |n| (f64::from(m), f64::from(n))))
        .map(|(m, n)| wave((m * PI / sides[0]) * (m * PI / sides[0]) + (n * PI / sides[1]) * (n * PI / sides[1])))
        .collect();
    list.sort_by(f64::total_cmp);
    list.truncate(20);
    list
}

#[test]
fn rectangles_sound_as_computed() {
    for plate in [false, true] {
        let parameters = surface_parameters(Outline::Rectangle([0.09, 0.07]), plate, Edge::Supported, false);
        let finest = parameters.finest(clock().dt).unwrap();
        let omega = |q: f64| ((parameters.tension * q + parameters.rigidity * q * q) / parameters.density).sqrt();
        let theory = sorted_rectangle(|q| omega(q) / TAU, [0.09, 0.07]);
        let body = Surface::new(clock(), parameters, finest, &[[0.3, 0.4]]).unwrap();
        let found = frequencies(&body, clock(), 20);
        let mut computed: Vec<f64> = (1..finest.columns)
            .flat_map(|m| (1..finest.rows).map(move |n| [m, n]))
            .filter_map(|mode| parameters.grid_frequency(clock().dt, finest, mode))
            .collect();
        computed.sort_by(f64::total_cmp);
        let own = worst(&found.iter().zip(&computed).map(|(a, b)| cents(*a, *b)).collect::<Vec<_>>());
        let errors: Vec<f64> = found.iter().zip(&theory).map(|(a, b)| cents(*a, *b)).collect();
        println!("plate {plate} {finest:?}: {own:.1e} cent off its own dispersion; off the continuum {errors:.1?}");
        assert!(own < 1e-6);
        // the simulated frequencies are those of the matrix
        for scheme in SCHEMES {
            let body = Surface::new(Clock::new(scheme, 1.0 / RATE), parameters, finest, &[[0.3, 0.4]]).unwrap();
            let mut state = vec![0.0; body.state_len()];
            assert!(body.deflect(&mut state, Deflection::Fundamental { displacement: 1e-3 }));
            let signal: Vec<f64> = (0..8000)
                .map(|_| {
                    body.free_velocities(&mut state, &[], &mut []);
                    body.advance(&mut state, &[], &[], false);
                    body.displacement(&state, 0)
                })
                .collect();
            let (measured, sigma) = pole(&signal, RATE, found[0]);
            assert!(
                cents(measured, found[0]).abs() < 1e-3 && sigma.abs() < 1e-3,
                "{scheme:?}: {measured} Hz, {sigma} 1/s"
            );
        }
    }
}

/// Orders from errors at grids that double.
fn orders(errors: &[f64]) -> Vec<f64> {
    errors.windows(2).map(|pair| libm::log2(pair[0] / pair[1])).collect()
}

#[test]
fn supported_rectangles_converge_at_second_order() {
    for plate in [false, true] {
        let sides = [0.6, 0.5];
        let parameters = surface_parameters(Outline::Rectangle(sides), plate, Edge::Supported, false);
        // time much finer than space, so that the error of space dominates
        let dt = 1e-8;
        let omega = |q: f64| ((parameters.tension * q + parameters.rigidity * q * q) / parameters.density).sqrt();
        let q = (2.0 * PI / sides[0]) * (2.0 * PI / sides[0]) + (3.0 * PI / sides[1]) * (3.0 * PI / sides[1]);
        let errors = [10, 20, 40, 80]
            .map(|n| cents(parameters.grid_frequency(dt, square(n), [2, 3]).unwrap(), omega(q) / TAU).abs());
        println!("plate {plate}: cents {errors:.3?}, orders {:.2?}", orders(&errors));
        assert!(orders(&errors).iter().all(|order| *order > 1.9));
    }
}

#[test]
fn round_membranes_sound_at_bessel_roots() {
    let mut means = Vec::new();
    for n in [12, 22, 32] {
        let parameters = surface_parameters(Outline::Disc(0.15), false, Edge::Supported, false);
        let wave = (parameters.tension / parameters.density).sqrt();
        let theory: Vec<f64> = bessel_roots().iter().map(|root| root * wave / (TAU * 0.15)).collect();
        let errors = off(parameters, square(n), &theory);
        means.push(worst(&errors));
        println!("n = {n}: cents of the first 20 modes {errors:.1?}");
        assert!(errors[0].abs() < 1.0, "the lowest mode is where it should be: {}", errors[0]);
    }
    let order = libm::log(means[0] / means[2]) / libm::log(32.0 / 12.0);
    println!("worst {means:.1?}, order {order:.2}");
    assert!(order > 1.5 && means[2] < 30.0);
}

/// Published values, ν = 0.3: the squares after Leissa and Gorman, the discs after Leissa.
#[test]
fn plates_sound_as_published() {
    // ω a² √(ρ/D) of a clamped square and of a free one with ν = 0.3, of a clamped disc and a free one
    let clamped = [35.985, 73.394, 73.394, 108.217, 131.581, 132.205];
    let free = [13.468, 19.596, 24.270, 34.801, 34.801, 61.093, 61.093];
    let clamped_disc = [10.216, 21.26, 21.26, 34.88, 34.88, 39.771, 51.04, 51.04];
    let free_disc = [5.358, 5.358, 9.003, 12.44, 12.44, 20.47, 20.47];
    let cases = [
        ("clamped square", Outline::Rectangle([0.5; 2]), Edge::Clamped, &clamped[..], [7, 14, 28]),
        ("free square", Outline::Rectangle([0.5; 2]), Edge::Free, &free[..], [7, 14, 28]),
        ("clamped disc", Outline::Disc(0.25), Edge::Clamped, &clamped_disc[..], [10, 18, 28]),
        ("free disc", Outline::Disc(0.25), Edge::Free, &free_disc[..], [10, 18, 28]),
    ];
    for (name, outline, edge, values, grids) in cases {
        let parameters = surface_parameters(outline, true, edge, false);
        let side = match outline {
            Outline::Rectangle([side, _]) => side,
            Outline::Disc(radius) => radius,
        };
        let wave = (parameters.rigidity / parameters.density).sqrt();
        let theory: Vec<f64> = values.iter().map(|value| value * wave / (side * side * TAU)).collect();
        let errors: Vec<Vec<f64>> = grids.iter().map(|&n| off(parameters, square(n), &theory)).collect();
        for (n, errors) in grids.iter().zip(&errors) {
            println!("{name} n = {n}: cents {errors:.1?}");
        }
        let [first, .., last] = &errors[..] else { unreachable!("three grids") };
        let order = libm::log(worst(first) / worst(last)) / libm::log(grids[2] as f64 / grids[0] as f64);
        println!("{name}: order {order:.2}");
        // the staircase boundary shifts single modes, so its order is less certain
        let (least, most) = if matches!(outline, Outline::Disc(_)) { (1.5, 45.0) } else { (1.85, 35.0) };
        assert!(order > least && worst(last) < most, "{name}: order {order}, {last:?}");
    }
}

/// The two modes with two nodal diameters have one frequency; a lattice splits them. λ² of a free disc with ν = 0.33 from the frequency equation [Leissa 1969 §2.1].
#[test]
fn the_lowest_pair_of_a_free_disc_is_one_pitch() {
    let mut means = Vec::new();
    for cells in 19..=36 {
        let parameters =
            SurfaceParameters { poisson: 0.33, ..surface_parameters(Outline::Disc(0.25), true, Edge::Free, false) };
        let wave = (parameters.rigidity / parameters.density).sqrt();
        let theory = 5.262_036_96 * wave / (0.25 * 0.25 * TAU);
        let pair = off(parameters, square(cells), &[theory; 2]);
        println!("{cells} cells: {pair:.2?} cents");
        let [low, high] = [pair[0], pair[1]];
        // 22 and 25 cells are the only ones beyond 2 cents (2.02, 2.07); of 26 and more 29 are the worst (1.18)
        let most = if cells == 22 || cells == 25 {
            2.1
        } else if cells < 26 {
            2.0
        } else {
            1.3
        };
        assert!((high - low).abs() < most, "{cells} cells: split {pair:?}");
        if [20, 34].contains(&cells) {
            means.push(0.5 * (low + high));
        }
    }
    let order = libm::log(means[0] / means[1]) / libm::log(34.0 / 20.0);
    assert!((1.7..2.5).contains(&order) && means[1].abs() < 4.5, "order {order}: {means:?}");
}

#[test]
fn invalid_parameters_are_rejected() {
    let dt = 1.0 / RATE;
    let membrane = surface_parameters(Outline::Disc(0.15), false, Edge::Supported, false);
    let finest = membrane.finest(dt).unwrap();
    let finer = square(finest.columns + 2);
    let refused = |parameters: SurfaceParameters, grid, ports: &[[f64; 2]]| {
        let error = Surface::new(clock(), parameters, grid, ports).unwrap_err().to_string();
        println!("{error}");
        error
    };
    assert!(Surface::new(clock(), membrane, finest, &[[0.0, 0.9]]).is_ok());
    assert!(refused(membrane, finer, &[]).contains("stability limit"));
    assert!(refused(membrane, square(3), &[]).contains("4 to 1000"));
    assert!(refused(membrane, SurfaceGrid { columns: 20, rows: 21 }, &[]).contains("round"));
    assert!(refused(membrane, square(20), &[[0.8, 0.8]]).contains("unit disc"));
    assert!(refused(membrane, square(20), &[[1.0, 0.0]]).contains("inside the rim"));
    assert!(refused(SurfaceParameters { edge: Edge::Free, ..membrane }, square(20), &[]).contains("free edges"));
    let plate = surface_parameters(Outline::Disc(0.15), true, Edge::Supported, false);
    assert!(refused(plate, square(20), &[]).contains("clamped or free"));
    assert!(refused(SurfaceParameters { density: f64::NAN, ..membrane }, square(20), &[]).contains("density"));
    let tiny = SurfaceParameters { outline: Outline::Disc(1e-3), ..membrane };
    assert!(tiny.finest(dt).unwrap_err().to_string().contains("too small"));
}

#[test]
fn static_shapes_rest() {
    for (outline, plate, edge) in [
        (Outline::Disc(0.05), false, Edge::Supported),
        (Outline::Rectangle([0.06, 0.04]), false, Edge::Supported),
        (Outline::Rectangle([0.5, 0.4]), true, Edge::Clamped),
    ] {
        let parameters = surface_parameters(outline, plate, edge, false);
        let grid = parameters.finest(clock().dt).unwrap();
        for scheme in SCHEMES {
            let clock = Clock::new(scheme, 1.0 / RATE);
            let body = Surface::new(clock, parameters, grid, &[[0.5, 0.5]]).unwrap();
            let mut state = vec![0.0; body.state_len()];
            assert!(body.deflect(&mut state, Deflection::Static { port: 0, displacement: 1e-3 }));
            assert!((body.displacement(&state, 0) - 1e-3).abs() < 1e-6, "{}", body.displacement(&state, 0));
            // at rest everywhere except under the port, whose force is gone
            let mut free = [0.0];
            body.free_velocities(&mut state, &[0], &mut free);
            let before = body.energy(&state);
            assert!(before > 0.0);
            body.advance(&mut state, &[], &[], false);
            assert!((body.energy(&state) / before - 1.0).abs() < 1e-12);
        }
    }
}

#[test]
fn surfaces_stay_bounded_at_the_limit() {
    for outline in [Outline::Rectangle([0.5, 0.35]), Outline::Disc(0.3)] {
        for (plate, edge) in
            [(false, Edge::Supported), (true, Edge::Supported), (true, Edge::Clamped), (true, Edge::Free)]
        {
            for poisson in if edge == Edge::Free { &[0.0, 0.3, 0.5][..] } else { &[0.3] } {
                for lossy in [false, true] {
                    let parameters = surface_parameters(outline, plate, edge, lossy);
                    let mut parameters = SurfaceParameters { poisson: *poisson, ..parameters };
                    // shortened until some seven cells are at the limit
                    let scale = 7.0 * parameters.spacing_limit(1.0 / RATE) / 0.35;
                    parameters.outline = match outline {
                        Outline::Rectangle(sides) => Outline::Rectangle(sides.map(|side| side * scale)),
                        Outline::Disc(radius) => Outline::Disc(radius * scale),
                    };
                    let Ok(grid) = parameters.finest(1.0 / RATE) else { continue };
                    let body = Surface::new(clock(), parameters, grid, &[[0.41, 0.33]]).unwrap();
                    let mut state = vec![0.0; body.state_len()];
                    body.free_velocities(&mut state, &[], &mut []);
                    body.advance(&mut state, &[0], &[1.0], false);
                    let initial = body.energy(&state);
                    for _ in 0..20_000 {
                        body.free_velocities(&mut state, &[], &mut []);
                        body.advance(&mut state, &[], &[], false);
                    }
                    let (energy, name) =
                        (body.energy(&state), format!("{outline:?} {plate} {edge:?} ν {poisson} lossy {lossy}"));
                    let largest = state[..state.len() / 3].iter().fold(0.0_f64, |most, x| most.max(x.abs()));
                    assert!(largest < 10.0, "{name}: grew to {largest:e}");
                    // a free plate drifts away, and the rounding of its differences grows with the distance
                    assert!(energy <= initial * (1.0 + 1e-9), "{name}: energy rose by {:e}", energy / initial - 1.0);
                }
            }
        }
    }
}
