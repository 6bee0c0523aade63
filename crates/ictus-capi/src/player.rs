//! Players: what plays a patch.

use crate::event::{IctusEvent, IctusEventCounts};
use crate::meter::BlockLevel;
use crate::patch::IctusPatch;
use crate::text;
use ictus_engine::{AudioInput, Event, InputId, Io, Player, Status};
use std::ffi::CString;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Buses that a player fills: left, right and 62 taps. Further ones are silent.
pub const ICTUS_MAX_BUSES: usize = 64;

/// Audio-rate inputs that a block takes. Further ones are ignored.
pub const ICTUS_MAX_AUDIO_INPUTS: usize = 64;

/// Events that can be reserved at once.
pub const ICTUS_MAX_RESERVED_EVENTS: usize = 1 << 20;

/// Slots for snapshots that a player can have.
pub const ICTUS_MAX_SNAPSHOTS: usize = 1024;

/// Frames that are computed at a time: the length of the buffers between the engine and C.
const FRAMES: usize = 256;

/// Events that are decoded at a time.
const EVENTS: usize = 256;

/// Plays a patch. One thread at a time.
#[derive(Debug)]
pub struct IctusPlayer {
    pub(crate) player: Player,
    /// Decoded events; never grows.
    events: Vec<Event>,
    /// [`FRAMES`] samples per bus.
    buses: Vec<f32>,
    /// [`FRAMES`] samples per audio-rate input.
    inputs: Vec<f32>,
    /// Levels of the last block: left, right, then the taps.
    pub(crate) levels: Vec<BlockLevel>,
    /// As in the engine's meter.
    pub(crate) load: Option<f32>,
    /// Length of the last block in frames.
    pub(crate) frames: usize,
    /// Names of the bodies.
    pub(crate) bodies: Vec<CString>,
    /// Events of a kind that does not exist.
    unknown: u64,
}

/// An input that is moved at audio rate: a sample acts during its frame. After the block the input keeps the last one.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct IctusAudioInput {
    /// Index of the input.
    pub input: usize,
    /// One sample per frame, in the unit of the input; null to leave it out.
    pub samples: *const f32,
}

/// What a block came to.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IctusStatus {
    /// Something is heard, or about to be.
    Sounding = 0,
    /// Nothing above -100 dBFS, and nothing waits to happen: the block can be skipped.
    Silent = 1,
}

/// Where the samples of a block go and come from.
struct Block<'a> {
    inputs: &'a [IctusAudioInput],
    buses: &'a [*mut f32],
    frames: usize,
}

impl IctusPlayer {
    fn new(patch: &IctusPatch) -> Self {
        let model = patch.patch.model();
        let bodies = model.body_names().map(text::to_c).collect();
        let buses = (2 + patch.patch.tap_names().count()).min(ICTUS_MAX_BUSES);
        Self {
            player: Player::new(&patch.patch),
            events: Vec::with_capacity(EVENTS),
            buses: vec![0.0; buses * FRAMES],
            inputs: vec![0.0; ICTUS_MAX_AUDIO_INPUTS * FRAMES],
            levels: vec![BlockLevel::default(); 2 + patch.patch.tap_names().count()],
            load: None,
            frames: 0,
            bodies,
            unknown: 0,
        }
    }

    /// Puts events into the queue of the player.
    fn schedule(&mut self, events: &[IctusEvent]) -> Status {
        for some in events.chunks(EVENTS) {
            self.events.clear();
            self.events.extend(some.iter().filter_map(IctusEvent::decode));
            self.unknown += (some.len() - self.events.len()) as u64;
            // a block without frames, and not `schedule`: the floating-point mode of the host must not touch times
            self.player.process(&self.events, Io { inputs: &[], buses: &mut [] });
        }
        self.player.process(&[], Io { inputs: &[], buses: &mut [] })
    }

    /// Plays a block.
    ///
    /// # Safety
    /// Every pointer of the block is null or points to `block.frames` aligned samples: readable and initialised for inputs, writable for buses.
    unsafe fn play(&mut self, block: &Block) -> Status {
        self.levels.fill(BlockLevel::default());
        self.frames = block.frames;
        let mut status = Status::Silent;
        let mut from = 0;
        while from < block.frames {
            let frames = (block.frames - from).min(FRAMES);
            // SAFETY: `from + frames <= block.frames`, by the line above; the rest is the contract of this function.
            if unsafe { self.play_part(block, from, frames) } == Status::Sounding {
                status = Status::Sounding;
            }
            from += frames;
        }
        status
    }

