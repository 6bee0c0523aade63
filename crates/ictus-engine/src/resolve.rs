//! Events to cues: ids are checked, seconds become steps, absurd values are refused.

use crate::cue::{Cue, Effect};
use crate::event::{Action, Event, PortId};
use crate::patch::{Compiled, Port};
use crate::stroke::{PlacedStroke, Stroke, StrokeShape};

/// Why an event cannot act.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Refusal {
    /// It names what does not exist.
    Impossible,
    /// A value is not finite or beyond any hand.
    OutOfRange,
}

// Beyond these no hand goes, and numbers stay far from overflow.
const FASTEST_M_S: f64 = 1e3;
const FARTHEST_M: f64 = 1e3;
const STRONGEST_N: f64 = 1e5;
const LONGEST_S: f64 = 3600.0;

/// The cue of an event at frame `frame` of the voice's clock.
pub(crate) fn cue(patch: &Compiled, frame: u64, event: &Event) -> Result<Cue, Refusal> {
    let per_frame = f64::from(patch.oversampling);
    let fraction = if (0.0..1.0).contains(&event.at.fraction) { event.at.fraction } else { 0.0 };
    let start = (frame as f64 + fraction) * per_frame;
    let at = At { patch, first: frame.saturating_mul(u64::from(patch.oversampling)), start };
    match event.action {
        Action::Throw { port, velocity_m_s, position_m } => {
            within(velocity_m_s, FASTEST_M_S)?;
            within(position_m.unwrap_or(0.0), FARTHEST_M)?;
            let body = at.port(port)?.body;
            Ok(at.nearest(Effect::Throw { body, velocity: velocity_m_s, position: position_m }))
        }
        Action::Strike { port, impulse_n_s, duration_s } => {
            let steps = at.duration(duration_s)?;
            // a raised cosine has half the area of its rectangle
            at.stroke(port, 2.0 * impulse_n_s / duration_s, StrokeShape::Strike { steps })
        }
        Action::Pluck { port, force_n, duration_s } => {
            let steps = at.duration(duration_s)?;
            at.stroke(port, force_n, StrokeShape::Pluck { steps })
        }
        Action::Input { input, value, ramp_s } => {
            let track = patch.tracks.get(input.index()).ok_or(Refusal::Impossible)?;
            let (low, high) = track.input.limits;
            let ramp_s = ramp_s.unwrap_or(track.input.ramp_s);
            if !(low..=high).contains(&value) || !(0.0..=LONGEST_S).contains(&ramp_s) {
                return Err(Refusal::OutOfRange);
            }
            let effect = Effect::Input { input, value, start, ramp: patch.steps(ramp_s) };
            Ok(Cue::new(start.floor() as u64, effect))
        }
        Action::Knob { knob, position, ramp_s } => {
            if !patch.knobs.get(knob).ok_or(Refusal::Impossible)?.is_live() {
                return Err(Refusal::Impossible);
            }
            if !(0.0..=1.0).contains(&position) || !ramp_s.is_none_or(|ramp| (0.0..=LONGEST_S).contains(&ramp)) {
                return Err(Refusal::OutOfRange);
            }
            let effect = Effect::Knob { knob, position, start, ramp: ramp_s.map(|ramp| patch.steps(ramp)) };
            Ok(Cue::new(start.floor() as u64, effect))
        }
        Action::AllOff => Ok(at.frame(Effect::AllOff)),
        Action::Reset => Ok(at.frame(Effect::Reset)),
        Action::Save { slot } => Ok(at.frame(Effect::Save { slot })),
        Action::Restore { slot } => Ok(at.frame(Effect::Restore { slot })),
    }
}

fn within(value: f64, limit: f64) -> Result<(), Refusal> {
    if value.abs() <= limit { Ok(()) } else { Err(Refusal::OutOfRange) }
}

/// Where and when an event acts.
struct At<'a> {
    patch: &'a Compiled,
    /// The first step of its frame.
    first: u64,
    /// In steps.
    start: f64,
}

impl At<'_> {
    fn port(&self, port: PortId) -> Result<&Port, Refusal> {
        self.patch.ports.get(port.index()).ok_or(Refusal::Impossible)
    }

    /// At the beginning of the frame.
    fn frame(&self, effect: Effect) -> Cue {
        Cue::new(self.first, effect)
    }

    /// Before the nearest step.
    fn nearest(&self, effect: Effect) -> Cue {
        Cue::new(self.start.round() as u64, effect)
    }

    /// Seconds in steps, for strokes.
    fn duration(&self, duration_s: f64) -> Result<f64, Refusal> {
        let usable = duration_s > 0.0 && duration_s <= LONGEST_S;
        if usable { Ok(self.patch.steps(duration_s)) } else { Err(Refusal::OutOfRange) }
    }

    fn stroke(&self, port: PortId, amplitude: f64, shape: StrokeShape) -> Result<Cue, Refusal> {
        within(amplitude, STRONGEST_N)?;
        let &Port { body, port, drive, touchable, .. } = self.port(port)?;
        if !touchable {
            return Err(Refusal::Impossible);
        }
        let stroke = Stroke { start: self.start, amplitude, shape };
        let placed = PlacedStroke { stroke, body, port };
        Ok(Cue::new(stroke.first_step(self.patch.phase), Effect::Stroke { drive, placed }))
    }
}
