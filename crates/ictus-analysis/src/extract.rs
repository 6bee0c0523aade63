//! Modes from recordings of a struck object: frequency, decay, and amplitude at every microphone and for every hit.
//!
//! Model: a hit pushes the object for some milliseconds, and its modes, sᵢ = −α + iω, answer and ring on: xₙ = Σ Re cᵢ yᵢₙ + d fₙ with yᵢₙ = e^{sᵢ} yᵢₙ₋₁ + fₙ. All
//! channels of all hits have the same sᵢ, every hit has its own push f, and every channel of every hit its own c (with phases) and d.
//!
//! 1. The hits: bursts that the past of the sound does not foretell (`hits.rs`).
//! 2. The longest stretches between hits, from where the object is left to itself: bands of 160 Hz, then of 1 kHz on what is left, are shifted to 0 Hz and
//!    thinned out; ESPRIT finds their poles.
//! 3. All poles are fitted jointly to the stretch (variable projection) and refined by Gauss–Newton steps, which makes them maximum-likelihood estimates for
//!    white noise. Poles that do not stand above the noise floor of the residual around them are left out.
//! 4. Hit after hit, what rings on is taken away, and push and amplitudes are fitted to the rest (`sequence.rs`, `push.rs`, `stroke.rs`).
//!
//! Limits: a pair is resolved where its distance is more than about a quarter of its width α/π; modes that fade
//! within 10 ms, sounds whose pitch glides and rooms with strong early echoes are only approximated.

mod audible;
mod band;
mod burst;
mod deviation;
mod distance;
mod eigen;
mod error;
mod fit;
mod force;
mod groups;
mod hits;
mod limits;
mod object;
mod onset;
mod push;
mod random;
mod real;
mod search;
mod sequence;
mod stroke;
mod subspace;
mod thud;

pub use burst::{Burst, BurstBand};
pub use distance::log_spectral_distance;
pub use error::ExtractError;
pub use ictus_transform::Complex64;
pub use object::object_toml;
pub use thud::Thud;

use crate::wav::Audio;
use force::Force;
use std::f64::consts::{LN_10, TAU};
use stroke::Stroke;

/// Shortest piece that can be analysed, seconds.
const SHORTEST_S: f64 = 0.02;
/// Modes that explain less than this share of the energy are no explanation: it was noise.
const LEAST_EXPLAINED: f64 = 0.1;
/// Poles down to here are fitted, Hz, and left out where they are below the band asked for: an offset, a rumble or a push of the whole object would otherwise be
/// explained by modes in the band.
const FLOOR_HZ: f64 = 0.5;
/// Higher modes are not heard, Hz.
const HIGHEST_HZ: f64 = 20_000.0;
/// More hits than this in one recording are not counted as hits: it rolls, scrapes or rattles.
const MOST_HITS: usize = 60;
/// Several hits explain a sound clearly better than one if they leave this many times less (3 dB).
const CLEARLY: f64 = 2.0;
/// Hits that leave less than this share of the energy are hits (−30 dB).
const CLEAN: f64 = 1e-3;
/// What rings is what is left this long after a hit, seconds.
pub const RINGS_S: f64 = 0.03;
/// Samples this far below the peak are silence at the end of a recording (−90 dB).
const SILENCE: f64 = 3e-5;
/// Samples at this share of full scale are taken for clipped where two stand beside each other.
const FULL_SCALE: f32 = 0.999;

/// What to look for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Most modes.
    pub max_modes: usize,
    /// Lowest frequency, Hz.
    pub min_hz: f64,
    /// Highest frequency, Hz; 0.45 of the sample rate or 20 kHz at most.
    pub max_hz: Option<f64>,
    /// Seconds analysed after the onset.
    pub seconds: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self { max_modes: 256, min_hz: 30.0, max_hz: None, seconds: 3.0 }
    }
}

/// One mode.
#[derive(Clone, Debug, PartialEq)]
pub struct Mode {
    /// Frequency, Hz.
    pub hz: f64,
    /// Time to fall by 60 dB, s.
    pub t60_s: f64,
    /// Standard deviation of the frequency, Hz.
    pub hz_deviation: f64,
    /// Standard deviation of the time to fall by 60 dB, s.
    pub t60_deviation_s: f64,
    /// Energy from 30 ms after the beginning of each hit on, summed over hits and channels: amplitude squared × seconds. A transient has none.
    pub energy: f64,
    /// Amplitude and phase, x = Re a e^{…}, that the push of a hit would give the mode if it came all at once; hit after hit, channel after channel.
    pub amplitudes: Vec<Complex64>,
}

