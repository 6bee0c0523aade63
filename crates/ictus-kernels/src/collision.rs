//! Eight contacts at once: the discrete gradient of a power law with exponent 3/2 and Hunt–Crossley loss.
//!
//! The same operations in the same order as for one contact, so the same bits. What does not take the usual way is left to be done alone.

mod root;

use crate::dispatch::kernel;
use crate::lanes::LANES;
use root::{Enter, Look, Press};

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
    /// loss·s below which the loss eats most of the force.
    pub parting: f64,
    /// Share below which the first guess of an entry is poor.
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
/// Looks after which a contact is left to be solved otherwise.
const MOST: usize = 4;

/// One contact that goes on pressing. None where that takes more than a few looks, or where it does something else.
#[inline(always)]
pub fn press_one(a: f64, b: f64, c: f64, shared: Shared, ways: Ways) -> Option<One> {
    let Shared { loss, stiffness } = shared;
    let k = stiffness / (ALPHA + 1.0);
    let press = Press { root: a.sqrt(), start: a, target: b, stiff: c * k, loss };
    let mut at = press.first();
    for round in 1..=MOST {
        let y = press.root + at;
        if y.is_nan() || y <= 0.0 {
            return None;
        }
        let look = press.look(at);
        let next = at + look.by;
        if look.near {
            let (y, step) = (press.root + next, next * (2.0 * press.root + next));
            let [force, slope] = look.there();
            return (y > 0.0 && loss * step >= ways.parting).then(|| One {
                step,
                end: a + step,
                force: k * force,
                slope: k * slope / (2.0 * y),
                evaluations: round as u32,
            });
        }
        at = next;
    }
    None
}

/// One contact that is apart and would overlap by `depth`. None where that takes more than a few looks.
#[inline(always)]
pub fn enter_one(a: f64, depth: f64, c: f64, shared: Shared, ways: Ways) -> Option<One> {
    let Shared { loss, stiffness } = shared;
    let k = stiffness / (ALPHA + 1.0);
    let enter = Enter { start: a, depth, stiff: c * k, loss };
    let [x, share] = enter.first(rough_root);
    if share.is_nan() || share < ways.refine {
        return None;
    }
    let mut at = x.sqrt();
    for round in 1..=MOST {
        if at.is_nan() || at <= 0.0 {
            return None;
        }
        let look = enter.look(at);
        let next = at + look.by;
        if look.near {
            let end = next * next;
            let [force, slope] = look.there();
            // a force that is no normal number is left to one who looks closer
            return (k * force >= SMALLEST).then(|| One {
                step: end - a,
                end,
                force: k * force,
                slope: k * slope / (2.0 * next),
                evaluations: round as u32,
            });
        }
        at = next;
    }
    None
}

/// The answer of one contact.
#[derive(Clone, Copy, Debug)]
pub struct One {
    /// s, m.
    pub step: f64,
    /// Compression at the end, m.
    pub end: f64,
    /// f, N.
    pub force: f64,
    /// df/ds, N/m.
    pub slope: f64,
    /// How often the law was looked at.
    pub evaluations: u32,
}

/// Smaller forces are left to be solved otherwise, N.
const SMALLEST: f64 = 1e-290;

/// Eight unknowns being looked for.
struct Search {
    at: Eight,
    force: Eight,
    slope: Eight,
    /// Looks it took; 0 until then.
    done: Eight,
}

impl Search {
    fn new() -> Self {
        let [at, force, slope, done] = [[0.0; LANES]; 4];
        Self { at, force, slope, done }
    }

    /// Takes a look at lane `i`; returns 1 if there must be another.
    #[inline(always)]
    fn take(&mut self, i: usize, look: &Look, positive: bool, round: usize) -> f64 {
        let fresh = self.done[i] == 0.0;
        let there = look.there();
        let next = self.at[i] + look.by;
        self.force[i] = if fresh { there[0] } else { self.force[i] };
        self.slope[i] = if fresh { there[1] } else { self.slope[i] };
        self.at[i] = if fresh { next } else { self.at[i] };
        let ends = fresh & look.near & positive;
        self.done[i] = if ends { round as f64 } else { self.done[i] };
        if fresh & !look.near & positive { 1.0 } else { 0.0 }
    }
}

