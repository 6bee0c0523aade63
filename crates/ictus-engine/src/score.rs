//! What the player does, on the time axis of the simulation: impulses of state, forces and imposed velocities.
//!
//! Everything is a function of the step number, so any block length gives the same performance.

mod hold;
mod pedal;
mod rub;
mod surface;

pub(crate) use hold::HoldDrive;
pub(crate) use pedal::PedalDrive;
pub(crate) use rub::{Grain, Noise, RubDrive, Shift};
pub(crate) use surface::{Ground, SurfaceDrive, Travel};

use ictus_core::{BodyId, Coast, ContactId, Deflection, Model, State};

/// All gestures of an instrument, compiled.
#[derive(Clone, Debug, Default)]
pub(crate) struct Score {
    /// Sorted by step.
    pub settings: Vec<Setting>,
    pub forces: Vec<ForceDrive>,
    pub velocities: Vec<VelocityDrive>,
    pub gaps: Vec<GapDrive>,
    pub surfaces: Vec<SurfaceDrive>,
    pub rubs: Vec<RubDrive>,
    pub holds: Vec<HoldDrive>,
    pub pedals: Vec<PedalDrive>,
}

/// A change of state at the beginning of a step.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    pub step: u64,
    pub body: BodyId,
    pub action: SetAction,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum SetAction {
    Throw { velocity: f64, position: Option<f64> },
    Deflect(Deflection),
}

/// The force on one port: a constant and any number of strokes.
#[derive(Clone, Debug)]
pub(crate) struct ForceDrive {
    pub contact: ContactId,
    pub constant: f64, // N
    /// Sorted by start.
    pub strokes: Vec<Stroke>,
}

impl ForceDrive {
    /// With these strokes under way, N.
    fn force(&self, active: &[usize], time: f64) -> f64 {
        active.iter().fold(self.constant, |force, &i| force + self.strokes[i].value(time))
    }
}

/// One stroke of force, N, from `start` (in steps, with fraction).
#[derive(Clone, Debug)]
pub(crate) struct Stroke {
    pub start: f64,
    pub amplitude: f64,
    pub shape: StrokeShape,
}

#[derive(Clone, Debug)]
pub(crate) enum StrokeShape {
    /// Grows as half a raised cosine over `steps` and lets go. [Bilbao, Numerical Sound Synthesis]
    Pluck { steps: f64 },
    /// A whole raised cosine over `steps`.
    Strike { steps: f64 },
    /// Straight lines between points (steps after the start, factor); holds its last value.
    Curve { points: Vec<(f64, f64)> },
}

impl Stroke {
    fn end(&self) -> f64 {
        match &self.shape {
            StrokeShape::Pluck { steps } | StrokeShape::Strike { steps } => self.start + steps,
            StrokeShape::Curve { points } => match points.last() {
                Some(&(last, 0.0)) => self.start + last,
                _ => f64::INFINITY,
            },
        }
    }

    fn value(&self, time: f64) -> f64 {
        let t = time - self.start;
        let raised = |phase: f64| 0.5 * (1.0 - libm::cos(std::f64::consts::PI * phase));
        self.amplitude
            * match &self.shape {
                StrokeShape::Pluck { steps } if (0.0..*steps).contains(&t) => raised(t / steps),
                StrokeShape::Strike { steps } if (0.0..*steps).contains(&t) => raised(2.0 * t / steps),
                StrokeShape::Curve { points } => interpolate(points, t),
                _ => 0.0,
            }
    }
}

/// The velocity of one port, during windows that do not overlap.
#[derive(Clone, Debug)]
pub(crate) struct VelocityDrive {
    pub contact: ContactId,
    /// Sorted by start.
    pub windows: Vec<Window>,
}

