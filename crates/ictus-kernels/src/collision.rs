//! Eight contacts at once that press and go on pressing: the discrete gradient of a power law with exponent 3/2 and Hunt–Crossley loss.
//!
//! The same operations in the same order as for one contact, so the same bits. What does not take the usual way is left to be done alone.

use crate::dispatch::kernel;
use crate::lanes::LANES;

type Eight = [f64; LANES];

/// s + C f(s) = b from the compression a.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pressing {
    /// a, m; positive.
    pub start: Eight,
    /// φ(a), J.
    pub potential: Eight,
    /// b, m.
    pub target: Eight,
    /// C, m/N.
    pub compliance: Eight,
    /// μ/span, 1/m.
    pub loss: Eight,
    /// K, N/m^α.
    pub stiffness: Eight,
}

/// The answers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pressed {
    /// s, m.
    pub step: Eight,
    /// f, N.
    pub force: Eight,
    /// df/ds, N/m.
    pub slope: Eight,
    /// Compression at the end, m.
    pub end: Eight,
    /// φ there, J.
    pub potential: Eight,
    /// How often the law was looked at; 0 where a contact must be solved alone.
    pub evaluations: Eight,
}

/// What decides which way a contact takes.
#[derive(Clone, Copy, Debug)]
pub struct Ways {
    /// tangent·loss below which the loss eats most of the force.
    pub parting: f64,
    /// Share of the compression below which differences drown in rounding.
    pub small_step: f64,
    /// Relative residual that is rounding.
    pub rounding: f64,
}

/// α.
pub const ALPHA: f64 = 1.5;
/// Looks after which a contact is left to be solved alone.
const MOST: usize = 6;

kernel! {
    /// Solves eight.
    pub fn press(pressing: &Pressing, ways: Ways) -> Pressed {
        let Pressing { start: a, potential: phi, target: b, compliance: c, loss, stiffness } = pressing;
        let [mut at, mut usual, mut root, mut k] = [[0.0; LANES]; 4];
        for i in 0..LANES {
            // where it leaves, a quadratic says how
            let push = b[i] + c[i] * loss[i] * phi[i];
            let width = (push * push + 4.0 * c[i] * phi[i]).sqrt();
            let leaving = if push > 0.0 { -2.0 * c[i] * phi[i] / (push + width) } else { 0.5 * (push - width) };
            let force_now = (ALPHA + 1.0) * phi[i] / a[i];
            let miss = c[i] * force_now - b[i];
            let slope = 1.0 + c[i] * force_now * (0.5 * ALPHA / a[i] + loss[i]);
            let tangent = -miss / slope;
            let bend = c[i] * force_now * ALPHA / a[i] * ((ALPHA - 1.0) / (3.0 * a[i]) + loss[i]);
            let curved = -2.0 * miss * slope / (2.0 * slope * slope - miss * bend);
            let start = if (curved > -a[i]) & (curved < tangent) { curved } else { tangent };
            let fine = (a[i] + leaving > 0.0) & (tangent * loss[i] >= ways.parting) & (tangent <= a[i]) & (start >= -a[i]) & (start <= b[i].max(0.0));
            at[i] = start;
            usual[i] = if fine { 1.0 } else { 0.0 };
            root[i] = a[i].sqrt();
            k[i] = stiffness[i] / (ALPHA + 1.0);
        }
        let mut lo = a.map(|a| -a);
        let mut hi = b.map(|b| b.max(0.0));
        let (mut force, mut slopes, mut done) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
        for round in 1..=MOST {
            let mut open = [0.0; LANES];
            for i in 0..LANES {
                let s = at[i];
                let x = a[i] + s;
                let (w, y) = (root[i], x.sqrt());
                let mean = k[i] * ((x * x + x * y * w + x * a[i] + y * w * a[i] + a[i] * a[i]) / (y + w));
                let shrink = 1.0 / x;
                let near = 0.5 * ALPHA * (ALPHA + 1.0) * phi[i] / (a[i] * a[i]);
                let far = ((ALPHA + 1.0) * (phi[i] + s * mean) * shrink - mean) * (1.0 / s);
                let slope = if s.abs() < ways.small_step * a[i] { near } else { far };
                let slope = if slope > 0.0 { slope } else { 0.0 };
                let bend = slope * (ALPHA - 1.0) * shrink * (2.0 + s * shrink) / 3.0;
                let bend = if bend > 0.0 { bend } else { 0.0 };
                let lossy = 1.0 + loss[i] * s;
                let lossy = if lossy > 0.0 { lossy } else { 0.0 };
                let steep = slope * lossy + loss[i] * mean;
                let bent = bend * lossy + 2.0 * loss[i] * slope;
                let value = c[i] * mean * lossy;
                let miss = s - b[i] + value;
                let settled = miss.abs() <= ways.rounding * (s.abs() + b[i].abs() + value.abs());
                let fresh = done[i] == 0.0;
                force[i] = if fresh { mean * lossy } else { force[i] };
                slopes[i] = if fresh { steep } else { slopes[i] };
                lo[i] = if miss > 0.0 { lo[i] } else { s };
                hi[i] = if miss > 0.0 { s } else { hi[i] };
                let total = 1.0 + c[i] * steep;
                let next = s - 2.0 * miss * total / (2.0 * total * total - miss * (c[i] * bent));
                let inside = (next > lo[i]) & (next < hi[i]);
                let ends = fresh & settled;
                done[i] = if ends { round as f64 } else { done[i] };
                let going = fresh & !settled;
                usual[i] = if going & !inside | fresh & (x <= 0.0) { 0.0 } else { usual[i] };
                at[i] = if going { next } else { s };
                open[i] = if going { usual[i] } else { 0.0 };
            }
            if open == [0.0; LANES] {
                break;
            }
        }
        let [mut end, mut potential, mut evaluations] = [[0.0; LANES]; 3];
        for i in 0..LANES {
            end[i] = a[i] + at[i];
            potential[i] = stiffness[i] * (end[i] * end[i].sqrt()) * end[i] / (ALPHA + 1.0);
            evaluations[i] = done[i] * usual[i];
        }
        Pressed { step: at, force, slope: slopes, end, potential, evaluations }
    }
}
