//! One pass against the loops of [`surface`](crate::surface) and [`free_plate`](crate::free_plate), one after the other.

use super::*;
use crate::free_plate::{self, Free, Moments, Weights};
use crate::grid::advance_leapfrog;
use crate::surface::{curvature, energy_bending, energy_flexible, flexible, power, stiff};
use crate::{Level, force};

const ROWS: usize = 17;

/// Numbers without pattern where `mask` is not 0.
fn noise(mask: &[f64], seed: u64) -> Vec<f64> {
    let mut x = seed;
    mask.iter()
        .map(|mask| {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            mask * ((x >> 11) as f64 / (1u64 << 53) as f64 - 0.5)
        })
        .collect()
}

/// A disc in rows of `stride`.
fn disc(stride: usize) -> (Vec<f64>, Plan) {
    let len = stride * ROWS;
    let inside = |i: usize| {
        let (x, y) = ((i % stride) as f64 - 6.0, (i / stride) as f64 - 8.0);
        if x * x + y * y < 36.0 { 1.0 } else { 0.0 }
    };
    let mask: Vec<f64> = (0..len).map(inside).collect();
    let plan = Plan::new(len, stride, |i| mask[i] + mask[i + 1] + mask[i + stride] > 0.0);
    let plan = plan.with_whole(|i| mask[i] == 1.0);
    (mask, plan)
}

/// Steps by passes of their own: the motion, and v̄ of the next step.
fn apart(motion: &mut [Vec<f64>; 3], k: f64, predict: impl Fn(&[f64], &[f64], &mut [f64])) {
    let [u, v, mean] = motion;
    advance_leapfrog(u, v, mean, k);
    predict(u, v, mean);
}

fn close(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-13 * a.abs().max(b.abs()), "{a:e} against {b:e}");
}

#[test]
fn one_pass_does_what_many_do() {
    let point = Point { tension: 0.3, bending: 0.02, diffusion: 0.05, drag: 0.01 };
    let stores = Stores { mass: 1.0, tension: 0.4, bending: 0.2, diffusion: 0.1, back: 0.3 };
    let losses = Losses { uniform: 0.3, spread: 0.7 };
    for (stride, level) in [(13, Level::Baseline), (16, Level::Baseline), (13, Level::Avx512), (16, Level::Avx2)] {
        force(level);
        let (mask, plan) = disc(stride);
        let lattice = Lattice { stride, across: 1.25, along: 0.8 };
        let held = Held { plan: &plan, mask: &mask, lattice, point, stores, losses };
        let mut fused = [1, 2, 3].map(|seed| noise(&mask, seed));
        let mut bent = vec![0.0; mask.len()];
        curvature(&fused[0], &mask, lattice, &mut bent);
        for stiffly in [false, true] {
            let mut other = fused.clone();
            let lost = power(&other[2], lattice, losses.uniform, losses.spread);
            apart(&mut other, stores.back, |u, v, mean| {
                if stiffly {
                    let mut bent = vec![0.0; u.len()];
                    curvature(u, &mask, lattice, &mut bent);
                    stiff(&bent, v, &mask, lattice, point, mean);
                } else {
                    flexible(u, v, &mask, lattice, point, mean);
                }
            });
            let mut silent = fused.clone();
            for (motion, audited) in [(&mut silent, false), (&mut fused, true)] {
                let mut bent = bent.clone();
                let [u, v, mean] = motion;
                let motion = Motion { u, v, mean };
                let books = if stiffly {
                    step_stiff(motion, &mut bent, &mask, held, audited)
                } else {
                    step_flexible(motion, held, 0.0, audited)
                };
                if audited {
                    close(books.lost, lost);
                    let [u, v, _] = &other;
                    let mut stored = energy_flexible(u, v, lattice, stores);
                    if stiffly {
                        stored += energy_bending(u, v, &mask, lattice, stores);
                    }
                    close(books.stored, stored);
                }
            }
            assert_eq!(fused, other, "stiff {stiffly}, rows of {stride}");
            assert_eq!(silent, other, "not audited, stiff {stiffly}, rows of {stride}");
            curvature(&fused[0], &mask, lattice, &mut bent);
        }
    }
}

#[test]
fn one_pass_over_a_free_plate_does_what_many_do() {
    let stores = Stores { mass: 1.0, tension: 0.0, bending: 0.2, diffusion: 0.1, back: 0.3 };
    let losses = Losses { uniform: 0.3, spread: 0.7 };
    for (stride, diffusion, level) in
        [(13, 0.05, Level::Baseline), (16, 0.0, Level::Baseline), (13, 0.0, Level::Avx512), (16, 0.05, Level::Avx2)]
    {
        force(level);
        let (mask, plan) = disc(stride);
        let point = Point { tension: 0.0, bending: 0.02, diffusion, drag: 0.01 };
        let stores = Stores { diffusion: if diffusion == 0.0 { 0.0 } else { stores.diffusion }, ..stores };
        let arrays = [4, 5, 6, 7, 8, 9, 10, 11].map(|seed| noise(&mask, seed));
        let [across, along, poisson, twist, right, below, area, lightness] = arrays.each_ref().map(|x| &x[..]);
        let weights = Weights { across, along, poisson, twist, right, below, area, lightness };
        let mut fused = [1, 2, 3].map(|seed| noise(&mask, seed));
        let mut other = fused.clone();
        let [mut x, mut y, mut twist] = [(); 3].map(|()| vec![0.0; mask.len()]);
        free_plate::bend(&fused[0], weights, stride, Moments { x: &mut x, y: &mut y, twist: &mut twist });
        let lost = free_plate::power(&other[2], weights, stride, losses.uniform, losses.spread);
        apart(&mut other, stores.back, |u, v, mean| {
            let [mut x, mut y, mut twist] = [(); 3].map(|()| vec![0.0; u.len()]);
            free_plate::bend(u, weights, stride, Moments { x: &mut x, y: &mut y, twist: &mut twist });
            let moments = Moments { x: &mut x, y: &mut y, twist: &mut twist };
            free_plate::predict(v, weights, stride, moments, point, mean);
        });
        let [u, v, mean] = &mut fused;
        let moments = Moments { x: &mut x, y: &mut y, twist: &mut twist };
        let free = Free { plan: &plan, weights, point, stores, losses };
        let books = free_plate::step(Motion { u, v, mean }, moments, free, true);
        // where nothing matters nothing is predicted
        for (other, mask) in other[2].iter_mut().zip(&mask) {
            *other *= mask;
        }
        for (fused, mask) in fused[2].iter_mut().zip(&mask) {
            *fused *= mask;
        }
        assert_eq!(fused, other, "rows of {stride}");
        close(books.lost, lost);
        close(books.stored, free_plate::energy(&other[0], &other[1], weights, stride, stores));
    }
}
