//! Many steps of a string at once, under forces known ahead.
//!
//! Meanwhile the string lies in lanes: it is cut into as many pieces of one length as a vector of the machine has numbers, and a row holds the first points of
//! all pieces, the next row their second points, and so on. The neighbours of a row are then the rows before and behind it, which stay in registers from one row
//! to the next, where in the ordinary order most loads straddle two cache lines. Only around the first and the last row neighbours lie in the next lane.
//!
//! No v̄ is written down: a step goes through the rows once, two loads and two stores each.
//!
//! The same operations in the same order as [`step`](super::step), so the same bits, in however many lanes.

#![allow(unsafe_code)]

use super::Point;
use super::step::{FIRST, FIRST_LANES, Strung, pitch};
use crate::dispatch::vector_kernel;
use crate::lanes::LANES;
pub use crate::looks::{Looks, PORTS, STEPS};
use crate::simd::Words;
use std::mem::MaybeUninit;

/// Fewest points: more rows than lanes, so that whatever fills the last row up lies in one lane.
pub const FEWEST: usize = (LANES + 1) * LANES;
/// Most points there is room for.
pub const MOST: usize = 4096;

/// Ghost rows before the first and behind the last one.
const GHOSTS: usize = 2;
/// Rows at the end whose neighbours the next lane needs.
const EDGE: usize = 2;
/// Rows of one round of the loop: so many take the places of each other in the window.
const UNROLLED: usize = 4;
/// Numbers of ũ and v with their ghost rows and what fills the last row up.
const ROOM: usize = 2 * (MOST + LANES + 2 * GHOSTS * LANES);

/// A place between two neighbouring points.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spot {
    /// The points, counted from 1; 0 and the number behind the last are the ends.
    pub at: [usize; 2],
    /// What each counts; nothing at an end.
    pub share: [f64; 2],
}

