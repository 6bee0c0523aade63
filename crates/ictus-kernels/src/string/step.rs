//! A whole step of strings: their points move, and v⁺ of the next step follows. Where the books are kept, what was lost over the step and what is stored after
//! it come along.
//!
//! The prediction follows when all strings have moved, not point by point: what it reads across two vectors must have left the processor's queue of writes.
//!
//! Bending is summed by parts, Σ δ²u δ²u⁻ = −Σ Δu⁻ δ³u over all intervals: with the ghosts mirrored at the ends nothing is left over there, whether they are
//! supported or clamped.

#![allow(unsafe_code)]

use super::{Moves, Stores};
use crate::dispatch::vector_kernel;
use crate::lanes::LANES;
use crate::simd::Simd;
use crate::surface::plan::{load, store};

/// Where the first point of a string lies in its arrays. Before it there are two ghosts, behind the last one two more and room for a vector.
pub const FIRST: usize = LANES;

/// How a string steps.
#[derive(Clone, Copy, Debug)]
pub struct Strung {
    /// Number of points.
    pub points: usize,
    /// How a point moves.
    pub moves: Moves,
    /// What is stored, v in metres a step; `back` is 1.
    pub stores: Stores,
    /// Lost per Σ (v + v⁺)², W/m².
    pub uniform: f64,
    /// Lost per Σ (Δ(v + v⁺))², W/m².
    pub spread: f64,
    /// Ghosts of a stiff string are this times the points next to its ends: −1 supported, 1 clamped.
    pub mirror: f64,
}

/// One of the strings of a body: ũ, v and v⁺ under the forces, arrays of [`pitch`] values one after the other. After a step v⁺ is that of the next one, without
/// forces.
#[derive(Clone, Copy, Debug)]
pub struct Strand {
    /// Where in the state of the body it begins.
    pub start: usize,
    /// How it steps.
    pub strung: Strung,
}

/// What a step adds up, where the books are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Books {
    /// Twice the energy stored after the step, J.
    pub stored: f64,
    /// Power lost over the step, W.
    pub lost: f64,
}

/// Chunks of eight that hold `points` and the end behind them.
const fn chunks(points: usize) -> usize {
    points / LANES + 1
}

/// Length of the arrays of a string.
pub const fn pitch(points: usize) -> usize {
    FIRST + (chunks(points) + 1) * LANES
}

/// The eight from `LANES - n` are negative in their first n lanes.
pub(super) static FIRST_LANES: [f64; 2 * LANES] = {
    let mut signs = [1.0; 2 * LANES];
    let mut lane = 0;
    while lane < LANES {
        signs[lane] = -1.0;
        lane += 1;
    }
    signs
};

vector_kernel! {
    /// A step of all `strands` of a body.
    pub fn step<S>(simd, state: &mut [f64], strands: &[Strand], audited: bool) -> Books {
        let mut books = Books::default();
        for strand in strands {
            let lost = if audited { strand.lead::<S, true>(simd, state) } else { strand.lead::<S, false>(simd, state) };
            books.lost += lost;
        }
        for strand in strands {
            books.stored += match (audited, strand.strung.moves.own.is_some()) {
                (true, true) => strand.follow::<S, true, true>(simd, state),
                (true, false) => strand.follow::<S, true, false>(simd, state),
                (false, true) => strand.follow::<S, false, true>(simd, state),
                (false, false) => strand.follow::<S, false, false>(simd, state),
            };
        }
        books
    }
}

