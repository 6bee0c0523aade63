//! A step of a surface in lanes: one sweep over its rows.
//!
//! A row is looked at: its curvature, and what diffusion does to it. Then the one above it is felt, as all curvatures around it are known, and when the next row is looked
//! at, nobody needs it any more as it was, and it moves. Three loops' worth of operations in two loops, none of which waits long for another: in a single one they
//! took longer.

#![allow(unsafe_code)]

use super::ports::Marks;
use super::sheet::{Row, Sheet};
use crate::simd::Words;
use crate::surface::bands::{BENT, Line, PULLS};
use crate::surface::plan::load;
use crate::surface::step::{Held, Laplacian};
use std::ops::Range;

/// How points move in a step: of a plate if `STIFF`, which is pulled too if `TENSE`.
#[derive(Clone, Copy)]
pub(super) struct Sweep<'a, W: Words, const STIFF: bool, const TENSE: bool, const SQUARE: bool> {
    words: W,
    sheet: Sheet<'a, W>,
    weights: &'a [f64],
    laplacian: Laplacian<W, SQUARE>,
    tension: W::V,
    bending: W::V,
    diffusion: W::V,
    drag: W::V,
    k: W::V,
}

/// A vector to the left and the one that is looked at, of ũ and of v.
struct Beside<W: Words> {
    u: [W::V; 2],
    v: [W::V; 2],
}

/// Rows that a look is about: the one that moves, that above the one that is looked at, this and the one below; its curvature, and what else pulls there.
#[derive(Clone, Copy)]
struct Rows<W: Words> {
    moved: Row<W>,
    above: Row<W>,
    here: Row<W>,
    below: Row<W>,
    bent: Row<W>,
    pulls: Row<W>,
}

impl<'a, W: Words, const STIFF: bool, const TENSE: bool, const SQUARE: bool> Sweep<'a, W, STIFF, TENSE, SQUARE> {
    const V: usize = W::WIDTH;
    const BOTH: usize = Sheet::<W>::BOTH;

    #[inline(always)]
    pub fn new(sheet: Sheet<'a, W>, held: Held) -> Self {
        let (words, Held { point, stores, lattice, .. }) = (sheet.words, held);
        Self {
            words,
            sheet,
            weights: &sheet.bands.weights,
            laplacian: Laplacian::new(words, lattice),
            tension: words.splat(point.tension),
            bending: words.splat(point.bending),
            diffusion: words.splat(point.diffusion),
            drag: words.splat(point.drag),
            k: words.splat(stores.back),
        }
    }

    /// Moves all points as if none were pushed; notes those that are marked.
    #[inline(always)]
    pub fn advance(self, marks: &mut Marks) {
        let (sheet, bands) = (self.sheet, self.sheet.bands);
        // of the row two above the one that is looked at, of that above it and of its own
        let mut bent: [Row<W>; BENT] = [sheet.aside(0), sheet.aside(1), sheet.aside(2)];
        let mut pulls: [Row<W>; PULLS] = [sheet.aside(BENT), sheet.aside(BENT + 1)];
        self.open([bent[0], bent[1], pulls[0]]);
        if !STIFF {
            marks.note(0, sheet.row(0), pulls[0]);
        }
        let (looks, last) = (&bands.looks[if STIFF { 2 } else { 1 }..], bands.rows - 1);
        for row in 1..bands.rows {
            let rows = self.rows(row, bent[2], pulls[1]);
            if row == 1 {
                self.look::<false, false>(rows, &looks[row - 1]);
            } else {
                self.look::<true, false>(rows, &looks[row - 1]);
            }
            if STIFF {
                self.feel(rows.above, bent, pulls[0], &bands.moves[row - 1]);
                marks.note(row - 1, rows.above, pulls[0]);
            } else {
                marks.note(row, rows.here, pulls[1]);
            }
            bent.rotate_left(1);
            pulls.swap(0, 1);
        }
        let rows = self.rows(last + 1, bent[2], pulls[1]);
        if STIFF {
            self.look::<true, true>(rows, &looks[last]);
            self.feel(rows.above, bent, pulls[0], &bands.moves[last]);
            marks.note(last, rows.above, pulls[0]);
        } else {
            self.leave(rows.moved, pulls[1]);
        }
        self.leave(rows.above, pulls[0]);
    }

