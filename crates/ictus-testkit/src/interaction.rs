//! Laws of a resolvent: the identity it answers, monotony, slope, balance, sign.

use crate::draw::Draw;
use ictus_core::{Clock, Gap, Interaction, Resolved};

/// What a run of [`check`] measured.
#[derive(Clone, Copy, Debug, Default)]
pub struct Figures {
    /// Largest miss of w + r F(w) = z over its terms.
    pub identity: f64,
    /// Largest |stored − received + dissipated| over the energies of the step.
    pub balance: f64,
    /// Largest relative difference between the slope and a finite difference.
    pub slope: f64,
    /// Steps with force.
    pub engaged: usize,
}

/// What is expected of a law beyond the laws for all.
#[derive(Clone, Copy, Debug)]
pub struct Expectation {
    /// The force never pulls.
    pub pushes_only: bool,
    /// Drawn gaps lie within this, m.
    pub reach: f64,
    /// A force that brings the law to about its reach, N.
    pub force: f64,
}

/// Asserts every law over `count` drawn states and problems, in short runs of committed steps.
pub fn check(
    name: &str,
    law: &dyn Interaction,
    clock: Clock,
    expect: Expectation,
    draw: &mut Draw,
    count: usize,
) -> Figures {
    let mut figures = Figures::default();
    let mut state = vec![0.0; law.state_len()];
    for n in 0..count {
        if n % 10 == 0 {
            let now = expect.reach * draw.uniform(-1.0, 1.0);
            let speed = expect.reach * draw.log(1e-3, 1.0) * draw.sign();
            law.reset(&mut state, Gap { now, before: now - speed });
        }
        let pace = expect.reach / clock.dt;
        let (z, r) = (pace * draw.log(1e-6, 1.0) * draw.sign(), pace / expect.force * draw.log(1e-6, 1e3));
        law.prepare(&mut state, z, r);
        let answer = law.resolve(&state, z, r);
        assert_answer(name, law, &state, (z, r), &answer, expect, &mut figures);
        derivative(name, law, &state, z, pace, &mut figures);
        let before = law.energy(&state);
        let dissipated = law.commit(&mut state, &answer);
        assert!(dissipated >= 0.0, "{name}: a contact gave energy, {dissipated:e} J");
        let (received, after) = (clock.dt * answer.force * answer.approach, law.energy(&state));
        let scale = before.max(after).max(received.abs());
        if scale > 0.0 {
            figures.balance = figures.balance.max((after - before - received + dissipated).abs() / scale);
        }
    }
    assert!(figures.engaged > count / 20, "{name}: engaged in only {} of {count} steps", figures.engaged);
    assert!(figures.identity <= 1e-14, "{name}: identity {:e}", figures.identity);
    assert!(figures.balance <= 1e-12, "{name}: balance {:e}", figures.balance);
    assert!(figures.slope <= 1e-4, "{name}: slope {:e}", figures.slope);
    figures
}

fn assert_answer(
    name: &str,
    law: &dyn Interaction,
    state: &[f64],
    (z, r): (f64, f64),
    answer: &Resolved,
    expect: Expectation,
    figures: &mut Figures,
) {
    let Resolved { approach, force, slope, .. } = *answer;
    assert!(approach.is_finite() && force.is_finite() && slope >= 0.0, "{name}: {answer:?}");
    assert!(!expect.pushes_only || force >= 0.0, "{name}: pulls with {force:e} N");
    figures.engaged += usize::from(force != 0.0);
    let terms = approach.abs() + r * force.abs() + z.abs();
    figures.identity = figures.identity.max((approach + r * force - z).abs() / terms);
    // monotone: a larger z closes faster against a larger force
    let further = law.resolve(state, z + 0.1 * z.abs(), r);
    let rounding = 1e-12 * terms;
    assert!(further.approach >= approach - rounding, "{name}: w is not monotone in z");
    assert!(further.force >= force - rounding / r.max(f64::MIN_POSITIVE), "{name}: f is not monotone in z");
}

/// With r = 0 the resolvent is the law itself: its slope against a central difference, and no division by zero.
fn derivative(name: &str, law: &dyn Interaction, state: &[f64], w: f64, pace: f64, figures: &mut Figures) {
    let at = law.resolve(state, w, 0.0);
    assert!(
        (at.approach - w).abs() <= 1e-14 * w.abs() && at.force.is_finite(),
        "{name}: r = 0 gives {at:?} for w = {w:e}"
    );
    let h = 1e-4 * w.abs().max(1e-6 * pace);
    let [low, high] = [w - h, w + h].map(|w| law.resolve(state, w, 0.0).force);
    let [lower, higher] = [w - 2.0 * h, w + 2.0 * h].map(|w| law.resolve(state, w, 0.0).force);
    let (coarse, fine) = ((higher - lower) / (4.0 * h), (high - low) / (2.0 * h));
    // only where the difference quotient itself has settled: not across an edge of the law, not in its rounding
    let settled = (coarse - fine).abs() <= 3e-6 * fine.abs() && fine * h > 1e-9 * at.force.abs();
    if settled && fine > 0.0 {
        figures.slope = figures.slope.max((at.slope / fine - 1.0).abs());
    }
}
