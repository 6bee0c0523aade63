//! What a bowed string plays, from how it slides under the bow.

use crate::view::{BLUE, GREEN, GREY, RED};
use ictus_analysis::plot::Rgb;

/// A way in which a string moves under a bow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Regime {
    /// One slip per period.
    Helmholtz = 0,
    /// More slips per period, in order.
    MultipleSlip = 1,
    /// No order, or not the string's period.
    Raucous = 2,
    /// Hardly moves.
    Silent = 3,
}

/// A share of the bow's speed above which the string slips; in Helmholtz motion it slips at 1/β, while ripples under a sticking bow stay below.
const SLIP: f64 = 0.7;
/// Slips per period of Helmholtz motion, and how even their distances are (standard deviation over mean).
const ONE: std::ops::Range<f64> = 0.95..1.05;
const EVEN: f64 = 0.05;
/// Likeness of one period to the next from which on it counts as periodic.
const ALIKE: f64 = 0.8;
/// Rms velocity of the string over the bow's speed below which nothing is heard.
const FAINT: f64 = 0.05;
/// A slip or stick shorter than this is ripple, samples.
const RIPPLE: usize = 2;

impl Regime {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Helmholtz, Self::MultipleSlip, Self::Raucous, Self::Silent];

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Helmholtz => "Helmholtz",
            Self::MultipleSlip => "multiple slip",
            Self::Raucous => "raucous",
            Self::Silent => "silent",
        }
    }

    pub(super) fn color(self) -> Rgb {
        match self {
            Self::Helmholtz => GREEN,
            Self::MultipleSlip => BLUE,
            Self::Raucous => RED,
            Self::Silent => GREY,
        }
    }

    /// From (sliding velocity, bow speed) of every sample; `period` is the string's, samples.
    pub fn of(slides: &[(f64, f64)], period: f64) -> Self {
        let speed = slides.iter().map(|(_, bow)| bow.abs()).sum::<f64>() / slides.len() as f64;
        let velocity: Vec<f64> = slides.iter().map(|(w, bow)| w + bow).collect();
        let mean = velocity.iter().sum::<f64>() / velocity.len() as f64;
        let rms = (velocity.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / velocity.len() as f64).sqrt();
        if rms < FAINT * speed || speed == 0.0 {
            return Self::Silent;
        }
        let starts = slips(slides);
        let periods = slides.len() as f64 / period;
        let per_period = starts.len() as f64 / periods;
        let gaps: Vec<f64> = starts.windows(2).map(|w| (w[1] - w[0]) as f64).collect();
        let gap = gaps.iter().sum::<f64>() / gaps.len().max(1) as f64;
        let spread = (gaps.iter().map(|g| (g - gap) * (g - gap)).sum::<f64>() / gaps.len().max(1) as f64).sqrt();
        if ONE.contains(&per_period) && spread < EVEN * gap {
            Self::Helmholtz
        } else if per_period > ONE.end && likeness(&velocity, mean, period) > ALIKE {
            Self::MultipleSlip
        } else {
            Self::Raucous
        }
    }
}

/// Where slips begin.
fn slips(slides: &[(f64, f64)]) -> Vec<usize> {
    let stuck: Vec<bool> = slides.iter().map(|(w, bow)| w.abs() < SLIP * bow.abs()).collect();
    let mut starts = Vec::new();
    let mut at = 0;
    let mut was_stuck = false;
    for run in stuck.chunk_by(|a, b| a == b) {
        if run.len() > RIPPLE {
            if !run[0] && was_stuck {
                starts.push(at);
            }
            was_stuck = run[0];
        }
        at += run.len();
    }
    starts
}

/// Correlation of a motion with itself about one period later.
fn likeness(values: &[f64], mean: f64, period: f64) -> f64 {
    let lags = (0.95 * period) as usize..=(1.05 * period).ceil() as usize;
    let correlation = |lag: usize| {
        let pairs = values.iter().zip(values.get(lag..).unwrap_or(&[]));
        let (mut xy, mut xx, mut yy) = (0.0, 0.0, 0.0);
        for (x, y) in pairs {
            let (x, y) = (x - mean, y - mean);
            (xy, xx, yy) = (xy + x * y, xx + x * x, yy + y * y);
        }
        if xx > 0.0 && yy > 0.0 { xy / (xx * yy).sqrt() } else { 0.0 }
    };
    lags.map(correlation).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bow at 1 m/s over a string that slips `n` times per period of 100 samples, at the times given.
    fn motion(slips: &[usize]) -> Vec<(f64, f64)> {
        (0..2000)
            .map(|i| if slips.iter().any(|s| (s..&(s + 8)).contains(&&(i % 100))) { (-5.0, 1.0) } else { (0.0, 1.0) })
            .collect()
    }

    #[test]
    fn motions_are_told_apart() {
        assert_eq!(Regime::of(&motion(&[10]), 100.0), Regime::Helmholtz);
        assert_eq!(Regime::of(&motion(&[10, 50]), 100.0), Regime::MultipleSlip);
        assert_eq!(Regime::of(&vec![(-1.0, 1.0); 2000], 100.0), Regime::Silent);
        let mut uneven = motion(&[10]);
        uneven.iter_mut().enumerate().filter(|(i, _)| (i / 130) % 2 == 0).for_each(|(_, x)| x.0 = 0.0);
        assert_eq!(Regime::of(&uneven, 100.0), Regime::Raucous);
    }
}
