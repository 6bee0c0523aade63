//! Many steps of a string at once, under forces known ahead.
//!
//! Meanwhile the string lies in lanes: it is cut into as many pieces of one length as a vector of the machine has numbers, and a row holds the first points of
//! all pieces, the next row their second points, and so on. The neighbours of a row are then the rows before and behind it, which stay in registers from one row
//! to the next, where in the ordinary order most loads straddle two cache lines. Only around the first and the last row neighbours lie in the next lane.
//!
//! Where the points do not fill the rows, some pieces begin with the last point of the piece before: it is worked out twice, from the same numbers, and no lane ends
//! before the others.
//!
//! What is written as a vector is read as a vector, or as one of its numbers: whole vectors of which a single number has just been written cannot be read at once. So
//! pushes are added to whole rows, and v⁺ of watched points is put aside with its row.
//!
//! The same operations in the same order as [`step`](super::step), so the same bits, in however many lanes.

#![allow(unsafe_code)]

mod marks;
mod seen;

use super::Moves;
use super::step::{FIRST, FIRST_LANES, Strung, pitch};
use crate::dispatch::vector_kernel;
use crate::lanes::LANES;
use crate::simd::Words;
use marks::{Marks, Pushes, WATCHED};
use seen::Seen;
use std::mem::MaybeUninit;

/// Steps of which the ports' numbers are kept: so many are taken, then looked at.
const STEPS: usize = 64;
/// Most ports of each kind.
pub const PORTS: usize = 4;
/// Fewest points: more rows than lanes, so that no piece misses more than one point.
pub const FEWEST: usize = (LANES + 1) * LANES;
/// Most points there is room for.
pub const MOST: usize = 4096;

/// Rows before the first one: zeros, for what does not move.
const BEFORE: usize = 1;
/// The last rows, of which y is known when a step begins and is kept in as many rows behind the last one.
const TAIL: usize = 4;
/// Rows of one round of the loop: so many take the places of each other in the window.
const UNROLLED: usize = 3;
/// Numbers of ũ and v with what lies around them, and of rows that are put aside.
const ROOM: usize = 2 * (MOST + LANES + (BEFORE + TAIL) * LANES) + WATCHED * LANES;

/// A place between two neighbouring points.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spot {
    /// The points, counted from 1; 0 and the number behind the last are the ends.
    pub at: [usize; 2],
    /// What each counts; nothing at an end.
    pub share: [f64; 2],
}

/// What is done to a string in some steps, and what is seen of it there. All numbers lie step after step.
#[derive(Debug)]
pub struct Looks<'a> {
    /// How many steps.
    pub steps: usize,
    /// Where it is pushed; here and below at most [`PORTS`] places.
    pub pushed: &'a [Spot],
    /// Forces there.
    pub forces: &'a [f64],
    /// v⁺ of a point per force on it.
    pub mobility: f64,
    /// Where v̄ is watched, as it would be without the push.
    pub watched: &'a [Spot],
    /// v̄ there, m/s.
    pub free: &'a mut [f64],
    /// Where v after the step is heard.
    pub heard: &'a [Spot],
    /// v there, m/s.
    pub velocities: &'a mut [f64],
    /// Where the shape after the step is asked for.
    pub placed: &'a [Spot],
    /// The shape half a step earlier than ũ is meant.
    pub half_a_step_earlier: bool,
    /// The shape there.
    pub displacements: &'a mut [f64],
    /// Steps per second.
    pub rate: f64,
}

vector_kernel! {
    /// Takes the steps. `state` begins with ũ and v as in a [step](super::step).
    pub fn run<S>(simd, state: &mut [f64], strung: Strung, looks: &mut Looks) {
        if strung.moves.own.is_none() {
            steps::<S::One, false>(simd.one(), state, strung, looks);
        } else {
            steps::<S::One, true>(simd.one(), state, strung, looks);
        }
    }
}

/// Where a string lies during a call.
#[repr(align(64))]
struct Room([MaybeUninit<f64>; ROOM]);

#[inline(always)]
fn steps<W: Words, const STIFF: bool>(words: W, state: &mut [f64], strung: Strung, looks: &mut Looks) {
    let Looks { steps, mobility, half_a_step_earlier, rate, .. } = *looks;
    let points = strung.points;
    assert!((FEWEST..=MOST).contains(&points), "a string there is room for");
    let mut room = Room([const { MaybeUninit::uninit() }; ROOM]);
    let (u, v) = state[..2 * pitch(points)].split_at_mut(pitch(points));
    let mut strip = Strip::<W, STIFF>::new(words, &mut room, strung, [u, v]);
    let mut marks = Marks::new();
    let mut seen = Seen::new();
    let mut pushes = Pushes::new();
    let kinds = [looks.watched, looks.heard, looks.placed, if half_a_step_earlier { looks.placed } else { &[] }];
    for (kind, spots) in kinds.into_iter().enumerate() {
        assert!(spots.len() <= PORTS, "more than a call takes");
        for spot in spots {
            seen.look(spot.at.map(|node| {
                let place = strip.places(node).next();
                place.map_or(0, |(row, lane)| {
                    lane + match kind {
                        0 => strip.aside(marks.watch(row)),
                        2 => Strip::<W, STIFF>::row(row),
                        _ => Strip::<W, STIFF>::row(row) + W::WIDTH,
                    }
                })
            }));
        }
    }
    strip.push(&mut marks, looks.pushed, mobility);
    let by = strip.factors(strung.moves);
    let [heard, placed, moving] = [1, 2, 3].map(|kind| kinds[..kind].iter().map(|spots| spots.len()).sum::<usize>());
    for first in (0..steps).step_by(STEPS) {
        let now = STEPS.min(steps - first);
        marks.press(&mut pushes, &looks.forces[first * looks.pushed.len()..], looks.pushed.len(), now);
        for step in 0..now {
            strip.advance(&by, &marks, &pushes, step);
            seen.note(step, |at| strip.number(at));
        }
        seen.tell(0, looks.watched, &mut looks.free[first * looks.watched.len()..], now, |x| 0.5 * rate * x);
        seen.tell(heard, looks.heard, &mut looks.velocities[first * looks.heard.len()..], now, |x| rate * x);
        let displacements = &mut looks.displacements[first * looks.placed.len()..];
        seen.tell(placed, looks.placed, displacements, now, |x| x);
        if half_a_step_earlier {
            seen.take_half(moving, looks.placed, displacements, now);
        }
    }
    strip.put_back([u, v]);
}

