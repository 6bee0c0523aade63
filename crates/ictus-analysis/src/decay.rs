//! How long a sound rings: T60, the time to fall by 60 dB, by backward integration [Schroeder 1965].
//!
//! The energy still to come, E(t) = ∫ₜ^∞ s² dt, falls smoothly even where the sound beats. A line fitted to its level
//! between −5 and −25 dB, or −35 dB where the sound lasts that long, gives T60 = −60 dB / slope.
//!
//! Limits: a recording that stops while it still rings lacks its tail. The missing energy is estimated from the fitted
//! rate and the level at the end, and the fit repeated; below 10 dB of decay there is no answer.

use crate::{Sample, finite};
use ictus_transform::{Complex64, ComplexToReal};
use std::f64::consts::{LN_10, PI};
use std::sync::Arc;

/// The fit starts here: earlier is the attack.
const FIT_FROM_DB: f64 = -5.0;
/// The fit ends at the first of these that the decay reaches.
const FIT_TO_DB: [f64; 3] = [-35.0, -25.0, -10.0];
/// What was left out at the end is settled after a few rounds: each shrinks the error by the ratio of fit to range.
const TAIL_ROUNDS: usize = 8;
/// Fraction of the signal whose mean power stands for the level at its end.
const END_FRACTION: f64 = 0.05;

/// Level of the energy still to come, dB re the whole, one value per sample; empty for silence.
pub fn schroeder_db<S: Sample>(signal: &[S]) -> Vec<f64> {
    let energy = remaining(&finite(signal));
    to_db(&energy, 0.0)
}

/// Time in which the sound falls by 60 dB, seconds; `None` where it does not fall by at least 10 dB.
///
/// What comes before the loudest sample is attack, and left out.
pub fn t60<S: Sample>(signal: &[S], sample_rate: f64) -> Option<f64> {
    t60_of(&finite(signal), sample_rate)
}

/// T60 in octave bands around the given centre frequencies, seconds.
///
/// `None` for a band that does not decay, is silent, or reaches beyond half the sample rate.
pub fn t60_octaves<S: Sample>(signal: &[S], sample_rate: f64, centres_hz: &[f64]) -> Vec<Option<f64>> {
    let signal = finite(signal);
    let whole: f64 = signal.iter().map(|x| x * x).sum();
    let bank = OctaveFilter::new(&signal, sample_rate);
    centres_hz
        .iter()
        .map(|&hz| {
            if hz * std::f64::consts::SQRT_2 > 0.5 * sample_rate {
                return None;
            }
            let band = bank.band(hz);
            let energy: f64 = band.iter().map(|x| x * x).sum();
            // Less than −100 dB of the whole is rounding and leakage, not sound.
            if energy <= 1e-10 * whole { None } else { t60_of(&band, sample_rate) }
        })
        .collect()
}

fn t60_of(signal: &[f64], sample_rate: f64) -> Option<f64> {
    let loudest = (0..signal.len()).max_by(|&a, &b| signal[a].abs().total_cmp(&signal[b].abs()))?;
    let signal = &signal[loudest..];
    let energy = remaining(signal);
    let end = ((signal.len() as f64 * END_FRACTION) as usize).max(1);
    let end_power = energy[signal.len() - end] / end as f64;
    let mut tail = 0.0;
    let mut slope = None;
    for _ in 0..TAIL_ROUNDS {
        let level = to_db(&energy, tail);
        slope = fit(&level);
        let Some(fall) = slope else { break };
        // Power falls as exp(−rate·n) per sample, so the power at the end has power / rate of energy before it.
        let rate = -fall * LN_10 / 10.0;
        // The mean power stands for the middle of the end piece; half of the piece later it is lower.
        tail = end_power * libm::exp(-0.5 * rate * end as f64) / rate;
    }
    slope.map(|fall| -60.0 / fall / sample_rate)
}

/// Energy from each sample to the end.
fn remaining(signal: &[f64]) -> Vec<f64> {
    let mut energy: Vec<f64> = signal.iter().map(|x| x * x).collect();
    for n in (1..energy.len()).rev() {
        energy[n - 1] += energy[n];
    }
    energy
}

fn to_db(energy: &[f64], tail: f64) -> Vec<f64> {
    let Some(&whole) = energy.first().filter(|&&e| e > 0.0) else {
        return Vec::new();
    };
    let level = |e: f64| 10.0 * libm::log10(((e + tail) / (whole + tail)).max(1e-30));
    energy.iter().map(|&e| level(e)).collect()
}

/// Slope in dB per sample of the widest range that the level falls through.
fn fit(level: &[f64]) -> Option<f64> {
    let from = level.partition_point(|&db| db > FIT_FROM_DB);
    // The last twentieth of a signal is where the tail is guessed from; the fit keeps clear of it.
    let usable = level.len() - (level.len() as f64 * END_FRACTION) as usize;
    let reach = |bottom: f64| Some(level.partition_point(|&db| db > bottom)).filter(|&n| n < usable);
    let to = FIT_TO_DB.iter().find_map(|&bottom| reach(bottom))?;
    let piece = level.get(from..to).filter(|piece| piece.len() >= 3)?;
    let n = piece.len() as f64;
    let mean_x = 0.5 * (n - 1.0);
    let mean_y = piece.iter().sum::<f64>() / n;
    let shared: f64 = piece.iter().enumerate().map(|(x, y)| (x as f64 - mean_x) * (y - mean_y)).sum();
    let slope = shared / (n * (n * n - 1.0) / 12.0);
    (slope < 0.0).then_some(slope)
}

