//! What surfaces show of a player: levels, load, energies, contacts.

use crate::patch::Compiled;
use ictus_core::{Balance, State};

/// Levels of a block, and the energies after it. `Copy`; a [`Scene`](crate::Scene) carries it to another thread.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Meter {
    /// Frames played.
    pub frame: u64,
    /// Largest magnitude of the left and the right sample in the last block.
    pub peak: [f32; 2],
    /// Root of the mean square of the left and the right samples of the last block.
    pub rms: [f32; 2],
    /// Time that the last block took to compute over the time that it lasts; none without frames, without [measuring](crate::Player::measure), and on targets without a clock.
    pub load: Option<f32>,
    /// Energy stored in all bodies and contacts, J.
    pub stored_j: f64,
    /// Work done from outside since measuring began, J; 0 while it is off.
    pub supplied_j: f64,
    /// Lost since measuring began, J: what was supplied less the change of what is stored. A figure of the meter, which is right if the scheme is; only the ledger measures losses.
    pub lost_j: f64,
    /// Contacts that push or rub, but for gestures.
    pub contacts: u32,
    /// Bodies that were stopped because their state was not finite: [`Player::quarantined`](crate::Player::quarantined) names them.
    pub quarantined: u32,
}

/// Level of a channel or a tap over a block.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Level {
    /// Largest magnitude.
    pub peak: f32,
    /// Root of the mean square.
    pub rms: f32,
}

impl Meter {
    pub(crate) fn new(patch: &Compiled, state: &State, frame: u64, levels: &Levels) -> Self {
        let model = &patch.model;
        let pushing = patch.contacts.iter().filter(|view| state.contact_force(view.contact) != 0.0);
        let Balance { stored, supplied, lost } = state.balance(model);
        let booked = |value: f64| if state.is_measured() { value } else { 0.0 };
        let [left, right] = [0, 1].map(|channel| levels.level(channel));
        Self {
            frame,
            peak: [left.peak, right.peak],
            rms: [left.rms, right.rms],
            load: levels.load(),
            stored_j: stored,
            supplied_j: booked(supplied),
            lost_j: booked(lost),
            contacts: pushing.count() as u32,
            quarantined: model.body_ids().filter(|&body| state.is_quarantined(body)).count() as u32,
        }
    }

    /// Supplied and lost between an earlier reading and this one, J: per block, if it was read after the block before.
    pub fn since(&self, earlier: &Self) -> [f64; 2] {
        [self.supplied_j - earlier.supplied_j, self.lost_j - earlier.lost_j]
    }
}

/// Levels of the current block: of two channels, then of the taps.
#[derive(Clone, Debug)]
pub(crate) struct Levels {
    /// If false, only the peaks of the channels are found.
    pub enabled: bool,
    frames: u32,
    peak: Vec<f32>,
    square: Vec<f32>,
    load: Option<f32>,
}

impl Levels {
    pub fn new(taps: usize) -> Self {
        Self { enabled: true, frames: 0, peak: vec![0.0; 2 + taps], square: vec![0.0; 2 + taps], load: None }
    }

    /// Begins a block.
    pub fn begin(&mut self) {
        (self.frames, self.load) = (0, None);
        self.peak.fill(0.0);
        self.square.fill(0.0);
    }

    /// The samples of a frame: channels and taps.
    #[inline(always)]
    pub fn hear(&mut self, channels: [f32; 2], taps: impl Iterator<Item = f32>) {
        if !self.enabled {
            for (peak, sample) in self.peak.iter_mut().zip(channels) {
                *peak = peak.max(sample.abs());
            }
            return;
        }
        self.frames += 1;
        let places = self.peak.iter_mut().zip(&mut self.square);
        for ((peak, square), sample) in places.zip(channels.into_iter().chain(taps)) {
            *peak = peak.max(sample.abs());
            *square += sample * sample;
        }
    }

    /// Ends a block of `seconds` that took `spent` seconds, if that is known.
    pub fn end(&mut self, spent: Option<f64>, seconds: f64) {
        self.load = spent.filter(|_| seconds > 0.0).map(|spent| (spent / seconds) as f32);
    }

    /// Time that the last block took over the time that it lasts, if known.
    pub fn load(&self) -> Option<f32> {
        self.load
    }

    /// The largest magnitudes of the two channels.
    pub fn peaks(&self) -> [f32; 2] {
        [self.peak[0], self.peak[1]]
    }

    /// Level of a channel (0, 1) or a tap (from 2 on).
    pub fn level(&self, place: usize) -> Level {
        let mean = if self.frames == 0 { 0.0 } else { self.square[place] / self.frames as f32 };
        Level { peak: self.peak[place], rms: mean.sqrt() }
    }
}

/// A clock, where the target has one.
pub(crate) mod stopwatch {
    #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
    mod started {
        #[derive(Clone, Copy)]
        pub struct Started(std::time::Instant);

        impl Started {
            pub fn now() -> Option<Self> {
                Some(Self(std::time::Instant::now()))
            }

            pub fn seconds(self) -> f64 {
                self.0.elapsed().as_secs_f64()
            }
        }
    }

    #[cfg(all(target_family = "wasm", target_os = "unknown"))]
    mod started {
        #[derive(Clone, Copy)]
        pub struct Started;

        impl Started {
            pub fn now() -> Option<Self> {
                None
            }

            pub fn seconds(self) -> f64 {
                0.0
            }
        }
    }

    pub use started::Started;
}
