//! The solve of a single contact over many decades. [handbook §7: ≤ 10 evaluations, f ≥ 0, identity]

use ictus_core::{Clock, Collision, Gap, Interaction, PowerLaw};
use ictus_testkit::scene::{RATES, SCHEMES};
use ictus_testkit::{Draw, draws};

/// One scalar problem.
#[derive(Clone, Copy, Debug)]
struct Problem {
    clock: Clock,
    stiffness: f64,
    exponent: f64,
    loss: f64,
    start: f64,
    z: f64,
    r: f64,
}

fn draw_problem(draw: &mut Draw) -> Problem {
    let clock = Clock::new(draw.pick(&SCHEMES), 1.0 / draw.pick(&RATES));
    Problem {
        clock,
        stiffness: if draw.chance(0.9) { draw.log(1e3, 1e13) } else { draw.log(1e13, 1e17) },
        exponent: if draw.chance(0.3) { draw.pick(&[1.0, 1.5, 2.0, 2.5, 3.0]) } else { draw.uniform(1.0, 3.5) },
        loss: if draw.chance(0.5) { 0.0 } else { draw.log(1e-3, 10.0) },
        start: if draw.chance(0.05) { 0.0 } else { draw.log(1e-12, 1e-2) * draw.sign() },
        z: if draw.chance(0.02) { 0.0 } else { draw.log(1e-8, 1e2) * draw.sign() },
        r: draw.log(1e-10, 1e3),
    }
}

#[test]
fn a_million_scalar_draws() {
    let mut draw = Draw::new(41);
    let count = draws(1_000_000);
    let (mut worst, mut total, mut closed) = ((0, None), 0_u64, 0_u64);
    let (mut identity, mut law_error) = ((0.0_f64, None), (0.0_f64, None));
    for _ in 0..count {
        let p = draw_problem(&mut draw);
        let power = PowerLaw::new(p.stiffness, p.exponent);
        let law = Collision::new(p.clock, power, p.loss);
        let mut state = [0.0; 4];
        law.reset(&mut state, Gap { now: p.start, before: p.start });
        let answer = law.resolve(&state, p.z, p.r);
        assert!(answer.force >= 0.0 && answer.slope >= 0.0, "{p:?}: {answer:?}");
        assert!(answer.force.is_finite() && answer.approach.is_finite(), "{p:?}: {answer:?}");
        // the first guess takes one power
        let evaluations = answer.evaluations + u32::from(answer.evaluations > 0);
        closed += u64::from(answer.force > 0.0);
        total += u64::from(evaluations);
        if evaluations > worst.0 {
            worst = (evaluations, Some(p));
        }
        let terms = answer.approach.abs() + p.r * answer.force + p.z.abs() + p.start.abs() / p.clock.span();
        let miss = (answer.approach + p.r * answer.force - p.z).abs() / terms.max(f64::MIN_POSITIVE);
        if miss > identity.0 {
            identity = (miss, Some(p));
        }
        // the force compared with the law as published, where that is free of cancellation
        let s = p.clock.span() * answer.approach;
        let (before, after) = (power.potential(p.start), power.potential(answer.end));
        if answer.force > 0.0 && s.abs() > 0.1 * p.start.abs() && (1.0 + p.loss * answer.approach) > 0.1 {
            let written = (after - before) * (1.0 / s + p.loss / p.clock.span());
            let error =
                (answer.force - written).abs() / (after.max(before) / s.abs() * (1.0 + p.loss * answer.approach.abs()));
            if error > law_error.0 {
                law_error = (error, Some(p));
            }
        }
    }
    println!(
        "{count} draws, {closed} in contact: mean {:.2} evaluations, most {} at {:?}",
        total as f64 / closed as f64,
        worst.0,
        worst.1
    );
    println!("identity {:.1e} at {:?}", identity.0, identity.1);
    println!("law {:.1e} at {:?}", law_error.0, law_error.1);
    assert!(closed > count as u64 / 4, "only {closed} draws touched");
    assert!(worst.0 <= 10);
    // a few units in the last place of the terms, below the tolerance of the solver around it
    assert!(identity.0 <= 1e-14);
    assert!(law_error.0 <= 1e-14);
}
