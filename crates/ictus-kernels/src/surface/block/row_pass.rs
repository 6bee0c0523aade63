//! One step of a surface in grid layout: one pass over its rows.
//!
//! For each row the pass first computes the curvature and the diffusion term. The row above it then has all curvatures around it, so its force follows; and when the next row is
//! processed, the old values of that row are no longer needed, and it moves. The operations of three loops run in two, with short dependency chains: a single loop
//! was slower.

#![allow(unsafe_code)]

use super::grid_layout::{GridLayout, VectorRow};
use super::ports::ProbePoints;
use crate::simd::Words;
use crate::surface::bands::{BENT, Line, PULLS};
use crate::surface::plan::load;
use crate::surface::step::{Held, Laplacian};
use std::ops::Range;

/// Coefficients of a step: of a plate if `STIFF`, with tension too if `TENSE`.
#[derive(Clone, Copy)]
pub(super) struct RowPass<'a, W: Words, const STIFF: bool, const TENSE: bool, const SQUARE: bool> {
    words: W,
    layout: GridLayout<'a, W>,
    weights: &'a [f64],
    laplacian: Laplacian<W, SQUARE>,
    tension: W::V,
    bending: W::V,
    diffusion: W::V,
    drag: W::V,
    k: W::V,
}

/// The vectors of ũ and of v to the left of the current column and in it.
struct Beside<W: Words> {
    u: [W::V; 2],
    v: [W::V; 2],
}

/// Rows of one pass stage: the row that moves, the row above the current one, the current row and the one below; its curvature, and its other force terms.
#[derive(Clone, Copy)]
struct RowWindow<W: Words> {
    moved: VectorRow<W>,
    above: VectorRow<W>,
    here: VectorRow<W>,
    below: VectorRow<W>,
    bent: VectorRow<W>,
    pulls: VectorRow<W>,
}

impl<'a, W: Words, const STIFF: bool, const TENSE: bool, const SQUARE: bool> RowPass<'a, W, STIFF, TENSE, SQUARE> {
    const V: usize = W::WIDTH;
    const BOTH: usize = GridLayout::<W>::BOTH;

    #[inline(always)]
    pub fn new(layout: GridLayout<'a, W>, held: Held) -> Self {
        let (words, Held { point, stores, lattice, .. }) = (layout.words, held);
        Self {
            words,
            layout,
            weights: &layout.bands.weights,
            laplacian: Laplacian::new(words, lattice),
            tension: words.splat(point.tension),
            bending: words.splat(point.bending),
            diffusion: words.splat(point.diffusion),
            drag: words.splat(point.drag),
            k: words.splat(stores.back),
        }
    }

    /// Advances all points as if none were driven; copies the probe points.
    #[inline(always)]
    pub fn advance(self, probes: &mut ProbePoints) {
        let (layout, bands) = (self.layout, self.layout.bands);
        // curvature of the row two above the current one, of the row above and of the current row
        let mut bent: [VectorRow<W>; BENT] = [layout.aside(0), layout.aside(1), layout.aside(2)];
        let mut pulls: [VectorRow<W>; PULLS] = [layout.aside(BENT), layout.aside(BENT + 1)];
        self.open([bent[0], bent[1], pulls[0]]);
        if !STIFF {
            probes.copy(0, layout.row(0), pulls[0]);
        }
        let (io, last) = (&bands.io[if STIFF { 2 } else { 1 }..], bands.rows - 1);
        for row in 1..bands.rows {
            let rows = self.rows(row, bent[2], pulls[1]);
            if row == 1 {
                self.terms::<false, false>(rows, &io[row - 1]);
            } else {
                self.terms::<true, false>(rows, &io[row - 1]);
            }
            if STIFF {
                self.forces(rows.above, bent, pulls[0], &bands.moves[row - 1]);
                probes.copy(row - 1, rows.above, pulls[0]);
            } else {
                probes.copy(row, rows.here, pulls[1]);
            }
            bent.rotate_left(1);
            pulls.swap(0, 1);
        }
        let rows = self.rows(last + 1, bent[2], pulls[1]);
        if STIFF {
            self.terms::<true, true>(rows, &io[last]);
            self.forces(rows.above, bent, pulls[0], &bands.moves[last]);
            probes.copy(last, rows.above, pulls[0]);
        } else {
            self.move_row(rows.moved, pulls[1]);
        }
        self.move_row(rows.above, pulls[0]);
    }

    #[inline(always)]
    fn rows(self, row: usize, bent: VectorRow<W>, pulls: VectorRow<W>) -> RowWindow<W> {
        let of = |row: usize| self.layout.row(row);
        RowWindow {
            moved: of(row.saturating_sub(2)),
            above: of(row - 1),
            here: of(row),
            below: of(row + 1),
            bent,
            pulls,
        }
    }

