//! Which note a sound is.
//!
//! [`fundamental`] is for sounds that repeat: strings, air columns, bowed things. The normalised square difference
//! [McLeod & Wyvill 2005], n(τ) = 2 Σ x(t) x(t+τ) / Σ (x(t)² + x(t+τ)²), is one where the sound repeats itself after τ,
//! and hardly notices that it decays. Its first high peak gives the period, the peaks at multiples of the period
//! sharpen it, and the exact frequencies of the first partials ([`partial`]) settle it.
//!
//! [`partial`] measures one decaying sinusoid exactly; [`strongest`] the loudest one, which is the note of a struck bar
//! or glass, whose partials are no harmonics. [`note`] decides between the two; [`heard`] says what a listener would
//! of a whole sound, which may be a phrase or a bell.

mod heard;
mod partial;

pub use heard::{Heard, Kind, heard};
pub use partial::{Partial, partial, strongest};

use crate::spectrum::Peak;
use crate::{Sample, finite};

/// Lowest and highest fundamental looked for, Hz.
const RANGE_HZ: (f64, f64) = (25.0, 8000.0);
/// The piece of sound whose periodicity is measured, seconds: ten periods of the lowest note.
const PIECE_S: f64 = 0.4;
/// Time after the loudest sample at which a stroke is over and the free sound begins, seconds.
const STROKE_S: f64 = 0.01;
/// A peak this close to the highest one is a period; the first such is the period. Lower values mistake a strong
/// second partial for the note, higher ones take two periods for one where the sound changes.
const PEAK_SHARE: f64 = 0.93;
/// Below this clarity a sound is noise or a chord, and has no pitch.
const LEAST_CLARITY: f64 = 0.5;
/// Partials that take part in the final value.
const PARTIALS: usize = 8;
/// A partial further than this from its harmonic (17 cents) is another thing.
const HARMONIC_TOLERANCE: f64 = 0.01;

/// A partial this far below the strongest (30 dB) does not make a note.
const HEARD_SHARE: f64 = 0.03;
/// A strongest partial below this share of the peak is a ripple in noise.
const LEADING_SHARE: f64 = 0.1;

/// The pitch of a sound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pitch {
    /// Fundamental frequency, Hz: the mean of the first partials, each divided by its number, weighted by energy.
    pub hz: f64,
    /// How well the sound repeats after one period: 1 is perfect, below 0.8 the pitch is doubtful.
    pub clarity: f64,
}

/// Pitch of a steady or decaying sound between 25 Hz and 8 kHz, measured at its loudest place; `None` for noise and silence.
///
/// Good to 0.1 cent on harmonic sounds. Stiff strings, whose partials are stretched, get the mean described in [`Pitch`].
pub fn fundamental<S: Sample>(signal: &[S], sample_rate: f64) -> Option<Pitch> {
    let signal = finite(signal);
    let wanted = ((PIECE_S * sample_rate) as usize).min(signal.len());
    let loudest = (0..signal.len()).max_by(|&a, &b| signal[a].abs().total_cmp(&signal[b].abs()))?;
    let start = (loudest + (STROKE_S * sample_rate) as usize).min(signal.len() - wanted);
    let free = &signal[start..];
    let (period, clarity) = period(&free[..wanted], sample_rate)?;
    let coarse = sample_rate / period;
    Some(Pitch { hz: settle(free, sample_rate, coarse), clarity })
}

/// Period in samples and clarity.
fn period(piece: &[f64], sample_rate: f64) -> Option<(f64, f64)> {
    let curve = square_difference(piece);
    let longest = ((sample_rate / RANGE_HZ.0) as usize).min(curve.len().saturating_sub(2));
    let shortest = ((sample_rate / RANGE_HZ.1) as usize).max(2);
    // The slope down from τ = 0 is no period.
    let first = (1..longest).find(|&lag| curve[lag] < 0.0)?.max(shortest);
    let is_peak = |lag: &usize| curve[*lag] > curve[lag - 1] && curve[*lag] >= curve[lag + 1];
    let peaks: Vec<(f64, f64)> = (first..=longest).filter(is_peak).map(|lag| vertex(&curve, lag)).collect();
    let highest = peaks.iter().fold(0.0f64, |a, p| a.max(p.1));
    let &(mut period, clarity) = peaks.iter().find(|p| p.1 >= PEAK_SHARE * highest)?;
    if clarity < LEAST_CLARITY {
        return None;
    }
    // The same peak after 2, 4, 8 … periods fixes the period 2, 4, 8 … times as well.
    let mut multiple = 2.0;
    while multiple * period < 0.75 * curve.len() as f64 {
        let near = (multiple * period).round() as usize;
        let reach = ((0.1 * period) as usize).max(2);
        let lag = (near - reach..=near + reach)
            .filter(|&l| l + 1 < curve.len())
            .max_by(|&a, &b| curve[a].total_cmp(&curve[b]))?;
        if lag + 1 >= curve.len() || !is_peak(&lag) || curve[lag] < 0.8 * clarity {
            break;
        }
        period = vertex(&curve, lag).0 / multiple;
        multiple *= 2.0;
    }
    Some((period, clarity.min(1.0)))
}

