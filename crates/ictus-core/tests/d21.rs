//! Ducceschi et al. 2021, Figures 1 and 2, compared with independent values. [handbook §2, reference numbers]

use ictus_core::{
    Clock, Collision, Contact, End, Gradient, Law, Mass, ModelBuilder, PowerLaw, Quadratised, Scheme, State, step,
};

const MASS: f64 = 0.01; // kg
const SPRING: f64 = 3.95e3; // N/m
const EXPONENT: f64 = 1.3;
const RATE: f64 = 44_100.0;

#[derive(Clone, Copy, Debug, PartialEq)]
enum ContactMethod {
    Iterative,
    Fixed(Gradient),
}

fn law(method: ContactMethod, clock: Clock, power: PowerLaw) -> Law {
    match method {
        ContactMethod::Iterative => Collision::new(clock, power, 0.0).into(),
        ContactMethod::Fixed(gradient) => Quadratised::new(clock, power, gradient).into(),
    }
}

struct Figure1 {
    penetration: f64,
    rebound: f64,
    residual: f64,
    iterations: u32,
    pull: f64,
}

fn figure_1(method: ContactMethod, scheme: Scheme, stiffness: f64) -> Figure1 {
    let clock = Clock::new(scheme, 1.0 / RATE);
    let mut builder = ModelBuilder::new(clock);
    let ball = builder.body("ball", Mass::new(clock, MASS, SPRING, 0.0).unwrap().starting(-0.01, 1.5));
    let law = law(method, clock, PowerLaw::new(stiffness, EXPONENT));
    let wall = builder.contact(Contact::new("wall", [End::port(ball, 0), End::Wall], law));
    let model = builder.build().unwrap();
    let mut state = State::new(&model);
    let (mut penetration, mut rebound, mut pull) = (0.0_f64, 0.0_f64, 0.0_f64);
    let mut touched = false;
    for n in 0..4410 {
        step(&model, &mut state);
        let force = state.contact_force(wall);
        touched |= force > 0.0;
        pull = pull.min(force);
        let u = state.displacement(&model, ball, 0);
        // the first impact and its rebound: the spring's period is 443 samples
        if n < 250 {
            penetration = penetration.max(u);
            if touched && u < 0.0 {
                rebound = rebound.max(-state.velocity(&model, ball, 0));
            }
        }
    }
    assert!(touched, "{method:?} {scheme:?} K={stiffness:e}: no contact");
    Figure1 {
        penetration,
        rebound,
        residual: state.ledger.max_residual_rel(),
        iterations: state.counts.max_iterations,
        pull,
    }
}

/// Energy at the start, J, and the compression that holds all of it, by bisection.
fn exact(stiffness: f64) -> (f64, f64) {
    let energy = 0.5 * MASS * 1.5 * 1.5 + 0.5 * SPRING * 0.01 * 0.01;
    let (mut lo, mut hi) = (0.0, 0.02);
    for _ in 0..200 {
        let x: f64 = 0.5 * (lo + hi);
        let stored = 0.5 * SPRING * x * x + stiffness / (EXPONENT + 1.0) * libm::pow(x, EXPONENT + 1.0);
        if stored < energy { lo = x } else { hi = x }
    }
    (energy, lo)
}

