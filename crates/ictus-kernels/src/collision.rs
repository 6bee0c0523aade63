//! Eight contacts at once: the discrete gradient of a power law with exponent 3/2 and Hunt–Crossley loss.
//!
//! The operations and their order are those of a single contact, so the bits are the same. Lanes that leave the common path are marked unsolved, for the scalar solver.

mod root;

use crate::dispatch::kernel;
use crate::lanes::LANES;
use root::{Enter, Iterate, Press};

type Eight = [f64; LANES];

/// Eight scalar equations s + C f(s) = b, each from the compression a.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pressing {
    /// a, m: positive for [`press`], not positive for [`enter`].
    pub start: Eight,
    /// φ(a), J.
    pub potential: Eight,
    /// b, m.
    pub target: Eight,
    /// C, m/N.
    pub compliance: Eight,
}

/// Solutions of [`Pressing`].
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
    /// φ at_root, J.
    pub potential: Eight,
    /// Number of evaluations of the law.
    pub evaluations: Eight,
    /// 1 if the lane is solved, 0 if the contact needs the scalar solver.
    pub solved: Eight,
}

/// Thresholds that select the solution path of a contact.
#[derive(Clone, Copy, Debug)]
pub struct Ways {
    /// loss·s below which the loss cancels most of the force.
    pub parting: f64,
    /// Ratio below which the first guess of an entry is poor.
    pub refine: f64,
}

/// Parameters of the law that all eight contacts share.
#[derive(Clone, Copy, Debug)]
pub struct Shared {
    /// μ/span, 1/m.
    pub loss: f64,
    /// K, N/m^α.
    pub stiffness: f64,
}

/// Exponent α of the law.
pub const ALPHA: f64 = 1.5;
/// Iterations after which a contact is left to the general solver.
const MAX_ITERATIONS: usize = 4;

