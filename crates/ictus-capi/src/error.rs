//! Errors as texts.

use crate::text;
use ictus_instrument::Error;
use std::ffi::{CString, c_char};
use std::mem::MaybeUninit;

/// What is wrong with an instrument file, and where.
#[derive(Debug)]
pub struct IctusError {
    message: CString,
}

impl IctusError {
    pub(crate) fn new(message: &str) -> Box<Self> {
        Box::new(Self { message: text::to_c(message) })
    }
}

impl From<Error> for Box<IctusError> {
    /// `file:line:column: message`, and the help in a line of its own.
    fn from(error: Error) -> Self {
        let place = error.line_column().map_or(String::new(), |(line, column)| format!("{line}:{column}:"));
        let help = error.help_text().map_or(String::new(), |help| format!("\nhelp: {help}"));
        IctusError::new(&format!("{}:{place} {}{help}", error.file(), error.message()))
    }
}

/// Hands a result to C: the thing itself, or null and an error that the caller frees. Without a place for the error it is dropped.
pub(crate) fn hand_over<T>(
    result: Result<Box<T>, Box<IctusError>>,
    error: Option<&mut MaybeUninit<*mut IctusError>>,
) -> Option<Box<T>> {
    let (thing, fault) = match result {
        Ok(thing) => (Some(thing), None),
        Err(fault) => (None, Some(fault)),
    };
    if let Some(error) = error {
        error.write(fault.map_or(std::ptr::null_mut(), Box::into_raw));
    }
    thing
}

/// The text of an error: `bar.toml:7:12: message`, and in a second line a way out if one is known. UTF-8; valid until the error is freed.
///
/// Any thread. Does not allocate. Null for null.
#[unsafe(no_mangle)]
pub extern "C" fn ictus_error_message(error: Option<&IctusError>) -> *const c_char {
    error.map_or(std::ptr::null(), |error| error.message.as_ptr())
}

/// Frees an error.
///
/// Any thread but the audio thread. Frees memory.
#[unsafe(no_mangle)]
pub extern "C" fn ictus_error_free(error: Option<Box<IctusError>>) {
    drop(error);
}
