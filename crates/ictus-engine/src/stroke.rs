//! Strokes: forces on a port that begin and end by themselves.

use crate::curve::{add_interpolated, interpolate};
use ictus_core::{BodyId, Damage, Persist, Source};

/// One stroke of force, N, from `start` (in steps, with fraction).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Stroke {
    pub start: f64,
    pub amplitude: f64,
    pub shape: StrokeShape,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum StrokeShape {
    /// Grows as half a raised cosine over `steps` and lets go. [Bilbao, Numerical Sound Synthesis]
    Pluck { steps: f64 },
    /// A whole raised cosine over `steps`.
    Strike { steps: f64 },
    /// A curve of the patch, by its index: straight lines between points (steps after the start, factor); holds its last value.
    Curve { index: usize },
}

/// A stroke and the port it acts on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PlacedStroke {
    pub stroke: Stroke,
    pub body: BodyId,
    pub port: usize,
}

ictus_core::persist!(PlacedStroke { stroke, body, port });
ictus_core::persist!(Stroke { start, amplitude, shape });

/// A kind, and a number.
impl Persist for StrokeShape {
    fn write(&self, out: &mut Vec<u8>) {
        let (kind, bits) = match *self {
            Self::Pluck { steps } => (0u32, steps.to_bits()),
            Self::Strike { steps } => (1, steps.to_bits()),
            Self::Curve { index } => (2, index as u64),
        };
        kind.write(out);
        bits.write(out);
    }

    fn read(&mut self, from: &mut Source) -> Result<(), Damage> {
        let kind = u32::from_le_bytes(from.take()?);
        let bits = from.number()?;
        *self = match kind {
            0 => Self::Pluck { steps: f64::from_bits(bits) },
            1 => Self::Strike { steps: f64::from_bits(bits) },
            2 => Self::Curve { index: usize::try_from(bits).map_err(|_| Damage::Mismatch)? },
            _ => return Err(Damage::Mismatch),
        };
        Ok(())
    }
}

impl Default for StrokeShape {
    fn default() -> Self {
        Self::Pluck { steps: 0.0 }
    }
}

/// Curves of force, each a list of (steps, factor).
pub(crate) type Curves = Vec<Vec<(f64, f64)>>;

impl Stroke {
    /// When it is over, in steps.
    pub fn end(&self, curves: &Curves) -> f64 {
        match self.shape {
            StrokeShape::Pluck { steps } | StrokeShape::Strike { steps } => self.start + steps,
            StrokeShape::Curve { index } => match curves[index].last() {
                Some(&(last, 0.0)) => self.start + last,
                _ => f64::INFINITY,
            },
        }
    }

    /// True if it keeps the value it has at `time` for ever.
    pub fn is_held_from(&self, curves: &Curves, time: f64) -> bool {
        match self.shape {
            StrokeShape::Curve { index } => curves[index].last().is_none_or(|&(last, _)| time - self.start >= last),
            StrokeShape::Pluck { .. } | StrokeShape::Strike { .. } => false,
        }
    }

    /// The force at `time`, N.
    pub fn value(&self, curves: &Curves, time: f64) -> f64 {
        let t = time - self.start;
        let raised = |phase: f64| 0.5 * (1.0 - libm::cos(std::f64::consts::PI * phase));
        self.amplitude
            * match self.shape {
                StrokeShape::Pluck { steps } if (0.0..steps).contains(&t) => raised(t / steps),
                StrokeShape::Strike { steps } if (0.0..steps).contains(&t) => raised(2.0 * t / steps),
                StrokeShape::Curve { index } => interpolate(&curves[index], t),
                _ => 0.0,
            }
    }

    /// Adds its force at the times `first`, `first + 1` … to `sums`: the numbers of [`value`](Self::value).
    pub fn add_to(&self, curves: &Curves, first: f64, sums: &mut [f64]) {
        if let StrokeShape::Curve { index } = self.shape {
            return add_interpolated(&curves[index], self.amplitude, (first, self.start), sums);
        }
        for (n, sum) in sums.iter_mut().enumerate() {
            *sum += self.value(curves, first + n as f64);
        }
    }

    /// The first step in which it acts: the first whose forces act at or after the start.
    pub fn first_step(&self, phase: f64) -> u64 {
        let begun = |step: u64| self.start <= step as f64 + phase;
        let near = (self.start - phase).ceil().max(0.0) as u64;
        // the subtraction may round to either side
        let around = [near.saturating_sub(1), near];
        around.into_iter().find(|&step| begun(step)).unwrap_or(near.saturating_add(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strokes_have_their_shapes() {
        let curves = vec![vec![(1.0, 0.0), (3.0, 1.0)]];
        let near = |stroke: &Stroke, t: f64, expected: f64| {
            let value = stroke.value(&curves, t);
            assert!((value - expected).abs() < 1e-15, "{stroke:?} at {t}: {value}, expected {expected}");
        };
        let pluck = Stroke { start: 10.0, amplitude: 2.0, shape: StrokeShape::Pluck { steps: 4.0 } };
        for (t, x) in [(9.0, 0.0), (10.0, 0.0), (12.0, 1.0), (14.0, 0.0)] {
            near(&pluck, t, x);
        }
        let strike = Stroke { start: 0.0, amplitude: 2.0, shape: StrokeShape::Strike { steps: 4.0 } };
        for (t, x) in [(0.0, 0.0), (2.0, 2.0), (4.0, 0.0)] {
            near(&strike, t, x);
        }
        let held = Stroke { start: 0.0, amplitude: 3.0, shape: StrokeShape::Curve { index: 0 } };
        for (t, x) in [(0.0, 0.0), (1.0, 0.0), (2.0, 1.5), (3.0, 3.0), (99.0, 3.0)] {
            near(&held, t, x);
        }
        assert_eq!(held.end(&curves), f64::INFINITY);
    }

    #[test]
    fn a_stroke_begins_in_the_first_step_whose_forces_act_after_its_start() {
        for (start, phase, first) in [(0.0, 0.5, 0), (0.4, 0.5, 0), (0.6, 0.5, 1), (3.0, 0.0, 3), (3.1, 0.0, 4)] {
            let stroke = Stroke { start, amplitude: 1.0, shape: StrokeShape::Strike { steps: 4.0 } };
            assert_eq!(stroke.first_step(phase), first, "{start} {phase}");
        }
    }
}