    /// Computes the terms of the row above the bands, which lies in the next lane, and of the first row. Stores copies of the band below that the last row needs.
    #[inline(always)]
    fn open(self, [above, here, pulls]: [VectorRow<W>; 3]) {
        let Self { words, layout, laplacian, .. } = self;
        let bands = layout.bands;
        let zero = words.splat(0.0);
        let (first, second) = (layout.row(0), layout.row(1));
        let (last, before) = (layout.row(bands.rows - 1), layout.row(bands.rows - 2));
        let (below, far) = (layout.row(bands.rows), layout.row(bands.rows + 1));
        let weights = bands.io[usize::from(STIFF)].vectors[0];
        let range = if STIFF { 0..bands.columns + 2 } else { 1..bands.columns + 1 };
        let mut beside = self.beside(first, range.start);
        let mut beyond = [zero, self.ghost(last, range.start * Self::BOTH)];
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
                above.store(aside, words.mul(self.weight(bands.io[0].vectors[0] + aside), bent));
                here.store(aside, words.mul(weight, curve));
                pulls.store(aside, spread);
                far.store(u, words.down(u_second, zero));
            } else {
                beyond = [zero, right];
                pulls.store(aside, words.mul(weight, self.pulled(curve, spread, v_here)));
            }
            below.store(u, words.down(u_here, zero));
            below.store(v, words.down(v_here, zero));
        }
    }

    /// Computes the terms of a row, of the one below the bands if `LAST`; moves the row two above it if `MOVES`.
    #[inline(always)]
    fn terms<const MOVES: bool, const LAST: bool>(self, rows: RowWindow<W>, line: &Line) {
        let Line { whole: Range { start, end }, vectors: [before, behind] } = *line;
        let rim = self.layout.bands.columns + 1;
        let mut beside = self.beside(rows.here, usize::from(!STIFF));
        // the rim has curvature, but does not move
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

    /// The same for one column, with the weights at `weights` if `WEIGHED`.
    #[inline(always)]
    fn column<const WEIGHED: bool, const MOVES: bool, const LAST: bool>(
        self,
        rows: RowWindow<W>,
        column: usize,
        weights: usize,
        beside: &mut Beside<W>,
    ) {
        let Self { words, laplacian, .. } = self;
        let RowWindow { moved, above, here, below, bent, pulls } = rows;
        let (u, v, aside) = (column * Self::BOTH, column * Self::BOTH + Self::V, column * Self::V);
        if MOVES {
            self.move_column(moved, pulls, column);
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

    /// v̄ − v of a membrane.
    #[inline(always)]
    fn pulled(self, curve: W::V, spread: W::V, v: W::V) -> W::V {
        let words = self.words;
        words.sub(words.add(words.mul(self.tension, curve), spread), words.mul(self.drag, v))
    }

    /// Computes v̄ − v of a row of a plate from the curvatures above, in and below it, and stores it in place of its other force terms.
    #[inline(always)]
    fn forces(self, row: VectorRow<W>, bent: [VectorRow<W>; BENT], pulls: VectorRow<W>, line: &Line) {
        let Line { whole: Range { start, end }, vectors: [before, behind] } = *line;
        let rows = (row, bent, pulls);
        let mut beside = [bent[1].load(0), bent[1].load(Self::V)];
        for column in 1..start {
            self.force::<true>(rows, column, before + column * Self::V, &mut beside);
        }
        for column in start..end {
            self.force::<false>(rows, column, 0, &mut beside);
        }
        for column in end..self.layout.bands.columns + 1 {
            self.force::<true>(rows, column, behind + (column - end) * Self::V, &mut beside);
        }
    }

    /// The same for one column.
    #[inline(always)]
    fn force<const WEIGHED: bool>(
        self,
        (row, [above, here, below], pulls): (VectorRow<W>, [VectorRow<W>; BENT], VectorRow<W>),
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

    /// Advances a row by the changes stored aside.
    #[inline(always)]
    fn move_row(self, row: VectorRow<W>, changes: VectorRow<W>) {
        for column in 1..self.layout.bands.columns + 1 {
            self.move_column(row, changes, column);
        }
    }

    /// The same for one column.
    #[inline(always)]
    fn move_column(self, row: VectorRow<W>, changes: VectorRow<W>, column: usize) {
        let (words, at) = (self.words, column * Self::BOTH);
        let (u, v) = (row.load(at), row.load(at + Self::V));
        let moved = words.twice_less(words.add(v, changes.load(column * Self::V)), v);
        row.store(at + Self::V, moved);
        row.store(at, words.add(u, words.mul(self.k, moved)));
    }

    /// A vector shifted to the lanes of the bands below.
    #[inline(always)]
    fn ghost(self, row: VectorRow<W>, at: usize) -> W::V {
        self.words.up(self.words.splat(0.0), row.load(at))
    }

    /// Start of a column loop: the rim before the column is zero.
    #[inline(always)]
    fn beside(self, row: VectorRow<W>, column: usize) -> Beside<W> {
        let (zero, at) = (self.words.splat(0.0), column * Self::BOTH);
        Beside { u: [zero, row.load(at)], v: [zero, row.load(at + Self::V)] }
    }

    /// A vector of weights.
    #[inline(always)]
    fn weight(self, at: usize) -> W::V {
        // SAFETY: at + WIDTH <= weights.len(), asserted in debug builds by `load`: `Bands::line` appends a vector for every column outside `whole`, and only those are loaded
        unsafe { load(self.words, self.weights, at, 0) }
    }
}

/// The middle, left, right, upper and lower vectors; the left and middle ones are carried from column to column.
#[inline(always)]
fn around<V: Copy>(beside: &mut [V; 2], right: V, above: V, below: V) -> [V; 5] {
    let [left, here] = *beside;
    *beside = [here, right];
    [here, left, right, above, below]
}