impl Strand {
    /// ũ, v and v⁺.
    #[inline(always)]
    fn arrays<'a>(&self, state: &'a mut [f64]) -> [&'a mut [f64]; 3] {
        let pitch = pitch(self.strung.points);
        let (u, rest) = state[self.start..self.start + 3 * pitch].split_at_mut(pitch);
        let (v, ahead) = rest.split_at_mut(pitch);
        [u, v, ahead]
    }

    /// The power lost over the step, W.
    #[inline(always)]
    fn lost<S: Simd>(&self, simd: S, state: &mut [f64]) -> f64 {
        let Strung { points, uniform, spread, .. } = self.strung;
        let [_, v, ahead] = self.arrays(state);
        let [mut square, mut slope] = [simd.splat(0.0); 2];
        for chunk in 0..chunks(points) {
            let c = FIRST + chunk * LANES;
            // SAFETY: chunks and their neighbours, at most two away, lie in arrays of this pitch.
            let [left, both] = [-1, 0].map(|by| unsafe { simd.add(load(simd, v, c, by), load(simd, ahead, c, by)) });
            let step = simd.sub(both, left);
            square = simd.add(square, simd.mul(both, both));
            slope = simd.add(slope, simd.mul(step, step));
        }
        uniform * simd.sum(square) + spread * simd.sum(slope)
    }

    /// v ← v⁺, u ← u + v; the power lost, W.
    #[inline(always)]
    fn lead<S: Simd, const AUDITED: bool>(&self, simd: S, state: &mut [f64]) -> f64 {
        let lost = if AUDITED { self.lost(simd, state) } else { 0.0 };
        let Strung { points, moves, mirror, .. } = self.strung;
        let [u, v, ahead] = self.arrays(state);
        let end = FIRST + points;
        let mut from = 0;
        // the first chunk alone, so that the ghost before it has long been written when the prediction begins there: it reads both together
        for to in [1, chunks(points)] {
            for chunk in from..to {
                let c = FIRST + chunk * LANES;
                // SAFETY: chunks lie in arrays of this pitch.
                unsafe {
                    let new = load(simd, ahead, c, 0);
                    store(simd, v, c, new);
                    store(simd, u, c, simd.add(load(simd, u, c, 0), new));
                }
            }
            if to == 1 && moves.own.is_some() {
                u[FIRST - 2] = mirror * u[FIRST];
            }
            from = to;
        }
        if moves.own.is_some() {
            u[end + 1] = mirror * u[end - 1];
        }
        lost
    }

    /// Predicts the next step; twice the energy stored, J.
    #[inline(always)]
    fn follow<S: Simd, const AUDITED: bool, const STIFF: bool>(&self, simd: S, state: &mut [f64]) -> f64 {
        let Strung { points, moves, stores, .. } = self.strung;
        let [u, v, ahead] = self.arrays(state);
        // of the end before the first point, which does not move
        let end = if STIFF { 0.0 - (u[FIRST - 2] + u[FIRST]) } else { 0.0 };
        let mut follow = Following::<S, AUDITED, STIFF>::new(simd, moves, stores, end);
        let last = chunks(points) - 1;
        // SAFETY: chunks and their neighbours, at most two away, lie in arrays of this pitch.
        unsafe {
            let mut shown = follow.shown([u, v], FIRST);
            for chunk in 0..last {
                let c = FIRST + chunk * LANES;
                let next = follow.shown([u, v], c + LANES);
                let (moved, energy) = follow.at([u, v], c, shown, next);
                store(simd, ahead, c, moved);
                if AUDITED {
                    follow.stored = simd.add(follow.stored, energy);
                }
                shown = next;
            }
            follow.last([u, v], ahead, FIRST + last * LANES, shown, points % LANES);
        }
        if AUDITED { simd.sum(follow.stored) } else { 0.0 }
    }
}

/// The prediction that follows the motion.
struct Following<S: Simd, const AUDITED: bool, const STIFF: bool> {
    simd: S,
    /// As in [`Moves`].
    kept: S::V,
    pull: S::V,
    own: S::V,
    ease: S::V,
    /// Of the energy: mass, Δu, δ³u, Δv, and the time step.
    mass: S::V,
    taut: S::V,
    bent: S::V,
    eased: S::V,
    back: S::V,
    stored: S::V,
    /// y of the chunk before.
    before: S::V,
}

impl<S: Simd, const AUDITED: bool, const STIFF: bool> Following<S, AUDITED, STIFF> {
    /// With y of the end before the first point.
    #[inline(always)]
    fn new(simd: S, moves: Moves, stores: Stores, end: f64) -> Self {
        Self {
            simd,
            kept: simd.splat(moves.kept),
            pull: simd.splat(moves.pull),
            own: simd.splat(moves.own.unwrap_or(1.0)),
            ease: simd.splat(moves.ease),
            mass: simd.splat(stores.mass),
            taut: simd.splat(stores.tension + if STIFF { 3.0 * stores.bending } else { 0.0 }),
            bent: simd.splat(stores.bending),
            eased: simd.splat(stores.diffusion),
            back: simd.splat(stores.back),
            stored: simd.splat(0.0),
            before: simd.splat(end),
        }
    }