    /// Plays `frames` frames, at most [`FRAMES`], of a block.
    ///
    /// # Safety
    /// As for [`play`](Self::play), and `from + frames <= block.frames`.
    unsafe fn play_part(&mut self, block: &Block, from: usize, frames: usize) -> Status {
        let mut inputs = [AudioInput { input: InputId::new(0), samples: &[] }; ICTUS_MAX_AUDIO_INPUTS];
        let mut input_count = 0;
        let samples = block.inputs.iter().filter(|input| !input.samples.is_null());
        for (given, kept) in samples.zip(self.inputs.chunks_exact_mut(FRAMES)) {
            let kept = &mut kept[..frames];
            // SAFETY: `given.samples` is not null and holds `from + frames` samples, by the contract; `kept` has `frames` and is our own memory, so they do not overlap.
            unsafe { given.samples.add(from).copy_to_nonoverlapping(kept.as_mut_ptr(), frames) };
            inputs[input_count] = AudioInput { input: InputId::new(given.input), samples: kept };
            input_count += 1;
        }

        let mut buses: [&mut [f32]; ICTUS_MAX_BUSES] = std::array::from_fn(|_| Default::default());
        // left and right always: levels are taken from them
        let bus_count = block.buses.len().max(2).min(self.buses.len() / FRAMES);
        for (bus, kept) in buses.iter_mut().zip(self.buses.chunks_exact_mut(FRAMES)) {
            *bus = &mut kept[..frames];
        }
        let io = Io { inputs: &inputs[..input_count], buses: &mut buses[..bus_count] };
        let status = self.player.process(&[], io);

        let ([left, right], load) = self.player.levels();
        let taps = (0..).map_while(|tap| self.player.tap_level(tap));
        for (sum, level) in self.levels.iter_mut().zip([left, right].into_iter().chain(taps)) {
            sum.add(level, frames);
        }
        self.load = load;
        let (left, right) = self.buses.split_at_mut(FRAMES);
        if block.buses.len() == 1 {
            left[..frames].iter_mut().zip(&*right).for_each(|(left, right)| *left = 0.5 * (*left + right));
        }
        for (n, &bus) in block.buses.iter().enumerate().filter(|(_, bus)| !bus.is_null()) {
            // SAFETY: `bus` is not null and has space for `from + frames` samples, by the contract.
            let bus = unsafe { bus.add(from) };
            match self.buses.chunks_exact(FRAMES).nth(n) {
                // SAFETY: `bus` has space for `frames` samples; `kept` has FRAMES, which is not less, and is our own memory, so they do not overlap.
                Some(kept) => unsafe { bus.copy_from_nonoverlapping(kept.as_ptr(), frames) },
                // SAFETY: `bus` has space for `frames` samples; zero bytes are the number 0.
                None => unsafe { bus.write_bytes(0, frames) },
            }
        }
        status
    }
}

/// The list that C passes as a pointer and a length; empty if the pointer is null.
///
/// # Safety
/// `first` is null or points to `count` aligned and initialised elements that do not change during `'a`.
pub(crate) unsafe fn list<'a, T>(first: *const T, count: usize) -> &'a [T] {
    if first.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: not null, checked above; `count` elements by the contract of this function.
    unsafe { std::slice::from_raw_parts(first, count) }
}

/// Makes a player of a patch, at time zero. It stays valid when the patch is freed. Null for null.
///
/// Any thread but the audio thread. Allocates.
#[unsafe(no_mangle)]
pub extern "C" fn ictus_player_new(patch: Option<&IctusPatch>) -> Option<Box<IctusPlayer>> {
    let patch = patch?;
    // whatever a panic leaves half made is dropped: the patch is constant
    catch_unwind(AssertUnwindSafe(|| Box::new(IctusPlayer::new(patch)))).ok()
}

/// Frees a player.
///
/// Any thread but the audio thread, when no other uses the player. Frees memory.
#[unsafe(no_mangle)]
pub extern "C" fn ictus_player_free(player: Option<Box<IctusPlayer>>) {
    drop(player);
}

