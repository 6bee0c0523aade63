//! Inputs over time: the curve of the file until an event takes the input over, then ramps. That is the base; modulators add to it.
//!
//! A ramp is linear and a pure function of the time in steps, so that steps and blocks read the same values and it ends exactly. So are modulators. Only the
//! way at a modulated speed is a sum, of one term per step.

use crate::curve::{Travel, held, still_until};
use crate::modulator::{Envelope, GateMove, Modulator, OPEN, Wave};
use ictus_instrument as file;

/// An input of a patch, by its place in [`Patch::inputs`](crate::Patch::inputs).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InputId(pub(crate) usize);

/// The constant half of an input: what it is, and what the file does with it.
#[derive(Clone, Debug)]
pub(crate) struct Track {
    pub input: file::Input,
    /// (steps, value)
    pub curve: Vec<(f64, f64)>,
    /// The integral of the curve over time, for speeds that carry something along.
    pub travel: Travel,
    /// What a value of the input is multiplied by to get that of the curve: the length of the string for a fraction of it.
    pub scale: f64,
    /// s
    pub dt: f64,
    /// What moves it besides.
    pub modulators: Vec<Modulator>,
    /// Of the gate of an envelope: what follows it.
    pub envelope: Option<Envelope>,
    /// Of the depth of a modulator: it moves what a hand holds.
    pub by_hand: bool,
}

impl Track {
    /// What the file does with it, in the unit of the curve; without modulators.
    pub fn at(&self, time: f64) -> f64 {
        if self.curve.is_empty() { self.scale * self.input.start } else { held(&self.curve, time) }
    }

    /// How long a change takes by default, in steps.
    pub fn ramp_steps(&self) -> f64 {
        self.input.ramp_s / self.dt
    }

    /// True for gain and pan of a tap.
    pub fn is_of_tap(&self) -> bool {
        matches!(self.input.kind, file::InputKind::TapGain { .. } | file::InputKind::TapPan { .. })
    }

    /// True for what a hand presses, pulls or moves, and lets go.
    pub fn is_held_by_hand(&self) -> bool {
        use file::InputKind as Kind;
        match self.input.kind {
            Kind::Normal { .. } | Kind::Speed { .. } | Kind::Weight { .. } | Kind::FingerForce { .. } => true,
            Kind::Force { .. } | Kind::Velocity { .. } | Kind::Grip { .. } => true,
            Kind::Position { .. } | Kind::Lift { .. } | Kind::BarrierLift { .. } | Kind::WiresLift { .. } => false,
            Kind::Law { .. } | Kind::Body { .. } | Kind::Onset { .. } => false,
            Kind::FingerPosition { .. } | Kind::Pedal { .. } | Kind::TapGain { .. } | Kind::TapPan { .. } => false,
            Kind::ModulatorRate { .. } => false,
            Kind::ModulatorDepth { .. } => self.by_hand,
            Kind::ModulatorGate { .. } => true,
        }
    }
}

/// The changing half of an input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Signal {
    /// The ramp that an event asked for; none while the file plays the input.
    ramp: Option<Ramp>,
    /// The integral over time up to the start of the ramp; of a gate, the value of its envelope there.
    travelled: f64,
    /// The integral over time of what modulators add, up to `added_to`, in steps; of speeds only.
    added: f64,
    added_to: f64,
}

ictus_core::persist!(Signal { ramp, travelled, added, added_to });

/// A straight line from one value to another, held before and after.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Ramp {
    start: f64, // steps
    steps: f64,
    from: f64,
    to: f64,
}

ictus_core::persist!(Ramp { start, steps, from, to });

impl Ramp {
    pub fn new(start: f64, steps: f64, from: f64, to: f64) -> Self {
        Self { start, steps, from, to }
    }

    pub fn at(&self, time: f64) -> f64 {
        let elapsed = time - self.start;
        if elapsed >= self.steps {
            self.to
        } else if elapsed <= 0.0 {
            self.from
        } else {
            self.from + (self.to - self.from) * (elapsed / self.steps)
        }
    }

    /// Integral from the start on, in steps times value.
    fn integral(&self, time: f64) -> f64 {
        let elapsed = time - self.start;
        if elapsed <= 0.0 {
            return self.from * elapsed;
        }
        let within = elapsed.min(self.steps);
        0.5 * (self.from + self.at(self.start + within)) * within + self.to * (elapsed - within)
    }
}

