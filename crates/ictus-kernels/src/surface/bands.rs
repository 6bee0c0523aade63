//! How a surface is cut into bands of rows, one a lane, for [blocks](super::block) of steps.

use crate::lanes::LANES;
use crate::{Aligned, spaced};
use std::ops::Range;

/// How many numbers vectors have.
const WIDTHS: [usize; 3] = [2, 4, 8];

/// Rows of curvature that are put aside, and of what else pulls.
pub(super) const BENT: usize = 3;
pub(super) const PULLS: usize = 2;

/// Rows of ũ and v that are worked with at a time.
const WINDOW: usize = 4;

/// Rows behind the last one: the first two of the band below.
const BELOW: usize = 2;

/// Bands of a surface, as many as a vector has numbers. Columns are counted from the rim: 0 is the one before the first that moves. Bands that go on below the surface
/// hold zeros there.
#[derive(Clone, Debug)]
pub(crate) struct Bands {
    /// How many.
    pub width: usize,
    /// Rows of each, at least two.
    pub rows: usize,
    /// Columns in which points move, at least as many as the widest vector has numbers.
    pub columns: usize,
    /// Rows of the surface in which points move.
    pub tall: usize,
    /// The first of them, and the first column, in the surface's arrays.
    pub first: [usize; 2],
    /// Numbers from a row of ũ and v to the next. Before and behind its columns there is one of zeros at the rim, and behind that another one.
    pub pitch: usize,
    /// Numbers from a row that is put aside to the next.
    pub aside: usize,
    /// B of a plate for the rows from the one above the bands to the one below, or what moves of a membrane. Up to the first row of the bands nothing is whole.
    pub looks: Vec<Line>,
    /// What moves of a plate.
    pub moves: Vec<Line>,
    /// Vectors of them.
    pub weights: Aligned,
}

/// Weights of a row.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// Columns between the rims in which all are 1: they have no vectors.
    pub whole: Range<usize>,
    /// Where the vectors of the columns before begin, and those behind.
    pub vectors: [usize; 2],
}

/// A surface in its arrays.
#[derive(Clone, Copy)]
struct Surface<'a> {
    stride: usize,
    mask: &'a [f64],
    weight: &'a [f64],
}

impl Surface<'_> {
    /// The rows and columns in which points move.
    fn extent(&self) -> Option<[Range<usize>; 2]> {
        let height = self.mask.len() / self.stride;
        let moves = |row: usize, column: usize| self.mask[row * self.stride + column] > 0.0;
        let rows = span(height, |row| (0..self.stride).any(|column| moves(row, column)))?;
        let columns = span(self.stride, |column| rows.clone().any(|row| moves(row, column)))?;
        Some([rows, columns])
    }
}

/// From the first to the last of so many for which something is true.
fn span(count: usize, is: impl Fn(usize) -> bool) -> Option<Range<usize>> {
    let [first, last] = [(0..count).find(|&i| is(i)), (0..count).rfind(|&i| is(i))];
    Some(first?..last? + 1)
}

impl Bands {
    /// Bands for vectors of every width; none where there are too few rows.
    pub fn all(stride: usize, mask: &[f64], weight: &[f64]) -> Vec<Self> {
        let surface = Surface { stride, mask, weight };
        let Some([rows, columns]) = surface.extent() else { return Vec::new() };
        // two rows above and below are still: those of bands that are not there are read from the first one
        let framed = rows.start >= 2 && (rows.end + 2) * stride <= mask.len();
        if !framed || rows.len() <= LANES || columns.len() < LANES {
            return Vec::new();
        }
        WIDTHS.into_iter().map(|width| Self::new(width, surface, &rows, &columns)).collect()
    }

    fn new(width: usize, surface: Surface, rows: &Range<usize>, columns: &Range<usize>) -> Self {
        let bands = Self {
            width,
            rows: rows.len().div_ceil(width),
            columns: columns.len(),
            tall: rows.len(),
            first: [rows.start, columns.start],
            pitch: spaced(2 * width * (columns.len() + 3), WINDOW),
            aside: spaced(width * (columns.len() + 2), BENT + PULLS),
            looks: Vec::new(),
            moves: Vec::new(),
            weights: Aligned::default(),
        };
        let (last, mut vectors) = (bands.rows as isize, Vec::new());
        let mut lines = |rows: Range<isize>, values: &[f64], full: usize| -> Vec<Line> {
            let numbered = rows.enumerate();
            numbered.map(|(i, row)| bands.line(row, surface.stride, values, i < full, &mut vectors)).collect()
        };
        let (looks, moves) = if surface.weight.is_empty() {
            (lines(0..last, surface.mask, 1), Vec::new())
        } else {
            (lines(-1..last + 1, surface.weight, 2), lines(0..last, surface.mask, 0))
        };
        Self { looks, moves, weights: vectors.into_iter().collect(), ..bands }
    }

    /// The weights of a row, of which those that are not whole are appended to `vectors`, all of them if `full`.
    fn line(&self, row: isize, stride: usize, values: &[f64], full: bool, vectors: &mut Vec<f64>) -> Line {
        let ([top, left], end) = (self.first, self.columns + 1);
        let value = |column: usize, band: usize| {
            let below = (band * self.rows) as isize + row;
            // from one rim to the other
            let inside = (-1..=self.tall as isize).contains(&below);
            let at = ((top as isize + below) as usize * stride + left + column).wrapping_sub(1);
            if inside { values.get(at).copied().unwrap_or(0.0) } else { 0.0 }
        };
        let is_whole = |&column: &usize| (0..self.width).all(|band| value(column, band) == 1.0) && !full;
        let start = (1..end).find(is_whole).unwrap_or(end);
        let whole = start..(start..end).find(|column| !is_whole(column)).unwrap_or(end);
        let mut append = |columns: Range<usize>| {
            let place = vectors.len();
            for column in columns {
                vectors.extend((0..self.width).map(|band| value(column, band)));
            }
            place
        };
        let vectors = [append(0..whole.start), append(whole.end..end + 1)];
        Line { whole, vectors }
    }

    /// Where the rows that are put aside begin.
    #[inline(always)]
    pub fn end(&self) -> usize {
        (self.rows + BELOW) * self.pitch
    }

    /// Numbers of all rows.
    #[inline(always)]
    pub fn room(&self) -> usize {
        self.end() + (BENT + PULLS) * self.aside
    }
}
