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

use super::Moves;
use super::step::{FIRST, FIRST_LANES, Strung, pitch};
use crate::dispatch::vector_kernel;
use crate::lanes::LANES;
use crate::simd::Words;
use marks::{Marks, WATCHED};
use std::mem::MaybeUninit;

/// Most steps of a call.
pub const STEPS: usize = 64;
/// Most ports of each kind.
pub const PORTS: usize = 4;
/// Fewest points: more rows than lanes, so that no piece misses more than one point.
pub const FEWEST: usize = (LANES + 1) * LANES;
/// Most points there is room for.
pub const MOST: usize = 4096;

/// Rows before the first one: zeros, for what does not move.
const BEFORE: usize = 1;
/// Ghost rows behind the last one.
const BEHIND: usize = 2;
/// Rows of one round of the loop: so many take the places of each other in the window.
const UNROLLED: usize = 2;
/// Numbers of ũ and v with what lies around them.
const ROOM: usize = 2 * (MOST + LANES + (BEFORE + BEHIND) * LANES);

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
    /// How many steps, at most [`STEPS`].
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
        if strung.moves.bending == 0.0 {
            steps::<S::One, false>(simd.one(), state, strung, looks);
        } else {
            steps::<S::One, true>(simd.one(), state, strung, looks);
        }
    }
}

/// Where a string lies during a call.
#[repr(align(64))]
struct Room([MaybeUninit<f64>; ROOM]);

/// v + v⁺ of rows with watched points, behind a row of zeros.
#[repr(align(64))]
struct Aside([f64; (1 + WATCHED) * LANES]);

#[inline(always)]
fn steps<W: Words, const STIFF: bool>(words: W, state: &mut [f64], strung: Strung, looks: &mut Looks) {
    let Looks { steps, mobility, half_a_step_earlier, rate, .. } = *looks;
    let points = strung.points;
    assert!((FEWEST..=MOST).contains(&points) && steps <= STEPS, "a string and steps there is room for");
    let mut room = Room([const { MaybeUninit::uninit() }; ROOM]);
    let mut aside = Aside([0.0; (1 + WATCHED) * LANES]);
    let (u, v) = state[..2 * pitch(points)].split_at_mut(pitch(points));
    let mut strip = Strip::<W, STIFF>::new(words, &mut room, strung, [u, v]);
    let mut marks = Marks::new();
    let [mut watched, mut heard, mut placed] = [[Port::default(); PORTS]; 3];
    let watched = strip.find(looks.watched, &mut watched, |row, lane| marks.watch(row) * W::WIDTH + lane);
    strip.push(&mut marks, looks.pushed, mobility);
    let [heard, placed] = [(looks.heard, &mut heard), (looks.placed, &mut placed)]
        .map(|(spots, ports)| strip.find(spots, ports, |row, lane| Strip::<W, STIFF>::row(row) + lane));
    let (by, ports) = (strip.factors(strung.moves), looks.pushed.len());
    for step in 0..steps {
        let forces = &looks.forces[step * ports..][..ports];
        strip.advance(&by, &marks, forces, &mut aside);
        for (out, port) in looks.free[step * watched.len()..].iter_mut().zip(watched) {
            *out = 0.5 * rate * port.read(|at| aside.0[at]);
        }
        for (out, port) in looks.velocities[step * heard.len()..].iter_mut().zip(heard) {
            *out = rate * port.read(|at| strip.v(at));
        }
        for (out, port) in looks.displacements[step * placed.len()..].iter_mut().zip(placed) {
            let ahead = port.read(|at| strip.u(at));
            *out = if half_a_step_earlier { ahead - 0.5 * port.read(|at| strip.v(at)) } else { ahead };
        }
    }
    strip.put_back([u, v]);
}

/// A [`Spot`] of a string in lanes.
#[derive(Clone, Copy, Debug, Default)]
struct Port {
    /// Counted from the first number of the room, or of what is put aside.
    at: [usize; 2],
    share: [f64; 2],
}

impl Port {
    #[inline(always)]
    fn read(&self, value: impl Fn(usize) -> f64) -> f64 {
        let [one, other] = self.at.map(value);
        self.share[0] * one + self.share[1] * other
    }
}

