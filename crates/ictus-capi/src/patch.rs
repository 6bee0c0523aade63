//! Patches: instruments compiled for one sample rate.

use crate::error::{IctusError, hand_over};
use crate::text;
use ictus_engine::{Patch, Plan, PortId};
use ictus_instrument::{Error, Loaded};
use std::ffi::{CString, c_char};
use std::mem::MaybeUninit;
use std::panic::{UnwindSafe, catch_unwind};

/// An instrument compiled for one sample rate. Constant: any number of threads may use it at once.
#[derive(Debug)]
pub struct IctusPatch {
    pub(crate) patch: Patch,
    ports: Vec<CString>,
    taps: Vec<CString>,
    inputs: Vec<InputTexts>,
}

#[derive(Debug)]
struct InputTexts {
    id: CString,
    path: CString,
    unit: CString,
}

/// Something that a player moves while the patch sounds. The texts are UTF-8 and belong to the patch.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct IctusInput {
    /// What players call it; unique in the patch.
    pub id: *const c_char,
    /// What it moves, as the file writes it: `bow.normal_n`.
    pub path: *const c_char,
    /// SI unit of its values; empty for a plain number.
    pub unit: *const c_char,
    /// Lowest value that a surface should offer.
    pub low: f64,
    /// Highest value that a surface should offer.
    pub high: f64,
    /// Values below are refused.
    pub limit_low: f64,
    /// Values above are refused.
    pub limit_high: f64,
    /// Value at time zero.
    pub start: f64,
    /// How long a change takes unless the event says otherwise, s.
    pub ramp_s: f64,
}

impl IctusPatch {
    fn new(patch: Patch) -> Box<Self> {
        let ports = patch.ports().map(text::to_c).collect();
        let taps = patch.tap_names().map(text::to_c).collect();
        let texts = |input: &ictus_instrument::Input| InputTexts {
            id: text::to_c(&input.id),
            path: text::to_c(&input.path),
            unit: text::to_c(input.unit),
        };
        let inputs = patch.inputs().map(texts).collect();
        Box::new(Self { patch, ports, taps, inputs })
    }
}

/// Reads, checks and compiles the text of an instrument file. `name` stands in messages and may be null.
///
/// Null if that fails: then `error`, unless it is null itself, receives an error that the caller frees; otherwise it receives null.
///
/// Any thread but the audio thread. Allocates, and takes its time.
///
/// # Safety
/// `name` and `toml` are null or texts that end in a zero byte; `error` is null or points to a pointer that can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ictus_patch_from_text(
    name: *const c_char,
    toml: *const c_char,
    sample_rate: u32,
    error: Option<&mut MaybeUninit<*mut IctusError>>,
) -> Option<Box<IctusPatch>> {
    // SAFETY: the caller passes null or texts that end in a zero byte, and leaves them alone during the call.
    let result = unsafe { loaded(name, toml, |loaded| Patch::compile(loaded, sample_rate)) };
    hand_over(result.map(IctusPatch::new), error)
}

/// Loads a text and makes something of it; a panic becomes an error.
///
/// # Safety
/// Both are null or texts that end in a zero byte, and stay as they are during the call.
pub(crate) unsafe fn loaded<T>(
    name: *const c_char,
    toml: *const c_char,
    make: impl FnOnce(&Loaded) -> Result<T, Error> + UnwindSafe,
) -> Result<T, Box<IctusError>> {
    // SAFETY: as promised by the caller.
    let (name, toml) = unsafe { (text::from_c(name), text::from_c(toml)) };
    let name = name
        .unwrap_or(Ok("instrument"))
        .map_err(|fault| IctusError::new(&format!("the name is not UTF-8: {fault}")))?;
    let toml = toml
        .ok_or_else(|| IctusError::new(&format!("{name}: the text is null")))?
        .map_err(|fault| IctusError::new(&format!("{name}: the text is not UTF-8: {fault}")))?;
    catch_unwind(|| make(&ictus_instrument::load(name, toml, &[])?))
        .map_err(|_| IctusError::new(&format!("{name}: the compiler of instruments failed")))?
        .map_err(Into::into)
}

/// Links the bytes of a plan (`ictus_plan_bytes`) to a patch: a millisecond or two, where compiling its text may take half a second. The patch sounds the same to the bit.
///
/// Null if that fails, for instance because another version of the library made the plan; `error` as in `ictus_patch_from_text`.
///
/// Any thread but the audio thread. Allocates.
///
/// # Safety
/// `bytes` is null or points to `length` bytes; `error` is null or points to a pointer that can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ictus_patch_from_plan(
    bytes: *const u8,
    length: usize,
    error: Option<&mut MaybeUninit<*mut IctusError>>,
) -> Option<Box<IctusPatch>> {
    let bytes = if bytes.is_null() {
        &[]
    } else {
        // SAFETY: the caller passes the length of the bytes, and leaves them alone during the call.
        unsafe { std::slice::from_raw_parts(bytes, length) }
    };
    let linked = catch_unwind(|| match Plan::from_bytes(bytes) {
        Ok(plan) => plan.link().map_err(Into::into),
        Err(fault) => Err(IctusError::new(&fault.to_string())),
    });
    let linked = linked.unwrap_or_else(|_| Err(IctusError::new("the plan cannot be linked")));
    hand_over(linked.map(IctusPatch::new), error)
}

/// Frees a patch. Players of it stay valid; texts of it do not.
///
/// Any thread but the audio thread. Frees memory.
#[unsafe(no_mangle)]
pub extern "C" fn ictus_patch_free(patch: Option<Box<IctusPatch>>) {
    drop(patch);
}

