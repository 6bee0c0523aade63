//! Events at random, sensible or absurd, for tests.

// no program uses all of them
#![allow(dead_code)]

use ictus_engine::{Action, Event, InputId, Patch, PortId, Time};
use ictus_testkit::Draw;

/// An event at `at` that a player might send: gestures at any port, inputs within their ranges.
pub fn sensible(draw: &mut Draw, patch: &Patch, at: Time) -> Event {
    let port = PortId::new(index(draw, patch.ports().len()));
    let action = match index(draw, 12) {
        0 => Action::Throw { port, velocity_m_s: draw.uniform(-1.0, 1.0), position_m: None },
        1 => Action::Strike { port, impulse_n_s: draw.uniform(-0.005, 0.005), duration_s: draw.uniform(5e-4, 5e-3) },
        2 => Action::Pluck { port, force_n: draw.uniform(-1.0, 1.0), duration_s: draw.uniform(1e-3, 5e-2) },
        3 if index(draw, 20) == 0 => Action::AllOff,
        3 if index(draw, 20) == 0 => Action::Reset,
        4 => Action::Save { slot: 0 },
        5 => Action::Restore { slot: 0 },
        _ => {
            let chosen = index(draw, patch.inputs().len());
            let (low, high) = patch.inputs().nth(chosen).expect("an input").range;
            let ramp_s = [None, Some(0.0), Some(draw.uniform(0.0, 0.05))][index(draw, 3)];
            Action::Input { input: InputId::new(chosen), value: draw.uniform(low, high), ramp_s }
        }
    };
    Event::new(at, action)
}

/// Sensible events at random, a few hundred a second.
pub fn dense(patch: &Patch, seed: u64, frames: usize) -> Vec<Event> {
    let mut draw = Draw::new(seed);
    let mut at = 0.0;
    let mut events = Vec::new();
    while at < frames as f64 {
        events.push(sensible(&mut draw, patch, Time::frames(at)));
        at += draw.uniform(0.0, 400.0);
    }
    events
}

/// An event that no player should send: values that are not finite or enormous, ids that do not exist.
pub fn absurd(draw: &mut Draw, patch: &Patch, at: Time) -> Event {
    let value = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e300, 1e9, -1e9, 0.0, 5e-324][index(draw, 9)];
    let time = [0.0, -1.0, f64::NAN, 1e-300, 1e300, 0.01][index(draw, 6)];
    let id = |draw: &mut Draw, most: usize| if index(draw, 3) == 0 { usize::MAX } else { index(draw, most + 1) };
    let (port, input) = (PortId::new(id(draw, patch.ports().len())), InputId::new(id(draw, patch.inputs().len())));
    let action = match index(draw, 6) {
        0 => Action::Throw { port, velocity_m_s: value, position_m: Some(time) },
        1 => Action::Strike { port, impulse_n_s: value, duration_s: time },
        2 => Action::Pluck { port, force_n: value, duration_s: time },
        3 => Action::Save { slot: usize::MAX },
        4 => Action::Restore { slot: id(draw, 3) },
        _ => Action::Input { input, value, ramp_s: Some(time) },
    };
    let frame = [0, at.frame, at.frame + 100, u64::MAX][index(draw, 4)];
    Event::new(Time { frame, fraction: value }, action)
}

/// A number below `most`.
pub fn index(draw: &mut Draw, most: usize) -> usize {
    (draw.uniform(0.0, most as f64) as usize).min(most - 1)
}
