//! Conversion of a string to lane layout and back.

#![allow(unsafe_code)]

use super::port_rows::FREE_ROWS;
use super::{FEWEST, MOST};
use crate::lanes::LANES;
use crate::simd::{Words, transposed};
use crate::string::step::{FIRST, Strung};
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// Rows before the first one: zeros, for the fixed end.
const BEFORE: usize = 1;
/// Number of last rows whose y is computed at the beginning of a step, and stored in as many rows after the last one.
pub(super) const TAIL: usize = 4;
/// Numbers of ũ and v with their ghost rows, and of rows stored aside.
const SCRATCH: usize = 2 * (MOST + LANES + (BEFORE + TAIL) * LANES) + FREE_ROWS * LANES;

/// Memory of a string in lane layout.
#[repr(align(64))]
pub(super) struct Scratch([MaybeUninit<f64>; SCRATCH]);

impl Scratch {
    #[inline(always)]
    pub fn new() -> Self {
        Self([const { MaybeUninit::uninit() }; SCRATCH])
    }
}

/// A string in lane layout. Rows of ũ and v alternate.
///
/// Passed by value: behind a reference, the compiler would assume that each stored row may change the fields, and reload them.
#[derive(Clone, Copy)]
pub(super) struct LaneLayout<'a, W: Words, const STIFF: bool> {
    pub words: W,
    /// The zero row and the rows of points are initialised by `new`, the rows after them at the beginning of every step and the rows aside in it, before they are read.
    scratch: *mut MaybeUninit<f64>,
    /// Length of `scratch` in numbers.
    len: usize,
    borrow: PhantomData<&'a mut Scratch>,
    points: usize,
    pub rows: usize,
    /// Number of segments, from the second on, that begin with the last point of the previous segment; less than the number of lanes.
    pub shared: usize,
    pub mirror: f64,
}

impl<'a, W: Words, const STIFF: bool> LaneLayout<'a, W, STIFF> {
    /// Numbers per row: ũ, then v.
    pub const ROW: usize = 2 * W::WIDTH;
    /// Index of the first row.
    pub const START: usize = BEFORE * Self::ROW;

    /// Converts a string to lane layout.
    #[inline(always)]
    pub fn new(words: W, scratch: &'a mut Scratch, strung: Strung, motion: [&[f64]; 2]) -> Self {
        let Strung { points, mirror, .. } = strung;
        assert!((FEWEST..=MOST).contains(&points), "{points} points, expected {FEWEST} to {MOST}");
        let rows = points.div_ceil(W::WIDTH);
        let scratch = &mut scratch.0[..(BEFORE + rows + TAIL) * Self::ROW + FREE_ROWS * W::WIDTH];
        let mut layout = Self {
            words,
            scratch: scratch.as_mut_ptr(),
            len: scratch.len(),
            borrow: PhantomData,
            points,
            rows,
            shared: rows * W::WIDTH - points,
            mirror,
        };
        for at in [0, W::WIDTH] {
            layout.store(at, words.splat(0.0));
        }
        // the last row holds no y, but is loaded
        layout.store(Self::row(rows + TAIL - 1), words.splat(0.0));
        for (array, values) in motion.into_iter().enumerate() {
            layout.squares(values.len(), |layout, row, lanes| {
                let mut square = [words.splat(0.0); LANES];
                for (vector, &lane) in square[..W::WIDTH].iter_mut().zip(&lanes) {
                    // SAFETY: lane + WIDTH <= FIRST + points <= values.len(): `squares` asserts the second and keeps its rows below `rows`
                    *vector = words.load(unsafe { &*values.as_ptr().add(lane).cast() });
                }
                let square = transposed(words, square);
                for (i, &vector) in square[..W::WIDTH].iter().enumerate() {
                    layout.store(Self::row(row + i) + array * W::WIDTH, vector);
                }
            });
        }
        layout
    }

