//! A surface laid out in lanes, and back.

#![allow(unsafe_code)]

use crate::lanes::LANES;
use crate::simd::{Words, transposed};
use crate::surface::bands::Bands;
use std::marker::PhantomData;

/// A surface in lanes: rows of vectors of ũ and v in turn, and behind them the rows that are put aside.
///
/// Whoever takes steps takes it by value: of what lies behind a reference the compiler believes that every vector written may change it, and reads it again.
#[derive(Clone, Copy)]
pub(super) struct Sheet<'a, W: Words> {
    pub words: W,
    room: *mut f64,
    /// Numbers in it.
    len: usize,
    lent: PhantomData<&'a mut [f64]>,
    pub bands: &'a Bands,
    stride: usize,
}

impl<'a, W: Words> Sheet<'a, W> {
    /// Numbers of a column of a row: ũ, then v.
    pub const BOTH: usize = 2 * W::WIDTH;

    /// Takes a surface over that has rows of `stride` numbers.
    #[inline(always)]
    pub fn new(words: W, room: &'a mut [f64], bands: &'a Bands, stride: usize, motion: [&[f64]; 2]) -> Self {
        assert!(bands.width == W::WIDTH && room.len() >= bands.room(), "room for the bands");
        let (room, len) = (room.as_mut_ptr(), room.len());
        let sheet = Self { words, room, len, lent: PhantomData, bands, stride };
        let nothing = words.splat(0.0);
        for place in (0..bands.end()).step_by(bands.pitch) {
            for column in [0, bands.columns + 1, bands.columns + 2] {
                sheet.from(place).store(column * Self::BOTH, nothing);
                sheet.from(place).store(column * Self::BOTH + W::WIDTH, nothing);
            }
        }
        for (array, values) in motion.into_iter().enumerate() {
            assert!(sheet.fits(values));
            for row in 0..bands.rows {
                let mut column = 0;
                while column < bands.columns {
                    let first = sheet.start(column);
                    let mut square = [nothing; LANES];
                    for (lane, vector) in square[..W::WIDTH].iter_mut().enumerate() {
                        // where a band goes on below the surface, the zeros in front of it
                        let at = sheet.point(lane, row).map_or(0, |at| at + first);
                        // SAFETY: as many numbers from there on lie in the array.
                        *vector = words.load(unsafe { &*values.as_ptr().add(at).cast() });
                    }
                    square = transposed(words, square);
                    for (i, &vector) in square[..W::WIDTH].iter().enumerate() {
                        sheet.row(row).store((1 + first + i) * Self::BOTH + array * W::WIDTH, vector);
                    }
                    column += W::WIDTH;
                }
            }
        }
        sheet
    }

    /// Gives it back.
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
                            // SAFETY: as many numbers from there on lie in the array.
                            words.store(unsafe { &mut *values.as_mut_ptr().add(at + first).cast() }, vector);
                        }
                    }
                    column += W::WIDTH;
                }
            }
        }
    }

    /// True for an array in which all points lie.
    #[inline(always)]
    fn fits(self, values: &[f64]) -> bool {
        let Bands { columns, tall, first: [top, left], .. } = *self.bands;
        columns >= W::WIDTH && left + columns <= self.stride && values.len() >= (top + tall) * self.stride
    }

    /// The column, counted from the first that moves, at which as many are taken at a time as there are lanes: the last ones may have been there before.
    #[inline(always)]
    fn start(self, column: usize) -> usize {
        column.min(self.bands.columns - W::WIDTH)
    }

    /// Where in the arrays the first point of a row lies, if the surface goes on so far in this lane.
    #[inline(always)]
    fn point(self, lane: usize, row: usize) -> Option<usize> {
        let Bands { rows, tall, first: [top, left], .. } = *self.bands;
        let below = lane * rows + row;
        (below < tall).then_some((top + below) * self.stride + left)
    }

    /// A row, from column 0 on.
    #[inline(always)]
    pub fn row(self, row: usize) -> Row<W> {
        self.from(row * self.bands.pitch)
    }

    /// The row that is put aside as number `which`.
    #[inline(always)]
    pub fn aside(self, which: usize) -> Row<W> {
        self.from(self.bands.end() + which * self.bands.aside)
    }

    #[inline(always)]
    fn from(self, at: usize) -> Row<W> {
        debug_assert!(at < self.len);
        // SAFETY: rows lie in the room.
        Row { words: self.words, first: unsafe { self.room.add(at) }, len: self.len - at }
    }

    /// The numbers one by one.
    #[inline(always)]
    pub fn numbers(self) -> Numbers<'a> {
        Numbers { room: self.room, len: self.len, lent: PhantomData, bands: self.bands, stride: self.stride }
    }
}

