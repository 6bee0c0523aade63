//! Many steps of a surface with a held rim at once, under forces known ahead.
//!
//! A step goes through the rows once, and needs ũ and v only: a row is looked at, and the one above it moves, as nobody needs it as it was any more. What is
//! known of a row until then, its curvature and what else pulls at it, is kept in rows put aside, which stay in the nearest cache. No v̄ is written down.
//!
//! The same operations in the same order as [`step`](super::step), so the same bits, however wide a vector is.

#![allow(unsafe_code)]

use super::plan::{Line, Rows, load, store};
use super::step::{Held, Laplacian, Motion};
use crate::dispatch::vector_kernel;
use crate::lanes::LANES;
use crate::simd::Words;
use std::ops::Range;

/// A place between four points.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spot {
    /// The points.
    pub at: [usize; 4],
    /// What each counts; nothing where it does not move.
    pub share: [f64; 4],
}

impl Spot {
    /// The points that count.
    #[inline(always)]
    fn points(&self) -> impl Iterator<Item = (usize, f64)> {
        self.at.into_iter().zip(self.share).filter(|(_, share)| *share != 0.0)
    }

    #[inline(always)]
    fn read(&self, value: impl Fn(usize) -> f64) -> f64 {
        let [a, b, c, d] =
            [0, 1, 2, 3].map(|i| if self.share[i] == 0.0 { 0.0 } else { self.share[i] * value(self.at[i]) });
        (a + b) + (c + d)
    }
}

/// Most ports of each kind.
pub const PORTS: usize = 4;

/// What is done to a surface in some steps at once, and what is seen of it there. All numbers lie step after step.
#[derive(Debug)]
pub struct Looks<'a> {
    /// How many steps.
    pub steps: usize,
    /// Where it is pushed; here and below at most [`PORTS`] places.
    pub pushed: &'a [Spot],
    /// Forces there.
    pub forces: &'a [f64],
    /// v̄ of a point per force on it.
    pub mobility: f64,
    /// Where v̄ is watched, as it would be without the push.
    pub watched: &'a [Spot],
    /// v̄ there.
    pub free: &'a mut [f64],
    /// Where v after the step is heard.
    pub heard: &'a [Spot],
    /// v there.
    pub velocities: &'a mut [f64],
    /// Where the shape after the step is asked for.
    pub placed: &'a [Spot],
    /// The shape so much earlier than ũ is meant, s.
    pub earlier: Option<f64>,
    /// The shape there.
    pub displacements: &'a mut [f64],
}

vector_kernel! {
    /// Takes the steps. `weight` is B of a plate, empty for a membrane. The plan has lines; rows are put aside where v̄ is otherwise, of which nothing is left.
    pub fn run<S>(simd, motion: Motion, weight: &[f64], held: Held, looks: &mut Looks) {
        let square = held.lattice.across == 1.0 && held.lattice.along == 1.0;
        match (weight.is_empty(), held.point.tension == 0.0, square) {
            (true, _, true) => steps::<S::One, false, true, true>(simd.one(), motion, weight, held, looks),
            (true, _, false) => steps::<S::One, false, true, false>(simd.one(), motion, weight, held, looks),
            (_, true, true) => steps::<S::One, true, false, true>(simd.one(), motion, weight, held, looks),
            (_, true, false) => steps::<S::One, true, false, false>(simd.one(), motion, weight, held, looks),
            (_, _, true) => steps::<S::One, true, true, true>(simd.one(), motion, weight, held, looks),
            (_, _, false) => steps::<S::One, true, true, false>(simd.one(), motion, weight, held, looks),
        }
    }
}

#[inline(always)]
fn steps<W: Words, const STIFF: bool, const TENSE: bool, const SQUARE: bool>(
    words: W,
    motion: Motion,
    weight: &[f64],
    held: Held,
    looks: &mut Looks,
) {
    let Held { plan, mask, lattice, .. } = held;
    assert!(
        plan.fits(motion.arrays()) && plan.fits([mask]) && (!STIFF || plan.fits([weight])),
        "arrays of one surface"
    );
    assert!(plan.has_lines() && lattice.stride == plan.stride(), "rows of one surface");
    let Looks { steps, mobility, earlier, watched, heard, placed, pushed, .. } = *looks;
    let rows = Rows::new(lattice.stride);
    motion.mean[rows.start()..rows.end()].fill(0.0);
    let mut sheet = Sheet { motion, weight, held };
    let sweep = Sweep::<W, STIFF, TENSE, SQUARE>::new(words, held);
    for step in 0..steps {
        for (out, spot) in looks.free[step * watched.len()..].iter_mut().zip(watched) {
            *out = spot.read(|point| sheet.mean(point));
        }
        let moved = sheet.pushed(pushed, &looks.forces[step * pushed.len()..][..pushed.len()], mobility);
        sweep.advance(&mut sheet);
        sheet.insert(&moved);
        let Motion { ref u, ref v, .. } = sheet.motion;
        for (out, spot) in looks.velocities[step * heard.len()..].iter_mut().zip(heard) {
            *out = spot.read(|point| v[point]);
        }
        for (out, spot) in looks.displacements[step * placed.len()..].iter_mut().zip(placed) {
            let ahead = spot.read(|point| u[point]);
            *out = earlier.map_or(ahead, |time| ahead - time * spot.read(|point| v[point]));
        }
    }
}