    /// Calls `each` for blocks of `WIDTH` rows that cover all rows, some perhaps twice: with the first row of the block, and with the index of each lane's first point in an
    /// array of `len` numbers. Each index plus `WIDTH` is at most `len`.
    #[inline(always)]
    pub fn squares(&mut self, len: usize, mut each: impl FnMut(&mut Self, usize, [usize; LANES])) {
        assert!(self.rows >= W::WIDTH && len >= FIRST + self.points);
        let mut row = 0;
        while row < self.rows {
            // the last block may overlap the previous one
            let first = row.min(self.rows - W::WIDTH);
            let lanes = std::array::from_fn(|lane| if lane < W::WIDTH { FIRST + self.first(lane) + first } else { 0 });
            each(self, first, lanes);
            row += W::WIDTH;
        }
    }

    /// Converts back to the arrays of a string.
    #[inline(always)]
    pub fn put_back(&mut self, mut motion: [&mut [f64]; 2]) {
        let words = self.words;
        for (array, values) in motion.iter_mut().enumerate() {
            self.squares(values.len(), |layout, row, lanes| {
                let mut square = [words.splat(0.0); LANES];
                for (i, vector) in square[..W::WIDTH].iter_mut().enumerate() {
                    *vector = layout.load(Self::row(row + i) + array * W::WIDTH);
                }
                for (vector, &lane) in transposed(words, square)[..W::WIDTH].iter().zip(&lanes) {
                    // SAFETY: lane + WIDTH <= FIRST + points <= values.len(), as in `new`
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

    /// The first point of a lane's segment.
    #[inline(always)]
    pub fn first(&self, lane: usize) -> usize {
        lane * self.rows - lane.min(self.shared)
    }

    /// Loads a vector. `at` is in a row or a row aside of the layout, initialised as described at `scratch`.
    #[inline(always)]
    pub fn load(self, at: usize) -> W::V {
        debug_assert!(at + W::WIDTH <= self.len);
        // SAFETY: at + WIDTH <= len, asserted in debug builds: `row` and `aside` yield indices in the slice that `new` took from the scratch, and all rows read are initialised
        self.words.load(unsafe { &*self.scratch.add(at).cast() })
    }

    #[inline(always)]
    pub fn store(self, at: usize, vector: W::V) {
        debug_assert!(at + W::WIDTH <= self.len);
        // SAFETY: at + WIDTH <= len, as in `load`
        self.words.store(unsafe { &mut *self.scratch.add(at).cast() }, vector);
    }

    /// Index of a row.
    #[inline(always)]
    pub fn row(row: usize) -> usize {
        Self::START + row * Self::ROW
    }

    /// Rows and lanes of a point, counted from 1: none for an end, two for a shared point.
    #[inline(always)]
    pub fn positions(&self, node: usize) -> impl Iterator<Item = (usize, usize)> {
        // segments begin less than one segment before the unshared position
        let (number, inside) = (node.wrapping_sub(1), (1..=self.points).contains(&node));
        let likely = if inside { number / self.rows } else { W::WIDTH };
        let pieces =
            [likely, likely + 1].into_iter().filter(|&lane| lane < W::WIDTH).map(|lane| (lane, self.first(lane)));
        let rows = self.rows;
        pieces
            .filter(move |(_, first)| (*first..first + rows).contains(&number))
            .map(move |(lane, first)| (number - first, lane))
    }

    /// Index of the row aside number `which`, counted from 0.
    #[inline(always)]
    pub fn aside(self, which: usize) -> usize {
        Self::row(self.rows + TAIL) + which * W::WIDTH
    }

    /// A single number of a row or of a row aside.
    #[inline(always)]
    pub fn number(self, at: usize) -> f64 {
        debug_assert!(at < self.len);
        // SAFETY: at < len, asserted in debug builds: the index comes from `row` or `aside`, or is 0, and the number is initialised before `Recorder` copies it
        unsafe { (*self.scratch.add(at)).assume_init() }
    }
}
