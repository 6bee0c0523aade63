//! Onset parameters: what a gesture of the file reads from inputs when it begins.

use crate::cue::Effect;
use crate::signal::{InputId, Signals};
use crate::stroke::StrokeShape;
use ictus_core::Deflection;
use ictus_instrument as file;
use ictus_instrument::{InputKind, OnsetValue};

/// The inputs of one gesture.
#[derive(Clone, Debug, Default)]
pub(crate) struct Onset {
    inputs: Vec<(OnsetValue, InputId)>,
    /// s
    dt: f64,
}

impl Onset {
    /// Of every gesture of the file.
    pub fn all(spec: &file::Spec, dt: f64, find: impl Fn(InputKind) -> Option<InputId>) -> Vec<Self> {
        let one = |(gesture, known): (usize, &file::Gesture)| {
            let values = known.action.onsets().into_iter();
            let inputs = values.filter_map(|(value, _)| Some((value, find(InputKind::Onset { gesture, value })?)));
            Self { inputs: inputs.collect(), dt }
        };
        spec.gestures.iter().enumerate().map(one).collect()
    }

    /// The effect of the gesture with the values of its inputs at `time`, in steps: by the formulas of the compilation. `factor` is that of the amplitude in this occurrence.
    pub fn apply(&self, effect: Effect, factor: f64, signals: &Signals, time: f64) -> Effect {
        if !self.inputs.iter().any(|&(_, input)| signals.is_live(input)) {
            return effect;
        }
        let value = |wanted: OnsetValue| {
            let (_, input) = self.inputs.iter().find(|(value, _)| *value == wanted)?;
            Some(signals.at(*input, time))
        };
        match effect {
            Effect::Throw { body, velocity, position } => {
                let velocity = value(OnsetValue::Velocity).map_or(velocity, |velocity| velocity * factor);
                Effect::Throw { body, velocity, position }
            }
            Effect::Deflect { body, deflection } => {
                let moved = value(OnsetValue::Displacement).map(|displacement| displacement * factor);
                let deflection = match (deflection, moved) {
                    (Deflection::Static { port, .. }, Some(displacement)) => Deflection::Static { port, displacement },
                    (Deflection::Fundamental { .. }, Some(displacement)) => Deflection::Fundamental { displacement },
                    (other, None) => other,
                };
                Effect::Deflect { body, deflection }
            }
            Effect::Stroke { drive, mut placed } => {
                let stroke = &mut placed.stroke;
                let duration = value(OnsetValue::Duration);
                if let (StrokeShape::Pluck { steps } | StrokeShape::Strike { steps }, Some(seconds)) =
                    (&mut stroke.shape, duration)
                {
                    *steps = seconds / self.dt;
                }
                if let Some(force) = value(OnsetValue::Force) {
                    stroke.amplitude = force * factor;
                } else if let (Some(impulse), Some(seconds)) = (value(OnsetValue::Impulse), duration) {
                    // a raised cosine has half the area of its rectangle
                    stroke.amplitude = 2.0 * impulse / seconds * factor;
                }
                Effect::Stroke { drive, placed }
            }
            other => other,
        }
    }
}