    /// y of a chunk.
    ///
    /// # Safety
    /// The chunk and its neighbours lie in arrays of this pitch.
    #[inline(always)]
    unsafe fn shown(&self, [u, v]: [&[f64]; 2], c: usize) -> S::V {
        let simd = self.simd;
        // SAFETY: the caller says so.
        let [here, speed] = unsafe { [load(simd, u, c, 0), load(simd, v, c, 0)] };
        // the order of operations is that of the loops that predict alone
        let eased = simd.mul(self.ease, speed);
        if !STIFF {
            return simd.add(here, eased);
        }
        // SAFETY: the caller says so.
        let sides = unsafe { simd.add(load(simd, u, c, -1), load(simd, u, c, 1)) };
        simd.sub(simd.add(simd.mul(self.own, here), eased), sides)
    }

    /// v⁺ of a chunk and twice the energy of its points and the intervals to their left, from y of it and of the next one; the chunk becomes the one before.
    ///
    /// # Safety
    /// The chunk and its neighbours lie in arrays of this pitch.
    #[inline(always)]
    unsafe fn at(&mut self, [u, v]: [&[f64]; 2], c: usize, shown: S::V, next: S::V) -> (S::V, S::V) {
        let simd = self.simd;
        let sides = simd.add(simd.up(self.before, shown), simd.down(shown, next));
        let change = simd.mul(self.pull, simd.less_twice(sides, shown));
        self.before = shown;
        // SAFETY: the caller says so.
        let v2 = unsafe { load(simd, v, c, 0) };
        let mut energy = self.stored;
        if AUDITED {
            // SAFETY: the caller says so.
            let [u1, u2, v1] = unsafe { [load(simd, u, c, -1), load(simd, u, c, 0), load(simd, v, c, -1)] };
            let (du, dv) = (simd.sub(u2, u1), simd.sub(v2, v1));
            let mut tight = simd.mul(self.taut, du);
            if STIFF {
                // SAFETY: the caller says so.
                let [u0, u3] = unsafe { [load(simd, u, c, -2), load(simd, u, c, 1)] };
                tight = simd.sub(tight, simd.mul(self.bent, simd.sub(u3, u0)));
            }
            let elastic = simd.mul(simd.sub(du, simd.mul(self.back, dv)), tight);
            let moving = simd.mul(simd.mul(self.mass, v2), v2);
            energy = simd.add(moving, simd.sub(elastic, simd.mul(simd.mul(self.eased, dv), dv)));
        }
        (simd.add(simd.mul(self.kept, v2), change), energy)
    }

