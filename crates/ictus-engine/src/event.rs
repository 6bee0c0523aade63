//! Events: what a player does, with its time. Events carry numbers that were looked up in the [`Patch`](crate::Patch), never names, and are `Copy`.

use crate::signal::InputId;

/// A port of a patch that gestures can reach, by its place in [`Patch::ports`](crate::Patch::ports).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PortId(pub(crate) usize);

impl PortId {
    /// The port at that place of the list. A player refuses and counts events with a place that its patch does not have.
    pub fn new(index: usize) -> Self {
        Self(index)
    }

    /// Its place in the list.
    pub fn index(self) -> usize {
        self.0
    }
}

impl InputId {
    /// The input at that place of the list. A player refuses and counts events with a place that its patch does not have.
    pub fn new(index: usize) -> Self {
        Self(index)
    }

    /// Its place in the list.
    pub fn index(self) -> usize {
        self.0
    }
}

/// When something happens: a frame of the player's clock ([`Player::frame`](crate::Player::frame)) and a fraction of a frame after it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Time {
    /// Whole frames.
    pub frame: u64,
    /// 0 to 1; other values are taken as 0.
    pub fraction: f64,
}

impl Time {
    /// The beginning of a frame.
    pub fn frame(frame: u64) -> Self {
        Self { frame, fraction: 0.0 }
    }

    /// A number of frames, with fraction.
    pub fn frames(frames: f64) -> Self {
        let whole = frames.max(0.0).floor();
        Self { frame: whole as u64, fraction: frames.max(0.0) - whole }
    }
}

/// Something that happens at a time. At the same time, the order of the list decides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// When.
    pub at: Time,
    /// To what. There is one voice yet, so all events go to all.
    pub target: Target,
    /// What.
    pub action: Action,
}

impl Event {
    /// For all voices.
    pub fn new(at: Time, action: Action) -> Self {
        Self { at, target: Target::All, action }
    }
}

/// The voices that an event reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Target {
    /// All of them.
    #[default]
    All,
}

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Action {
    /// Sets a mass in motion, optionally from a place.
    Throw {
        /// The mass.
        port: PortId,
        /// m/s
        velocity_m_s: f64,
        /// m
        position_m: Option<f64>,
    },
    /// A short push: a raised cosine of force.
    Strike {
        /// Where.
        port: PortId,
        /// Area of the pulse, N s.
        impulse_n_s: f64,
        /// s
        duration_s: f64,
    },
    /// A force that grows as half a raised cosine and lets go.
    Pluck {
        /// Where.
        port: PortId,
        /// The largest force, N.
        force_n: f64,
        /// s
        duration_s: f64,
    },
    /// Moves an input to a value, along a straight line. Several in a row are a curve.
    Input {
        /// Which.
        input: InputId,
        /// In the unit of the input.
        value: f64,
        /// How long it takes, s; none for the input's own time, 0 for a jump.
        ramp_s: Option<f64>,
    },
    /// Turns a knob of the file: moves the inputs that it drives along straight lines, each in its own time unless one is given. A knob that drives something else too does not act and is
    /// counted as impossible.
    Knob {
        /// Its place in [`Patch::knobs`](crate::Patch::knobs).
        knob: usize,
        /// 0 to 1.
        position: f64,
        /// How long it takes, s; none for the time of each input, 0 for a jump.
        ramp_s: Option<f64>,
    },
    /// Lets go: ends all strokes and gestures of the file, drops events that came before this one and are waiting, and takes inputs that press, pull or slide to zero. What rings goes on.
    AllOff,
    /// Begins anew: the state of time zero, all inputs as in the file, whose gestures begin from here.
    Reset,
    /// Keeps the state in a slot; see [`Player::reserve_snapshots`](crate::Player::reserve_snapshots).
    Save {
        /// Slot.
        slot: usize,
    },
    /// Returns to the state of a slot; the clock goes on.
    Restore {
        /// Slot.
        slot: usize,
    },
}

/// Events that did not do what they said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventCounts {
    /// Came after their time and acted at once.
    pub late: u64,
    /// Named a port, an input or a slot that does not exist, or asked for what the body cannot do.
    pub impossible: u64,
    /// Had a value that is not finite or out of the limits of its input.
    pub out_of_range: u64,
    /// Found the queue, the strokes of a port, or the record of a take full.
    pub overflowed: u64,
}

impl EventCounts {
    /// Events that did not act.
    pub fn refused(&self) -> u64 {
        self.impossible + self.out_of_range + self.overflowed
    }
}
