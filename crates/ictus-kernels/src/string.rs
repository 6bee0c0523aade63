//! Loops over the points of a string. Arrays hold two ghost points, m points, two ghost points; `ahead` holds the m points only.

pub mod step;

use crate::dispatch::kernel;
pub use crate::grid::Stores;
use crate::lanes::{sum_zip, sums_zip};

/// Coefficients of a point's force-free motion: v⁺ = kept v + pull δ²y. y is the quantity whose differences drive the neighbours: u + ease v of a flexible string, own u + ease v − (u₋ + u₊) of a stiff one, whose
/// bending is the δ⁴u in δ²y. v is in metres per step, so that u⁺ = u + v⁺.
///
/// y is computed once for a point and both neighbours, and is constant along a string displaced as a whole, which therefore feels no force.
#[derive(Clone, Copy, Debug)]
pub struct Moves {
    /// Of v.
    pub kept: f64,
    /// Of δ²y: the tension, or the bending of a stiff string.
    pub pull: f64,
    /// Of u in y of a stiff string: 2 plus the ratio of its tension to its bending.
    pub own: Option<f64>,
    /// Of v in y: the loss that grows with the square of the frequency.
    pub ease: f64,
}

kernel! {
    /// v⁺ of a string without bending stiffness.
    pub fn flexible(u: &[f64], v: &[f64], ahead: &mut [f64], moves: Moves) {
        let m = ahead.len();
        let near = u[1..m + 1].iter().zip(&u[2..m + 2]).zip(&u[3..m + 3]);
        let speeds = v[1..m + 1].iter().zip(&v[2..m + 2]).zip(&v[3..m + 3]);
        let Moves { kept, pull, ease, .. } = moves;
        for ((out, ((u1, u2), u3)), ((v1, v2), v3)) in ahead.iter_mut().zip(near).zip(speeds) {
            let [y1, y2, y3] = [u1 + ease * v1, u2 + ease * v2, u3 + ease * v3];
            *out = kept * v2 + pull * ((y1 + y3) - 2.0 * y2);
        }
    }
}

kernel! {
    /// v⁺ of a stiff string, `own` as in [`Moves`].
    pub fn stiff(u: &[f64], v: &[f64], ahead: &mut [f64], moves: Moves, own: f64) {
        let m = ahead.len();
        let near = u[1..m + 1].iter().zip(&u[2..m + 2]).zip(&u[3..m + 3]);
        let far = u[..m].iter().zip(&u[4..m + 4]);
        let speeds = v[1..m + 1].iter().zip(&v[2..m + 2]).zip(&v[3..m + 3]);
        let Moves { kept, pull, ease, .. } = moves;
        for (((out, ((u1, u2), u3)), (u0, u4)), ((v1, v2), v3)) in ahead.iter_mut().zip(near).zip(far).zip(speeds) {
            let y1 = (own * u1 + ease * v1) - (u0 + u2);
            let y2 = (own * u2 + ease * v2) - (u1 + u3);
            let y3 = (own * u3 + ease * v3) - (u2 + u4);
            *out = kept * v2 + pull * ((y1 + y3) - 2.0 * y2);
        }
    }
}

kernel! {
    /// Twice the energy of all points and the intervals to their left, without bending.
    pub fn energy_flexible(u: &[f64], v: &[f64], stores: Stores) -> f64 {
        let n = u.len() - 4;
        let windows = [&u[1..n + 1], &u[2..n + 2], &v[1..n + 1], &v[2..n + 2]];
        sum_zip(windows, |[u0, u1, v0, v1]| stores.mass * v1 * v1 + stores.interval(u1 - u0, v1 - v0))
    }
}

kernel! {
    /// uniform Σ v² + spread Σ (Δv)² over all points and the intervals to their left.
    pub fn power_flexible(v: &[f64], uniform: f64, spread: f64) -> f64 {
        let n = v.len() - 4;
        sum_zip([&v[1..n + 1], &v[2..n + 2]], |[v0, v1]| uniform * v1 * v1 + spread * (v1 - v0) * (v1 - v0))
    }
}

kernel! {
    /// Twice the energy of a stiff string except for its first point and its first and last interval, n points with n + 1 intervals: the bending energy is summed by
    /// parts, Σ δ²u δ²u⁻ = −Σ Δu⁻ δ³u, which costs a third less.
    pub fn energy_stiff(u: &[f64], v: &[f64], stores: Stores) -> f64 {
        let n = (u.len() - 4).max(1);
        let windows = [&u[1..n], &u[2..n + 1], &u[3..n + 2], &u[4..n + 3], &v[2..n + 1], &v[3..n + 2]];
        let (pull, Stores { mass, bending, diffusion, back, .. }) = (stores.tension + 3.0 * stores.bending, stores);
        sum_zip(windows, |[u0, u1, u2, u3, v1, v2]| {
            let (du, dv) = (u2 - u1, v2 - v1);
            mass * v2 * v2 + ((du - back * dv) * (pull * du - bending * (u3 - u0)) - diffusion * dv * dv)
        })
    }
}

/// The points and their neighbours on both sides.
#[inline(always)]
fn neighbours(u: &[f64]) -> [&[f64]; 3] {
    let n = u.len() - 4;
    [&u[1..n + 1], &u[2..n + 2], &u[3..n + 3]]
}

kernel! {
    /// Sums over the curvature c = δ²u: Σ c (u − v), Σ c (v + v⁺), Σ c². `ahead` is v⁺ of the points only.
    pub fn stretch(u: &[f64], v: &[f64], ahead: &[f64]) -> [f64; 3] {
        let ([left, u, right], [_, v, _]) = (neighbours(u), neighbours(v));
        sums_zip([left, u, right, v, ahead], |[left, u, right, v, ahead]| {
            let curve = (left + right) - 2.0 * u;
            [curve * (u - v), curve * (v + ahead), curve * curve]
        })
    }
}

kernel! {
    /// Σ δ²u (u − v).
    pub fn stretched(u: &[f64], v: &[f64]) -> f64 {
        let ([left, u, right], [_, v, _]) = (neighbours(u), neighbours(v));
        sum_zip([left, u, right, v], |[left, u, right, v]| ((left + right) - 2.0 * u) * (u - v))
    }
}

kernel! {
    /// v⁺ += factor · δ²u. `ahead` holds the points only.
    pub fn pull(ahead: &mut [f64], u: &[f64], factor: f64) {
        let m = ahead.len();
        let u = &u[1..m + 3];
        for (i, ahead) in ahead.iter_mut().enumerate() {
            *ahead += factor * ((u[i] + u[i + 2]) - 2.0 * u[i + 1]);
        }
    }
}
