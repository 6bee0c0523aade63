//! One contact of exponent 3/2, solved for the square root of its compression: in that unknown the law has neither powers nor roots.
//!
//! With w = √a, y = √x and k = K/2.5 the mean force of a step from a to x, k(y⁵ − w⁵)/(y² − w²), is k (y(x + a) + a²/(y + w)), a sum of positive terms that costs one
//! division; so do all of its derivatives by y together. Each evaluation is followed by a step of fourth order (Householder). Once the step is so short that the local cubic
//! equals the law to the last digit, the solution is taken from the cubic. The law is monotone, so a root is unique and needs no bracket.

/// Step, as a fraction of √x, below which the local cubic equals the law to the last digit: the remainder is about ten times the fourth power of this.
const NEAR: f64 = 2e-5;

/// One Householder iterate of s + C f(s) = b: residual, law and three derivatives.
#[derive(Clone, Copy)]
pub(super) struct Iterate {
    /// f/k and its derivatives by y.
    law: [f64; 4],
    /// Step to the zero of the local cubic.
    pub by: f64,
    /// Converged: the cubic equals the law over the step. The Newton step must be short too, because far from the root the Householder step can pass through zero.
    pub near: bool,
}

impl Iterate {
    /// From the residual `residual` and the derivatives of s and f/k by y; `stiff` is C k.
    #[inline(always)]
    fn new(residual: f64, y: f64, law: [f64; 4], stiff: f64) -> Self {
        let slope = 2.0 * y + stiff * law[1];
        let bend = 2.0 + stiff * law[2];
        let (square, bent) = (slope * slope, residual * bend);
        let denominator = slope * (6.0 * square - 6.0 * bent) + residual * residual * (stiff * law[3]);
        let by = -residual * (6.0 * square - 3.0 * bent) / denominator;
        let reach = NEAR * y;
        Self { law, by, near: (residual.abs() < reach * slope) & (by.abs() < reach) }
    }

    /// f/k and its derivative by y at the zero of the cubic.
    #[inline(always)]
    pub fn at_root(&self) -> [f64; 2] {
        let ([value, slope, bend, third], by) = (self.law, self.by);
        [value + by * (slope + by * (0.5 * bend + by * (third / 6.0))), slope + by * (bend + by * (0.5 * third))]
    }
}

/// A closed contact before the step: w = √a, a, b, C k and μ/span.
#[derive(Clone, Copy)]
pub(super) struct Press {
    pub root: f64,
    pub start: f64,
    pub target: f64,
    pub stiff: f64,
    pub loss: f64,
}

impl Press {
    /// First guess of y − w: the zero of the cubic at s = 0.
    #[inline(always)]
    pub fn first(&self) -> f64 {
        let Self { root, start, target, stiff, loss } = *self;
        let [mean, slope, bend, third] = [2.5 * (start * root), 3.75 * start, 6.25 * root, 5.625];
        let law = lossy([mean, slope, bend, third], 1.0, root, loss);
        Iterate::new(stiff * law[0] - target, root, law, stiff).by
    }

    /// Evaluates the equation at y = w + `by`.
    #[inline(always)]
    pub fn iterate(&self, by: f64) -> Iterate {
        let Self { root, start, target, stiff, loss } = *self;
        let y = root + by;
        let sum = root + y;
        let inverse = 1.0 / sum;
        let (step, x, part) = (by * sum, y * y, start * inverse);
        let square = part * part;
        let mean = y * (x + start) + start * part;
        let slope = (3.0 * x + start) - square;
        let bent = square * inverse;
        let law = lossy([mean, slope, 6.0 * y + 2.0 * bent, 6.0 - 6.0 * (bent * inverse)], 1.0 + loss * step, y, loss);
        Iterate::new((step - target) + stiff * law[0], y, law, stiff)
    }
}

/// Multiplies a mean force and its derivatives by 1 + μs/span = `factor`.
#[inline(always)]
fn lossy([mean, slope, bend, third]: [f64; 4], factor: f64, y: f64, loss: f64) -> [f64; 4] {
    let (rise, bow) = (2.0 * (loss * y), 2.0 * loss);
    [
        mean * factor,
        slope * factor + rise * mean,
        bend * factor + 2.0 * (rise * slope) + bow * mean,
        third * factor + 3.0 * (rise * bend) + 3.0 * (bow * slope),
    ]
}

/// An open contact that would overlap by p: a ≤ 0, p, C k and μ/span.
#[derive(Clone, Copy)]
pub(super) struct Enter {
    pub start: f64,
    pub depth: f64,
    pub stiff: f64,
    pub loss: f64,
}

impl Enter {
    /// First guess of x, and its distance from a divided by the force-free travel.
    #[inline(always)]
    pub fn first(&self, rough_root: impl Fn(f64) -> f64) -> [f64; 2] {
        let Self { start, depth, stiff, loss } = *self;
        let travel = depth - start;
        // compression at which the contact stops all motion
        let hard = rough_root(depth * travel / (stiff * (1.0 + loss * travel)));
        // interpolates between that and p: t + (t/h)^m = 1 to some percent for exponents 3/2 to 5/2
        let share = hard / depth;
        [hard / (1.0 + share * (0.6 + share)).sqrt(), (hard - start) / travel]
    }

    /// Evaluates the equation at y.
    #[inline(always)]
    pub fn iterate(&self, y: f64) -> Iterate {
        let Self { start, depth, stiff, loss } = *self;
        let x = y * y;
        let inverse = 1.0 / (x - start);
        let (both, part) = (inverse + loss, x * inverse);
        let (once, cube) = (inverse * part, x * y);
        let (twice, thrice) = (once * part, once * part * part);
        let law = [
            cube * x * both,
            x * x * (5.0 * both - 2.0 * once),
            cube * ((20.0 * both - 22.0 * once) + 8.0 * twice),
            x * ((60.0 * both - 150.0 * once) + (144.0 * twice - 48.0 * thrice)),
        ];
        Iterate::new((x - depth) + stiff * law[0], y, law, stiff)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bisects `low..high` until the step of `iterate` vanishes.
    fn bisect_step(mut low: f64, mut high: f64, iterate: impl Fn(f64) -> Iterate) -> Iterate {
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            let side = if iterate(middle).by > 0.0 { &mut low } else { &mut high };
            *side = middle;
        }
        iterate(low)
    }

    /// Beyond the root the Householder step changes sign, so it vanishes where there is no root.
    #[test]
    fn a_vanishing_step_is_not_a_root() {
        let press = Press { root: 1e-3, start: 1e-6, target: 1e-9, stiff: 1e6, loss: 0.0 };
        let enter = Enter { start: -1e-6, depth: 1e-6, stiff: 1e6, loss: 0.0 };
        let mut spurious = 0;
        for i in 1..4000 {
            // the step changes sign from + to − at a root, from − to + at a spurious zero
            let (low, high) = (1e-6 * f64::from(i), 1e-6 * f64::from(i + 1));
            for which in [true, false] {
                let iterate = |y: f64| if which { press.iterate(y - press.root) } else { enter.iterate(y) };
                if iterate(low).by < 0.0 && iterate(high).by > 0.0 {
                    let iterate = bisect_step(high, low, iterate);
                    if iterate.by.abs() < 1e-12 {
                        spurious += 1;
                        assert!(!iterate.near, "spurious zero at {low}");
                    }
                }
            }
        }
        assert!(spurious > 0);
    }
}
