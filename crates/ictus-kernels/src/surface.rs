//! Loops over the points of a surface. Rows are consecutive in flat arrays of one length, `stride` values each; two rows above and below and one
//! column on each side contain no moving point, so a loop may run over row ends: the values it reads there are zero or have weight zero.

pub(crate) mod plan;
pub mod step;

use crate::dispatch::kernel;
pub use crate::grid::{Point, Stores};
use crate::lanes::sum_zip;
pub use plan::Plan;

/// Geometry of the grid: L = h²Δ with h² = h_x h_y is `across`·δxx + `along`·δyy.
#[derive(Clone, Copy, Debug)]
pub struct Lattice {
    /// Values per row.
    pub stride: usize,
    /// h_y/h_x.
    pub across: f64,
    /// h_x/h_y.
    pub along: f64,
}

/// Windows on the values and their left, right, upper and lower neighbours, for all but the first and last row.
#[inline(always)]
fn around(values: &[f64], stride: usize) -> [&[f64]; 5] {
    let n = values.len() - 2 * stride;
    let window = |first: usize| &values[first..first + n];
    [window(stride), window(stride - 1), window(stride + 1), window(0), window(2 * stride)]
}

/// L at every point of a window. Built of plain slices of one length known to the compiler, which vectorises them.
macro_rules! laplacian {
    ($lattice:expr, $near:ident, $i:ident) => {
        $lattice.across * (($near.1[$i] + $near.2[$i]) - 2.0 * $near.0[$i])
            + $lattice.along * (($near.3[$i] + $near.4[$i]) - 2.0 * $near.0[$i])
    };
}

type Near<'a> = (&'a [f64], &'a [f64], &'a [f64], &'a [f64], &'a [f64]);

#[inline(always)]
fn near(values: &[f64], stride: usize, n: usize) -> Near<'_> {
    let [middle, left, right, up, down] = around(values, stride);
    (&middle[..n], &left[..n], &right[..n], &up[..n], &down[..n])
}

impl Lattice {
    #[inline(always)]
    fn laplacian(&self, [middle, left, right, up, down]: [f64; 5]) -> f64 {
        self.across * ((left + right) - 2.0 * middle) + self.along * ((up + down) - 2.0 * middle)
    }
}

kernel! {
    /// c = weight·Lu.
    pub fn curvature(u: &[f64], weight: &[f64], lattice: Lattice, out: &mut [f64]) {
        let stride = lattice.stride;
        let n = u.len() - 2 * stride;
        let u = near(u, stride, n);
        let (weight, out) = (&weight[stride..stride + n], &mut out[stride..stride + n]);
        for i in 0..n {
            out[i] = weight[i] * (laplacian!(lattice, u, i));
        }
    }
}

kernel! {
    /// v̄ of a membrane; `mask` is 1 where a point moves, 0 elsewhere.
    pub fn flexible(u: &[f64], v: &[f64], mask: &[f64], lattice: Lattice, point: Point, mean: &mut [f64]) {
        let stride = lattice.stride;
        let n = u.len() - 2 * stride;
        let (u, v) = (near(u, stride, n), near(v, stride, n));
        let (mask, mean) = (&mask[stride..stride + n], &mut mean[stride..stride + n]);
        let Point { tension, diffusion, drag, .. } = point;
        if diffusion == 0.0 {
            for i in 0..n {
                let curve = laplacian!(lattice, u, i);
                mean[i] = v.0[i] + mask[i] * (tension * curve - drag * v.0[i]);
            }
        } else {
            for i in 0..n {
                let (curve, spread) = (laplacian!(lattice, u, i), laplacian!(lattice, v, i));
                mean[i] = v.0[i] + mask[i] * (tension * curve + diffusion * spread - drag * v.0[i]);
            }
        }
    }
}

kernel! {
    /// v̄ of a plate with a fixed edge; `bent` is its weighted curvature.
    pub fn stiff(bent: &[f64], v: &[f64], mask: &[f64], lattice: Lattice, point: Point, mean: &mut [f64]) {
        let stride = lattice.stride;
        let n = bent.len() - 2 * stride;
        let (bent, v) = (near(bent, stride, n), near(v, stride, n));
        let (mask, mean) = (&mask[stride..stride + n], &mut mean[stride..stride + n]);
        let Point { tension, bending, diffusion, drag } = point;
        if diffusion == 0.0 {
            for i in 0..n {
                let curve = laplacian!(lattice, bent, i);
                mean[i] = v.0[i] + mask[i] * (tension * bent.0[i] - bending * curve - drag * v.0[i]);
            }
        } else {
            for i in 0..n {
                let (curve, spread) = (laplacian!(lattice, bent, i), laplacian!(lattice, v, i));
                let force = tension * bent.0[i] - bending * curve + diffusion * spread;
                mean[i] = v.0[i] + mask[i] * (force - drag * v.0[i]);
            }
        }
    }
}

kernel! {
    /// Twice the kinetic and tension energy of a surface with a fixed edge, less the explicit loss.
    pub fn energy_flexible(u: &[f64], v: &[f64], lattice: Lattice, stores: Stores) -> f64 {
        let Lattice { stride, across, along } = lattice;
        let n = u.len() - stride;
        let windows = [&u[..n], &u[1..n + 1], &u[stride..], &v[..n], &v[1..n + 1], &v[stride..]];
        sum_zip(windows, |[u0, u1, u2, v0, v1, v2]| {
            stores.mass * v0 * v0
                + across * stores.interval(u1 - u0, v1 - v0)
                + along * stores.interval(u2 - u0, v2 - v0)
        })
    }
}

kernel! {
    /// Twice the bending energy of a surface with a fixed edge.
    pub fn energy_bending(u: &[f64], v: &[f64], weight: &[f64], lattice: Lattice, stores: Stores) -> f64 {
        let stride = lattice.stride;
        let ([u0, u1, u2, u3, u4], [v0, v1, v2, v3, v4]) = (around(u, stride), around(v, stride));
        let weight = &weight[stride..stride + u0.len()];
        sum_zip([u0, u1, u2, u3, u4, v0, v1, v2, v3, v4, weight], |[u0, u1, u2, u3, u4, v0, v1, v2, v3, v4, weight]| {
            let (cu, cv) = (lattice.laplacian([u0, u1, u2, u3, u4]), lattice.laplacian([v0, v1, v2, v3, v4]));
            stores.bending * weight * stores.between(cu, cv)
        })
    }
}

kernel! {
    /// uniform Σ v² + spread Σ |∇v|² h² of a surface with a fixed edge.
    pub fn power(v: &[f64], lattice: Lattice, uniform: f64, spread: f64) -> f64 {
        let Lattice { stride, across, along } = lattice;
        let n = v.len() - stride;
        sum_zip([&v[..n], &v[1..n + 1], &v[stride..]], |[v0, v1, v2]| {
            uniform * v0 * v0 + spread * (across * (v1 - v0) * (v1 - v0) + along * (v2 - v0) * (v2 - v0))
        })
    }
}
