//! Conversion of a surface to grid layout and back.

#![allow(unsafe_code)]

use crate::lanes::LANES;
use crate::simd::{Words, transposed};
use crate::surface::bands::Bands;
use std::marker::PhantomData;

/// A surface in grid layout: rows of alternating vectors of ũ and v, then the rows stored aside.
///
/// Passed by value: behind a reference, the compiler would assume that each stored vector may change the fields, and reload them.
#[derive(Clone, Copy)]
pub(super) struct GridLayout<'a, W: Words> {
    pub words: W,
    scratch: *mut f64,
    /// Length of `scratch` in numbers, at least `bands.scratch()`.
    len: usize,
    borrow: PhantomData<&'a mut [f64]>,
    pub bands: &'a Bands,
    stride: usize,
}

impl<'a, W: Words> GridLayout<'a, W> {
    /// Numbers per column of a row: ũ, then v.
    pub const BOTH: usize = 2 * W::WIDTH;

    /// Converts a surface with rows of `stride` numbers to grid layout.
    #[inline(always)]
    pub fn new(words: W, scratch: &'a mut [f64], bands: &'a Bands, stride: usize, motion: [&[f64]; 2]) -> Self {
        assert!(
            bands.width == W::WIDTH && scratch.len() >= bands.scratch(),
            "the scratch buffer is shorter than Plan::scratch"
        );
        let (scratch, len) = (scratch.as_mut_ptr(), scratch.len());
        let layout = Self { words, scratch, len, borrow: PhantomData, bands, stride };
        let zero = words.splat(0.0);
        for start in (0..bands.end()).step_by(bands.pitch) {
            for column in [0, bands.columns + 1, bands.columns + 2] {
                layout.from(start).store(column * Self::BOTH, zero);
                layout.from(start).store(column * Self::BOTH + W::WIDTH, zero);
            }
        }
        for (array, values) in motion.into_iter().enumerate() {
            assert!(layout.fits(values));
            for row in 0..bands.rows {
                let mut column = 0;
                while column < bands.columns {
                    let first = layout.start(column);
                    let mut square = [zero; LANES];
                    for (lane, vector) in square[..W::WIDTH].iter_mut().enumerate() {
                        // lanes beyond the surface load zeros from the first row
                        let at = layout.point(lane, row).map_or(0, |at| at + first);
                        // SAFETY: at + WIDTH <= (top + tall)·stride <= values.len(), asserted by `fits` above
                        *vector = words.load(unsafe { &*values.as_ptr().add(at).cast() });
                    }
                    square = transposed(words, square);
                    for (i, &vector) in square[..W::WIDTH].iter().enumerate() {
                        layout.row(row).store((1 + first + i) * Self::BOTH + array * W::WIDTH, vector);
                    }
                    column += W::WIDTH;
                }
            }
        }
        layout
    }

    /// Converts back to the arrays of the surface.
    #[inline(always)]
    pub fn put_back(self, motion: [&mut [f64]; 2]) {
        let (words, bands) = (self.words, self.bands);
        for (array, values) in motion.into_iter().enumerate() {
            assert!(self.fits(values));
            for row in 0..bands.rows {
                let mut column = 0;
                while column < bands.columns {
                    let first = self.start(column);
                    let mut square = [words.splat(0.0); LANES];
                    for (i, vector) in square[..W::WIDTH].iter_mut().enumerate() {
                        *vector = self.row(row).load((1 + first + i) * Self::BOTH + array * W::WIDTH);
                    }
                    square = transposed(words, square);
                    for (lane, &vector) in square[..W::WIDTH].iter().enumerate() {
                        if let Some(at) = self.point(lane, row) {
                            // SAFETY: at + first + WIDTH <= (top + tall)·stride <= values.len(), asserted by `fits` above
                            words.store(unsafe { &mut *values.as_mut_ptr().add(at + first).cast() }, vector);
                        }
                    }
                    column += W::WIDTH;
                }
            }
        }
    }

    /// True for an array that contains all moving points.
    #[inline(always)]
    fn fits(self, values: &[f64]) -> bool {
        let Bands { columns, tall, first: [top, left], .. } = *self.bands;
        columns >= W::WIDTH && left + columns <= self.stride && values.len() >= (top + tall) * self.stride
    }

    /// First of `WIDTH` columns to convert at once, counted from the first moving column: the last block may overlap the previous one.
    #[inline(always)]
    fn start(self, column: usize) -> usize {
        column.min(self.bands.columns - W::WIDTH)
    }

    /// Index in the arrays of the first moving point of a row, if the surface extends so far in this lane.
    #[inline(always)]
    fn point(self, lane: usize, row: usize) -> Option<usize> {
        let Bands { rows, tall, first: [top, left], .. } = *self.bands;
        let below = lane * rows + row;
        (below < tall).then_some((top + below) * self.stride + left)
    }

