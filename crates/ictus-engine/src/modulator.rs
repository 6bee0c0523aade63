//! Waves of modulators: functions of a phase in turns, and envelopes, functions of the time since their gate moved.
//!
//! All of them are pure functions, so that steps and blocks read the same values. The phase is the integral of the rate, so it does not jump when the rate does.

use crate::signal::{InputId, Ramp};
use std::f64::consts::TAU;

/// What moves an input beside its own curve and events.
#[derive(Clone, Debug)]
pub(crate) struct Modulator {
    pub wave: Wave,
    /// What the wave is multiplied by, in the unit of the input that it moves.
    pub depth: InputId,
}

#[derive(Clone, Debug)]
pub(crate) enum Wave {
    /// Goes on at a rate.
    Turning {
        /// Hz
        rate: InputId,
        shape: Shape,
        /// Where it begins, in turns.
        phase: f64,
    },
    /// Follows a gate.
    Gated { gate: InputId },
}

impl Modulator {
    /// The inputs that it reads.
    pub fn inputs(&self) -> [InputId; 2] {
        match self.wave {
            Wave::Turning { rate, .. } => [self.depth, rate],
            Wave::Gated { gate } => [self.depth, gate],
        }
    }
}

/// A value for every phase.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Sine,
    Triangle,
    Square,
    /// Smooth between the random values of whole turns.
    RandomWalk {
        seed: u64,
    },
    /// Values that share a turn; each is reached from the one before within a share of its time.
    Sequence {
        steps: Vec<f64>,
        slide: f64,
    },
}

impl Shape {
    /// Value at a phase, in turns: −1 to 1, of a sequence 0 to 1.
    pub fn at(&self, turns: f64) -> f64 {
        let whole = turns.floor();
        let part = turns - whole;
        match self {
            Self::Sine => {
                // folded, so that quarters of a turn are exact
                let folded = match part {
                    p if p <= 0.25 => p,
                    p if p <= 0.75 => 0.5 - p,
                    p => p - 1.0,
                };
                libm::sin(TAU * folded)
            }
            Self::Triangle => match part {
                p if p <= 0.25 => 4.0 * p,
                p if p <= 0.75 => 2.0 - 4.0 * p,
                p => 4.0 * p - 4.0,
            },
            Self::Square => {
                if part < 0.5 {
                    1.0
                } else {
                    -1.0
                }
            }
            Self::RandomWalk { seed } => {
                let [from, to] = [whole, whole + 1.0].map(|turn| random(*seed, turn));
                from + (to - from) * (part * part * (3.0 - 2.0 * part))
            }
            Self::Sequence { steps, slide } => {
                let (index, within) = step(steps, part);
                let (before, value) = around(steps, index);
                if within < *slide { before + (value - before) * (within / slide) } else { value }
            }
        }
    }

    /// The phase until which it keeps the value that it has at `turns`; `turns` itself where it moves.
    pub fn still_until(&self, turns: f64) -> f64 {
        let whole = turns.floor();
        match self {
            Self::Sine | Self::Triangle | Self::RandomWalk { .. } => turns,
            Self::Square => 0.5 * ((2.0 * turns).floor() + 1.0),
            Self::Sequence { steps, slide } => {
                let (index, within) = step(steps, turns - whole);
                let (before, value) = around(steps, index);
                let slides = within < *slide && before != value;
                if slides { turns } else { whole + (index + 1) as f64 / steps.len() as f64 }
            }
        }
    }
}

/// Index of the step at a part of a turn, and how far it has gone.
fn step(steps: &[f64], part: f64) -> (usize, f64) {
    let place = part * steps.len() as f64;
    let index = (place as usize).min(steps.len() - 1);
    (index, place - index as f64)
}

/// The value before that of a step, and its own.
fn around(steps: &[f64], index: usize) -> (f64, f64) {
    let before = index.checked_sub(1).unwrap_or(steps.len() - 1);
    (steps[before], steps[index])
}

