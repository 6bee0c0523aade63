//! Watches of open contacts: find the step of a block in which they would have closed.

use super::BlockBody;
use crate::clock::{Clock, Scheme};
use crate::interaction::Gap;
use crate::step::HUGE;
use ictus_kernels::gap::{Followed, approach_velocities, follow};

/// An open contact that may close.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    pub contact: usize,
    /// Body, index among its free-velocity ports, sign.
    ends: [Option<(usize, usize, f64)>; 2],
    /// Approach velocity in each step, m/s.
    approach: Vec<f64>,
    /// The gap after each step, m.
    gaps: Vec<f64>,
}

impl Watch {
    pub fn new(contact: usize, ends: [Option<(usize, usize, f64)>; 2]) -> Self {
        Self { contact, ends, approach: Vec::new(), gaps: Vec::new() }
    }

    /// Allocates for blocks of at most `steps` steps.
    pub fn reserve(&mut self, steps: usize) {
        for buffer in [&mut self.approach, &mut self.gaps] {
            buffer.resize(steps, 0.0);
        }
    }

    /// Number of steps before the first in which the contact would close from `gap`, at most `steps`.
    pub fn open_steps(&mut self, clock: Clock, bodies: &[BlockBody], gap: Gap, steps: usize) -> usize {
        self.find_approach(bodies, steps);
        let Gap { now, before } = gap;
        let from_now = clock.scheme == Scheme::Midpoint;
        let gaps = &mut self.gaps[..steps];
        let gap = Followed { now, before, span: clock.span(), from_now, max_gap: HUGE };
        // in most blocks the gap stays open
        if follow(gap, &self.approach[..steps], gaps) {
            return steps;
        }
        gaps.iter().position(|&end| !is_open(end)).unwrap_or(steps)
    }

    /// Computes the approach velocities.
    fn find_approach(&mut self, bodies: &[BlockBody], steps: usize) {
        let approach = &mut self.approach[..steps];
        // common case: both bodies are touched at one port
        if let [Some((one, _, sign)), Some((other, _, other_sign))] = self.ends
            && [one, other].iter().all(|&body| bodies[body].recorded == 1)
        {
            return approach_velocities(
                [one, other].map(|body| &bodies[body].free[..steps]),
                [sign, other_sign],
                approach,
            );
        }
        for (i, &(body, index, sign)) in self.ends.iter().flatten().enumerate() {
            let BlockBody { free, recorded, .. } = &bodies[body];
            let add = |(approach, free): (&mut f64, &f64)| {
                *approach = if i == 0 { sign * free } else { *approach + sign * free };
            };
            approach.iter_mut().zip(free[index..].iter().step_by(*recorded)).for_each(add);
        }
    }

    /// The gap after the first `steps` steps.
    pub fn gap_after(&self, gap: Gap, steps: usize) -> Gap {
        match self.gaps[..steps] {
            [] => gap,
            [now] => Gap { now, before: gap.now },
            [.., before, now] => Gap { now, before },
        }
    }

    /// Approach velocity in step `n`, m/s.
    pub fn approach(&self, n: usize) -> f64 {
        self.approach[n]
    }
}

/// Same condition as [`Gap::passes_by`].
fn is_open(end: f64) -> bool {
    (end < 0.0) & (end > -HUGE)
}
