//! Modes of a string on a grid with supported ends: sines, for every scheme with the same stencil at all points.

use std::f64::consts::PI;

/// Table of sin(π j/N), 0 ≤ j < N, for N intervals.
#[derive(Clone, Debug)]
pub(in crate::resonator) struct Sines(Vec<f64>);

impl Sines {
    /// The table for a grid of `intervals`.
    pub fn new(intervals: usize) -> Self {
        // folded into the first quarter period, so that the nodes of a mode are exactly 0
        let fold = |j: usize| j.min(intervals - j) as f64;
        Self((0..intervals).map(|j| libm::sin(PI * fold(j) / intervals as f64)).collect())
    }

    /// N.
    pub fn intervals(&self) -> usize {
        self.0.len()
    }

    /// sin(π n i/N): value of mode `n`, counted from 1, at point `i`; the ends are 0 and N.
    pub fn at(&self, n: usize, i: usize) -> f64 {
        let intervals = self.intervals();
        let phase = n * i % (2 * intervals);
        if phase < intervals { self.0[phase] } else { -self.0[phase - intervals] }
    }

    /// 4 sin²(π n/2N): eigenvalue of −δ² for mode `n`.
    pub fn curvature(&self, n: usize) -> f64 {
        let half = libm::sin(0.5 * PI * n as f64 / self.intervals() as f64);
        4.0 * half * half
    }

    /// Displacement of point `i` from modal displacements, m; points and modes are counted as in [`at`](Self::at).
    pub fn sum(&self, modes: &[f64], i: usize) -> f64 {
        let intervals = self.intervals();
        let mut phase = 0;
        let mut sum = 0.0;
        for q in modes {
            phase += i;
            phase -= if phase >= 2 * intervals { 2 * intervals } else { 0 };
            sum += q * if phase < intervals { self.0[phase] } else { -self.0[phase - intervals] };
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_sines_and_vanish_at_the_ends() {
        let sines = Sines::new(7);
        for n in 1..7 {
            assert_eq!([sines.at(n, 0), sines.at(n, 7)], [0.0; 2]);
            for i in 0..=7 {
                let expected = libm::sin(PI * (n * i) as f64 / 7.0);
                assert!((sines.at(n, i) - expected).abs() < 1e-14);
            }
        }
        assert_eq!(Sines::new(8).at(2, 4), 0.0);
    }
}
