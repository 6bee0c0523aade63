//! Plans: compiled instruments as bytes.

use crate::error::{IctusError, hand_over};
use crate::patch::loaded;
use ictus_engine::Plan;
use std::ffi::c_char;
use std::mem::MaybeUninit;

/// An instrument with all the expensive results of its compilation, as bytes that can be kept or sent elsewhere.
#[derive(Debug)]
pub struct IctusPlan {
    bytes: Vec<u8>,
}

/// Compiles the text of an instrument file to a plan; parameters and errors as in `ictus_patch_from_text`.
///
/// Any thread but the audio thread. Allocates, and takes its time.
///
/// # Safety
/// `name` and `toml` are null or texts that end in a zero byte; `error` is null or points to a pointer that can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ictus_plan_from_text(
    name: *const c_char,
    toml: *const c_char,
    sample_rate: u32,
    error: Option<&mut MaybeUninit<*mut IctusError>>,
) -> Option<Box<IctusPlan>> {
    // SAFETY: the caller passes null or texts that end in a zero byte, and leaves them alone during the call.
    let plan = unsafe { loaded(name, toml, |loaded| Plan::compile(loaded, sample_rate)) };
    hand_over(plan.map(|plan| Box::new(IctusPlan { bytes: plan.to_bytes() })), error)
}

/// The bytes of a plan, for `ictus_patch_from_plan` on any machine with this version of the library. They belong to the plan; null for null.
///
/// Any thread. Does not allocate.
#[unsafe(no_mangle)]
pub extern "C" fn ictus_plan_bytes(plan: Option<&IctusPlan>) -> *const u8 {
    plan.map_or(std::ptr::null(), |plan| plan.bytes.as_ptr())
}

/// Number of the bytes of a plan; 0 for null.
///
/// Any thread. Does not allocate.
#[unsafe(no_mangle)]
pub extern "C" fn ictus_plan_length(plan: Option<&IctusPlan>) -> usize {
    plan.map_or(0, |plan| plan.bytes.len())
}

/// Frees a plan. Patches linked from it stay valid.
///
/// Any thread but the audio thread. Frees memory.
#[unsafe(no_mangle)]
pub extern "C" fn ictus_plan_free(plan: Option<Box<IctusPlan>>) {
    drop(plan);
}