impl Mode {
    fn pole(&self, sample_rate: f64) -> Complex64 {
        Complex64::new(-3.0 * LN_10 / self.t60_s, TAU * self.hz) / sample_rate
    }

    /// Root of the summed squares of all amplitudes.
    pub fn strength(&self) -> f64 {
        self.amplitudes.iter().map(Complex64::norm_sqr).sum::<f64>().sqrt()
    }
}

/// A hit: when it came, and the push that it was.
#[derive(Clone, Debug)]
pub struct Hit {
    /// Which recording, from 0.
    pub recording: usize,
    /// Frame of the recording at which the push begins.
    pub onset: usize,
    /// How loud every channel heard the push itself, as an accelerometer does.
    pub direct: Vec<f64>,
    /// What of the hit is heard below the lowest mode.
    pub thud: Option<Thud>,
    /// What of the hit does not ring; `None` if the modes lack nothing.
    pub noise: Option<Burst>,
    force: Force,
}

impl Hit {
    /// The push, frame by frame, from the onset on; the sum of its magnitudes is 1.
    pub fn push(&self) -> &[f64] {
        self.force.values()
    }
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Extraction {
    /// Most energy from 30 ms after a hit on first.
    pub modes: Vec<Mode>,
    /// What was fitted below the band, and is no part of the resynthesis.
    below: Vec<Mode>,
    /// Frames per second.
    pub sample_rate: f64,
    /// One of every recording, or all of a single one, in order.
    pub hits: Vec<Hit>,
    /// Bursts in a single recording that are too many to be hits; what was analysed is the ringing after the loudest.
    pub crowd: Option<usize>,
    /// Microphones.
    pub channels: usize,
    /// Frames analysed after the first onset of each recording.
    pub frames: usize,
    /// Energy that the hits do not explain, dB re the energy of the sound, from the first onset on.
    pub residual_db: f64,
    /// Mean third-octave difference to the resynthesis in the first second, dB; see [`log_spectral_distance`].
    pub distance_db: Option<f64>,
    /// Largest sample of each channel of the first recording.
    pub peaks: Vec<f64>,
    /// Samples that look clipped.
    pub clipped: usize,
}

/// A recording, as it is analysed.
struct Take {
    channels: Vec<Vec<f64>>,
    onsets: Vec<usize>,
    contact: usize,
}

/// Poles, per sample, with the standard deviations of their α and ω.
#[derive(Default)]
struct Poles {
    poles: Vec<Complex64>,
    deviations: Vec<[f64; 2]>,
}

/// Finds the modes of one object in recordings of it. A single recording may hold several hits; each of several holds one. Channels are microphones.
pub fn extract(recordings: &[Audio], options: &Options) -> Result<Extraction, ExtractError> {
    let first = recordings.first().ok_or(ExtractError::Nothing)?;
    let sample_rate = f64::from(first.sample_rate);
    let aim = aim(options, sample_rate)?;
    let seconds = (options.seconds * sample_rate) as usize;
    let mut crowd = None;
    let mut takes = Vec::new();
    for (hit, audio) in recordings.iter().enumerate() {
        if audio.sample_rate != first.sample_rate || audio.channels != first.channels {
            return Err(ExtractError::Different { hit });
        }
        let channels = ended(deinterleaved(audio));
        let loudest = onset::find(&channels, sample_rate).ok_or(ExtractError::Silent { hit })?;
        let mut onsets = Vec::new();
        // a clipped recording has something new at every wave that meets the ceiling
        if recordings.len() == 1 && clipped(audio) == 0 {
            onsets = hits::find(&channels, loudest.stroke, seconds, sample_rate);
            crowd = (onsets.len() > MOST_HITS).then_some(onsets.len());
        }
        if onsets.is_empty() || crowd.is_some() {
            onsets = vec![loudest.stroke];
        }
        takes.push(Take { channels, onsets, contact: loudest.free - loudest.stroke });
    }
    let contact = takes.iter().map(|t| t.contact).max().unwrap_or(0);
    let available = takes.iter().map(|t| t.channels[0].len() - t.onsets[0]).min().unwrap_or(0);
    let frames = available.min(seconds);
    if (frames.saturating_sub(contact) as f64) < SHORTEST_S * sample_rate {
        return Err(ExtractError::TooShort { seconds: available as f64 / sample_rate, needed: SHORTEST_S });
    }
    for take in &mut takes {
        let end = take.onsets[0] + frames;
        take.onsets.retain(|&onset| onset < end);
        take.channels.iter_mut().for_each(|c| c.truncate(end));
    }
    let Poles { poles, deviations } = match &takes[..] {
        [one] => sequence::poles(&one.channels, &one.onsets, one.channels[0].len(), contact, &aim),
        several => {
            let from = |t: &Take, c: &Vec<f64>| c[t.onsets[0] + contact..].to_vec();
            let sounds: Vec<_> = several.iter().flat_map(|t| t.channels.iter().map(|c| from(t, c))).collect();
            let fit = search::search(&sounds, &aim);
            Poles { deviations: deviation::deviations(&fit, &sounds), poles: fit.poles }
        }
    };
    let mut hits = Vec::new();
    let mut amplitudes = Vec::new();
    for (recording, take) in takes.iter().enumerate() {
        for (from, stroke) in strokes(take, &poles, sample_rate) {
            let onset = from + stroke.force.start();
            hits.push(Hit {
                recording,
                onset,
                direct: stroke.direct,
                thud: None,
                noise: None,
                force: stroke.force.trimmed(),
            });
            amplitudes.extend(stroke.amplitudes);
        }
    }
    let (modes, below) =
        modes(&poles, &deviations, &hits, &amplitudes, sample_rate).into_iter().partition(|m| m.hz >= options.min_hz);
    let found = Extraction {
        modes,
        below,
        sample_rate,
        hits,
        crowd,
        channels: first.channels,
        frames,
        residual_db: 0.0,
        distance_db: None,
        peaks: takes[0].channels.iter().map(|c| c.iter().fold(0.0, |m: f64, x| m.max(x.abs()))).collect(),
        clipped: recordings.iter().map(clipped).sum(),
    };
    measured(found, &takes)
}

/// The hits of a recording; a single one if several do not explain the sound clearly better. In a recording with noise a moment that nothing foretold need not be a hit.
fn strokes(take: &Take, poles: &[Complex64], sample_rate: f64) -> Vec<(usize, Stroke)> {
    let end = take.channels[0].len();
    let several = sequence::strokes(&take.channels, &take.onsets, end, poles, sample_rate);
    let left: f64 = several.iter().map(|(_, stroke)| stroke.residual).sum();
    let energy: f64 = take.channels.iter().flat_map(|c| &c[take.onsets[0]..]).map(|x| x * x).sum();
    // a clean recording has no such moments
    if several.len() == 1 || left < CLEAN * energy {
        return several;
    }
    let one = sequence::strokes(&take.channels, &take.onsets[..1], end, poles, sample_rate);
    if one[0].1.residual < CLEARLY * left { one } else { several }
}

/// With noise, residual and distance, or refused if the modes explain next to nothing.
fn measured(mut found: Extraction, takes: &[Take]) -> Result<Extraction, ExtractError> {
    let (mut left, mut energy) = (0.0, 0.0);
    let mut distances = Vec::new();
    for (recording, take) in takes.iter().enumerate() {
        let start = found.start(recording);
        let frames = take.channels[0].len() - start;
        let signals = recording * found.channels..(recording + 1) * found.channels;
        let modes: Vec<Vec<f64>> = signals.clone().map(|s| found.ringing(&found.modes, true, s, frames)).collect();
        let mut sounds: Vec<Vec<f64>> = take.channels.iter().map(|c| c[start..].to_vec()).collect();
        for ((sound, modes), signal) in sounds.iter_mut().zip(&modes).zip(signals.clone()) {
            let below = found.ringing(&found.below, false, signal, frames);
            sound.iter_mut().zip(&below).for_each(|(x, y)| *x -= y);
            energy += sound.iter().map(|x| x * x).sum::<f64>();
            left += sound.iter().zip(modes).map(|(x, y)| (x - y) * (x - y)).sum::<f64>();
        }
        found.find_noise(recording, &sounds, &modes);
        for (sound, signal) in sounds.iter().zip(signals) {
            let second = frames.min(found.sample_rate as usize);
            let again = found.resynthesis(signal, second);
            distances.extend(log_spectral_distance(&sound[..second], &again, found.sample_rate));
        }
    }
    let share = left / energy;
    if found.modes.is_empty() || share.is_nan() || share > 1.0 - LEAST_EXPLAINED {
        return Err(ExtractError::NoModes { explained: 1.0 - share });
    }
    found.residual_db = 10.0 * libm::log10(share.max(1e-30));
    found.distance_db = (!distances.is_empty()).then(|| distances.iter().sum::<f64>() / distances.len() as f64);
    Ok(found)
}

impl Extraction {
    /// Frame of a recording at which its first hit begins.
    pub fn start(&self, recording: usize) -> usize {
        self.hits.iter().filter(|hit| hit.recording == recording).map(|hit| hit.onset).min().unwrap_or(0)
    }

