//! One step of all strings of a body: the points move, and v⁺ of the next step is predicted. Audited, the step also returns the energy dissipated over it and stored after
//! it.
//!
//! The prediction follows after all strings have moved, not point by point: its loads straddle two vectors, which must have left the store queue.
//!
//! Bending is summed by parts, Σ δ²u δ²u⁻ = −Σ Δu⁻ δ³u over all intervals: with the ghost points mirrored at the ends no boundary term remains, whether they are
//! supported or clamped.

#![allow(unsafe_code)]

use super::{Moves, Stores};
use crate::dispatch::vector_kernel;
use crate::lanes::LANES;
use crate::simd::Simd;
use crate::surface::plan::{load, store};

/// Index of the first point of a string in its arrays. Two ghost points precede it; two more and one spare vector follow the last point.
pub const FIRST: usize = LANES;

/// Coefficients of a string's step.
#[derive(Clone, Copy, Debug)]
pub struct Strung {
    /// Number of points.
    pub points: usize,
    /// Coefficients of a point's motion.
    pub moves: Moves,
    /// Energy coefficients, v in metres per step; `back` is 1.
    pub stores: Stores,
    /// Power dissipated per Σ (v + v⁺)², W/m².
    pub uniform: f64,
    /// Power dissipated per Σ (Δ(v + v⁺))², W/m².
    pub spread: f64,
    /// Factor of the ghost points of a stiff string relative to the points next to its ends: −1 supported, 1 clamped.
    pub mirror: f64,
}

/// One of the strings of a body: ũ, v and v⁺ with the forces, consecutive arrays of [`pitch`] values. After a step v⁺ is the force-free one of the next
/// step.
#[derive(Clone, Copy, Debug)]
pub struct StringSlot {
    /// Start of its arrays in the state of the body.
    pub start: usize,
    /// Coefficients of its step.
    pub strung: Strung,
}

/// Energy terms of an audited step; zero if not audited.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepAudit {
    /// Twice the energy stored after the step, J.
    pub stored: f64,
    /// Power dissipated over the step, W.
    pub lost: f64,
}

/// Number of lane blocks that hold `points` and the end after them.
const fn chunks(points: usize) -> usize {
    points / LANES + 1
}

/// Length of each array of a string.
pub const fn pitch(points: usize) -> usize {
    FIRST + (chunks(points) + 1) * LANES
}

/// Lane masks: the eight numbers from `LANES - n` on are negative in their first n lanes.
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
    /// Takes one step of all strings of a body.
    pub fn step<S>(simd, state: &mut [f64], string_array: &[StringSlot], audited: bool) -> StepAudit {
        let mut audit = StepAudit::default();
        for string in string_array {
            let lost = if audited { string.lead::<S, true>(simd, state) } else { string.lead::<S, false>(simd, state) };
            audit.lost += lost;
        }
        for string in string_array {
            audit.stored += match (audited, string.strung.moves.own.is_some()) {
                (true, true) => string.follow::<S, true, true>(simd, state),
                (true, false) => string.follow::<S, true, false>(simd, state),
                (false, true) => string.follow::<S, false, true>(simd, state),
                (false, false) => string.follow::<S, false, false>(simd, state),
            };
        }
        audit
    }
}

