//! How loud a sound is: peak, root mean square, and loudness as ears (and ITU-R BS.1770-4) hear it.
//!
//! Full scale is an amplitude of 1. A full-scale sine has peak 0 dBFS and rms −3.01 dBFS; a 997 Hz full-scale sine
//! on one channel has a loudness of −3.01 LUFS, and on both channels of a stereo sound 0.00 LUFS.
//!
//! Silence has no level, so every measure is an `Option`. Samples that are not finite count as zero here;
//! [`all_finite`] tells whether there were any.
//!
//! Loudness: each channel passes the K filter (a shelf for the head, a high-pass for the ear), its power is averaged
//! over blocks of 0.4 s that overlap by three quarters, and the blocks that are louder than −70 LUFS and than 10 LU
//! below the mean of those are averaged. All channels weigh the same: these are microphones, not a cinema.

use crate::{Sample, finite_or_zero};
use std::f64::consts::PI;

/// The loudness offset of BS.1770: what the K filter adds at 997 Hz, taken off again.
const LOUDNESS_OFFSET_DB: f64 = -0.691;
/// Blocks quieter than this are no part of the sound.
const ABSOLUTE_GATE_LUFS: f64 = -70.0;
/// Blocks this far below the mean of the others are pauses.
const RELATIVE_GATE_LU: f64 = -10.0;
/// A block is four steps of 0.1 s.
const STEP_S: f64 = 0.1;
const STEPS_PER_BLOCK: usize = 4;

/// All levels of a sound at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Levels {
    /// Largest absolute sample, dB re full scale; `None` for silence.
    pub peak_dbfs: Option<f64>,
    /// Root mean square over all channels, dB re full scale; `None` for silence.
    pub rms_dbfs: Option<f64>,
    /// Integrated loudness, LUFS; `None` where nothing passes the gate.
    pub loudness_lufs: Option<f64>,
    /// Whether every sample is a finite number.
    pub finite: bool,
}

impl Levels {
    /// Measures interleaved samples.
    pub fn of<S: Sample>(interleaved: &[S], channels: usize, sample_rate: f64) -> Self {
        Self {
            peak_dbfs: peak_dbfs(interleaved),
            rms_dbfs: rms_dbfs(interleaved),
            loudness_lufs: loudness_lufs(interleaved, channels, sample_rate),
            finite: all_finite(interleaved),
        }
    }
}

/// Twenty times the decimal logarithm of an amplitude; `None` for zero, negative and non-finite amplitudes.
pub fn decibels(amplitude: f64) -> Option<f64> {
    (amplitude > 0.0 && amplitude.is_finite()).then(|| 20.0 * libm::log10(amplitude))
}

/// Largest absolute sample (linear).
pub fn peak<S: Sample>(samples: &[S]) -> f64 {
    samples.iter().fold(0.0, |peak, &s| finite_or_zero(s).abs().max(peak))
}

/// Root mean square (linear); zero for no samples.
pub fn rms<S: Sample>(samples: &[S]) -> f64 {
    let energy: f64 = samples.iter().map(|&s| finite_or_zero(s)).map(|x| x * x).sum();
    (energy / samples.len().max(1) as f64).sqrt()
}

/// Largest absolute sample in dB re full scale; `None` for silence.
pub fn peak_dbfs<S: Sample>(samples: &[S]) -> Option<f64> {
    decibels(peak(samples))
}

/// Root mean square in dB re full scale; `None` for silence.
pub fn rms_dbfs<S: Sample>(samples: &[S]) -> Option<f64> {
    decibels(rms(samples))
}

/// Whether every sample is a finite number.
pub fn all_finite<S: Sample>(samples: &[S]) -> bool {
    samples.iter().all(|&s| s.into().is_finite())
}