    /// All hits of one recording, with their pushes and their noise, for one channel (recording × channels + channel), from its first hit on.
    pub fn resynthesis(&self, signal: usize, frames: usize) -> Vec<f64> {
        let mut sound = self.ringing(&self.modes, true, signal, frames);
        let (recording, channel) = (signal / self.channels, signal % self.channels);
        let start = self.start(recording);
        for hit in self.hits.iter().filter(|hit| hit.recording == recording) {
            let from = (hit.onset - start).min(frames);
            thud::add(hit, channel, &mut sound[from..]);
            let Some(noise) = &hit.noise else { continue };
            sound[from..].iter_mut().zip(&noise.samples).for_each(|(x, y)| *x += noise.gains[channel] * y);
        }
        sound
    }

    /// What of every hit of a recording does not ring, of which `sounds` and `modes` begin with the first hit.
    fn find_noise(&mut self, recording: usize, sounds: &[Vec<f64>], modes: &[Vec<f64>]) {
        let start = self.start(recording);
        let limit_hz = thud::limit_hz(self);
        let onsets: Vec<usize> = self.hits.iter().filter(|h| h.recording == recording).map(|h| h.onset).collect();
        let ends = onsets.iter().skip(1).copied().chain([start + sounds[0].len()]);
        let stretches: Vec<(usize, usize)> =
            onsets.iter().map(|o| o - start).zip(ends.map(|end| end - start)).collect();
        let rate = self.sample_rate;
        let hits = self.hits.iter_mut().filter(|h| h.recording == recording);
        for (hit, (from, to)) in hits.zip(stretches) {
            let cut =
                |all: &[Vec<f64>]| -> Vec<Vec<f64>> { all.iter().map(|x| x[from..to.max(from)].to_vec()).collect() };
            let (sounds, mut modes) = (cut(sounds), cut(modes));
            let minus = |(x, y): (&Vec<f64>, &Vec<f64>)| x.iter().zip(y).map(|(x, y)| x - y).collect();
            let rest: Vec<Vec<f64>> = sounds.iter().zip(&modes).map(minus).collect();
            hit.thud = limit_hz.and_then(|hz| thud::find(&rest, hz, rate));
            modes.iter_mut().enumerate().for_each(|(channel, modes)| thud::add(hit, channel, modes));
            hit.noise = burst::find(&sounds, &modes, rate);
        }
    }

