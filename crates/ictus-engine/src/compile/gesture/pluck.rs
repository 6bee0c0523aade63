//! Plucks, by displacement or by force.

use super::{Gestures, Occurrence, SetAction};
use crate::stroke::{Stroke, StrokeShape};
use ictus_core::Deflection;
use ictus_instrument::{Pluck, PortRef, Shape};

impl Gestures<'_> {
    pub(super) fn pluck(&mut self, once: Occurrence, port: PortRef, how: &Pluck) {
        match how {
            Pluck::Displacement { displacement_m, shape } => {
                let displacement = displacement_m * once.factor;
                let deflection = match shape {
                    Shape::Static => Deflection::Static { port: port.port, displacement },
                    Shape::Sine => Deflection::Fundamental { displacement },
                };
                self.set(once, once.start, port.resonator, SetAction::Deflect(deflection));
            }
            Pluck::Force { force_n, duration_s } => {
                let shape = StrokeShape::Pluck { steps: self.steps(*duration_s) };
                let stroke = Stroke { start: once.start, amplitude: force_n * once.factor, shape };
                self.forces.add(port, once, stroke);
            }
        }
    }
}
