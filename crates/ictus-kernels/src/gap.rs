//! Gaps of open contacts over the steps of a block.

use crate::dispatch::kernel;
use crate::lanes::are_between;

/// An open gap to integrate.
#[derive(Clone, Copy, Debug)]
pub struct Followed {
    /// Gap after the last step, m.
    pub now: f64,
    /// Gap one step earlier, m.
    pub before: f64,
    /// Change per step at unit velocity, s.
    pub span: f64,
    /// Whether a step starts from `now` (true) or from `before`.
    pub from_now: bool,
    /// Largest gap in range, m.
    pub max_gap: f64,
}

kernel! {
    /// Approach velocities: the signed sum of both ends' velocities.
    pub fn approach_velocities(ends: [&[f64]; 2], signs: [f64; 2], approach: &mut [f64]) {
        let ([one, other], [sign, other_sign]) = (ends, signs);
        for ((approach, one), other) in approach.iter_mut().zip(one).zip(other) {
            *approach = sign * one + other_sign * other;
        }
    }
}

kernel! {
    /// Integrates the gap over the block from its `approach` velocities, m/s. True if it stays open and in range at every step.
    pub fn follow(gap: Followed, approach: &[f64], gaps: &mut [f64]) -> bool {
        let Followed { mut now, mut before, span, from_now, max_gap } = gap;
        for (end, approach) in gaps.iter_mut().zip(approach) {
            *end = if from_now { now } else { before } + span * approach;
            (before, now) = (now, *end);
        }
        are_between(gaps, -max_gap, 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Level, force};

    #[test]
    fn a_gap_is_integrated_alike_on_every_level() {
        let free = [1.0, 2.0].map(|scale| (0..13).map(|i| scale * (f64::from(i) - 5.5)).collect::<Vec<_>>());
        for level in [Level::Baseline, Level::Avx2, Level::Avx512] {
            force(level);
            let mut approach = [0.0; 13];
            approach_velocities([&free[0], &free[1]], [-1.0, 1.0], &mut approach);
            assert!(approach.iter().zip(&free[0]).all(|(approach, one)| approach == one), "{level:?}");
            for from_now in [true, false] {
                let gap = Followed { now: -3.0, before: -4.0, span: 0.25, from_now, max_gap: 100.0 };
                let (mut gaps, mut now, mut before) = ([0.0; 13], -3.0, -4.0);
                let mut apart = true;
                for n in 1..13 {
                    let stays_open = follow(gap, &approach[..n], &mut gaps[..n]);
                    let end = if from_now { now } else { before } + 0.25 * approach[n - 1];
                    (before, now) = (now, end);
                    apart &= end < 0.0;
                    assert_eq!((gaps[n - 1], stays_open), (end, apart), "{n} steps, {level:?}");
                }
                assert!(!follow(Followed { max_gap: 3.5, ..gap }, &approach[..2], &mut gaps[..2]));
            }
            let gap = Followed { now: f64::NAN, before: f64::NAN, span: 0.25, from_now: true, max_gap: 100.0 };
            assert!(!follow(gap, &[0.0], &mut [0.0]));
        }
    }
}