    /// What some modes do in all hits of one recording, for one channel; with the pushes themselves if they are to be `heard`.
    fn ringing(&self, modes: &[Mode], heard: bool, signal: usize, frames: usize) -> Vec<f64> {
        let (recording, channel) = (signal / self.channels, signal % self.channels);
        let poles: Vec<Complex64> = modes.iter().map(|m| m.pole(self.sample_rate)).collect();
        let start = self.start(recording);
        let mut sound = vec![0.0; frames];
        for (index, hit) in self.hits.iter().enumerate().filter(|(_, hit)| hit.recording == recording) {
            let amplitudes: Vec<Complex64> =
                modes.iter().map(|m| m.amplitudes[index * self.channels + channel]).collect();
            let from = (hit.onset - start).min(frames);
            let direct = if heard { hit.direct[channel] } else { 0.0 };
            stroke::ring(&poles, &amplitudes, direct, &hit.force, &mut sound[from..]);
        }
        sound
    }

    /// Level of the noise of the hits, dB re the energy of the recording while it lasts: that of the noisiest; `None` if the modes lack nothing.
    pub fn noise_db(&self) -> Option<f64> {
        self.hits.iter().filter_map(|hit| hit.noise.as_ref()).map(|noise| noise.level_db).reduce(f64::max)
    }

