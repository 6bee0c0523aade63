//! In which order the points of a surface are worked through.
//!
//! A step is one pass: points move, their neighbours follow close behind, and what lies beyond the rim is left out. The points are taken in chunks of eight
//! wherever a surface has some, the chunks in groups longer than a row: when a group has moved, all neighbours of the group before it have moved, too.

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
    /// Rows for those who need no groups, if they can be worked through so.
    lines: Vec<Line>,
    stride: usize,
    len: usize,
}

/// A row, and the one above it that can move once this one has been looked at. In both it is the same columns that matter or have neighbours that do.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// Where the first chunk lies.
    pub first: usize,
    /// In which column.
    pub column: usize,
    /// Points of the row above move.
    pub moves: bool,
    /// How many chunks there are.
    pub chunks: usize,
    /// Those in the middle that are whole in both rows.
    pub whole: Range<usize>,
}

/// Where in an array of a surface some rows are put aside, each with a chunk before and behind it. The first row and the last are left alone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows {
    stride: usize,
}

impl Rows {
    /// How many.
    pub const COUNT: usize = 3;

    pub fn new(stride: usize) -> Self {
        Self { stride }
    }

    /// Where column 0 of the row of this number lies.
    #[inline(always)]
    pub fn at(self, number: usize) -> usize {
        self.stride + LANES + number * (self.stride + 2 * LANES)
    }

    /// Where they begin.
    pub fn start(self) -> usize {
        self.at(0) - LANES
    }

    /// Where they end.
    pub fn end(self) -> usize {
        self.at(Self::COUNT) - LANES
    }
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
        Self { whole: vec![false; chunks.len()], chunks, groups, lines: Vec::new(), stride, len }
    }

    /// Tells where points have the weight 1 in every respect.
    pub fn with_whole(mut self, is_whole: impl Fn(usize) -> bool) -> Self {
        for (whole, &first) in self.whole.iter_mut().zip(&self.chunks) {
            *whole = (first..first + LANES).all(&is_whole);
        }
        self
    }

    /// Finds the lines, if points move where `moves(i)`: from the row above them to the row below. None where rows are not a whole number of chunks, or where
    /// the rows that are put aside would not fit into one of the arrays. A rim that bends must not be that of two rows.
    pub fn with_lines(mut self, moves: impl Fn(usize) -> bool) -> Self {
        let stride = self.stride;
        let chunks_of = |row: usize| {
            let [first, last] = [row, row + 1].map(|row| self.chunks.partition_point(|&c| c < row * stride));
            &self.chunks[first..last]
        };
        let rows: Vec<bool> =
            (0..self.len / stride).map(|row| (row * stride..(row + 1) * stride).any(&moves)).collect();
        let (Some(first), Some(last)) = (rows.iter().position(|x| *x), rows.iter().rposition(|x| *x)) else {
            return self;
        };
        let fits = first >= 2 && (last + 3) * stride <= self.len && Rows::new(stride).end() + stride <= self.len;
        if !stride.is_multiple_of(LANES) || !fits {
            return self;
        }
        let is_whole = |c: usize| self.chunks.binary_search(&c).is_ok_and(|chunk| self.whole[chunk]);
        let mut lines = Vec::new();
        for row in first - 1..last + 2 {
            let near = || [row - 1, row, row + 1].into_iter().flat_map(|row| chunks_of(row).iter().map(|c| c % stride));
            let (Some(column), Some(right)) = (near().min(), near().max()) else { continue };
            let (first, chunks) = (row * stride + column, (right - column) / LANES + 1);
            let whole = |chunk: &usize| is_whole(first + chunk * LANES) && is_whole(first + chunk * LANES - stride);
            let start = (0..chunks).find(whole).unwrap_or(chunks);
            let end = (start..chunks).find(|chunk| !whole(chunk)).unwrap_or(chunks);
            lines.push(Line { first, column, moves: rows[row - 1], chunks, whole: start..end });
        }
        self.lines = lines;
        self
    }

    /// True if it has [lines](Self::with_lines).
    pub fn has_lines(&self) -> bool {
        !self.lines.is_empty()
    }

    #[inline(always)]
    pub(crate) fn lines(&self) -> &[Line] {
        &self.lines
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
