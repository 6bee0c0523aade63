use super::*;
use crate::clock::Frame;
use crate::root::ROUNDING;
use ictus_kernels::LANES;
use ictus_kernels::collision::{enter, press};

/// Where one look is enough, the force is the mean force of the step found and the step is where the line meets it, both to rounding.
#[test]
fn one_look_is_as_good_as_more() {
    let mut x = 3u64;
    let mut draw = |low: f64, high: f64| {
        x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        low + (high - low) * ((x >> 11) as f64 / (1u64 << 53) as f64)
    };
    let (mut once, mut all) = (0, 0);
    for round in 0..100_000 {
        let frame = if round % 2 == 0 { Frame::Leapfrog } else { Frame::Midpoint };
        let loss = if round % 3 == 0 { 0.0 } else { libm::exp2(draw(-6.0, 2.0)) };
        let exponent = [0.7, 1.3, 2.3, 3.7, 6.1][round % 5];
        let law = PowerLaw::new(libm::exp2(draw(10.0, 40.0)), exponent);
        let collision = Collision::new(Clock::new(frame, 1.0 / 48e3), law, loss);
        let start = libm::exp2(draw(-25.0, -8.0));
        let potential = law.potential(start);
        let (span, mobility) = (collision.clock.span(), libm::exp2(draw(-14.0, 3.0)));
        // about the force that is there, so that little moves
        let balance = mobility * law.force(start);
        let velocity = balance + draw(-1.0, 1.0) * libm::exp2(draw(-16.0, -4.0)) * (start / span + balance);
        let resolved = collision.resolve(&[start, start, potential, potential], velocity, mobility);
        // where the loss eats much of the force, it flies or is solved for another unknown
        let parts = loss * velocity <= -1.0 || loss * resolved.closing < 0.5 * PARTING;
        all += 1;
        if parts || resolved.evaluations != 1 {
            continue;
        }
        once += 1;
        let step = span * resolved.closing;
        let force = law.quotient(start, potential, step) * (1.0 + loss / span * step);
        let wrong = resolved.force / force - 1.0;
        // s = span·w is known to its own rounding only, which moves the force by the slope
        let slope = resolved.slope * resolved.closing.abs() / force;
        assert!(wrong.abs() < 1e-14 * (1.0 + slope), "round {round}: {wrong:e}");
        let miss = resolved.closing + mobility * resolved.force - velocity;
        let terms = resolved.closing.abs() + mobility * resolved.force + velocity.abs();
        // what a look may miss, and as much for the sums here
        assert!(miss.abs() < 2.0 * ROUNDING * terms, "round {round}: {:e}", miss / terms);
    }
    assert!(once > all / 2, "{once} of {all}");
}

/// Contacts of all kinds, soft and hard, slow and fast, arriving and leaving: where eight are solved at once, each gets the answer it would get alone.
#[test]
fn eight_together_have_the_bits_of_each_alone() {
    let mut x = 1u64;
    let mut draw = |low: f64, high: f64| {
        x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        low + (high - low) * ((x >> 11) as f64 / (1u64 << 53) as f64)
    };
    let mut known = [0; 2];
    for round in 0..40_000 {
        let frame = if round % 2 == 0 { Frame::Leapfrog } else { Frame::Midpoint };
        let loss = if round % 3 == 0 { 0.0 } else { libm::exp2(draw(-6.0, 6.0)) };
        let stiffness = libm::exp2(draw(10.0, 40.0));
        let collision = Collision::new(Clock::new(frame, 1.0 / 48e3), PowerLaw::new(stiffness, 1.5), loss);
        assert!(collision.is_known());
        let (way, sign) = if round % 4 < 2 { (Way::Press, 1.0) } else { (Way::Enter, -1.0) };
        let mut pressing = Pressing::default();
        let mut alone = Vec::new();
        while alone.len() < LANES {
            let [now, before] = [(); 2].map(|()| sign * draw(0.0, 1.0) * libm::exp2(draw(-30.0, -8.0)));
            let state = [now, before, collision.law.potential(now), collision.law.potential(before)];
            let (z, r) = (draw(-1.0, 1.0) * libm::exp2(draw(-16.0, 5.0)), libm::exp2(draw(-14.0, 6.0)));
            if collision.way(&state, z) == way {
                collision.enlist(&state, z, r, alone.len(), &mut pressing);
                alone.push(collision.resolve(&state, z, r));
            }
        }
        let pressed = match way {
            Way::Press => press(&pressing, collision.shared(), WAYS),
            _ => enter(&pressing, collision.shared(), WAYS),
        };
        for (lane, alone) in alone.iter().enumerate() {
            if let Some(together) = collision.answer(&pressed, lane) {
                assert_eq!(together, *alone, "round {round}, lane {lane}");
                known[usize::from(way == Way::Enter)] += 1;
            }
        }
    }
    assert!(known[0] > 80_000 && known[1] > 80_000, "{known:?} were solved together");
}