/// All inputs of a patch as a voice plays them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Signals<'a> {
    pub tracks: &'a [Track],
    pub signals: &'a [Signal],
}

impl Signals<'_> {
    /// Value of an input at `time`, in steps.
    #[inline]
    pub fn at(&self, id: InputId, time: f64) -> f64 {
        self.modulated(id, self.base(id, time), time)
    }

    /// What modulators make of a base at `time`.
    #[inline]
    pub fn modulated(&self, id: InputId, base: f64, time: f64) -> f64 {
        if self.tracks[id.0].modulators.is_empty() { base } else { self.add_modulators(id, base, time) }
    }

    fn add_modulators(&self, id: InputId, base: f64, time: f64) -> f64 {
        let Track { modulators, scale, input, .. } = &self.tracks[id.0];
        let add =
            |sum: f64, modulator: &Modulator| sum + scale * self.at(modulator.depth, time) * self.wave(modulator, time);
        let sum = modulators.iter().fold(base, add);
        let (low, high) = input.limits;
        sum.clamp(scale * low, scale * high)
    }

    fn wave(&self, modulator: &Modulator, time: f64) -> f64 {
        match &modulator.wave {
            Wave::Turning { rate, shape, phase } => shape.at(phase + self.base_travel(*rate, time)),
            Wave::Gated { gate } => self.tracks[gate.0].envelope.as_ref().map_or(0.0, |envelope| {
                self.gate_move(envelope, *gate, time).map_or(0.0, |last| envelope.after(&last, time))
            }),
        }
    }

    /// What a gate did last before `time`.
    fn gate_move(&self, envelope: &Envelope, gate: InputId, time: f64) -> Option<GateMove> {
        let signal = &self.signals[gate.0];
        match signal.ramp {
            None => envelope.last_move(time),
            Some(ramp) => Some(GateMove { time: ramp.start, opens: ramp.to >= OPEN, from: signal.travelled }),
        }
    }

    /// Its value without modulators.
    fn base(&self, id: InputId, time: f64) -> f64 {
        match &self.signals[id.0].ramp {
            None => self.tracks[id.0].at(time),
            Some(ramp) => ramp.at(time),
        }
    }

    /// The time until which the input keeps the value it has at `time`.
    pub fn still_until(&self, id: InputId, time: f64) -> f64 {
        let base = self.base_still_until(id, time);
        let modulators = self.tracks[id.0].modulators.iter();
        modulators.fold(base, |until, modulator| until.min(self.modulator_still_until(modulator, time)))
    }

    fn base_still_until(&self, id: InputId, time: f64) -> f64 {
        match &self.signals[id.0].ramp {
            None => still_until(&self.tracks[id.0].curve, time),
            Some(ramp) if ramp.at(time) == ramp.to && time >= ramp.start => f64::INFINITY,
            Some(_) => time,
        }
    }

    fn modulator_still_until(&self, modulator: &Modulator, time: f64) -> f64 {
        let until = self.still_until(modulator.depth, time);
        let idle = self.at(modulator.depth, time) == 0.0;
        if idle || until <= time { until } else { until.min(self.wave_still_until(modulator, time)) }
    }

    fn wave_still_until(&self, modulator: &Modulator, time: f64) -> f64 {
        match &modulator.wave {
            Wave::Turning { rate, shape, phase } => {
                let (speed, until) = (self.base(*rate, time), self.base_still_until(*rate, time));
                if speed == 0.0 || until <= time {
                    return until;
                }
                let turns = phase + self.base_travel(*rate, time);
                let left = (shape.still_until(turns) - turns) / (speed * self.tracks[rate.0].dt);
                // the phase is rounded: a step early
                until.min((time + left - 1.0).floor()).max(time)
            }
            Wave::Gated { gate } => self.tracks[gate.0].envelope.as_ref().map_or(f64::INFINITY, |envelope| {
                let by_file = !self.is_taken_over(*gate);
                let next = if by_file { envelope.next_move(time) } else { f64::INFINITY };
                let last = self.gate_move(envelope, *gate, time);
                last.map_or(next, |last| next.min(envelope.still_until(&last, time)))
            }),
        }
    }

    /// Integral of an input over time (s times its unit) up to `time`, in steps. Of a modulated one within the step to come or the one before.
    pub fn travel(&self, id: InputId, time: f64) -> f64 {
        let base = self.base_travel(id, time);
        if self.tracks[id.0].modulators.is_empty() {
            return base;
        }
        let &Signal { added, added_to, .. } = &self.signals[id.0];
        base + (added + (time - added_to) * self.added_in(id, added_to))
    }

    fn base_travel(&self, id: InputId, time: f64) -> f64 {
        let (track, signal) = (&self.tracks[id.0], &self.signals[id.0]);
        match &signal.ramp {
            None => track.travel.at(time),
            Some(ramp) => signal.travelled + track.dt * ramp.integral(time),
        }
    }

    /// The integral of what modulators add in the step that begins at `step`: by its middle.
    fn added_in(&self, id: InputId, step: f64) -> f64 {
        let middle = step + 0.5;
        let base = self.base(id, middle);
        self.tracks[id.0].dt * (self.modulated(id, base, middle) - base)
    }

    /// The time until which that integral keeps the value it has at `time`.
    pub fn travel_still_until(&self, id: InputId, time: f64) -> f64 {
        match &self.signals[id.0].ramp {
            // a sum that goes on in every step
            _ if !self.tracks[id.0].modulators.is_empty() => time,
            None => self.tracks[id.0].travel.still_until(time),
            Some(ramp) if ramp.to == 0.0 && time >= ramp.start + ramp.steps => f64::INFINITY,
            Some(_) => time,
        }
    }

    /// True once an event has taken the input over from the file.
    pub fn is_taken_over(&self, id: InputId) -> bool {
        self.signals[id.0].ramp.is_some()
    }

    /// True if anything may have moved it from where the file starts it: a curve, an event, a modulator.
    pub fn is_live(&self, id: InputId) -> bool {
        let Track { curve, modulators, .. } = &self.tracks[id.0];
        self.is_taken_over(id) || !curve.is_empty() || !modulators.is_empty()
    }
}

