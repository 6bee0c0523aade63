//! x^α for positive x from tables, products and sums only, so that every machine computes the same bits.
//!
//! log2 x = e + log2 c + log2(1 + r), r = z/c − 1 for the mantissa z and a nearby table point c, kept as an unevaluated sum of two numbers; times α, split into
//! whole 128ths, which a second table exponentiates, and a remainder. Relative error below 2e-16 + |α log2 x|·1e-18.

mod table;

use table::{CELLS, FINE, LOGARITHM, POWER, ROOTS};

const MANTISSA: u64 = (1 << 52) - 1;
const ONE: u64 = 1.0f64.to_bits();
/// Mask of the upper half of the mantissa: products of two such halves are exact.
const UPPER: u64 = !((1 << 27) - 1);
/// Adding this rounds to an integer, which then occupies the lowest bits.
const WHOLE: f64 = 6_755_399_441_055_744.0; // 1.5 · 2^52
/// Largest |log2 x^α| of the fast path, far from overflow and from subnormal numbers.
const LARGEST: f64 = 1000.0;

fn upper(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & UPPER)
}

/// x^α.
#[inline]
pub fn power(x: f64, alpha: f64) -> f64 {
    let [high, low] = logarithm(x);
    let (alpha_high, high_part) = (upper(alpha), upper(high));
    let exact = alpha_high * high_part;
    let rest = (alpha - alpha_high) * high_part + alpha * ((high - high_part) + low);
    // also if x is not a positive normal number: its logarithm is NaN
    if !(exact.abs() < LARGEST && rest.abs() < 1.0) {
        return libm::pow(x, alpha);
    }
    let shifted = exact * ROOTS.len() as f64 + WHOLE;
    let r = (exact - (shifted - WHOLE) * (1.0 / ROOTS.len() as f64)) + rest;
    let parts = shifted.to_bits().wrapping_sub(WHOLE.to_bits()) as i64;
    let root = ROOTS[parts as usize % ROOTS.len()];
    let scale = f64::from_bits(root.to_bits().wrapping_add(((parts >> 7) as u64) << 52));
    let [p0, p1, p2, p3, p4] = POWER;
    let square = r * r;
    scale + scale * (r * p0 + square * ((p1 + r * p2) + square * (p3 + r * p4)))
}

/// log2 x as an unevaluated sum of two numbers; NaN if x is not a positive normal number.
#[inline(always)]
fn logarithm(x: f64) -> [f64; 2] {
    let bits = x.to_bits();
    let exponent = (bits >> 52) as i64 - 1023;
    if !(-1022..1024).contains(&exponent) {
        return [f64::NAN; 2];
    }
    let z = f64::from_bits(bits & MANTISSA | ONE);
    let [inverse, coarse, fine] = CELLS[((bits & MANTISSA) >> 45) as usize];
    let z_high = upper(z);
    let r = (z_high * inverse - 1.0) + (z - z_high) * inverse;
    let whole = exponent as f64 + coarse;
    let first = r * std::f64::consts::LOG2_E;
    let high = whole + first;
    let left = if whole == 0.0 { 0.0 } else { (whole - high) + first };
    let [l0, l1, l2, l3, l4, l5, l6] = LOGARITHM;
    let square = r * r;
    let curved = square * ((l0 + r * l1) + square * ((l2 + r * l3) + square * ((l4 + r * l5) + square * l6)));
    [high, left + (fine + r * FINE) + curved]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_libm() {
        let mut worst: f64 = 0.0;
        for i in 0..200_000u32 {
            let spread = f64::from(i % 601) - 300.0;
            let x = libm::exp2(spread * 0.1) * (1.0 + f64::from(i.wrapping_mul(2_654_435_761) >> 8) * 1e-8);
            for alpha in [0.4, 1.0, 1.3, 2.3, 3.0, 3.7, -1.2] {
                worst = worst.max((power(x, alpha) / libm::pow(x, alpha) - 1.0).abs());
            }
        }
        assert!(worst < 5e-16, "{worst:e}");
    }

    #[test]
    fn is_smooth_around_one_and_between_cells() {
        for i in 0..=256 {
            let x = 1.0 + f64::from(i) / 256.0;
            for ulps in -3i64..=3 {
                let near = f64::from_bits(x.to_bits().wrapping_add_signed(ulps));
                let relative = power(near, 2.3) / libm::pow(near, 2.3) - 1.0;
                assert!(relative.abs() < 5e-16, "{near}: {relative:e}");
            }
        }
        assert_eq!(power(1.0, 2.3), 1.0);
    }

    #[test]
    fn special_values_fall_back_to_libm() {
        for x in [0.0, -0.0, -1.5, f64::MIN_POSITIVE / 8.0, f64::MAX, f64::INFINITY, f64::NAN, 1e-300] {
            for alpha in [0.5, 2.3, 200.0, -2.0, f64::NAN, f64::INFINITY] {
                let (one, other) = (power(x, alpha), libm::pow(x, alpha));
                let same = one == other || (one.is_nan() && other.is_nan()) || (one / other - 1.0).abs() < 1e-15;
                assert!(same, "{x:e}^{alpha}: {one:e}, {other:e}");
            }
        }
    }
}
