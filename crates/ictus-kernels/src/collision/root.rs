//! One contact of exponent 3/2 that is looked at, with the square root of its compression for unknown: then the law has neither powers nor roots.
//!
//! With w = √a, y = √x and k = K/2.5 the mean force of a step from a to x, k(y⁵ − w⁵)/(y² − w²), is k (y(x + a) + a²/(y + w)), a sum of positive terms that costs one
//! division; so do all of its derivatives by y together. A look is followed by a step of fourth order (Householder). Where that is so small that the cubic there is
//! the law to the last digit, the answer is taken from the cubic. The law never falls, so that a root found is the only one: nobody needs a bracket.

/// So far from a look, as a share of √x, its cubic is the law to the last digit: what is left out is about the fourth power of this, ten times.
const NEAR: f64 = 2e-5;

/// s + C f(s) = b by its unknown: miss, law and three derivatives.
#[derive(Clone, Copy)]
pub(super) struct Look {
    /// f/k and its derivatives by y.
    law: [f64; 4],
    /// Where the cubic of the equation is zero, from here.
    pub by: f64,
    /// That is so near that the cubic is the law. A tangent says so too: far from the root the step of the cubic may pass through zero.
    pub near: bool,
}

impl Look {
    /// From `miss`, and the derivatives of s and f/k by y; `stiff` is C k.
    #[inline(always)]
    fn new(miss: f64, y: f64, law: [f64; 4], stiff: f64) -> Self {
        let slope = 2.0 * y + stiff * law[1];
        let bend = 2.0 + stiff * law[2];
        let (square, bent) = (slope * slope, miss * bend);
        let below = slope * (6.0 * square - 6.0 * bent) + miss * miss * (stiff * law[3]);
        let by = -miss * (6.0 * square - 3.0 * bent) / below;
        let reach = NEAR * y;
        Self { law, by, near: (miss.abs() < reach * slope) & (by.abs() < reach) }
    }

    /// f/k and its derivative by y where the cubic is zero.
    #[inline(always)]
    pub fn there(&self) -> [f64; 2] {
        let ([value, slope, bend, third], by) = (self.law, self.by);
        [value + by * (slope + by * (0.5 * bend + by * (third / 6.0))), slope + by * (bend + by * (0.5 * third))]
    }
}

/// The contact before the step: w = √a, a, b, C k and μ/span.
#[derive(Clone, Copy)]
pub(super) struct Press {
    pub root: f64,
    pub start: f64,
    pub target: f64,
    pub stiff: f64,
    pub loss: f64,
}

impl Press {
    /// The first guess of y − w: where the cubic at s = 0 is zero.
    #[inline(always)]
    pub fn first(&self) -> f64 {
        let Self { root, start, target, stiff, loss } = *self;
        let [mean, slope, bend, third] = [2.5 * (start * root), 3.75 * start, 6.25 * root, 5.625];
        let law = lossy([mean, slope, bend, third], 1.0, root, loss);
        Look::new(stiff * law[0] - target, root, law, stiff).by
    }

    /// The equation at y = w + `by`.
    #[inline(always)]
    pub fn look(&self, by: f64) -> Look {
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
        Look::new((step - target) + stiff * law[0], y, law, stiff)
    }
}

/// A mean force with its derivatives, times 1 + μs/span = `factor`.
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

/// A contact that is apart and would overlap by p: a ≤ 0, p, C k and μ/span.
#[derive(Clone, Copy)]
pub(super) struct Enter {
    pub start: f64,
    pub depth: f64,
    pub stiff: f64,
    pub loss: f64,
}

impl Enter {
    /// A first guess of x, and how far it is from a as a share of what it would be without a force.
    #[inline(always)]
    pub fn first(&self, rough_root: impl Fn(f64) -> f64) -> [f64; 2] {
        let Self { start, depth, stiff, loss } = *self;
        let way = depth - start;
        // where the contact stops all motion
        let hard = rough_root(depth * way / (stiff * (1.0 + loss * way)));
        // between that and p, as t + (t/h)^m = 1 has it to some percent for the exponents that occur, 3/2 to 5/2
        let share = hard / depth;
        [hard / (1.0 + share * (0.6 + share)).sqrt(), (hard - start) / way]
    }

    /// The equation at y.
    #[inline(always)]
    pub fn look(&self, y: f64) -> Look {
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
        Look::new((x - depth) + stiff * law[0], y, law, stiff)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Halves `low..high` until `look` has a step of no length between them.
    fn standstill(mut low: f64, mut high: f64, look: impl Fn(f64) -> Look) -> Look {
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            let side = if look(middle).by > 0.0 { &mut low } else { &mut high };
            *side = middle;
        }
        look(low)
    }

    /// Beyond the root the step of the cubic turns round, and is as small as one likes in between.
    #[test]
    fn a_step_of_no_length_is_no_root() {
        let press = Press { root: 1e-3, start: 1e-6, target: 1e-9, stiff: 1e6, loss: 0.0 };
        let enter = Enter { start: -1e-6, depth: 1e-6, stiff: 1e6, loss: 0.0 };
        let mut turns = 0;
        for i in 1..4000 {
            // steps that go up at the lower end and down at the upper one are roots; the other way round they turn
            let (low, high) = (1e-6 * f64::from(i), 1e-6 * f64::from(i + 1));
            for which in [true, false] {
                let look = |y: f64| if which { press.look(y - press.root) } else { enter.look(y) };
                if look(low).by < 0.0 && look(high).by > 0.0 {
                    let look = standstill(high, low, look);
                    if look.by.abs() < 1e-12 {
                        turns += 1;
                        assert!(!look.near, "turn at {low}");
                    }
                }
            }
        }
        assert!(turns > 0);
    }
}
