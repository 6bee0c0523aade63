//! In which order the points of a surface are worked through.
//!
//! A step is one pass: points move, their neighbours follow close behind, and what lies beyond the rim is left out. The points are taken in chunks of eight
//! wherever a surface has some, the chunks in groups longer than a row: when a group has moved, all neighbours of the group before it have moved, too.

use super::bands::Bands;
use crate::lanes::LANES;
use crate::simd::Words;
use std::ops::Range;

/// Fewest chunks of a group: its own cost must not show.
const GROUP: usize = 32;

/// Chunks that hold every point of a surface that matters.
#[derive(Clone, Debug)]
pub struct Plan {
    /// First points of the chunks, in order, no point in two; all neighbours of a chunk, at most a row and one away, lie in arrays of `len`.
    chunks: Vec<usize>,
    /// Of each chunk: all of its points move, so that no weights need be read.
    whole: Vec<bool>,
    /// Chunks at which groups begin, and their number.
    groups: Vec<usize>,
    /// For blocks of steps.
    bands: Vec<Bands>,
    stride: usize,
    len: usize,
}

impl Plan {
    /// The points `i` of arrays of `len` values in rows of `stride` for which `matters(i)`: none in the first two and the last two rows, and rows of at least eight.
    /// Where rows are a whole number of chunks, chunks lie in them like vectors in memory.
    pub fn new(len: usize, stride: usize, matters: impl Fn(usize) -> bool) -> Self {
        let grain = if stride.is_multiple_of(LANES) { LANES } else { 1 };
        let room = 2 * stride..len.saturating_sub(stride + LANES);
        let mut chunks: Vec<usize> = Vec::new();
        for i in room.filter(|&i| matters(i)) {
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
        Self { whole: vec![false; chunks.len()], chunks, groups, bands: Vec::new(), stride, len }
    }

    /// Tells where points have the weight 1 in every respect.
    pub fn with_whole(mut self, is_whole: impl Fn(usize) -> bool) -> Self {
        for (whole, &first) in self.whole.iter_mut().zip(&self.chunks) {
            *whole = (first..first + LANES).all(&is_whole);
        }
        self
    }

    /// Cuts a surface with a held rim into bands, where it is large enough: `mask` is 1 where points move, `weight` is B of a plate, empty for a membrane.
    pub fn with_bands(mut self, mask: &[f64], weight: &[f64]) -> Self {
        assert!(self.fits([mask]) && (weight.is_empty() || self.fits([weight])), "arrays of one surface");
        self.bands = Bands::all(self.stride, mask, weight);
        self
    }

    /// Numbers of room that [blocks](super::block) of steps need, whatever the machine's vectors; none if there are no blocks.
    pub fn room(&self) -> Option<usize> {
        self.bands.iter().map(Bands::room).max()
    }

    /// Bands for vectors of so many numbers.
    #[inline(always)]
    pub(crate) fn bands(&self, width: usize) -> Option<&Bands> {
        self.bands.iter().find(|bands| bands.width == width)
    }

    /// Rounds of a pass in which the last to follow is `lag` groups behind.
    #[inline(always)]
    pub(crate) fn rounds(&self, lag: usize) -> Range<usize> {
        0..self.groups.len() - 1 + lag
    }

    /// The chunks of a round for one who is `lag` groups behind; none before the first group and after the last.
    #[inline(always)]
    pub(crate) fn group(&self, round: usize, lag: usize) -> &[usize] {
        &self.chunks[self.range(round, lag)]
    }

    /// As [`group`](Self::group), each with whether it is whole.
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

    /// True for arrays of the length it is made for: then all chunks and their neighbours lie in them.
    #[inline(always)]
    pub(crate) fn fits<const K: usize>(&self, arrays: [&[f64]; K]) -> bool {
        arrays.iter().all(|array| array.len() == self.len)
    }
}

/// As many values as a vector has, the first of them `offset` from `first`.
///
/// # Safety
/// All of them lie in `values`.
#[inline(always)]
#[allow(unsafe_code)]
pub(crate) unsafe fn load<W: Words>(words: W, values: &[f64], first: usize, offset: isize) -> W::V {
    let first = first.wrapping_add_signed(offset);
    debug_assert!(first + W::WIDTH <= values.len());
    // SAFETY: the caller says so.
    words.load(unsafe { &*values.as_ptr().add(first).cast() })
}

/// Replaces as many values.
///
/// # Safety
/// All of them lie in `values`.
#[inline(always)]
#[allow(unsafe_code)]
pub(crate) unsafe fn store<W: Words>(words: W, values: &mut [f64], first: usize, new: W::V) {
    debug_assert!(first + W::WIDTH <= values.len());
    // SAFETY: the caller says so.
    words.store(unsafe { &mut *values.as_mut_ptr().add(first).cast() }, new);
}
