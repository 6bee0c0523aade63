//! A whole step of a surface in one pass: the points move, and the prediction of v̄ follows with a lag. Audited, the step also returns the power dissipated over it
//! and the energy stored after it.
//!
//! The stored energy is the quadratic form of the L used in the step: with ũ⁻ the shape one step earlier, tension stores −T Σ ũ⁻ Lũ, bending D/h² Σ Lũ B Lũ⁻, and the explicit
//! loss −σ Σ v Lv. The prediction provides all of L.

#![allow(unsafe_code)]

use super::plan::{Plan, load, store};
use super::{Lattice, Point, Stores};
use crate::dispatch::vector_kernel;
use crate::simd::Simd;

/// State of a surface, arrays of its plan's length.
#[derive(Debug)]
pub struct Motion<'a> {
    /// ũ, m.
    pub u: &'a mut [f64],
    /// v, m/s.
    pub v: &'a mut [f64],
    /// v̄ of this step with the forces on entry, force-free v̄ of the next step on return, m/s.
    pub mean: &'a mut [f64],
}

/// A surface with a fixed rim: coefficients of its step.
#[derive(Clone, Copy, Debug)]
pub struct Held<'a> {
    /// Traversal order of its points.
    pub plan: &'a Plan,
    /// 1 where a point moves, 0 elsewhere.
    pub mask: &'a [f64],
    /// Geometry of the grid.
    pub lattice: Lattice,
    /// Coefficients of a point's motion.
    pub point: Point,
    /// Energy coefficients; `back` is the time step.
    pub stores: Stores,
    /// Loss coefficients.
    pub losses: Losses,
}

/// Loss coefficients of a surface.
#[derive(Clone, Copy, Debug)]
pub struct Losses {
    /// Per Σ v̄², N s/m.
    pub uniform: f64,
    /// Per Σ h²|∇v̄|², N s/m.
    pub spread: f64,
}

/// Sums of one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepAudit {
    /// Σ v after the step, m/s; membranes only.
    pub flow: f64,
    /// Twice the energy stored after the step, J; 0 if not audited.
    pub stored: f64,
    /// Power dissipated over the step, W. 0 if not audited.
    pub lost: f64,
}

impl Motion<'_> {
    pub(crate) fn arrays(&self) -> [&[f64]; 3] {
        [self.u, self.v, self.mean]
    }

    /// v ← 2v̄ − v, u ← u + k v.
    ///
    /// # Safety
    /// [`Plan::fits`] holds for the arrays, and `chunks` are of that plan.
    #[inline(always)]
    pub(crate) unsafe fn lead<S: Simd>(&mut self, simd: S, chunks: &[usize], k: f64) {
        let k = simd.splat(k);
        for &c in chunks {
            // SAFETY: the arrays fit the plan of the chunks: the contract above, checked by `Plan::fits` at the entry of the kernel
            unsafe {
                let v = simd.twice_less(load(simd, self.mean, c, 0), load(simd, self.v, c, 0));
                store(simd, self.v, c, v);
                store(simd, self.u, c, simd.add(load(simd, self.u, c, 0), simd.mul(k, v)));
            }
        }
    }

    /// v̄ += `blow` where a point moves, then as [`lead`](Self::lead). Adds v to `flow`.
    ///
    /// # Safety
    /// [`Plan::fits`] holds for the arrays and for `mask`, and `chunks` are of that plan.
    #[inline(always)]
    unsafe fn blow<S: Simd>(
        &mut self,
        simd: S,
        chunks: impl Iterator<Item = (usize, bool)>,
        k: f64,
        mask: &[f64],
        blow: f64,
        flow: &mut S::V,
    ) {
        let (k, blow) = (simd.splat(k), simd.splat(blow));
        let mut sum = *flow;
        for (c, whole) in chunks {
            // SAFETY: the arrays and `mask` fit the plan of the chunks: the contract above, checked by `Plan::fits` at the entry of the kernel
            unsafe {
                let blow = if whole { blow } else { simd.mul(load(simd, mask, c, 0), blow) };
                let mean = simd.add(load(simd, self.mean, c, 0), blow);
                let v = simd.twice_less(mean, load(simd, self.v, c, 0));
                store(simd, self.mean, c, mean);
                store(simd, self.v, c, v);
                store(simd, self.u, c, simd.add(load(simd, self.u, c, 0), simd.mul(k, v)));
                sum = simd.add(sum, v);
            }
        }
        *flow = sum;
    }
}