impl Signal {
    /// As the file plays it.
    pub const FILE: Self = Self { ramp: None, travelled: 0.0, added: 0.0, added_to: 0.0 };

    /// Where an event has moved it or is moving it.
    pub fn target(&self) -> Option<f64> {
        self.ramp.map(|ramp| ramp.to)
    }
}

/// Moves the base of an input to `value` within `steps` from `start` on, both in steps. A gate jumps.
pub(crate) fn set(tracks: &[Track], signals: &mut [Signal], id: InputId, (start, steps): (f64, f64), value: f64) {
    let now = Signals { tracks, signals };
    let from = now.base(id, start);
    let (ramp, travelled) = match &tracks[id.0].envelope {
        None => (Ramp { start, steps, from, to: value }, now.base_travel(id, start)),
        Some(envelope) => {
            let last = now.gate_move(envelope, id, start);
            let opens = value >= OPEN;
            let GateMove { time, from: level, .. } = match last {
                // it goes on as it was
                Some(last) if last.opens == opens => last,
                last => {
                    let level = last.map_or(0.0, |last| envelope.after(&last, start));
                    GateMove { time: start, opens, from: level }
                }
            };
            (Ramp { start: time, steps: 0.0, from, to: value }, level)
        }
    };
    signals[id.0] = Signal { ramp: Some(ramp), travelled, ..signals[id.0] };
}

