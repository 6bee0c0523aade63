//! Roots and peaks of functions of one variable, and sines that are exact at whole numbers.

/// The root of a function that changes sign between `low` and `high`, by bisection to the last bit.
pub(crate) fn bisect(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    let rising = f(high) > 0.0;
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return middle;
        }
        if (f(middle) > 0.0) == rising {
            high = middle;
        } else {
            low = middle;
        }
    }
}

/// Where |f| is largest on `low..=high`: (place, value). Sampled, then refined by golden section around every sample that
/// stands out and comes near the best, since the highest sample need not sit on the highest peak.
/// Samples must be closer than half the distance of two peaks.
pub(crate) fn peak(low: f64, high: f64, samples: usize, f: impl Fn(f64) -> f64) -> (f64, f64) {
    const NEAR: f64 = 0.8; // a peak sampled at its worst, a quarter wave apart on either side, still shows 0.7 to 0.9
    let step = (high - low) / samples as f64;
    let place = |i: usize| if i == samples { high } else { low + step * i as f64 };
    let sizes: Vec<f64> = (0..=samples).map(|i| f(place(i)).abs()).collect();
    let highest = sizes.iter().copied().fold(0.0, f64::max);
    let mut best = (low, sizes[0]);
    for (i, &size) in sizes.iter().enumerate() {
        if size > best.1 {
            best = (place(i), size);
        }
        let stands_out = (i == 0 || sizes[i - 1] <= size) && (i == samples || sizes[i + 1] <= size);
        if stands_out && size >= NEAR * highest {
            let found = golden((place(i) - step).max(low), (place(i) + step).min(high), &f);
            if found.1 > best.1 {
                best = found;
            }
        }
    }
    best
}

/// The peak of a function that rises, then falls, between `a` and `b`.
fn golden(mut a: f64, mut b: f64, f: impl Fn(f64) -> f64) -> (f64, f64) {
    const GOLDEN: f64 = 0.618_033_988_749_894_9; // (√5 − 1)/2
    // 0.618^36 of the bracket is 3e-8 of it: the value is then flat to rounding
    for _ in 0..36 {
        let (left, right) = (b - GOLDEN * (b - a), a + GOLDEN * (b - a));
        if f(left).abs() >= f(right).abs() {
            b = right;
        } else {
            a = left;
        }
    }
    let x = 0.5 * (a + b);
    (x, f(x).abs())
}

/// sin πt, exactly 0 at whole numbers and exactly ±1 half-way.
pub(crate) fn sin_pi(t: f64) -> f64 {
    let turn = t - 2.0 * (0.5 * t).round(); // −1..1, exact
    let folded = if turn.abs() > 0.5 { turn.signum() * (1.0 - turn.abs()) } else { turn };
    libm::sin(std::f64::consts::PI * folded)
}

/// cos πt, exactly 0 half-way between whole numbers.
pub(crate) fn cos_pi(t: f64) -> f64 {
    let turn = (t - 2.0 * (0.5 * t).round()).abs(); // 0..1, exact
    sin_pi(0.5 - turn)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sines_are_exact_where_it_matters_and_right_elsewhere() {
        for n in -9..9 {
            assert_eq!(sin_pi(f64::from(n)), 0.0);
            assert_eq!(cos_pi(f64::from(n) + 0.5), 0.0);
        }
        for i in 0..1000 {
            let t = 0.013 * f64::from(i) - 5.0;
            assert!((sin_pi(t) - libm::sin(std::f64::consts::PI * t)).abs() < 1e-14);
            assert!((cos_pi(t) - libm::cos(std::f64::consts::PI * t)).abs() < 1e-14);
        }
    }

    #[test]
    fn roots_and_peaks() {
        assert!((bisect(1.0, 2.0, |x| x * x - 2.0) - std::f64::consts::SQRT_2).abs() < 1e-15);
        let (x, value) = peak(0.0, 6.0, 20, |x| -libm::sin(x) * libm::exp(-0.1 * x));
        assert!((x - libm::atan(10.0)).abs() < 1e-6 && (value - libm::sin(x) * libm::exp(-0.1 * x)).abs() < 1e-15);
    }
}
