//! Buffers of `f64` aligned to cache lines: a vector load that straddles two lines costs twice.

#![allow(unsafe_code)]

use crate::lanes::LANES;
use std::ops::{Deref, DerefMut};

/// `f64` values per cache line, as many as in the widest vector.
const LINE_LEN: usize = 8;

/// A cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Line([f64; LINE_LEN]);

/// Distance in `f64` at which addresses alias: store-to-load forwarding compares only the low twelve address bits.
const REPEAT: usize = 4096 / size_of::<f64>();
/// Smallest distance in `f64`, modulo [`REPEAT`], at which two arrays do not alias: the window of elements in flight at one time.
const NEAR: usize = 80;

/// The smallest pitch ≥ `len`, a multiple of a cache line if `len` is, at which `count` consecutive arrays can be traversed side by side without 4 kB aliasing.
pub fn spaced(len: usize, count: usize) -> usize {
    let near = |len: &usize| {
        (1..count).map(|n| n * len % REPEAT).any(|distance| distance.min(REPEAT - distance) < NEAR.min(*len))
    };
    (0..REPEAT / LANES).map(|lines| len + lines * LANES).find(|len| !near(len)).unwrap_or(len)
}

/// A fixed-length buffer of `f64` that starts on a cache line.
#[derive(Debug, Default)]
pub struct Aligned {
    lines: Vec<Line>,
    len: usize,
}

impl Aligned {
    /// A buffer of `len` copies of `value`.
    pub fn new(value: f64, len: usize) -> Self {
        Self { lines: vec![Line([value; LINE_LEN]); len.div_ceil(LINE_LEN)], len }
    }
}

impl From<&[f64]> for Aligned {
    fn from(values: &[f64]) -> Self {
        let mut aligned = Self::new(0.0, values.len());
        aligned.copy_from_slice(values);
        aligned
    }
}

impl FromIterator<f64> for Aligned {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        Self::from(&*values.into_iter().collect::<Vec<f64>>())
    }
}

impl Clone for Aligned {
    fn clone(&self) -> Self {
        Self::from(&**self)
    }

    /// Allocates only if the lengths differ.
    fn clone_from(&mut self, source: &Self) {
        if self.len == source.len {
            self.copy_from_slice(source);
        } else {
            *self = source.clone();
        }
    }
}

// the raw slice avoids the bounds check that a range of `lines` would cost on each access
impl Deref for Aligned {
    type Target = [f64];

    #[inline]
    fn deref(&self) -> &[f64] {
        // SAFETY: `lines` is contiguous and holds `len.div_ceil(LINE_LEN)` lines, allocated in `new` and never resized, so `len` initialised numbers follow the pointer
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.len) }
    }
}

impl DerefMut for Aligned {
    #[inline]
    fn deref_mut(&mut self) -> &mut [f64] {
        // SAFETY: as in `deref`; `&mut self` makes the borrow exclusive
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.len) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn begins_at_a_cache_line() {
        for len in [0, 1, 7, 64, 1001] {
            let numbers: Aligned = (0..len).map(f64::from).collect();
            let copy = numbers.clone();
            assert_eq!(*numbers, *copy);
            assert_eq!(numbers.len(), len as usize);
            for buffer in [&numbers, &copy] {
                assert_eq!(buffer.as_ptr() as usize % 64, 0);
            }
        }
    }

    #[test]
    fn spaced_arrays_do_not_alias() {
        for len in (8..4096).step_by(8) {
            for count in 1..=6 {
                let pitch = spaced(len, count);
                assert!(pitch >= len && pitch < len + REPEAT && pitch.is_multiple_of(LANES));
                for n in 1..count {
                    let distance = n * pitch % REPEAT;
                    assert!(distance.min(REPEAT - distance) >= NEAR.min(len), "{count} arrays of {pitch}");
                }
            }
        }
    }
}