#[test]
fn figure_1_penetration_rebound_energy() {
    let (energy, _) = exact(1e5);
    let impact = (2.0 * energy / MASS).sqrt();
    println!("E = {energy:.5} J, impact at {impact:.4} m/s");
    assert!((energy - 0.20875).abs() < 1e-5 && (impact - 6.4614).abs() < 1e-4);
    for (stiffness, printed) in [(1e5, 4.450e-3), (1e7, 0.6565e-3), (1e9, 88.8e-6)] {
        assert!((exact(stiffness).1 / printed - 1.0).abs() < 1e-3, "exact value of the handbook at {stiffness:e}");
    }
    let methods =
        [ContactMethod::Iterative, ContactMethod::Fixed(Gradient::Current), ContactMethod::Fixed(Gradient::Corrected)];
    for method in methods {
        for scheme in [Scheme::Midpoint, Scheme::Leapfrog] {
            for (stiffness, newton) in [(1e5, [3, 3]), (1e7, [3, 4]), (1e9, [5, 6]), (1e11, [9, 10]), (1e13, [13, 14])]
            {
                let found = figure_1(method, scheme, stiffness);
                let depth = exact(stiffness).1;
                println!(
                    "{method:?} {scheme:?} K={stiffness:e}: penetration {:.4e} (exact {depth:.4e}), rebound {:.4}, residual {:.1e}, iterations {}",
                    found.penetration, found.rebound, found.residual, found.iterations
                );
                if stiffness <= 1e7 {
                    assert!((found.penetration / depth - 1.0).abs() < 0.05, "penetration {:e}", found.penetration);
                    assert!((found.rebound / impact - 1.0).abs() < 1e-3, "rebound {}", found.rebound);
                }
                assert!(found.residual < 1e-12, "energy error {:e}", found.residual);
                assert!(found.pull >= 0.0, "pulls with {:e} N", found.pull);
                let limit = newton[usize::from(scheme == Scheme::Leapfrog)];
                assert!(found.iterations <= limit, "{} iterations, Newton needs {limit}", found.iterations);
            }
        }
    }
}

/// Reference: plain Newton from the free step, as in the paper, tolerance 1e-14. Returns the largest number of iterations.
fn plain_newton(scheme: Scheme, stiffness: f64) -> u32 {
    let k = 1.0 / RATE;
    let phi = |x: f64| if x > 0.0 { stiffness / (EXPONENT + 1.0) * libm::pow(x, EXPONENT + 1.0) } else { 0.0 };
    let force = |x: f64| if x > 0.0 { stiffness * libm::pow(x, EXPONENT) } else { 0.0 };
    let quotient = |a: f64, s: f64| if s.abs() > 1e-15 { (phi(a + s) - phi(a)) / s } else { force(a) };
    let slope = |a: f64, s: f64| if s.abs() > 1e-15 { (force(a + s) - quotient(a, s)) / s } else { 0.0 };
    let (mut u, mut most) = (-0.01, 0);
    let newton = |mut s: f64, a: f64, b: f64, c: f64, linear: f64, most: &mut u32| {
        for iteration in 1..=100 {
            let step = (linear * s - b + c * quotient(a, s)) / (linear + c * slope(a, s));
            s -= step;
            if step.abs() < 1e-14 {
                *most = iteration.max(*most);
                return s;
            }
        }
        *most = 100;
        s
    };
    match scheme {
        Scheme::Midpoint => {
            let (mut p, mut s) = (MASS * 1.5, 1.5 * k);
            for _ in 0..4410 {
                let c = k * k / (2.0 * MASS);
                s = newton(s, u, k * p / MASS - c * SPRING * u, c, 1.0 + 0.5 * c * SPRING, &mut most);
                u += s;
                p = 2.0 * MASS * s / k - p;
            }
        }
        Scheme::Leapfrog => {
            let mut last = u;
            u += k * 1.5 - 0.5 * k * k * SPRING / MASS * u;
            let mut s = u - last;
            for _ in 0..4410 {
                let c = k * k / MASS;
                let b = 2.0 * (u - last) - c * SPRING * u;
                s = newton(s, last, b, c, 1.0, &mut most);
                (last, u) = (u, last + s);
            }
        }
    }
    most
}

#[test]
fn figure_1_plain_newton_needs_more_iterations() {
    for (stiffness, printed) in [(1e5, [3, 3]), (1e7, [3, 4]), (1e9, [5, 6]), (1e11, [9, 10]), (1e13, [13, 14])] {
        let most = [Scheme::Midpoint, Scheme::Leapfrog].map(|scheme| plain_newton(scheme, stiffness));
        let own = [Scheme::Midpoint, Scheme::Leapfrog]
            .map(|scheme| figure_1(ContactMethod::Iterative, scheme, stiffness).iterations);
        println!("K={stiffness:e}: plain Newton {most:?}, handbook {printed:?}, ictus {own:?}");
        assert!(own[0] <= most[0] && own[1] <= most[1], "plain Newton is better");
    }
}

