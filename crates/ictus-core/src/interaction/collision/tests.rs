use super::*;
use crate::clock::Scheme;
use crate::root::ROUNDING;
use ictus_kernels::LANES;
use ictus_kernels::collision::{enter, press};
use ictus_testkit::Draw;

/// If one evaluation suffices, the force is the mean force of the step, and the step lies on the line, both to rounding.
#[test]
fn one_evaluation_is_as_good_as_more() {
    let mut random = Draw::new(3);
    let mut draw = |low: f64, high: f64| random.uniform(low, high);
    let (mut once, mut all) = (0, 0);
    for round in 0..100_000 {
        let scheme = if round % 2 == 0 { Scheme::Leapfrog } else { Scheme::Midpoint };
        let loss = if round % 3 == 0 { 0.0 } else { libm::exp2(draw(-6.0, 2.0)) };
        let exponent = [0.7, 1.3, 2.3, 3.7, 6.1][round % 5];
        let law = PowerLaw::new(libm::exp2(draw(10.0, 40.0)), exponent);
        let collision = Collision::new(Clock::new(scheme, 1.0 / 48e3), law, loss);
        let start = libm::exp2(draw(-25.0, -8.0));
        let potential = law.potential(start);
        let (span, mobility) = (collision.clock.span(), libm::exp2(draw(-14.0, 3.0)));
        // near the present force, so that the step is small
        let balance = mobility * law.force(start);
        let velocity = balance + draw(-1.0, 1.0) * libm::exp2(draw(-16.0, -4.0)) * (start / span + balance);
        let resolved = collision.resolve(&[start, start, potential, potential], velocity, mobility);
        // with a large loss term it separates or is solved for another unknown
        let separates = loss * velocity <= -1.0 || loss * resolved.approach < 0.5 * PARTING;
        all += 1;
        if separates || resolved.evaluations != 1 {
            continue;
        }
        once += 1;
        let step = span * resolved.approach;
        let force = law.quotient(start, potential, step) * (1.0 + loss / span * step);
        let wrong = resolved.force / force - 1.0;
        // s = span·w is known to its own rounding only, which moves the force by the slope
        let slope = resolved.slope * resolved.approach.abs() / force;
        assert!(wrong.abs() < 1e-14 * (1.0 + slope), "round {round}: {wrong:e}");
        let residual = resolved.approach + mobility * resolved.force - velocity;
        let terms = resolved.approach.abs() + mobility * resolved.force + velocity.abs();
        // the residual of an evaluation, and as much for the sums here
        assert!(residual.abs() < 2.0 * ROUNDING * terms, "round {round}: {:e}", residual / terms);
    }
    assert!(once > all / 2, "{once} of {all}");
}

/// Contacts of all kinds, soft and hard, slow and fast, entering and separating: each of eight solved at once has the bits of its scalar solution.
#[test]
fn eight_lanes_have_the_bits_of_scalar_solves() {
    let mut random = Draw::new(1);
    let mut draw = |low: f64, high: f64| random.uniform(low, high);
    let mut solved = [0; 2];
    for round in 0..40_000 {
        let scheme = if round % 2 == 0 { Scheme::Leapfrog } else { Scheme::Midpoint };
        let loss = if round % 3 == 0 { 0.0 } else { libm::exp2(draw(-6.0, 6.0)) };
        let stiffness = libm::exp2(draw(10.0, 40.0));
        let collision = Collision::new(Clock::new(scheme, 1.0 / 48e3), PowerLaw::new(stiffness, 1.5), loss);
        assert!(collision.has_kernel());
        let (regime, sign) = if round % 4 < 2 { (Regime::Press, 1.0) } else { (Regime::Enter, -1.0) };
        let mut pressing = Pressing::default();
        let mut scalar = Vec::new();
        while scalar.len() < LANES {
            let [now, before] = [(); 2].map(|()| sign * draw(0.0, 1.0) * libm::exp2(draw(-30.0, -8.0)));
            let state = [now, before, collision.law.potential(now), collision.law.potential(before)];
            let (z, r) = (draw(-1.0, 1.0) * libm::exp2(draw(-16.0, 5.0)), libm::exp2(draw(-14.0, 6.0)));
            if collision.regime(&state, z) == regime {
                collision.write_equation(&state, z, r, scalar.len(), &mut pressing);
                scalar.push(collision.resolve(&state, z, r));
            }
        }
        let pressed = match regime {
            Regime::Press => press(&pressing, collision.shared(), WAYS),
            _ => enter(&pressing, collision.shared(), WAYS),
        };
        for (lane, scalar) in scalar.iter().enumerate() {
            if let Some(lane_result) = collision.answer(&pressed, lane) {
                assert_eq!(lane_result, *scalar, "round {round}, lane {lane}");
                solved[usize::from(regime == Regime::Enter)] += 1;
            }
        }
    }
    assert!(solved[0] > 80_000 && solved[1] > 80_000, "{solved:?} were solved together");
}
