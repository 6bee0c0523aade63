//! Loops over the points of a plate with free edges. Arrays are as in [`surface`](crate::surface); points beyond an edge have weight zero.

mod step;

pub use step::{Free, step};

use crate::dispatch::kernel;
use crate::lanes::sum_zip;
use crate::surface::{Point, Stores};

/// Weights of each point, of the interval to its right or below it, and of the cell to its lower right.
#[derive(Clone, Copy, Debug)]
pub struct Weights<'a> {
    /// Of δxx u in the bending moment about y.
    pub across: &'a [f64],
    /// Of δyy u in the bending moment about x.
    pub along: &'a [f64],
    /// Of δxx u and δyy u in each other's moment.
    pub poisson: &'a [f64],
    /// Of δxδy u in the twisting moment.
    pub twist: &'a [f64],
    /// Share of the interval in x that belongs to the plate, times h_y/h_x.
    pub right: &'a [f64],
    /// Share of the interval in y that belongs to the plate, times h_x/h_y.
    pub below: &'a [f64],
    /// Share of a point's cell that belongs to the plate.
    pub area: &'a [f64],
    /// Inverse of `area`; 0 outside.
    pub lightness: &'a [f64],
}

/// Moments of a bent plate, arrays as long as the shape.
#[derive(Debug)]
pub struct Moments<'a> {
    /// Bending in x, at the points.
    pub x: &'a mut [f64],
    /// Bending in y, at the points.
    pub y: &'a mut [f64],
    /// Twist, in the cells.
    pub twist: &'a mut [f64],
}

/// Windows over all points whose eight neighbours are in the array, shifted by `offsets`.
#[inline(always)]
fn windows<const K: usize>(values: &[f64], stride: usize, offsets: [isize; K]) -> [&[f64]; K] {
    let n = count(values, stride);
    offsets.map(|offset| {
        let first = (stride + 1).wrapping_add_signed(offset);
        &values[first..first + n]
    })
}

#[inline(always)]
fn count(values: &[f64], stride: usize) -> usize {
    values.len() - 2 * (stride + 1)
}

kernel! {
    /// Computes the moments of the shape `u`.
    pub fn bend(u: &[f64], weights: Weights, stride: usize, moments: Moments) {
        let (n, s) = (count(u, stride), stride as isize);
        let [middle, left, right, up, down, corner] = windows(u, stride, [0, -1, 1, -s, s, s + 1]).map(|x| &x[..n]);
        let inner = |w| windows::<1>(w, stride, [0])[0];
        let (a, b) = (&inner(weights.across)[..n], &inner(weights.along)[..n]);
        let (p, t) = (&inner(weights.poisson)[..n], &inner(weights.twist)[..n]);
        let [x, y, twist] = [moments.x, moments.y, moments.twist].map(|m| &mut m[stride + 1..stride + 1 + n]);
        for i in 0..n {
            let (cx, cy) = ((left[i] + right[i]) - 2.0 * middle[i], (up[i] + down[i]) - 2.0 * middle[i]);
            x[i] = a[i] * cx + p[i] * cy;
            y[i] = p[i] * cx + b[i] * cy;
            twist[i] = t[i] * ((middle[i] + corner[i]) - (right[i] + down[i]));
        }
    }
}

kernel! {
    /// v̄ of a plate with the given moments.
    pub fn predict(v: &[f64], weights: Weights, stride: usize, moments: Moments, point: Point, mean: &mut [f64]) {
        let (n, s) = (count(v, stride), stride as isize);
        let [x0, x1, x2] = windows(moments.x, stride, [0, -1, 1]).map(|x| &x[..n]);
        let [y0, y1, y2] = windows(moments.y, stride, [0, -s, s]).map(|x| &x[..n]);
        let [t0, t1, t2, t3] = windows(moments.twist, stride, [0, -1, -s, -s - 1]).map(|x| &x[..n]);
        let [middle, left, right, up, down] = windows(v, stride, [0, -1, 1, -s, s]).map(|x| &x[..n]);
        let [gx0, gx1] = windows(weights.right, stride, [0, -1]).map(|x| &x[..n]);
        let [gy0, gy1] = windows(weights.below, stride, [0, -s]).map(|x| &x[..n]);
        let [light] = windows(weights.lightness, stride, [0]).map(|x| &x[..n]);
        let mean = &mut mean[stride + 1..stride + 1 + n];
        let Point { bending, diffusion, drag, .. } = point;
        for i in 0..n {
            let bent = ((x1[i] + x2[i]) - 2.0 * x0[i]) + ((y1[i] + y2[i]) - 2.0 * y0[i]) + ((t0[i] + t3[i]) - (t1[i] + t2[i]));
            mean[i] = (middle[i] - drag * middle[i]) - bending * light[i] * bent;
        }
        if diffusion != 0.0 {
            for i in 0..n {
                let spread = (gx0[i] * (right[i] - middle[i]) - gx1[i] * (middle[i] - left[i]))
                    + (gy0[i] * (down[i] - middle[i]) - gy1[i] * (middle[i] - up[i]));
                mean[i] += diffusion * light[i] * spread;
            }
        }
    }
}

kernel! {
    /// Twice the stored energy, less the explicit loss.
    pub fn energy(u: &[f64], v: &[f64], weights: Weights, stride: usize, stores: Stores) -> f64 {
        let s = stride as isize;
        let offsets = [0, -1, 1, -s, s, s + 1];
        let ([u0, ul, ur, uu, ud, uc], [v0, vl, vr, vu, vd, vc]) = (windows(u, stride, offsets), windows(v, stride, offsets));
        let inner = |w| windows::<1>(w, stride, [0])[0];
        let Weights { across, along, poisson, twist, right, below, area, .. } = weights;
        let moving = sum_zip([v0, vr, vd, inner(area), inner(right), inner(below)], |[v0, vr, vd, area, right, below]| {
            stores.mass * area * v0 * v0 - stores.diffusion * (right * (vr - v0) * (vr - v0) + below * (vd - v0) * (vd - v0))
        });
        let bent = sum_zip(
            [u0, ul, ur, uu, ud, uc, v0, vl, vr, vu, vd, vc, inner(across), inner(along), inner(poisson), inner(twist)],
            |[u0, ul, ur, uu, ud, uc, v0, vl, vr, vu, vd, vc, across, along, poisson, twist]| {
                let back = stores.back;
                let (cx, cy, t) = ((ul + ur) - 2.0 * u0, (uu + ud) - 2.0 * u0, (u0 + uc) - (ur + ud));
                let (bx, by) = (cx - back * ((vl + vr) - 2.0 * v0), cy - back * ((vu + vd) - 2.0 * v0));
                let bt = t - back * ((v0 + vc) - (vr + vd));
                across * cx * bx + along * cy * by + poisson * (cx * by + cy * bx) + twist * t * bt
            },
        );
        moving + stores.bending * bent
    }
}

kernel! {
    /// uniform Σ a v² + spread Σ |∇v|² h².
    pub fn power(v: &[f64], weights: Weights, stride: usize, uniform: f64, spread: f64) -> f64 {
        let [v0, vr, vd] = windows(v, stride, [0, 1, stride as isize]);
        let inner = |w| windows::<1>(w, stride, [0])[0];
        let Weights { right, below, area, .. } = weights;
        sum_zip([v0, vr, vd, inner(area), inner(right), inner(below)], |[v0, vr, vd, area, right, below]| {
            uniform * area * v0 * v0 + spread * (right * (vr - v0) * (vr - v0) + below * (vd - v0) * (vd - v0))
        })
    }
}