    #[inline(always)]
    fn rows(self, row: usize, bent: Row<W>, pulls: Row<W>) -> Rows<W> {
        let of = |row: usize| self.sheet.row(row);
        Rows { moved: of(row.saturating_sub(2)), above: of(row - 1), here: of(row), below: of(row + 1), bent, pulls }
    }

    /// Looks at the row above the bands, which lies in the next lane, and at the first one. Puts by what the last one will need of the band below.
    #[inline(always)]
    fn open(self, [above, here, pulls]: [Row<W>; 3]) {
        let Self { words, sheet, laplacian, .. } = self;
        let bands = sheet.bands;
        let nothing = words.splat(0.0);
        let (first, second) = (sheet.row(0), sheet.row(1));
        let (last, before) = (sheet.row(bands.rows - 1), sheet.row(bands.rows - 2));
        let (below, far) = (sheet.row(bands.rows), sheet.row(bands.rows + 1));
        let weights = bands.looks[usize::from(STIFF)].vectors[0];
        let range = if STIFF { 0..bands.columns + 2 } else { 1..bands.columns + 1 };
        let mut beside = self.beside(first, range.start);
        let mut beyond = [nothing, self.ghost(last, range.start * Self::BOTH)];
        for column in range {
            let (u, v, aside) = (column * Self::BOTH, column * Self::BOTH + Self::V, column * Self::V);
            let [u_here, v_here] = [beside.u[1], beside.v[1]];
            let u_second = second.load(u);
            let curve = laplacian.of(around(&mut beside.u, first.load(u + Self::BOTH), beyond[1], u_second));
            let v_above = self.ghost(last, v);
            let spread = laplacian.of(around(&mut beside.v, first.load(v + Self::BOTH), v_above, second.load(v)));
            let spread = words.mul(self.diffusion, spread);
            let right = self.ghost(last, u + Self::BOTH);
            let weight = self.weight(weights + aside);
            if STIFF {
                let bent = laplacian.of(around(&mut beyond, right, self.ghost(before, u), u_here));
                above.store(aside, words.mul(self.weight(bands.looks[0].vectors[0] + aside), bent));
                here.store(aside, words.mul(weight, curve));
                pulls.store(aside, spread);
                far.store(u, words.down(u_second, nothing));
            } else {
                beyond = [nothing, right];
                pulls.store(aside, words.mul(weight, self.pulled(curve, spread, v_here)));
            }
            below.store(u, words.down(u_here, nothing));
            below.store(v, words.down(v_here, nothing));
        }
    }

    /// Looks at a row, the one below the bands if `LAST`; moves the second one above it if `MOVES`.
    #[inline(always)]
    fn look<const MOVES: bool, const LAST: bool>(self, rows: Rows<W>, line: &Line) {
        let Line { whole: Range { start, end }, vectors: [before, behind] } = *line;
        let rim = self.sheet.bands.columns + 1;
        let mut beside = self.beside(rows.here, usize::from(!STIFF));
        // the rim bends, but stays where it is
        if STIFF {
            self.column::<true, false, LAST>(rows, 0, before, &mut beside);
        }
        for column in 1..start {
            self.column::<true, MOVES, LAST>(rows, column, before + column * Self::V, &mut beside);
        }
        for column in start..end {
            self.column::<false, MOVES, LAST>(rows, column, 0, &mut beside);
        }
        for column in end..rim {
            self.column::<true, MOVES, LAST>(rows, column, behind + (column - end) * Self::V, &mut beside);
        }
        if STIFF {
            self.column::<true, false, LAST>(rows, rim, behind + (rim - end) * Self::V, &mut beside);
        }
    }

    /// The same of a column, with weights at `weights` if it is `WEIGHED`.
    #[inline(always)]
    fn column<const WEIGHED: bool, const MOVES: bool, const LAST: bool>(
        self,
        rows: Rows<W>,
        column: usize,
        weights: usize,
        beside: &mut Beside<W>,
    ) {
        let Self { words, laplacian, .. } = self;
        let Rows { moved, above, here, below, bent, pulls } = rows;
        let (u, v, aside) = (column * Self::BOTH, column * Self::BOTH + Self::V, column * Self::V);
        if MOVES {
            self.part(moved, pulls, column);
        }
        let near = around(&mut beside.u, here.load(u + Self::BOTH), above.load(u), below.load(u));
        let curve = laplacian.of(near);
        if STIFF {
            bent.store(aside, if WEIGHED { words.mul(self.weight(weights), curve) } else { curve });
        }
        if LAST {
            return;
        }
        let v_here = beside.v[1];
        let near = around(&mut beside.v, here.load(v + Self::BOTH), above.load(v), below.load(v));
        let spread = words.mul(self.diffusion, laplacian.of(near));
        let pull = match (STIFF, WEIGHED) {
            (true, _) => spread,
            (_, true) => words.mul(self.weight(weights), self.pulled(curve, spread, v_here)),
            _ => self.pulled(curve, spread, v_here),
        };
        pulls.store(aside, pull);
    }