/// Error after the bounce of D21 Fig. 2: a free mass against a linear barrier, half-step start.
fn figure_2_error(method: ContactMethod, scheme: Scheme, stiffness: f64, rate: f64) -> f64 {
    let (speed, position, end) = (1.0, -1.0e-3, 4.0e-3); // m/s, m, s: after the longest collision, π√(M/K) = 3.1 ms at 1e4
    let k = 1.0 / rate;
    let start = -speed * k * ((-position / (speed * k)).floor() + 0.5);
    let clock = Clock::new(scheme, k);
    let mut builder = ModelBuilder::new(clock);
    let ball = builder.body("ball", Mass::new(clock, MASS, 0.0, 0.0).unwrap());
    let law = law(method, clock, PowerLaw::new(stiffness, 1.0));
    let wall = builder.contact(Contact::new("wall", [End::port(ball, 0), End::Wall], law));
    let model = builder.build().unwrap();
    let mut state = State::new(&model);
    state.throw(&model, ball, speed, Some(start));
    let steps = ((end + 1.0e-3) / k).round() as usize;
    let mut touched = false;
    for _ in 0..steps {
        step(&model, &mut state);
        touched |= state.contact_force(wall) > 0.0;
    }
    assert!(touched && state.contact_force(wall) == 0.0, "the ball has not come back");
    let t = steps as f64 * k;
    let exact = -(t + start / speed - std::f64::consts::PI * (MASS / stiffness).sqrt()) * speed;
    (state.displacement(&model, ball, 0) - exact).abs()
}

/// Slope of log error against log step, least squares over the rates.
fn order(method: ContactMethod, scheme: Scheme, stiffness: f64, rates: &[f64]) -> f64 {
    let points: Vec<(f64, f64)> = rates
        .iter()
        .map(|&rate| (libm::log(1.0 / rate), libm::log(figure_2_error(method, scheme, stiffness, rate))))
        .collect();
    let n = points.len() as f64;
    let (mx, my) = (points.iter().map(|p| p.0).sum::<f64>() / n, points.iter().map(|p| p.1).sum::<f64>() / n);
    points.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum::<f64>()
        / points.iter().map(|p| (p.0 - mx) * (p.0 - mx)).sum::<f64>()
}

#[test]
fn figure_2_orders() {
    let rates: Vec<f64> = (0..24).map(|i| 22_050.0 * libm::pow(2.0, i as f64 / 4.0)).collect();
    let methods = [
        ("IT-1", ContactMethod::Iterative, Scheme::Midpoint),
        ("IT-2", ContactMethod::Iterative, Scheme::Leapfrog),
        ("N-IT current", ContactMethod::Fixed(Gradient::Current), Scheme::Leapfrog),
        ("N-IT corrected", ContactMethod::Fixed(Gradient::Corrected), Scheme::Leapfrog),
        ("N-IT corrected, midpoint", ContactMethod::Fixed(Gradient::Corrected), Scheme::Midpoint),
        ("N-IT current, midpoint", ContactMethod::Fixed(Gradient::Current), Scheme::Midpoint),
    ];
    // [handbook §2]; the midpoint N-IT has no published value and must not be worse
    let printed = [[2.0, 2.0, 1.89, 1.04], [2.0, 2.0, 1.84, 1.03], [2.0, 2.0, 1.88, 1.08]];
    let printed = printed.into_iter().chain([printed[2]; 3]).collect::<Vec<_>>();
    for (i, (name, method, scheme)) in methods.into_iter().enumerate() {
        let orders = [1e4, 1e6, 1e8, 1e12].map(|stiffness| order(method, scheme, stiffness, &rates));
        println!("{name}: orders {orders:.2?} at K = 1e4, 1e6, 1e8, 1e12, 22 kHz to 1.2 MHz");
        for (order, printed) in orders.iter().zip(printed.get(i).into_iter().flatten()) {
            assert!((order - printed).abs() <= 0.1, "{name}: order {order:.2}, handbook {printed}");
        }
    }
}
