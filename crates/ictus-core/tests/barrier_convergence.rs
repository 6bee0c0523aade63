//! Convergence of hard barriers with refinement, for every default method. [handbook §7]
//!
//! Setup. The ideal string of CW14 (0.7 m, 1 g/m, 100 N) is released from its fundamental, 2 mm high, over a barrier under its whole
//! length with K = 1e12 N/m^1.2 at every point: rigid on the scale of the motion. The time step is that of the exact leapfrog string, the spacing
//! over the wave speed, and falls with the grid. The error is the rms over 24 points and all sampled times, relative to the motion,
//! against the explicit discrete gradient on a grid eight times finer than the finest measured.
//!
//! A rigid barrier makes corners, and the arrival time of a point is resolved to one step only: the order is one, and for a single barrier the error
//! fluctuates with the position of the grid. So errors are pooled over random barriers, flat to strongly curved.
//!
//! The duration is one free period, with landing, wrapping and separation. The exact string (explicit, modal) may continue; corners that travel on an implicit grid
//! disperse, with or without a barrier, and from then on that error dominates: a free string plucked to a corner shows it.

use ictus_core::{Deflection, Ends, Gradient, PowerLaw, Scheme, StringParameters, step};
use ictus_testkit::scene::ContactMethod;
use ictus_testkit::scene::barrier::{Make, Plan, Point};
use ictus_testkit::{Draw, draws};

const PARAMETERS: StringParameters = StringParameters {
    length: 0.7,
    density: 0.001,
    tension: 100.0,
    stiffness: 0.0,
    damping: 0.0,
    diffusion: 0.0,
    kelvin_voigt: 0.0,
    ends: Ends::Supported,
};
const AMPLITUDE: f64 = 2e-3; // m
/// The sampled points divide the string into this many parts; every grid is a multiple.
const SAMPLES: usize = 25;

/// A barrier −amplitude·(depth + curve·x²) under the whole string; none if infinitely deep.
#[derive(Clone, Copy)]
struct Profile {
    depth: f64,
    curve: f64,
}

/// A discretisation: structure, method, intervals.
type Method = (Make, ContactMethod, usize);

/// Displacements at all sampled points, SAMPLES times per transit of the string, over `periods` free periods.
fn motion((make, method, n): Method, profile: Profile, deflection: Deflection, periods: usize) -> Vec<f64> {
    let points: Vec<Point> = (1..n)
        .map(|i| i as f64 / n as f64)
        .map(|x| (x, -AMPLITUDE * (profile.depth + profile.curve * x * x)))
        .filter(|point| point.1.is_finite())
        .collect();
    let wave = (PARAMETERS.tension / PARAMETERS.density).sqrt();
    let plan = Plan {
        make,
        dt: PARAMETERS.length / (n as f64 * wave),
        parameters: PARAMETERS,
        fineness: n - usize::from(matches!(make, Make::Modal(_))),
        points,
        power: PowerLaw::new(1e12, 1.2),
        method,
        hand: 0.4,
        probes: (1..SAMPLES).map(|i| i as f64 / SAMPLES as f64).collect(),
    };
    let mut strung = plan.build();
    let deflection = match deflection {
        Deflection::Static { displacement, .. } => Deflection::Static { port: strung.port, displacement },
        other => other,
    };
    strung.scene.state.deflect(&strung.scene.model, strung.string, deflection);
    strung.scene.state.ledger.enabled = false;
    let mut shapes = Vec::new();
    for i in 1..=2 * n * periods {
        step(&strung.scene.model, &mut strung.scene.state);
        if i % (n / SAMPLES) == 0 {
            shapes.extend(strung.shape());
        }
    }
    let counts = &strung.scene.state.counts;
    assert!(plan.points.is_empty() || counts.solves > 2, "the string met the barrier {} times", counts.solves);
    assert_eq!(counts.missed, 0);
    shapes
}

/// Mean square of a − b relative to that of b.
fn error(a: &[f64], b: &[f64]) -> f64 {
    let squares = |values: &mut dyn Iterator<Item = f64>| values.map(|x| x * x).sum::<f64>();
    squares(&mut a.iter().zip(b).map(|(a, b)| a - b)) / squares(&mut b.iter().copied())
}

