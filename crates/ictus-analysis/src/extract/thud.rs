//! The low part of a hit: what is heard below the lowest mode while it is struck.
//!
//! Model: the difference between recording and modes, smoothed to frequencies below the lowest strong mode, for up to 100 ms: the push as the body and the room pass it on, and what modes that start at
//! once have too much there. It is a slow curve of a few dozen points, and the file states it as one.

use super::{Extraction, Hit};
use std::f64::consts::PI;

/// Highest frequency of a thud, over that of the lowest strong mode.
const BELOW: f64 = 0.6;
/// Limits of that frequency, Hz: lower ones are not heard, higher ones are no thud.
const RANGE_HZ: (f64, f64) = (40.0, 600.0);
/// A mode is strong if its energy is at most this far below the strongest (−40 dB).
const STRONG: f64 = 1e-4;
/// Longest thud, seconds.
const LONGEST_S: f64 = 0.1;
/// Half length of the smoothing, periods of the highest frequency.
const PERIODS: f64 = 1.5;
/// Points in a period of the highest frequency.
const POINTS: f64 = 8.0;

/// The low part of one hit.
#[derive(Clone, Debug, PartialEq)]
pub struct Thud {
    /// Frames between two points.
    pub step: usize,
    /// Heights, from the beginning of the hit on, from rest to rest.
    pub points: Vec<f64>,
    /// Amplitude at every microphone.
    pub gains: Vec<f64>,
}

impl Thud {
    /// Straight lines between the points, frame by frame.
    pub fn samples(&self) -> Vec<f64> {
        let line = |pair: &[f64]| -> Vec<f64> {
            (0..self.step).map(|n| pair[0] + (pair[1] - pair[0]) * n as f64 / self.step as f64).collect()
        };
        self.points.windows(2).flat_map(line).collect()
    }
}

/// The highest frequency of thuds, Hz; `None` if the modes leave no room for one.
pub fn limit_hz(found: &Extraction) -> Option<f64> {
    let strongest = found.modes.first()?.energy;
    let lowest = found.modes.iter().filter(|m| m.energy > STRONG * strongest).map(|m| m.hz).reduce(f64::min)?;
    let hz = (BELOW * lowest).min(RANGE_HZ.1);
    (hz >= RANGE_HZ.0).then_some(hz)
}

/// The thud in what recording and modes differ by, by microphone, from the beginning of a hit on.
pub fn find(rest: &[Vec<f64>], limit_hz: f64, sample_rate: f64) -> Option<Thud> {
    let frames = rest.iter().map(Vec::len).min()?.min((LONGEST_S * sample_rate) as usize);
    let step = ((sample_rate / (POINTS * limit_hz)) as usize).max(1);
    let count = frames / step;
    if count < 3 {
        return None;
    }
    let half = (PERIODS * sample_rate / limit_hz) as usize;
    let cutoff = limit_hz / sample_rate;
    let tap = |k: usize| {
        let t = k as f64 - half as f64;
        let sinc = if t == 0.0 { 2.0 * cutoff } else { libm::sin(2.0 * PI * cutoff * t) / (PI * t) };
        sinc * (0.5 + 0.5 * libm::cos(PI * t / half as f64))
    };
    let taps: Vec<f64> = (0..=2 * half).map(tap).collect();
    let smooth = |sound: &[f64], at: usize| -> f64 {
        let inside = |k: usize| (at + k).checked_sub(half).and_then(|n| sound.get(n));
        taps.iter().enumerate().map(|(k, tap)| inside(k).map_or(0.0, |x| tap * x)).sum()
    };
    let fade = |k: usize| ((count - k) as f64 / (0.2 * count as f64)).min(1.0);
    let rows: Vec<Vec<f64>> = rest
        .iter()
        .map(|sound| (0..=count).map(|k| if k == 0 { 0.0 } else { fade(k) * smooth(sound, k * step) }).collect())
        .collect();
    let (gains, points) = super::object::product(&rows);
    let heard = gains.iter().chain(&points).all(|x| x.is_finite()) && points.iter().any(|x| *x != 0.0);
    heard.then_some(Thud { step, points, gains })
}

/// Adds the thud of a hit to a channel that begins with it.
pub fn add(hit: &Hit, channel: usize, sound: &mut [f64]) {
    if let Some(thud) = &hit.thud {
        sound.iter_mut().zip(thud.samples()).for_each(|(x, y)| *x += thud.gains[channel] * y);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_push_comes_back_and_a_high_tone_does_not() {
        let rate = 48_000.0;
        let push = |n: usize| libm::exp(-(n as f64 - 1500.0) * (n as f64 - 1500.0) / 2e5);
        let sound: Vec<f64> = (0..9600).map(|n| push(n) + libm::sin(0.3 * n as f64)).collect();
        let thud = find(&[sound.clone(), sound.iter().map(|x| -0.5 * x).collect()], 200.0, rate).unwrap();
        assert!((thud.gains[1] / thud.gains[0] + 0.5).abs() < 1e-9 && thud.points.len() < 200, "{thud:?}");
        for (n, x) in thud.samples().iter().enumerate().take(3500) {
            assert!((thud.gains[0] * x - push(n)).abs() < 0.05, "{n}");
        }
    }
}
