//! The Bessel function of Kaiser windows.

/// Terms of the series: enough for |x| < 30, where the last is below the rounding of the sum.
const TERMS: u32 = 60;

/// Modified Bessel function of the first kind, order 0, by its series; |x| < 30.
pub fn bessel_i0(x: f64) -> f64 {
    let (mut sum, mut term) = (1.0, 1.0);
    for k in 1..TERMS {
        let half = 0.5 * x / f64::from(k);
        term *= half * half;
        sum += term;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tabulated_values() {
        // Abramowitz and Stegun, table 9.8
        for (x, expected) in [(0.0, 1.0), (1.0, 1.266_065_877_752_008), (5.0, 27.239_871_823_604_44)] {
            assert!((bessel_i0(x) / expected - 1.0).abs() < 1e-15, "I0({x}) = {}", bessel_i0(x));
        }
    }
}