/// The sample rate it was compiled for, Hz; 0 for null.
///
/// Any thread. Does not allocate.
#[unsafe(no_mangle)]
pub extern "C" fn ictus_patch_sample_rate(patch: Option<&IctusPatch>) -> u32 {
    patch.map_or(0, |patch| patch.patch.sample_rate())
}

/// Frames by which the sound comes late: the delay of the filters behind `oversampling`. Plug-ins report it to their hosts.
///
/// Any thread. Does not allocate.
#[unsafe(no_mangle)]
pub extern "C" fn ictus_patch_latency_frames(patch: Option<&IctusPatch>) -> usize {
    patch.map_or(0, |patch| patch.patch.latency_frames())
}

/// Number of ports that events can reach.
///
/// Any thread. Does not allocate.
#[unsafe(no_mangle)]
pub extern "C" fn ictus_patch_port_count(patch: Option<&IctusPatch>) -> usize {
    patch.map_or(0, |patch| patch.ports.len())
}

/// Name of a port (`mallet`, `bar.strike`), UTF-8, valid as long as the patch; null if there is no such port.
///
/// Any thread. Does not allocate.
#[unsafe(no_mangle)]
pub extern "C" fn ictus_patch_port_name(patch: Option<&IctusPatch>, port: usize) -> *const c_char {
    patch.map_or(std::ptr::null(), |patch| text::at(&patch.ports, port))
}

/// Index of the port of that name, or `SIZE_MAX`.
///
/// Any thread. Does not allocate.
///
/// # Safety
/// `name` is null or a text that ends in a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ictus_patch_find_port(patch: Option<&IctusPatch>, name: *const c_char) -> usize {
    // SAFETY: the caller passes null or a text that ends in a zero byte, and leaves it alone during the call.
    let (Some(patch), Some(Ok(name))) = (patch, unsafe { text::from_c(name) }) else { return usize::MAX };
    patch.patch.find_port(name).map_or(usize::MAX, PortId::index)
}

/// Number of taps: each is a bus of its own behind left and right.
///
/// Any thread. Does not allocate.
#[unsafe(no_mangle)]
pub extern "C" fn ictus_patch_tap_count(patch: Option<&IctusPatch>) -> usize {
    patch.map_or(0, |patch| patch.taps.len())
}

/// Name of a tap, UTF-8, valid as long as the patch; null if there is no such tap.
///
/// Any thread. Does not allocate.
#[unsafe(no_mangle)]
pub extern "C" fn ictus_patch_tap_name(patch: Option<&IctusPatch>, tap: usize) -> *const c_char {
    patch.map_or(std::ptr::null(), |patch| text::at(&patch.taps, tap))
}

/// Number of inputs.
///
/// Any thread. Does not allocate.
#[unsafe(no_mangle)]
pub extern "C" fn ictus_patch_input_count(patch: Option<&IctusPatch>) -> usize {
    patch.map_or(0, |patch| patch.inputs.len())
}

/// Describes an input in `*description`. False, and nothing is written, if there is no such input.
///
/// Any thread. Does not allocate.
#[unsafe(no_mangle)]
pub extern "C" fn ictus_patch_input(
    patch: Option<&IctusPatch>,
    input: usize,
    description: Option<&mut MaybeUninit<IctusInput>>,
) -> bool {
    let (Some(patch), Some(description)) = (patch, description) else { return false };
    let (Some(texts), Some(input)) = (patch.inputs.get(input), patch.patch.inputs().nth(input)) else { return false };
    description.write(IctusInput {
        id: texts.id.as_ptr(),
        path: texts.path.as_ptr(),
        unit: texts.unit.as_ptr(),
        low: input.range.0,
        high: input.range.1,
        limit_low: input.limits.0,
        limit_high: input.limits.1,
        start: input.start,
        ramp_s: input.ramp_s,
    });
    true
}

/// Index of the input of that id or path, or `SIZE_MAX`.
///
/// Any thread. Does not allocate.
///
/// # Safety
/// `name` is null or a text that ends in a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ictus_patch_find_input(patch: Option<&IctusPatch>, name: *const c_char) -> usize {
    // SAFETY: the caller passes null or a text that ends in a zero byte, and leaves it alone during the call.
    let (Some(patch), Some(Ok(name))) = (patch, unsafe { text::from_c(name) }) else { return usize::MAX };
    patch.patch.find_input(name).map_or(usize::MAX, ictus_engine::InputId::index)
}

/// Index of the knob of that id or name, whether it is live or not; `SIZE_MAX` if the patch has none. An event that turns a knob that is not live is counted as impossible.
///
/// Any thread. Does not allocate.
///
/// # Safety
/// `name` is null or a text that ends in a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ictus_patch_find_knob(patch: Option<&IctusPatch>, name: *const c_char) -> usize {
    // SAFETY: the caller passes null or a text that ends in a zero byte, and leaves it alone during the call.
    let (Some(patch), Some(Ok(name))) = (patch, unsafe { text::from_c(name) }) else { return usize::MAX };
    patch.patch.find_knob(name).unwrap_or(usize::MAX)
}

/// True if a knob can be turned while the instrument sounds.
///
/// Any thread. Does not allocate.
#[unsafe(no_mangle)]
pub extern "C" fn ictus_patch_knob_is_live(patch: Option<&IctusPatch>, knob: usize) -> bool {
    patch.and_then(|patch| patch.patch.knobs().get(knob)).is_some_and(ictus_engine::Knob::is_live)
}
