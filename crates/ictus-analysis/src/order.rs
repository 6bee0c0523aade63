//! Order of convergence: how fast an error vanishes as the step is refined.
//!
//! An error that behaves as `e = C hᵖ` is a straight line of slope p in the log–log plane; the least-squares line
//! through all points gives p and C.

/// The line fitted through log error over log step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Order {
    /// Order p, the slope.
    pub order: f64,
    /// Factor C in `e = C hᵖ`.
    pub factor: f64,
    /// Largest distance of a point from the line, as |ln(measured / fitted)|; zero for a perfect power law.
    pub scatter: f64,
}

impl Order {
    /// The fitted error at a step size.
    pub fn error_at(&self, step: f64) -> f64 {
        self.factor * libm::pow(step, self.order)
    }
}

/// Fits the order of convergence to pairs of step size and error.
///
/// Pairs where either is zero, negative or not finite have no logarithm and are left out. `None` if fewer than two
/// different step sizes remain.
pub fn order(steps: &[f64], errors: &[f64]) -> Option<Order> {
    let points = logarithms(steps, errors);
    let n = points.len() as f64;
    let (mean_x, mean_y) = points.iter().fold((0.0, 0.0), |(x, y), p| (x + p.0 / n, y + p.1 / n));
    let spread: f64 = points.iter().map(|p| (p.0 - mean_x) * (p.0 - mean_x)).sum();
    let shared: f64 = points.iter().map(|p| (p.0 - mean_x) * (p.1 - mean_y)).sum();
    if points.len() < 2 || spread <= 0.0 {
        return None;
    }
    let slope = shared / spread;
    let intercept = mean_y - slope * mean_x;
    let scatter = points.iter().fold(0.0f64, |worst, p| worst.max((p.1 - intercept - slope * p.0).abs()));
    Some(Order { order: slope, factor: libm::exp(intercept), scatter })
}

/// The order between each pair of neighbouring refinements: shows whether the asymptotic range is reached.
pub fn local_orders(steps: &[f64], errors: &[f64]) -> Vec<f64> {
    logarithms(steps, errors).windows(2).map(|w| (w[1].1 - w[0].1) / (w[1].0 - w[0].0)).collect()
}

fn logarithms(steps: &[f64], errors: &[f64]) -> Vec<(f64, f64)> {
    let usable = |x: f64| x > 0.0 && x.is_finite();
    let pairs = steps.iter().zip(errors).filter(|&(&h, &e)| usable(h) && usable(e));
    pairs.map(|(&h, &e)| (libm::log(h), libm::log(e))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_law_gives_its_exponent() {
        let steps = [0.1, 0.05, 0.025, 0.0125];
        for p in [1.0, 2.0, 4.0] {
            let errors = steps.map(|h| 3.0 * libm::pow(h, p));
            let fit = order(&steps, &errors).unwrap();
            assert!((fit.order - p).abs() < 1e-12);
            assert!((fit.factor - 3.0).abs() < 1e-10);
            assert!(fit.scatter < 1e-12);
            assert!((fit.error_at(0.1) - errors[0]).abs() < 1e-12);
            assert!(local_orders(&steps, &errors).iter().all(|q| (q - p).abs() < 1e-10));
        }
    }

    #[test]
    fn the_midpoint_rule_has_order_two() {
        // ∫₀¹ eˣ dx by the midpoint rule.
        let counts = [8usize, 16, 32, 64, 128];
        let steps = counts.map(|n| 1.0 / n as f64);
        let errors = counts.map(|n| {
            let h = 1.0 / n as f64;
            let sum: f64 = (0..n).map(|i| h * libm::exp((i as f64 + 0.5) * h)).sum();
            (sum - (std::f64::consts::E - 1.0)).abs()
        });
        assert!((order(&steps, &errors).unwrap().order - 2.0).abs() < 1e-3);
    }

    #[test]
    fn points_without_a_logarithm_are_left_out() {
        let fit = order(&[0.4, 0.2, 0.1, 0.05], &[4.0, f64::NAN, 1.0, 0.0]).unwrap();
        assert!((fit.order - 1.0).abs() < 1e-12);
        assert_eq!(order(&[0.1], &[0.2]), None);
        assert_eq!(order(&[0.1, 0.1], &[0.2, 0.3]), None);
        assert_eq!(order(&[], &[]), None);
    }
}
