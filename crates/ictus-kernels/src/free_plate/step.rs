//! A whole step of a plate with free edges in one pass, as in [`surface::step`](crate::surface::step).
//!
//! Bending stores D/h² Σ κ(ũ)·M(ũ⁻), with the curvatures of the current shape and the moments of the previous one, which are read before they are overwritten.

#![allow(unsafe_code)]

use super::{Moments, Weights};
use crate::dispatch::vector_kernel;
use crate::grid::{Point, Stores};
use crate::simd::Simd;
use crate::surface::Plan;
use crate::surface::plan::{load, store};
use crate::surface::step::{Losses, Motion, StepAudit};

/// A plate with free edges: coefficients of its step.
#[derive(Clone, Copy, Debug)]
pub struct Free<'a> {
    /// Traversal order of its points.
    pub plan: &'a Plan,
    /// Weights of its points.
    pub weights: Weights<'a>,
    /// Coefficients of a point's motion.
    pub point: Point,
    /// Energy coefficients; `back` is the time step.
    pub stores: Stores,
    /// Loss coefficients.
    pub losses: Losses,
}

vector_kernel! {
    /// Takes one step; `moments` holds the moments of the shape before it on entry and after it on return.
    pub fn step<S>(simd, motion: Motion, moments: Moments, free: Free, audited: bool) -> StepAudit {
        match (audited, free.point.diffusion != 0.0) {
            (true, true) => plate::<S, true, true>(simd, motion, moments, free),
            (true, false) => plate::<S, true, false>(simd, motion, moments, free),
            (false, true) => plate::<S, false, true>(simd, motion, moments, free),
            (false, false) => plate::<S, false, false>(simd, motion, moments, free),
        }
    }
}

/// Divergence of a flux: the flux to the next point less the flux from the previous one, each with its weight. A function because the compiler may leave a closure
/// as a call, compiled without the kernel's instruction set.
#[inline(always)]
fn flow<S: Simd>(simd: S, [out, back]: [S::V; 2], [next, here, before]: [S::V; 3]) -> S::V {
    simd.sub(simd.mul(out, simd.sub(next, here)), simd.mul(back, simd.sub(here, before)))
}

/// Second differences of the moments of bending and of twist around a point: each axis before, after and at the point, the twist at the four corners.
#[inline(always)]
fn bending_force<S: Simd>(simd: S, [left, right, x]: [S::V; 3], [up, down, y]: [S::V; 3], twist: [S::V; 4]) -> S::V {
    let in_x = simd.less_twice(simd.add(left, right), x);
    let in_y = simd.less_twice(simd.add(up, down), y);
    let turned = simd.sub(simd.add(twist[0], twist[1]), simd.add(twist[2], twist[3]));
    simd.add(simd.add(in_x, in_y), turned)
}

