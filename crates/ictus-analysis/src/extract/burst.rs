//! What of a hit does not ring: a short burst of filtered noise.
//!
//! Model: in every third octave, noise that begins with the hit and decays, its energy as e^{−t/τ}. Its level is what the modes lack there, E(recording) − E(modes), and not more than
//! the energy of their difference: where modes are in the right place with the wrong phase nothing is lacking. Two stretches, the first 15 ms and
//! those up to 120 ms, tell level and decay: with x = e^{−15 ms/τ} the later one has x + x² + … + x⁷ times the energy of the first.
//!
//! The burst is drawn from a seeded generator, so the same recording makes the same file; of the recording itself it has only levels and decays. All microphones
//! hear the same burst, each as loud as its own share.

use super::random::Random;
use crate::bands;
use ictus_transform::Complex64;

/// Length of the first stretch, seconds.
const EARLY_S: f64 = 0.015;
/// The burst is this many times as long as the first stretch.
const STRETCHES: usize = 8;
/// Slowest decay: x of a noise that would last.
const SLOWEST: f64 = 0.98;
/// Noise is added to a third octave if the modes lack at least this share of its energy (half a decibel) …
const LACKING: f64 = 0.11;
/// … and it is at most this far below the strongest third octave of the hit (−60 dB).
const FAINT: f64 = 1e-6;
/// A burst is cut where what follows has this share of its energy (−40 dB).
const CUT: f64 = 1e-4;
/// Silence added to a stretch, seconds: several lines of the spectrum lie in the lowest third octave.
const PADDED_S: f64 = 0.3;
/// Seed of all bursts.
const SEED: u64 = 0x1c75;

/// One third octave of a burst.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BurstBand {
    /// Mid-band frequency, Hz.
    pub hz: f64,
    /// Energy in squared full scale × seconds, summed over the microphones.
    pub energy: f64,
    /// Time to fall by 60 dB, s.
    pub t60_s: f64,
}

/// The noise of one hit.
#[derive(Clone, Debug, PartialEq)]
pub struct Burst {
    /// Third octaves in which there is noise.
    pub bands: Vec<BurstBand>,
    /// Amplitude at every microphone.
    pub gains: Vec<f64>,
    /// Samples from the onset on.
    pub samples: Vec<f64>,
    /// Level, dB re the energy of the recording over the same time.
    pub level_db: f64,
}

/// The noise of a hit that begins with the first sample: `recorded` and what the modes make of it, by microphone. `None` if the modes lack nothing.
pub fn find(recorded: &[Vec<f64>], modes: &[Vec<f64>], sample_rate: f64) -> Option<Burst> {
    let early = (EARLY_S * sample_rate) as usize;
    let frames = recorded.iter().map(Vec::len).min()?.min(STRETCHES * early);
    if frames <= 2 * early {
        return None;
    }
    let whole: f64 = recorded.iter().flat_map(|c| &c[..frames]).map(|x| x * x).sum::<f64>() / sample_rate;
    // by stretch: what the modes lack at each microphone in each band, and what is heard there in all
    let lacking = [true, false].map(|first| -> (Vec<Vec<f64>>, Vec<f64>) {
        let mut heard = vec![0.0; bands::centres().len()];
        let lacking = (recorded.iter().zip(modes))
            .map(|(recorded, modes)| {
                let (recorded, modes) = (&recorded[..frames], &modes[..frames]);
                let rest: Vec<f64> = recorded.iter().zip(modes).map(|(a, b)| a - b).collect();
                let [recorded, modes, rest] =
                    [recorded, modes, &rest[..]].map(|x| energies(&stretch(x, early, first), sample_rate));
                heard.iter_mut().zip(&recorded).for_each(|(sum, e)| *sum += e);
                let least = |((e, m), r): ((&f64, &f64), &f64)| (e - m).max(0.0).min(*r);
                recorded.iter().zip(&modes).zip(&rest).map(least).collect()
            })
            .collect();
        (lacking, heard)
    });
    let heard: Vec<f64> = lacking[0].1.iter().zip(&lacking[1].1).map(|(a, b)| a + b).collect();
    let strongest = heard.iter().fold(0.0, |m: f64, &e| m.max(e));
    let later = (frames as f64 / early as f64).round() as usize;
    let mut found = Vec::new();
    let mut shares = vec![0.0; recorded.len()];
    for (k, hz) in bands::centres().into_iter().enumerate() {
        let sum = |piece: usize| lacking[piece].0.iter().map(|c| c[k]).sum::<f64>();
        let (first, rest) = (sum(0), sum(1));
        let energy = first + rest;
        if energy <= LACKING * heard[k] || energy <= FAINT * strongest || hz > 0.45 * sample_rate {
            continue;
        }
        let x = decay(rest / first.max(1e-3 * rest).max(f64::MIN_POSITIVE), later);
        found.push(BurstBand { hz, energy, t60_s: 6.0 * std::f64::consts::LN_10 * EARLY_S / -libm::log(x) });
        for (c, share) in shares.iter_mut().enumerate() {
            *share += lacking[0].0[c][k] + lacking[1].0[c][k];
        }
    }
    let energy: f64 = found.iter().map(|band| band.energy).sum();
    if energy <= FAINT * whole || whole <= 0.0 {
        return None;
    }
    let samples = samples(&found, frames, sample_rate);
    let power: f64 = samples.iter().map(|x| x * x).sum::<f64>() / sample_rate;
    let gains = shares.iter().map(|share| (share / power.max(f64::MIN_POSITIVE)).sqrt()).collect();
    let level_db = 10.0 * libm::log10(energy / whole);
    Some(Burst { bands: found, gains, samples, level_db })
}