const ROUND: Deflection = Deflection::Fundamental { displacement: AMPLITUDE };
const CORNER: Deflection = Deflection::Static { port: 0, displacement: AMPLITUDE };

/// Errors at three sizes, pooled over barriers with their references.
fn pooled(
    make: Make,
    method: ContactMethod,
    sizes: [usize; 3],
    cases: &[(Profile, Vec<f64>)],
    periods: usize,
) -> [f64; 3] {
    let errors = sizes.map(|n| {
        let sum: f64 =
            cases.iter().map(|(at, exact)| error(&motion((make, method, n), *at, ROUND, periods), exact)).sum();
        (sum / cases.len() as f64).sqrt()
    });
    println!(
        "{make:?} {method:?}, {periods} periods: rms error {errors:.4?} at N = {sizes:?}, ratios {:.2} {:.2}",
        errors[0] / errors[1],
        errors[1] / errors[2]
    );
    errors
}

/// Random barriers with the motion on a fine grid.
fn references(count: usize, fine: usize, periods: usize) -> Vec<(Profile, Vec<f64>)> {
    let mut draw = Draw::new(0x6_0000);
    (0..count)
        .map(|_| Profile { curve: draw.uniform(0.0, 3.0), depth: draw.uniform(0.0, 0.5) })
        .map(|profile| {
            (
                profile,
                motion((Make::Explicit(Scheme::Leapfrog), ContactMethod::LOSSLESS, fine), profile, ROUND, periods),
            )
        })
        .collect()
}

fn assert_converges(errors: [f64; 3]) {
    assert!(errors[0] >= 1.8 * errors[1] && errors[1] >= 1.8 * errors[2], "{errors:?}");
}

/// A dense solve of 400 modal contacts costs too much here: modes are measured at a quarter to one half of that.
fn sizes(make: Make) -> [usize; 3] {
    if matches!(make, Make::Modal(_)) { [50, 100, 200] } else { [100, 200, 400] }
}

#[test]
fn every_default_converges_on_hard_barriers() {
    let cases = references(draws(4), 3200, 1);
    for make in Make::ALL {
        assert_converges(pooled(make, ContactMethod::LOSSLESS, sizes(make), &cases, 1));
    }
    // ψ of the leapfrog scheme begins up to one step late, which does not converge on a rigid barrier [handbook §7]; in the
    // midpoint scheme it begins where the gap closes
    let fixed = ContactMethod::Quadratised(Gradient::Corrected);
    assert_converges(pooled(Make::Implicit, fixed, sizes(Make::Implicit), &cases, 1));
    for make in [Make::Explicit(Scheme::Leapfrog), Make::Explicit(Scheme::Midpoint), Make::Modal(Scheme::Leapfrog)] {
        pooled(make, fixed, sizes(make), &cases, 1);
    }
}

#[test]
fn exact_strings_converge_beyond_one_period() {
    let cases = references(draws(3), 1600, 2);
    for make in [Make::Explicit(Scheme::Leapfrog), Make::Explicit(Scheme::Midpoint), Make::Modal(Scheme::Leapfrog)] {
        assert_converges(pooled(make, ContactMethod::LOSSLESS, sizes(make), &cases, 2));
    }
    pooled(Make::Implicit, ContactMethod::LOSSLESS, sizes(Make::Implicit), &cases, 2);
    let free = Profile { depth: f64::INFINITY, curve: 0.0 };
    let exact = motion((Make::Explicit(Scheme::Leapfrog), ContactMethod::LOSSLESS, 1600), free, CORNER, 2);
    let errors = [100, 200, 400]
        .map(|n| error(&motion((Make::Implicit, ContactMethod::LOSSLESS, n), free, CORNER, 2), &exact).sqrt());
    println!(
        "free implicit string plucked to a corner: rms error {errors:.4?}, ratios {:.2} {:.2}",
        errors[0] / errors[1],
        errors[1] / errors[2]
    );
}
