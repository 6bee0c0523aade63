//! ((1 + t)^n − 1)/(n t) for small t by its series Σ C(n, k+1)/n · t^k: free of cancellation, and no logarithm is needed.

/// Terms of the long series.
const TERMS: usize = 16;
/// Terms of the short one.
const FEW: usize = 8;
/// The long series is as good as a number can be while |t|·n is below this. What is left out is less than (n|t|)^16/16!, and |t|^16 where n is below 4.
const LONG: f64 = 0.5;
/// So is the short one below this.
const SHORT: f64 = 0.03;

/// The coefficients of one n.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Binomial {
    coefficients: [f64; TERMS],
    reach: f64,
    short_reach: f64,
}

impl Binomial {
    pub(super) fn new(n: f64) -> Self {
        let mut coefficients = [1.0; TERMS];
        for k in 1..TERMS {
            coefficients[k] = coefficients[k - 1] * (n - k as f64) / (k + 1) as f64;
        }
        let scale = n.max(4.0);
        Self { coefficients, reach: LONG / scale, short_reach: SHORT / scale }
    }

    /// The largest |t|.
    #[inline(always)]
    pub(super) fn reach(&self) -> f64 {
        self.reach
    }

    /// ((1 + t)^n − 1)/(n t).
    #[inline(always)]
    pub(super) fn mean_growth(&self, t: f64) -> f64 {
        let (near, far) = self.coefficients.split_at(FEW);
        let near = eight(near, t);
        if t.abs() < self.short_reach {
            return near;
        }
        let fourth = (t * t) * (t * t);
        near + fourth * fourth * eight(far, t)
    }
}

/// Σ c t^k of eight terms, in pairs: they need not wait for each other.
#[inline(always)]
fn eight(c: &[f64], t: f64) -> f64 {
    let &[c0, c1, c2, c3, c4, c5, c6, c7] = c else { unreachable!("eight coefficients") };
    let square = t * t;
    ((c0 + t * c1) + square * (c2 + t * c3)) + square * square * ((c4 + t * c5) + square * (c6 + t * c7))
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
                for t in [series.reach, -series.reach, series.short_reach, -series.short_reach].map(|most| most * part)
                {
                    let slow = libm::expm1(n * libm::log1p(t)) / (n * t);
                    let wrong = series.mean_growth(t) / slow - 1.0;
                    assert!(wrong.abs() < 1e-15, "n = {n}, t = {t:e}: {wrong:e}");
                }
            }
            assert_eq!(series.mean_growth(0.0), 1.0);
        }
    }
}