    /// The last chunk: `points` points and the end, behind which nothing counts.
    ///
    /// # Safety
    /// The chunk and its neighbours lie in arrays of this pitch.
    #[inline(always)]
    unsafe fn last(&mut self, motion: [&[f64]; 2], ahead: &mut [f64], c: usize, shown: S::V, points: usize) {
        let (simd, zero) = (self.simd, self.simd.splat(0.0));
        // SAFETY: the caller says so, and less than eight points lie in a chunk with the end.
        unsafe {
            let (next, energy) = self.at(motion, c, shown, zero);
            let inside = load(simd, &FIRST_LANES, LANES - points, 0);
            store(simd, ahead, c, simd.choose(inside, next, zero));
            if AUDITED {
                let intervals = load(simd, &FIRST_LANES, LANES - (points + 1), 0);
                self.stored = simd.add(self.stored, simd.choose(intervals, energy, zero));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::string::{flexible, stiff};
    use crate::{Level, force};

    /// A string in motion, and what it is.
    fn scene(points: usize, bending: f64, mirror: f64) -> ([Vec<f64>; 3], Strung) {
        let mut x = 1u64;
        let arrays = [(); 3].map(|()| {
            let mut array = vec![0.0; pitch(points)];
            for value in &mut array[FIRST..FIRST + points] {
                x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                *value = (x >> 11) as f64 / (1u64 << 53) as f64 - 0.5;
            }
            array
        });
        let own = (bending != 0.0).then_some(2.0 + 0.21 / bending);
        let moves = Moves { kept: 0.999, pull: if bending == 0.0 { 0.42 } else { 2.0 * bending }, own, ease: 0.04 };
        let stores = Stores { mass: 0.7, tension: 1.3, bending: 0.4 * bending, diffusion: 0.05, back: 1.0 };
        (arrays, Strung { points, moves, stores, uniform: 0.3, spread: 0.11, mirror })
    }

    /// A step of two such strings in one body; the first.
    fn stepped(points: usize, bending: f64, mirror: f64) -> ([Vec<f64>; 3], Books) {
        let (arrays, strung) = scene(points, bending, mirror);
        let one = arrays.concat();
        let mut state = [&one[..], &one].concat();
        let strands = [0, one.len()].map(|start| Strand { start, strung });
        let Books { stored, lost } = step(&mut state, &strands, true);
        assert_eq!(state[..one.len()], state[one.len()..]);
        let arrays = [0, 1, 2].map(|which| state[which * pitch(points)..(which + 1) * pitch(points)].to_vec());
        (arrays, Books { stored: 0.5 * stored, lost: 0.5 * lost })
    }

    #[test]
    fn one_pass_has_the_bits_of_motion_and_prediction() {
        for (points, bending, mirror) in
            [(2, 0.0, -1.0), (7, 0.0, -1.0), (8, 0.1, -1.0), (23, 0.1, 1.0), (64, 0.1, -1.0)]
        {
            let ([mut u, mut v, mut ahead], strung) = scene(points, bending, mirror);
            let inside = FIRST - 2..FIRST + points + 2;
            v.copy_from_slice(&ahead);
            for (u, v) in u.iter_mut().zip(&v) {
                *u += v;
            }
            let ghosts = &mut u[inside.clone()];
            let next = &mut ahead[FIRST..FIRST + points];
            if let Some(own) = strung.moves.own {
                (ghosts[0], ghosts[points + 3]) = (mirror * ghosts[2], mirror * ghosts[points + 1]);
                stiff(ghosts, &v[inside.clone()], next, strung.moves, own);
            } else {
                flexible(ghosts, &v[inside.clone()], next, strung.moves);
            }
            let (arrays, _) = stepped(points, bending, mirror);
            assert_eq!(arrays, [u, v, ahead], "{points} points");
        }
    }

    #[test]
    fn books_are_those_of_every_point_and_interval() {
        for (points, mirror) in [(2, -1.0), (7, 1.0), (8, -1.0), (23, 1.0), (30, -1.0)] {
            let ([_, v, ahead], Strung { stores, uniform, spread, .. }) = scene(points, 0.1, mirror);
            let before: Vec<f64> = v.iter().zip(&ahead).map(|(v, ahead)| v + ahead).collect();
            let ([u, v, _], books) = stepped(points, 0.1, mirror);
            let (mut stored, mut lost) = (0.0, 0.0);
            // δ² at all points and at both ends, where half a cell bends
            let curve = |x: &[f64], i: usize| {
                let beyond =
                    |i: usize, inner: usize| if i < FIRST - 1 || i > FIRST + points { mirror * x[inner] } else { x[i] };
                beyond(i - 1, i + 1) + beyond(i + 1, i - 1) - 2.0 * x[i]
            };
            let past: Vec<f64> = u.iter().zip(&v).map(|(u, v)| u - stores.back * v).collect();
            for i in FIRST - 1..=FIRST + points {
                let share = if i == FIRST - 1 || i == FIRST + points { 0.5 } else { 1.0 };
                stored += stores.mass * v[i] * v[i] + share * stores.bending * curve(&u, i) * curve(&past, i);
                lost += uniform * before[i] * before[i];
                if i >= FIRST {
                    stored += stores.interval(u[i] - u[i - 1], v[i] - v[i - 1]);
                    lost += spread * (before[i] - before[i - 1]).powi(2);
                }
            }
            assert!((books.stored - stored).abs() < 1e-13 * stored.abs(), "{points}: {} {stored}", books.stored);
            assert!((books.lost - lost).abs() < 1e-13 * lost, "{points}: {} {lost}", books.lost);
        }
    }

    #[test]
    fn every_machine_computes_the_same_bits() {
        let expected = {
            force(Level::Baseline);
            stepped(23, 0.1, -1.0)
        };
        for level in [Level::Avx2, Level::Avx512] {
            force(level);
            assert_eq!(stepped(23, 0.1, -1.0), expected);
        }
    }
}