/// L on vectors; with unit weights, for square cells, if `SQUARE`.
#[derive(Clone, Copy)]
pub(super) struct Laplacian<S: Simd, const SQUARE: bool> {
    simd: S,
    stride: isize,
    across: S::V,
    along: S::V,
}

impl<S: Simd, const SQUARE: bool> Laplacian<S, SQUARE> {
    #[inline(always)]
    pub(super) fn new(simd: S, lattice: Lattice) -> Self {
        let [across, along] = [lattice.across, lattice.along].map(|x| simd.splat(x));
        Self { simd, stride: lattice.stride as isize, across, along }
    }

    /// The values of a chunk and their L.
    ///
    /// # Safety
    /// [`Plan::fits`] holds for `values`, c is a chunk of that plan, and the strides agree.
    #[inline(always)]
    unsafe fn at(&self, values: &[f64], c: usize) -> (S::V, S::V) {
        let simd = self.simd;
        // SAFETY: `values` fits the plan of chunk c, as `Plan::fits` checked at the entry of the kernel, which keeps all offsets up to stride + 1 in bounds
        let near = [0, -1, 1, -self.stride, self.stride].map(|offset| unsafe { load(simd, values, c, offset) });
        (near[0], self.of(near))
    }

    /// L from the middle, left, right, upper and lower values.
    #[inline(always)]
    pub(super) fn of(&self, [middle, left, right, up, down]: [S::V; 5]) -> S::V {
        let simd = self.simd;
        let across = simd.less_twice(simd.add(left, right), middle);
        let along = simd.less_twice(simd.add(up, down), middle);
        if SQUARE {
            return simd.add(across, along);
        }
        simd.add(simd.mul(self.across, across), simd.mul(self.along, along))
    }

    /// Adds v̄² and the squares of its differences to the right and below to `lost`.
    ///
    /// # Safety
    /// [`Plan::fits`] holds for `mean`, `chunks` are of that plan, and the strides agree.
    #[inline(always)]
    unsafe fn lose(&self, mean: &[f64], chunks: &[usize], lost: &mut [S::V; 3]) {
        let simd = self.simd;
        let [mut square, mut across, mut along] = *lost;
        for &c in chunks {
            // SAFETY: `mean` fits the plan of the chunks, as `Plan::fits` checked at the entry of the kernel, which keeps offsets up to stride + 1 in bounds
            let [m, right, down] = [0, 1, self.stride].map(|offset| unsafe { load(simd, mean, c, offset) });
            let (dx, dy) = (simd.sub(right, m), simd.sub(down, m));
            square = simd.add(square, simd.mul(m, m));
            across = simd.add(across, simd.mul(dx, dx));
            along = simd.add(along, simd.mul(dy, dy));
        }
        *lost = [square, across, along];
    }
}

impl Losses {
    #[inline(always)]
    fn power<S: Simd>(self, simd: S, lattice: Lattice, [square, across, along]: [S::V; 3]) -> f64 {
        let (square, across, along) = (simd.sum(square), simd.sum(across), simd.sum(along));
        self.uniform * square + self.spread * (lattice.across * across + lattice.along * along)
    }
}

/// Coefficients of the kinetic energy and the explicit loss in terms of the prediction: twice the energy of a point is
/// v(mass·v + spread·σLv)/Y, where σLv is the diffusion term of v̄.
#[derive(Clone, Copy)]
struct Moving<S: Simd> {
    simd: S,
    mass: S::V,
    spread: S::V,
}

