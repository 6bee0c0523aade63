//! The hits of a recording: where something new happens to an object that rings.
//!
//! What rings freely can be foretold from its own past; a hit cannot. A linear predictor for the whole sound leaves, of free ringing, little more
//! than the noise, and of every hit a burst, also where it is far weaker than what rings on from the hits before. A hit is a burst
//! that stands out from the milliseconds before it.

/// Length of a frame, seconds.
const FRAME_S: f64 = 1e-3;
/// Grids of frames, each shifted by a share of a frame.
const GRIDS: usize = 4;
/// Past that the predictor looks at, seconds.
const PAST_S: f64 = 40e-3;
/// A burst stands this much above the median of the frames before it, as energies (12 dB) …
const ABOVE_BEFORE: f64 = 16.0;
/// … the last of which may belong to its own beginning. Frames.
const BEFORE: std::ops::Range<usize> = 3..13;
/// It also rises this much, as energies (6 dB), above all frames just before it: what has been news a moment ago fades, and is no new hit.
const RISE: f64 = 4.0;
const JUST_BEFORE: std::ops::Range<usize> = 2..5;
/// What is this far below the loudest sample is not heard before it (−60 dB).
const AUDIBLE: f64 = 1e-3;
/// Bursts this far below the strongest are none (−40 dB).
const FAINT: f64 = 1e-4;
/// Hits closer together than this are one, seconds: a mallet that chatters.
const APART_S: f64 = 5e-3;
/// Share of white noise added to the sound for the predictor's sake (−90 dB): keeps it stable where a sound is perfectly foretold.
const WHITENING: f64 = 1e-9;

/// Frames at which hits begin, in order, of the `span` frames around the loudest one (all that can be heard before it included, if it is not longer ago). All
/// channels have the same length.
pub fn find(channels: &[Vec<f64>], loudest: usize, span: usize, sample_rate: f64) -> Vec<usize> {
    let order = (PAST_S * sample_rate) as usize;
    let frame = ((FRAME_S * sample_rate) as usize).max(1);
    let top = channels.iter().flatten().fold(0.0, |m: f64, x| m.max(x.abs()));
    let all = channels.iter().map(Vec::len).min().unwrap_or(0);
    let audible = (0..all).find(|&n| channels.iter().any(|c| c[n].abs() > AUDIBLE * top)).unwrap_or(0);
    let from = audible.max(loudest.saturating_sub(span)).saturating_sub(order);
    let length = (all - from).min(span + order);
    if length < 2 * order.max(frame) {
        return Vec::new();
    }
    let channels: Vec<&[f64]> = channels.iter().map(|c| &c[from..from + length]).collect();
    let predictor = predictor(&autocorrelation(&channels, length, order));
    let news: Vec<f64> = (0..length)
        .map(|n| {
            let surprise = |c: &&[f64]| -> f64 {
                let past = c[n.saturating_sub(order)..n].iter().rev();
                c[n] - past.zip(&predictor).map(|(x, a)| x * a).sum::<f64>()
            };
            channels.iter().map(surprise).map(|e| e * e).sum()
        })
        .collect();
    // a burst cut in two by the grid of frames is no less a burst: grids between the grid see it whole
    let mut hits: Vec<usize> = (0..GRIDS).flat_map(|grid| bursts(&news, grid * frame / GRIDS, frame)).collect();
    hits.sort_unstable();
    let mut apart: Vec<usize> = Vec::new();
    for hit in hits {
        if apart.last().is_none_or(|&last| (hit - last) as f64 >= APART_S * sample_rate) {
            apart.push(hit);
        }
    }
    apart.iter().map(|at| from + at).collect()
}