kernel! {
    /// Solves eight that press: those that go on pressing, and those that leave.
    pub fn press(pressing: &Pressing, shared: Shared, ways: Ways) -> Pressed {
        let Pressing { start: a, potential: phi, target: b, compliance: c } = pressing;
        let Shared { loss, stiffness } = shared;
        let k = stiffness / (ALPHA + 1.0);
        let mut search = Search::new();
        let (mut root, mut known) = ([0.0; LANES], [0.0; LANES]);
        for i in 0..LANES {
            let press = Press { root: a[i].sqrt(), start: a[i], target: b[i], stiff: c[i] * k, loss };
            root[i] = press.root;
            search.at[i] = press.first();
        }
        for round in 1..=MOST {
            let mut open = [0.0; LANES];
            for i in 0..LANES {
                let press = Press { root: root[i], start: a[i], target: b[i], stiff: c[i] * k, loss };
                let positive = root[i] + search.at[i] > 0.0;
                let look = press.look(search.at[i]);
                open[i] = search.take(i, &look, positive, round);
            }
            if open == [0.0; LANES] {
                break;
            }
        }
        let mut pressed = Pressed::default();
        for i in 0..LANES {
            let y = root[i] + search.at[i];
            let step = search.at[i] * (2.0 * root[i] + search.at[i]);
            let end = a[i] + step;
            let fine = (y > 0.0) & (loss * step >= ways.parting) & (search.done[i] > 0.0);
            known[i] = if fine { 1.0 } else { 0.0 };
            pressed.step[i] = step;
            pressed.end[i] = end;
            pressed.force[i] = k * search.force[i];
            pressed.slope[i] = k * search.slope[i] / (2.0 * y);
            pressed.potential[i] = stiffness * (end * end.sqrt()) * end / (ALPHA + 1.0);
            pressed.evaluations[i] = search.done[i];
        }
        pressed.known = known;
        if known != [1.0; LANES] {
            for i in 0..LANES {
                // where it leaves, a quadratic says how
                let push = b[i] + c[i] * loss * phi[i];
                let width = (push * push + 4.0 * c[i] * phi[i]).sqrt();
                let leaving = if push > 0.0 { -2.0 * c[i] * phi[i] / (push + width) } else { 0.5 * (push - width) };
                let soft = (b[i] - leaving) / c[i];
                let hard = -phi[i] * (1.0 / leaving + loss);
                let pushed = if c[i] * phi[i] <= leaving * leaving { hard } else { soft };
                let pushed = if pushed > 0.0 { pushed } else { 0.0 };
                let gone = (known[i] == 0.0) & (a[i] + leaving <= 0.0);
                pressed.step[i] = if gone { leaving } else { pressed.step[i] };
                pressed.end[i] = if gone { a[i] + leaving } else { pressed.end[i] };
                pressed.force[i] = if gone { pushed } else { pressed.force[i] };
                pressed.slope[i] = if gone { phi[i] / (leaving * leaving) } else { pressed.slope[i] };
                pressed.potential[i] = if gone { 0.0 } else { pressed.potential[i] };
                pressed.evaluations[i] = if gone { 0.0 } else { pressed.evaluations[i] };
                pressed.known[i] = if gone { 1.0 } else { known[i] };
            }
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
        let k = stiffness / (ALPHA + 1.0);
        let mut search = Search::new();
        let mut usual = [0.0; LANES];
        for i in 0..LANES {
            let enter = Enter { start: a[i], depth: a[i] + b[i], stiff: c[i] * k, loss };
            let [x, share] = enter.first(rough_root);
            search.at[i] = x;
            usual[i] = if share >= ways.refine { 1.0 } else { 0.0 };
        }
        for at in &mut search.at {
            *at = at.sqrt();
        }
        for round in 1..=MOST {
            let mut open = [0.0; LANES];
            for i in 0..LANES {
                let enter = Enter { start: a[i], depth: a[i] + b[i], stiff: c[i] * k, loss };
                let look = enter.look(search.at[i]);
                open[i] = search.take(i, &look, search.at[i] > 0.0, round);
            }
            if open == [0.0; LANES] {
                break;
            }
        }
        let mut pressed = Pressed::default();
        for i in 0..LANES {
            let y = search.at[i];
            let end = y * y;
            let force = k * search.force[i];
            pressed.step[i] = end - a[i];
            pressed.end[i] = end;
            pressed.force[i] = force;
            pressed.slope[i] = k * search.slope[i] / (2.0 * y);
            pressed.potential[i] = stiffness * (end * end.sqrt()) * end / (ALPHA + 1.0);
            pressed.evaluations[i] = search.done[i];
            let fine = (force >= SMALLEST) & (search.done[i] > 0.0);
            pressed.known[i] = if fine { usual[i] } else { 0.0 };
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
