//! Snapshots: states of a player, as bytes too.

use crate::error::IctusError;
use crate::patch::IctusPatch;
use crate::player::IctusPlayer;
use ictus_engine::Snapshot;
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A state of a player: bodies, contacts, inputs, strokes under way and filters.
#[derive(Debug)]
pub struct IctusSnapshot {
    snapshot: Snapshot,
    /// The snapshot as bytes, once they were asked for.
    bytes: Vec<u8>,
}

/// The state of now, to return to. Null for null.
///
/// The thread that uses the player, but not the audio thread. Allocates.
#[unsafe(no_mangle)]
pub extern "C" fn ictus_player_snapshot(player: Option<&IctusPlayer>) -> Option<Box<IctusSnapshot>> {
    let player = player?;
    let taken = || Box::new(IctusSnapshot { snapshot: player.player.snapshot(), bytes: Vec::new() });
    catch_unwind(AssertUnwindSafe(taken)).ok()
}

/// Writes the state of now over an older snapshot. False, and nothing is written, if that is of another patch, or if one of the two is null. Bytes that were made of the older one are gone.
///
/// The audio thread. Does not allocate.
#[unsafe(no_mangle)]
pub extern "C" fn ictus_player_save(player: Option<&IctusPlayer>, snapshot: Option<&mut IctusSnapshot>) -> bool {
    let (Some(player), Some(snapshot)) = (player, snapshot) else { return false };
    // keeps the memory: freeing it is not for the audio thread
    snapshot.bytes.clear();
    player.player.save(&mut snapshot.snapshot)
}

/// Returns to a snapshot; the clock and the events that wait go on. False, and nothing changes, if it is of another patch, or if one of the two is null.
///
/// The audio thread. Does not allocate.
#[unsafe(no_mangle)]
pub extern "C" fn ictus_player_restore(player: Option<&mut IctusPlayer>, snapshot: Option<&IctusSnapshot>) -> bool {
    let (Some(player), Some(snapshot)) = (player, snapshot) else { return false };
    player.player.restore(&snapshot.snapshot)
}

/// The snapshot as bytes, to keep in a file or to send; `*length` receives their number. They belong to the snapshot and are valid until it is freed or saved to. Null, and 0, for null.
///
/// Any thread but the audio thread, when no other uses the snapshot. Allocates.
#[unsafe(no_mangle)]
pub extern "C" fn ictus_snapshot_bytes(
    snapshot: Option<&mut IctusSnapshot>,
    length: Option<&mut MaybeUninit<usize>>,
) -> *const u8 {
    let made = snapshot.and_then(|snapshot| {
        if snapshot.bytes.is_empty() {
            snapshot.bytes = catch_unwind(AssertUnwindSafe(|| snapshot.snapshot.to_bytes())).ok()?;
        }
        Some(&*snapshot.bytes)
    });
    if let Some(length) = length {
        length.write(made.map_or(0, <[u8]>::len));
    }
    made.map_or(std::ptr::null(), <[u8]>::as_ptr)
}

/// The snapshot of a player of `patch` from its bytes: of the same file, with the same settings, at the same sample rate.
///
/// Null if they are not that: then `error`, unless it is null itself, receives an error that the caller frees; otherwise it receives null.
///
/// Any thread but the audio thread. Allocates.
///
/// # Safety
/// `bytes` is null or points to at least `length` bytes; `error` is null or points to a pointer that can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ictus_snapshot_from_bytes(
    patch: Option<&IctusPatch>,
    bytes: *const u8,
    length: usize,
    error: Option<&mut MaybeUninit<*mut IctusError>>,
) -> Option<Box<IctusSnapshot>> {
    // SAFETY: the caller passes null or `length` bytes, and leaves them alone during the call.
    let bytes = unsafe { crate::player::list(bytes, length) };
    let result = match patch {
        Some(patch) => catch_unwind(AssertUnwindSafe(|| Snapshot::from_bytes(&patch.patch, bytes)))
            .map_err(|_| IctusError::new("the snapshot could not be read"))
            .and_then(|read| read.map_err(|error| IctusError::new(&error.to_string()))),
        None => Err(IctusError::new("the patch is null")),
    };
    let (snapshot, fault) = match result {
        Ok(snapshot) => (Some(Box::new(IctusSnapshot { snapshot, bytes: Vec::new() })), None),
        Err(fault) => (None, Some(fault)),
    };
    if let Some(error) = error {
        error.write(fault.map_or(std::ptr::null_mut(), Box::into_raw));
    }
    snapshot
}

/// Frees a snapshot.
///
/// Any thread but the audio thread. Frees memory.
#[unsafe(no_mangle)]
pub extern "C" fn ictus_snapshot_free(snapshot: Option<Box<IctusSnapshot>>) {
    drop(snapshot);
}