/// What stays from row to row and from step to step.
struct Factors<W: Words> {
    /// As in [`Moves`].
    kept: W::V,
    pull: W::V,
    bending: W::V,
    ease: W::V,
    /// Negative where a piece shares its last point with the next.
    giving: W::V,
    /// Negative where it shares its first one with the piece before; the first lane does not matter.
    taking: W::V,
    /// Negative in the first lane, and in the last.
    ends: [W::V; 2],
    mirror: W::V,
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
    /// Written before it is read: the zeros in front and the rows from the beginning, the ghosts at the beginning of every step.
    room: &'a mut [MaybeUninit<f64>],
    points: usize,
    rows: usize,
    /// Pieces, from the second one on, that begin with the last point of the piece before; fewer than lanes.
    shared: usize,
    mirror: f64,
}

/// Old values around a row: ũ of the two rows before, of itself and of the one behind; p of the row before and of itself; v of itself.
struct Window<W: Words> {
    u: [W::V; 4],
    p: [W::V; 2],
    v: W::V,
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
        let room = &mut room.0[..(BEFORE + rows + BEHIND) * Self::ROW];
        let mut strip = Self { words, room, points, rows, shared: rows * W::WIDTH - points, mirror };
        for at in [0, W::WIDTH] {
            strip.store(at, words.splat(0.0));
        }
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
        let Moves { kept, pull, bending, ease } = moves;
        let [kept, pull, bending, ease, mirror] = [kept, pull, bending, ease, self.mirror].map(|x| self.words.splat(x));
        let [giving, taking] = [0, 1].map(|more| signs(self.words, &FIRST_LANES, LANES - self.shared - more));
        let ends = [0, W::WIDTH - 1].map(|lane| signs(self.words, &ONE_LANE, LANES - 1 - lane));
        Factors { kept, pull, bending, ease, giving, taking, ends, mirror }
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

