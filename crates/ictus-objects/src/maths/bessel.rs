//! Bessel functions J_n and I_n of whole order, for x ≥ 0.
//!
//! Method: Miller's backward recurrence, the stable direction for the functions that decay with the order, normalised
//! by J₀ + 2 Σ J_2k = 1 and e^{−x}(I₀ + 2 Σ I_k) = 1. [Abramowitz & Stegun §9.12, 9.1.46, 9.6.37]
//! Limits: absolute error of J about 1e-15; relative error of I about 1e-15. Values below the range of numbers are 0.

const TINY_ARGUMENT: f64 = 1e-5; // below it two terms of the power series are exact to rounding
const LARGE: f64 = 1e200; // rescale before the recurrence overflows: one step grows by 2k/x < 1e9

/// The terms of a recurrence brought back into range. A call of its own: compilers turn the branch into selections otherwise, which wait for each other in
/// every step and make the recurrence three times as slow.
#[cold]
#[inline(never)]
fn rescaled(terms: [f64; 5]) -> [f64; 5] {
    terms.map(|term| term * (1.0 / LARGE))
}

/// (J_n, J_{n+1}) at x.
pub(crate) fn j_pair(n: u32, x: f64) -> (f64, f64) {
    if x < TINY_ARGUMENT {
        return (series(n, x, -1.0), series(n + 1, x, -1.0));
    }
    let (mut above, mut here) = (0.0, 1e-200);
    let (mut pair, mut sum) = ((0.0, 0.0), 0.0);
    let start = start_order(n, x);
    for k in (0..=start).rev() {
        // here = J_k up to a common factor
        if k == n {
            pair = (here, above);
        }
        if k % 2 == 0 {
            sum += if k == 0 { here } else { 2.0 * here };
        }
        let below = 2.0 * f64::from(k) / x * here - above;
        (above, here) = (here, below);
        if here.abs() > LARGE {
            [above, here, sum, pair.0, pair.1] = rescaled([above, here, sum, pair.0, pair.1]);
        }
    }
    (pair.0 / sum, pair.1 / sum)
}

/// e^{−x} (I_n, I_{n+1}) at x.
pub(crate) fn i_pair_scaled(n: u32, x: f64) -> (f64, f64) {
    if x < TINY_ARGUMENT {
        let decay = libm::exp(-x);
        return (decay * series(n, x, 1.0), decay * series(n + 1, x, 1.0));
    }
    let (mut above, mut here) = (0.0, 1e-200);
    let (mut pair, mut sum) = ((0.0, 0.0), 0.0);
    // I falls with the order more slowly than J just above x: I_k(x) e^{−x} ~ e^{−k²/2x}
    let start = start_order(n, x) + (9.0 * x.sqrt()) as u32;
    for k in (0..=start).rev() {
        if k == n {
            pair = (here, above);
        }
        sum += if k == 0 { here } else { 2.0 * here };
        let below = 2.0 * f64::from(k) / x * here + above;
        (above, here) = (here, below);
        if here > LARGE {
            [above, here, sum, pair.0, pair.1] = rescaled([above, here, sum, pair.0, pair.1]);
        }
    }
    (pair.0 / sum, pair.1 / sum)
}

/// J_n(x).
pub(crate) fn j(n: u32, x: f64) -> f64 {
    j_pair(n, x).0
}

/// (x/2)ⁿ/n! (1 ± x²/(4(n+1))), exactly 0 at 0 for n > 0.
fn series(n: u32, x: f64, sign: f64) -> f64 {
    let mut value = 1.0;
    for k in 1..=n {
        value *= 0.5 * x / f64::from(k);
    }
    value * (1.0 + sign * 0.25 * x * x / f64::from(n + 1))
}

/// An order where the function is below rounding: past the larger of n and x it falls over a distance ~ x^{1/3}.
fn start_order(n: u32, x: f64) -> u32 {
    let top = f64::from(n).max(x);
    (top + 14.0 * libm::cbrt(top) + 26.0) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_pure_libm_implementation() {
        let mut worst: f64 = 0.0;
        for n in 0..60u32 {
            for step in 1..400 {
                let x = 0.37 * f64::from(step);
                worst = worst.max((j(n, x) - libm::jn(n as i32, x)).abs());
            }
        }
        assert!(worst < 3e-14, "{worst:e}");
    }

    #[test]
    fn modified_functions_satisfy_their_generating_sum_and_tables() {
        // Abramowitz & Stegun table 9.8: e^{-x} I_0 and e^{-x} I_1
        for (x, i0, i1) in [(1.0, 0.465_759_607_6, 0.207_910_415_3), (5.0, 0.183_540_812_6, 0.163_972_266_9)] {
            let (a, b) = i_pair_scaled(0, x);
            assert!((a - i0).abs() < 1e-9 && (b - i1).abs() < 1e-9, "{a} {b}");
        }
        // Wronskian of J and I with the Bessel equation: checked through the recurrence at high order
        let (i5, i6) = i_pair_scaled(5, 130.0);
        let (_, i7) = i_pair_scaled(6, 130.0);
        assert!((i5 - i7 - 2.0 * 6.0 / 130.0 * i6).abs() < 1e-15);
    }

    #[test]
    fn small_and_zero_arguments() {
        assert_eq!(j_pair(0, 0.0), (1.0, 0.0));
        assert_eq!(j(3, 0.0), 0.0);
        assert_eq!(j(400, 1e-3), 0.0);
        assert!((j(1, 2e-5) - 1e-5).abs() < 1e-14 && (j(1, 9e-6) - 4.5e-6).abs() < 1e-15);
        assert_eq!(i_pair_scaled(0, 0.0), (1.0, 0.0));
    }
}
