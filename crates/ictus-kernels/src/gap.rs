//! Gaps of contacts that are apart, over the steps of a block.

use crate::dispatch::kernel;
use crate::lanes::are_between;

/// A gap that is followed.
#[derive(Clone, Copy, Debug)]
pub struct Followed {
    /// Where it is, m.
    pub now: f64,
    /// Where it was a step earlier, m.
    pub before: f64,
    /// How far a step leads at unit velocity, s.
    pub span: f64,
    /// From where it leads: from now, or from before.
    pub from_now: bool,
    /// How far apart it may be.
    pub most: f64,
}

kernel! {
    /// How two ends approach each other: the sum of both, each with its sign.
    pub fn approach(ends: [&[f64]; 2], signs: [f64; 2], closing: &mut [f64]) {
        let ([one, other], [sign, other_sign]) = (ends, signs);
        for ((closing, one), other) in closing.iter_mut().zip(one).zip(other) {
            *closing = sign * one + other_sign * other;
        }
    }
}

kernel! {
    /// The gap after each step, which it closes by as much as `closing` says. True if it stays apart all the time, and in reach.
    pub fn follow(gap: Followed, closing: &[f64], gaps: &mut [f64]) -> bool {
        let Followed { mut now, mut before, span, from_now, most } = gap;
        for (end, closing) in gaps.iter_mut().zip(closing) {
            *end = if from_now { now } else { before } + span * closing;
            (before, now) = (now, *end);
        }
        are_between(gaps, -most, 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Level, force};

    #[test]
    fn a_gap_is_followed_alike_on_every_level() {
        let free = [1.0, 2.0].map(|scale| (0..13).map(|i| scale * (f64::from(i) - 5.5)).collect::<Vec<_>>());
        for level in [Level::Baseline, Level::Avx2, Level::Avx512] {
            force(level);
            let mut closing = [0.0; 13];
            approach([&free[0], &free[1]], [-1.0, 1.0], &mut closing);
            assert!(closing.iter().zip(&free[0]).all(|(closing, one)| closing == one), "{level:?}");
            for from_now in [true, false] {
                let gap = Followed { now: -3.0, before: -4.0, span: 0.25, from_now, most: 100.0 };
                let (mut gaps, mut now, mut before) = ([0.0; 13], -3.0, -4.0);
                let mut apart = true;
                for n in 1..13 {
                    let stays = follow(gap, &closing[..n], &mut gaps[..n]);
                    let end = if from_now { now } else { before } + 0.25 * closing[n - 1];
                    (before, now) = (now, end);
                    apart &= end < 0.0;
                    assert_eq!((gaps[n - 1], stays), (end, apart), "{n} steps, {level:?}");
                }
                assert!(!follow(Followed { most: 3.5, ..gap }, &closing[..2], &mut gaps[..2]));
            }
            let gap = Followed { now: f64::NAN, before: f64::NAN, span: 0.25, from_now: true, most: 100.0 };
            assert!(!follow(gap, &[0.0], &mut [0.0]));
        }
    }
}
