//! Behaviour of collisions: they push, separate without retaining energy, and nothing passes through. [handbook §2]

use ictus_core::{ContactId, Gradient};
use ictus_testkit::scene::impact::{self, Builder};
use ictus_testkit::scene::{ContactMethod, SCHEMES};
use ictus_testkit::{Draw, draws};

/// Simulates a scene in both schemes and asserts that no draw fails.
fn behaves(method: ContactMethod, (name, build): Builder, count: usize) {
    for scheme in SCHEMES {
        let (mut impacts, mut untouched, mut residual) = (0, 0, 0.0_f64);
        let (mut pulled, mut held, mut passed, mut longest) = (0, 0, 0, 0);
        for seed in 0..count {
            let mut draw = Draw::new(0x3_0000 + seed as u64);
            let mut case = build(method, scheme, &mut draw);
            // consecutive steps in which a body is deeper than its energy allows and not pushed back
            let (collisions, deepest, mut idle) = (case.scene.collisions.clone(), case.deepest, 0);
            let report = case.scene.play_with(case.steps, |model, state, _| {
                let ignored = |&c: &ContactId| state.gap(model, c).now > 2.0 * deepest && state.contact_force(c) == 0.0;
                idle = if collisions.iter().any(ignored) { idle + 1 } else { 0 };
                longest = longest.max(idle);
            });
            pulled += usize::from(report.force[0] < -1e-9 * report.force[1]);
            held += usize::from(report.held_apart >= 1e-6);
            passed += usize::from(case.passed(&report));
            impacts += report.impacts;
            untouched += usize::from(report.contact_steps == 0);
            residual = residual.max(report.residual[1]);
        }
        println!(
            "{method:?} {name} {scheme:?}: of {count} draws {pulled} pulled, {held} kept energy, {passed} passed through; \
             at most {longest} steps too deep without force; {impacts} impacts, residual {residual:.1e}"
        );
        assert!(untouched == 0 && impacts >= 3 * count as u64, "{name}: {untouched} untouched, {impacts} impacts");
        assert_eq!([pulled, held, passed], [0; 3], "{method:?} {name} {scheme:?}: pulled, kept, passed");
        assert!(longest <= 2, "{method:?} {name} {scheme:?}: ignored a contact for {longest} steps");
        assert!(residual <= 1e-12, "{method:?} {name} {scheme:?}: residual {residual:e}");
    }
}

fn behaves_everywhere(method: ContactMethod) {
    for scene in impact::SINGLE.into_iter().chain(impact::HAMMERS) {
        behaves(method, scene, draws(200));
    }
}

#[test]
fn discrete_gradient_behaves() {
    behaves_everywhere(ContactMethod::LOSSLESS);
    behaves(ContactMethod::Gradient(0.4), impact::SINGLE[0], draws(200));
    behaves(ContactMethod::Gradient(0.4), impact::HAMMERS[1], draws(200));
}

#[test]
fn current_gradient_behaves() {
    behaves_everywhere(ContactMethod::Quadratised(Gradient::Current));
}

#[test]
fn corrected_gradient_behaves() {
    behaves_everywhere(ContactMethod::Quadratised(Gradient::Corrected));
}

/// A mass on a spring at a wall, N-IT with the gradient as published in D21 eq. 27. Returns smallest and largest force, the largest energy
/// retained while open relative to the total, the deepest compression, and the energy error.
fn printed(
    mass: f64,
    spring: f64,
    (stiffness, exponent): (f64, f64),
    start: [f64; 2],
    k: f64,
    steps: usize,
) -> [f64; 5] {
    let root = |eta: f64| {
        if eta > 0.0 { (2.0 * stiffness / (exponent + 1.0) * libm::pow(eta, exponent + 1.0)).sqrt() } else { 0.0 }
    };
    let [mut last, mut now] = start;
    let mut psi = root(0.5 * (last + now));
    let c = k * k / mass;
    let energy = |now: f64, last: f64, psi: f64| {
        let v = (now - last) / k;
        0.5 * mass * v * v + 0.5 * spring * now * last + 0.5 * psi * psi
    };
    let total = energy(now, last, psi);
    let mut extremes = [0.0_f64; 5];
    for _ in 0..steps {
        let free = 2.0 * now - last - c * spring * now;
        let mut g = if now >= 0.0 {
            (0.5 * stiffness * (exponent + 1.0) * libm::pow(now, exponent - 1.0)).sqrt()
                * if psi < 0.0 { -1.0 } else { 1.0 }
        } else if psi != 0.0 {
            -2.0 * psi / (free - last)
        } else {
            0.0
        };
        if g * last >= 4.0 * psi && psi != 0.0 {
            g = 0.0;
        }
        let mean = (psi + 0.25 * g * (free - last)) / (1.0 + 0.25 * c * g * g);
        let force = g * mean;
        psi = 2.0 * mean - psi;
        (last, now) = (now, free - c * force);
        extremes[0] = extremes[0].min(force);
        extremes[1] = extremes[1].max(force);
        if now < 0.0 && last < 0.0 {
            extremes[2] = extremes[2].max(0.5 * psi * psi / total);
        }
        extremes[3] = extremes[3].max(now);
        extremes[4] = extremes[4].max((energy(now, last, psi) / total - 1.0).abs());
    }
    extremes
}

#[test]
fn the_published_gradient_conserves_energy_but_misbehaves() {
    let (mut failed, mut worst_energy) = (0, 0.0_f64);
    let count = draws(300);
    for seed in 0..count {
        let mut draw = Draw::new(0x27_000 + seed as u64);
        let k = 1.0 / draw.pick(&[44_100.0, 96_000.0]);
        let (mass, omega) = (draw.log(1e-3, 0.1), std::f64::consts::TAU * draw.log(50.0, 500.0));
        let law = (draw.log(1e5, 1e13), draw.uniform(1.0, 3.0));
        let (position, speed) = (-draw.log(1e-5, 1e-2), draw.log(0.1, 5.0));
        let next = position + k * speed - 0.5 * k * k * omega * omega * position;
        let [least, most, kept, deepest, energy] =
            printed(mass, mass * omega * omega, law, [position, next], k, (40.0 / (omega * k)) as usize);
        assert!(most > 0.0, "seed {seed}: no contact");
        let total = 0.5 * mass * (speed * speed + omega * omega * position * position);
        let allowed = libm::pow((law.1 + 1.0) * total / law.0, 1.0 / (law.1 + 1.0));
        let stride = (2.0 * total / mass).sqrt() * k;
        failed += usize::from(least < -1e-9 * most || kept >= 1e-6 || deepest > 2.0 * allowed + 2.0 * stride);
        worst_energy = worst_energy.max(energy);
    }
    println!("D21 eq. 27 as printed: {failed} of {count} draws fail, energy error at most {worst_energy:.1e}");
    assert!(worst_energy <= 1e-9, "an energy test alone does not catch it");
    assert!(failed > count / 2);
}
