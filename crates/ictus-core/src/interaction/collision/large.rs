//! Large steps, and entries, of contacts whose exponent needs `pow`: as few evaluations as possible, since each costs a power.
//!
//! Every evaluation yields the law and three derivatives, and is followed by a step of fourth order (Householder). Once the step is so short that the local cubic equals the law to the
//! last digit, the solution is taken from the cubic, and φ from its own. The law is monotone, so a root found here is unique.

use super::{Answer, EndPotential, MIN_LOSS_STEP, Problem, REFINE};
use crate::power_law::rough_root;

/// Step, as a fraction of the compression, below which the local cubic equals the law to the last digit: the remainder is about ten times the fourth power of this.
const NEAR: f64 = 2e-5;
/// Evaluations after which a contact is left to the bracketed solver.
const MAX_EVALUATIONS: u32 = 4;
/// Range of steps, in compressions, outside which the first guess is poor.
const STEP_RANGE: [f64; 2] = [-0.95, 1.0];

/// A function value with three derivatives.
type Jet = [f64; 4];

/// Distance to the zero of the local cubic, to fourth order.
#[inline(always)]
fn zero([value, slope, bend, third]: Jet) -> f64 {
    let (square, bent) = (slope * slope, value * bend);
    -value * (6.0 * square - 3.0 * bent) / (slope * (6.0 * square - 6.0 * bent) + value * value * third)
}

/// True if the zero of the cubic, at distance `by`, is so near that the cubic equals the function. The Newton step must be short too, because far from the root the Householder step can pass
/// through zero.
#[inline(always)]
fn is_near(jet: Jet, by: f64, scale: f64) -> bool {
    let reach = NEAR * scale;
    by.abs() < reach && jet[0].abs() < reach * jet[1]
}

/// Value and slope of a cubic at distance `by`.
#[inline(always)]
fn cubic_at([value, slope, bend, third]: Jet, by: f64) -> [f64; 2] {
    [value + by * (slope + by * (0.5 * bend + by * (third / 6.0))), slope + by * (bend + by * (0.5 * third))]
}

/// (1 + u)^n to third order.
#[inline(always)]
pub(super) fn grown(n: f64, u: f64) -> f64 {
    1.0 + n * u * (1.0 + 0.5 * (n - 1.0) * u * (1.0 + (n - 2.0) / 3.0 * u))
}

