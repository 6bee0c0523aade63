//! Eight contacts at once: the discrete gradient of a power law with exponent 3/2 and Hunt–Crossley loss.
//!
//! The same operations in the same order as for one contact, so the same bits. What does not take the usual way is left to be done alone.

use crate::dispatch::kernel;
use crate::lanes::LANES;

type Eight = [f64; LANES];

/// s + C f(s) = b from the compression a.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pressing {
    /// a, m: positive for contacts that [`press`], not so for those that [`enter`].
    pub start: Eight,
    /// φ(a), J.
    pub potential: Eight,
    /// b, m.
    pub target: Eight,
    /// C, m/N.
    pub compliance: Eight,
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
    /// How often the law was looked at.
    pub evaluations: Eight,
    /// 0 where a contact must be solved alone.
    pub known: Eight,
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
    /// Share below which the first guess of an entry deserves a second power.
    pub refine: f64,
}

/// The law that eight contacts share.
#[derive(Clone, Copy, Debug)]
pub struct Shared {
    /// μ/span, 1/m.
    pub loss: f64,
    /// K, N/m^α.
    pub stiffness: f64,
}

/// α.
pub const ALPHA: f64 = 1.5;
/// Looks after which a contact is left to be solved alone.
const MOST: usize = 6;

kernel! {
    /// Solves eight that press: those that go on pressing, and those that leave.
    pub fn press(pressing: &Pressing, shared: Shared, ways: Ways) -> Pressed {
        let Pressing { start: a, potential: phi, target: b, compliance: c } = pressing;
        let Shared { loss, stiffness } = shared;
        let [mut at, mut usual, mut root, mut leaves, mut parting, mut parting_force, mut parting_slope] = [[0.0; LANES]; 7];
        let k = stiffness / (ALPHA + 1.0);
        for i in 0..LANES {
            // where it leaves, a quadratic says how
            let push = b[i] + c[i] * loss * phi[i];
            let width = (push * push + 4.0 * c[i] * phi[i]).sqrt();
            let leaving = if push > 0.0 { -2.0 * c[i] * phi[i] / (push + width) } else { 0.5 * (push - width) };
            let soft = (b[i] - leaving) / c[i];
            let hard = -phi[i] * (1.0 / leaving + loss);
            let pushed = if c[i] * phi[i] <= leaving * leaving { hard } else { soft };
            parting[i] = leaving;
            parting_force[i] = if pushed > 0.0 { pushed } else { 0.0 };
            parting_slope[i] = phi[i] / (leaving * leaving);
            leaves[i] = if a[i] + leaving <= 0.0 { 1.0 } else { 0.0 };
            let force_now = (ALPHA + 1.0) * phi[i] / a[i];
            let miss = c[i] * force_now - b[i];
            let slope = 1.0 + c[i] * force_now * (0.5 * ALPHA / a[i] + loss);
            let tangent = -miss / slope;
            let bend = c[i] * force_now * ALPHA / a[i] * ((ALPHA - 1.0) / (3.0 * a[i]) + loss);
            let curved = -2.0 * miss * slope / (2.0 * slope * slope - miss * bend);
            let start = if (curved > -a[i]) & (curved < tangent) { curved } else { tangent };
            let fine = (a[i] + leaving > 0.0) & (tangent * loss >= ways.parting) & (tangent <= a[i]) & (start >= -a[i]) & (start <= b[i].max(0.0));
            at[i] = start;
            usual[i] = if fine { 1.0 } else { 0.0 };
            root[i] = a[i].sqrt();
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
                let mean = k * ((x * x + x * y * w + x * a[i] + y * w * a[i] + a[i] * a[i]) / (y + w));
                let shrink = 1.0 / x;
                let near = 0.5 * ALPHA * (ALPHA + 1.0) * phi[i] / (a[i] * a[i]);
                let far = ((ALPHA + 1.0) * (phi[i] + s * mean) * shrink - mean) * (1.0 / s);
                let slope = if s.abs() < ways.small_step * a[i] { near } else { far };
                let slope = if slope > 0.0 { slope } else { 0.0 };
                let bend = slope * (ALPHA - 1.0) * shrink * (2.0 + s * shrink) / 3.0;
                let bend = if bend > 0.0 { bend } else { 0.0 };
                let lossy = 1.0 + loss * s;
                let lossy = if lossy > 0.0 { lossy } else { 0.0 };
                let steep = slope * lossy + loss * mean;
                let bent = bend * lossy + 2.0 * loss * slope;
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
        let mut pressed = Pressed::default();
        for i in 0..LANES {
            let gone = leaves[i] != 0.0;
            let end = a[i] + at[i];
            let stays = stiffness * (end * end.sqrt()) * end / (ALPHA + 1.0);
            let looked = done[i] * usual[i];
            pressed.step[i] = if gone { parting[i] } else { at[i] };
            pressed.end[i] = if gone { a[i] + parting[i] } else { end };
            pressed.force[i] = if gone { parting_force[i] } else { force[i] };
            pressed.slope[i] = if gone { parting_slope[i] } else { slopes[i] };
            pressed.potential[i] = if gone { 0.0 } else { stays };
            pressed.evaluations[i] = if gone { 0.0 } else { looked };
            pressed.known[i] = if gone { 1.0 } else { looked };
        }
        pressed
    }
}

/// y^(1/2.5) to some percent; see `rough_root` of the core, of which this has the bits.
#[inline(always)]
fn rough_root(y: f64) -> f64 {
    const ONE: f64 = 4_607_182_418_800_017_408.0; // the bits of 1.0
    if !(y > 0.0 && y.is_finite()) {
        return y;
    }
    f64::from_bits(((y.to_bits() as f64 - ONE) / (ALPHA + 1.0) + ONE) as u64)
}

kernel! {
    /// Solves eight that are apart and would overlap.
    pub fn enter(entering: &Pressing, shared: Shared, ways: Ways) -> Pressed {
        let Pressing { start: a, target: b, compliance: c, .. } = entering;
        let Shared { loss, stiffness } = shared;
        let degree = ALPHA + 1.0;
        let [mut at, mut usual, mut p, mut looked] = [[0.0; LANES]; 4];
        for i in 0..LANES {
            p[i] = a[i] + b[i];
            let lossy = 1.0 + loss * (p[i] - a[i]);
            at[i] = p[i] * (p[i] - a[i]) * degree / (c[i] * stiffness * lossy);
        }
        let hard = at.map(rough_root);
        for i in 0..LANES {
            let share = (hard[i] - a[i]) / (p[i] - a[i]);
            looked[i] = if share < ways.refine { share } else { 1.0 };
        }
        let finer = if looked == [1.0; LANES] { [1.0; LANES] } else { looked.map(|share| if share == 1.0 { 1.0 } else { rough_root(share) }) };
        for i in 0..LANES {
            looked[i] = if looked[i] == 1.0 { 0.0 } else { 1.0 };
            let hard = hard[i] * finer[i];
            let start = if hard.abs() < f64::INFINITY { hard * p[i] / (hard + p[i]) } else { p[i] };
            usual[i] = if (start > 0.0) & (start <= p[i]) { 1.0 } else { 0.0 };
            at[i] = start;
        }
        let (mut lo, mut hi) = ([0.0; LANES], p);
        let [mut force, mut slopes, mut potentials, mut done] = [[0.0; LANES]; 4];
        for round in 1..=MOST {
            let mut open = [0.0; LANES];
            for i in 0..LANES {
                let x = at[i];
                let end_force = stiffness * (x * x.sqrt());
                let potential = end_force * x / degree;
                let share = 1.0 / (x - a[i]);
                let push = potential * (share + loss);
                let slope = end_force * (share + loss) - potential * share * share;
                let bend = slope * (slope * x / push - 1.0) / x;
                let bend = if bend > 0.0 { bend } else { 0.0 };
                let value = c[i] * push;
                let miss = x - p[i] + value;
                let settled = miss.abs() <= ways.rounding * (x.abs() + p[i].abs() + value.abs());
                let fresh = done[i] == 0.0;
                force[i] = if fresh { push } else { force[i] };
                slopes[i] = if fresh { slope } else { slopes[i] };
                potentials[i] = if fresh { potential } else { potentials[i] };
                lo[i] = if miss > 0.0 { lo[i] } else { x };
                hi[i] = if miss > 0.0 { x } else { hi[i] };
                let total = 1.0 + c[i] * slope;
                let next = x - 2.0 * miss * total / (2.0 * total * total - miss * (c[i] * bend));
                let inside = (next > lo[i]) & (next < hi[i]);
                let ends = fresh & settled;
                done[i] = if ends { round as f64 } else { done[i] };
                let going = fresh & !settled;
                // a force that is no normal number is left to one who looks closer
                let odd = (push < 1e-290) | (x <= a[i]);
                usual[i] = if going & !inside | fresh & odd { 0.0 } else { usual[i] };
                at[i] = if going { next } else { x };
                open[i] = if going { usual[i] } else { 0.0 };
            }
            if open == [0.0; LANES] {
                break;
            }
        }
        let mut pressed = Pressed { force, slope: slopes, potential: potentials, end: at, ..Pressed::default() };
        for i in 0..LANES {
            pressed.step[i] = at[i] - a[i];
            pressed.known[i] = done[i] * usual[i];
            pressed.evaluations[i] = done[i] + looked[i];
        }
        pressed
    }
}

/// Where a row of contacts stands before a step.
#[derive(Debug)]
pub struct Standing<'a> {
    /// v̄ of both ends if nothing pushes, m/s, and the sign of each.
    pub free: [(&'a [f64], f64); 2],
    /// Speeds at which the gaps open, m/s.
    pub rates: &'a [f64],
    /// `[gap now, before, φ now, before]` of every contact.
    pub contacts: &'a mut [[f64; 4]],
    /// Which of the first two a step starts from.
    pub from: usize,
    /// Duration of the step that is looked at, s.
    pub span: f64,
    /// Gaps from here on cannot be worked with, m.
    pub huge: f64,
}

kernel! {
    /// Writes at which speed contacts close if nothing pushes. Those that are apart and stay so move on; the others are listed in `awake`. Returns how many.
    pub fn rouse(standing: Standing, closing: &mut [f64], awake: &mut [usize]) -> usize {
        let Standing { free: [(first, one), (second, other)], rates, contacts, from, span, huge } = standing;
        let n = contacts.len();
        let (first, second, rates, closing) = (&first[..n], &second[..n], &rates[..n], &mut closing[..n]);
        for i in 0..n {
            closing[i] = one * first[i] + other * second[i] - rates[i];
        }
        let awake = &mut awake[..n];
        let mut count = 0;
        for (i, (contact, closing)) in contacts.iter_mut().zip(closing.iter()).enumerate() {
            let [now, before, held, earlier] = *contact;
            let start = if from == 0 { now } else { before };
            let end = start + span * closing;
            let apart = (now < 0.0) & (before < 0.0) & (held == 0.0) & (earlier == 0.0);
            let open = apart & (end < 0.0) & (end > -huge);
            [contact[0], contact[1]] = if open { [end, now] } else { [now, before] };
            awake[count] = i;
            count += usize::from(!open);
        }
        count
    }
}
