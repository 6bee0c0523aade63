//! Polynomials of degree at most five and their real roots.
//!
//! Between neighbouring extrema a polynomial is monotone and has at most one root; the extrema are the roots of the derivative, found in the same
//! way. Each root is bracketed, so that none is missed and none is invented.

use std::ops::{Add, Mul};

/// Degree of the longest.
const DEGREE: usize = 5;
/// Bisections halve a bracket to the last bit in about as many steps as a number has bits; Newton needs fewer.
const MAX_STEPS: usize = 200;

/// Coefficients, the constant first.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Polynomial([f64; DEGREE + 1]);

/// Up to five numbers in rising order.
#[derive(Clone, Copy, Debug, Default)]
pub struct Roots {
    values: [f64; DEGREE],
    count: usize,
}

impl Roots {
    /// The roots.
    pub fn as_slice(&self) -> &[f64] {
        &self.values[..self.count]
    }

    /// The one nearest to zero.
    pub fn smallest(&self) -> Option<f64> {
        self.as_slice().iter().copied().min_by(|a, b| a.abs().total_cmp(&b.abs()))
    }

    /// The one farthest from zero.
    pub fn largest(&self) -> Option<f64> {
        self.as_slice().iter().copied().max_by(|a, b| a.abs().total_cmp(&b.abs()))
    }

    fn push(&mut self, root: f64) {
        if self.count < DEGREE {
            self.values[self.count] = root;
            self.count += 1;
        }
    }
}

impl Polynomial {
    /// From coefficients, the constant first.
    ///
    /// # Panics
    /// For more than six.
    pub fn new(coefficients: &[f64]) -> Self {
        let mut all = [0.0; DEGREE + 1];
        all[..coefficients.len()].copy_from_slice(coefficients);
        Self(all)
    }

    /// Value at `x`.
    pub fn at(&self, x: f64) -> f64 {
        self.0.iter().rev().fold(0.0, |sum, a| sum * x + a)
    }

    /// Its derivative.
    pub fn derivative(&self) -> Self {
        let mut all = [0.0; DEGREE + 1];
        for (i, a) in self.0.iter().enumerate().skip(1) {
            all[i - 1] = i as f64 * a;
        }
        Self(all)
    }

    fn degree(&self) -> usize {
        (0..=DEGREE).rev().find(|&i| self.0[i] != 0.0).unwrap_or(0)
    }

    /// All real roots, each once; none for a constant, or where a coefficient is not finite.
    pub fn roots(&self) -> Roots {
        let mut roots = Roots::default();
        let degree = self.degree();
        if degree == 0 || self.0.iter().any(|a| !a.is_finite()) {
            return roots;
        }
        if degree == 1 {
            roots.push(-self.0[0] / self.0[1]);
            return roots;
        }
        let slope = self.derivative();
        let bound = self.bound(degree);
        let mut from = -bound;
        for &to in slope.roots().as_slice().iter().chain(&[bound]) {
            if let Some(root) = self.between(&slope, from, to)
                && roots.as_slice().last() != Some(&root)
            {
                roots.push(root);
            }
            from = to;
        }
        roots
    }

    /// No root is farther from zero. [Fujiwara 1916]
    fn bound(&self, degree: usize) -> f64 {
        let lead = self.0[degree].abs();
        let radius = |i: usize| libm::pow(self.0[degree - i].abs() / lead, 1.0 / i as f64);
        let bound = 2.0 * (1..=degree).map(radius).fold(0.0, f64::max);
        // the powers round
        bound * (1.0 + 1e-9)
    }

    /// The root of a monotone piece.
    fn between(&self, slope: &Self, mut low: f64, mut high: f64) -> Option<f64> {
        let (start, end) = (self.at(low), self.at(high));
        if start == 0.0 {
            return Some(low);
        }
        if end == 0.0 {
            return Some(high);
        }
        if (start < 0.0) == (end < 0.0) || !(start.is_finite() && end.is_finite()) {
            return None;
        }
        let mut x = 0.5 * (low + high);
        for _ in 0..MAX_STEPS {
            let value = self.at(x);
            if value == 0.0 {
                return Some(x);
            }
            if (value < 0.0) == (start < 0.0) {
                low = x
            } else {
                high = x
            }
            let newton = x - value / slope.at(x);
            let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
            if next == x || (next - x).abs() <= f64::EPSILON * x.abs() {
                return Some(next);
            }
            x = next;
        }
        Some(x)
    }
}

impl Add for Polynomial {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a += b);
        self
    }
}

impl Mul for Polynomial {
    type Output = Self;

    /// Terms above the fifth power are left out.
    fn mul(self, other: Self) -> Self {
        let mut all = [0.0; DEGREE + 1];
        for (i, a) in self.0.iter().enumerate() {
            for (j, b) in other.0[..=DEGREE - i].iter().enumerate() {
                all[i + j] += a * b;
            }
        }
        Self(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_roots(roots: &[f64]) -> Polynomial {
        roots.iter().fold(Polynomial::new(&[1.0]), |product, root| product * Polynomial::new(&[-root, 1.0]))
    }

    #[test]
    fn roots_are_found_at_all_scales() {
        for roots in [&[-2.0, 0.5, 3.0][..], &[1e-6, 1.0, 1e6], &[-1e5, -3.0, 2.0, 40.0, 7e4], &[4.0], &[-1.0, 1.0]] {
            let found = with_roots(roots).roots();
            assert_eq!(found.as_slice().len(), roots.len(), "{found:?}");
            for (found, root) in found.as_slice().iter().zip(roots) {
                assert!((found / root - 1.0).abs() < 1e-9, "{found} {root}");
            }
        }
        assert_eq!(with_roots(&[-1e5, -3.0, 2.0]).roots().smallest(), Some(2.0));
        assert_eq!(with_roots(&[-4.0, 2.0]).roots().largest(), Some(-4.0));
    }

    #[test]
    fn polynomials_without_real_roots_have_none() {
        assert!(Polynomial::new(&[1.0, 0.0, 1.0]).roots().as_slice().is_empty());
        assert!(Polynomial::new(&[3.0]).roots().as_slice().is_empty());
        assert!(Polynomial::new(&[f64::NAN, 1.0]).roots().as_slice().is_empty());
        assert!(Polynomial::new(&[f64::INFINITY, 1.0, 2.0]).roots().as_slice().is_empty());
        let one_real = Polynomial::new(&[-8.0, 0.0, 0.0, 1.0]).roots();
        assert_eq!(one_real.as_slice(), &[2.0]);
    }
}