/// Switches the energy ledger on or off; it is on at first. Off is cheaper; the sound is the same. Switched on, it begins anew with the energy stored now.
///
/// The thread that uses the player. Does not allocate.
#[unsafe(no_mangle)]
pub extern "C" fn ictus_player_audit(player: Option<&mut IctusPlayer>, enabled: bool) {
    if let Some(player) = player {
        player.player.audit(enabled);
    }
}

/// Frames played so far: the time of the next frame.
///
/// The thread that uses the player. Does not allocate.
#[unsafe(no_mangle)]
pub extern "C" fn ictus_player_frame(player: Option<&IctusPlayer>) -> u64 {
    player.map_or(0, |player| player.player.frame())
}

/// Plays the next `frames` frames.
///
/// `events` may lie in this block or in later ones; up to 4096 wait, or as many as were reserved. `buses` are left, right, then the taps in their order, as many as are wanted; one alone gets
/// the mean of left and right. Buses that are null are left out; those beyond the taps get silence. Without any bus the time passes unheard. Buffers of samples may be the same or
/// overlap: a bus may be the buffer of an input, if both begin at the same place. A null player fills the buses with silence.
///
/// The audio thread. Does not allocate, lock, wait or fail, whatever the events and samples are.
///
/// # Safety
/// `events`, `inputs` and `buses` are null or lists of at least `event_count`, `input_count` and `bus_count` elements, outside of the buffers. Every pointer in `inputs` and `buses` is null or
/// points to at least `frames` samples.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ictus_player_process(
    player: Option<&mut IctusPlayer>,
    events: *const IctusEvent,
    event_count: usize,
    inputs: *const IctusAudioInput,
    input_count: usize,
    buses: *const *mut f32,
    bus_count: usize,
    frames: usize,
) -> IctusStatus {
    // SAFETY: the caller passes null or lists of these lengths, which the call does not write to because they lie outside of the buffers.
    let (events, inputs, buses) =
        unsafe { (list(events, event_count), list(inputs, input_count), list(buses, bus_count)) };
    let Some(player) = player else {
        for bus in buses.iter().filter(|bus| !bus.is_null()) {
            // SAFETY: not null, and the caller gives space for `frames` samples; zero bytes are the number 0.
            unsafe { bus.write_bytes(0, frames) };
        }
        return IctusStatus::Silent;
    };
    let scheduled = player.schedule(events);
    // SAFETY: the caller gives `frames` samples behind every pointer that is not null.
    let played = unsafe { player.play(&Block { inputs, buses, frames }) };
    match if frames == 0 { scheduled } else { played } {
        Status::Sounding => IctusStatus::Sounding,
        Status::Silent => IctusStatus::Silent,
    }
}

/// Events that did not do what they said, so far; all 0 for null. A refused sample of an audio-rate input counts as an event.
///
/// The thread that uses the player. Does not allocate.
#[unsafe(no_mangle)]
pub extern "C" fn ictus_player_event_counts(player: Option<&IctusPlayer>) -> IctusEventCounts {
    player.map_or(IctusEventCounts::default(), |player| {
        let counts = player.player.event_counts();
        IctusEventCounts {
            late: counts.late,
            impossible: counts.impossible,
            out_of_range: counts.out_of_range,
            overflowed: counts.overflowed,
            unknown: player.unknown,
        }
    })
}

/// Makes space for `events` further events in the queue. False, and nothing changes, if that is more than `ICTUS_MAX_RESERVED_EVENTS`.
///
/// Any thread but the audio thread, when no other uses the player. Allocates.
#[unsafe(no_mangle)]
pub extern "C" fn ictus_player_reserve_events(player: Option<&mut IctusPlayer>, events: usize) -> bool {
    let Some(player) = player.filter(|_| events <= ICTUS_MAX_RESERVED_EVENTS) else { return false };
    player.player.reserve_events(events);
    true
}

/// Makes `slots` slots for `ICTUS_EVENT_KIND_SAVE`, each with the state of time zero; what was saved before is lost. False, and nothing changes, if that is more than
/// `ICTUS_MAX_SNAPSHOTS`.
///
/// Any thread but the audio thread, when no other uses the player. Allocates.
#[unsafe(no_mangle)]
pub extern "C" fn ictus_player_reserve_snapshots(player: Option<&mut IctusPlayer>, slots: usize) -> bool {
    let Some(player) = player.filter(|_| slots <= ICTUS_MAX_SNAPSHOTS) else { return false };
    player.player.reserve_snapshots(slots);
    true
}
