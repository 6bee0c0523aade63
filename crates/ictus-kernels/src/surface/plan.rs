//! Traversal order of the points of a surface.
//!
//! A step is one pass: points move, the prediction of their neighbours follows with a lag, and points beyond the rim are skipped. The points are taken in chunks of eight
//! that cover the surface, the chunks in groups longer than a row: when a group has moved, all neighbours of the previous group have moved too.

use crate::lanes::LANES;
use crate::simd::Simd;
use std::ops::Range;

/// Fewest chunks per group, so that its overhead is negligible.
const GROUP: usize = 32;

/// Chunks that cover every relevant point of a surface.
#[derive(Clone, Debug)]
pub struct Plan {
    /// First points of the chunks, ascending and without overlap. For each chunk c, `c - (stride + 1) >= 0` and `c + stride + 1 + LANES <= len`.
    chunks: Vec<usize>,
    /// Of each chunk: true if all of its points move, so that no weights are loaded.
    whole: Vec<bool>,
    /// Index of the first chunk of each group, then the number of chunks.
    groups: Vec<usize>,
    stride: usize,
    len: usize,
}

impl Plan {
    /// The points `i` of arrays of `len` values in rows of `stride` for which `matters(i)`: none in the first two and the last two rows, and rows of at least eight values.
    /// If rows are a whole number of chunks, chunks are aligned like vectors in memory.
    pub fn new(len: usize, stride: usize, matters: impl Fn(usize) -> bool) -> Self {
        let grain = if stride.is_multiple_of(LANES) { LANES } else { 1 };
        let scratch = 2 * stride..len.saturating_sub(stride + LANES);
        let mut chunks: Vec<usize> = Vec::new();
        for i in scratch.filter(|&i| matters(i)) {
            if chunks.last().is_none_or(|last| last + LANES <= i) {
                chunks.push(i / grain * grain);
            }
        }
        let mut groups = Vec::new();
        for (index, &start) in chunks.iter().enumerate() {
            let far = |&first: &usize| index - first >= GROUP && start - chunks[first] >= stride + LANES;
            if groups.last().is_none_or(far) {
                groups.push(index);
            }
        }
        groups.push(chunks.len());
        Self { whole: vec![false; chunks.len()], chunks, groups, stride, len }
    }

    /// Marks the chunks whose points all have weight 1.
    pub fn with_whole(mut self, is_whole: impl Fn(usize) -> bool) -> Self {
        for (whole, &first) in self.whole.iter_mut().zip(&self.chunks) {
            *whole = (first..first + LANES).all(&is_whole);
        }
        self
    }

    /// Rounds of a pass whose last stage is `lag` groups behind the first.
    #[inline(always)]
    pub(crate) fn rounds(&self, lag: usize) -> Range<usize> {
        0..self.groups.len() - 1 + lag
    }

    /// The chunks of a round for a stage `lag` groups behind; empty before the first group and after the last.
    #[inline(always)]
    pub(crate) fn group(&self, round: usize, lag: usize) -> &[usize] {
        &self.chunks[self.range(round, lag)]
    }

    /// As [`group`](Self::group), each chunk with whether it is whole.
    #[inline(always)]
    pub(crate) fn weighed(&self, round: usize, lag: usize) -> impl Iterator<Item = (usize, bool)> {
        let range = self.range(round, lag);
        self.chunks[range.clone()].iter().copied().zip(self.whole[range].iter().copied())
    }

    #[inline(always)]
    fn range(&self, round: usize, lag: usize) -> Range<usize> {
        match round.checked_sub(lag).and_then(|group| self.groups.get(group..group + 2)) {
            Some(&[first, last]) => first..last,
            _ => 0..0,
        }
    }

    /// Values per row.
    #[inline(always)]
    pub(crate) fn stride(&self) -> usize {
        self.stride
    }

    /// True for arrays of the length of the plan: all chunks with their neighbours, up to `stride + 1` away, lie inside them.
    #[inline(always)]
    pub(crate) fn fits<const K: usize>(&self, arrays: [&[f64]; K]) -> bool {
        arrays.iter().all(|array| array.len() == self.len)
    }
}

/// Loads a vector of the values from `first + offset` on.
///
/// # Safety
/// `first + offset >= 0` and `first + offset + LANES <= values.len()`.
#[inline(always)]
#[allow(unsafe_code)]
pub(crate) unsafe fn load<S: Simd>(simd: S, values: &[f64], first: usize, offset: isize) -> S::V {
    let first = first.wrapping_add_signed(offset);
    debug_assert!(first + LANES <= values.len());
    // SAFETY: `first + LANES <= values.len()` by the contract above, which `Plan::fits` establishes for chunks; asserted in debug builds
    simd.load(unsafe { &*values.as_ptr().add(first).cast() })
}

/// Stores a vector to the values from `first` on.
///
/// # Safety
/// `first + LANES <= values.len()`.
#[inline(always)]
#[allow(unsafe_code)]
pub(crate) unsafe fn store<S: Simd>(simd: S, values: &mut [f64], first: usize, new: S::V) {
    debug_assert!(first + LANES <= values.len());
    // SAFETY: `first + LANES <= values.len()` by the contract above, which `Plan::fits` establishes for chunks; asserted in debug builds
    simd.store(unsafe { &mut *values.as_mut_ptr().add(first).cast() }, new);
}