    /// Root of the summed squares of all amplitudes of a hit.
    pub fn strength(&self, hit: usize) -> f64 {
        let own = hit * self.channels..(hit + 1) * self.channels;
        let all = self.modes.iter().flat_map(|m| m.amplitudes[own.clone()].iter());
        all.map(Complex64::norm_sqr).sum::<f64>().sqrt()
    }

    /// Seconds from the first hit of the first recording to its last.
    pub fn span_s(&self) -> f64 {
        let last = self.hits.iter().filter(|hit| hit.recording == 0).map(|hit| hit.onset).max();
        last.map_or(0.0, |last| (last - self.start(0)) as f64 / self.sample_rate)
    }
}

fn aim(options: &Options, sample_rate: f64) -> Result<search::Aim, ExtractError> {
    let top = (0.45 * sample_rate).min(HIGHEST_HZ);
    let max_hz = options.max_hz.unwrap_or(top).min(top);
    let sound = options.min_hz >= 0.0 && options.min_hz < max_hz && options.max_modes > 0 && options.seconds > 0.0;
    if !sound {
        return Err(ExtractError::Options { min_hz: options.min_hz, max_hz });
    }
    Ok(search::Aim { sample_rate, floor_hz: FLOOR_HZ.min(options.min_hz), max_hz, max_modes: options.max_modes })
}

/// Modes with their amplitudes for all hits, most energy first.
fn modes(
    poles: &[Complex64],
    deviations: &[[f64; 2]],
    hits: &[Hit],
    amplitudes: &[Vec<Complex64>],
    sample_rate: f64,
) -> Vec<Mode> {
    let channels = amplitudes.len() / hits.len().max(1);
    let mut modes: Vec<Mode> = (poles.iter().enumerate())
        .map(|(i, &p)| {
            let own: Vec<Complex64> = amplitudes.iter().map(|a| a[i]).collect();
            let each = hits.iter().zip(own.chunks(channels.max(1)));
            let energy = |(hit, own): (&Hit, &[Complex64])| {
                let loud = own.iter().map(Complex64::norm_sqr).sum::<f64>();
                loud * ringing_share(&hit.force, p, sample_rate)
            };
            Mode {
                hz: p.im * sample_rate / TAU,
                t60_s: 3.0 * LN_10 / (-p.re * sample_rate),
                hz_deviation: deviations[i][1] * sample_rate / TAU,
                // T60 goes as 1/α
                t60_deviation_s: 3.0 * LN_10 / (-p.re * sample_rate) * deviations[i][0] / -p.re,
                energy: each.map(energy).sum(),
                amplitudes: own,
            }
        })
        .filter(|m| m.energy.is_finite() && m.strength().is_finite())
        .collect();
    modes.sort_by(|a, b| b.energy.total_cmp(&a.energy));
    modes
}

/// Energy from [`RINGS_S`] after the beginning of a push on, of a mode with the amplitude 1.
fn ringing_share(force: &Force, pole: Complex64, sample_rate: f64) -> f64 {
    let response = force.response(pole);
    let after = response.after.map_or(0.0, |y| y.norm_sqr());
    let wait = RINGS_S * sample_rate - force.end() as f64;
    0.5 * after * libm::exp(2.0 * pole.re * wait.max(0.0)) / (-2.0 * pole.re * sample_rate)
}

fn deinterleaved(audio: &Audio) -> Vec<Vec<f64>> {
    let clean = crate::finite(&audio.samples);
    (0..audio.channels).map(|c| clean.chunks_exact(audio.channels).map(|frame| frame[c]).collect()).collect()
}

/// Without the silence after the end: a sound that was cut off does not decay into it.
fn ended(mut channels: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let peak = channels.iter().flatten().fold(0.0, |m: f64, x| m.max(x.abs()));
    let last = |c: &Vec<f64>| c.iter().rposition(|x| x.abs() > SILENCE * peak).map_or(0, |n| n + 1);
    let end = channels.iter().map(last).max().unwrap_or(0);
    channels.iter_mut().for_each(|c| c.truncate(end));
    channels
}

/// Samples at full scale with a neighbour in the same channel that is there too.
fn clipped(audio: &Audio) -> usize {
    let full = |x: f32| x.abs() >= FULL_SCALE;
    let pairs = audio.samples.iter().zip(audio.samples.iter().skip(audio.channels));
    pairs.filter(|(a, b)| full(**a) && full(**b) && a.signum() == b.signum()).count()
}

#[cfg(test)]
mod tests;