/// Adds up what modulators add to a speed in the step that begins at `step`.
pub(crate) fn accumulate(tracks: &[Track], signals: &mut [Signal], id: InputId, step: u64) {
    let added = Signals { tracks, signals }.added_in(id, step as f64);
    let signal = &mut signals[id.0];
    (signal.added, signal.added_to) = (signal.added + added, step as f64 + 1.0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use ictus_instrument::InputKind;

    fn track(curve: Vec<(f64, f64)>) -> Track {
        let input = file::Input {
            id: "speed".into(),
            path: "bow.speed_m_s".into(),
            kind: InputKind::Speed { interaction: 0 },
            unit: "m/s",
            range: (-1.0, 1.0),
            limits: (-1e6, 1e6),
            ramp_s: 0.0,
            start: 0.0,
        };
        let travel = Travel::new(&curve);
        Track { input, curve, travel, scale: 1.0, dt: 1.0, modulators: Vec::new(), envelope: None, by_hand: false }
    }

    #[test]
    fn an_event_takes_over_where_the_file_was_and_ends_exactly() {
        let tracks = [track(vec![(0.0, 0.0), (10.0, 1.0)])];
        let mut signals = [Signal::FILE];
        let id = InputId(0);
        set(&tracks, &mut signals, id, (5.0, 10.0), 3.0);
        let now = Signals { tracks: &tracks, signals: &signals };
        for (t, value) in [(4.0, 0.5), (5.0, 0.5), (10.0, 1.75), (15.0, 3.0), (99.0, 3.0)] {
            assert_eq!(now.at(id, t), value, "at {t}");
        }
        assert_eq!(now.still_until(id, 7.0), 7.0);
        assert_eq!(now.still_until(id, 15.0), f64::INFINITY);
        // 1.25 of the file's curve, 17.5 of the ramp, then 3 a step
        for (t, place) in [(5.0, 1.25), (15.0, 18.75), (16.0, 21.75)] {
            assert!((now.travel(id, t) - place).abs() < 1e-12, "at {t}");
        }
    }

    #[test]
    fn a_jump_acts_from_its_time_on() {
        let tracks = [track(Vec::new())];
        let mut signals = [Signal::FILE];
        set(&tracks, &mut signals, InputId(0), (5.0, 0.0), 2.0);
        let now = Signals { tracks: &tracks, signals: &signals };
        assert_eq!([4.9, 5.0, 5.1].map(|t| now.at(InputId(0), t)), [0.0, 2.0, 2.0]);
    }

    /// A speed that a sine moves, with its rate and depth.
    fn modulated(rate: f64, depth: f64) -> Vec<Track> {
        let mut speed = track(vec![(0.0, 0.5)]);
        let shape = crate::modulator::Shape::Sine;
        speed
            .modulators
            .push(Modulator { wave: Wave::Turning { rate: InputId(1), shape, phase: 0.0 }, depth: InputId(2) });
        vec![speed, track(vec![(0.0, rate)]), track(vec![(0.0, depth)])]
    }

    #[test]
    fn a_modulator_adds_to_the_base_and_stays_within_the_limits() {
        let mut tracks = modulated(0.001, 0.25);
        let mut signals = [Signal::FILE; 3];
        let at = |tracks: &[Track], signals: &[Signal], t: f64| Signals { tracks, signals }.at(InputId(0), t);
        for (t, value) in [(0.0, 0.5), (250.0, 0.75), (500.0, 0.5), (750.0, 0.25), (1250.0, 0.75)] {
            assert!((at(&tracks, &signals, t) - value).abs() < 1e-12, "at {t}");
        }
        // an event moves the base, and the modulator goes on
        set(&tracks, &mut signals, InputId(0), (1000.0, 0.0), 2.0);
        assert!((at(&tracks, &signals, 1250.0) - 2.25).abs() < 1e-12);
        tracks[0].input.limits = (-1.0, 2.125);
        assert_eq!(at(&tracks, &signals, 1250.0), 2.125);
        let now = Signals { tracks: &tracks, signals: &signals };
        assert_eq!((now.still_until(InputId(0), 7.0), now.is_live(InputId(0))), (7.0, true));
    }

    #[test]
    fn the_phase_does_not_jump_when_the_rate_does() {
        let tracks = modulated(0.001, 1.0);
        let mut signals = [Signal::FILE; 3];
        let at = |signals: &[Signal], t: f64| Signals { tracks: &tracks, signals }.at(InputId(0), t);
        let before = at(&signals, 300.0);
        set(&tracks, &mut signals, InputId(1), (300.0, 0.0), 0.01);
        assert!((at(&signals, 300.0) - before).abs() < 1e-12);
        // 0.3 turns so far, then 0.2 within 20 steps
        assert!((at(&signals, 320.0) - 0.5).abs() < 1e-12);
        // slower along a ramp, to a stop: half of the ramp's time at the former rate
        set(&tracks, &mut signals, InputId(1), (320.0, 100.0), 0.0);
        // half a turn more: a whole one
        for t in [420.0, 421.0, 9999.0] {
            assert!((at(&signals, t) - 0.5).abs() < 1e-12, "at {t}");
        }
        let now = Signals { tracks: &tracks, signals: &signals };
        assert_eq!(now.still_until(InputId(0), 420.0), f64::INFINITY);
        // without depth it stands still too
        set(&tracks, &mut signals, InputId(1), (500.0, 0.0), 0.01);
        set(&tracks, &mut signals, InputId(2), (500.0, 0.0), 0.0);
        let now = Signals { tracks: &tracks, signals: &signals };
        assert_eq!((now.at(InputId(0), 555.0), now.still_until(InputId(0), 555.0)), (0.5, f64::INFINITY));
    }

    #[test]
    fn the_way_at_a_modulated_speed_is_its_integral() {
        let (tracks, mut signals) = (modulated(0.003, 0.25), [Signal::FILE; 3]);
        let id = InputId(0);
        for step in 0..1000 {
            let now = Signals { tracks: &tracks, signals: &signals };
            for t in [0.0, 0.5, 1.0].map(|part| f64::from(step) + part) {
                let turn = std::f64::consts::TAU * 0.003;
                let way = 0.5 * t + 0.25 * (1.0 - libm::cos(turn * t)) / turn;
                // the midpoint rule is of second order
                assert!((now.travel(id, t) - way).abs() < 1e-3, "at {t}: {} and {way}", now.travel(id, t));
            }
            let end = now.travel(id, f64::from(step) + 1.0);
            accumulate(&tracks, &mut signals, id, step as u64);
            let now = Signals { tracks: &tracks, signals: &signals };
            assert!((now.travel(id, f64::from(step) + 1.0) - end).abs() < 1e-12);
        }
        assert_eq!(Signals { tracks: &tracks, signals: &signals }.travel_still_until(id, 5.0), 5.0);
    }

    #[test]
    fn a_square_is_asked_again_before_it_jumps() {
        let mut tracks = modulated(0.01, 1.0);
        tracks[0].modulators[0].wave =
            Wave::Turning { rate: InputId(1), shape: crate::modulator::Shape::Square, phase: 0.0 };
        let signals = [Signal::FILE; 3];
        let now = Signals { tracks: &tracks, signals: &signals };
        let mut t = 0.0;
        let mut asked = 0;
        while t < 1000.0 {
            let until = now.still_until(InputId(0), t);
            let value = now.at(InputId(0), t);
            let mut next = t + 1.0;
            while next < until {
                assert_eq!(now.at(InputId(0), next), value, "{next} after {t}");
                next += 1.0;
            }
            (t, asked) = (next, asked + 1);
        }
        assert!((20..80).contains(&asked), "{asked}");
    }

    #[test]
    fn a_gate_opens_an_envelope_at_the_value_that_it_has() {
        let mut tracks = modulated(0.01, 1.0);
        tracks[0].modulators[0].wave = Wave::Gated { gate: InputId(1) };
        tracks[1] = track(Vec::new());
        tracks[1].envelope =
            Some(Envelope { attack: 10.0, decay: 0.0, sustain: 1.0, release: 20.0, moves: Vec::new() });
        let mut signals = [Signal::FILE; 3];
        let at = |signals: &[Signal], t: f64| Signals { tracks: &tracks, signals }.at(InputId(0), t) - 0.5;
        let gate = |signals: &mut [Signal], t: f64, value: f64| set(&tracks, signals, InputId(1), (t, 7.0), value);
        assert_eq!(at(&signals, 5.0), 0.0);
        gate(&mut signals, 100.0, 1.0);
        assert_eq!([100.0, 105.0, 110.0, 500.0].map(|t| at(&signals, t)), [0.0, 0.5, 1.0, 1.0]);
        // open already: nothing begins anew
        gate(&mut signals, 105.0, 0.75);
        assert_eq!(at(&signals, 105.0), 0.5);
        gate(&mut signals, 105.0, 0.0);
        assert_eq!([105.0, 115.0, 125.0, 500.0].map(|t| at(&signals, t)), [0.5, 0.25, 0.0, 0.0]);
        gate(&mut signals, 115.0, 1.0);
        assert_eq!([115.0, 125.0].map(|t| at(&signals, t)), [0.25, 1.0]);
        let now = Signals { tracks: &tracks, signals: &signals };
        assert_eq!([120.0, 125.0].map(|t| now.still_until(InputId(0), t)), [120.0, f64::INFINITY]);
    }
}