    /// Ports where `place` says that their points lie; ends lie at the zeros in front. They are written where they stay: copies of what has just been written would have to wait.
    #[inline(always)]
    fn find<'b>(
        &self,
        spots: &[Spot],
        ports: &'b mut [Port; PORTS],
        mut place: impl FnMut(usize, usize) -> usize,
    ) -> &'b [Port] {
        assert!(spots.len() <= PORTS, "more than a call takes");
        for (port, spot) in ports.iter_mut().zip(spots) {
            port.at = spot.at.map(|node| self.places(node).next().map_or(0, |(row, lane)| place(row, lane)));
            port.share = spot.share;
        }
        &ports[..spots.len()]
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

    #[inline(always)]
    fn u(&self, at: usize) -> f64 {
        // SAFETY: it has been written.
        unsafe { self.room[at].assume_init() }
    }

    #[inline(always)]
    fn v(&self, at: usize) -> f64 {
        // SAFETY: it has been written.
        unsafe { self.room[at + W::WIDTH].assume_init() }
    }

    /// The window of the first row. Writes the ghosts behind the last one.
    #[inline(always)]
    fn open(&mut self, by: &Factors<W>) -> Window<W> {
        let words = self.words;
        let (first, last) = (Self::START, Self::row(self.rows - 1));
        let [u0, u1, v0, v1] = [0, 1, 2, 3].map(|i| self.load(first + i % 2 * Self::ROW + i / 2 * W::WIDTH));
        let [end, end1, ve, ve1] = [0, 1, 2, 3].map(|i| self.load(last - i % 2 * Self::ROW + i / 2 * W::WIDTH));
        // zeros in front of the rows, of which the compiler knows nothing: it would take two operations for vectors that are zero in a lane
        let nothing = self.load(0);
        // where a point is shared, the next piece goes on one row further
        let before = words.up(nothing, words.choose(by.giving, end1, end));
        let before_v = words.up(nothing, words.choose(by.giving, ve1, ve));
        self.store(last + Self::ROW, words.down(words.choose(by.taking, u1, u0), nothing));
        self.store(last + Self::ROW + W::WIDTH, words.down(words.choose(by.taking, v1, v0), nothing));
        let mut far = before;
        if STIFF {
            let (u2, end2) = (self.load(first + 2 * Self::ROW), self.load(last - 2 * Self::ROW));
            let [head, tail] = by.ends;
            let beyond = words.down(words.choose(by.taking, u2, u1), nothing);
            self.store(last + 2 * Self::ROW, words.choose(tail, words.mul(by.mirror, end), beyond));
            far = words.choose(head, words.mul(by.mirror, u0), words.up(nothing, words.choose(by.giving, end2, end1)));
        }
        let p = [(before, before_v), (u0, v0)].map(|(u, v)| words.add(u, words.mul(by.ease, v)));
        Window { u: [far, before, u0, u1], p, v: v0 }
    }

    /// ũ, v and v⁺ of the row at `at`, if none of its points is pushed; the window moves on.
    #[inline(always)]
    fn ahead(&self, by: &Factors<W>, window: &mut Window<W>, at: usize) -> [W::V; 3] {
        let words = self.words;
        let ([u0, u1, u2, u3], [p1, p2], v2) = (window.u, window.p, window.v);
        let next = at + Self::ROW;
        let [u3, u4] = if STIFF { [u3, self.load(next + Self::ROW)] } else { [self.load(next), u3] };
        let v3 = self.load(next + W::WIDTH);
        // the order of operations is that of a step
        let p3 = words.add(u3, words.mul(by.ease, v3));
        let curve = words.less_twice(words.add(p1, p3), p2);
        let mut change = words.mul(by.pull, curve);
        if STIFF {
            let wide = words.less_twice(words.add(u0, u4), u2);
            change = words.sub(change, words.mul(by.bending, wide));
        }
        *window = Window { u: [u1, u2, u3, u4], p: [p2, p3], v: v3 };
        [u2, v2, words.add(words.mul(by.kept, v2), change)]
    }

    /// Moves the rows from `at` to `end`, none of whose points is pushed or watched.
    #[inline(always)]
    fn glide(&mut self, by: &Factors<W>, window: &mut Window<W>, mut at: usize, end: usize) {
        while at + UNROLLED * Self::ROW <= end {
            for row in 0..UNROLLED {
                let [u, _, ahead] = self.ahead(by, window, at + row * Self::ROW);
                self.put(at + row * Self::ROW, u, ahead);
            }
            at += UNROLLED * Self::ROW;
        }
        while at < end {
            let [u, _, ahead] = self.ahead(by, window, at);
            self.put(at, u, ahead);
            at += Self::ROW;
        }
    }

    /// Moves a row from ũ and with v.
    #[inline(always)]
    fn put(&mut self, at: usize, u: W::V, v: W::V) {
        self.store(at, self.words.add(u, v));
        self.store(at + W::WIDTH, v);
    }

    /// Takes a step.
    #[inline(always)]
    fn advance(&mut self, by: &Factors<W>, marks: &Marks, forces: &[f64], aside: &mut Aside) {
        let words = self.words;
        let mut window = self.open(by);
        let mut at = Self::START;
        for mark in marks.iter() {
            let marked = Self::row(mark.row);
            self.glide(by, &mut window, at, marked);
            let [u, v, mut ahead] = self.ahead(by, &mut window, marked);
            if mark.aside != 0 {
                let to = &mut aside.0[mark.aside * W::WIDTH..][..W::WIDTH];
                // SAFETY: as many numbers as lanes.
                words.store(unsafe { &mut *to.as_mut_ptr().cast() }, words.add(v, ahead));
            }
            for push in marks.pushes(mark) {
                let mask = signs(words, &ONE_LANE, LANES - 1 - push.lane);
                // −0 changes no number, whatever its sign
                let pushed = words.choose(mask, words.splat(push.mobility * forces[push.port]), words.splat(-0.0));
                ahead = words.add(ahead, pushed);
            }
            self.put(marked, u, ahead);
            at = marked + Self::ROW;
        }
        self.glide(by, &mut window, at, Self::row(self.rows));
    }
}

#[cfg(test)]
mod tests;
