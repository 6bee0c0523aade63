//! Steps of contacts whose powers are dear that are not small, and those in which they close: as few looks as possible, since each costs a power.
//!
//! Every look has the law and three derivatives, and is followed by a step of fourth order (Householder). Where that is so small that the cubic there is the law to the
//! last digit, the answer is taken from the cubic, and φ from its own. The law never falls, so that a root found here is the only one.

use super::{Answer, NEARLY_PARTED, Problem, REFINE, unknown};
use crate::power_law::rough_root;

/// So far from a look, as a share of the compression, its cubic is the law to the last digit: what is left out is about the fourth power of this, ten times.
const NEAR: f64 = 2e-5;
/// Looks after which a contact is left to be solved with a bracket.
const MOST: u32 = 4;
/// Steps beyond these shares of the compression have a poor first guess.
const FARTHEST: [f64; 2] = [-0.95, 1.0];

/// A function with three derivatives.
type Jet = [f64; 4];

/// How far from here the cubic of a function is zero, to fourth order.
#[inline(always)]
fn zero([value, slope, bend, third]: Jet) -> f64 {
    let (square, bent) = (slope * slope, value * bend);
    -value * (6.0 * square - 3.0 * bent) / (slope * (6.0 * square - 6.0 * bent) + value * value * third)
}

/// True where the zero of the cubic, at `by`, is so near that the cubic is the function. A tangent says so too: far from the root the step of the cubic may pass
/// through zero.
#[inline(always)]
fn is_near(jet: Jet, by: f64, scale: f64) -> bool {
    let reach = NEAR * scale;
    by.abs() < reach && jet[0].abs() < reach * jet[1]
}

/// Value and slope of a cubic.
#[inline(always)]
fn there([value, slope, bend, third]: Jet, by: f64) -> [f64; 2] {
    [value + by * (slope + by * (0.5 * bend + by * (third / 6.0))), slope + by * (bend + by * (0.5 * third))]
}

/// (1 + u)^n to third order.
#[inline(always)]
pub(super) fn grown(n: f64, u: f64) -> f64 {
    1.0 + n * u * (1.0 + 0.5 * (n - 1.0) * u * (1.0 + (n - 2.0) / 3.0 * u))
}

impl Problem<'_> {
    /// From contact to contact, in shares of the compression as in `small.rs`.
    #[inline(never)]
    pub(super) fn press_large(&self) -> Option<Answer> {
        let (a, per_a, n) = (self.start, 1.0 / self.start, self.law.exponent() + 1.0);
        let now = n * self.potential * per_a;
        let stiff = self.compliance * per_a * now;
        let (target, loss) = (self.target * per_a, self.loss * a);
        let equation =
            |t: f64, law: Jet| [(t - target) + stiff * law[0], 1.0 + stiff * law[1], stiff * law[2], stiff * law[3]];
        let mut at = zero(equation(0.0, lossy(self.growth_at_rest(), 0.0, loss)));
        if at.is_nan() || at <= FARTHEST[0] {
            return None;
        }
        if at > FARTHEST[1] {
            // as if the contact stopped all motion
            let hard =
                rough_root(self.target * n / (self.compliance * self.law.stiffness() * (1.0 + loss * at)), n - 1.0);
            at = at.min((hard * per_a - 1.0).max(0.5));
        }
        for evaluations in 1..=MOST {
            let (growth, potential) = self.growth(at, now);
            let law = lossy(growth, at, loss);
            let equation = equation(at, law);
            let by = zero(equation);
            let (share, next) = (1.0 + at, at + by);
            if is_near(equation, by, share.min(1.0)) {
                let [force, slope] = there(law, by);
                let step = a * next;
                let end = a + step;
                return (loss * next > NEARLY_PARTED).then(|| Answer {
                    step,
                    end,
                    force: now * force,
                    slope: now * per_a * slope,
                    potential: potential.map_or(unknown(now * force * end), |phi| phi * grown(n, by / share)),
                    evaluations,
                });
            }
            if next.is_nan() || next <= FARTHEST[0] {
                return None;
            }
            at = next;
        }
        None
    }

    /// The mean growth of the force over no step.
    #[inline(always)]
    fn growth_at_rest(&self) -> Jet {
        let [rise, curve, third, _] = self.law.first_terms();
        [1.0, rise, 2.0 * curve, 6.0 * third]
    }

    /// The mean growth of the force over a step of `t` compressions, and φ of its end where that was asked for.
    #[inline(always)]
    fn growth(&self, t: f64, now: f64) -> (Jet, Option<f64>) {
        if let Some(small) = self.law.growing(t) {
            return ([small.value, small.slope, small.bend, self.growth_at_rest()[3]], None);
        }
        let (n, share) = (self.law.exponent() + 1.0, 1.0 + t);
        let (per_share, per_t) = (1.0 / share, 1.0 / t);
        let (value, end, potential) = match self.law.mean_growth(t) {
            Some(value) => (value, (1.0 + n * t * value) * per_share, None),
            None => {
                // Δφ as a difference of two potentials loses two bits at most, and is that of the φ which are kept
                let x = self.start * share;
                let force = self.law.force(x);
                let end = force / now;
                ((share * end - 1.0) * per_t / n, end, Some(force * x / n))
            }
        };
        // (t g)' = E, the growth of the force at the end
        let rise = (n - 1.0) * end * per_share;
        let bend = (n - 2.0) * rise * per_share;
        let slope = (end - value) * per_t;
        let bent = (rise - 2.0 * slope) * per_t;
        ([value, slope, bent, (bend - 3.0 * bent) * per_t], potential)
    }

    /// From apart into contact, for the end x.
    #[inline(never)]
    pub(super) fn enter_large(&self) -> Option<Answer> {
        let (a, c, loss, n) = (self.start, self.compliance, self.loss, self.law.exponent() + 1.0);
        let depth = a + self.target;
        let way = depth - a;
        // between where the contact stops all motion and where it would be without a force
        let hard = rough_root(depth * way * n / (c * self.law.stiffness() * (1.0 + loss * way)), n);
        let share = hard / depth;
        let mut at = hard / (1.0 + share * (0.6 + share)).sqrt();
        let fair = at > 0.0 && hard - a >= REFINE * way;
        if !fair {
            return None;
        }
        for evaluations in 1..=MOST {
            let force = self.law.force(at);
            let per_x = 1.0 / at;
            let per_step = 1.0 / (at - a);
            let potential = force * at / n;
            let rise = (n - 1.0) * force * per_x;
            let bend = (n - 2.0) * rise * per_x;
            // of φ/s, where (s · φ/s)' = φ'
            let mean = potential * per_step;
            let slope = (force - mean) * per_step;
            let bent = (rise - 2.0 * slope) * per_step;
            let third = (bend - 3.0 * bent) * per_step;
            let law = [mean + loss * potential, slope + loss * force, bent + loss * rise, third + loss * bend];
            let equation = [(at - depth) + c * law[0], 1.0 + c * law[1], c * law[2], c * law[3]];
            let by = zero(equation);
            let next = at + by;
            if is_near(equation, by, at) {
                let [force, slope] = there(law, by);
                let potential = potential * grown(n, by * per_x);
                return (potential > f64::MIN_POSITIVE).then_some(Answer {
                    step: next - a,
                    end: next,
                    force,
                    slope,
                    potential,
                    evaluations,
                });
            }
            if next.is_nan() || next <= 0.0 {
                return None;
            }
            at = next;
        }
        None
    }
}

