//! Modes from recordings of a struck object: frequency, decay, and amplitude at every microphone and for every hit.
//!
//! Model: after the stroke the object rings freely, xₙ = Σ Re aᵢ e^{sᵢ n}, with the same sᵢ = −α + iω in all channels
//! of all hits and an amplitude aᵢ (with its phase) for each of them.
//!
//! 1. The onset, and the moment from which the object is left to itself.
//! 2. Bands of 160 Hz, then of 1 kHz on what is left, are shifted to 0 Hz and thinned out; ESPRIT finds their poles.
//! 3. All poles are fitted jointly to the whole sound (variable projection) and refined by Gauss–Newton steps, which
//!    makes them maximum-likelihood estimates for white noise.
//! 4. Poles that do not stand above the noise floor of the residual around them are left out.
//! 5. Amplitudes are fitted once more, from the onset on.
//!
//! Limits: a pair is told apart where its distance is more than about a quarter of its width α/π; modes that fade
//! within 10 ms, sounds whose pitch glides and rooms with strong early echoes are only approximated.

mod band;
mod distance;
mod eigen;
mod error;
mod fit;
mod object;
mod onset;
mod real;
mod search;
mod subspace;

pub use distance::log_spectral_distance;
pub use error::ExtractError;
pub use object::object_toml;
pub use realfft::num_complex::Complex64;

use crate::wav::Audio;
use fit::Fit;
use std::f64::consts::{LN_10, TAU};

/// Shortest piece that can be analysed, seconds.
const SHORTEST_S: f64 = 0.02;
/// Modes that explain less than this share of the energy are no explanation: it was noise.
const LEAST_EXPLAINED: f64 = 0.1;
/// Samples at this share of full scale are taken for clipped where two stand beside each other.
const FULL_SCALE: f32 = 0.999;

/// What to look for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Most modes.
    pub max_modes: usize,
    /// Lowest frequency, Hz.
    pub min_hz: f64,
    /// Highest frequency, Hz; 0.45 of the sample rate or less.
    pub max_hz: Option<f64>,
    /// Seconds analysed after the onset.
    pub seconds: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self { max_modes: 100, min_hz: 30.0, max_hz: None, seconds: 3.0 }
    }
}

/// One mode.
#[derive(Clone, Debug, PartialEq)]
pub struct Mode {
    /// Frequency, Hz.
    pub hz: f64,
    /// Time to fall by 60 dB, s.
    pub t60_s: f64,
    /// Amplitude and phase at the onset: x = Re a e^{…}; hit after hit, channel after channel.
    pub amplitudes: Vec<Complex64>,
}

