//! Takes: recorded events as text, and back.

use crate::error::IctusError;
use crate::player::{ICTUS_MAX_RESERVED_EVENTS, IctusPlayer};
use crate::text;
use ictus_engine::{Io, Take};
use std::ffi::{CString, c_char};
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What was played, as text: one line of JSON per event.
#[derive(Debug)]
pub struct IctusTake {
    text: CString,
}

/// Records the events of the next blocks, audio-rate inputs among them, at most `events`; what does not fit is counted as overflowed. False, and nothing changes, if that is more than
/// `ICTUS_MAX_RESERVED_EVENTS`. A recording under way is dropped.
///
/// Any thread but the audio thread, when no other uses the player. Allocates.
#[unsafe(no_mangle)]
pub extern "C" fn ictus_player_start_recording(player: Option<&mut IctusPlayer>, events: usize) -> bool {
    let Some(player) = player.filter(|_| events <= ICTUS_MAX_RESERVED_EVENTS) else { return false };
    player.player.start_recording(events);
    true
}

/// Ends the recording. Returns what was recorded, without any event if nothing was; the caller frees it. Playing it from the same start gives the same samples. Null for null.
///
/// Any thread but the audio thread, when no other uses the player. Allocates.
#[unsafe(no_mangle)]
pub extern "C" fn ictus_player_stop_recording(player: Option<&mut IctusPlayer>) -> Option<Box<IctusTake>> {
    let player = player?;
    let record = AssertUnwindSafe(|| {
        let take = Take { events: player.player.stop_recording() };
        Box::new(IctusTake { text: text::to_c(&take.to_text(player.player.patch())) })
    });
    // whatever a panic leaves half made is dropped: the player has given its record away
    catch_unwind(record).ok()
}

/// Reads the text of a take and puts its events into the queue, which grows by as many. A frame is one of the player's clock, so a take of a whole performance is for a new player.
/// Slots that the take uses must have been reserved.
///
/// False if the text is no take of the player's patch: then no event is taken, and `error`, unless it is null itself, receives an error that the caller frees; otherwise it receives null.
///
/// Any thread but the audio thread, when no other uses the player. Allocates.
///
/// # Safety
/// `take` is null or a text that ends in a zero byte; `error` is null or points to a pointer that can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ictus_player_play_take(
    player: Option<&mut IctusPlayer>,
    take: *const c_char,
    error: Option<&mut MaybeUninit<*mut IctusError>>,
) -> bool {
    // SAFETY: the caller passes null or a text that ends in a zero byte, and leaves it alone during the call.
    let take = unsafe { text::from_c(take) };
    let result = match (player, take) {
        (None, _) => Err(IctusError::new("the player is null")),
        (_, None) => Err(IctusError::new("the take is null")),
        (_, Some(Err(fault))) => Err(IctusError::new(&format!("the take is not UTF-8: {fault}"))),
        (Some(player), Some(Ok(take))) => catch_unwind(AssertUnwindSafe(|| schedule(player, take)))
            .unwrap_or_else(|_| Err(IctusError::new("the reader of takes failed"))),
    };
    let done = result.is_ok();
    match error {
        Some(error) => _ = error.write(result.err().map_or(std::ptr::null_mut(), Box::into_raw)),
        None => drop(result),
    }
    done
}

fn schedule(player: &mut IctusPlayer, text: &str) -> Result<(), Box<IctusError>> {
    let fault = |error: ictus_engine::TakeError| IctusError::new(&format!("{error}\nhelp: {}", error.help));
    let take = Take::parse(text, player.player.patch()).map_err(fault)?;
    player.player.reserve_events(take.events.len());
    player.player.process(&take.events, Io { inputs: &[], buses: &mut [] });
    Ok(())
}

/// The text of a take, which any version of this library with the same format reads again. UTF-8; valid until the take is freed. Null for null.
///
/// Any thread. Does not allocate.
#[unsafe(no_mangle)]
pub extern "C" fn ictus_take_text(take: Option<&IctusTake>) -> *const c_char {
    take.map_or(std::ptr::null(), |take| take.text.as_ptr())
}

/// Frees a take.
///
/// Any thread but the audio thread. Frees memory.
#[unsafe(no_mangle)]
pub extern "C" fn ictus_take_free(take: Option<Box<IctusTake>>) {
    drop(take);
}
