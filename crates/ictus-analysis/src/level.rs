//! How loud a sound is: peak, root mean square, and loudness as ears (and ITU-R BS.1770-4) hear it.
//!
//! Full scale is an amplitude of 1. A full-scale sine has peak 0 dBFS and rms −3.01 dBFS; a 997 Hz full-scale sine
//! on one channel has a loudness of −3.01 LUFS, and on both channels of a stereo sound 0.00 LUFS.
//!
//! Silence has no level, so every measure is an `Option`. Samples that are not finite count as zero here;
//! [`all_finite`] says whether there were any.
//!
//! Loudness: each channel passes the K filter (a shelf for the head, a high-pass for the ear), its power is averaged
//! over blocks of 0.4 s that overlap by three quarters, and the blocks that are louder than −70 LUFS and than 10 LU
//! below the mean of those are averaged. All channels weigh the same: these are microphones, not a cinema. The crate
//! `ebur128` does this; it takes tangents from the machine, so the last digits may differ between machines.

use crate::{Sample, finite_or_zero};
use ebur128::{Channel, EbuR128, Mode};
use std::f64::consts::PI;

/// The shelf of the K filter lies near 1.7 kHz: lower rates have no room for it.
const LOWEST_RATE_HZ: f64 = 4000.0;
/// Length of a block.
const BLOCK_S: f64 = 0.4;
/// Frames handed to the meter at a time.
const PIECE: usize = 4096;

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

/// Integrated loudness of interleaved samples, LUFS [BS.1770-4]; `None` where nothing passes the −70 LUFS gate, at sample
/// rates of 4 kHz and less, into which the K filter does not fit, and for more channels than the meter takes (64).
///
/// A sound shorter than one block (0.4 s) is measured as if silence filled the block; what rings in the filters after its
/// end does not count.
///
/// # Panics
/// If `channels` is zero.
pub fn loudness_lufs<S: Sample>(interleaved: &[S], channels: usize, sample_rate: f64) -> Option<f64> {
    assert!(channels > 0, "a sound has at least one channel");
    if sample_rate <= LOWEST_RATE_HZ {
        return None;
    }
    let mut meter = EbuR128::new(u32::try_from(channels).ok()?, sample_rate.round() as u32, Mode::I).ok()?;
    meter.set_channel_map(&vec![Channel::Center; channels]).ok()?;
    let gain = high_pass_gain(sample_rate);
    let frames = interleaved.len() / channels;
    // a block is four steps of whole samples; silence before the sound leaves the filters at rest
    let block = 4 * (0.25 * BLOCK_S * sample_rate).round() as usize;
    let mut piece = vec![0.0; block.saturating_sub(frames) * channels];
    meter.add_frames_f64(&piece).ok()?;
    for samples in interleaved[..frames * channels].chunks(PIECE * channels) {
        piece.clear();
        piece.extend(samples.iter().map(|&sample| gain * finite_or_zero(sample)));
        meter.add_frames_f64(&piece).ok()?;
    }
    meter.loudness_global().ok().filter(|loudness| loudness.is_finite())
}

/// What makes the high-pass of the K filter as loud at every sample rate as at 48 kHz: its numerator is (1, −2, 1) at all
/// rates, its poles move. 0.004 dB at 44.1 kHz, 0.2 dB at 8 kHz.
fn high_pass_gain(sample_rate: f64) -> f64 {
    let (hz, q) = (38.135_470_876_024_44, 0.500_327_037_323_877_3);
    let norm = |rate: f64| {
        let k = libm::tan(PI * hz / rate);
        1.0 + k / q + k * k
    };
    norm(48_000.0) / norm(sample_rate)
}

#[cfg(test)]
mod tests;
