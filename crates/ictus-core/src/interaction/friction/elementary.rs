//! Exponential and sine for friction, without the range reduction of a general library: accurate to a few ulp, the same bits everywhere.

use std::f64::consts::{FRAC_PI_4, LOG2_E};

/// 1/n!, the coefficients of Taylor's series.
const INVERSE_FACTORIAL: [f64; 18] = {
    let mut table = [1.0; 18];
    let mut n = 1;
    while n < 18 {
        table[n] = table[n - 1] / n as f64;
        n += 1;
    }
    table
};

/// ln 2 in two parts, the first with trailing zeros, so that its product with a small integer is exact.
const LN_2: [f64; 2] = [0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10];
/// Adding it rounds a double of moderate size to the nearest integer, which then occupies its last bits.
const ROUNDER: f64 = 6_755_399_441_055_744.0;
/// From here on e^{−x} is set to zero.
const UNDERFLOW: f64 = 700.0;

/// e^{−x} for x ≥ 0.
#[inline]
pub(super) fn decayed(x: f64) -> f64 {
    if x >= UNDERFLOW || x.is_nan() {
        return 0.0;
    }
    let rounded = ROUNDER - x * LOG2_E;
    let whole = rounded - ROUNDER;
    // |t| ≤ ln(2)/2: the first neglected term is below 2e-16
    let t = (-x - whole * LN_2[0]) - whole * LN_2[1];
    let c = &INVERSE_FACTORIAL;
    let (t2, t4) = (t * t, (t * t) * (t * t));
    let t8 = t4 * t4;
    let low = (1.0 + t) + t2 * (c[2] + c[3] * t);
    let middle = (c[4] + c[5] * t) + t2 * (c[6] + c[7] * t);
    let high = (c[8] + c[9] * t) + t2 * (c[10] + c[11] * t) + t4 * (c[12] + c[13] * t);
    let power = f64::from_bits((rounded.to_bits().wrapping_add(1023) & 0x7ff) << 52);
    ((low + t4 * middle) + t8 * high) * power
}

/// Sine and cosine of a quarter turn times `x`, |x| ≤ 1.
#[inline]
pub(super) fn quarter_turn(x: f64) -> (f64, f64) {
    // by the double angle, because the series of half the angle converge faster
    let t = FRAC_PI_4 * x;
    let c = &INVERSE_FACTORIAL;
    let (s, s2) = (t * t, (t * t) * (t * t));
    let s4 = s2 * s2;
    let odd = ((1.0 - c[3] * s) + s2 * (c[5] - c[7] * s)) + s4 * ((c[9] - c[11] * s) + s2 * (c[13] - c[15] * s));
    let even = ((0.5 - c[4] * s) + s2 * (c[6] - c[8] * s)) + s4 * ((c[10] - c[12] * s) + s2 * (c[14] - c[16] * s));
    let sin = t * odd;
    let cos = 1.0 - s * even;
    (2.0 * sin * cos, 1.0 - 2.0 * sin * sin)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::FRAC_PI_2;

    #[test]
    fn agrees_with_the_library() {
        for i in 0..=100_000 {
            let share = f64::from(i) / 100_000.0;
            let x = 710.0 * share * share;
            let (own, exact) = (decayed(x), libm::exp(-x));
            assert!((own - exact).abs() <= 1e-15 * exact + 1e-300, "e^-{x}: {own:e} {exact:e}");
            let x = 2.0 * share - 1.0;
            let (sin, cos) = quarter_turn(x);
            assert!((sin - libm::sin(FRAC_PI_2 * x)).abs() < 1e-15 && (cos - libm::cos(FRAC_PI_2 * x)).abs() < 1e-15);
        }
        assert_eq!([decayed(f64::INFINITY), decayed(f64::NAN), decayed(0.0)], [0.0, 0.0, 1.0]);
    }
}
