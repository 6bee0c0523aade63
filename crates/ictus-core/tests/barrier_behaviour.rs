//! Behaviour of strings on distributed barriers, for every structure and method. [handbook §2, §7]

use ictus_core::{Gradient, Scheme};
use ictus_testkit::scene::ContactMethod;
use ictus_testkit::scene::barrier::{self, Make};
use ictus_testkit::{Draw, draws};

/// Results of 200 draws of one method in one structure.
#[derive(Debug, Default)]
struct Tally {
    pulled: usize,
    held: usize,
    passed: usize,
    untouched: usize,
    /// Largest pull relative to the largest push of its draw, and largest sum of pulls relative to the sum of pushes.
    pull: [f64; 2],
    longest: u32,
    impacts: u64,
    missed: u64,
    residual: f64,
    solves: u64,
    iterations: u64,
    most: u32,
    coupled: u64,
    slow: u64,
}

/// Simulates one draw.
///
/// Penetration: the energy of a barrier point is one of several non-negative terms. The discrete gradient
/// holds φ(ηⁿ) in the midpoint scheme and (φ(ηⁿ) + φ(ηⁿ⁻¹))/2 in leapfrog, so no point can ever be deeper than φ(η) = E or 2E
/// allows: asserted up to rounding. ψ of a quadratised contact follows η with the error of the method, so twice that depth and
/// two strides are allowed there, and a point that is too deep and moves deeper must be pushed back within two steps.
fn play(tally: &mut Tally, method: ContactMethod, make: Make, seed: u64) {
    let mut case = barrier::draw_one(method, make, &mut Draw::new(0x5_0000 + seed));
    let collisions = case.strung.scene.collisions.clone();
    let (power, mut longest) = (case.plan.power, 0);
    let degree = power.exponent() + 1.0;
    let mut releases = vec![(0.0, 0); collisions.len()];
    let report = case.play_with(|model, state| {
        let deepest = libm::pow(degree * state.ledger.peak / power.stiffness(), 1.0 / degree);
        for ((last, idle), &contact) in releases.iter_mut().zip(&collisions) {
            let gap = state.gap(model, contact).now;
            // a separating point needs no force, however deep
            let ignored = gap > 2.0 * deepest && gap > *last && state.contact_force(contact) == 0.0;
            *idle = if ignored { *idle + 1 } else { 0 };
            *last = gap;
            longest = longest.max(*idle);
        }
    });
    let deepest = case.deepest(&case.strung.scene.state);
    let limit = match method {
        ContactMethod::Gradient(_) => deepest * libm::pow(2.0, 1.0 / degree) * (1.0 + 1e-6),
        ContactMethod::Quadratised(_) | ContactMethod::Felt(..) => 2.0 * deepest + 2.0 * report.stride,
    };
    tally.pulled += usize::from(report.force[0] < -1e-9 * report.force[1]);
    tally.held += usize::from(report.held_apart >= 1e-6);
    tally.passed += usize::from(report.depth > limit);
    tally.untouched += usize::from(report.contact_steps == 0);
    tally.pull[0] = tally.pull[0].max(-report.force[0] / report.force[1]);
    tally.pull[1] = tally.pull[1].max(-report.sums[0] / report.sums[1]);
    tally.longest = tally.longest.max(longest);
    tally.impacts += report.impacts;
    tally.missed += report.counts.missed;
    tally.residual = tally.residual.max(report.residual[1]);
    tally.solves += report.counts.solves;
    tally.iterations += report.counts.iterations;
    tally.most = tally.most.max(report.counts.max_iterations);
    tally.coupled += report.counts.coupled_solves;
    tally.slow += report.counts.histogram[6..].iter().sum::<u64>();
}

/// Simulates all draws; returns the failures, if any.
fn behaves(method: ContactMethod, make: Make) -> Option<String> {
    let count = draws(200);
    let mut tally = Tally::default();
    for seed in 0..count {
        play(&mut tally, method, make, seed as u64);
    }
    let Tally { pulled, held, passed, pull, longest, impacts, missed, residual, most, .. } = tally;
    println!(
        "{method:?} {make:?}: of {count} draws {pulled} pulled (at most {:.1e} of the largest push, {:.1e} of the sum), {held} kept \
         energy, {passed} passed through; at most {longest} steps too deep without force; {impacts} impacts, missed {missed}, residual \
         {residual:.1e}; iterations {:.2} at most {most}, {:.3} % of {} coupled solves within 5",
        pull[0],
        pull[1],
        tally.iterations as f64 / tally.solves as f64,
        100.0 * (1.0 - tally.slow as f64 / tally.coupled.max(1) as f64),
        tally.coupled,
    );
    assert!(tally.untouched == 0 && impacts >= 20 * count as u64, "{method:?} {make:?}, hardly any contact: {tally:?}");
    if [pulled, held, passed] == [0; 3] && longest <= 2 && missed == 0 && residual <= 1e-11 {
        None
    } else {
        Some(format!("{method:?} {make:?}: {tally:?}"))
    }
}

/// Asserts that no method fails in any structure, after all have run.
fn all_behave(methods: [ContactMethod; 2], makes: &[Make]) {
    let failures: Vec<String> =
        makes.iter().flat_map(|&make| methods.into_iter().filter_map(move |method| behaves(method, make))).collect();
    assert!(failures.is_empty(), "{failures:#?}");
}

/// Lossless, and with the loss of a hard felt.
const GRADIENT: [ContactMethod; 2] = [ContactMethod::LOSSLESS, ContactMethod::Gradient(0.5)];
const QUADRATISED: [ContactMethod; 2] =
    [ContactMethod::Quadratised(Gradient::Current), ContactMethod::Quadratised(Gradient::Corrected)];
const EXPLICIT: [Make; 2] = [Make::Explicit(Scheme::Leapfrog), Make::Explicit(Scheme::Midpoint)];
const MODAL: [Make; 2] = [Make::Modal(Scheme::Leapfrog), Make::Modal(Scheme::Midpoint)];

#[test]
fn discrete_gradient_behaves_on_explicit_strings() {
    all_behave(GRADIENT, &EXPLICIT);
}

#[test]
fn discrete_gradient_behaves_on_implicit_strings() {
    all_behave(GRADIENT, &[Make::Implicit]);
}

#[test]
fn discrete_gradient_behaves_on_modal_strings() {
    all_behave(GRADIENT, &MODAL);
}

#[test]
fn quadratised_behaves_on_explicit_strings() {
    all_behave(QUADRATISED, &EXPLICIT);
}

#[test]
fn quadratised_behaves_on_implicit_strings() {
    all_behave(QUADRATISED, &[Make::Implicit]);
}

#[test]
fn quadratised_behaves_on_modal_strings() {
    all_behave(QUADRATISED, &MODAL);
}
