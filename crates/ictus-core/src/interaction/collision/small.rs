//! Small steps of contacts whose powers are dear, in shares of the compression: t = s/a.
//!
//! With g(t) the mean growth of the force over the step, s + C f(s) = b is t + κ g(t)(1 + λt) = β, where κ = C φ'(a)/a, β = b/a and λ = μa/span.
//! The parabola at t = 0 is so close to the root that one look from there, with its own parabola, finds it to the last digit. The law never
//! falls, so that a root found here is the only one: nobody needs to ask first whether the contact opens.

use super::{Answer, NEAR, PARTING, Problem};
use ictus_kernels::single;

impl Problem<'_> {
    /// The answer where the step is small.
    #[inline(always)]
    pub(super) fn small(&self) -> Option<Answer> {
        let (a, per_a) = (self.start, 1.0 / self.start);
        let now = single((self.law.exponent() + 1.0) * self.potential * per_a);
        let stiff = single(self.compliance * per_a) * now;
        let (target, loss) = (single(self.target * per_a), single(self.loss * a));
        let [rise, curve, _] = self.law.first_terms();
        let slope = single(1.0 + stiff * (rise + loss));
        let first = parabola(stiff - target, slope, 2.0 * stiff * (curve + loss * rise));
        let mean = self.law.small_growth(first)?;
        let lossy = single(1.0 + loss * first);
        let slope = single(mean.slope * lossy) + loss * mean.value;
        let bend = mean.bend * lossy + single(2.0 * loss * mean.slope);
        let miss = (first - target) + stiff * single(mean.value * lossy);
        let by = parabola(miss, single(1.0 + stiff * slope), stiff * bend);
        let t = first + by;
        if !(by.abs() < NEAR && loss * t > PARTING) {
            return None;
        }
        let growth = mean.value + by * single(mean.slope + 0.5 * by * mean.bend);
        let (step, mean_force) = (single(a * t), now * growth);
        Some(Answer {
            step,
            end: a + step,
            force: mean_force * (1.0 + loss * t),
            slope: now * per_a * (slope + by * bend),
            potential: self.potential + step * mean_force,
            evaluations: 1,
        })
    }
}

/// How far from here a parabola with this value, slope and bend is zero, to third order (Halley).
#[inline(always)]
fn parabola(value: f64, slope: f64, bend: f64) -> f64 {
    single(-2.0 * value) * slope / (2.0 * slope * slope - value * bend)
}

#[cfg(test)]
mod tests {
    use crate::clock::{Clock, Frame};
    use crate::interaction::Interaction;
    use crate::interaction::collision::Collision;
    use crate::power_law::PowerLaw;

    /// φ is that of the compression after any number of small steps, most of which found it from the φ before.
    #[test]
    fn rounding_does_not_add_up_in_the_potential() {
        for frame in [Frame::Leapfrog, Frame::Midpoint] {
            let law = PowerLaw::new(1e7, 2.3);
            let collision = Collision::new(Clock::new(frame, 1.0 / 48e3), law, 0.2);
            let (depth, mobility) = (1e-3, 1e-4);
            let phi = law.potential(depth);
            let mut state = [depth, depth, phi, phi];
            let (mut small, mut worst) = (0, 0.0_f64);
            let steps = 200_000;
            for n in 0..steps {
                // what balances the force, and a slow sway about it
                let sway = 2e-2 * libm::sin(0.003 * f64::from(n));
                let resolved = collision.resolve(&state, mobility * law.force(state[0]) + sway, mobility);
                small += i32::from(resolved.potential > 0.0);
                collision.commit(&mut state, &resolved);
                worst = worst.max((state[2] / law.potential(state[0]) - 1.0).abs());
            }
            assert!(state[0] > 0.0 && small > steps * 9 / 10, "{frame:?}: {small} small steps, {} m", state[0]);
            // up to two hundred steps lie between two powers, each wrong by a unit or two in the last place, up or down; without any it were 9e-14
            assert!(worst < 2e-14, "{frame:?}: {worst:e}");
        }
    }
}
