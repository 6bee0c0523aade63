//! Inputs of the file: their curves in steps, and which drive reads them.

use super::in_steps;
use crate::curve::Travel;
use crate::modulator::{Envelope, Modulator, Shape, Wave, seed};
use crate::signal::{InputId, Signal, Signals, Track};
use ictus_core::Clock;
use ictus_instrument as file;
use ictus_instrument::{Coefficient, InputKind};

/// All inputs that the file offers.
pub(super) struct Inputs {
    pub tracks: Vec<Track>,
}

impl Inputs {
    pub fn new(clock: Clock, spec: &file::Spec) -> Self {
        let track = |input: file::Input| {
            let given = spec.given_curve(input.kind);
            let curve = in_steps(clock, &given.unwrap_or_else(|| curve(spec, input.kind)));
            let per_step: Vec<_> = match input.kind {
                InputKind::Speed { .. } | InputKind::ModulatorRate { .. } => {
                    curve.iter().map(|&(t, v)| (t, v * clock.dt)).collect()
                }
                _ => Vec::new(),
            };
            let travel = Travel::new(&per_step);
            let plain = Track {
                travel,
                curve,
                input,
                scale: 1.0,
                dt: clock.dt,
                modulators: Vec::new(),
                envelope: None,
                by_hand: false,
            };
            follow(plain, clock, spec)
        };
        let mut inputs = Self { tracks: spec.inputs().into_iter().map(track).collect() };
        for (index, known) in spec.modulators.iter().enumerate() {
            inputs.modulate(index, known, spec.seed);
        }
        inputs
    }

    /// Lets a modulator move its target.
    fn modulate(&mut self, modulator: usize, known: &file::Modulator, file_seed: u64) {
        let find = |kind| self.find(kind).expect("a modulator has its inputs");
        let turning = |shape| {
            let rate = find(InputKind::ModulatorRate { modulator });
            Wave::Turning { rate, shape, phase: known.phase }
        };
        let wave = match &known.wave {
            file::Wave::Sine => turning(Shape::Sine),
            file::Wave::Triangle => turning(Shape::Triangle),
            file::Wave::Square => turning(Shape::Square),
            file::Wave::RandomWalk { seed: own } => {
                turning(Shape::RandomWalk { seed: own.unwrap_or_else(|| seed(file_seed, &known.id)) })
            }
            file::Wave::Sequence { steps, slide } => turning(Shape::Sequence { steps: steps.clone(), slide: *slide }),
            file::Wave::Envelope(_) => Wave::Gated { gate: find(InputKind::ModulatorGate { modulator }) },
        };
        let (depth, target) = (find(InputKind::ModulatorDepth { modulator }), find(known.target));
        self.tracks[depth.0].by_hand = self.tracks[target.0].is_held_by_hand();
        self.tracks[target.0].modulators.push(Modulator { wave, depth });
    }

    /// Notes that a drive reads an input, and with it all that modulates it.
    pub fn read_by(&self, drive: usize, input: InputId, readers: &mut [Option<usize>]) {
        readers[input.0] = Some(drive);
        for modulator in &self.tracks[input.0].modulators {
            for input in modulator.inputs() {
                self.read_by(drive, input, readers);
            }
        }
    }

    /// Speeds that modulators move.
    pub fn modulated_speeds(&self) -> Vec<InputId> {
        let is_modulated =
            |track: &Track| matches!(track.input.kind, InputKind::Speed { .. }) && !track.modulators.is_empty();
        (0..self.tracks.len()).filter(|&index| is_modulated(&self.tracks[index])).map(InputId).collect()
    }

    /// True if the file itself moves it.
    pub fn is_live(&self, id: InputId) -> bool {
        let Track { curve, modulators, .. } = &self.tracks[id.0];
        !curve.is_empty() || !modulators.is_empty()
    }

    /// How far modulators move it from its base at most, as the file has them.
    pub fn reach(&self, id: InputId) -> f64 {
        let depth = |modulator: &Modulator| {
            let Track { curve, input, .. } = &self.tracks[modulator.depth.0];
            let own = curve.iter().map(|(_, depth)| depth.abs()).fold(input.start.abs(), f64::max);
            own + self.reach(modulator.depth)
        };
        self.tracks[id.0].modulators.iter().map(depth).fold(0.0, |sum, depth| sum + depth)
    }

    /// The input that moves `kind`, if the file offers it.
    pub fn find(&self, kind: InputKind) -> Option<InputId> {
        self.tracks.iter().position(|track| track.input.kind == kind).map(InputId)
    }

    /// The coefficients of a law or a body that players can change: the inputs of `kind`.
    pub fn coefficients(&self, kind: impl Fn(Coefficient) -> InputKind) -> Vec<(Coefficient, InputId)> {
        let tracks = self.tracks.iter().enumerate();
        let coefficient = |track: &Track| match track.input.kind {
            InputKind::Law { coefficient, .. } | InputKind::Body { coefficient, .. } => Some(coefficient),
            _ => None,
        };
        tracks
            .filter_map(|(index, track)| {
                let coefficient = coefficient(track).filter(|&coefficient| kind(coefficient) == track.input.kind)?;
                Some((coefficient, InputId(index)))
            })
            .collect()
    }

    /// Its value at time zero, in the unit of its curve, modulators and all.
    pub fn start(&self, id: InputId) -> f64 {
        let signals = vec![Signal::FILE; self.tracks.len()];
        Signals { tracks: &self.tracks, signals: &signals }.at(id, 0.0)
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

/// The inputs of modulators: a rate has a curve, so that it can be integrated, and a gate what follows it.
fn follow(mut track: Track, clock: Clock, spec: &file::Spec) -> Track {
    match track.input.kind {
        InputKind::ModulatorRate { .. } if track.curve.is_empty() => {
            let rate = track.input.start;
            track.curve = vec![(0.0, rate)];
            track.travel = Travel::new(&[(0.0, rate * clock.dt)]);
        }
        InputKind::ModulatorGate { modulator } => {
            let file::Wave::Envelope(known) = &spec.modulators[modulator].wave else { return track };
            if let Some(at_s) = known.at_s {
                let at = at_s / clock.dt;
                track.curve = vec![(at, 0.0), (at, 1.0)];
            }
            let [attack, decay, release] = [known.attack_s, known.decay_s, known.release_s].map(|s| s / clock.dt);
            let mut envelope = Envelope { attack, decay, sustain: known.sustain, release, moves: Vec::new() };
            envelope.follow(&track.curve);
            track.envelope = Some(envelope);
        }
        _ => {}
    }
    track
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
        InputKind::Law { .. } | InputKind::Body { .. } | InputKind::Onset { .. } => Vec::new(),
        InputKind::ModulatorRate { .. } | InputKind::ModulatorDepth { .. } | InputKind::ModulatorGate { .. } => {
            Vec::new()
        }
    }
}

/// The pitch of a head as a share of its highest.
fn pedal(pitch: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let highest = pitch.iter().map(|&(_, factor)| factor).fold(f64::MIN, f64::max);
    pitch.iter().map(|&(time, factor)| (time, factor / highest)).collect()
}
