//! The one-sided power law φ(x) = K/(α+1)·[x]₊^{α+1}, force φ'(x) = K [x]₊^α. [D21 eq. 2]
//!
//! Exponents 1, 1.5, 2, 2.5 and 3 are computed with products and square roots only: faster, and free of the cancellation
//! in the discrete gradient. Other exponents use the tables of [`power`], small steps the [`Binomial`] series.

mod binomial;

use binomial::Binomial;
pub(crate) use binomial::Grown;
use ictus_kernels::power::power;

/// Stiffness and exponent of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PowerLaw {
    stiffness: f64, // K, N/m^α
    exponent: f64,  // α
    class: Class,
    series: Binomial, // of x^{α+1}
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Class {
    One,
    ThreeHalves,
    Two,
    FiveHalves,
    Three,
    General,
}

impl PowerLaw {
    /// φ'(x) = `stiffness` · x^`exponent`.
    pub fn new(stiffness: f64, exponent: f64) -> Self {
        let class = match exponent {
            1.0 => Class::One,
            1.5 => Class::ThreeHalves,
            2.0 => Class::Two,
            2.5 => Class::FiveHalves,
            3.0 => Class::Three,
            _ => Class::General,
        };
        Self { stiffness, exponent, class, series: Binomial::new(exponent + 1.0) }
    }

    /// K, N/m^α.
    pub fn stiffness(&self) -> f64 {
        self.stiffness
    }

    /// α.
    pub fn exponent(&self) -> f64 {
        self.exponent
    }

    /// True if the exponent needs `pow`.
    pub(crate) fn is_general(&self) -> bool {
        self.class == Class::General
    }

    /// φ'(x), N.
    #[inline]
    pub fn force(&self, x: f64) -> f64 {
        if x <= 0.0 {
            return 0.0;
        }
        self.stiffness
            * match self.class {
                Class::One => x,
                Class::ThreeHalves => x * x.sqrt(),
                Class::Two => x * x,
                Class::FiveHalves => x * x * x.sqrt(),
                Class::Three => x * x * x,
                Class::General => power(x, self.exponent),
            }
    }

    /// φ(x), J.
    #[inline]
    pub fn potential(&self, x: f64) -> f64 {
        self.force(x) * x.max(0.0) / (self.exponent + 1.0)
    }

    /// φ''(x), N/m.
    pub fn stiffness_at(&self, x: f64) -> f64 {
        if x <= 0.0 {
            return if self.class == Class::One && x == 0.0 { self.stiffness } else { 0.0 };
        }
        self.exponent * self.force(x) / x
    }

    /// The compression at which φ'(x) = `force`: the inverse of [`PowerLaw::force`].
    pub fn compression(&self, force: f64) -> f64 {
        root(force / self.stiffness, self.exponent)
    }

    /// (φ(a+s) − φ(a))/(s φ'(a)) by t = s/a, with derivatives; `None` beyond the short series.
    #[inline(always)]
    pub(crate) fn growing(&self, t: f64) -> Option<Grown> {
        self.series.growing(t)
    }

    /// The same without its derivatives.
    #[inline(always)]
    pub(crate) fn small_growth(&self, t: f64) -> Option<f64> {
        self.series.small(t)
    }

    /// The same for larger steps; `None` beyond the long series.
    #[inline(always)]
    pub(crate) fn mean_growth(&self, t: f64) -> Option<f64> {
        (t.abs() < self.series.reach()).then(|| self.series.mean_growth(t))
    }

    /// Coefficients of t, t², t³ and t⁴ in that series.
    #[inline(always)]
    pub(crate) fn first_terms(&self) -> [f64; 4] {
        self.series.first_terms()
    }