/// A surface under way.
struct Sheet<'a> {
    motion: Motion<'a>,
    weight: &'a [f64],
    held: Held<'a>,
}

/// Where pushed points will be after a step.
struct Moved {
    points: [(usize, [f64; 2]); 4 * PORTS],
    count: usize,
}

impl Sheet<'_> {
    /// v̄ of a point without forces.
    #[inline(always)]
    fn mean(&self, point: usize) -> f64 {
        let Held { lattice, point: by, mask, .. } = self.held;
        let near = |at: usize| [at, at - 1, at + 1, at - lattice.stride, at + lattice.stride];
        let curve = |at: usize| lattice.laplacian(near(at).map(|i| self.motion.u[i]));
        let v = self.motion.v[point];
        let spread = by.diffusion * lattice.laplacian(near(point).map(|i| self.motion.v[i]));
        let force = if self.weight.is_empty() {
            by.tension * curve(point) + spread
        } else {
            let bent = near(point).map(|i| self.weight[i] * curve(i));
            by.tension * bent[0] - by.bending * lattice.laplacian(bent) + spread
        };
        v + mask[point] * (force - by.drag * v)
    }

    /// Where the pushed points will be after the step: ũ and v.
    #[inline(always)]
    fn pushed(&self, spots: &[Spot], forces: &[f64], mobility: f64) -> Moved {
        let mut moved = Moved { points: [(0, [0.0; 2]); 4 * PORTS], count: 0 };
        assert!(spots.len() <= PORTS, "more than a call takes");
        for (spot, force) in spots.iter().zip(forces) {
            for (at, share) in spot.points() {
                let known = moved.points[..moved.count].iter().position(|(point, _)| *point == at);
                let place = known.unwrap_or_else(|| {
                    moved.points[moved.count] = (at, [0.0, self.mean(at)]);
                    moved.count += 1;
                    moved.count - 1
                });
                let (_, [_, mean]) = &mut moved.points[place];
                *mean += mobility * share * force;
            }
        }
        let Motion { ref u, ref v, .. } = self.motion;
        for (at, to) in &mut moved.points[..moved.count] {
            let v = 2.0 * to[1] - v[*at];
            *to = [u[*at] + self.held.stores.back * v, v];
        }
        moved
    }

    /// Puts them there.
    #[inline(always)]
    fn insert(&mut self, moved: &Moved) {
        for &(at, [u, v]) in &moved.points[..moved.count] {
            self.motion.u[at] = u;
            self.motion.v[at] = v;
        }
    }
}

/// How points move in a step: of a plate if `STIFF`, which is pulled too if `TENSE`.
struct Sweep<W: Words, const STIFF: bool, const TENSE: bool, const SQUARE: bool> {
    words: W,
    laplacian: Laplacian<W, SQUARE>,
    tension: W::V,
    bending: W::V,
    diffusion: W::V,
    drag: W::V,
    k: W::V,
}

impl<W: Words, const STIFF: bool, const TENSE: bool, const SQUARE: bool> Sweep<W, STIFF, TENSE, SQUARE> {
    #[inline(always)]
    fn new(words: W, held: Held) -> Self {
        let Held { point, stores, lattice, .. } = held;
        let [tension, bending, diffusion, drag, k] =
            [point.tension, point.bending, point.diffusion, point.drag, stores.back].map(|x| words.splat(x));
        Self { words, laplacian: Laplacian::new(words, lattice), tension, bending, diffusion, drag, k }
    }

    /// Moves all points as if none were pushed.
    #[inline(always)]
    fn advance(&self, sheet: &mut Sheet) {
        let plan = sheet.held.plan;
        let rows = Rows::new(plan.stride());
        let [mut here, mut above] = [rows.at(0), rows.at(1)];
        for line in plan.lines() {
            // SAFETY: the arrays fit the plan, which has lines.
            unsafe {
                if line.moves {
                    self.line::<true>(sheet, line, [here, above, rows.at(2)]);
                } else {
                    self.line::<false>(sheet, line, [here, above, rows.at(2)]);
                }
            }
            (here, above) = (above, here);
        }
    }