/// A mean growth with its derivatives, times 1 + λt.
#[inline(always)]
fn lossy([value, slope, bend, third]: Jet, t: f64, loss: f64) -> Jet {
    let factor = 1.0 + loss * t;
    [
        value * factor,
        slope * factor + loss * value,
        bend * factor + 2.0 * (loss * slope),
        third * factor + 3.0 * (loss * bend),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::power_law::PowerLaw;
    use ictus_kernels::collision::{ALPHA, Shared};

    #[test]
    fn a_step_of_no_length_is_no_root() {
        let turn = [1.0, 1.0, 2.0, 0.5];
        assert!(zero(turn) == 0.0 && !is_near(turn, zero(turn), 1.0));
    }

    /// Soft and hard contacts that press or arrive, by whole compressions: where a few looks are enough, they find what a bracketed search finds.
    #[test]
    fn few_looks_find_the_root_of_the_bracket() {
        let mut x = 7u64;
        let mut draw = |low: f64, high: f64| {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            low + (high - low) * ((x >> 11) as f64 / (1u64 << 53) as f64)
        };
        let (mut found, mut all) = ([0; 2], [0; 2]);
        for round in 0..200_000 {
            let law = PowerLaw::new(libm::exp2(draw(10.0, 40.0)), [1.3, 1.5, 1.8, 2.3, 3.5][round % 5]);
            let size = libm::exp2(draw(-25.0, -8.0));
            let enters = round % 2 == 0;
            let start = if enters { -size * draw(0.0, 1.0) } else { size };
            let push = size * libm::exp2(draw(-3.0, 1.0));
            let (target, loss) =
                (if enters { push - start } else { draw(-2.0, 2.0) * push }, draw(0.0, 0.5) / (size + push));
            // from contacts that hardly slow the motion to contacts that stop it
            let compliance = size / law.force(size) * libm::exp2(draw(-6.0, 6.0));
            let potential = law.potential(start);
            let problem = Problem { law: &law, start, potential, target, compliance, loss, guess: f64::NAN };
            let by_root = law.exponent() == ALPHA;
            let (quick, slow) = match (enters, by_root) {
                (true, true) => (problem.enter_by_root(), problem.enter()),
                (true, false) => (problem.enter_large(), problem.enter()),
                (false, _) if target * loss <= -1.0 || problem.leave().is_some() => continue,
                (false, true) => (problem.press_by_root(Shared { loss, stiffness: law.stiffness() }), problem.inside()),
                (false, false) => (problem.press_large(), problem.inside()),
            };
            all[usize::from(enters)] += 1;
            let Some(quick) = quick else { continue };
            found[usize::from(enters)] += 1;
            let terms = slow.step.abs() + target.abs() + compliance * slow.force;
            let wrong = (quick.step - slow.step).abs() + compliance * (quick.force - slow.force).abs();
            assert!(wrong < 1e-14 * terms, "round {round}: {:e}", wrong / terms);
            let miss = quick.step + compliance * quick.force - target;
            assert!(miss.abs() < 4.0 * f64::EPSILON * terms, "round {round}: {:e}", miss / terms);
            let phi = law.potential(quick.end);
            let wrong = quick.potential / phi - 1.0;
            assert!(quick.potential < 0.0 || wrong.abs() < 1e-14, "round {round}: φ {wrong:e}");
        }
        for (found, all) in found.into_iter().zip(all) {
            assert!(found > all * 9 / 10, "{found} of {all}");
        }
    }
}