    /// A row, from column 0 on.
    #[inline(always)]
    pub fn row(self, row: usize) -> VectorRow<W> {
        self.from(row * self.bands.pitch)
    }

    /// The row aside number `which`.
    #[inline(always)]
    pub fn aside(self, which: usize) -> VectorRow<W> {
        self.from(self.bands.end() + which * self.bands.aside)
    }

    #[inline(always)]
    fn from(self, at: usize) -> VectorRow<W> {
        debug_assert!(at < self.len);
        // SAFETY: at < len, asserted in debug builds: row <= bands.rows + 1 and which < BENT + PULLS, so rows begin inside the `bands.scratch()` numbers asserted in `new`
        VectorRow { words: self.words, first: unsafe { self.scratch.add(at) }, len: self.len - at }
    }

    /// Access to single numbers.
    #[inline(always)]
    pub fn numbers(self) -> Numbers<'a> {
        Numbers { scratch: self.scratch, len: self.len, borrow: PhantomData, bands: self.bands, stride: self.stride }
    }
}

/// A row of vectors.
#[derive(Clone, Copy)]
pub(super) struct VectorRow<W: Words> {
    words: W,
    first: *mut f64,
    /// Numbers from `first` to the end of the scratch buffer.
    len: usize,
}

impl<W: Words> VectorRow<W> {
    /// Loads the vector `at` numbers from the first one.
    #[inline(always)]
    pub fn load(self, at: usize) -> W::V {
        debug_assert!(at + W::WIDTH <= self.len);
        // SAFETY: at + WIDTH <= len, asserted in debug builds: columns are at most bands.columns + 2 and the row has that many, see `Bands::pitch` and `Bands::aside`; the scratch is borrowed for 'a of the layout
        self.words.load(unsafe { &*self.first.add(at).cast() })
    }

    /// Stores a vector `at` numbers from the first one.
    #[inline(always)]
    pub fn store(self, at: usize, vector: W::V) {
        debug_assert!(at + W::WIDTH <= self.len);
        // SAFETY: at + WIDTH <= len, as in `load`
        self.words.store(unsafe { &mut *self.first.add(at).cast() }, vector);
    }

    /// A single number.
    #[inline(always)]
    pub fn number(self, at: usize) -> f64 {
        debug_assert!(at < self.len);
        // SAFETY: at < len, asserted in debug builds; `Numbers::locate` yields indices inside a row
        unsafe { *self.first.add(at) }
    }
}

/// Access to single numbers of a surface in grid layout.
#[derive(Clone, Copy)]
pub(super) struct Numbers<'a> {
    scratch: *mut f64,
    len: usize,
    borrow: PhantomData<&'a mut [f64]>,
    bands: &'a Bands,
    stride: usize,
}

impl Numbers<'_> {
    /// The row of a moving point of the arrays; the index of its ũ in that row, and its index in rows stored aside.
    pub fn locate(self, point: usize) -> (usize, [usize; 2]) {
        let Bands { width, rows, columns, tall, first: [top, left], .. } = *self.bands;
        let (below, right) = ((point / self.stride).wrapping_sub(top), (point % self.stride).wrapping_sub(left));
        assert!(below < tall && right < columns, "point {point} does not move");
        let (lane, column) = (below / rows, 1 + right);
        (below % rows, [2 * column * width + lane, column * width + lane])
    }

    /// Index of the ũ of a point in the scratch buffer.
    pub fn number_of(self, point: usize) -> usize {
        let (row, [at, _]) = self.locate(point);
        row * self.bands.pitch + at
    }

    /// ũ of a point, by its index.
    #[inline(always)]
    pub fn u(self, number: usize) -> f64 {
        self.number(number)
    }

    /// v of a point, by its index.
    #[inline(always)]
    pub fn v(self, number: usize) -> f64 {
        self.number(number + self.bands.width)
    }

    #[inline(always)]
    fn number(self, at: usize) -> f64 {
        debug_assert!(at < self.len);
        // SAFETY: at < len, asserted in debug builds: `number_of`, which asserts that the point moves, yields the index
        unsafe { *self.scratch.add(at) }
    }

    /// Sets ũ and v of a point.
    #[inline(always)]
    pub fn put(self, number: usize, [u, v]: [f64; 2]) {
        debug_assert!(number + self.bands.width < self.len);
        // SAFETY: number + width < len, asserted in debug builds: `number_of`, which asserts that the point moves, yields the index
        unsafe {
            *self.scratch.add(number) = u;
            *self.scratch.add(number + self.bands.width) = v;
        }
    }
}