    /// (φ(a+s) − φ(a))/s for a ≥ 0 and a + s ≥ 0, accurate for any s including 0. `potential` is φ(a), precomputed by the caller.
    #[inline(always)]
    pub fn quotient(&self, a: f64, potential: f64, s: f64) -> f64 {
        let x = a + s;
        let k = self.stiffness / (self.exponent + 1.0);
        match self.class {
            Class::One => k * (a + x),
            Class::Two => k * (a * a + a * x + x * x),
            Class::Three => k * (a + x) * (a * a + x * x),
            Class::ThreeHalves => {
                let (b, y) = (a.sqrt(), x.sqrt());
                k * divide(x * x + x * y * b + x * a + y * b * a + a * a, y + b)
            }
            Class::FiveHalves => {
                let (b, y) = (a.sqrt(), x.sqrt());
                let (a2, x2, yb) = (a * a, x * x, y * b);
                k * divide(x2 * x + x2 * yb + x2 * a + x * yb * a + x * a2 + yb * a2 + a2 * a, y + b)
            }
            Class::General if s.abs() < self.series.reach() * a => {
                (self.exponent + 1.0) * potential / a * self.series.mean_growth(s * (1.0 / a))
            }
            Class::General if s.abs() < 0.5 * a => {
                let growth = libm::expm1((self.exponent + 1.0) * libm::log1p(s / a));
                potential * growth / s
            }
            Class::General => divide(self.potential(x) - potential, s),
        }
    }
}

fn divide(a: f64, b: f64) -> f64 {
    if b == 0.0 { 0.0 } else { a / b }
}

/// y^{1/n}, cheap for common degrees.
pub(crate) fn root(y: f64, n: f64) -> f64 {
    match n {
        1.0 => y,
        2.0 => y.sqrt(),
        3.0 => libm::cbrt(y),
        4.0 => y.sqrt().sqrt(),
        _ => power(y, 1.0 / n),
    }
}

/// y^{1/n} to some percent, for first guesses: the exponent and mantissa bits of a positive number approximate its logarithm.
pub(crate) fn rough_root(y: f64, n: f64) -> f64 {
    const ONE: f64 = 4_607_182_418_800_017_408.0; // the bits of 1.0
    if !(y > 0.0 && y.is_finite()) {
        return y;
    }
    f64::from_bits(((y.to_bits() as f64 - ONE) / n + ONE) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXPONENTS: [f64; 8] = [1.0, 1.3, 1.5, 2.0, 2.3, 2.5, 3.0, 3.5];

    #[test]
    fn quotient_is_the_mean_force() {
        for exponent in EXPONENTS {
            let law = PowerLaw::new(3.0e4, exponent);
            for (a, s) in [(0.3, 1.1), (0.3, -0.2), (1.0, 1e-3), (1.0, -1e-5), (2.0, 0.0), (0.0, 0.7), (0.4, -0.4)] {
                // Gauss–Legendre mean of φ' between the ends, on a graded mesh: an independent value.
                let mean = (0..4000)
                    .map(|i| {
                        let t = (f64::from(i) + 0.5) / 4000.0;
                        law.force(a + s * t)
                    })
                    .sum::<f64>()
                    / 4000.0;
                let quotient = law.quotient(a, law.potential(a), s);
                assert!((quotient - mean).abs() <= 1e-6 * mean, "α={exponent} a={a} s={s}: {quotient} against {mean}");
            }
        }
    }

    #[test]
    fn quotient_is_smooth_through_zero_step() {
        for exponent in EXPONENTS {
            let law = PowerLaw::new(1.0, exponent);
            for s in [1e-16, 1e-13, 1e-10, -1e-16, -1e-10] {
                let relative = law.quotient(1.0, law.potential(1.0), s) / law.force(1.0) - 1.0;
                assert!(relative.abs() <= 1e-9, "α={exponent} s={s:e}: {relative:e}");
            }
        }
    }

    #[test]
    fn rough_roots_are_good_guesses() {
        for n in [2.0, 2.3, 2.5, 4.5] {
            for y in [1e-250, 3e-40, 2.7e-9, 0.4, 1.0, 7.7, 1e30, 1e250] {
                let ratio = rough_root(y, n) / root(y, n);
                assert!((0.9..1.1).contains(&ratio), "{y}^(1/{n}): {ratio}");
            }
        }
    }

    #[test]
    fn compression_inverts_force() {
        for exponent in EXPONENTS {
            let law = PowerLaw::new(2.0e7, exponent);
            let x = law.compression(law.force(1.3e-4));
            assert!((x / 1.3e-4 - 1.0).abs() < 1e-14);
        }
    }
}
