//! The magnitude spectrum of a piece of sound and what is read off it: peaks, centroid, energy above a frequency.
//!
//! Magnitudes are scaled so that a sine of amplitude 1 in the middle of a bin reads 0 dB, whatever the window.

use crate::{Sample, Window, finite};

/// Magnitudes below this amplitude (−300 dB) read as this, so that silence stays finite.
const FLOOR: f64 = 1e-15;

/// A one-sided magnitude spectrum.
#[derive(Clone, Debug, PartialEq)]
pub struct Spectrum {
    /// Distance of the bins, Hz.
    pub bin_hz: f64,
    /// Amplitude of each bin, from 0 Hz to half the sample rate; a full-scale sine is 1.
    pub amplitude: Vec<f64>,
}

/// A peak of a spectrum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Peak {
    /// Frequency, Hz, interpolated between bins.
    pub hz: f64,
    /// Level, dB re an amplitude of 1, interpolated.
    pub db: f64,
}

impl Spectrum {
    /// Transforms a whole signal under one window, padded with zeros to at least twice its length.
    ///
    /// The padding makes the interpolation of peaks good to about a hundredth of a bin.
    pub fn of<S: Sample>(signal: &[S], sample_rate: f64, window: Window) -> Self {
        let length = (2 * signal.len()).next_power_of_two().max(2);
        let weights = window.weights(signal.len());
        let mut padded = finite(signal);
        for (x, w) in padded.iter_mut().zip(&weights) {
            *x *= w;
        }
        padded.resize(length, 0.0);
        let scale = 2.0 / weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        let transform = ictus_transform::forward(length);
        let mut bins = transform.make_output_vec();
        transform.process(&mut padded, &mut bins).expect("buffers come from the plan");
        let mut amplitude: Vec<f64> = bins.iter().map(|z| scale * libm::hypot(z.re, z.im)).collect();
        // The two ends of a one-sided spectrum have no mirror image.
        amplitude[0] *= 0.5;
        *amplitude.last_mut().expect("at least two bins") *= 0.5;
        Self { bin_hz: sample_rate / length as f64, amplitude }
    }

    /// Frequency of a bin, Hz.
    pub fn hz(&self, bin: usize) -> f64 {
        bin as f64 * self.bin_hz
    }

    /// Level of a bin, dB re an amplitude of 1; never below −300.
    pub fn db(&self, bin: usize) -> f64 {
        20.0 * libm::log10(self.amplitude[bin].max(FLOOR))
    }

    /// All levels as points (Hz, dB), ready to plot.
    pub fn points_db(&self) -> Vec<(f64, f64)> {
        (0..self.amplitude.len()).map(|k| (self.hz(k), self.db(k))).collect()
    }

    /// The `count` highest local maxima at or above `min_db`, loudest first.
    ///
    /// The side lobes of the window are maxima too: give a `min_db` above them.
    pub fn peaks(&self, min_db: f64, count: usize) -> Vec<Peak> {
        let a = &self.amplitude;
        let mut peaks: Vec<Peak> = (1..a.len().saturating_sub(1))
            .filter(|&k| a[k] > a[k - 1] && a[k] >= a[k + 1] && a[k] > FLOOR)
            .map(|k| self.interpolate(k))
            .filter(|p| p.db >= min_db)
            .collect();
        peaks.sort_by(|p, q| q.db.total_cmp(&p.db));
        peaks.truncate(count);
        peaks
    }

    /// The vertex of the parabola through three neighbouring levels in dB.
    fn interpolate(&self, k: usize) -> Peak {
        let (left, mid, right) = (self.db(k - 1), self.db(k), self.db(k + 1));
        let curvature = left - 2.0 * mid + right;
        let shift = if curvature < 0.0 { 0.5 * (left - right) / curvature } else { 0.0 };
        Peak { hz: (k as f64 + shift) * self.bin_hz, db: mid - 0.25 * (left - right) * shift }
    }

    /// Centre of gravity of the power spectrum, Hz; `None` for silence.
    pub fn centroid_hz(&self) -> Option<f64> {
        let (power, moment) = self.amplitude.iter().enumerate().fold((0.0, 0.0), |(power, moment), (k, a)| {
            (power + a * a, moment + a * a * self.hz(k)) //
        });
        (power > 0.0).then(|| moment / power)
    }

    /// Fraction (0 to 1) of the energy at or above a frequency; `None` for silence.
    pub fn energy_above(&self, hz: f64) -> Option<f64> {
        let power = |from: usize| self.amplitude.iter().skip(from).map(|a| a * a).sum::<f64>();
        let first = (hz.max(0.0) / self.bin_hz).ceil() as usize;
        let all = power(0);
        (all > 0.0).then(|| power(first) / all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    fn sines(parts: &[(f64, f64)], length: usize, rate: f64) -> Vec<f64> {
        let at = |n: usize| parts.iter().map(|(hz, a)| a * libm::sin(2.0 * PI * hz * n as f64 / rate)).sum();
        (0..length).map(at).collect()
    }

    #[test]
    fn peaks_have_the_right_place_and_height() {
        let signal = sines(&[(440.3, 1.0), (1234.5, 0.1), (5000.0, 0.01)], 48_000, 48_000.0);
        let expected = [(440.3, 0.0), (1234.5, -20.0), (5000.0, -40.0)];
        // Hann's side lobes reach −31 dB, so only two of the lines stand above them.
        for (window, count) in [(Window::Hann, 2), (Window::Nuttall, 3)] {
            let peaks = Spectrum::of(&signal, 48_000.0, window).peaks(if count == 2 { -30.0 } else { -60.0 }, 9);
            assert_eq!(peaks.len(), count);
            for (peak, (hz, db)) in peaks.iter().zip(expected) {
                assert!((peak.hz - hz).abs() < 0.02, "{window:?} {peak:?}");
                assert!((peak.db - db).abs() < 0.05, "{window:?} {peak:?}");
            }
        }
    }

    #[test]
    fn centroid_of_two_equal_lines_is_half_way() {
        let signal = sines(&[(1000.0, 0.5), (3000.0, 0.5)], 48_000, 48_000.0);
        let spectrum = Spectrum::of(&signal, 48_000.0, Window::Hann);
        assert!((spectrum.centroid_hz().unwrap() - 2000.0).abs() < 0.1);
        assert!((spectrum.energy_above(2000.0).unwrap() - 0.5).abs() < 1e-6);
        assert!((spectrum.energy_above(0.0).unwrap() - 1.0).abs() < 1e-12);
        assert!(spectrum.energy_above(1e6).unwrap() == 0.0);
    }

    #[test]
    fn silence_and_nothing_are_no_trouble() {
        for signal in [vec![0.0f32; 1000], vec![]] {
            let spectrum = Spectrum::of(&signal, 48_000.0, Window::Hann);
            assert_eq!(spectrum.centroid_hz(), None);
            assert_eq!(spectrum.energy_above(100.0), None);
            assert!(spectrum.peaks(-400.0, 10).is_empty());
            assert_eq!(spectrum.db(0), -300.0);
        }
    }

    #[test]
    fn a_constant_reads_its_own_value_at_zero_hertz() {
        let spectrum = Spectrum::of(&[0.5f64; 4096], 48_000.0, Window::Hann);
        assert!((spectrum.amplitude[0] - 0.5).abs() < 1e-12);
    }
}