/// What stays from row to row and from step to step.
struct Factors<W: Words> {
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

/// As many vectors as there are lanes, rows and lanes exchanged.
#[inline(always)]
fn transposed<W: Words>(words: W, mut square: [W::V; LANES]) -> [W::V; LANES] {
    let half = W::WIDTH / 2;
    for _ in 0..W::WIDTH.ilog2() {
        let before = square;
        for i in 0..half {
            let [x, y] = [before[i], before[i + half]];
            [square[2 * i], square[2 * i + 1]] = [words.low(x, y), words.high(x, y)];
        }
    }
    square
}

/// A string in lanes. Rows of ũ and v take turns.
struct Strip<'a, W: Words, const STIFF: bool> {
    words: W,
    /// Written before it is read: the zeros in front and the rows from the beginning, what is behind them at the beginning of every step.
    room: &'a mut [MaybeUninit<f64>],
    points: usize,
    rows: usize,
    /// Pieces, from the second one on, that begin with the last point of the piece before; fewer than lanes.
    shared: usize,
    mirror: f64,
}

/// Old values around a row: y of the row before, of itself and of the one behind; ũ of the two rows behind it.
struct Window<W: Words> {
    y: [W::V; 3],
    u: [W::V; 2],
}

impl<'a, W: Words, const STIFF: bool> Strip<'a, W, STIFF> {
    /// Numbers of a row: ũ, then v.
    const ROW: usize = 2 * W::WIDTH;
    /// Where the first row begins.
    const START: usize = BEFORE * Self::ROW;

    /// Takes a string over.
    #[inline(always)]
    fn new(words: W, room: &'a mut Room, strung: Strung, motion: [&[f64]; 2]) -> Self {
        let Strung { points, mirror, .. } = strung;
        let rows = points.div_ceil(W::WIDTH);
        let room = &mut room.0[..(BEFORE + rows + TAIL) * Self::ROW + WATCHED * W::WIDTH];
        let mut strip = Self { words, room, points, rows, shared: rows * W::WIDTH - points, mirror };
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
    fn squares(&mut self, len: usize, mut each: impl FnMut(&mut Self, usize, [usize; LANES])) {
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
    fn put_back(&mut self, mut motion: [&mut [f64]; 2]) {
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
    fn first(&self, lane: usize) -> usize {
        lane * self.rows - lane.min(self.shared)
    }

    #[inline(always)]
    fn factors(&self, moves: Moves) -> Factors<W> {
        let Moves { kept, pull, own, ease } = moves;
        let [kept, pull, own, ease] = [kept, pull, own.unwrap_or(1.0), ease].map(|x| self.words.splat(x));
        let [giving, taking] = [0, 1].map(|more| signs(self.words, &FIRST_LANES, LANES - self.shared - more));
        let ends = [0, W::WIDTH - 1].map(|lane| signs(self.words, &ONE_LANE, LANES - 1 - lane));
        Factors { kept, pull, own, ease, giving, taking, ends }
    }

    /// A vector.
    #[inline(always)]
    fn load(&self, at: usize) -> W::V {
        debug_assert!(at + W::WIDTH <= self.room.len());
        // SAFETY: rows and their ghosts lie in the room, and they have been written.
        self.words.load(unsafe { &*self.room.as_ptr().add(at).cast() })
    }

    #[inline(always)]
    fn store(&mut self, at: usize, vector: W::V) {
        debug_assert!(at + W::WIDTH <= self.room.len());
        // SAFETY: rows and their ghosts lie in the room.
        self.words.store(unsafe { &mut *self.room.as_mut_ptr().add(at).cast() }, vector);
    }

    /// Where a row begins.
    #[inline(always)]
    fn row(row: usize) -> usize {
        Self::START + row * Self::ROW
    }

    /// Rows and lanes of a point, counted from 1: none of an end, two of a point that is shared.
    #[inline(always)]
    fn places(&self, node: usize) -> impl Iterator<Item = (usize, usize)> {
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
    fn aside(&self, which: usize) -> usize {
        Self::row(self.rows + TAIL) + which * W::WIDTH
    }

    /// Marks the rows that are pushed.
    #[inline(always)]
    fn push(&self, marks: &mut Marks, spots: &[Spot], mobility: f64) {
        assert!(spots.len() <= PORTS, "more than a call takes");
        for (port, spot) in spots.iter().enumerate() {
            for (node, share) in spot.at.into_iter().zip(spot.share).filter(|(_, share)| *share != 0.0) {
                for (row, lane) in self.places(node) {
                    marks.push(row, lane, port, mobility * share);
                }
            }
        }
    }

    /// A number of a row, or of one that is put aside.
    #[inline(always)]
    fn number(&self, at: usize) -> f64 {
        debug_assert!(at < self.room.len());
        // SAFETY: it lies in the room and has been written.
        unsafe { self.room.get_unchecked(at).assume_init() }
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
    fn advance(&mut self, by: &Factors<W>, marks: &Marks, pushes: &Pushes, step: usize) {
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

#[cfg(test)]
mod tests;