/// Normalised square difference for lags up to half the piece.
fn square_difference(piece: &[f64]) -> Vec<f64> {
    let n = piece.len();
    let mean = piece.iter().sum::<f64>() / n.max(1) as f64;
    let length = (2 * n).next_power_of_two().max(2);
    let (forward, inverse) = (ictus_transform::forward(length), ictus_transform::inverse(length));
    let mut padded: Vec<f64> = piece.iter().map(|x| x - mean).collect();
    let squares: Vec<f64> = padded.iter().map(|x| x * x).collect();
    padded.resize(length, 0.0);
    let mut bins = forward.make_output_vec();
    forward.process(&mut padded, &mut bins).expect("buffers come from the plan");
    bins.iter_mut().for_each(|z| *z *= z.conj());
    let last = bins.len() - 1;
    (bins[0].im, bins[last].im) = (0.0, 0.0);
    inverse.process(&mut bins, &mut padded).expect("buffers come from the plan");
    let mut energy = 2.0 * squares.iter().sum::<f64>();
    // Rounding leaves a little where there should be nothing; that must not be divided by nothing.
    let least = 1e-12 * energy;
    (0..n / 2)
        .map(|lag| {
            if lag > 0 {
                energy -= squares[lag - 1] + squares[n - lag];
            }
            if energy > least { 2.0 * padded[lag] / length as f64 / energy } else { 0.0 }
        })
        .collect()
}

/// Vertex of the parabola through a peak and its neighbours.
fn vertex(curve: &[f64], k: usize) -> (f64, f64) {
    let (left, mid, right) = (curve[k - 1], curve[k], curve[k + 1]);
    let curvature = left - 2.0 * mid + right;
    let shift = if curvature < 0.0 { 0.5 * (left - right) / curvature } else { 0.0 };
    (k as f64 + shift, mid - 0.25 * (left - right) * shift)
}

/// Replaces a coarse fundamental by the mean of its partials; keeps it where there are none to measure.
fn settle(signal: &[f64], sample_rate: f64, coarse: f64) -> f64 {
    let highest = 0.45 * sample_rate;
    let (mut weight, mut sum) = (0.0, 0.0);
    for number in (1..=PARTIALS).map(|k| k as f64).take_while(|k| k * coarse < highest) {
        let Some(found) = partial(signal, sample_rate, number * coarse) else {
            continue;
        };
        let candidate = found.hz / number;
        if (candidate / coarse - 1.0).abs() < HARMONIC_TOLERANCE {
            let energy = found.amplitude * found.amplitude;
            weight += energy;
            sum += energy * candidate;
        }
    }
    if weight > 0.0 { sum / weight } else { coarse }
}

/// The note a listener would name: the fundamental where its harmonics carry the sound, otherwise the strongest
/// partial, as of a bar, a bell or a glass; `None` for noise and silence.
///
/// A bar with partials at 440, 1213 and 2378 Hz nearly repeats 110 times a second, but that note is not audible. A
/// fundamental counts if it sounds itself, or its second and third partials do. The clarity of a note that is only a
/// strongest partial is 0.
pub fn note<S: Sample>(signal: &[S], sample_rate: f64) -> Option<Pitch> {
    let loudest = strongest(signal, sample_rate);
    let repeating = fundamental(signal, sample_rate);
    let Some(loudest) = loudest else { return repeating };
    let sounds = |hz: f64, number: f64| {
        partial(signal, sample_rate, number * hz).is_some_and(|p| {
            (p.hz / number / hz - 1.0).abs() < HARMONIC_TOLERANCE && p.amplitude > HEARD_SHARE * loudest.amplitude
        })
    };
    let heard = |hz: f64| sounds(hz, 1.0) || (sounds(hz, 2.0) && sounds(hz, 3.0));
    let alone = || loudest.amplitude > LEADING_SHARE * crate::level::peak(signal);
    repeating.filter(|p| heard(p.hz)).or_else(|| alone().then_some(Pitch { hz: loudest.hz, clarity: 0.0 }))
}

/// Distance from one frequency up to another in cents.
pub fn cents(from_hz: f64, to_hz: f64) -> f64 {
    1200.0 * libm::log2(to_hz / from_hz)
}

/// The nearest note of equal temperament at A4 = 440 Hz and the distance from it: `F5 −3 ¢`, `A4`, `C#2 +12 ¢`.
///
/// Empty for frequencies that are not positive and finite.
pub fn note_name(hz: f64) -> String {
    const NAMES: [&str; 12] = ["C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B"];
    if !(hz > 0.0 && hz.is_finite()) {
        return String::new();
    }
    // MIDI numbering: A4 is 69, C4 is 60.
    let key = 69.0 + cents(440.0, hz) / 100.0;
    let nearest = key.round();
    let off = (100.0 * (key - nearest)).round() as i32;
    let name = NAMES[(nearest as i32).rem_euclid(12) as usize];
    let octave = (nearest as i32).div_euclid(12) - 1;
    match off {
        0 => format!("{name}{octave}"),
        1.. => format!("{name}{octave} +{off} ¢"),
        _ => format!("{name}{octave} −{} ¢", -off),
    }
}

#[cfg(test)]
mod tests;
