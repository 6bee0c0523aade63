//! A step of a string in lanes: one sweep over its rows.

#![allow(unsafe_code)]

use super::Spot;
use super::marks::{Marks, Pushes};
use super::strip::{Strip, TAIL};
use crate::lanes::LANES;
use crate::simd::Words;
use crate::string::Moves;
use crate::string::step::FIRST_LANES;

/// Rows of one round of the loop: so many take the places of each other in the window.
const UNROLLED: usize = 3;

/// What stays from row to row and from step to step.
pub(super) struct Factors<W: Words> {
    /// As in [`Moves`].
    kept: W::V,
    pull: W::V,
    own: W::V,
    ease: W::V,
    /// Negative where a piece shares its last point with the next.
    giving: W::V,
    /// Negative where it shares its first one with the piece before; the first lane does not matter.
    taking: W::V,
    /// Negative in the first lane, and in the last.
    ends: [W::V; 2],
}

/// The eight from `LANES - 1 - n` are negative in lane n.
static ONE_LANE: [f64; 2 * LANES - 1] = {
    let mut signs = [1.0; 2 * LANES - 1];
    signs[LANES - 1] = -1.0;
    signs
};

/// A vector of `signs`, from `from` on.
#[inline(always)]
fn signs<W: Words>(words: W, signs: &[f64], from: usize) -> W::V {
    assert!(from + W::WIDTH <= signs.len());
    // SAFETY: there are as many numbers as lanes from this one on.
    words.load(unsafe { &*signs.as_ptr().add(from).cast() })
}

/// Old values around a row: y of the row before, of itself and of the one behind; ũ of the two rows behind it.
struct Window<W: Words> {
    y: [W::V; 3],
    u: [W::V; 2],
}

