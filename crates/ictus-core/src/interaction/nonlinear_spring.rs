//! A two-sided nonlinear spring, φ(η) = K/(α+1)·|η|^{α+1}, by its discrete gradient.
//!
//! Law: f = (φ(a+s) − φ(a))/s, increasing in s: one root. Balance, exact: stored Δφ·k/span. Limits: none.

use super::{Gap, Interaction, Resolved, stored};
use crate::clock::Clock;
use crate::power_law::PowerLaw;
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

    /// Mean force over the step and its derivative by s.
    fn gradient(&self, a: f64, potential: f64, s: f64) -> (f64, f64) {
        let x = a + s;
        let end_force = self.law.force(x.abs()).copysign(x);
        let mean = if a * x > 0.0 {
            self.law.quotient(a.abs(), potential, s.copysign(s * a)).copysign(a)
        } else if s != 0.0 {
            (self.law.potential(x.abs()) - potential) / s
        } else {
            0.0
        };
        let slope = if s.abs() <= 1e-5 * a.abs() {
            0.5 * self.law.stiffness_at(a.abs())
        } else if s != 0.0 {
            (end_force - mean) / s
        } else {
            0.5 * self.law.stiffness_at(0.0)
        };
        (mean, slope.max(0.0))
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
        // always engaged: its gap is energy and cannot be moved freely
    }

    fn resolve(&self, state: &[f64], z: f64, r: f64) -> Resolved {
        let span = self.clock.span();
        let a = Gap::load(state).start(self.clock);
        let potential = Gap { now: state[2], before: state[3] }.start(self.clock);
        let (b, c) = (span * z, span * r);
        let far = b - c * self.gradient(a, potential, b).0;
        let (tangent_force, tangent_slope) = self.gradient(a, potential, 0.0);
        let start = (b - c * tangent_force) / (1.0 + c * tangent_slope);
        let found = solve_increasing(b, (b.min(far), b.max(far)), start, |s| {
            let (mean, slope) = self.gradient(a, potential, s);
            Curve { value: c * mean, slope: c * slope, bend: 0.0, keep: (mean, slope) }
        });
        let (force, slope) = found.keep;
        let end = a + found.at;
        Resolved {
            closing: found.at / span,
            force,
            slope: span * slope,
            end,
            potential: self.law.potential(end.abs()),
            evaluations: found.evaluations + 2,
        }
    }

    fn commit(&self, state: &mut [f64], resolved: &Resolved) -> f64 {
        let mut gap = Gap::load(state);
        gap.advance(resolved.end);
        gap.store(state);
        state[3] = state[2];
        state[2] = resolved.potential;
        0.0
    }

    fn energy(&self, state: &[f64]) -> f64 {
        stored(self.clock, state[2], state[3])
    }

    fn is_open(&self, _state: &[f64]) -> bool {
        false
    }
}