impl<S: Simd> Moving<S> {
    /// `mobility` is Y.
    #[inline(always)]
    fn new(simd: S, point: Point, stores: Stores, mobility: f64) -> Self {
        let spread = if point.diffusion == 0.0 { 0.0 } else { stores.diffusion * mobility / point.diffusion };
        Self { simd, mass: simd.splat(stores.mass * mobility), spread: simd.splat(spread) }
    }

    #[inline(always)]
    fn energy(&self, v: S::V, spread: S::V) -> S::V {
        let simd = self.simd;
        simd.mul(v, simd.add(simd.mul(self.mass, v), simd.mul(self.spread, spread)))
    }
}

vector_kernel! {
    /// Takes one step of a membrane under a uniform pressure, which adds `blow` to v̄.
    pub fn step_flexible<S>(simd, motion: Motion, held: Held, blow: f64, audited: bool) -> StepAudit {
        match (audited, held.lattice.across == 1.0 && held.lattice.along == 1.0) {
            (true, true) => membrane::<S, true, true>(simd, motion, held, blow),
            (true, false) => membrane::<S, true, false>(simd, motion, held, blow),
            (false, true) => membrane::<S, false, true>(simd, motion, held, blow),
            (false, false) => membrane::<S, false, false>(simd, motion, held, blow),
        }
    }
}

#[inline(always)]
fn membrane<S: Simd, const AUDITED: bool, const SQUARE: bool>(
    simd: S,
    mut motion: Motion,
    held: Held,
    blow: f64,
) -> StepAudit {
    let Held { plan, mask, lattice, point, stores, losses } = held;
    assert!(
        plan.fits(motion.arrays()) && plan.fits([mask]) && lattice.stride == plan.stride(),
        "all arrays of a surface must have the length of its plan"
    );
    let laplacian = Laplacian::<S, SQUARE>::new(simd, lattice);
    let [tension, diffusion, drag, back] =
        [point.tension, point.diffusion, point.drag, stores.back].map(|x| simd.splat(x));
    // tension·Lũ of the prediction is Y T Lũ
    let mobility = point.tension / stores.tension;
    let moving = Moving::new(simd, point, stores, mobility);
    let zero = simd.splat(0.0);
    let (mut flow, mut lost, mut stored) = (zero, [zero; 3], zero);
    for round in plan.rounds(1) {
        // SAFETY: `plan.fits` is asserted above for the arrays and the mask
        unsafe { motion.blow(simd, plan.weighed(round, 0), stores.back, mask, blow, &mut flow) };
        if AUDITED {
            // SAFETY: `plan.fits` and equal strides are asserted above
            unsafe { laplacian.lose(motion.mean, plan.group(round, 1), &mut lost) };
        }
        for (c, whole) in plan.weighed(round, 1) {
            // SAFETY: `plan.fits` and equal strides are asserted above, and c is a chunk of the plan
            unsafe {
                let ((u, curve), (v, spread)) = (laplacian.at(motion.u, c), laplacian.at(motion.v, c));
                let (pull, spread) = (simd.mul(tension, curve), simd.mul(diffusion, spread));
                let force = simd.add(pull, spread);
                let change = simd.sub(force, simd.mul(drag, v));
                let change = if whole { change } else { simd.mul(load(simd, mask, c, 0), change) };
                store(simd, motion.mean, c, simd.add(v, change));
                if AUDITED {
                    let pulled = simd.mul(simd.sub(u, simd.mul(back, v)), pull);
                    stored = simd.add(stored, simd.sub(moving.energy(v, spread), pulled));
                }
            }
        }
    }
    StepAudit { flow: simd.sum(flow), stored: simd.sum(stored) / mobility, lost: losses.power(simd, lattice, lost) }
}

