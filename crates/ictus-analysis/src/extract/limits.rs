//! What a pole of a recording may be: in the band that is searched, with a decay that the window can show.
//!
//! A least-squares fit lets poles wander: below 0 Hz where the sound has an offset, to decays of a fraction of a period where there is a click, to none at all where
//! there is hum. Steps of the fit end at these limits, and what is left lying on one is no mode of the object.

use super::search::Aim;
use ictus_transform::Complex64;
use std::f64::consts::{LN_10, PI};

/// A mode falls by at least this much within the window, dB: less cannot be told from none.
const LEAST_FALL_DB: f64 = 0.2;
/// Longest T60, seconds, however long the window.
const LONGEST_T60_S: f64 = 100.0;
/// Fastest decay that is still a tone: amplitude falls by e in a period.
const FEWEST_PERIODS: f64 = 1.0;
/// Shortest T60, seconds: what fades faster has the length of the push that caused it.
const SHORTEST_T60_S: f64 = 0.01;
/// A pole this near a limit, as a share of it, lies on it.
const ON: f64 = 1e-6;

/// Bounds of poles s = −α + iω, per sample.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    omega: (f64, f64),
    /// Slowest and fastest α.
    alpha: (f64, f64),
}

impl Limits {
    /// No bounds but that a mode is a decaying one.
    #[cfg(test)]
    pub const NONE: Self = Self { omega: (0.0, PI), alpha: (0.0, f64::INFINITY) };

    /// For a window of `frames`.
    pub fn new(aim: &Aim, frames: usize) -> Self {
        let omega = |hz: f64| 2.0 * PI * hz / aim.sample_rate;
        let shown = LEAST_FALL_DB * LN_10 / 20.0 / frames.max(1) as f64;
        let slowest = shown.max(3.0 * LN_10 / (LONGEST_T60_S * aim.sample_rate));
        let fastest = 3.0 * LN_10 / (SHORTEST_T60_S * aim.sample_rate);
        Self { omega: (omega(aim.floor_hz), omega(aim.max_hz)), alpha: (slowest, fastest.max(2.0 * slowest)) }
    }

    /// Fastest α at a frequency.
    fn fastest(&self, omega: f64) -> f64 {
        self.alpha.1.min(omega / (2.0 * PI * FEWEST_PERIODS)).max(self.alpha.0)
    }

    /// The pole itself if it is within the limits, else the nearest one that is.
    pub fn nearest(&self, pole: Complex64) -> Complex64 {
        let omega = pole.im.max(self.omega.0).min(self.omega.1);
        let alpha = (-pole.re).max(self.alpha.0).min(self.fastest(omega));
        Complex64::new(-alpha, omega)
    }

    /// Whether it is a mode of the object: inside the band and slower than the fastest decay. The slowest one is allowed: an object may ring longer than was recorded.
    pub fn hold(&self, pole: Complex64) -> bool {
        let inside = pole.im > self.omega.0 * (1.0 + ON) && pole.im < self.omega.1 * (1.0 - ON);
        inside && -pole.re >= self.alpha.0 * (1.0 - ON) && -pole.re < self.fastest(pole.im) * (1.0 - ON)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn poles_are_brought_into_the_band_and_those_on_its_edge_are_none() {
        let aim = Aim { sample_rate: 48_000.0, floor_hz: 100.0, max_hz: 20_000.0, max_modes: 10 };
        let limits = Limits::new(&aim, 48_000);
        let pole = |hz: f64, t60: f64| Complex64::new(-3.0 * LN_10 / t60, 2.0 * PI * hz) / aim.sample_rate;
        for (hz, t60) in [(440.0, 1.0), (150.0, 30.0), (19_000.0, 0.02)] {
            assert_eq!(limits.nearest(pole(hz, t60)), pole(hz, t60));
            assert!(limits.hold(pole(hz, t60)), "{hz} {t60}");
        }
        for (hz, t60) in [(-3.0, 1.0), (99.0, 1.0), (20_001.0, 1.0), (440.0, 1e-3), (110.0, 5e-3)] {
            assert!(!limits.hold(pole(hz, t60)), "{hz} {t60}");
            assert!(!limits.hold(limits.nearest(pole(hz, t60))), "{hz} {t60}");
        }
        // what does not decay is taken to decay as slowly as is allowed
        let slow = limits.nearest(Complex64::new(0.1, 0.1));
        assert!((3.0 * LN_10 / (-slow.re * aim.sample_rate) - 100.0).abs() < 1e-9 && limits.hold(slow));
    }
}
