//! Spectra of successive short frames: what is in a sound, and when.

use crate::{Sample, Window, finite};

/// Amplitudes below this (−200 dB) read as this.
const FLOOR: f32 = 1e-10;

/// How a signal is cut into frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frames {
    /// Samples per frame.
    pub length: usize,
    /// Samples from one frame to the next.
    pub hop: usize,
    /// What is laid over each frame.
    pub window: Window,
}

impl Frames {
    /// Frames of about 85 ms (4096 samples at 48 kHz) that overlap enough for about a thousand of them.
    pub fn for_picture(samples: usize, sample_rate: f64) -> Self {
        let length = ((0.07 * sample_rate) as usize).next_power_of_two().max(64);
        let hop = (samples / 1000).clamp(length / 16, length / 2);
        Self { length, hop, window: Window::Hann }
    }
}

/// Magnitudes over time and frequency; a full-scale sine in the middle of a bin is 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Spectrogram {
    /// Distance of the bins, Hz.
    pub bin_hz: f64,
    /// Distance of the frames, seconds; frame `i` is centred at `i · frame_s`.
    pub frame_s: f64,
    /// Number of bins in each frame, from 0 Hz to half the sample rate.
    pub bins: usize,
    amplitude: Vec<f32>,
}

impl Spectrogram {
    /// Transforms a signal frame by frame. The first frame is centred on the first sample; beyond both ends is silence.
    ///
    /// # Panics
    /// If a frame has fewer than two samples or the hop is zero.
    pub fn of<S: Sample>(signal: &[S], sample_rate: f64, frames: Frames) -> Self {
        let Frames { length, hop, window } = frames;
        assert!(length >= 2 && hop > 0, "frames of {length} samples every {hop} are none");
        let signal = finite(signal);
        let weights = window.weights(length);
        let scale = 2.0 / weights.iter().sum::<f64>();
        let transform = ictus_transform::forward(length);
        let (mut input, mut output) = (transform.make_input_vec(), transform.make_output_vec());
        let mut scratch = transform.make_scratch_vec();
        let bins = output.len();
        let count = signal.len().div_ceil(hop);
        let mut amplitude = Vec::with_capacity(count * bins);
        for centre in (0..count).map(|i| i * hop) {
            for (n, x) in input.iter_mut().enumerate() {
                let sample = (centre + n).checked_sub(length / 2).and_then(|i| signal.get(i));
                *x = sample.map_or(0.0, |s| s * weights[n]);
            }
            let done = transform.process_with_scratch(&mut input, &mut output, &mut scratch);
            done.expect("buffers come from the plan");
            amplitude.extend(output.iter().map(|z| (scale * libm::hypot(z.re, z.im)) as f32));
        }
        Self { bin_hz: sample_rate / length as f64, frame_s: hop as f64 / sample_rate, bins, amplitude }
    }

    /// Number of frames.
    pub fn frames(&self) -> usize {
        self.amplitude.len() / self.bins
    }

    /// Amplitudes of one frame, by bin.
    pub fn frame(&self, frame: usize) -> &[f32] {
        &self.amplitude[frame * self.bins..(frame + 1) * self.bins]
    }

    /// Level in dB re an amplitude of 1; never below −200.
    pub fn db(&self, frame: usize, bin: usize) -> f64 {
        20.0 * libm::log10(f64::from(self.frame(frame)[bin].max(FLOOR)))
    }

    /// The loudest level anywhere, dB; `None` for silence.
    pub fn peak_db(&self) -> Option<f64> {
        let peak = self.amplitude.iter().fold(0.0f32, |a, &b| a.max(b));
        crate::level::decibels(f64::from(peak))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    #[test]
    fn a_tone_that_steps_up_is_found_where_and_when_it_sounds() {
        let rate = 48_000.0;
        let signal: Vec<f64> = (0..48_000)
            .map(|n| {
                let hz = if n < 24_000 { 1000.0 } else { 4000.0 };
                0.5 * libm::sin(2.0 * PI * hz * n as f64 / rate)
            })
            .collect();
        let frames = Frames { length: 2048, hop: 480, window: Window::Hann };
        let s = Spectrogram::of(&signal, rate, frames);
        assert_eq!((s.frames(), s.bins), (100, 1025));
        let loudest = |t: f64| {
            let frame = s.frame((t / s.frame_s).round() as usize);
            (0..s.bins).max_by(|&a, &b| frame[a].total_cmp(&frame[b])).unwrap() as f64 * s.bin_hz
        };
        assert!((loudest(0.25) - 1000.0).abs() < s.bin_hz);
        assert!((loudest(0.75) - 4000.0).abs() < s.bin_hz);
        // −6.02 dB, less what falls between two bins (at most 1.4 dB for this window).
        assert!((s.peak_db().unwrap() + 6.02).abs() < 1.5);
    }

    #[test]
    fn frames_for_a_picture_suit_short_and_long_sounds() {
        for (samples, rate) in [(100, 8000.0), (48_000, 48_000.0), (48_000 * 600, 48_000.0), (19_200, 192_000.0)] {
            let f = Frames::for_picture(samples, rate);
            assert!(f.hop > 0 && f.hop <= f.length / 2);
            assert!((0.05..0.2).contains(&(f.length as f64 / rate)));
        }
    }

    #[test]
    fn silence_has_no_peak() {
        let frames = Frames::for_picture(1000, 48_000.0);
        assert_eq!(Spectrogram::of(&[0.0f32; 1000], 48_000.0, frames).peak_db(), None);
        assert_eq!(Spectrogram::of::<f32>(&[], 48_000.0, frames).frames(), 0);
    }
}
