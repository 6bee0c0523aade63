//! Inputs of the file: their curves in steps, and which drive reads them.

use super::in_steps;
use crate::curve::Travel;
use crate::signal::{InputId, Track};
use ictus_core::Clock;
use ictus_instrument as file;
use ictus_instrument::InputKind;

/// All inputs that the file offers.
pub(super) struct Inputs {
    pub tracks: Vec<Track>,
}

impl Inputs {
    pub fn new(clock: Clock, spec: &file::Spec) -> Self {
        let track = |input: file::Input| {
            let curve = in_steps(clock, &curve(spec, input.kind));
            let per_step: Vec<_> = match input.kind {
                InputKind::Speed { .. } => curve.iter().map(|&(t, v)| (t, v * clock.dt)).collect(),
                _ => Vec::new(),
            };
            Track { travel: Travel::new(&per_step), curve, scale: 1.0, dt: clock.dt, input }
        };
        Self { tracks: spec.inputs().into_iter().map(track).collect() }
    }

    /// The input that moves `kind`, if the file offers it.
    pub fn find(&self, kind: InputKind) -> Option<InputId> {
        self.tracks.iter().position(|track| track.input.kind == kind).map(InputId)
    }

    /// Its value at time zero, in the unit of its curve.
    pub fn start(&self, id: InputId) -> f64 {
        self.tracks[id.0].at(0.0)
    }

    /// Measures an input in another unit than players do: `scale` times as large.
    pub fn measure(&mut self, id: InputId, scale: f64) {
        let track = &mut self.tracks[id.0];
        track.scale = scale;
        for (_, value) in &mut track.curve {
            *value *= scale;
        }
    }
}

/// What the file does with an input, (s, value).
fn curve(spec: &file::Spec, kind: InputKind) -> Vec<(f64, f64)> {
    match kind {
        InputKind::Normal { interaction } => spec.interactions[interaction].rub.normal.clone(),
        InputKind::Speed { interaction } => {
            let file::Interaction { law, rub, surface, .. } = &spec.interactions[interaction];
            if matches!(law, file::Law::Collision { .. }) { surface.speed.clone() } else { rub.speed.clone() }
        }
        InputKind::Position { interaction } => spec.interactions[interaction].rub.position.clone(),
        InputKind::Weight { interaction } => spec.interactions[interaction].rub.weight.clone(),
        InputKind::Lift { interaction } => spec.interactions[interaction].surface.lift.clone(),
        InputKind::BarrierLift { barrier } => spec.barriers[barrier].lift.clone(),
        InputKind::WiresLift { wires } => spec.wires[wires].lift.clone(),
        InputKind::FingerPosition { finger } => spec.fingers[finger].position.clone(),
        InputKind::FingerForce { finger } => spec.fingers[finger].force.clone(),
        InputKind::Pedal { resonator, head } => match &spec.resonators[resonator].kind {
            file::ResonatorKind::Drum(drum) => pedal(&drum.heads[head].pedal),
            _ => Vec::new(),
        },
        InputKind::Velocity { .. } | InputKind::Grip { .. } | InputKind::Force { .. } => Vec::new(),
        InputKind::TapGain { .. } | InputKind::TapPan { .. } => Vec::new(),
    }
}

/// The pitch of a head as a share of its highest.
fn pedal(pitch: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let highest = pitch.iter().map(|&(_, factor)| factor).fold(f64::MIN, f64::max);
    pitch.iter().map(|&(time, factor)| (time, factor / highest)).collect()
}