vector_kernel! {
    /// Takes the steps. `state` begins with ũ and v as in a [step](super::step).
    pub fn run<S>(simd, state: &mut [f64], strung: Strung, looks: &mut Looks<Spot>) {
        if strung.point.bending == 0.0 {
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
fn steps<W: Words, const STIFF: bool>(words: W, state: &mut [f64], strung: Strung, looks: &mut Looks<Spot>) {
    let Looks { steps, mobility, earlier, .. } = *looks;
    let points = strung.points;
    assert!((FEWEST..=MOST).contains(&points) && steps <= STEPS, "a string and steps there is room for");
    let mut room = Room([const { MaybeUninit::uninit() }; ROOM]);
    let mut strip = Strip::<W, STIFF>::new(words, &mut room, strung);
    let (u, v) = state[..2 * pitch(points)].split_at_mut(pitch(points));
    strip.lay_out([u, v]);
    let [watched, heard, placed, pushed] =
        [looks.watched, looks.heard, looks.placed, looks.pushed].map(|spots| strip.ports(spots));
    let pushes = strip.pushes(&pushed, mobility);
    let factors = Factors::<W>::new(words, strung.point, strung.stores.back);
    for step in 0..steps {
        for (out, port) in looks.free[step * watched.count..].iter_mut().zip(watched.iter()) {
            *out = port.read(|place| strip.mean(place));
        }
        let forces = &looks.forces[step * pushed.count..][..pushed.count];
        let moved = strip.pushed(&pushes, forces);
        strip.advance(&factors);
        strip.insert(&pushes, moved);
        strip.join();
        for (out, port) in looks.velocities[step * heard.count..].iter_mut().zip(heard.iter()) {
            *out = port.read(|place| strip.v(place));
        }
        for (out, port) in looks.displacements[step * placed.count..].iter_mut().zip(placed.iter()) {
            let ahead = port.read(|place| strip.u(place));
            *out = earlier.map_or(ahead, |time| ahead - time * port.read(|place| strip.v(place)));
        }
    }
    strip.put_back([u, v]);
}

/// A point of a string in lanes.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    /// Counted from the first number of the room.
    at: usize,
    /// An end, which has no v̄.
    fixed: bool,
}

/// A [`Spot`] of a string in lanes.
#[derive(Clone, Copy, Debug, Default)]
struct Port {
    places: [Place; 2],
    share: [f64; 2],
}

impl Port {
    #[inline(always)]
    fn read(&self, value: impl Fn(Place) -> f64) -> f64 {
        let [one, other] = self.places.map(value);
        self.share[0] * one + self.share[1] * other
    }
}

/// Some ports.
struct Ports {
    ports: [Port; PORTS],
    count: usize,
}

impl Ports {
    #[inline(always)]
    fn iter(&self) -> impl Iterator<Item = &Port> {
        self.ports[..self.count].iter()
    }
}

/// A point that is pushed.
#[derive(Clone, Copy, Debug, Default)]
struct Pushed {
    place: Place,
    /// By which ports, and v̄ per force there.
    terms: [(usize, f64); 2 * PORTS],
    count: usize,
}

/// Some points that are pushed, no point twice.
struct Pushes {
    points: [Pushed; 2 * PORTS],
    count: usize,
}

impl Pushes {
    #[inline(always)]
    fn iter(&self) -> impl Iterator<Item = &Pushed> {
        self.points[..self.count].iter()
    }
}

/// Coefficients of a point's motion.
struct Factors<W: Words> {
    pull: W::V,
    bending: W::V,
    diffusion: W::V,
    drag: W::V,
    k: W::V,
}

impl<W: Words> Factors<W> {
    #[inline(always)]
    fn new(words: W, point: Point, k: f64) -> Self {
        let Point { tension, bending, diffusion, drag } = point;
        let pull = if bending == 0.0 { tension } else { tension + 4.0 * bending };
        let [pull, bending, diffusion, drag, k] = [pull, bending, diffusion, drag, k].map(|x| words.splat(x));
        Self { pull, bending, diffusion, drag, k }
    }
}

/// A string in lanes. Rows of ũ and v take turns, two ghost rows first.
struct Strip<'a, W: Words, const STIFF: bool> {
    words: W,
    room: &'a mut [f64],
    rows: usize,
    /// Places of the last lane behind the last point, fewer than rows.
    spare: usize,
    point: Point,
    /// The time step.
    k: f64,
    mirror: f64,
}

/// Old values around a row: ũ of the two rows before, of itself and of the one behind; v of the row before and of itself.
struct Window<W: Words> {
    u: [W::V; 4],
    v: [W::V; 2],
}

impl<'a, W: Words, const STIFF: bool> Strip<'a, W, STIFF> {
    /// Numbers of a row: ũ, then v.
    const ROW: usize = 2 * W::WIDTH;
    /// Where the first row begins.
    const START: usize = GHOSTS * Self::ROW;
    /// The last lane.
    const LAST: usize = W::WIDTH - 1;

    #[inline(always)]
    fn new(words: W, room: &'a mut Room, strung: Strung) -> Self {
        let Strung { points, point, stores, mirror, .. } = strung;
        let rows = points.div_ceil(W::WIDTH);
        let room = &mut room.0[..(rows + 2 * GHOSTS) * Self::ROW];
        for number in &mut *room {
            number.write(0.0);
        }
        // SAFETY: all of these numbers have just been written.
        let room = unsafe { &mut *(std::ptr::from_mut(room) as *mut [f64]) };
        Self { words, room, rows, spare: rows * W::WIDTH - points, point, k: stores.back, mirror }
    }

    /// A vector.
    #[inline(always)]
    fn load(&self, at: usize) -> W::V {
        debug_assert!(at + W::WIDTH <= self.room.len());
        // SAFETY: rows and their ghosts lie in the room.
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

    /// Where the point of this number, from 0, lies. Numbers behind the last point are in the last lane.
    #[inline(always)]
    fn place(&self, number: usize) -> usize {
        let lane = (number / self.rows).min(Self::LAST);
        Self::row(number - lane * self.rows) + lane
    }

    #[inline(always)]
    fn ports(&self, spots: &[Spot]) -> Ports {
        let points = self.rows * W::WIDTH - self.spare;
        let place = |node: usize| match node.checked_sub(1) {
            None => Place { at: Self::START - Self::ROW, fixed: true },
            Some(number) => Place { at: self.place(number), fixed: number >= points },
        };
        let mut ports = [Port::default(); PORTS];
        assert!(spots.len() <= PORTS, "more than a call takes");
        for (port, spot) in ports.iter_mut().zip(spots) {
            *port = Port { places: spot.at.map(place), share: spot.share };
        }
        Ports { ports, count: spots.len() }
    }

    #[inline(always)]
    fn u(&self, place: Place) -> f64 {
        self.room[place.at]
    }

    #[inline(always)]
    fn v(&self, place: Place) -> f64 {
        self.room[place.at + W::WIDTH]
    }

    /// v̄ of a point without forces.
    #[inline(always)]
    fn mean(&self, Place { at, fixed }: Place) -> f64 {
        if fixed {
            return 0.0;
        }
        let Point { tension, bending, diffusion, drag } = self.point;
        let near = &self.room[at - GHOSTS * Self::ROW..][..2 * GHOSTS * Self::ROW + W::WIDTH + 1];
        let [u0, u1, u2, u3, u4] = [0, 1, 2, 3, 4].map(|row| near[row * Self::ROW]);
        let [v1, v2, v3] = [1, 2, 3].map(|row| near[row * Self::ROW + W::WIDTH]);
        let curve = (u1 + u3) - 2.0 * u2;
        let spread = (v1 + v3) - 2.0 * v2;
        if STIFF {
            let wide = (u0 + u4) - 2.0 * u2;
            let elastic = (tension + 4.0 * bending) * curve - bending * wide;
            v2 + (elastic + (diffusion * spread - drag * v2))
        } else {
            v2 + ((tension * curve + diffusion * spread) - drag * v2)
        }
    }

    /// The points that are pushed.
    #[inline(always)]
    fn pushes(&self, pushed: &Ports, mobility: f64) -> Pushes {
        let mut pushes = Pushes { points: [Pushed::default(); 2 * PORTS], count: 0 };
        for (number, port) in pushed.iter().enumerate() {
            for (place, share) in port.places.into_iter().zip(port.share).filter(|(_, share)| *share != 0.0) {
                let known = pushes.iter().position(|point| point.place.at == place.at).unwrap_or(pushes.count);
                pushes.count = pushes.count.max(known + 1);
                let point = &mut pushes.points[known];
                point.place = place;
                point.terms[point.count] = (number, mobility * share);
                point.count += 1;
            }
        }
        pushes
    }

    /// Where the pushed points will be after the step: ũ and v.
    #[inline(always)]
    fn pushed(&self, pushes: &Pushes, forces: &[f64]) -> [[f64; 2]; 2 * PORTS] {
        let mut moved = [[0.0; 2]; 2 * PORTS];
        for (moved, point) in moved.iter_mut().zip(pushes.iter()) {
            let mut mean = self.mean(point.place);
            for &(port, mobility) in &point.terms[..point.count] {
                mean += mobility * forces[port];
            }
            let v = 2.0 * mean - self.v(point.place);
            *moved = [self.u(point.place) + self.k * v, v];
        }
        moved
    }

    /// Puts the pushed points there.
    #[inline(always)]
    fn insert(&mut self, pushes: &Pushes, moved: [[f64; 2]; 2 * PORTS]) {
        for (point, [u, v]) in pushes.iter().zip(moved) {
            self.room[point.place.at] = u;
            self.room[point.place.at + W::WIDTH] = v;
        }
    }

    /// ũ and v of the row at `at` after the step, if none of its points is pushed.
    #[inline(always)]
    fn moved(&self, by: &Factors<W>, window: &mut Window<W>, at: usize) -> [W::V; 2] {
        let words = self.words;
        let ([u0, u1, u2, u3], [v1, v2]) = (window.u, window.v);
        let (u4, v3) = (self.load(at + 2 * Self::ROW), self.load(at + Self::ROW + W::WIDTH));
        (window.u, window.v) = ([u1, u2, u3, u4], [v2, v3]);
        let curve = words.less_twice(words.add(u1, u3), u2);
        let spread = words.less_twice(words.add(v1, v3), v2);
        let (eased, dragged) = (words.mul(by.diffusion, spread), words.mul(by.drag, v2));
        // the order of operations is that of a step
        let change = if STIFF {
            let wide = words.less_twice(words.add(u0, u4), u2);
            let elastic = words.sub(words.mul(by.pull, curve), words.mul(by.bending, wide));
            words.add(elastic, words.sub(eased, dragged))
        } else {
            words.sub(words.add(words.mul(by.pull, curve), eased), dragged)
        };
        let v = words.twice_less(words.add(v2, change), v2);
        [words.add(u2, words.mul(by.k, v)), v]
    }

    /// The window of the row at `at`.
    #[inline(always)]
    fn window(&self, at: usize) -> Window<W> {
        let before = at - GHOSTS * Self::ROW;
        Window {
            u: [0, 1, 2, 3].map(|row| self.load(before + row * Self::ROW)),
            v: [1, 2].map(|row| self.load(before + row * Self::ROW + W::WIDTH)),
        }
    }

    /// Moves all points as if none were pushed.
    ///
    /// The last two rows come first and are put aside: the next step begins with them, in the next lane, and need not wait.
    #[inline(always)]
    fn advance(&mut self, by: &Factors<W>) {
        let edge = Self::row(self.rows - EDGE);
        let mut window = self.window(edge);
        let mut aside = [[self.words.splat(0.0); 2]; EDGE];
        for (row, aside) in aside.iter_mut().enumerate() {
            *aside = self.moved(by, &mut window, edge + row * Self::ROW);
        }
        let mut window = self.window(Self::START);
        let (mut at, whole) = (Self::START, edge.min(Self::row(self.rows - self.spare)));
        while at + UNROLLED * Self::ROW <= whole {
            for row in 0..UNROLLED {
                let moved = self.moved(by, &mut window, at + row * Self::ROW);
                self.put(at + row * Self::ROW, moved);
            }
            at += UNROLLED * Self::ROW;
        }
        while at < edge {
            let moved = self.moved(by, &mut window, at);
            self.put(at, if at < whole { moved } else { self.without_spare(moved) });
            at += Self::ROW;
        }
        for (row, moved) in aside.into_iter().enumerate() {
            self.put(edge + row * Self::ROW, if row + self.spare < EDGE { moved } else { self.without_spare(moved) });
        }
    }

    #[inline(always)]
    fn put(&mut self, at: usize, [u, v]: [W::V; 2]) {
        self.store(at, u);
        self.store(at + W::WIDTH, v);
    }

    /// Leaves the last lane, which is behind the last point, at rest.
    #[inline(always)]
    fn without_spare(&self, moved: [W::V; 2]) -> [W::V; 2] {
        let words = self.words;
        // SAFETY: there are as many numbers as lanes from this one on.
        let inside = words.load(unsafe { &*FIRST_LANES[LANES - Self::LAST..].as_ptr().cast() });
        moved.map(|vector| words.choose(inside, vector, words.splat(0.0)))
    }

    /// Writes the ghost rows: neighbours in the next lane, and what is beyond the ends.
    #[inline(always)]
    fn join(&mut self) {
        let words = self.words;
        let (first, last) = (Self::START, Self::row(self.rows - 1));
        let [u0, u1] = [first, last].map(|at| self.load(at));
        let [v0, v1] = [first, last].map(|at| self.load(at + W::WIDTH));
        // of the last point
        let end = last - self.spare * Self::ROW + Self::LAST;
        let beyond = if STIFF { self.mirror * self.room[end] } else { 0.0 };
        let near = if self.spare == 1 { beyond } else { 0.0 };
        self.store(first - Self::ROW, words.up(0.0, u1));
        self.store(first - Self::ROW + W::WIDTH, words.up(0.0, v1));
        self.store(last + Self::ROW, words.down(u0, near));
        self.store(last + Self::ROW + W::WIDTH, words.down(v0, 0.0));
        if STIFF {
            let (before, far) = (self.load(last - Self::ROW), self.load(first + Self::ROW));
            self.store(first - 2 * Self::ROW, words.up(self.mirror * self.room[first], before));
            self.store(last + 2 * Self::ROW, words.down(far, if self.spare == 0 { beyond } else { 0.0 }));
            // at last, for a row one of whose numbers has just been written cannot be read at once
            if self.spare > 1 {
                self.room[end + 2 * Self::ROW] = beyond;
            }
        }
    }

    /// Takes a string over. Behind its last point lie what the last lane has there: zeros, but for a ghost that is written anew.
    #[inline(always)]
    fn lay_out(&mut self, motion: [&[f64]; 2]) {
        assert!(motion.iter().all(|values| values.len() >= FIRST + self.rows * W::WIDTH));
        for row in 0..self.rows {
            for (array, values) in motion.iter().enumerate() {
                let to = &mut self.room[Self::row(row) + array * W::WIDTH..][..W::WIDTH];
                for (lane, to) in to.iter_mut().enumerate() {
                    // SAFETY: row by row and lane by lane it is less than asserted above.
                    *to = unsafe { *values.get_unchecked(FIRST + lane * self.rows + row) };
                }
            }
        }
        self.join();
    }

    /// Gives it back.
    #[inline(always)]
    fn put_back(&self, mut motion: [&mut [f64]; 2]) {
        assert!(motion.iter().all(|values| values.len() >= FIRST + self.rows * W::WIDTH));
        for row in 0..self.rows {
            for (array, values) in motion.iter_mut().enumerate() {
                let from = &self.room[Self::row(row) + array * W::WIDTH..][..W::WIDTH];
                for (lane, from) in from.iter().enumerate() {
                    // SAFETY: row by row and lane by lane it is less than asserted above.
                    unsafe { *values.get_unchecked_mut(FIRST + lane * self.rows + row) = *from };
                }
            }
        }
        if STIFF {
            let ([u, _], points) = (motion, self.rows * W::WIDTH - self.spare);
            u[FIRST - 2] = self.mirror * u[FIRST];
            u[FIRST + points + 1] = self.mirror * u[FIRST + points - 1];
        }
    }
}

#[cfg(test)]
mod tests;
