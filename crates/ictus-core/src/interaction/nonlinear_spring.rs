//! A two-sided nonlinear spring, φ(η) = K/(α+1)·|η|^{α+1}, by its discrete gradient.
//!
//! Law: f = (φ(a+s) − φ(a))/s, increasing in s: one root. Balance, exact: stored Δφ·k/span. Limits: none.

use super::{EndPotential, Gap, Interaction, Resolved, stored};
use crate::clock::Clock;
use crate::power_law::{PowerLaw, root};
use crate::root::{Curve, solve_increasing};

/// A spring that stiffens both ways. State: `[gap now, before, φ now, before]`.
#[derive(Clone, Debug)]
pub struct NonlinearSpring {
    clock: Clock,
    law: PowerLaw,
}

impl NonlinearSpring {
    /// A spring with force K |η|^α towards its rest position.
    pub fn new(clock: Clock, law: PowerLaw) -> Self {
        Self { clock, law }
    }
}

/// One scalar problem, s + C f(s) = b, mirrored so that the start is a ≥ 0.
struct Problem<'a> {
    law: &'a PowerLaw,
    start: f64,      // a, m
    potential: f64,  // φ(a), J
    target: f64,     // b, m
    compliance: f64, // C, m/N
}

/// Approach step, force, df/ds, evaluations.
type Answer = (f64, f64, f64, u32);

impl Problem<'_> {
    fn solve(&self) -> Answer {
        let (a, b, c) = (self.start, self.target, self.compliance);
        // at s = −a the spring passes its rest position, with mean force φ(a)/a
        if a > 0.0 && b + a > c * self.potential / a { self.same_side() } else { self.crossing() }
    }

    /// Compressed before and after: solved for the step s.
    fn same_side(&self) -> Answer {
        let (a, b, c) = (self.start, self.target, self.compliance);
        let alpha = self.law.exponent();
        let force = (alpha + 1.0) * self.potential / a;
        let stiffness = alpha * force / a;
        // the parabola at s = 0 instead of its tangent, unless it leads back through the rest position
        let (residual, slope) = (c * force - b, 1.0 + 0.5 * c * stiffness);
        let bend = c * stiffness * (alpha - 1.0) / (3.0 * a);
        let curved = -2.0 * residual * slope / (2.0 * slope * slope - residual * bend);
        let start = if curved > -a { curved } else { -residual / slope };
        let solution = solve_increasing(b, (-a, b.max(0.0)), start, |s| {
            let mean = self.law.quotient(a, self.potential, s);
            let shrink = 1.0 / (a + s);
            let slope = if s.abs() <= 1e-5 * a {
                0.5 * stiffness
            } else {
                (((alpha + 1.0) * (self.potential + s * mean) * shrink - mean) / s).max(0.0)
            };
            // exact for small steps; it only guides the next iteration
            let bend = (slope * (alpha - 1.0) * shrink * (2.0 + s * shrink) / 3.0).max(0.0);
            Curve { value: c * mean, slope: c * slope, bend: c * bend, keep: (mean, slope) }
        });
        let (mean, slope) = solution.keep;
        (solution.at, mean, slope, solution.evaluations + 1)
    }

    /// Through the rest position: solved for t = 2a + s, the sum of both gaps. If the spring only changes sides, t and f are small,
    /// and φ(x) − φ(a) would be nothing but rounding.
    fn crossing(&self) -> Answer {
        let (a, c) = (self.start, self.compliance);
        let target = self.target + 2.0 * a;
        let tangent = if a > 0.0 { target / (1.0 + 0.5 * c * self.law.force(a) / a) } else { target };
        let hard = root(target.abs() * (self.law.exponent() + 1.0) / (c * self.law.stiffness()), self.law.exponent());
        let start = if hard < tangent.abs() { hard.copysign(target) } else { tangent };
        let solution = solve_increasing(target, (target.min(0.0), target.max(0.0).min(a)), start, |t| {
            let x = (a - t).max(0.0); // distance beyond the rest position
            let s = x + a;
            let mean = if s > 0.0 { t * self.law.quotient(a, self.potential, -t) / s } else { 0.0 };
            let slope = if s > 0.0 { (self.law.force(x) + mean) / s } else { 0.5 * self.law.stiffness_at(0.0) };
            Curve { value: c * mean, slope: c * slope, bend: 0.0, keep: (mean, slope) }
        });
        let (mean, slope) = solution.keep;
        (solution.at - 2.0 * a, mean, slope.max(0.0), solution.evaluations + 1)
    }
}

impl Interaction for NonlinearSpring {
    fn state_len(&self) -> usize {
        4
    }

    fn reset(&self, state: &mut [f64], gap: Gap) {
        gap.store(state);
        state[2] = self.law.potential(gap.now.abs());
        state[3] = self.law.potential(gap.before.abs());
    }

    fn resynchronise(&self, _state: &mut [f64], _gap: Gap) {
        // always engaged: its gap stores energy and cannot be reset
    }

    fn resolve(&self, state: &[f64], z: f64, r: f64) -> Resolved {
        let span = self.clock.span();
        let a = Gap::load(state).start(self.clock);
        let potential = Gap { now: state[2], before: state[3] }.start(self.clock);
        // the law is odd: mirror it so that it starts compressed, or opens if it starts from rest
        let side = if a != 0.0 { a.signum() } else { -z.signum() };
        let (start, target) = (a.abs(), side * span * z);
        let (step, force, slope, evaluations) =
            Problem { law: &self.law, start, potential, target, compliance: span * r }.solve();
        let end = side * (start + step);
        Resolved {
            approach: side * step / span,
            force: side * force,
            slope: span * slope,
            end,
            potential: EndPotential::computed(self.law.potential(end.abs())),
            plasticity: 0.0,
            evaluations,
        }
    }

    fn commit(&self, state: &mut [f64], resolved: &Resolved) -> f64 {
        let mut gap = Gap::load(state);
        gap.advance(resolved.end);
        gap.store(state);
        state[3] = state[2];
        state[2] = resolved.potential.magnitude();
        0.0
    }

    fn energy(&self, state: &[f64]) -> f64 {
        stored(self.clock, state[2], state[3])
    }

    fn is_open(&self, _state: &[f64]) -> bool {
        false
    }
}