/// Octave bands without delay: the spectrum is multiplied by a smooth mask, so the filter does not ring on after the
/// sound and shorten no decay, as a causal filter would.
struct OctaveFilter {
    samples: usize,
    sample_rate: f64,
    length: usize,
    spectrum: Vec<Complex64>,
    inverse: Arc<dyn ComplexToReal<f64>>,
}

impl OctaveFilter {
    fn new(signal: &[f64], sample_rate: f64) -> Self {
        // Twice the length: what the filter smears before the start must not come round to the end.
        let length = (2 * signal.len()).next_power_of_two().max(2);
        let transform = ictus_transform::forward(length);
        let mut padded = signal.to_vec();
        padded.resize(length, 0.0);
        let mut spectrum = transform.make_output_vec();
        transform.process(&mut padded, &mut spectrum).expect("buffers come from the plan");
        Self { samples: signal.len(), sample_rate, length, spectrum, inverse: ictus_transform::inverse(length) }
    }

    fn band(&self, centre_hz: f64) -> Vec<f64> {
        let bin_hz = self.sample_rate / self.length as f64;
        let mut bins: Vec<_> =
            self.spectrum.iter().enumerate().map(|(k, z)| z * mask(k as f64 * bin_hz / centre_hz)).collect();
        // The ends of a real signal's spectrum are real; the mask leaves them so, up to the sign of zero.
        bins[0].im = 0.0;
        bins.last_mut().expect("at least two bins").im = 0.0;
        let mut band = self.inverse.make_output_vec();
        self.inverse.process(&mut bins, &mut band).expect("buffers come from the plan");
        band.truncate(self.samples);
        band.iter_mut().for_each(|x| *x /= self.length as f64);
        band
    }
}

/// One inside the octave, zero beyond a sixth of an octave outside it, a cosine flank between.
fn mask(ratio: f64) -> f64 {
    let distance = if ratio > 0.0 { libm::log2(ratio).abs() } else { f64::INFINITY };
    let flank = ((distance - 1.0 / 3.0) * 3.0).clamp(0.0, 1.0);
    0.5 + 0.5 * libm::cos(PI * flank)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: f64 = 48_000.0;

    /// Damped sines: (Hz, T60 in seconds).
    fn ringing(parts: &[(f64, f64)], seconds: f64) -> Vec<f64> {
        let at = |t: f64| {
            parts.iter().map(move |(hz, t60)| libm::exp(-3.0 * LN_10 * t / t60) * libm::sin(2.0 * PI * hz * t))
        };
        (0..(seconds * RATE) as usize).map(|n| at(n as f64 / RATE).sum()).collect()
    }

    #[test]
    fn t60_of_one_mode() {
        for want in [0.05, 0.3, 1.8, 5.0] {
            let got = t60(&ringing(&[(440.0, want)], 1.2 * want), RATE).unwrap();
            assert!((got / want - 1.0).abs() < 0.005, "{got} instead of {want}");
        }
    }

    #[test]
    fn a_sound_cut_short_still_tells_its_t60() {
        for lasting in [0.3, 0.5, 0.8] {
            let got = t60(&ringing(&[(440.0, 2.0)], 2.0 * lasting), RATE).unwrap();
            assert!((got / 2.0 - 1.0).abs() < 0.02, "cut at {lasting} of T60: {got}");
        }
    }

    #[test]
    fn silence_before_the_stroke_does_not_count() {
        let mut s = vec![0.0; 48_000];
        s.extend(ringing(&[(440.0, 1.0)], 1.5));
        assert!((t60(&s, RATE).unwrap() - 1.0).abs() < 0.01);
    }

    #[test]
    fn bands_ring_for_their_own_time() {
        let s = ringing(&[(250.0, 2.0), (1000.0, 1.0), (4000.0, 0.25)], 3.0);
        let got = t60_octaves(&s, RATE, &[250.0, 1000.0, 4000.0, 8000.0, 23_000.0]);
        for (got, want) in got.iter().zip([2.0, 1.0, 0.25]) {
            assert!((got.unwrap() / want - 1.0).abs() < 0.02, "{got:?} instead of {want}");
        }
        assert_eq!(got[4], None);
    }

    #[test]
    fn what_does_not_decay_has_no_t60() {
        assert_eq!(t60(&[0.0f32; 4800], RATE), None);
        assert_eq!(t60::<f32>(&[], RATE), None);
        let steady: Vec<f64> = (0..48_000).map(|n| libm::sin(0.05 * n as f64)).collect();
        assert!(t60(&steady, RATE).is_none_or(|t| t > 20.0), "{:?}", t60(&steady, RATE));
    }

    #[test]
    fn the_schroeder_curve_starts_at_zero_and_falls() {
        let curve = schroeder_db(&ringing(&[(440.0, 1.0)], 1.0));
        assert_eq!(curve[0], 0.0);
        assert!(curve.windows(2).all(|w| w[1] <= w[0]));
        assert!((curve[24_000] + 30.0).abs() < 0.5);
    }
}
