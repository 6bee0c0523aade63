//! How far two sounds are apart to the ear, roughly: third-octave levels over time.
//!
//! Both sounds are cut into Hann frames of about 43 ms that overlap by half. Every frame is summed into third-octave
//! bands from 50 Hz to half the sample rate. The distance is the mean of |level difference| in dB over all cells (band
//! × frame) in which the first sound is within 60 dB of its loudest cell. Phases do not count.

use std::f64::consts::PI;

/// Cells this far below the loudest are not compared: −60 dB.
const RANGE: f64 = 1e-6;
/// Length of a frame, seconds (2048 samples at 48 kHz).
pub const FRAME_S: f64 = 0.0427;
/// Lower edge of the lowest band, Hz.
const LOWEST_HZ: f64 = 50.0;

/// Mean difference in dB of the levels of two sounds; `None` if the first is silent or shorter than a frame.
pub fn log_spectral_distance(recording: &[f64], other: &[f64], sample_rate: f64) -> Option<f64> {
    let (a, b) = (compared(recording, sample_rate), compared(other, sample_rate));
    let loudest = a.iter().fold(0.0, |m: f64, &x| m.max(x));
    let floor = RANGE * loudest;
    let differences: Vec<f64> = (a.iter().zip(&b))
        .filter(|(a, _)| **a > floor && loudest > 0.0)
        .map(|(a, b)| (10.0 * libm::log10(a / b.max(1e-3 * floor))).abs())
        .collect();
    (!differences.is_empty()).then(|| differences.iter().sum::<f64>() / differences.len() as f64)
}

/// Energies of the bands that are compared, frame after frame.
fn compared(sound: &[f64], sample_rate: f64) -> Vec<f64> {
    let mut cells = Cells::default();
    cells.add(sound, sample_rate);
    cells.energies.chunks(cells.bands.max(1)).flat_map(|frame| frame[1..].to_vec()).collect()
}

/// Energies of third octaves in frames, summed over sounds.
#[derive(Clone, Debug, Default)]
pub struct Cells {
    /// Frame after frame, band after band; the sum over all bands is that of the squares under the frame's window.
    pub energies: Vec<f64>,
    /// Bands in a frame; the first is everything below the lowest third octave.
    pub bands: usize,
    /// Samples in a frame; frames begin every half of it.
    pub length: usize,
}

impl Cells {
    /// Band of a frequency.
    pub fn band(&self, hz: f64) -> usize {
        third(hz).min(self.bands.saturating_sub(1))
    }

    /// Adds a sound; all have the same length and rate.
    pub fn add(&mut self, sound: &[f64], sample_rate: f64) {
        let length = (((FRAME_S * sample_rate) as usize) & !1).max(16);
        let transform = ictus_transform::forward(length);
        let mut bins = transform.make_output_vec();
        let hz = |k: usize| k as f64 * sample_rate / length as f64;
        let bands = third(hz(length / 2)) + 1;
        let frames = if sound.len() < length { 0 } else { (sound.len() - length) / (length / 2) + 1 };
        self.energies.resize(frames * bands, 0.0);
        (self.bands, self.length) = (bands, length);
        let window: Vec<f64> =
            (0..length).map(|n| 0.5 - 0.5 * libm::cos(2.0 * PI * n as f64 / length as f64)).collect();
        for (frame, cells) in self.energies.chunks_mut(bands.max(1)).enumerate() {
            let mut input: Vec<f64> =
                sound[frame * length / 2..][..length].iter().zip(&window).map(|(x, w)| x * w).collect();
            transform.process(&mut input, &mut bins).expect("buffers come from the plan");
            for (k, z) in bins.iter().enumerate() {
                cells[third(hz(k))] += 2.0 / length as f64 * z.norm_sqr();
            }
        }
    }
}

/// Third octave from [`LOWEST_HZ`] on, counted from 1; what is below is 0.
fn third(hz: f64) -> usize {
    if hz < LOWEST_HZ { 0 } else { 1 + (3.0 * libm::log2(hz / LOWEST_HZ)) as usize }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_the_amplitude_is_six_decibels_away() {
        let sound: Vec<f64> = (0..20_000).map(|n| libm::sin(0.1 * n as f64) + libm::sin(0.9 * n as f64)).collect();
        let half: Vec<f64> = sound.iter().map(|x| 0.5 * x).collect();
        let distance = log_spectral_distance(&sound, &half, 48_000.0).unwrap();
        assert!((distance - 6.0206).abs() < 1e-3);
        assert!(log_spectral_distance(&sound, &sound, 48_000.0).unwrap() < 1e-12);
        assert_eq!(log_spectral_distance(&[0.0; 9000], &half, 48_000.0), None);
        assert_eq!(log_spectral_distance(&[1.0], &[1.0], 48_000.0), None);
    }
}