/// Solves one contact that stays in contact. `None` if it does not converge in `MAX_ITERATIONS` or if it separates.
#[inline(always)]
pub fn press_one(a: f64, b: f64, c: f64, shared: Shared, ways: Ways) -> Option<One> {
    let Shared { loss, stiffness } = shared;
    let k = stiffness / (ALPHA + 1.0);
    let press = Press { root: a.sqrt(), start: a, target: b, stiff: c * k, loss };
    let mut at = press.first();
    for round in 1..=MAX_ITERATIONS {
        let y = press.root + at;
        if y.is_nan() || y <= 0.0 {
            return None;
        }
        let iterate = press.iterate(at);
        let next = at + iterate.by;
        if iterate.near {
            let (y, step) = (press.root + next, next * (2.0 * press.root + next));
            let [force, slope] = iterate.at_root();
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

/// Solves one contact that is open and would overlap by `depth`. `None` if it does not converge in `MAX_ITERATIONS`.
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
    for round in 1..=MAX_ITERATIONS {
        if at.is_nan() || at <= 0.0 {
            return None;
        }
        let iterate = enter.iterate(at);
        let next = at + iterate.by;
        if iterate.near {
            let end = next * next;
            let [force, slope] = iterate.at_root();
            // subnormal forces are left to the general solver
            return (k * force >= MIN_FORCE).then(|| One {
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

/// The solution of one contact.
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
    /// Number of evaluations of the law.
    pub evaluations: u32,
}

/// Forces below this are left to the general solver, N: they may be subnormal.
const MIN_FORCE: f64 = 1e-290;

/// Eight root searches.
struct Search {
    at: Eight,
    force: Eight,
    slope: Eight,
    /// Iterations taken; 0 until converged.
    done: Eight,
}

impl Search {
    fn new() -> Self {
        let [at, force, slope, done] = [[0.0; LANES]; 4];
        Self { at, force, slope, done }
    }

    /// Takes one iteration of lane `i`; returns 1 if the lane needs another.
    #[inline(always)]
    fn take(&mut self, i: usize, iterate: &Iterate, positive: bool, round: usize) -> f64 {
        let fresh = self.done[i] == 0.0;
        let at_root = iterate.at_root();
        let next = self.at[i] + iterate.by;
        self.force[i] = if fresh { at_root[0] } else { self.force[i] };
        self.slope[i] = if fresh { at_root[1] } else { self.slope[i] };
        self.at[i] = if fresh { next } else { self.at[i] };
        let ends = fresh & iterate.near & positive;
        self.done[i] = if ends { round as f64 } else { self.done[i] };
        if fresh & !iterate.near & positive { 1.0 } else { 0.0 }
    }
}

kernel! {
    /// Solves eight closed contacts: those that stay closed and those that separate.
    pub fn press(pressing: &Pressing, shared: Shared, ways: Ways) -> Pressed {
        let Pressing { start: a, potential: phi, target: b, compliance: c } = pressing;
        let Shared { loss, stiffness } = shared;
        let k = stiffness / (ALPHA + 1.0);
        let mut search = Search::new();
        let (mut root, mut solved) = ([0.0; LANES], [0.0; LANES]);
        for i in 0..LANES {
            let press = Press { root: a[i].sqrt(), start: a[i], target: b[i], stiff: c[i] * k, loss };
            root[i] = press.root;
            search.at[i] = press.first();
        }
        for round in 1..=MAX_ITERATIONS {
            let mut open = [0.0; LANES];
            for i in 0..LANES {
                let press = Press { root: root[i], start: a[i], target: b[i], stiff: c[i] * k, loss };
                let positive = root[i] + search.at[i] > 0.0;
                let iterate = press.iterate(search.at[i]);
                open[i] = search.take(i, &iterate, positive, round);
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
            let converged = (y > 0.0) & (loss * step >= ways.parting) & (search.done[i] > 0.0);
            solved[i] = if converged { 1.0 } else { 0.0 };
            pressed.step[i] = step;
            pressed.end[i] = end;
            pressed.force[i] = k * search.force[i];
            pressed.slope[i] = k * search.slope[i] / (2.0 * y);
            pressed.potential[i] = stiffness * (end * end.sqrt()) * end / (ALPHA + 1.0);
            pressed.evaluations[i] = search.done[i];
        }
        pressed.solved = solved;
        if solved != [1.0; LANES] {
            for i in 0..LANES {
                // a separating contact has a closed form: the force depends on φ(a) only, so the equation is quadratic
                let shifted_target = b[i] + c[i] * loss * phi[i];
                let width = (shifted_target * shifted_target + 4.0 * c[i] * phi[i]).sqrt();
                let separation = if shifted_target > 0.0 { -2.0 * c[i] * phi[i] / (shifted_target + width) } else { 0.5 * (shifted_target - width) };
                let soft = (b[i] - separation) / c[i];
                let hard = -phi[i] * (1.0 / separation + loss);
                let positive_force = if c[i] * phi[i] <= separation * separation { hard } else { soft };
                let positive_force = if positive_force > 0.0 { positive_force } else { 0.0 };
                let separated = (solved[i] == 0.0) & (a[i] + separation <= 0.0);
                pressed.step[i] = if separated { separation } else { pressed.step[i] };
                pressed.end[i] = if separated { a[i] + separation } else { pressed.end[i] };
                pressed.force[i] = if separated { positive_force } else { pressed.force[i] };
                pressed.slope[i] = if separated { phi[i] / (separation * separation) } else { pressed.slope[i] };
                pressed.potential[i] = if separated { 0.0 } else { pressed.potential[i] };
                pressed.evaluations[i] = if separated { 0.0 } else { pressed.evaluations[i] };
                pressed.solved[i] = if separated { 1.0 } else { solved[i] };
            }
        }
        pressed
    }
}

/// y^(1/2.5) to some percent; returns the bits of `rough_root` in ictus-core.
#[inline(always)]
fn rough_root(y: f64) -> f64 {
    const ONE: f64 = 4_607_182_418_800_017_408.0; // the bits of 1.0
    if !(y > 0.0 && y.is_finite()) {
        return y;
    }
    f64::from_bits(((y.to_bits() as f64 - ONE) / (ALPHA + 1.0) + ONE) as u64)
}

kernel! {
    /// Solves eight open contacts that would overlap.
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
        for round in 1..=MAX_ITERATIONS {
            let mut open = [0.0; LANES];
            for i in 0..LANES {
                let enter = Enter { start: a[i], depth: a[i] + b[i], stiff: c[i] * k, loss };
                let iterate = enter.iterate(search.at[i]);
                open[i] = search.take(i, &iterate, search.at[i] > 0.0, round);
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
            let converged = (force >= MIN_FORCE) & (search.done[i] > 0.0);
            pressed.solved[i] = if converged { usual[i] } else { 0.0 };
        }
        pressed
    }
}

/// State of a row of contacts before a step.
#[derive(Debug)]
pub struct Standing<'a> {
    /// Free velocity of each end, m/s, and its sign.
    pub free: [(&'a [f64], f64); 2],
    /// Opening velocities of the gaps, m/s.
    pub rates: &'a [f64],
    /// `[gap now, before, φ now, before]` of every contact.
    pub contacts: &'a mut [[f64; 4]],
    /// Index of the gap a step starts from: 0 now, 1 before.
    pub from: usize,
    /// Duration of the step, s.
    pub span: f64,
    /// Largest gap in range, m.
    pub huge: f64,
}

kernel! {
    /// Writes the force-free approach velocities. Advances the contacts that stay open; lists the indices of the others in `awake` and returns their number.
    pub fn rouse(standing: Standing, approach: &mut [f64], awake: &mut [usize]) -> usize {
        let Standing { free: [(first, one), (second, other)], rates, contacts, from, span, huge } = standing;
        let n = contacts.len();
        let (first, second, rates, approach) = (&first[..n], &second[..n], &rates[..n], &mut approach[..n]);
        for i in 0..n {
            approach[i] = one * first[i] + other * second[i] - rates[i];
        }
        let awake = &mut awake[..n];
        let mut count = 0;
        for (i, (contact, approach)) in contacts.iter_mut().zip(approach.iter()).enumerate() {
            let [now, before, held, earlier] = *contact;
            let start = if from == 0 { now } else { before };
            let end = start + span * approach;
            let apart = (now < 0.0) & (before < 0.0) & (held == 0.0) & (earlier == 0.0);
            let open = apart & (end < 0.0) & (end > -huge);
            [contact[0], contact[1]] = if open { [end, now] } else { [now, before] };
            awake[count] = i;
            count += usize::from(!open);
        }
        count
    }
}
