//! Inputs over time: the curve of the file until an event takes the input over, then ramps.
//!
//! A ramp is linear and a pure function of the time in steps, so that steps and blocks read the same values and it ends exactly.

use crate::curve::{Travel, held, still_until};
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
}

impl Track {
    /// What the file does with it, in the unit of the curve.
    pub fn at(&self, time: f64) -> f64 {
        if self.curve.is_empty() { self.scale * self.input.start } else { held(&self.curve, time) }
    }

    /// How long a change takes by default, in steps.
    pub fn ramp_steps(&self) -> f64 {
        self.input.ramp_s / self.dt
    }

    /// True for what a hand presses, pulls or moves, and lets go.
    pub fn is_held_by_hand(&self) -> bool {
        use file::InputKind as Kind;
        match self.input.kind {
            Kind::Normal { .. } | Kind::Speed { .. } | Kind::Weight { .. } | Kind::FingerForce { .. } => true,
            Kind::Force { .. } | Kind::Velocity { .. } | Kind::Grip { .. } => true,
            Kind::Position { .. } | Kind::Lift { .. } | Kind::BarrierLift { .. } | Kind::WiresLift { .. } => false,
            Kind::FingerPosition { .. } | Kind::Pedal { .. } | Kind::TapGain { .. } | Kind::TapPan { .. } => false,
        }
    }
}

/// The changing half of an input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Signal {
    /// The ramp that an event asked for; none while the file plays the input.
    ramp: Option<Ramp>,
    /// The integral over time up to the start of the ramp.
    travelled: f64,
}

ictus_core::persist!(Signal { ramp, travelled });

/// A straight line from one value to another, held before and after.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Ramp {
    start: f64, // steps
    steps: f64,
    from: f64,
    to: f64,
}

ictus_core::persist!(Ramp { start, steps, from, to });

impl Ramp {
    fn at(&self, time: f64) -> f64 {
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
    pub fn at(&self, id: InputId, time: f64) -> f64 {
        match &self.signals[id.0].ramp {
            None => self.tracks[id.0].at(time),
            Some(ramp) => ramp.at(time),
        }
    }

    /// The time until which the input keeps the value it has at `time`.
    pub fn still_until(&self, id: InputId, time: f64) -> f64 {
        match &self.signals[id.0].ramp {
            None => still_until(&self.tracks[id.0].curve, time),
            Some(ramp) if ramp.at(time) == ramp.to && time >= ramp.start => f64::INFINITY,
            Some(_) => time,
        }
    }

    /// Integral of an input over time (s times its unit) up to `time`, in steps.
    pub fn travel(&self, id: InputId, time: f64) -> f64 {
        let (track, signal) = (&self.tracks[id.0], &self.signals[id.0]);
        match &signal.ramp {
            None => track.travel.at(time),
            Some(ramp) => signal.travelled + track.dt * ramp.integral(time),
        }
    }

    /// The time until which that integral keeps the value it has at `time`.
    pub fn travel_still_until(&self, id: InputId, time: f64) -> f64 {
        match &self.signals[id.0].ramp {
            None => self.tracks[id.0].travel.still_until(time),
            Some(ramp) if ramp.to == 0.0 && time >= ramp.start + ramp.steps => f64::INFINITY,
            Some(_) => time,
        }
    }

    /// True once an event has taken the input over from the file.
    pub fn is_taken_over(&self, id: InputId) -> bool {
        self.signals[id.0].ramp.is_some()
    }
}

impl Signal {
    /// As the file plays it.
    pub const FILE: Self = Self { ramp: None, travelled: 0.0 };

    /// Where an event has moved it or is moving it.
    pub fn target(&self) -> Option<f64> {
        self.ramp.map(|ramp| ramp.to)
    }
}

/// Moves an input to `value` within `steps` from `start` on, both in steps.
pub(crate) fn set(tracks: &[Track], signals: &mut [Signal], id: InputId, (start, steps): (f64, f64), value: f64) {
    let now = Signals { tracks, signals };
    let (from, travelled) = (now.at(id, start), now.travel(id, start));
    signals[id.0] = Signal { ramp: Some(Ramp { start, steps, from, to: value }), travelled };
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
        Track { input, curve, travel, scale: 1.0, dt: 1.0 }
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
}