/// Vectors of a row.
#[derive(Clone, Copy)]
pub(super) struct Row<W: Words> {
    words: W,
    first: *mut f64,
    /// Numbers from there to the end of the room.
    len: usize,
}

impl<W: Words> Row<W> {
    /// The vector so many numbers from the first one.
    #[inline(always)]
    pub fn load(self, at: usize) -> W::V {
        debug_assert!(at + W::WIDTH <= self.len);
        // SAFETY: what is asked for of a row lies in the room, which is lent for as long as there are rows.
        self.words.load(unsafe { &*self.first.add(at).cast() })
    }

    /// Replaces it.
    #[inline(always)]
    pub fn store(self, at: usize, vector: W::V) {
        debug_assert!(at + W::WIDTH <= self.len);
        // SAFETY: as above.
        self.words.store(unsafe { &mut *self.first.add(at).cast() }, vector);
    }

    /// A single number.
    #[inline(always)]
    pub fn number(self, at: usize) -> f64 {
        debug_assert!(at < self.len);
        // SAFETY: as above.
        unsafe { *self.first.add(at) }
    }
}

/// The same for whoever asks for single numbers.
#[derive(Clone, Copy)]
pub(super) struct Numbers<'a> {
    room: *mut f64,
    len: usize,
    lent: PhantomData<&'a mut [f64]>,
    bands: &'a Bands,
    stride: usize,
}

impl Numbers<'_> {
    /// The row in which a point of the arrays lies that moves; where in the row its ũ lies, and where its number lies in rows that are put aside.
    pub fn place(self, point: usize) -> (usize, [usize; 2]) {
        let Bands { width, rows, columns, tall, first: [top, left], .. } = *self.bands;
        let (below, right) = ((point / self.stride).wrapping_sub(top), (point % self.stride).wrapping_sub(left));
        assert!(below < tall && right < columns, "a point that moves");
        let (lane, column) = (below / rows, 1 + right);
        (below % rows, [2 * column * width + lane, column * width + lane])
    }

    /// Where its ũ lies in the room.
    pub fn number_of(self, point: usize) -> usize {
        let (row, [at, _]) = self.place(point);
        row * self.bands.pitch + at
    }

    /// ũ of a point.
    #[inline(always)]
    pub fn u(self, number: usize) -> f64 {
        self.number(number)
    }

    /// Its v.
    #[inline(always)]
    pub fn v(self, number: usize) -> f64 {
        self.number(number + self.bands.width)
    }

    #[inline(always)]
    fn number(self, at: usize) -> f64 {
        debug_assert!(at < self.len);
        // SAFETY: rows lie in the room.
        unsafe { *self.room.add(at) }
    }

    /// Sets both.
    #[inline(always)]
    pub fn put(self, number: usize, [u, v]: [f64; 2]) {
        debug_assert!(number + self.bands.width < self.len);
        // SAFETY: rows lie in the room.
        unsafe {
            *self.room.add(number) = u;
            *self.room.add(number + self.bands.width) = v;
        }
    }
}
