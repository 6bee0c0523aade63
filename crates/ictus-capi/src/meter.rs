//! The meter: levels, load, energies.

use crate::player::IctusPlayer;
use ictus_engine::Level;
use std::ffi::c_char;
use std::mem::MaybeUninit;

/// Sums over the parts of a block.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BlockLevel {
    peak: f32,
    /// Sum of the squares.
    square: f64,
}

impl BlockLevel {
    /// Adds a part of `frames` frames.
    pub fn add(&mut self, part: Level, frames: usize) {
        self.peak = self.peak.max(part.peak);
        self.square += f64::from(part.rms) * f64::from(part.rms) * frames as f64;
    }

    fn rms(&self, frames: usize) -> f32 {
        if frames == 0 { 0.0 } else { (self.square / frames as f64).sqrt() as f32 }
    }
}

/// Levels of the last block and the energy after it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IctusMeter {
    /// Frames played.
    pub frame: u64,
    /// Largest magnitude of the left samples.
    pub peak_left: f32,
    /// Largest magnitude of the right samples.
    pub peak_right: f32,
    /// Root of the mean square of the left samples.
    pub rms_left: f32,
    /// Root of the mean square of the right samples.
    pub rms_right: f32,
    /// Time that a block took over the time that it lasts: of the last one that was timed, one in 256 frames at least. NaN before, and where there is no clock.
    pub load: f32,
    /// Energy stored in all bodies and contacts, J.
    pub stored_j: f64,
    /// Work done from outside since the start, J.
    pub supplied_j: f64,
    /// Lost since the start, J: supplied less the change of what is stored. A figure of the meter; only the ledger measures losses.
    pub lost_j: f64,
    /// Contacts that push or rub, but for gestures.
    pub contacts: u32,
    /// Bodies that were stopped because their state was not finite.
    pub quarantined: u32,
}

/// Level of a tap over the last block.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IctusLevel {
    /// Largest magnitude.
    pub peak: f32,
    /// Root of the mean square.
    pub rms: f32,
}

/// Writes levels of the last block and the energy now to `*meter`. False, and nothing is written, if one of the two is null.
///
/// The thread that uses the player. Does not allocate; costs one pass over the state.
#[unsafe(no_mangle)]
pub extern "C" fn ictus_player_meter(
    player: Option<&IctusPlayer>,
    meter: Option<&mut MaybeUninit<IctusMeter>>,
) -> bool {
    let (Some(player), Some(meter)) = (player, meter) else { return false };
    let now = player.player.meter();
    let [left, right] = [0, 1].map(|channel| player.levels[channel]);
    meter.write(IctusMeter {
        frame: now.frame,
        peak_left: left.peak,
        peak_right: right.peak,
        rms_left: left.rms(player.frames),
        rms_right: right.rms(player.frames),
        load: player.load.unwrap_or(f32::NAN),
        stored_j: now.stored_j,
        supplied_j: now.supplied_j,
        lost_j: now.lost_j,
        contacts: now.contacts,
        quarantined: now.quarantined,
    });
    true
}

/// Writes the level of a tap over the last block to `*level`. False, and nothing is written, if there is no such tap.
///
/// The thread that uses the player. Does not allocate.
#[unsafe(no_mangle)]
pub extern "C" fn ictus_player_tap_level(
    player: Option<&IctusPlayer>,
    tap: usize,
    level: Option<&mut MaybeUninit<IctusLevel>>,
) -> bool {
    let (Some(player), Some(level)) = (player, level) else { return false };
    let Some(sum) = tap.checked_add(2).and_then(|place| player.levels.get(place)) else { return false };
    level.write(IctusLevel { peak: sum.peak, rms: sum.rms(player.frames) });
    true
}

/// Name of a body that was stopped because its state was not finite, `index` of them counted from 0; null if there are not as many. UTF-8, valid as long as the player.
///
/// The thread that uses the player. Does not allocate.
#[unsafe(no_mangle)]
pub extern "C" fn ictus_player_quarantined(player: Option<&IctusPlayer>, index: usize) -> *const c_char {
    let stopped = player.and_then(|player| {
        let (model, state) = (player.player.patch().model(), player.player.state());
        let body = model.body_ids().filter(|&body| state.is_quarantined(body)).nth(index)?;
        player.bodies.get(body.index())
    });
    stopped.map_or(std::ptr::null(), |name| name.as_ptr())
}

/// Switches the sums of the meter on or off: the work done from outside, levels of taps, and load. They are on at first, and cost little; the sound is the same. Switched on, they begin
/// anew.
///
/// The thread that uses the player. Does not allocate.
#[unsafe(no_mangle)]
pub extern "C" fn ictus_player_measure(player: Option<&mut IctusPlayer>, enabled: bool) {
    if let Some(player) = player {
        player.player.measure(enabled);
    }
}