/// The part of a sound before or after `early`; one fades into the other, so that cutting a loud low tone adds nothing to the high bands.
fn stretch(sound: &[f64], early: usize, first: bool) -> Vec<f64> {
    let fade = (early / 4).max(1);
    let gain = |n: usize| {
        let t = (n as f64 - (early - fade / 2) as f64) / fade as f64;
        let rise = 0.5 - 0.5 * libm::cos(std::f64::consts::PI * t.clamp(0.0, 1.0));
        if first { 1.0 - rise } else { rise }
    };
    let last = sound.len();
    let end = |n: usize| ((last - n) as f64 / fade as f64).min(1.0);
    let begin = (early / 30).max(1);
    let start = |n: usize| ((n + 1) as f64 / begin as f64).min(1.0);
    sound.iter().enumerate().map(|(n, x)| x * start(n) * gain(n) * end(n)).collect()
}

/// Energies of third octaves, also of stretches shorter than a period of the lowest; squared amplitude × seconds.
fn energies(sound: &[f64], sample_rate: f64) -> Vec<f64> {
    let length = (sound.len() + (PADDED_S * sample_rate) as usize).next_power_of_two();
    let transform = ictus_transform::forward(length);
    let mut padded = sound.to_vec();
    padded.resize(length, 0.0);
    let mut bins = transform.make_output_vec();
    transform.process(&mut padded, &mut bins).expect("buffers come from the plan");
    let edge = libm::exp10(0.05);
    let bin = |hz: f64| ((hz * length as f64 / sample_rate).ceil() as usize).min(bins.len());
    let sum = |hz: &f64| bins[bin(hz / edge)..bin(hz * edge)].iter().map(Complex64::norm_sqr).sum::<f64>();
    bands::centres().iter().map(|hz| 2.0 * sum(hz) / (length as f64 * sample_rate)).collect()
}

/// x with x + x² + … + x^(stretches − 1) = ratio.
fn decay(ratio: f64, stretches: usize) -> f64 {
    let later = |x: f64| (1..stretches.max(2)).rev().fold(0.0, |sum, _| (sum + 1.0) * x);
    let (mut low, mut high) = (1e-4, SLOWEST);
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        if later(middle) < ratio { low = middle } else { high = middle }
    }
    high
}

/// Noise with these third octaves, each with its energy and decay.
fn samples(bands: &[BurstBand], frames: usize, sample_rate: f64) -> Vec<f64> {
    let length = (2 * frames).next_power_of_two();
    let mut random = Random(SEED);
    let mut white: Vec<f64> = (0..length).map(|_| random.normal()).collect();
    let forward = ictus_transform::forward(length);
    let mut spectrum = forward.make_output_vec();
    forward.process(&mut white, &mut spectrum).expect("buffers come from the plan");
    let edge = libm::exp10(0.05);
    let mut sum = vec![0.0; frames];
    for band in bands {
        let inside = |k: usize| {
            let hz = k as f64 * sample_rate / length as f64;
            hz >= band.hz / edge && hz < band.hz * edge
        };
        let filtered = spectrum.iter().enumerate().map(|(k, z)| if inside(k) { *z } else { Complex64::ZERO });
        let noise = inverse(filtered.collect(), length);
        let rate = 3.0 * std::f64::consts::LN_10 / (band.t60_s * sample_rate);
        let faded: Vec<f64> =
            noise[..frames].iter().enumerate().map(|(n, x)| x * libm::exp(-rate * n as f64)).collect();
        let energy: f64 = faded.iter().map(|x| x * x).sum::<f64>() / sample_rate;
        let gain = (band.energy / energy.max(f64::MIN_POSITIVE)).sqrt();
        sum.iter_mut().zip(&faded).for_each(|(s, x)| *s += gain * x);
    }
    cut(sum)
}

/// The real signal of half a spectrum.
fn inverse(spectrum: Vec<Complex64>, length: usize) -> Vec<f64> {
    let inverse = ictus_transform::inverse(length);
    let mut spectrum = spectrum;
    let mut signal = inverse.make_output_vec();
    spectrum[0].im = 0.0;
    if let Some(last) = spectrum.last_mut() {
        last.im = 0.0;
    }
    inverse.process(&mut spectrum, &mut signal).expect("buffers come from the plan");
    signal
}

/// Without its inaudible end, and faded out over its last tenth.
fn cut(mut burst: Vec<f64>) -> Vec<f64> {
    let whole: f64 = burst.iter().map(|x| x * x).sum();
    let mut left = whole;
    let end = burst.iter().position(|x| {
        left -= x * x;
        left < CUT * whole
    });
    burst.truncate(end.map_or(burst.len(), |n| n + 1));
    let fade = (burst.len() / 10).max(1);
    let last = burst.len();
    for n in 0..fade.min(last) {
        burst[last - 1 - n] *= (n as f64 + 0.5) / fade as f64;
    }
    burst
}