/// Gaps that move together along a curve.
#[derive(Clone, Debug)]
pub(crate) struct GapDrive {
    /// Contact and its own place: the gap at rest (m) for a shift, the position along the string (m) for a pass.
    pub contacts: Vec<(ContactId, f64)>,
    /// (steps, m)
    pub curve: Vec<(f64, f64)>,
    pub motion: GapMotion,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum GapMotion {
    /// The whole row moves by the curve, towards or away from the string.
    Shift { sign: f64 },
    /// A round tip passes along the string, its centre on the curve.
    Pass { height: f64, radius: f64 },
}

impl GapDrive {
    /// Moves the gaps to where they are at the end of step `step`, if they move in it at all.
    fn play(&self, model: &Model, state: &mut State, step: u64) {
        let now = held(&self.curve, step as f64);
        let next = held(&self.curve, step as f64 + 1.0);
        if now == next {
            return;
        }
        for &(contact, place) in &self.contacts {
            let gap = match self.motion {
                GapMotion::Shift { sign } => place + sign * next,
                GapMotion::Pass { height, radius } => height + (place - next) * (place - next) / (2.0 * radius),
            };
            state.set_gap(model, contact, gap);
        }
    }
}

/// Straight lines between points, held before the first and after the last; 0 for no points.
pub(crate) fn held(points: &[(f64, f64)], t: f64) -> f64 {
    match points.first() {
        Some(&(start, value)) if t < start => value,
        _ => interpolate(points, t),
    }
}

/// The time until which a curve, [held](held) at its ends, keeps the value it has at `t`.
pub(crate) fn still_until(points: &[(f64, f64)], t: f64) -> f64 {
    let next = points.partition_point(|&(time, _)| time <= t);
    let Some(&(time, value)) = points.get(next) else { return f64::INFINITY };
    if next == 0 || points[next - 1].1 == value { time } else { t }
}

/// Steps `start..end` during which a velocity is imposed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Window {
    pub start: u64,
    pub end: u64,
    /// (steps after `origin`, m/s)
    pub points: Vec<(f64, f64)>,
    pub origin: f64,
}

/// Straight lines between points, 0 before the first, the last value after the last.
fn interpolate(points: &[(f64, f64)], t: f64) -> f64 {
    let next = points.partition_point(|&(time, _)| time <= t);
    match (next.checked_sub(1).map(|i| points[i]), points.get(next)) {
        (None, _) => 0.0,
        (Some((_, value)), None) => value,
        (Some((t0, a)), Some(&(t1, b))) if t0.is_finite() => a + (b - a) * (t - t0) / (t1 - t0),
        (Some((_, a)), Some(_)) => a,
    }
}

/// How far a performance has come in its score.
#[derive(Clone, Debug)]
pub(crate) struct Cursor {
    setting: usize,
    forces: Vec<ForceCursor>,
    windows: Vec<usize>,
}

#[derive(Clone, Debug)]
struct ForceCursor {
    next: usize,
    /// Indices of strokes under way.
    active: Vec<usize>,
}

impl Score {
    pub fn cursor(&self) -> Cursor {
        Cursor {
            setting: 0,
            forces: self
                .forces
                .iter()
                .map(|drive| ForceCursor { next: 0, active: Vec::with_capacity(drive.strokes.len()) })
                .collect(),
            windows: vec![0; self.velocities.len()],
        }
    }

    /// Steps from `step` on before which nothing happens but strokes under way: [`play`](Self::play) would do nothing else than [`push`](Self::push).
    pub fn quiet_steps(&self, cursor: &Cursor, step: u64, phase: f64) -> usize {
        // a friction is never idle
        if !self.rubs.is_empty() {
            return 0;
        }
        let now = step as f64;
        let settings = self.settings.get(cursor.setting).map(|setting| setting.step as f64);
        let forces = self.forces.iter().zip(&cursor.forces);
        let forces = forces.filter_map(|(drive, cursor)| Some(drive.strokes.get(cursor.next)?.start - phase));
        let windows = self.velocities.iter().zip(&cursor.windows);
        let windows = windows.filter_map(|(drive, &next)| Some(drive.windows.get(next)?.start as f64));
        let gaps = self.gaps.iter().map(|drive| still_until(&drive.curve, now));
        let surfaces = self.surfaces.iter().map(|drive| drive.still_until(now));
        let holds = self.holds.iter().map(|drive| drive.idle_until(now + phase) - phase);
        let pedals = self.pedals.iter().map(|drive| drive.still_until(now));
        let quiet = settings.into_iter().chain(forces).chain(windows).chain(gaps).chain(surfaces).chain(holds);
        let quiet = quiet.chain(pedals);
        (quiet.fold(f64::INFINITY, f64::min) - now).max(0.0) as usize
    }