#[inline(always)]
fn plate<S: Simd, const AUDITED: bool, const SPREADS: bool>(
    simd: S,
    mut motion: Motion,
    moments: Moments,
    free: Free,
) -> StepAudit {
    let Free { plan, weights, point, stores, losses } = free;
    let Weights { across, along, poisson, twist, right, below, area, lightness } = weights;
    let Moments { x, y, twist: twist_moment } = moments;
    let fits = plan.fits(motion.arrays()) && plan.fits([x, y, twist_moment]);
    let weighted = plan.fits([across, along, poisson, twist, right, below, area, lightness]);
    assert!(fits && weighted, "all arrays of a surface must have the length of its plan");
    let s = plan.stride() as isize;
    let [bending, diffusion, drag] = [point.bending, point.diffusion, point.drag].map(|x| simd.splat(x));
    let zero = simd.splat(0.0);
    let ([mut square, mut slopes], [mut moving, mut spreading, mut bent]) = ([zero; 2], [zero; 3]);
    // SAFETY: `values` is one of the arrays for which `plan.fits` is asserted above and c, offset one of the plan's chunks and stencil offsets, which `Plan::new` keeps inside such arrays
    let read = |values: &[f64], c: usize, offset: isize| unsafe { load(simd, values, c, offset) };
    for round in plan.rounds(2) {
        // SAFETY: `plan.fits(motion.arrays())` is asserted above
        unsafe { motion.lead(simd, plan.group(round, 0), stores.back) };
        for &c in plan.group(round, 1) {
            let at = |values: &[f64], offset: isize| read(values, c, offset);
            if AUDITED {
                let m = at(motion.mean, 0);
                let (dx, dy) = (simd.sub(at(motion.mean, 1), m), simd.sub(at(motion.mean, s), m));
                square = simd.add(square, simd.mul(at(area, 0), simd.mul(m, m)));
                let (in_x, in_y) = (simd.mul(at(right, 0), simd.mul(dx, dx)), simd.mul(at(below, 0), simd.mul(dy, dy)));
                slopes = simd.add(slopes, simd.add(in_x, in_y));
            }
            let u = &*motion.u;
            let (middle, r, d) = (at(u, 0), at(u, 1), at(u, s));
            let cx = simd.less_twice(simd.add(at(u, -1), r), middle);
            let cy = simd.less_twice(simd.add(at(u, -s), d), middle);
            let ct = simd.sub(simd.add(middle, at(u, s + 1)), simd.add(r, d));
            if AUDITED {
                let bending = simd.add(simd.mul(cx, at(x, 0)), simd.mul(cy, at(y, 0)));
                bent = simd.add(bent, simd.add(bending, simd.mul(ct, at(twist_moment, 0))));
            }
            let p = at(poisson, 0);
            let mx = simd.add(simd.mul(at(across, 0), cx), simd.mul(p, cy));
            let my = simd.add(simd.mul(p, cx), simd.mul(at(along, 0), cy));
            let mt = simd.mul(at(twist, 0), ct);
            // SAFETY: `plan.fits([x, y, twist_moment])` is asserted above and c is a chunk of the plan
            unsafe {
                store(simd, x, c, mx);
                store(simd, y, c, my);
                store(simd, twist_moment, c, mt);
            }
        }
        for &c in plan.group(round, 2) {
            let at = |values: &[f64], offset: isize| read(values, c, offset);
            let twists = [at(twist_moment, 0), at(twist_moment, -s - 1), at(twist_moment, -1), at(twist_moment, -s)];
            let (in_x, in_y) = ([at(x, -1), at(x, 1), at(x, 0)], [at(y, -s), at(y, s), at(y, 0)]);
            let force = bending_force(simd, in_x, in_y, twists);
            let (light, v) = (at(lightness, 0), at(motion.v, 0));
            let mut mean = simd.sub(simd.sub(v, simd.mul(drag, v)), simd.mul(simd.mul(bending, light), force));
            if SPREADS {
                let in_x = flow(simd, [at(right, 0), at(right, -1)], [at(motion.v, 1), v, at(motion.v, -1)]);
                let in_y = flow(simd, [at(below, 0), at(below, -s)], [at(motion.v, s), v, at(motion.v, -s)]);
                let spread = simd.add(in_x, in_y);
                mean = simd.add(mean, simd.mul(simd.mul(diffusion, light), spread));
                if AUDITED {
                    spreading = simd.add(spreading, simd.mul(v, spread));
                }
            }
            // SAFETY: `plan.fits(motion.arrays())` is asserted above and c is a chunk of the plan
            unsafe { store(simd, motion.mean, c, mean) };
            if AUDITED {
                moving = simd.add(moving, simd.mul(at(area, 0), simd.mul(v, v)));
            }
        }
    }
    let [square, slopes, moving, spreading, bent] = [square, slopes, moving, spreading, bent].map(|x| simd.sum(x));
    StepAudit {
        flow: 0.0,
        stored: stores.mass * moving + stores.bending * bent + stores.diffusion * spreading,
        lost: losses.uniform * square + losses.spread * slopes,
    }
}
