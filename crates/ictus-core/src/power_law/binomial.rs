//! ((1 + t)^n − 1)/(n t) for small t by its series Σ C(n, k+1)/n · t^k: free of cancellation, and without a logarithm.

use ictus_kernels::single;

/// Number of terms of the long series.
const TERMS: usize = 16;
/// Number of terms of the short series.
const SHORT_TERMS: usize = 8;
/// |t|·n below which the long series is accurate to the last digit. The remainder is less than (n|t|)^16/16!, and |t|^16 if n is below 4.
const LONG: f64 = 0.5;
/// The same for the short series.
const SHORT: f64 = 0.03;

/// The coefficients for one n.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Binomial {
    coefficients: [f64; TERMS],
    slopes: [f64; SHORT_TERMS], // of the derivative
    reach: f64,
    short_reach: f64,
}

impl Binomial {
    pub(super) fn new(n: f64) -> Self {
        let mut coefficients = [1.0; TERMS];
        for k in 1..TERMS {
            coefficients[k] = coefficients[k - 1] * (n - k as f64) / (k + 1) as f64;
        }
        let slopes = std::array::from_fn(|k| (k + 1) as f64 * coefficients[k + 1]);
        let scale = n.max(4.0);
        Self { coefficients, slopes, reach: LONG / scale, short_reach: SHORT / scale }
    }

    /// The largest |t| of the long series.
    #[inline(always)]
    pub(super) fn reach(&self) -> f64 {
        self.reach
    }

    /// ((1 + t)^n − 1)/(n t) with its derivatives, if the short series is accurate to the last digit. The three sums are independent.
    #[inline(always)]
    pub(super) fn growing(&self, t: f64) -> Option<Grown> {
        if t.abs() >= self.short_reach || t.is_nan() {
            return None;
        }
        let (near, slopes) = (&self.coefficients[..SHORT_TERMS], &self.slopes);
        let bend = slopes[1] + t * (2.0 * slopes[2] + t * (3.0 * slopes[3]));
        Some(Grown { value: eight(near, t), slope: eight(slopes, t), bend })
    }

    /// The same without its derivatives.
    #[inline(always)]
    pub(super) fn small(&self, t: f64) -> Option<f64> {
        (t.abs() < self.short_reach).then(|| eight(&self.coefficients[..SHORT_TERMS], t))
    }

    /// Coefficients of t, t², t³ and t⁴.
    #[inline(always)]
    pub(super) fn first_terms(&self) -> [f64; 4] {
        let [_, c1, c2, c3, c4, ..] = self.coefficients;
        [c1, c2, c3, c4]
    }

    /// ((1 + t)^n − 1)/(n t).
    #[inline(always)]
    pub(super) fn mean_growth(&self, t: f64) -> f64 {
        let (near, far) = self.coefficients.split_at(SHORT_TERMS);
        let near = eight(near, t);
        if t.abs() < self.short_reach {
            return near;
        }
        let fourth = (t * t) * (t * t);
        near + fourth * fourth * eight(far, t)
    }
}

/// A value with its first two derivatives.
pub(crate) struct Grown {
    pub value: f64,
    pub slope: f64,
    /// From three terms.
    pub bend: f64,
}

/// Σ c t^k of eight terms, in pairs: independent sums shorten the dependency chain.
#[inline(always)]
fn eight(c: &[f64], t: f64) -> f64 {
    let &[c0, c1, c2, c3, c4, c5, c6, c7] = c else { unreachable!("eight coefficients") };
    let square = single(t * t);
    let sum = |c: f64, t: f64, d: f64| single(c + single(t * d));
    let near = sum(sum(c0, t, c1), square, sum(c2, t, c3));
    let far = sum(sum(c4, t, c5), square, sum(c6, t, c7));
    sum(near, square * square, far)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_logarithm_and_exponential() {
        for n in [1.7, 2.3, 3.3, 4.7, 8.2, 21.3] {
            let series = Binomial::new(n);
            for i in 1..10_000 {
                let part = f64::from(i) / 10_000.0;
                for t in
                    [series.reach, -series.reach, series.short_reach, -series.short_reach].map(|limit| limit * part)
                {
                    let slow = libm::expm1(n * libm::log1p(t)) / (n * t);
                    let wrong = series.mean_growth(t) / slow - 1.0;
                    assert!(wrong.abs() < 1e-15, "n = {n}, t = {t:e}: {wrong:e}");
                }
            }
            assert_eq!(series.mean_growth(0.0), 1.0);
        }
    }

    #[test]
    fn derivatives_are_those_of_the_value() {
        for n in [1.7, 2.3, 3.3, 4.7, 21.3] {
            let series = Binomial::new(n);
            for part in [-0.9, -0.4, 0.0, 0.3, 0.8] {
                let (t, h) = (part * series.short_reach, 1e-3 * series.short_reach);
                let at = |t| series.growing(t).expect("a small step");
                let (low, here, high) = (at(t - h), at(t), at(t + h));
                assert_eq!((here.value, series.small(t)), (series.mean_growth(t), Some(here.value)));
                let slope = (high.value - low.value) / (2.0 * h);
                assert!((here.slope - slope).abs() < 1e-6 * n * n, "n = {n}, t = {t:e}: {} or {slope}", here.slope);
                let bend = (high.slope - low.slope) / (2.0 * h);
                assert!((here.bend - bend).abs() < 1e-4 * n * n * n, "n = {n}, t = {t:e}: {} or {bend}", here.bend);
            }
            for t in [series.short_reach, f64::NAN] {
                assert!(series.growing(t).is_none() && series.small(t).is_none());
            }
        }
    }
}