    /// By how much v̄ of a membrane differs from v.
    #[inline(always)]
    fn pulled(self, curve: W::V, spread: W::V, v: W::V) -> W::V {
        let words = self.words;
        words.sub(words.add(words.mul(self.tension, curve), spread), words.mul(self.drag, v))
    }

    /// Finds the same of a row of a plate, with the curvatures above, in and below it, and puts it where what else pulls was.
    #[inline(always)]
    fn feel(self, row: Row<W>, bent: [Row<W>; BENT], pulls: Row<W>, line: &Line) {
        let Line { whole: Range { start, end }, vectors: [before, behind] } = *line;
        let rows = (row, bent, pulls);
        let mut beside = [bent[1].load(0), bent[1].load(Self::V)];
        for column in 1..start {
            self.force::<true>(rows, column, before + column * Self::V, &mut beside);
        }
        for column in start..end {
            self.force::<false>(rows, column, 0, &mut beside);
        }
        for column in end..self.sheet.bands.columns + 1 {
            self.force::<true>(rows, column, behind + (column - end) * Self::V, &mut beside);
        }
    }

    /// The same of a column.
    #[inline(always)]
    fn force<const WEIGHED: bool>(
        self,
        (row, [above, here, below], pulls): (Row<W>, [Row<W>; BENT], Row<W>),
        column: usize,
        weights: usize,
        beside: &mut [W::V; 2],
    ) {
        let (words, aside, bent) = (self.words, column * Self::V, beside[1]);
        let near = around(beside, here.load(aside + Self::V), above.load(aside), below.load(aside));
        let bend = words.mul(self.bending, self.laplacian.of(near));
        let pull = pulls.load(aside);
        let force =
            if TENSE { words.add(words.sub(words.mul(self.tension, bent), bend), pull) } else { words.sub(pull, bend) };
        let v = row.load(column * Self::BOTH + Self::V);
        let mut change = words.sub(force, words.mul(self.drag, v));
        if WEIGHED {
            change = words.mul(self.weight(weights), change);
        }
        pulls.store(aside, change);
    }

    /// Moves a row by changes that are put aside.
    #[inline(always)]
    fn leave(self, row: Row<W>, changes: Row<W>) {
        for column in 1..self.sheet.bands.columns + 1 {
            self.part(row, changes, column);
        }
    }

    /// The same of a column.
    #[inline(always)]
    fn part(self, row: Row<W>, changes: Row<W>, column: usize) {
        let (words, at) = (self.words, column * Self::BOTH);
        let (u, v) = (row.load(at), row.load(at + Self::V));
        let moved = words.twice_less(words.add(v, changes.load(column * Self::V)), v);
        row.store(at + Self::V, moved);
        row.store(at, words.add(u, words.mul(self.k, moved)));
    }

    /// A vector as the bands below see it.
    #[inline(always)]
    fn ghost(self, row: Row<W>, at: usize) -> W::V {
        self.words.up(self.words.splat(0.0), row.load(at))
    }

    /// What begins with a column: before it there is nothing but the rim.
    #[inline(always)]
    fn beside(self, row: Row<W>, column: usize) -> Beside<W> {
        let (nothing, at) = (self.words.splat(0.0), column * Self::BOTH);
        Beside { u: [nothing, row.load(at)], v: [nothing, row.load(at + Self::V)] }
    }

    /// A vector of weights.
    #[inline(always)]
    fn weight(self, at: usize) -> W::V {
        // SAFETY: columns that are weighed have weights.
        unsafe { load(self.words, self.weights, at, 0) }
    }
}

/// The vectors in the middle, to the left, to the right, above and below, where those to the left and in the middle are kept from column to column.
#[inline(always)]
fn around<V: Copy>(beside: &mut [V; 2], right: V, above: V, below: V) -> [V; 5] {
    let [left, here] = *beside;
    *beside = [here, right];
    [here, left, right, above, below]
}
