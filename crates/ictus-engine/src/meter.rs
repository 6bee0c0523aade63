//! What surfaces show of a player: levels, load, energies, contacts.

use crate::patch::Compiled;
use ictus_core::{Balance, Model, State};
use stopwatch::Started;

/// Levels of a block, and the energies after it. `Copy`; a [`Scene`](crate::Scene) carries it to another thread.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Meter {
    /// Frames played.
    pub frame: u64,
    /// Largest magnitude of the left and the right sample in the last block.
    pub peak: [f32; 2],
    /// Root of the mean square of the left and the right samples of the last block.
    pub rms: [f32; 2],
    /// Time that a block took to compute over the time that it lasts: of the last one that was timed, one in 256 frames at least. None before, without [measuring](crate::Player::measure), and
    /// on targets without a clock.
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
    pub(crate) fn new(patch: &Compiled, model: &Model, state: &State, frame: u64, levels: &Levels) -> Self {
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

/// Frames whose samples are gathered before they are measured together.
const GATHERED: usize = 64;
/// Frames of which one block is timed: reading the clock costs as much as a few samples.
const TIMED: u32 = 256;

/// Levels of the current block: of two channels, then of the taps.
#[derive(Clone, Debug)]
pub(crate) struct Levels {
    /// If false, only the levels of the channels are found, and nothing is timed.
    pub enabled: bool,
    frames: u32,
    /// Per channel and tap.
    peak: Vec<f32>,
    square: Vec<f32>,
    /// Samples that have not been measured, [`GATHERED`] per channel and tap.
    samples: Vec<[f32; GATHERED]>,
    gathered: usize,
    /// Frames since a block was timed.
    untimed: u32,
    load: Option<f32>,
}

impl Levels {
    pub fn new(taps: usize) -> Self {
        let places = 2 + taps;
        Self {
            enabled: true,
            frames: 0,
            peak: vec![0.0; places],
            square: vec![0.0; places],
            samples: vec![[0.0; GATHERED]; places],
            gathered: 0,
            untimed: TIMED,
            load: None,
        }
    }

    /// Begins a block; times it if that is due.
    pub fn begin(&mut self) -> Option<Started> {
        (self.frames, self.gathered) = (0, 0);
        self.peak.fill(0.0);
        self.square.fill(0.0);
        if !self.enabled {
            self.load = None;
            return None;
        }
        if self.untimed >= TIMED { Started::now() } else { None }
    }

    /// The samples of a frame: channels and taps.
    #[inline(always)]
    pub fn hear(&mut self, channels: [f32; 2], taps: impl Iterator<Item = f32>) {
        let n = self.gathered;
        let mut places = self.samples.iter_mut();
        // the channels first: a zip takes from its first half before it finds that the second has ended
        for (sample, place) in channels.into_iter().zip(places.by_ref()) {
            place[n % GATHERED] = sample;
        }
        if self.enabled {
            for (sample, place) in taps.zip(places) {
                place[n % GATHERED] = sample;
            }
        }
        self.gathered += 1;
        if self.gathered == GATHERED {
            self.measure();
        }
    }

    /// Counts `frames` frames whose samples [`add`](Self::add) gets many at a time, after those gathered so far.
    pub fn begin_many(&mut self, frames: usize) {
        self.measure();
        self.frames += frames as u32;
    }

    /// Samples of a channel (0, 1) or a tap (from 2 on).
    pub fn add(&mut self, place: usize, samples: &[f32]) {
        let (peak, square) = levels_of(samples);
        self.peak[place] = self.peak[place].max(peak);
        self.square[place] += square;
    }

    /// Measures the samples gathered.
    #[inline(never)]
    fn measure(&mut self) {
        let count = std::mem::take(&mut self.gathered);
        self.frames += count as u32;
        for ((peak, square), samples) in self.peak.iter_mut().zip(&mut self.square).zip(&self.samples) {
            let (most, sum) = levels_of(&samples[..count]);
            *peak = peak.max(most);
            *square += sum;
        }
    }

    /// Ends a block of `frames` frames at `rate` Hz.
    pub fn end(&mut self, started: Option<Started>, frames: usize, rate: u32) {
        self.measure();
        self.untimed = self.untimed.saturating_add(frames as u32);
        if let Some(started) = started.filter(|_| frames > 0) {
            self.load = Some((started.seconds() * f64::from(rate) / frames as f64) as f32);
            self.untimed = 0;
        }
    }

    /// Time that the block timed last took over the time that it lasts, if known.
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

/// Largest magnitude and sum of squares; eight side by side, because each comparison and sum would wait for the one before.
fn levels_of(samples: &[f32]) -> (f32, f32) {
    let larger = |most: f32, x: f32| if x.abs() > most { x.abs() } else { most };
    let (rows, rest) = samples.as_chunks::<8>();
    let (mut most, mut sums) = ([0.0f32; 8], [0.0f32; 8]);
    for row in rows {
        for ((most, sum), &sample) in most.iter_mut().zip(&mut sums).zip(row) {
            *most = larger(*most, sample);
            *sum += sample * sample;
        }
    }
    let most = most.into_iter().chain(rest.iter().copied()).fold(0.0, larger);
    (most, sums.into_iter().sum::<f32>() + rest.iter().map(|x| x * x).sum::<f32>())
}

/// A clock, where the target has one.
mod stopwatch {
    #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
    mod started {
        #[derive(Clone, Copy)]
        pub(crate) struct Started(std::time::Instant);

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
        pub(crate) struct Started;

        impl Started {
            pub fn now() -> Option<Self> {
                None
            }

            pub fn seconds(self) -> f64 {
                0.0
            }
        }
    }

    pub(crate) use started::Started;
}
