//! Texts across the boundary.

use std::ffi::{CStr, CString, c_char};

/// A text for C. A zero byte, which would end it early, becomes U+FFFD.
pub(crate) fn to_c(text: &str) -> CString {
    CString::new(text.replace('\0', "\u{fffd}")).unwrap_or_default()
}

/// The pointer to a text of a list, or null.
pub(crate) fn at(texts: &[CString], index: usize) -> *const c_char {
    texts.get(index).map_or(std::ptr::null(), |text| text.as_ptr())
}

/// A text from C; none if the pointer is null, an error if it is not UTF-8.
///
/// # Safety
/// `text` is null or points to a text that ends in a zero byte and does not change during `'a`.
pub(crate) unsafe fn from_c<'a>(text: *const c_char) -> Option<Result<&'a str, std::str::Utf8Error>> {
    if text.is_null() {
        return None;
    }
    // SAFETY: not null, checked above; ends in a zero byte and stays as it is, by the contract of this function.
    Some(unsafe { CStr::from_ptr(text) }.to_str())
}