impl<W: Words, const STIFF: bool> Strip<'_, W, STIFF> {
    #[inline(always)]
    pub fn factors(&self, moves: Moves) -> Factors<W> {
        let Moves { kept, pull, own, ease } = moves;
        let [kept, pull, own, ease] = [kept, pull, own.unwrap_or(1.0), ease].map(|x| self.words.splat(x));
        let [giving, taking] = [0, 1].map(|more| signs(self.words, &FIRST_LANES, LANES - self.shared - more));
        let ends = [0, W::WIDTH - 1].map(|lane| signs(self.words, &ONE_LANE, LANES - 1 - lane));
        Factors { kept, pull, own, ease, giving, taking, ends }
    }

    /// Marks the rows that are pushed.
    #[inline(always)]
    pub fn push(&self, marks: &mut Marks, spots: &[Spot], mobility: f64) {
        for (port, spot) in spots.iter().enumerate() {
            for (node, share) in spot.at.into_iter().zip(spot.share).filter(|(_, share)| *share != 0.0) {
                for (row, lane) in self.places(node) {
                    marks.push(row, lane, port, mobility * share);
                }
            }
        }
    }

    /// y of a row, from ũ and v there and ũ on both sides, of which only bending asks.
    #[inline(always)]
    fn shown(&self, by: &Factors<W>, [left, u, right]: [W::V; 3], v: W::V) -> W::V {
        let words = self.words;
        // the order of operations is that of a step
        let eased = words.mul(by.ease, v);
        if !STIFF {
            return words.add(u, eased);
        }
        words.sub(words.add(words.mul(by.own, u), eased), words.add(left, right))
    }

    /// The window of the first row. Writes y of the last ones.
    #[inline(always)]
    fn open(&mut self, by: &Factors<W>) -> Window<W> {
        let words = self.words;
        let last = Self::row(self.rows - 1);
        let [u0, u1, u2] = [0, 1, 2].map(|i| self.load(Self::row(i)));
        let [v0, v1] = [0, 1].map(|i| self.load(Self::row(i) + W::WIDTH));
        let [end, end1, end2] = [0, 1, 2].map(|i| self.load(last - i * Self::ROW));
        let [ve, ve1] = [0, 1].map(|i| self.load(last - i * Self::ROW + W::WIDTH));
        // zeros in front of the rows, of which the compiler knows nothing: it would take two operations for vectors that are zero in a lane
        let nothing = self.load(0);
        // where a point is shared, the next piece goes on one row further
        let before = |end, end1| words.up(nothing, words.choose(by.giving, end1, end));
        let behind = |first, second| words.down(words.choose(by.taking, second, first), nothing);
        let [left, right] = if STIFF { [before(end, end1), behind(u0, u1)] } else { [nothing; 2] };
        let [y0, y1] = [self.shown(by, [left, u0, u1], v0), self.shown(by, [u0, u1, u2], v1)];
        let [ye1, ye] = [self.shown(by, [end2, end1, end], ve1), self.shown(by, [end1, end, right], ve)];
        let [mut first, mut beyond] = [before(ye, ye1), behind(y0, y1)];
        if STIFF && self.mirror != -1.0 {
            // ends that do not turn show twice their neighbour; those that do, nothing
            let [head, tail] = by.ends;
            let of = |u| words.sub(nothing, words.add(words.mul(words.splat(self.mirror), u), u));
            first = words.choose(head, of(u0), first);
            beyond = words.choose(tail, of(end), beyond);
        }
        for (i, y) in [ye1, ye, beyond].into_iter().enumerate() {
            self.store(Self::row(self.rows + i), y);
        }
        Window { y: [first, y0, y1], u: [u1, u2] }
    }

    /// ũ, v and v⁺ of the row at `at`, if none of its points is pushed; the window moves on. `LATE` rows are the last ones.
    #[inline(always)]
    fn ahead<const LATE: bool>(&self, by: &Factors<W>, window: &mut Window<W>, at: usize) -> [W::V; 3] {
        let words = self.words;
        let ([y1, y2, y3], [u3, u4]) = (window.y, window.u);
        let far = at + 2 * Self::ROW;
        *window = if LATE {
            Window { y: [y2, y3, self.load(at + TAIL * Self::ROW)], u: [u4, u4] }
        } else {
            let (u5, v4) = (self.load(far + Self::ROW), self.load(far + W::WIDTH));
            Window { y: [y2, y3, self.shown(by, [u3, u4, u5], v4)], u: [u4, u5] }
        };
        let [u, v] = [at, at + W::WIDTH].map(|at| self.load(at));
        let change = words.mul(by.pull, words.less_twice(words.add(y1, y3), y2));
        [u, v, words.add(words.mul(by.kept, v), change)]
    }

    /// Moves the rows from `at` to `end`, none of whose points is pushed or watched.
    #[inline(always)]
    fn glide(&mut self, by: &Factors<W>, window: &mut Window<W>, at: usize, end: usize) {
        let late = Self::row(self.rows - TAIL);
        let at = self.slide::<false>(by, window, at, end.min(late));
        self.slide::<true>(by, window, at, end);
    }

    /// The same for rows that are all late or all not; where it ended.
    #[inline(always)]
    fn slide<const LATE: bool>(&mut self, by: &Factors<W>, window: &mut Window<W>, mut at: usize, end: usize) -> usize {
        while at + UNROLLED * Self::ROW <= end {
            for row in 0..UNROLLED {
                let [u, _, ahead] = self.ahead::<LATE>(by, window, at + row * Self::ROW);
                self.put(at + row * Self::ROW, u, ahead);
            }
            at += UNROLLED * Self::ROW;
        }
        while at < end {
            let [u, _, ahead] = self.ahead::<LATE>(by, window, at);
            self.put(at, u, ahead);
            at += Self::ROW;
        }
        at
    }

    /// Moves a row from ũ and with v.
    #[inline(always)]
    fn put(&mut self, at: usize, u: W::V, v: W::V) {
        self.store(at, self.words.add(u, v));
        self.store(at + W::WIDTH, v);
    }

    /// Takes a step.
    #[inline(always)]
    pub fn advance(&mut self, by: &Factors<W>, marks: &Marks, pushes: &Pushes, step: usize) {
        let words = self.words;
        let mut window = self.open(by);
        let mut at = Self::START;
        for mark in marks.iter() {
            let marked = Self::row(mark.row);
            self.glide(by, &mut window, at, marked);
            let [u, v, mut ahead] = if mark.row + TAIL < self.rows {
                self.ahead::<false>(by, &mut window, marked)
            } else {
                self.ahead::<true>(by, &mut window, marked)
            };
            if let Some(which) = mark.aside {
                self.store(self.aside(which), words.add(v, ahead));
            }
            for (number, push) in marks.pushes(mark) {
                let mask = signs(words, &ONE_LANE, LANES - 1 - push.lane);
                // SAFETY: all pushes have been pressed in all steps.
                let change = words.splat(unsafe { pushes.at(number, step) });
                ahead = words.choose(mask, words.add(ahead, change), ahead);
            }
            self.put(marked, u, ahead);
            at = marked + Self::ROW;
        }
        self.glide(by, &mut window, at, Self::row(self.rows));
    }
}
