//! Cues: what happens at a step, resolved to numbers of the model. The gestures of the file and the events of a player become the same cues.

use crate::signal::InputId;
use crate::stroke::PlacedStroke;
use ictus_core::{BodyId, Deflection};
use std::collections::VecDeque;

/// An effect and the step before which it happens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cue {
    pub step: u64,
    pub effect: Effect,
    /// The gesture of the file that it plays, if that reads inputs when it begins.
    pub onset: Option<CuedOnset>,
}

impl Cue {
    pub fn new(step: u64, effect: Effect) -> Self {
        Self { step, effect, onset: None }
    }
}

/// One occurrence of a gesture of the file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CuedOnset {
    /// Index of the gesture.
    pub gesture: usize,
    /// Of its amplitude.
    pub factor: f64,
}

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Effect {
    Throw {
        body: BodyId,
        velocity: f64,
        position: Option<f64>,
    },
    Deflect {
        body: BodyId,
        deflection: Deflection,
    },
    /// A stroke that the drive of that index plays.
    Stroke {
        drive: usize,
        placed: PlacedStroke,
    },
    /// An input goes to a value from `start` on, within `ramp`, both in steps.
    Input {
        input: InputId,
        value: f64,
        start: f64,
        ramp: f64,
    },
    /// The inputs of a knob go to its position from `start` on, within `ramp` steps or the time of each.
    Knob {
        knob: usize,
        position: f64,
        start: f64,
        ramp: Option<f64>,
    },
    AllOff,
    Reset,
    Save {
        slot: usize,
    },
    Restore {
        slot: usize,
    },
}

impl Effect {
    /// Moves its times by a number of steps.
    fn shift(&mut self, steps: f64) {
        match self {
            Self::Stroke { placed, .. } => placed.stroke.start += steps,
            Self::Input { start, .. } | Self::Knob { start, .. } => *start += steps,
            _ => {}
        }
    }
}

/// Cues that wait for their step, in order of time; of the same step, in order of arrival.
#[derive(Debug)]
pub(crate) struct Queue {
    /// With their number in the order of arrival.
    cues: VecDeque<(u64, Cue)>,
    most: usize,
    arrivals: u64,
}

/// What became of a cue that was given to a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Insertion {
    /// Its number in the order of arrival, from 1 on; none if it found the queue full.
    pub arrival: Option<u64>,
    /// The number of the cue that had to go for it.
    pub dropped: Option<u64>,
}

impl Insertion {
    /// A cue was lost.
    pub fn overflowed(self) -> bool {
        self.arrival.is_none() || self.dropped.is_some()
    }
}

/// A clone has space for as many cues.
impl Clone for Queue {
    fn clone(&self) -> Self {
        let mut clone = Self { arrivals: self.arrivals, ..Self::new(self.most) };
        clone.cues.extend(&self.cues);
        clone
    }
}

impl Queue {
    /// With space for `most` cues.
    pub fn new(most: usize) -> Self {
        Self { cues: VecDeque::with_capacity(most), most, arrivals: 0 }
    }

    /// Makes space for `more` cues beyond those that wait. Allocates.
    pub fn reserve(&mut self, more: usize) {
        self.most = self.most.max(self.cues.len() + more);
        self.cues.reserve(self.most - self.cues.len());
    }

    /// Adds a cue behind those of the same step. A full queue drops the cue that is due last, so that a queue filled with cues of the
    /// far future still accepts one that stops the sound now.
    pub fn insert(&mut self, cue: Cue) -> Insertion {
        let mut dropped = None;
        if self.cues.len() >= self.most {
            match self.cues.back() {
                Some((number, last)) if last.step > cue.step => dropped = Some(*number),
                _ => return Insertion { arrival: None, dropped },
            }
            self.cues.pop_back();
        }
        self.arrivals += 1;
        let numbered = (self.arrivals, cue);
        match self.cues.back() {
            Some((_, last)) if last.step > cue.step => {
                let place = self.cues.partition_point(|(_, other)| other.step <= cue.step);
                self.cues.insert(place, numbered);
            }
            _ => self.cues.push_back(numbered),
        }
        Insertion { arrival: Some(self.arrivals), dropped }
    }

    /// The step of the next cue.
    pub fn next_step(&self) -> u64 {
        self.cues.front().map_or(u64::MAX, |(_, cue)| cue.step)
    }

    /// Takes the next cue if its step has come, with its number in the order of arrival.
    pub fn take(&mut self, step: u64) -> Option<(u64, Cue)> {
        if self.next_step() > step { None } else { self.cues.pop_front() }
    }

    /// The clock jumps from step `from` to step `to`; what waits stays as far ahead.
    pub fn rebase(&mut self, from: u64, to: u64) {
        for (_, cue) in &mut self.cues {
            cue.step = to.saturating_add(cue.step.saturating_sub(from));
            cue.effect.shift(to as f64 - from as f64);
        }
    }

    /// Drops the cues that arrived before the one of that number.
    pub fn drop_before(&mut self, arrival: u64) {
        self.cues.retain(|(number, _)| *number > arrival);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cues_wait_in_order_of_time_then_of_arrival() {
        let mut queue = Queue::new(4);
        for (step, slot) in [(5, 0), (3, 1), (5, 2), (3, 3)] {
            assert!(!queue.insert(Cue::new(step, Effect::Save { slot })).overflowed());
        }
        let lost = Insertion { arrival: None, dropped: None };
        assert_eq!(queue.insert(Cue::new(5, Effect::Reset)), lost, "it is full");
        assert_eq!(queue.take(2), None);
        assert_eq!(queue.next_step(), 3);
        let slots: Vec<usize> = std::iter::from_fn(|| queue.take(9))
            .map(|(_, cue)| match cue.effect {
                Effect::Save { slot } => slot,
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(slots, [1, 3, 0, 2]);
        assert_eq!(queue.next_step(), u64::MAX);
    }

    #[test]
    fn what_is_due_last_leaves_a_full_queue() {
        let mut queue = Queue::new(2);
        assert!(!queue.insert(Cue::new(u64::MAX, Effect::AllOff)).overflowed());
        assert!(!queue.insert(Cue::new(9, Effect::AllOff)).overflowed());
        let instead = Insertion { arrival: Some(3), dropped: Some(1) };
        assert_eq!(queue.insert(Cue::new(3, Effect::Reset)), instead, "another one is lost");
        assert_eq!(queue.take(9), Some((3, Cue::new(3, Effect::Reset))));
        assert_eq!(queue.take(9), Some((2, Cue::new(9, Effect::AllOff))));
        assert_eq!(queue.take(u64::MAX), None);
    }
}
