//! Small steps of contacts whose exponent needs `pow`, in units of the compression: t = s/a.
//!
//! With g(t) = 1 + c₁t + c₂t² + … the mean growth of the force over the step, s + C f(s) = b is F(t) = t + κ g(t)(1 + λt) − β = 0, where κ = C φ'(a)/a, β = b/a and λ = μa/span.
//! All coefficients of F except β are known before b is, and so are the first terms of its inverse series, whose root is wrong by t⁴ only. One evaluation of F there
//! and the slope of its first five terms find the root to the last digit. This keeps the divisions off the critical path.
//! The law is monotone, so a root found here is unique: no check for separation is needed first.

use super::{Answer, EndPotential, PARTING, Problem};
use ictus_kernels::single;

/// Distance from an evaluation, as a fraction of the compression, below which the tangent equals the law to the last digit.
const CLOSE: f64 = 3e-9;

impl Problem<'_> {
    /// The solution for a small step; `span` is that of the target, b = span·z.
    #[inline(always)]
    pub(super) fn small(&self, z: f64, span: f64) -> Option<Answer> {
        let (a, per_a) = (self.start, 1.0 / self.start);
        let now = single((self.law.exponent() + 1.0) * self.potential * per_a);
        let stiff = single(self.compliance * per_a) * now;
        let (target, loss) = (z * single(span * per_a), single(self.loss * a));
        let [c1, c2, c3, c4] = self.law.first_terms();
        // F = (κ − β) + f₁t + f₂t² + …
        let f1 = single(1.0 + stiff * (c1 + loss));
        let [f2, f3, f4] = [c2 + loss * c1, c3 + loss * c2, c4 + loss * c3].map(|term| single(stiff * term));
        let per_f1 = 1.0 / f1;
        let (h2, h3) = (single(f2 * per_f1), single(f3 * per_f1));
        let inverse = single(2.0 * single(h2 * h2) - h3);
        let u = single((stiff - target) * per_f1);
        let first = -u - single(u * u) * single(h2 + inverse * u);
        let growth = self.law.small_growth(first)?;
        let square = single(first * first);
        let slope = single(f1 + single(first * (2.0 * f2))) + square * single(3.0 * f3 + first * (4.0 * f4));
        let growing = single(c1 + single(first * (2.0 * c2))) + square * single(3.0 * c3 + first * (4.0 * c4));
        let per_slope = single(1.0 / slope);
        let lossy = single(1.0 + loss * first);
        let grown = single(growth * lossy);
        let by = -per_slope * single((first - target) + stiff * grown);
        let t = first + by;
        if !(by.abs() < CLOSE && loss * t > PARTING) {
            return None;
        }
        let rise = now * (growing * lossy + loss * growth);
        let step = single(a * t);
        Some(Answer {
            step,
            end: a + step,
            force: single(now * grown) + by * rise,
            slope: per_a * rise,
            potential: EndPotential::computed(self.potential + step * (now * (growth + by * growing))),
            evaluations: 1,
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::clock::{Clock, Scheme};
    use crate::interaction::Interaction;
    use crate::interaction::collision::Collision;
    use crate::power_law::PowerLaw;

    /// φ agrees with the compression after any number of small steps, most of which update it from its previous value.
    #[test]
    fn rounding_does_not_add_up_in_the_potential() {
        for scheme in [Scheme::Leapfrog, Scheme::Midpoint] {
            let law = PowerLaw::new(1e7, 2.3);
            let collision = Collision::new(Clock::new(scheme, 1.0 / 48e3), law, 0.2);
            let (depth, mobility) = (1e-3, 1e-4);
            let phi = law.potential(depth);
            let mut state = [depth, depth, phi, phi];
            let (mut small, mut worst) = (0, 0.0_f64);
            let steps = 200_000;
            for n in 0..steps {
                // the velocity that balances the force, and a slow oscillation about it
                let oscillation = 2e-2 * libm::sin(0.003 * f64::from(n));
                let resolved = collision.resolve(&state, mobility * law.force(state[0]) + oscillation, mobility);
                small += i32::from(resolved.potential.get().is_some());
                collision.commit(&mut state, &resolved);
                worst = worst.max((state[2] / law.potential(state[0]) - 1.0).abs());
            }
            assert!(state[0] > 0.0 && small > steps * 9 / 10, "{scheme:?}: {small} small steps, {} m", state[0]);
            // up to two hundred steps between two powers, each wrong by a unit or two in the last place of either sign; without recomputation 9e-14
            assert!(worst < 2e-14, "{scheme:?}: {worst:e}");
        }
    }
}
