//! A string laid out in lanes, and back.

#![allow(unsafe_code)]

use super::marks::WATCHED;
use super::{FEWEST, MOST};
use crate::lanes::LANES;
use crate::simd::{Words, transposed};
use crate::string::step::{FIRST, Strung};
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// Rows before the first one: zeros, for what does not move.
const BEFORE: usize = 1;
/// The last rows, of which y is known when a step begins and is kept in as many rows behind the last one.
pub(super) const TAIL: usize = 4;
/// Numbers of ũ and v with what lies around them, and of rows that are put aside.
const ROOM: usize = 2 * (MOST + LANES + (BEFORE + TAIL) * LANES) + WATCHED * LANES;

/// Where a string lies during a call.
#[repr(align(64))]
pub(super) struct Room([MaybeUninit<f64>; ROOM]);

impl Room {
    #[inline(always)]
    pub fn new() -> Self {
        Self([const { MaybeUninit::uninit() }; ROOM])
    }
}

/// A string in lanes. Rows of ũ and v take turns.
///
/// Whoever takes steps takes it by value: of what lies behind a reference the compiler believes that every row written may change it, and reads it again.
#[derive(Clone, Copy)]
pub(super) struct Strip<'a, W: Words, const STIFF: bool> {
    pub words: W,
    /// Written before it is read: the zeros in front and the rows from the beginning, what is behind them at the beginning of every step.
    room: *mut MaybeUninit<f64>,
    /// Numbers in it.
    len: usize,
    lent: PhantomData<&'a mut Room>,
    points: usize,
    pub rows: usize,
    /// Pieces, from the second one on, that begin with the last point of the piece before; fewer than lanes.
    pub shared: usize,
    pub mirror: f64,
}

impl<'a, W: Words, const STIFF: bool> Strip<'a, W, STIFF> {
    /// Numbers of a row: ũ, then v.
    pub const ROW: usize = 2 * W::WIDTH;
    /// Where the first row begins.
    pub const START: usize = BEFORE * Self::ROW;

    /// Takes a string over.
    #[inline(always)]
    pub fn new(words: W, room: &'a mut Room, strung: Strung, motion: [&[f64]; 2]) -> Self {
        let Strung { points, mirror, .. } = strung;
        assert!((FEWEST..=MOST).contains(&points), "a string there is room for");
        let rows = points.div_ceil(W::WIDTH);
        let room = &mut room.0[..(BEFORE + rows + TAIL) * Self::ROW + WATCHED * W::WIDTH];
        let mut strip = Self {
            words,
            room: room.as_mut_ptr(),
            len: room.len(),
            lent: PhantomData,
            points,
            rows,
            shared: rows * W::WIDTH - points,
            mirror,
        };
        for at in [0, W::WIDTH] {
            strip.store(at, words.splat(0.0));
        }
        // the row behind all others has no y, but one is read
        strip.store(Self::row(rows + TAIL - 1), words.splat(0.0));
        for (array, values) in motion.into_iter().enumerate() {
            strip.squares(values.len(), |strip, row, lanes| {
                let mut square = [words.splat(0.0); LANES];
                for (vector, &lane) in square[..W::WIDTH].iter_mut().zip(&lanes) {
                    // SAFETY: as many numbers from there on lie in the array.
                    *vector = words.load(unsafe { &*values.as_ptr().add(lane).cast() });
                }
                let square = transposed(words, square);
                for (i, &vector) in square[..W::WIDTH].iter().enumerate() {
                    strip.store(Self::row(row + i) + array * W::WIDTH, vector);
                }
            });
        }
        strip
    }

    /// Calls `each` for as many rows at a time as there are lanes, all of them at least once: with the first row and with where the first of these points of each lane lie in an
    /// array of `len` numbers.
    #[inline(always)]
    pub fn squares(&mut self, len: usize, mut each: impl FnMut(&mut Self, usize, [usize; LANES])) {
        assert!(self.rows >= W::WIDTH && len >= FIRST + self.points);
        let mut row = 0;
        while row < self.rows {
            // the last ones may have been there before
            let first = row.min(self.rows - W::WIDTH);
            let lanes = std::array::from_fn(|lane| if lane < W::WIDTH { FIRST + self.first(lane) + first } else { 0 });
            each(self, first, lanes);
            row += W::WIDTH;
        }
    }

    /// Gives it back.
    #[inline(always)]
    pub fn put_back(&mut self, mut motion: [&mut [f64]; 2]) {
        let words = self.words;
        for (array, values) in motion.iter_mut().enumerate() {
            self.squares(values.len(), |strip, row, lanes| {
                let mut square = [words.splat(0.0); LANES];
                for (i, vector) in square[..W::WIDTH].iter_mut().enumerate() {
                    *vector = strip.load(Self::row(row + i) + array * W::WIDTH);
                }
                for (vector, &lane) in transposed(words, square)[..W::WIDTH].iter().zip(&lanes) {
                    // SAFETY: as many numbers from there on lie in the array.
                    words.store(unsafe { &mut *values.as_mut_ptr().add(lane).cast() }, *vector);
                }
            });
        }
        if STIFF {
            let ([u, _], end) = (motion, FIRST + self.points);
            u[FIRST - 2] = self.mirror * u[FIRST];
            u[end + 1] = self.mirror * u[end - 1];
        }
    }

    /// The first point of a piece.
    #[inline(always)]
    pub fn first(&self, lane: usize) -> usize {
        lane * self.rows - lane.min(self.shared)
    }

    /// A vector.
    #[inline(always)]
    pub fn load(self, at: usize) -> W::V {
        debug_assert!(at + W::WIDTH <= self.len);
        // SAFETY: rows and their ghosts lie in the room, and they have been written.
        self.words.load(unsafe { &*self.room.add(at).cast() })
    }

    #[inline(always)]
    pub fn store(self, at: usize, vector: W::V) {
        debug_assert!(at + W::WIDTH <= self.len);
        // SAFETY: rows and their ghosts lie in the room.
        self.words.store(unsafe { &mut *self.room.add(at).cast() }, vector);
    }

    /// Where a row begins.
    #[inline(always)]
    pub fn row(row: usize) -> usize {
        Self::START + row * Self::ROW
    }

    /// Rows and lanes of a point, counted from 1: none of an end, two of a point that is shared.
    #[inline(always)]
    pub fn places(&self, node: usize) -> impl Iterator<Item = (usize, usize)> {
        // pieces begin less than a piece before the same number of whole ones
        let (number, inside) = (node.wrapping_sub(1), (1..=self.points).contains(&node));
        let likely = if inside { number / self.rows } else { W::WIDTH };
        let pieces =
            [likely, likely + 1].into_iter().filter(|&lane| lane < W::WIDTH).map(|lane| (lane, self.first(lane)));
        let rows = self.rows;
        pieces
            .filter(move |(_, first)| (*first..first + rows).contains(&number))
            .map(move |(lane, first)| (number - first, lane))
    }

    /// Where the row that is put aside as number `which`, counted from 0, begins.
    #[inline(always)]
    pub fn aside(self, which: usize) -> usize {
        Self::row(self.rows + TAIL) + which * W::WIDTH
    }

    /// A number of a row, or of one that is put aside.
    #[inline(always)]
    pub fn number(self, at: usize) -> f64 {
        debug_assert!(at < self.len);
        // SAFETY: it lies in the room and has been written.
        unsafe { (*self.room.add(at)).assume_init() }
    }
}
