//! Strikes: short force pulses.

use super::{Gestures, Occurrence};
use crate::stroke::{Stroke, StrokeShape};
use ictus_instrument::{PortRef, Strike};

impl Gestures<'_> {
    pub(super) fn strike(&mut self, once: Occurrence, port: PortRef, duration_s: f64, amount: Strike) {
        let peak = match amount {
            Strike::ForceN(force) => force,
            // a raised cosine has half the area of its rectangle
            Strike::ImpulseNS(impulse) => 2.0 * impulse / duration_s,
        };
        let shape = StrokeShape::Strike { steps: self.steps(duration_s) };
        self.forces.add(port, once, Stroke { start: once.start, amplitude: peak * once.factor, shape });
    }
}
