//! Contacts that are apart, looked at after a block: where would they have closed?

use super::Listened;
use crate::clock::{Clock, Frame};
use crate::interaction::Gap;
use crate::step::HUGE;
use ictus_kernels::gap::{Followed, approach, follow};

/// A contact that may close.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    pub joint: usize,
    /// Body, place among its watched ports, sign.
    ends: [Option<(usize, usize, f64)>; 2],
    /// Velocity at which it closes in each step, m/s.
    closing: Vec<f64>,
    /// The gap after each step, m.
    gaps: Vec<f64>,
}

impl Watch {
    pub fn new(joint: usize, ends: [Option<(usize, usize, f64)>; 2]) -> Self {
        Self { joint, ends, closing: Vec::new(), gaps: Vec::new() }
    }

    /// For blocks of at most so many steps.
    pub fn make_room(&mut self, steps: usize) {
        for noted in [&mut self.closing, &mut self.gaps] {
            noted.resize(steps, 0.0);
        }
    }

    /// Steps before the first in which it would close from `gap`, at most `steps`.
    pub fn look(&mut self, clock: Clock, bodies: &[Listened], gap: Gap, steps: usize) -> usize {
        self.approach(bodies, steps);
        let Gap { now, before } = gap;
        let from_now = clock.frame == Frame::Midpoint;
        let gaps = &mut self.gaps[..steps];
        let gap = Followed { now, before, span: clock.span(), from_now, most: HUGE };
        // most blocks have none
        if follow(gap, &self.closing[..steps], gaps) {
            return steps;
        }
        gaps.iter().position(|&end| !is_apart(end)).unwrap_or(steps)
    }

    /// Finds how its ends approach each other.
    fn approach(&mut self, bodies: &[Listened], steps: usize) {
        let closing = &mut self.closing[..steps];
        // most bodies are touched at one port
        if let [Some((one, _, sign)), Some((other, _, other_sign))] = self.ends
            && [one, other].iter().all(|&body| bodies[body].seen == 1)
        {
            return approach([one, other].map(|body| &bodies[body].free[..steps]), [sign, other_sign], closing);
        }
        for (i, &(body, place, sign)) in self.ends.iter().flatten().enumerate() {
            let Listened { free, seen, .. } = &bodies[body];
            let add = |(closing, free): (&mut f64, &f64)| {
                *closing = if i == 0 { sign * free } else { *closing + sign * free };
            };
            closing.iter_mut().zip(free[place..].iter().step_by(*seen)).for_each(add);
        }
    }

    /// Where `gap` is after so many of the steps.
    pub fn gap_after(&self, gap: Gap, steps: usize) -> Gap {
        match self.gaps[..steps] {
            [] => gap,
            [now] => Gap { now, before: gap.now },
            [.., before, now] => Gap { now, before },
        }
    }

    /// Velocity at which it closes in step `n`, m/s.
    pub fn closing(&self, n: usize) -> f64 {
        self.closing[n]
    }
}

/// As [`Gap::passes_by`] has it.
fn is_apart(end: f64) -> bool {
    (end < 0.0) & (end > -HUGE)
}