vector_kernel! {
    /// Takes one step of a plate with a fixed edge. `weight` is B; `bent` is the curvature B Lũ of the shape before the step on entry, after it on return.
    pub fn step_stiff<S>(simd, motion: Motion, bent: &mut [f64], weight: &[f64], held: Held, audited: bool) -> StepAudit {
        match (audited, held.lattice.across == 1.0 && held.lattice.along == 1.0) {
            (true, true) => plate::<S, true, true>(simd, motion, bent, weight, held),
            (true, false) => plate::<S, true, false>(simd, motion, bent, weight, held),
            (false, true) => plate::<S, false, true>(simd, motion, bent, weight, held),
            (false, false) => plate::<S, false, false>(simd, motion, bent, weight, held),
        }
    }
}

#[inline(always)]
fn plate<S: Simd, const AUDITED: bool, const SQUARE: bool>(
    simd: S,
    mut motion: Motion,
    bent: &mut [f64],
    weight: &[f64],
    held: Held,
) -> StepAudit {
    let Held { plan, mask, lattice, point, stores, losses } = held;
    assert!(
        plan.fits(motion.arrays()) && plan.fits([mask, bent, weight]),
        "all arrays of a surface must have the length of its plan"
    );
    assert!(lattice.stride == plan.stride(), "lattice and plan must have the same stride");
    let laplacian = Laplacian::<S, SQUARE>::new(simd, lattice);
    let [tension, bending, diffusion, drag, back] =
        [point.tension, point.bending, point.diffusion, point.drag, stores.back].map(|x| simd.splat(x));
    let zero = simd.splat(0.0);
    // bending·LBLũ of the prediction is Y D/h² LBLũ
    let mobility = point.bending / stores.bending;
    let moving = Moving::new(simd, point, stores, mobility);
    let (mut lost, [mut moved, mut pulled, mut curved]) = ([zero; 3], [zero; 3]);
    for round in plan.rounds(2) {
        // SAFETY: `plan.fits` is asserted above
        unsafe { motion.lead(simd, plan.group(round, 0), stores.back) };
        if AUDITED {
            // SAFETY: `plan.fits` and equal strides are asserted above
            unsafe { laplacian.lose(motion.mean, plan.group(round, 1), &mut lost) };
        }
        for (c, whole) in plan.weighed(round, 1) {
            // SAFETY: `plan.fits` and equal strides are asserted above, and c is a chunk of the plan
            unsafe {
                let (u, curve) = laplacian.at(motion.u, c);
                if AUDITED {
                    curved = simd.add(curved, simd.mul(curve, load(simd, bent, c, 0)));
                    if stores.tension != 0.0 {
                        let before = simd.sub(u, simd.mul(back, load(simd, motion.v, c, 0)));
                        pulled = simd.add(pulled, simd.mul(before, curve));
                    }
                }
                let curve = if whole { curve } else { simd.mul(load(simd, weight, c, 0), curve) };
                store(simd, bent, c, curve);
            }
        }
        for (c, whole) in plan.weighed(round, 2) {
            // SAFETY: `plan.fits` and equal strides are asserted above, and c is a chunk of the plan
            unsafe {
                let ((bent, curve), (v, spread)) = (laplacian.at(bent, c), laplacian.at(motion.v, c));
                let elastic = simd.sub(simd.mul(tension, bent), simd.mul(bending, curve));
                let spread = simd.mul(diffusion, spread);
                let force = simd.add(elastic, spread);
                let change = simd.sub(force, simd.mul(drag, v));
                let change = if whole { change } else { simd.mul(load(simd, mask, c, 0), change) };
                store(simd, motion.mean, c, simd.add(v, change));
                if AUDITED {
                    moved = simd.add(moved, moving.energy(v, spread));
                }
            }
        }
    }
    let [moved, pulled, curved] = [moved, pulled, curved].map(|x| simd.sum(x));
    StepAudit {
        flow: 0.0,
        stored: moved / mobility + stores.bending * curved - stores.tension * pulled,
        lost: losses.power(simd, lattice, lost),
    }
}

#[cfg(test)]
mod tests;