impl Problem<'_> {
    /// Closed to closed, in units of the compression as in `small.rs`.
    #[inline(never)]
    pub(super) fn press_large(&self) -> Option<Answer> {
        let (a, per_a, n) = (self.start, 1.0 / self.start, self.law.exponent() + 1.0);
        let now = n * self.potential * per_a;
        let stiff = self.compliance * per_a * now;
        let (target, loss) = (self.target * per_a, self.loss * a);
        let equation =
            |t: f64, law: Jet| [(t - target) + stiff * law[0], 1.0 + stiff * law[1], stiff * law[2], stiff * law[3]];
        let mut at = zero(equation(0.0, lossy(self.growth_at_rest(), 0.0, loss)));
        if at.is_nan() || at <= STEP_RANGE[0] {
            return None;
        }
        if at > STEP_RANGE[1] {
            // as if the contact stopped all motion
            let hard =
                rough_root(self.target * n / (self.compliance * self.law.stiffness() * (1.0 + loss * at)), n - 1.0);
            at = at.min((hard * per_a - 1.0).max(0.5));
        }
        for evaluations in 1..=MAX_EVALUATIONS {
            let (growth, potential) = self.growth(at, now);
            let law = lossy(growth, at, loss);
            let equation = equation(at, law);
            let by = zero(equation);
            let (share, next) = (1.0 + at, at + by);
            if is_near(equation, by, share.min(1.0)) {
                let [force, slope] = cubic_at(law, by);
                let step = a * next;
                let end = a + step;
                return (loss * next > MIN_LOSS_STEP).then(|| Answer {
                    step,
                    end,
                    force: now * force,
                    slope: now * per_a * slope,
                    potential: match potential {
                        Some(phi) => EndPotential::computed(phi * grown(n, by / share)),
                        None => EndPotential::deferred(now * force * end),
                    },
                    evaluations,
                });
            }
            if next.is_nan() || next <= STEP_RANGE[0] {
                return None;
            }
            at = next;
        }
        None
    }

    /// The mean growth of the force over a step of zero length.
    #[inline(always)]
    fn growth_at_rest(&self) -> Jet {
        let [rise, curve, third, _] = self.law.first_terms();
        [1.0, rise, 2.0 * curve, 6.0 * third]
    }

    /// The mean growth of the force over a step of `t` compressions, and φ of its end if it was computed.
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
                // Δφ as a difference of two potentials loses two bits at most, and is consistent with the stored φ
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

    /// Open to closed, solved for the end x.
    #[inline(never)]
    pub(super) fn enter_large(&self) -> Option<Answer> {
        let (a, c, loss, n) = (self.start, self.compliance, self.loss, self.law.exponent() + 1.0);
        let depth = a + self.target;
        let travel = depth - a;
        // between the compression that stops all motion and the force-free end
        let hard = rough_root(depth * travel * n / (c * self.law.stiffness() * (1.0 + loss * travel)), n);
        let share = hard / depth;
        let mut at = hard / (1.0 + share * (0.6 + share)).sqrt();
        let good_guess = at > 0.0 && hard - a >= REFINE * travel;
        if !good_guess {
            return None;
        }
        for evaluations in 1..=MAX_EVALUATIONS {
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
                let [force, slope] = cubic_at(law, by);
                let potential = potential * grown(n, by * per_x);
                return (potential > f64::MIN_POSITIVE).then_some(Answer {
                    step: next - a,
                    end: next,
                    force,
                    slope,
                    potential: EndPotential::computed(potential),
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
    use ictus_testkit::Draw;

    #[test]
    fn a_vanishing_step_is_not_a_root() {
        let spurious = [1.0, 1.0, 2.0, 0.5];
        assert!(zero(spurious) == 0.0 && !is_near(spurious, zero(spurious), 1.0));
    }

    /// Soft and hard closed or entering contacts, with steps of whole compressions: the fast iteration finds the root of the bracketed search.
    #[test]
    fn fast_iteration_finds_the_root_of_the_bracket() {
        let mut random = Draw::new(7);
        let mut draw = |low: f64, high: f64| random.uniform(low, high);
        let (mut solved, mut all) = ([0; 2], [0; 2]);
        for round in 0..200_000 {
            let law = PowerLaw::new(libm::exp2(draw(10.0, 40.0)), [1.3, 1.5, 1.8, 2.3, 3.5][round % 5]);
            let size = libm::exp2(draw(-25.0, -8.0));
            let enters = round % 2 == 0;
            let start = if enters { -size * draw(0.0, 1.0) } else { size };
            let overlap = size * libm::exp2(draw(-3.0, 1.0));
            let (target, loss) =
                (if enters { overlap - start } else { draw(-2.0, 2.0) * overlap }, draw(0.0, 0.5) / (size + overlap));
            // from contacts that hardly slow the motion to contacts that stop it
            let compliance = size / law.force(size) * libm::exp2(draw(-6.0, 6.0));
            let potential = law.potential(start);
            let problem = Problem { law: &law, start, potential, target, compliance, loss, guess: None };
            let by_root = law.exponent() == ALPHA;
            let (fast, slow) = match (enters, by_root) {
                (true, true) => (problem.enter_by_root(), problem.enter()),
                (true, false) => (problem.enter_large(), problem.enter()),
                (false, _) if target * loss <= -1.0 || problem.separate().is_some() => continue,
                (false, true) => (problem.press_by_root(Shared { loss, stiffness: law.stiffness() }), problem.inside()),
                (false, false) => (problem.press_large(), problem.inside()),
            };
            all[usize::from(enters)] += 1;
            let Some(fast) = fast else { continue };
            solved[usize::from(enters)] += 1;
            let terms = slow.step.abs() + target.abs() + compliance * slow.force;
            let wrong = (fast.step - slow.step).abs() + compliance * (fast.force - slow.force).abs();
            assert!(wrong < 1e-14 * terms, "round {round}: {:e}", wrong / terms);
            let residual = fast.step + compliance * fast.force - target;
            assert!(residual.abs() < 4.0 * f64::EPSILON * terms, "round {round}: {:e}", residual / terms);
            let phi = law.potential(fast.end);
            let wrong = fast.potential.get().map_or(0.0, |computed| computed / phi - 1.0);
            assert!(wrong.abs() < 1e-14, "round {round}: φ {wrong:e}");
        }
        for (solved, all) in solved.into_iter().zip(all) {
            assert!(solved > all * 9 / 10, "{solved} of {all}");
        }
    }
}
