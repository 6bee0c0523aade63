//! Numbers that begin at a cache line: a vector load that straddles two lines costs twice.

#![allow(unsafe_code)]

use crate::lanes::LANES;
use std::ops::{Deref, DerefMut};

/// Numbers of a cache line, which is as long as the widest vector.
const NUMBERS: usize = 8;

/// A cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Line([f64; NUMBERS]);

/// A processor looks at the last twelve bits of an address when it asks whether a number is just being written: so many numbers later they repeat.
const REPEAT: usize = 4096 / size_of::<f64>();
/// Numbers of one index must lie further apart than this, or they are mistaken for each other: what is under way at a time.
const NEAR: usize = 80;

/// The least length, at least `len` and of whole cache lines if that is, with which `count` arrays can follow each other in memory and be worked through side by side.
pub fn spaced(len: usize, count: usize) -> usize {
    let near = |len: &usize| {
        (1..count).map(|n| n * len % REPEAT).any(|distance| distance.min(REPEAT - distance) < NEAR.min(*len))
    };
    (0..REPEAT / LANES).map(|lines| len + lines * LANES).find(|len| !near(len)).unwrap_or(len)
}

/// A fixed number of `f64` of which the first begins a cache line.
#[derive(Debug, Default)]
pub struct Aligned {
    lines: Vec<Line>,
    len: usize,
}

impl Aligned {
    /// `len` times `value`.
    pub fn new(value: f64, len: usize) -> Self {
        Self { lines: vec![Line([value; NUMBERS]); len.div_ceil(NUMBERS)], len }
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

    /// Allocates only where the lengths differ.
    fn clone_from(&mut self, source: &Self) {
        if self.len == source.len {
            self.copy_from_slice(source);
        } else {
            *self = source.clone();
        }
    }
}

// bodies look at their numbers many times a step: a range of a vector would be checked every time
impl Deref for Aligned {
    type Target = [f64];

    #[inline]
    fn deref(&self) -> &[f64] {
        // SAFETY: the lines lie one behind the other without gaps, and `new` has made as many as `len` numbers need
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.len) }
    }
}

impl DerefMut for Aligned {
    #[inline]
    fn deref_mut(&mut self) -> &mut [f64] {
        // SAFETY: as in `deref`, and nobody else holds them
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
            for place in [&numbers, &copy] {
                assert_eq!(place.as_ptr() as usize % 64, 0);
            }
        }
    }

    #[test]
    fn spaced_arrays_are_not_mistaken_for_each_other() {
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