impl Mode {
    /// Root of the summed squares of all amplitudes.
    pub fn strength(&self) -> f64 {
        self.amplitudes.iter().map(Complex64::norm_sqr).sum::<f64>().sqrt()
    }
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Extraction {
    /// Strongest first.
    pub modes: Vec<Mode>,
    /// Frames per second.
    pub sample_rate: f64,
    /// Recordings.
    pub hits: usize,
    /// Microphones.
    pub channels: usize,
    /// Frame of each recording at which the stroke begins.
    pub onsets: Vec<usize>,
    /// Frames analysed after the onset.
    pub frames: usize,
    /// Energy that the modes do not explain, dB re the energy of the sound, from the onset on.
    pub residual_db: f64,
    /// Mean third-octave difference to the resynthesis in the first second, dB; see [`log_spectral_distance`].
    pub distance_db: Option<f64>,
    /// Largest sample of each channel of the first hit.
    pub peaks: Vec<f64>,
    /// Samples that look clipped.
    pub clipped: usize,
}

/// Finds the modes of one object in recordings of it: each is a hit, its channels are the microphones.
pub fn extract(recordings: &[Audio], options: &Options) -> Result<Extraction, ExtractError> {
    let first = recordings.first().ok_or(ExtractError::Nothing)?;
    let sample_rate = f64::from(first.sample_rate);
    let aim = aim(options, sample_rate)?;
    let mut onsets = Vec::new();
    let mut hits = Vec::new();
    for (hit, audio) in recordings.iter().enumerate() {
        if audio.sample_rate != first.sample_rate || audio.channels != first.channels {
            return Err(ExtractError::Different { hit });
        }
        let channels = deinterleaved(audio);
        let onset = onset::find(&channels, sample_rate).ok_or(ExtractError::Silent { hit })?;
        onsets.push(onset);
        hits.push(channels);
    }
    let left = |(channels, onset): (&Vec<Vec<f64>>, &onset::Onset)| channels[0].len() - onset.stroke;
    let available = hits.iter().zip(&onsets).map(left).min().unwrap_or(0);
    let frames = available.min((options.seconds * sample_rate) as usize);
    let contact = onsets.iter().map(|o| o.free - o.stroke).max().unwrap_or(0);
    if (frames.saturating_sub(contact) as f64) < SHORTEST_S * sample_rate {
        return Err(ExtractError::TooShort { seconds: available as f64 / sample_rate, needed: SHORTEST_S });
    }
    let cut = |skip: usize| -> Vec<Vec<f64>> {
        let pieces = hits.iter().zip(&onsets);
        pieces
            .flat_map(|(channels, o)| channels.iter().map(move |c| c[o.stroke + skip..o.stroke + frames].to_vec()))
            .collect()
    };
    let free = search::search(&cut(contact), &aim);
    let sounds = cut(0);
    let energy: f64 = sounds.iter().flatten().map(|x| x * x).sum();
    let whole = Fit::new(free.poles, &sounds);
    let share = whole.residual / energy;
    if whole.poles.is_empty() || share > 1.0 - LEAST_EXPLAINED {
        return Err(ExtractError::NoModes { explained: 1.0 - share });
    }
    let mut found = Extraction {
        modes: modes(&whole, sample_rate),
        sample_rate,
        hits: hits.len(),
        channels: first.channels,
        onsets: onsets.iter().map(|o| o.stroke).collect(),
        frames,
        residual_db: 0.0,
        distance_db: None,
        peaks: hits[0].iter().map(|c| c.iter().fold(0.0, |m: f64, x| m.max(x.abs()))).collect(),
        clipped: recordings.iter().map(clipped).sum(),
    };
    // from the sounds themselves: the fit's own sum is a difference of large numbers where modes nearly coincide
    let left: f64 = (sounds.iter().enumerate())
        .flat_map(|(k, sound)| sound.iter().zip(found.resynthesis(k, frames)).map(|(x, y)| (x - y) * (x - y)))
        .sum();
    found.residual_db = 10.0 * libm::log10((left / energy).max(1e-30));
    let second = frames.min(sample_rate as usize);
    let distances: Vec<f64> = (sounds.iter().enumerate())
        .filter_map(|(k, sound)| log_spectral_distance(&sound[..second], &found.resynthesis(k, second), sample_rate))
        .collect();
    found.distance_db = (!distances.is_empty()).then(|| distances.iter().sum::<f64>() / distances.len() as f64);
    Ok(found)
}

impl Extraction {
    /// The sum of the decaying sinusoids, from the onset on, for one channel of one hit (hit × channels + channel).
    pub fn resynthesis(&self, signal: usize, frames: usize) -> Vec<f64> {
        let pole = |m: &Mode| Complex64::new(-3.0 * LN_10 / m.t60_s, TAU * m.hz) / self.sample_rate;
        let poles: Vec<Complex64> = self.modes.iter().map(pole).collect();
        let amplitudes: Vec<Complex64> = self.modes.iter().map(|m| m.amplitudes[signal]).collect();
        let mut sound = vec![0.0; frames];
        fit::add(&poles, &amplitudes, &mut sound);
        sound
    }
}

fn aim(options: &Options, sample_rate: f64) -> Result<search::Aim, ExtractError> {
    let top = 0.45 * sample_rate;
    let max_hz = options.max_hz.unwrap_or(top).min(top);
    let sound = options.min_hz >= 0.0 && options.min_hz < max_hz && options.max_modes > 0 && options.seconds > 0.0;
    if !sound {
        return Err(ExtractError::Options { min_hz: options.min_hz, max_hz });
    }
    Ok(search::Aim { sample_rate, min_hz: options.min_hz.max(1.0), max_hz, max_modes: options.max_modes })
}

fn modes(fit: &Fit, sample_rate: f64) -> Vec<Mode> {
    let mut modes: Vec<Mode> = (fit.poles.iter().enumerate())
        .map(|(i, p)| Mode {
            hz: p.im * sample_rate / TAU,
            t60_s: 3.0 * LN_10 / (-p.re * sample_rate),
            amplitudes: fit.amplitudes.iter().map(|a| a[i]).collect(),
        })
        .collect();
    modes.sort_by(|a, b| b.strength().total_cmp(&a.strength()));
    modes
}

fn deinterleaved(audio: &Audio) -> Vec<Vec<f64>> {
    let clean = crate::finite(&audio.samples);
    (0..audio.channels).map(|c| clean.chunks_exact(audio.channels).map(|frame| frame[c]).collect()).collect()
}

/// Samples at full scale with a neighbour in the same channel that is there too.
fn clipped(audio: &Audio) -> usize {
    let full = |x: f32| x.abs() >= FULL_SCALE;
    let pairs = audio.samples.iter().zip(audio.samples.iter().skip(audio.channels));
    pairs.filter(|(a, b)| full(**a) && full(**b) && a.signum() == b.signum()).count()
}

#[cfg(test)]
mod tests;
