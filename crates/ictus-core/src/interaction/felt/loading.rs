//! Loading step of a [`Felt`](super::Felt): s + C f(s) = b with constant memory.
//!
//! With c the compression to which the felt has recovered, the net force is φ'(x) − φ'(c) above c and zero below. Near c both terms are large and their
//! difference is small, so everything is computed from [`Rise`], the growth of φ' over a step.

use crate::power_law::{PowerLaw, rough_root};
use crate::root::{Curve, solve_increasing};

/// A compression below this (m) counts as zero: its energy is subnormal at any stiffness.
pub(super) const NEGLIGIBLE: f64 = 1e-140;

/// Ratio below which the first guess of an entry needs a second power.
const REFINE: f64 = 1e-3;

/// One scalar problem.
pub(super) struct FeltStep<'a> {
    pub law: &'a PowerLaw,
    pub start: f64,      // a, m
    pub recovered: f64,  // c, m
    pub target: f64,     // b = span z, m
    pub compliance: f64, // C = span r, m/N
}

/// Approach step, end, force, df/ds, evaluations.
pub(super) struct Answer {
    pub step: f64,
    pub end: f64,
    pub force: f64,
    pub slope: f64,
    pub evaluations: u32,
}

impl FeltStep<'_> {
    pub fn solve(&self) -> Answer {
        let (a, b) = (self.start, self.target);
        let apart = |x: f64| x <= self.recovered.max(NEGLIGIBLE);
        if apart(a) && apart(a + b) {
            return Answer { step: b, end: a + b, force: 0.0, slope: 0.0, evaluations: 0 };
        }
        if a <= self.recovered {
            return self.enter();
        }
        let depth = Rise::new(self.law, self.recovered, self.law.force(self.recovered), a - self.recovered);
        self.separate(&depth).unwrap_or_else(|| self.inside(&depth))
    }

    /// Closed to open: the felt returns all recoverable energy for any end, so the step is the root of a quadratic.
    fn separate(&self, depth: &Rise) -> Option<Answer> {
        let (b, c) = (self.target, self.compliance);
        let energy = (self.start - self.recovered) * depth.mean;
        let width = (b * b + 4.0 * c * energy).sqrt();
        let step = if b > 0.0 { -2.0 * c * energy / (b + width) } else { 0.5 * (b - width) };
        let end = self.start + step;
        (end <= self.recovered).then(|| {
            let force = if c * energy <= step * step { -energy / step } else { (b - step) / c };
            Answer { step, end, force: force.max(0.0), slope: energy / (step * step), evaluations: 1 }
        })
    }

    /// Open to closed, solved for the depth d = x − c.
    fn enter(&self) -> Answer {
        let (c, compliance) = (self.recovered, self.compliance);
        let travel = c - self.start; // distance to contact
        let target = self.target - travel;
        let ground = self.law.force(c);
        let degree = self.law.exponent() + 1.0;
        // d if the contact stopped all motion, reduced towards the target if it is soft; the energy at depth d is at least φ(d) and φ''(c)d²/2
        let demand = target * self.target / compliance;
        let mut hard = rough_root(demand * degree / self.law.stiffness(), degree);
        if c > 0.0 {
            hard = hard.min((2.0 * demand / self.law.stiffness_at(c)).sqrt());
        }
        // the target replaces the step, which is far smaller if a very hard contact is entered fast
        let share = (hard + travel) / self.target;
        if share < REFINE {
            hard *= rough_root(share, if c > 0.0 { 2.0 } else { degree });
        }
        let start = if hard.is_finite() { hard * target / (hard + target) } else { target };
        let solution = solve_increasing(target, (0.0, target), start, |d| {
            let rise = Rise::new(self.law, c, ground, d);
            let step = d + travel;
            // from d = 0 at contact the quotient has the limit 0
            let share = if step > 0.0 { 1.0 / step } else { 0.0 };
            let force = d * rise.mean * share;
            let slope = ((rise.end - force) * share).max(0.0);
            let bend = bend(d, force, slope);
            Curve {
                value: compliance * force,
                slope: compliance * slope,
                bend: compliance * bend,
                keep: (force, slope),
            }
        });
        let (force, slope) = solution.keep;
        let evaluations = solution.evaluations + 1;
        Answer { step: solution.at + travel, end: c + solution.at, force, slope, evaluations }
    }

    /// Closed to closed, solved for the step s.
    fn inside(&self, depth: &Rise) -> Answer {
        let (a, b, compliance) = (self.start, self.target, self.compliance);
        let ground = self.law.force(a);
        let alpha = self.law.exponent();
        let target = b - compliance * depth.end;
        let tangent = target / (1.0 + compliance * 0.5 * alpha * ground / a);
        let start = if tangent > a {
            let demand = (target + compliance * ground) * (alpha + 1.0) / (compliance * self.law.stiffness());
            let hard = rough_root(demand, alpha) - a;
            if hard.is_finite() { tangent.min(hard.max(0.5 * a)) } else { tangent }
        } else {
            tangent
        };
        let solution = solve_increasing(target, (self.recovered - a, b.max(0.0)), start, |s| {
            let rise = Rise::new(self.law, a, ground, s);
            let bend = bend(a + s, ground + rise.mean, rise.slope);
            Curve {
                value: compliance * rise.mean,
                slope: compliance * rise.slope,
                bend: compliance * bend,
                keep: (rise.mean, rise.slope),
            }
        });
        let (mean, slope) = solution.keep;
        let force = (depth.end + mean).max(0.0);
        Answer { step: solution.at, end: a + solution.at, force, slope, evaluations: solution.evaluations + 2 }
    }
}