/// Where bursts begin, as seen in frames that are counted from `first` on.
fn bursts(news: &[f64], first: usize, frame: usize) -> Vec<usize> {
    let energies: Vec<f64> = news[first.min(news.len())..].chunks(frame).map(|frame| frame.iter().sum()).collect();
    let strongest = energies.iter().fold(0.0, |m: f64, &e| m.max(e));
    let mut hits: Vec<usize> = Vec::new();
    for (k, &energy) in energies.iter().enumerate() {
        let mut before: Vec<f64> = BEFORE.filter_map(|back| energies.get(k.checked_sub(back)?)).copied().collect();
        before.sort_by(f64::total_cmp);
        let usual = before.get(before.len() / 2).copied().unwrap_or(0.0);
        let fading = JUST_BEFORE.filter_map(|back| energies.get(k.checked_sub(back)?)).fold(0.0, |m: f64, &e| m.max(e));
        if energy <= (FAINT * strongest).max(ABOVE_BEFORE * usual).max(RISE * fading) {
            continue;
        }
        // within the frame, the first sample that stands out
        let range = first + k * frame..(first + (k + 1) * frame).min(news.len());
        let top = news[range.clone()].iter().fold(0.0, |m: f64, &e| m.max(e));
        hits.push(range.clone().find(|&n| news[n] > 1e-2 * top).unwrap_or(range.start));
    }
    hits
}

/// r_k = Σ xₙ xₙ₊ₖ over all channels, k ≤ `order`.
fn autocorrelation(channels: &[&[f64]], length: usize, order: usize) -> Vec<f64> {
    let at =
        |k: usize| channels.iter().map(|c| c[..length - k].iter().zip(&c[k..]).map(|(x, y)| x * y).sum::<f64>()).sum();
    let mut all: Vec<f64> = (0..=order).map(at).collect();
    all[0] *= 1.0 + WHITENING;
    all
}

/// Coefficients a of xₙ ≈ Σ aₖ xₙ₋ₖ, by Levinson's recursion.
fn predictor(correlation: &[f64]) -> Vec<f64> {
    let order = correlation.len() - 1;
    let mut a: Vec<f64> = Vec::with_capacity(order);
    let mut left = correlation[0];
    for i in 0..order {
        if left <= 0.0 {
            break;
        }
        let foretold: f64 = a.iter().zip(correlation[1..=i].iter().rev()).map(|(a, r)| a * r).sum();
        let reflection = (correlation[i + 1] - foretold) / left;
        let turned: Vec<f64> = a.iter().rev().map(|a| reflection * a).collect();
        a.iter_mut().zip(turned).for_each(|(a, b)| *a -= b);
        a.push(reflection);
        left *= 1.0 - reflection * reflection;
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    /// Three modes struck at `times` (frames) with `strengths`.
    fn struck(times: &[usize], strengths: &[f64]) -> Vec<f64> {
        let mut sound = vec![0.0; 48_000];
        for (&at, &strength) in times.iter().zip(strengths) {
            for (hz, decay) in [(440.0, 3.0), (1210.0, 5.0), (3300.0, 9.0)] {
                for (n, x) in sound[at..].iter_mut().enumerate() {
                    let t = n as f64 / 48_000.0;
                    *x += strength * libm::exp(-decay * t) * libm::sin(TAU * hz * t);
                }
            }
        }
        sound
    }

    #[test]
    fn weak_hits_in_loud_ringing_are_found() {
        let times = [4800, 9600, 12_000, 30_000];
        let hits = find(&[struck(&times, &[1.0, 0.1, 0.3, 0.05])], times[0], 48_000, 48_000.0);
        assert_eq!(hits.len(), times.len(), "{hits:?}");
        for (hit, time) in hits.iter().zip(times) {
            assert!(hit.abs_diff(time) <= 4, "{hits:?}");
        }
    }

    #[test]
    fn one_hit_is_one_and_silence_none() {
        assert_eq!(find(&[struck(&[100], &[1.0])], 100, 48_000, 48_000.0).len(), 1);
        assert!(find(&[vec![0.0; 48_000]], 0, 48_000, 48_000.0).is_empty());
        assert!(find(&[vec![1.0]], 0, 48_000, 48_000.0).is_empty());
    }
}
