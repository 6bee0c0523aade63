//! Windows: what is cut out of a signal before it is transformed.

use std::f64::consts::PI;

/// A window function, periodic, so that shifted copies of it add up evenly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Window {
    /// No shaping: narrowest line, but everything leaks everywhere.
    Rectangular,
    /// Raised cosine: lines four bins wide, leaks fall off at 18 dB per octave.
    #[default]
    Hann,
    /// Four-term cosine sum with a continuous slope [Nuttall 1981]: lines eight bins wide, leaks below −93 dB.
    Nuttall,
}

impl Window {
    /// Weight at the fraction `t` of the window's length, 0 ≤ t ≤ 1.
    pub fn at(self, t: f64) -> f64 {
        let harmonic = |k: f64| libm::cos(2.0 * PI * k * t);
        match self {
            Self::Rectangular => 1.0,
            Self::Hann => 0.5 - 0.5 * harmonic(1.0),
            Self::Nuttall => 0.355768 - 0.487396 * harmonic(1.0) + 0.144232 * harmonic(2.0) - 0.012604 * harmonic(3.0),
        }
    }

    /// The window's `length` weights.
    pub fn weights(self, length: usize) -> Vec<f64> {
        (0..length).map(|n| self.at(n as f64 / length as f64)).collect()
    }

    /// Half the width of a spectral line, in bins of 1 / (window length).
    pub fn half_width_bins(self) -> f64 {
        match self {
            Self::Rectangular => 1.0,
            Self::Hann => 2.0,
            Self::Nuttall => 4.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_symmetric_and_peak_at_one() {
        for window in [Window::Rectangular, Window::Hann, Window::Nuttall] {
            assert!((window.at(0.5) - 1.0).abs() < 1e-12, "{window:?}");
            for t in [0.0, 0.1, 0.3] {
                assert!((window.at(t) - window.at(1.0 - t)).abs() < 1e-12, "{window:?}");
            }
        }
        assert!(Window::Nuttall.at(0.0).abs() < 1e-12);
    }

    #[test]
    fn half_overlapping_hann_windows_add_up_to_one() {
        let w = Window::Hann.weights(64);
        assert!((0..32).all(|n| (w[n] + w[n + 32] - 1.0).abs() < 1e-12));
    }
}