/// Growth of φ' over a step s from x, free of cancellation at small steps.
struct Rise {
    /// Mean of φ' over the step, less φ'(x), N.
    mean: f64,
    /// φ'(x + s) − φ'(x), N.
    end: f64,
    /// Derivative of `mean` by s, N/m.
    slope: f64,
}

/// Fraction of the compression below which the binomial series is used; above, the closed form loses two digits at most.
const SHORT: f64 = 0.02;
/// Number of terms: SHORT^TERMS is below rounding.
const TERMS: u32 = 10;

impl Rise {
    /// `ground` is φ'(x), precomputed by the caller.
    fn new(law: &PowerLaw, x: f64, ground: f64, s: f64) -> Self {
        let alpha = law.exponent();
        if s.abs() < SHORT * x {
            let ratio = s / x;
            let mut term = ground * 0.5 * alpha / x; // of the slope
            let (mut mean, mut slope) = (0.0, 0.0);
            for j in 1..=TERMS {
                let j = f64::from(j);
                mean += term;
                slope += j * term;
                term *= ratio * (alpha - j) / (j + 2.0);
            }
            let end = ground * libm::expm1(alpha * libm::log1p(ratio));
            return Self { mean: mean * s, end, slope };
        }
        if s == 0.0 {
            return Self { mean: 0.0, end: 0.0, slope: 0.5 * law.stiffness_at(0.0) };
        }
        let (mean, end) = if s.abs() < 0.5 * x {
            let ratio = s / x;
            let growth = libm::expm1(alpha * libm::log1p(ratio));
            let mean = (growth * (1.0 + ratio) - alpha * ratio) / ((alpha + 1.0) * ratio);
            (ground * mean, ground * growth)
        } else {
            let beyond = law.force(x + s);
            ((beyond * (x + s) - ground * x) / ((alpha + 1.0) * s) - ground, beyond - ground)
        };
        Self { mean, end, slope: ((end - mean) / s).max(0.0) }
    }
}

/// Second derivative of a power x^n with this value and slope.
fn bend(x: f64, value: f64, slope: f64) -> f64 {
    if value <= 0.0 || x <= 0.0 {
        return 0.0;
    }
    (slope * (slope * x / value - 1.0) / x).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_agree_at_their_limits() {
        for alpha in [1.0, 1.3, 2.0, 2.8, 5.0] {
            let law = PowerLaw::new(3.0e5, alpha);
            let x = 0.7;
            for edge in [SHORT, 0.5] {
                for side in [-1.0, 1.0] {
                    let [below, above] = [1.0 - 1e-13, 1.0 + 1e-13].map(|f| {
                        let rise = Rise::new(&law, x, law.force(x), side * edge * x * f);
                        [rise.mean, rise.end, rise.slope]
                    });
                    for (b, a) in below.iter().zip(above) {
                        assert!((b / a - 1.0).abs() < 1e-11, "α={alpha} s/x={edge}: {b} and {a}");
                    }
                }
            }
        }
    }

    #[test]
    fn small_steps_are_free_of_cancellation() {
        let law = PowerLaw::new(1.0, 2.0);
        // of x²: mean over [1, 1+s] less 1 is s + s²/3, the end 2s + s²
        for s in [1e-3, 1e-9, -1e-14] {
            let rise = Rise::new(&law, 1.0, 1.0, s);
            assert!((rise.mean / (s + s * s / 3.0) - 1.0).abs() < 1e-15);
            assert!((rise.end / (2.0 * s + s * s) - 1.0).abs() < 1e-15);
        }
    }
}