    /// Tells `coast` what the strokes under way do in the next `steps` steps, before any other begins. False if the force of one must be played step by step.
    pub fn push(&self, cursor: &mut Cursor, coast: &mut Coast, state: &mut State, steps: usize, phase: f64) -> bool {
        let first = state.steps as f64 + phase;
        let mut foreseen = true;
        for (drive, cursor) in self.forces.iter().zip(&mut cursor.forces) {
            // one that is over adds nothing
            cursor.active.retain(|&i| drive.strokes[i].end() > first);
            if cursor.active.is_empty() {
                state.set_input(drive.contact, drive.constant);
                continue;
            }
            let Some(inputs) = coast.inputs(drive.contact) else {
                foreseen = false;
                continue;
            };
            for (n, input) in inputs.iter_mut().take(steps).enumerate() {
                *input = drive.force(&cursor.active, first + n as f64);
            }
        }
        foreseen
    }

    /// Everything that happens before step `state.steps`. `phase` places the force within the step: ½ for the midpoint frame.
    pub fn play(&self, cursor: &mut Cursor, model: &Model, state: &mut State, phase: f64) {
        let step = state.steps;
        while let Some(setting) = self.settings.get(cursor.setting).filter(|setting| setting.step <= step) {
            cursor.setting += 1;
            match setting.action {
                SetAction::Throw { velocity, position } => state.throw(model, setting.body, velocity, position),
                SetAction::Deflect(deflection) => state.deflect(model, setting.body, deflection),
            };
        }
        let time = step as f64 + phase;
        // velocities are reached at the end of a step: n + 1, or n + ½ in leapfrog
        let end = time + 0.5;
        for (drive, cursor) in self.forces.iter().zip(&mut cursor.forces) {
            while drive.strokes.get(cursor.next).is_some_and(|stroke| stroke.start <= time) {
                cursor.active.push(cursor.next);
                cursor.next += 1;
            }
            state.set_input(drive.contact, drive.force(&cursor.active, time));
            cursor.active.retain(|&i| drive.strokes[i].end() > time);
        }
        for drive in &self.pedals {
            drive.play(model, state, step);
        }
        for drive in &self.gaps {
            drive.play(model, state, step);
        }
        for drive in &self.holds {
            drive.play(model, state, time);
        }
        for drive in &self.rubs {
            drive.play(model, state, time);
        }
        for drive in &self.surfaces {
            drive.play(model, state, step);
        }
        for (drive, next) in self.velocities.iter().zip(&mut cursor.windows) {
            let Some(window) = drive.windows.get(*next) else { continue };
            if step == window.start {
                state.engage(model, drive.contact, true);
            }
            if step >= window.end {
                *next += 1;
                // a following window may begin at once
                let again = drive.windows.get(*next).filter(|window| window.start == step);
                match again {
                    Some(window) => state.set_input(drive.contact, window.velocity(end)),
                    None => state.engage(model, drive.contact, false),
                }
            } else if step >= window.start {
                state.set_input(drive.contact, window.velocity(end));
            }
        }
    }
}

impl Window {
    fn velocity(&self, time: f64) -> f64 {
        interpolate(&self.points, time - self.origin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_are_still_where_they_are_flat() {
        let curve = [(10.0, 1.0), (20.0, 1.0), (30.0, 2.0)];
        for (t, until) in [(0.0, 10.0), (10.0, 20.0), (15.5, 20.0), (20.0, 20.0), (25.0, 25.0), (30.0, f64::INFINITY)] {
            assert_eq!(still_until(&curve, t), until, "at {t}");
        }
        assert_eq!(still_until(&[], 3.0), f64::INFINITY);
    }

    #[test]
    fn strokes_have_their_shapes() {
        let near = |stroke: &Stroke, t: f64, expected: f64| {
            let value = stroke.value(t);
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
        let points = vec![(1.0, 0.0), (3.0, 1.0)];
        let held = Stroke { start: 0.0, amplitude: 3.0, shape: StrokeShape::Curve { points } };
        for (t, x) in [(0.0, 0.0), (1.0, 0.0), (2.0, 1.5), (3.0, 3.0), (99.0, 3.0)] {
            near(&held, t, x);
        }
        assert_eq!(held.end(), f64::INFINITY);
    }
}