/// A number from −1 to 1 for every whole turn.
fn random(seed: u64, turn: f64) -> f64 {
    // SplitMix64 (Steele, Lea and Flood 2014): any of its numbers without those before
    let mut bits = seed.wrapping_add((turn as i64 as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^= bits >> 31;
    // 53 bits, as many as a number has
    (bits >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// The walk of a file's seed for the modulator of that id.
pub(crate) fn seed(file: u64, id: &str) -> u64 {
    let fnv = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    id.bytes().fold(0xcbf2_9ce4_8422_2325 ^ file, fnv)
}

/// A gate that is open from this value on.
pub(crate) const OPEN: f64 = 0.5;

/// The stages of an envelope, straight lines; in steps.
#[derive(Clone, Debug)]
pub(crate) struct Envelope {
    pub attack: f64,
    pub decay: f64,
    /// Share of the top.
    pub sustain: f64,
    pub release: f64,
    /// When the file opens and closes the gate.
    pub moves: Vec<GateMove>,
}

/// A gate that opens or closes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct GateMove {
    pub time: f64, // steps
    pub opens: bool,
    /// Value of the envelope at that time.
    pub from: f64,
}

impl Envelope {
    /// Finds when `gate` (steps, value) opens and closes.
    pub fn follow(&mut self, gate: &[(f64, f64)]) {
        let mut add = |time: f64, opens: bool| {
            let from = self.moves.last().map_or(0.0, |last| self.after(last, time));
            self.moves.push(GateMove { time, opens, from });
        };
        if gate.first().is_some_and(|&(_, value)| value >= OPEN) {
            add(0.0, true);
        }
        for pair in gate.windows(2) {
            let ((t0, a), (t1, b)) = (pair[0], pair[1]);
            if (a >= OPEN) != (b >= OPEN) {
                add(t0 + (t1 - t0) * ((OPEN - a) / (b - a)), b >= OPEN);
            }
        }
    }

    /// What the file did with the gate last before `time`.
    pub fn last_move(&self, time: f64) -> Option<GateMove> {
        let next = self.moves.partition_point(|known| known.time <= time);
        next.checked_sub(1).map(|index| self.moves[index])
    }

    /// When the file moves the gate next.
    pub fn next_move(&self, time: f64) -> f64 {
        let next = self.moves.partition_point(|known| known.time <= time);
        self.moves.get(next).map_or(f64::INFINITY, |known| known.time)
    }

    /// Value at `time`, 0 to 1, once the gate has moved.
    pub fn after(&self, last: &GateMove, time: f64) -> f64 {
        let &GateMove { time: start, opens, from } = last;
        if !opens {
            return Ramp::new(start, self.release, from, 0.0).at(time);
        }
        let top = start + self.attack;
        if time < top {
            Ramp::new(start, self.attack, from, 1.0).at(time)
        } else {
            Ramp::new(top, self.decay, 1.0, self.sustain).at(time)
        }
    }

    /// The time until which it keeps the value of `time`, if the gate is left alone.
    pub fn still_until(&self, last: &GateMove, time: f64) -> f64 {
        let stages = if last.opens { self.attack + self.decay } else { self.release };
        if time >= last.time + stages { f64::INFINITY } else { time }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quarters_of_a_turn_are_exact() {
        let at = |shape: Shape| [0.0, 0.25, 0.5, 0.75, 1.0, -0.25, 1e6 + 0.25].map(|turns| shape.at(turns));
        assert_eq!(at(Shape::Sine), [0.0, 1.0, 0.0, -1.0, 0.0, -1.0, 1.0]);
        assert_eq!(at(Shape::Triangle), [0.0, 1.0, 0.0, -1.0, 0.0, -1.0, 1.0]);
        assert_eq!(at(Shape::Square), [1.0, 1.0, -1.0, -1.0, 1.0, -1.0, 1.0]);
        assert_eq!(Shape::Triangle.at(0.125), 0.5);
        assert!((Shape::Sine.at(1.0 / 12.0) - 0.5).abs() < 1e-15);
    }

    #[test]
    fn a_sequence_jumps_or_slides() {
        let jumps = Shape::Sequence { steps: vec![0.0, 1.0, 0.25, 0.25], slide: 0.0 };
        assert_eq!([0.0, 0.2, 0.25, 0.49, 0.5, 0.99, 1.3].map(|t| jumps.at(t)), [0.0, 0.0, 1.0, 1.0, 0.25, 0.25, 1.0]);
        assert_eq!([0.1, 0.25, 3.5].map(|t| jumps.still_until(t)), [0.25, 0.5, 3.75]);
        let slides = Shape::Sequence { steps: vec![0.0, 1.0, 0.25, 0.25], slide: 0.5 };
        assert_eq!([0.25, 0.3125, 0.375, 0.49].map(|t| slides.at(t)), [0.0, 0.5, 1.0, 1.0]);
        // the last two are equal, so that nothing slides between them
        assert_eq!([0.26, 0.375, 0.76].map(|t| slides.still_until(t)), [0.26, 0.5, 1.0]);
        let one = Shape::Sequence { steps: vec![0.5], slide: 1.0 };
        assert_eq!((one.at(0.3), one.still_until(0.3)), (0.5, 1.0));
    }

    #[test]
    fn a_walk_is_smooth_and_stays_within_its_ends() {
        let (walk, other) = (Shape::RandomWalk { seed: seed(1, "a") }, Shape::RandomWalk { seed: seed(1, "b") });
        let points: Vec<f64> = (0..20_000).map(|n| walk.at(0.01 * f64::from(n) - 100.0)).collect();
        assert!(points.iter().all(|x| (-1.0..=1.0).contains(x)));
        // the slope of 3x² − 2x³ is 1.5 at most, over a difference of 2
        assert!(points.windows(2).all(|pair| (pair[1] - pair[0]).abs() <= 0.0301));
        let mean = points.iter().sum::<f64>() / points.len() as f64;
        let spread = (points.iter().map(|x| x * x).sum::<f64>() / points.len() as f64).sqrt();
        assert!(mean.abs() < 0.2 && (0.4..0.7).contains(&spread), "{mean} {spread}");
        assert_ne!(walk.at(3.5), other.at(3.5));
        assert_eq!(walk.at(7.0), random(seed(1, "a"), 7.0));
    }

    #[test]
    fn stages_of_an_envelope_end_exactly() {
        let mut envelope = Envelope { attack: 10.0, decay: 20.0, sustain: 0.5, release: 8.0, moves: Vec::new() };
        // opens at 100, closes at 105 in the middle of the attack, opens again while it falls
        envelope.follow(&[(100.0, 0.0), (100.0, 1.0), (105.0, 1.0), (105.0, 0.0), (106.0, 0.0), (110.0, 1.0)]);
        assert_eq!(
            envelope.moves.iter().map(|m| (m.time, m.opens)).collect::<Vec<_>>(),
            [(100.0, true), (105.0, false), (108.0, true)]
        );
        let at = |time: f64| envelope.last_move(time).map_or(0.0, |last| envelope.after(&last, time));
        let values = [50.0, 100.0, 105.0, 107.0, 108.0, 113.0, 118.0, 128.0, 138.0, 999.0].map(at);
        assert_eq!(values, [0.0, 0.0, 0.5, 0.375, 0.3125, 0.65625, 1.0, 0.75, 0.5, 0.5]);
        assert_eq!(envelope.next_move(50.0), 100.0);
        let last = envelope.last_move(999.0).expect("open");
        assert_eq!([130.0, 138.0].map(|time| envelope.still_until(&last, time)), [130.0, f64::INFINITY]);
    }
}