    /// Looks at a line, and if `MOVES`, moves the row above it. Rows put aside are the curvature two rows above, which becomes that of this row, the one
    /// above, and what else pulls there.
    ///
    /// # Safety
    /// The arrays fit the plan of the line, and the rows lie in v̄.
    #[inline(always)]
    unsafe fn line<const MOVES: bool>(&self, sheet: &mut Sheet, line: &Line, rows: [usize; 3]) {
        let (words, width) = (self.words, W::WIDTH as isize);
        let [here, above, pulls] = rows.map(|row| row + line.column);
        // SAFETY: a line and its neighbours lie in the arrays.
        let read = |values: &[f64], at: usize, offset: isize| unsafe { load(words, values, at, offset) };
        let Motion { ref u, mean: ref aside, .. } = sheet.motion;
        let mut beside = Beside {
            u: [read(u, line.first, -width), read(u, line.first, 0)],
            bent: [read(aside, above, -width), read(aside, above, 0)],
        };
        let at = |part: usize| [line.first + part, here + part, above + part, pulls + part];
        let (end, Range { start, end: rest }) = (line.chunks * LANES, &line.whole);
        let mut part = 0;
        // SAFETY: as above.
        unsafe {
            if MOVES {
                while part < start * LANES {
                    self.vector::<MOVES, true>(sheet, at(part), &mut beside);
                    part += W::WIDTH;
                }
                while part < rest * LANES {
                    self.vector::<MOVES, false>(sheet, at(part), &mut beside);
                    part += W::WIDTH;
                }
            }
            while part < end {
                self.vector::<MOVES, true>(sheet, at(part), &mut beside);
                part += W::WIDTH;
            }
            if STIFF {
                // beyond the line nothing is bent
                for at in [here.wrapping_add_signed(-width), here + part] {
                    store(words, sheet.motion.mean, at, words.splat(0.0));
                }
            }
        }
    }

    /// The same of a vector of the line at `at` and its places in the rows put aside.
    ///
    /// # Safety
    /// As of the line.
    #[inline(always)]
    unsafe fn vector<const MOVES: bool, const WEIGHED: bool>(
        &self,
        sheet: &mut Sheet,
        [at, here, above, pulls]: [usize; 4],
        beside: &mut Beside<W>,
    ) {
        let Self { words, tension, bending, diffusion, drag, k, .. } = *self;
        let Sheet { motion: Motion { u, v, mean: aside }, weight, held: Held { mask, lattice, .. } } = sheet;
        let (stride, width) = (lattice.stride as isize, W::WIDTH as isize);
        // SAFETY: a line and its neighbours lie in the arrays.
        let read = |values: &[f64], at: usize, offset: isize| unsafe { load(words, values, at, offset) };
        // neighbours by words where they have been loaded anyway
        let step = |[before, x]: &mut [W::V; 2], after: W::V| {
            let near = [*x, words.up(*before, *x), words.down(*x, after)];
            (*before, *x) = (*x, after);
            near
        };
        let (u_above, v_above) = (read(u, at, -stride), read(v, at, -stride));
        let [u_here, left, right] = step(&mut beside.u, read(u, at, width));
        let mut curve = self.laplacian.of([u_here, left, right, u_above, read(u, at, stride)]);
        let v_here = read(v, at, 0);
        let near = [v_here, read(v, at, -1), read(v, at, 1), v_above, read(v, at, stride)];
        let spread = words.mul(diffusion, self.laplacian.of(near));
        let pulled = read(aside, pulls, 0);
        let (pull, mut change) = if STIFF {
            if WEIGHED {
                curve = words.mul(read(weight, at, 0), curve);
            }
            let [bent, left, right] = step(&mut beside.bent, read(aside, above, width));
            let bend = words.mul(bending, self.laplacian.of([bent, left, right, read(aside, here, 0), curve]));
            let force = if TENSE {
                words.add(words.sub(words.mul(tension, bent), bend), pulled)
            } else {
                words.sub(pulled, bend)
            };
            (spread, words.sub(force, words.mul(drag, v_above)))
        } else {
            let force = words.add(words.mul(tension, curve), spread);
            (words.sub(force, words.mul(drag, v_here)), pulled)
        };
        // SAFETY: as above.
        unsafe {
            if MOVES {
                if WEIGHED {
                    change = words.mul(read(mask, at, -stride), change);
                }
                let moved = words.twice_less(words.add(v_above, change), v_above);
                store(words, v, at.wrapping_add_signed(-stride), moved);
                store(words, u, at.wrapping_add_signed(-stride), words.add(u_above, words.mul(k, moved)));
            }
            if STIFF {
                store(words, aside, here, curve);
            }
            store(words, aside, pulls, pull);
        }
    }
}

/// ũ of a row and the curvature above it: the vectors before and at the place that is looked at.
struct Beside<W: Words> {
    u: [W::V; 2],
    bent: [W::V; 2],
}

#[cfg(test)]
mod tests;