impl StringSlot {
    /// ũ, v and v⁺.
    #[inline(always)]
    fn arrays<'a>(&self, state: &'a mut [f64]) -> [&'a mut [f64]; 3] {
        let pitch = pitch(self.strung.points);
        let (u, rest) = state[self.start..self.start + 3 * pitch].split_at_mut(pitch);
        let (v, ahead) = rest.split_at_mut(pitch);
        [u, v, ahead]
    }

    /// Power dissipated over the step, W.
    #[inline(always)]
    fn lost<S: Simd>(&self, simd: S, state: &mut [f64]) -> f64 {
        let Strung { points, uniform, spread, .. } = self.strung;
        let [_, v, ahead] = self.arrays(state);
        let [mut square, mut slope] = [simd.splat(0.0); 2];
        for chunk in 0..chunks(points) {
            let c = FIRST + chunk * LANES;
            // SAFETY: c = FIRST + chunk·LANES with chunk < chunks(points), so c - 1 >= 0 and c + LANES <= pitch(points), the length of both arrays
            let [left, both] = [-1, 0].map(|by| unsafe { simd.add(load(simd, v, c, by), load(simd, ahead, c, by)) });
            let step = simd.sub(both, left);
            square = simd.add(square, simd.mul(both, both));
            slope = simd.add(slope, simd.mul(step, step));
        }
        uniform * simd.sum(square) + spread * simd.sum(slope)
    }

    /// v ← v⁺, u ← u + v; returns the dissipated power, W.
    #[inline(always)]
    fn lead<S: Simd, const AUDITED: bool>(&self, simd: S, state: &mut [f64]) -> f64 {
        let lost = if AUDITED { self.lost(simd, state) } else { 0.0 };
        let Strung { points, moves, mirror, .. } = self.strung;
        let [u, v, ahead] = self.arrays(state);
        let end = FIRST + points;
        let mut from = 0;
        // the first block separately, so that the ghost point before it has left the store queue when the prediction begins: it loads both together
        for to in [1, chunks(points)] {
            for chunk in from..to {
                let c = FIRST + chunk * LANES;
                // SAFETY: c = FIRST + chunk·LANES with chunk < chunks(points), so c + LANES <= pitch(points), the length of the arrays
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

    /// Predicts the next step; returns twice the stored energy, J.
    #[inline(always)]
    fn follow<S: Simd, const AUDITED: bool, const STIFF: bool>(&self, simd: S, state: &mut [f64]) -> f64 {
        let Strung { points, moves, stores, .. } = self.strung;
        let [u, v, ahead] = self.arrays(state);
        // y of the fixed end before the first point
        let end = if STIFF { 0.0 - (u[FIRST - 2] + u[FIRST]) } else { 0.0 };
        let mut follow = Following::<S, AUDITED, STIFF>::new(simd, moves, stores, end);
        let last = chunks(points) - 1;
        // SAFETY: every c = FIRST + chunk·LANES has chunk < chunks(points), so c - 2 >= 0 and c + 1 + LANES <= pitch(points), the length of the arrays
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

/// The prediction of the next step, lane block by lane block.
struct Following<S: Simd, const AUDITED: bool, const STIFF: bool> {
    simd: S,
    /// As in [`Moves`].
    kept: S::V,
    pull: S::V,
    own: S::V,
    ease: S::V,
    /// Energy coefficients: mass, Δu, δ³u, Δv, and the time step.
    mass: S::V,
    taut: S::V,
    bent: S::V,
    eased: S::V,
    back: S::V,
    stored: S::V,
    /// y of the previous lane block.
    before: S::V,
}

impl<S: Simd, const AUDITED: bool, const STIFF: bool> Following<S, AUDITED, STIFF> {
    /// `end` is y of the end before the first point.
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

    /// y of a lane block.
    ///
    /// # Safety
    /// `c >= 1` and `c + 1 + LANES` is at most the length of both arrays.
    #[inline(always)]
    unsafe fn shown(&self, [u, v]: [&[f64]; 2], c: usize) -> S::V {
        let simd = self.simd;
        // SAFETY: `c + LANES <= len`: the contract above, which `follow` ensures by ending with the last whole block
        let [here, speed] = unsafe { [load(simd, u, c, 0), load(simd, v, c, 0)] };
        // the order of operations is that of the separate loops of `string`
        let eased = simd.mul(self.ease, speed);
        if !STIFF {
            return simd.add(here, eased);
        }
        // SAFETY: `c - 1 >= 0` and `c + 1 + LANES <= len`: the contract above, which `follow` ensures by beginning at FIRST and ending with the last whole block
        let sides = unsafe { simd.add(load(simd, u, c, -1), load(simd, u, c, 1)) };
        simd.sub(simd.add(simd.mul(self.own, here), eased), sides)
    }

    /// v⁺ of a lane block and twice the energy of its points and the intervals to their left, from y of the block and of the next; the block becomes the previous one.
    ///
    /// # Safety
    /// `c >= 2` and `c + 1 + LANES` is at most the length of both arrays.
    #[inline(always)]
    unsafe fn at(&mut self, [u, v]: [&[f64]; 2], c: usize, shown: S::V, next: S::V) -> (S::V, S::V) {
        let simd = self.simd;
        let sides = simd.add(simd.up(self.before, shown), simd.down(shown, next));
        let change = simd.mul(self.pull, simd.less_twice(sides, shown));
        self.before = shown;
        // SAFETY: `c + LANES <= len`: the contract above, which `follow` ensures by ending with the last whole block
        let v2 = unsafe { load(simd, v, c, 0) };
        let mut energy = self.stored;
        if AUDITED {
            // SAFETY: `c - 1 >= 0` and `c + LANES <= len`: the contract above, which `follow` ensures by beginning at FIRST and ending with the last whole block
            let [u1, u2, v1] = unsafe { [load(simd, u, c, -1), load(simd, u, c, 0), load(simd, v, c, -1)] };
            let (du, dv) = (simd.sub(u2, u1), simd.sub(v2, v1));
            let mut tight = simd.mul(self.taut, du);
            if STIFF {
                // SAFETY: `c - 2 >= 0` and `c + 1 + LANES <= len`: the contract above, which `follow` ensures by beginning at FIRST and ending with the last whole block
                let [u0, u3] = unsafe { [load(simd, u, c, -2), load(simd, u, c, 1)] };
                tight = simd.sub(tight, simd.mul(self.bent, simd.sub(u3, u0)));
            }
            let elastic = simd.mul(simd.sub(du, simd.mul(self.back, dv)), tight);
            let moving = simd.mul(simd.mul(self.mass, v2), v2);
            energy = simd.add(moving, simd.sub(elastic, simd.mul(simd.mul(self.eased, dv), dv)));
        }
        (simd.add(simd.mul(self.kept, v2), change), energy)
    }

    /// The last lane block: `points` points and the end, after which all lanes are zero.
    ///
    /// # Safety
    /// That of [`at`](Self::at) for the arrays of `motion` and for `ahead`, and `points < LANES`.
    #[inline(always)]
    unsafe fn last(&mut self, motion: [&[f64]; 2], ahead: &mut [f64], c: usize, shown: S::V, points: usize) {
        let (simd, zero) = (self.simd, self.simd.splat(0.0));
        // SAFETY: the contract above, which the caller ensures with `points % LANES`; points < LANES keeps the masks inside the 2·LANES numbers of FIRST_LANES
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
    use crate::noise::Noise;
    use crate::string::{flexible, stiff};
    use crate::{Level, force};

    /// A moving string and its coefficients.
    fn scene(points: usize, bending: f64, mirror: f64) -> ([Vec<f64>; 3], Strung) {
        let mut noise = Noise(1);
        let arrays = [(); 3].map(|()| {
            let mut array = vec![0.0; pitch(points)];
            array[FIRST..FIRST + points].iter_mut().zip(&mut noise).for_each(|(value, x)| *value = x);
            array
        });
        let own = (bending != 0.0).then_some(2.0 + 0.21 / bending);
        let moves = Moves { kept: 0.999, pull: if bending == 0.0 { 0.42 } else { 2.0 * bending }, own, ease: 0.04 };
        let stores = Stores { mass: 0.7, tension: 1.3, bending: 0.4 * bending, diffusion: 0.05, back: 1.0 };
        (arrays, Strung { points, moves, stores, uniform: 0.3, spread: 0.11, mirror })
    }

    /// One step of two such strings in one body; returns the first and half of the energy terms.
    fn stepped(points: usize, bending: f64, mirror: f64) -> ([Vec<f64>; 3], StepAudit) {
        let (arrays, strung) = scene(points, bending, mirror);
        let one = arrays.concat();
        let mut state = [&one[..], &one].concat();
        let string_array = [0, one.len()].map(|start| StringSlot { start, strung });
        let StepAudit { stored, lost } = step(&mut state, &string_array, true);
        assert_eq!(state[..one.len()], state[one.len()..]);
        let arrays = [0, 1, 2].map(|which| state[which * pitch(points)..(which + 1) * pitch(points)].to_vec());
        (arrays, StepAudit { stored: 0.5 * stored, lost: 0.5 * lost })
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
    fn energy_terms_are_the_sums_over_points_and_intervals() {
        for (points, mirror) in [(2, -1.0), (7, 1.0), (8, -1.0), (23, 1.0), (30, -1.0)] {
            let ([_, v, ahead], Strung { stores, uniform, spread, .. }) = scene(points, 0.1, mirror);
            let before: Vec<f64> = v.iter().zip(&ahead).map(|(v, ahead)| v + ahead).collect();
            let ([u, v, _], audit) = stepped(points, 0.1, mirror);
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
            assert!((audit.stored - stored).abs() < 1e-13 * stored.abs(), "{points}: {} {stored}", audit.stored);
            assert!((audit.lost - lost).abs() < 1e-13 * lost, "{points}: {} {lost}", audit.lost);
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
