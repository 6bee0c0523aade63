//! One frequency band of a sound as a short complex signal.
//!
//! The sound is shifted down by the band's centre, smoothed by a Kaiser low-pass of finite length and thinned out.
//! Outputs begin where the whole filter lies inside the sound, so a decaying sinusoid stays exactly one: only its
//! amplitude changes. A filter that rang over the onset would not leave it so.

use ictus_kernels::bessel_i0;
use ictus_transform::Complex64;
use std::f64::consts::{PI, TAU};

/// Rate of the thinned signal over the width of the band: what folds over lands outside the band.
const RATE_OVER_WIDTH: f64 = 2.5;
/// Kaiser's β for 80 dB of stop band.
const BETA: f64 = 7.9;

/// A band-pass that moves its band to 0 Hz.
pub struct Band {
    /// Frames of the sound per output.
    pub step: usize,
    taps: Vec<f64>,
}

impl Band {
    /// For bands `width_hz` wide.
    pub fn new(width_hz: f64, sample_rate: f64) -> Self {
        let step = ((sample_rate / (RATE_OVER_WIDTH * width_hz)) as usize).max(1);
        // pass to width/2, stop from rate − width/2: the transition is 1.5 widths
        let transition = TAU * (RATE_OVER_WIDTH - 1.0) * width_hz / sample_rate;
        let length = ((80.0 - 8.0) / (2.285 * transition)).ceil() as usize | 1;
        let cutoff = 0.5 * RATE_OVER_WIDTH * width_hz / sample_rate; // cycles per sample
        let middle = (length / 2) as f64;
        let mut taps: Vec<f64> = (0..length)
            .map(|n| {
                let t = n as f64 - middle;
                let sinc = if t == 0.0 { 2.0 * cutoff } else { libm::sin(TAU * cutoff * t) / (PI * t) };
                let x = if middle > 0.0 { t / middle } else { 0.0 };
                sinc * bessel_i0(BETA * (1.0 - x * x).max(0.0).sqrt())
            })
            .collect();
        let sum: f64 = taps.iter().sum();
        taps.iter_mut().for_each(|t| *t /= sum);
        Self { step, taps }
    }

    /// At most `most` outputs of the band around `centre_hz`.
    pub fn of(&self, sound: &[f64], centre_hz: f64, sample_rate: f64, most: usize) -> Vec<Complex64> {
        let omega = TAU * centre_hz / sample_rate;
        let carrier: Vec<Complex64> = (self.taps.iter().enumerate())
            .map(|(k, &tap)| {
                let (s, c) = libm::sincos(omega * k as f64);
                Complex64::new(c * tap, -s * tap)
            })
            .collect();
        let count = if sound.len() < self.taps.len() { 0 } else { (sound.len() - self.taps.len()) / self.step + 1 };
        (0..count.min(most))
            .map(|k| {
                let at = k * self.step;
                let sum: Complex64 = sound[at..at + self.taps.len()].iter().zip(&carrier).map(|(&x, w)| w * x).sum();
                let (s, c) = libm::sincos(omega * at as f64);
                sum * Complex64::new(c, -s)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decaying_sinusoid_stays_one_and_others_are_stopped() {
        let rate = 44_100.0;
        let band = Band::new(160.0, rate);
        let tone = |hz: f64| -> Vec<f64> {
            (0..30_000).map(|n| libm::exp(-5.0 * n as f64 / rate) * libm::cos(TAU * hz * n as f64 / rate)).collect()
        };
        let inside = band.of(&tone(1030.0), 1000.0, rate, 200);
        let period = band.step as f64 / rate;
        let (s, c) = libm::sincos(TAU * 30.0 * period);
        let expected = Complex64::new(c, s) * libm::exp(-5.0 * period);
        for pair in inside.windows(2) {
            assert!((pair[1] / pair[0] - expected).norm_sqr() < 1e-7);
        }
        let outside = band.of(&tone(1400.0), 1000.0, rate, 200);
        assert!(outside[0].norm_sqr() < 1e-7 * inside[0].norm_sqr());
    }
}