/// Integrated loudness of interleaved samples, LUFS [BS.1770-4]; `None` where nothing passes the −70 LUFS gate, and at
/// sample rates of 4 kHz and less, into which the K filter does not fit.
///
/// A sound shorter than one block (0.4 s) is measured as if silence followed it.
///
/// # Panics
/// If `channels` is zero.
pub fn loudness_lufs<S: Sample>(interleaved: &[S], channels: usize, sample_rate: f64) -> Option<f64> {
    assert!(channels > 0, "a sound has at least one channel");
    if sample_rate <= 4000.0 {
        return None;
    }
    let step = (STEP_S * sample_rate).round() as usize;
    let frames = interleaved.len() / channels;
    // Only whole steps enter a block, except that a short sound is filled up to one block.
    let steps = (frames / step).max(STEPS_PER_BLOCK);
    let mut energy = vec![0.0; steps];
    for channel in 0..channels {
        let mut filter = KFilter::new(sample_rate);
        for (n, frame) in interleaved.chunks_exact(channels).take(steps * step).enumerate() {
            let y = filter.tick(finite_or_zero(frame[channel]));
            energy[n / step] += y * y;
        }
    }
    let block_length = (STEPS_PER_BLOCK * step) as f64;
    let powers: Vec<f64> = energy.windows(STEPS_PER_BLOCK).map(|w| w.iter().sum::<f64>() / block_length).collect();
    let ungated = mean_above(&powers, power_of(ABSOLUTE_GATE_LUFS))?;
    let relative = power_of(loudness_of(ungated) + RELATIVE_GATE_LU);
    mean_above(&powers, relative.max(power_of(ABSOLUTE_GATE_LUFS))).map(loudness_of)
}

fn loudness_of(power: f64) -> f64 {
    LOUDNESS_OFFSET_DB + 10.0 * libm::log10(power)
}

fn power_of(loudness: f64) -> f64 {
    libm::pow(10.0, (loudness - LOUDNESS_OFFSET_DB) / 10.0)
}

fn mean_above(powers: &[f64], gate: f64) -> Option<f64> {
    let (count, sum) = powers.iter().filter(|&&p| p > gate).fold((0usize, 0.0), |(n, sum), p| (n + 1, sum + p));
    (count > 0).then(|| sum / count as f64)
}

/// The two second-order sections of BS.1770, from the analogue prototypes behind its 48 kHz coefficients.
struct KFilter {
    shelf: Section,
    high_pass: Section,
}

impl KFilter {
    fn new(sample_rate: f64) -> Self {
        // Corner, quality and gains that reproduce the standard's table at 48 kHz to its last digit.
        let (shelf_hz, shelf_q) = (1_681.974_450_955_533, 0.707_175_236_955_419_6);
        let shelf_gain = libm::pow(10.0, 3.999_843_853_973_347 / 20.0);
        let shelf_mid = libm::pow(shelf_gain, 0.499_666_774_154_541_6);
        let (pass_hz, pass_q) = (38.135_470_876_024_44, 0.500_327_037_323_877_3);

        let k = libm::tan(PI * shelf_hz / sample_rate);
        let (norm, a) = poles(k, shelf_q);
        let b = [
            (shelf_gain + shelf_mid * k / shelf_q + k * k) / norm,
            2.0 * (k * k - shelf_gain) / norm,
            (shelf_gain - shelf_mid * k / shelf_q + k * k) / norm,
        ];
        let shelf = Section { b, a, z: [0.0; 2] };

        // The standard's numerator (1, −2, 1) holds at 48 kHz only; scaling it keeps the gain the same at all rates.
        let (norm, a) = poles(libm::tan(PI * pass_hz / sample_rate), pass_q);
        let (reference, _) = poles(libm::tan(PI * pass_hz / 48_000.0), pass_q);
        let g = reference / norm;
        let high_pass = Section { b: [g, -2.0 * g, g], a, z: [0.0; 2] };
        Self { shelf, high_pass }
    }

    fn tick(&mut self, x: f64) -> f64 {
        self.high_pass.tick(self.shelf.tick(x))
    }
}

fn poles(k: f64, q: f64) -> (f64, [f64; 2]) {
    let norm = 1.0 + k / q + k * k;
    (norm, [2.0 * (k * k - 1.0) / norm, (1.0 - k / q + k * k) / norm])
}

/// Second-order section, transposed direct form II.
struct Section {
    b: [f64; 3],
    a: [f64; 2],
    z: [f64; 2],
}

impl Section {
    fn tick(&mut self, x: f64) -> f64 {
        let y = self.b[0] * x + self.z[0];
        self.z[0] = self.b[1] * x - self.a[0] * y + self.z[1];
        self.z[1] = self.b[2] * x - self.a[1] * y;
        // A long silence would leave the state in denormals, which cost twenty times as much.
        self.z = self.z.map(|z| if z.abs() < 1e-30 { 0.0 } else { z });
        y
    }
}

#[cfg(test)]
mod tests;
