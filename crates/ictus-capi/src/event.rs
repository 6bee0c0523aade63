//! Events as plain structs.

use ictus_engine::{Action, Event, InputId, PortId, Time};

/// What an event does, and what its `target`, `a` and `b` mean. Members that are not named are ignored.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IctusEventKind {
    /// Sets a mass in motion. `target`: port; `a`: velocity, m/s; `b`: position to start from, m, or NaN to leave it where it is.
    Throw = 0,
    /// A short push. `target`: port; `a`: impulse, N s; `b`: duration, s.
    Strike = 1,
    /// A force that grows and lets go. `target`: port; `a`: largest force, N; `b`: duration, s.
    Pluck = 2,
    /// Moves an input along a straight line. `target`: input; `a`: value in its unit; `b`: how long it takes, s, 0 for a jump, or NaN for the input's own time.
    Input = 3,
    /// Lets go of everything; what rings goes on.
    AllOff = 4,
    /// Begins anew; the clock goes on.
    Reset = 5,
    /// Keeps the state in a slot. `target`: slot, see `ictus_player_reserve_snapshots`.
    Save = 6,
    /// Returns to the state of a slot; the clock goes on. `target`: slot.
    Restore = 7,
    /// Turns a knob that is live. `target`: knob, see `ictus_patch_find_knob`; `a`: position, 0 to 1; `b`: how long it takes, s, 0 for a jump, or NaN for the time of each input that it moves.
    Knob = 8,
}

impl IctusEventKind {
    /// All kinds, each at the place of its number.
    pub(crate) const ALL: [Self; 9] = [
        Self::Throw,
        Self::Strike,
        Self::Pluck,
        Self::Input,
        Self::AllOff,
        Self::Reset,
        Self::Save,
        Self::Restore,
        Self::Knob,
    ];
}

/// Something that happens at a time. At the same time, the order of the list decides.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct IctusEvent {
    /// Frame of the player's clock, see `ictus_player_frame`. May lie in a later block; one that is past acts at once and is counted as late.
    pub frame: u64,
    /// Fraction of a frame after it, 0 to 1; other values are taken as 0.
    pub fraction: f64,
    /// An `IctusEventKind`. Events with another number are counted and ignored.
    pub kind: u32,
    /// Index of a port, an input, a slot or a knob.
    pub target: usize,
    /// First value.
    pub a: f64,
    /// Second value.
    pub b: f64,
}

impl IctusEvent {
    /// The event of the engine; none if the kind does not exist.
    pub(crate) fn decode(&self) -> Option<Event> {
        let &Self { frame, fraction, kind, target, a, b } = self;
        let (port, given) = (PortId::new(target), |value: f64| (!value.is_nan()).then_some(value));
        let action = match IctusEventKind::ALL.get(usize::try_from(kind).ok()?)? {
            IctusEventKind::Throw => Action::Throw { port, velocity_m_s: a, position_m: given(b) },
            IctusEventKind::Strike => Action::Strike { port, impulse_n_s: a, duration_s: b },
            IctusEventKind::Pluck => Action::Pluck { port, force_n: a, duration_s: b },
            IctusEventKind::Input => Action::Input { input: InputId::new(target), value: a, ramp_s: given(b) },
            IctusEventKind::AllOff => Action::AllOff,
            IctusEventKind::Reset => Action::Reset,
            IctusEventKind::Save => Action::Save { slot: target },
            IctusEventKind::Restore => Action::Restore { slot: target },
            IctusEventKind::Knob => Action::Knob { knob: target, position: a, ramp_s: given(b) },
        };
        Some(Event::new(Time { frame, fraction }, action))
    }
}

/// Events that did not do what they said.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IctusEventCounts {
    /// Came after their time and acted at once.
    pub late: u64,
    /// Named a port, an input or a slot that does not exist, or asked for what the body cannot do.
    pub impossible: u64,
    /// Had a value that is not finite or out of the limits of its input.
    pub out_of_range: u64,
    /// Found the queue or the strokes of a port full.
    pub overflowed: u64,
    /// Had a kind that does not exist.
    pub unknown: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_stand_at_the_place_of_their_number() {
        for (place, kind) in IctusEventKind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, place);
        }
    }

    #[test]
    fn values_mean_what_the_kind_says() {
        let event =
            |kind: IctusEventKind, b| IctusEvent { frame: 3, fraction: 0.5, kind: kind as u32, target: 2, a: 1.5, b };
        let action = |kind, b| event(kind, b).decode().expect("a kind that exists").action;
        let (port, input) = (PortId::new(2), InputId::new(2));
        assert_eq!(
            event(IctusEventKind::Reset, 0.0).decode().map(|event| event.at),
            Some(Time { frame: 3, fraction: 0.5 })
        );
        let cases = [
            (IctusEventKind::Throw, 0.1, Action::Throw { port, velocity_m_s: 1.5, position_m: Some(0.1) }),
            (IctusEventKind::Throw, f64::NAN, Action::Throw { port, velocity_m_s: 1.5, position_m: None }),
            (IctusEventKind::Strike, 0.1, Action::Strike { port, impulse_n_s: 1.5, duration_s: 0.1 }),
            (IctusEventKind::Pluck, 0.1, Action::Pluck { port, force_n: 1.5, duration_s: 0.1 }),
            (IctusEventKind::Input, 0.1, Action::Input { input, value: 1.5, ramp_s: Some(0.1) }),
            (IctusEventKind::Input, f64::NAN, Action::Input { input, value: 1.5, ramp_s: None }),
            (IctusEventKind::Knob, 0.1, Action::Knob { knob: 2, position: 1.5, ramp_s: Some(0.1) }),
            (IctusEventKind::Knob, f64::NAN, Action::Knob { knob: 2, position: 1.5, ramp_s: None }),
            (IctusEventKind::AllOff, 0.1, Action::AllOff),
            (IctusEventKind::Reset, 0.1, Action::Reset),
            (IctusEventKind::Save, 0.1, Action::Save { slot: 2 }),
            (IctusEventKind::Restore, 0.1, Action::Restore { slot: 2 }),
        ];
        for (kind, b, expected) in cases {
            assert_eq!(action(kind, b), expected);
        }
        for kind in [9, 1000, u32::MAX] {
            assert!(IctusEvent { kind, ..event(IctusEventKind::Reset, 0.0) }.decode().is_none());
        }
    }
}
