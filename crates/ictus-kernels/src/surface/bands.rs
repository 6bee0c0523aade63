//! Division of a surface into bands of rows, one per lane, for [blocks](super::block) of steps.

use crate::lanes::LANES;
use crate::{Aligned, spaced};
use std::ops::Range;

/// Vector widths, in lanes.
const WIDTHS: [usize; 3] = [2, 4, 8];

/// Rows of curvature stored aside, and rows of the other force terms.
pub(super) const BENT: usize = 3;
pub(super) const PULLS: usize = 2;

/// Rows of ũ and v accessed at one time.
const WINDOW: usize = 4;

/// Rows after the last one: copies of the first two rows of the band below.
const BELOW: usize = 2;

/// Bands of a surface, one per lane. Columns are counted from the rim: 0 is the one before the first moving column. Bands that extend below the surface
/// hold zeros there.
#[derive(Clone, Debug)]
pub(crate) struct Bands {
    /// Number of bands.
    pub width: usize,
    /// Rows per band, at least two.
    pub rows: usize,
    /// Number of columns with moving points, at least the widest vector's number of lanes.
    pub columns: usize,
    /// Rows of the surface with moving points.
    pub tall: usize,
    /// The first of these rows, and the first such column, in the surface's arrays.
    pub first: [usize; 2],
    /// Distance between rows of ũ and v, in numbers. One rim column of zeros precedes and follows the moving columns, and one more column follows that.
    pub pitch: usize,
    /// Distance between rows stored aside, in numbers.
    pub aside: usize,
    /// Weights of the curvature: B of a plate for the rows from the one above the bands to the one below, or the mask of a membrane. Up to the first row of the bands all columns have vectors.
    pub io: Vec<Line>,
    /// Mask of a plate.
    pub moves: Vec<Line>,
    /// The vectors of both.
    pub weights: Aligned,
}

/// Weights of one row.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// Columns between the rims in which all weights are 1: they have no vectors.
    pub whole: Range<usize>,
    /// Index of the first vector of the columns before `whole`, and of those after it.
    pub vectors: [usize; 2],
}

/// The arrays of a surface.
#[derive(Clone, Copy)]
struct Surface<'a> {
    stride: usize,
    mask: &'a [f64],
    weight: &'a [f64],
}

impl Surface<'_> {
    /// The rows and columns with moving points.
    fn extent(&self) -> Option<[Range<usize>; 2]> {
        let height = self.mask.len() / self.stride;
        let moves = |row: usize, column: usize| self.mask[row * self.stride + column] > 0.0;
        let rows = span(height, |row| (0..self.stride).any(|column| moves(row, column)))?;
        let columns = span(self.stride, |column| rows.clone().any(|row| moves(row, column)))?;
        Some([rows, columns])
    }
}

/// The range from the first to the last index below `count` for which `is` is true.
fn span(count: usize, is: impl Fn(usize) -> bool) -> Option<Range<usize>> {
    let [first, last] = [(0..count).find(|&i| is(i)), (0..count).rfind(|&i| is(i))];
    Some(first?..last? + 1)
}

impl Bands {
    /// Bands for vectors of every width; none if there are too few rows or columns.
    pub fn all(stride: usize, mask: &[f64], weight: &[f64]) -> Vec<Self> {
        let surface = Surface { stride, mask, weight };
        let Some([rows, columns]) = surface.extent() else { return Vec::new() };
        // two fixed rows above and below: lanes beyond the surface are loaded from the first row
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
            io: Vec::new(),
            moves: Vec::new(),
            weights: Aligned::default(),
        };
        let (last, mut vectors) = (bands.rows as isize, Vec::new());
        let mut lines = |rows: Range<isize>, values: &[f64], full: usize| -> Vec<Line> {
            let numbered = rows.enumerate();
            numbered.map(|(i, row)| bands.line(row, surface.stride, values, i < full, &mut vectors)).collect()
        };
        let (io, moves) = if surface.weight.is_empty() {
            (lines(0..last, surface.mask, 1), Vec::new())
        } else {
            (lines(-1..last + 1, surface.weight, 2), lines(0..last, surface.mask, 0))
        };
        Self { io, moves, weights: vectors.into_iter().collect(), ..bands }
    }

    /// The weights of a row; appends those outside `whole` to `vectors`, all of them if `full`.
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
            let first = vectors.len();
            for column in columns {
                vectors.extend((0..self.width).map(|band| value(column, band)));
            }
            first
        };
        let vectors = [append(0..whole.start), append(whole.end..end + 1)];
        Line { whole, vectors }
    }

    /// Index of the first row stored aside.
    #[inline(always)]
    pub fn end(&self) -> usize {
        (self.rows + BELOW) * self.pitch
    }

    /// Length of the scratch buffer, in numbers.
    #[inline(always)]
    pub fn scratch(&self) -> usize {
        self.end() + (BENT + PULLS) * self.aside
    }
}
