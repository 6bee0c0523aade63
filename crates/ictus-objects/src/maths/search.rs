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

/// Where |f| is largest on `low..=high`: (place, value). Sampled, then refined around the best sample by golden section.
/// Samples must be closer than half the distance of two peaks.
pub(crate) fn peak(low: f64, high: f64, samples: usize, f: impl Fn(f64) -> f64) -> (f64, f64) {
    let step = (high - low) / samples as f64;
    let mut best = (low, f(low).abs());
    for i in 1..=samples {
        let x = if i == samples { high } else { low + step * i as f64 };
        let value = f(x).abs();
        if value > best.1 {
            best = (x, value);
        }
    }
    const GOLDEN: f64 = 0.618_033_988_749_894_9; // (√5 − 1)/2
    let (mut a, mut b) = ((best.0 - step).max(low), (best.0 + step).min(high));
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
    let value = f(x).abs();
    if value > best.1 { (x, value) } else { best }
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
