//! Collision by the discrete gradient of a power law, with optional Hunt–Crossley loss.
//!
//! Law, with start a, approach step s = span·w, Δφ = φ(a+s) − φ(a): f = max(0, Δφ/s + (μ/span)Δφ). [CW14 eq. 18, D21 eq. 19, handbook §7]
//! Balance, exact: stored Δφ·k/span, dissipated k w (f − Δφ/s) ≥ 0.
//! Limits: f is non-negative and increasing in s, so the scalar equation has one root at any stiffness.

mod large;
pub(crate) mod point;
mod small;

use super::{EndPotential, Gap, Interaction, Resolved, stored};
use crate::clock::Clock;
use crate::power_law::{Grown, PowerLaw, rough_root};
use crate::root::{Curve, Search, solve_increasing};
use ictus_kernels::collision::{ALPHA, One, Pressed, Pressing, Shared, Ways, enter_one, press_one};
use ictus_kernels::single;

/// The discrete-gradient collision. State: `[gap now, before, φ now, before]`.
#[derive(Clone, Debug)]
pub struct Collision {
    clock: Clock,
    law: PowerLaw,
    loss: f64,       // μ, s/m
    loss_per_m: f64, // μ/span, 1/m
}

/// One scalar problem: s + C f(s) = b from start a.
#[derive(Clone, Copy)]
struct Problem<'a> {
    law: &'a PowerLaw,
    start: f64,         // a, m
    potential: f64,     // φ(a), J
    target: f64,        // b = span z, m
    compliance: f64,    // C = span r, m/N
    loss: f64,          // μ/span, 1/m
    guess: Option<f64>, // of s, m
}

/// Solution: approach step, end, force, df/ds, φ(end), evaluations.
struct Answer {
    step: f64,
    end: f64,
    force: f64,
    slope: f64,
    potential: EndPotential,
    evaluations: u32,
}

impl Collision {
    /// A collision with Hunt–Crossley loss μ = `loss` (s/m), 0 for none.
    pub fn new(clock: Clock, law: PowerLaw, loss: f64) -> Self {
        Self { clock, law, loss, loss_per_m: loss / clock.span() }
    }
}

/// Thresholds of the scalar solver, for the kernels that solve eight contacts.
pub(crate) const WAYS: Ways = Ways { parting: MIN_LOSS_STEP, refine: REFINE };

/// The kind of step a contact takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Regime {
    /// Closed at the start.
    Press,
    /// Open at the start, and would overlap.
    Enter,
    /// Any other case.
    Other,
}

impl Collision {
    /// True if the eight-lane kernels implement the law.
    pub(crate) fn has_kernel(&self) -> bool {
        self.law.exponent() == ALPHA
    }

    /// True for the same law on the same clock.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.clock == other.clock && self.law == other.law && self.loss == other.loss
    }

    /// The law's parameters for the kernels.
    pub(crate) fn shared(&self) -> Shared {
        Shared { loss: self.loss_per_m, stiffness: self.law.stiffness() }
    }

    /// The kind of step of a contact with free approach velocity `z`.
    #[inline(always)]
    pub(crate) fn regime(&self, state: &[f64; 4], z: f64) -> Regime {
        let (span, start) = (self.clock.span(), Gap::load(state).start(self.clock));
        let (target, loss) = (span * z, self.loss_per_m);
        if start > NEGLIGIBLE && !(loss > 0.0 && target * loss <= -1.0) {
            Regime::Press
        } else if start <= 0.0 && start + target > NEGLIGIBLE {
            Regime::Enter
        } else {
            Regime::Other
        }
    }

    /// Writes the equation of [`resolve`](Interaction::resolve) into a lane.
    #[inline(always)]
    pub(crate) fn write_equation(&self, state: &[f64; 4], z: f64, r: f64, lane: usize, pressing: &mut Pressing) {
        let span = self.clock.span();
        pressing.start[lane] = Gap::load(state).start(self.clock);
        pressing.potential[lane] = Gap { now: state[2], before: state[3] }.start(self.clock);
        pressing.target[lane] = span * z;
        pressing.compliance[lane] = span * r;
    }

    /// The solution in a lane; `None` if the contact needs the scalar solver.
    #[inline(always)]
    pub(crate) fn answer(&self, pressed: &Pressed, lane: usize) -> Option<Resolved> {
        let span = self.clock.span();
        (pressed.solved[lane] != 0.0).then(|| Resolved {
            approach: pressed.step[lane] / span,
            force: pressed.force[lane],
            slope: span * pressed.slope[lane],
            end: pressed.end[lane],
            potential: EndPotential::computed(pressed.potential[lane]),
            plasticity: 0.0,
            evaluations: pressed.evaluations[lane] as u32,
        })
    }
}

impl Collision {
    /// True if the exponent needs `pow`.
    pub(crate) fn needs_pow(&self) -> bool {
        self.law.is_general()
    }

    /// [`resolve`](Interaction::resolve) for a small step of a law that needs `pow`; `None` if the step is not small.
    #[inline(always)]
    pub(crate) fn resolve_small(&self, state: &[f64], z: f64, r: f64) -> Option<Resolved> {
        let problem = self.problem(state, z, r, None);
        let answer = if problem.start > NEGLIGIBLE { problem.small(z, self.clock.span()) } else { None };
        answer.map(|answer| self.resolved(&answer))
    }

    /// [`resolve`](Interaction::resolve) with the square root of the compression as unknown; `None` if that does not converge.
    #[inline(always)]
    pub(crate) fn resolve_by_root(&self, state: &[f64], z: f64, r: f64) -> Option<Resolved> {
        let problem = self.problem(state, z, r, None);
        let rooted = problem.start > NEGLIGIBLE && self.has_kernel();
        let answer = if rooted { problem.press_by_root(self.shared()) } else { None };
        answer.map(|answer| self.resolved(&answer))
    }

    /// [`resolve`](Interaction::resolve) for all other steps.
    #[inline(always)]
    pub(crate) fn resolve_large(&self, state: &[f64], z: f64, r: f64) -> Resolved {
        self.resolved(&self.problem(state, z, r, None).solve())
    }

    #[inline(always)]
    fn resolve_from(&self, state: &[f64], z: f64, r: f64, near: Option<f64>) -> Resolved {
        let fast = if self.needs_pow() { self.resolve_small(state, z, r) } else { self.resolve_by_root(state, z, r) };
        fast.unwrap_or_else(|| self.resolved(&self.problem(state, z, r, near).solve()))
    }

    #[inline(always)]
    fn problem(&self, state: &[f64], z: f64, r: f64, near: Option<f64>) -> Problem<'_> {
        let span = self.clock.span();
        Problem {
            law: &self.law,
            start: Gap::load(state).start(self.clock),
            potential: Gap { now: state[2], before: state[3] }.start(self.clock),
            target: span * z,
            compliance: span * r,
            loss: self.loss_per_m,
            guess: near.map(|near| span * near),
        }
    }

    #[inline(always)]
    fn resolved(&self, answer: &Answer) -> Resolved {
        let span = self.clock.span();
        Resolved {
            approach: answer.step / span,
            force: answer.force,
            slope: span * answer.slope,
            end: answer.end,
            potential: answer.potential,
            plasticity: 0.0,
            evaluations: answer.evaluations,
        }
    }
}

impl Interaction for Collision {
    fn as_collision(&self) -> Option<&Collision> {
        Some(self)
    }

    fn state_len(&self) -> usize {
        4
    }

    fn reset(&self, state: &mut [f64], gap: Gap) {
        self.resynchronise(state, gap);
        state[2] = self.law.potential(gap.now);
        state[3] = self.law.potential(gap.before);
    }

    fn resynchronise(&self, state: &mut [f64], gap: Gap) {
        gap.store(state);
    }

    fn resolve(&self, state: &[f64], z: f64, r: f64) -> Resolved {
        self.resolve_from(state, z, r, None)
    }

    fn resolve_near(&self, state: &[f64], z: f64, r: f64, near: f64) -> Resolved {
        self.resolve_from(state, z, r, Some(near))
    }

    #[inline(always)]
    fn commit(&self, state: &mut [f64], resolved: &Resolved) -> f64 {
        let before = Gap { now: state[2], before: state[3] }.start(self.clock);
        self.commit_unaudited(state, resolved);
        let Resolved { approach, force, .. } = *resolved;
        let loss = self.loss * approach;
        if loss > -0.5 {
            // f = (1 + μw)Δφ/s, so that k w (f − Δφ/s) is this, free of cancellation
            self.clock.dt * force * approach * (loss / (1.0 + loss))
        } else {
            self.clock.dt * (force * approach - (state[2] - before) / self.clock.span())
        }
    }

    #[inline(always)]
    fn commit_unaudited(&self, state: &mut [f64], resolved: &Resolved) {
        let [gap, before, phi, earlier] = state else { unreachable!("a collision has four state variables") };
        // the expensive power is computed here, off the critical path of the moving bodies
        let computed =
            resolved.potential.get().filter(|_| !(self.law.is_general() && recomputes(single(resolved.end))));
        let potential = computed.unwrap_or_else(|| self.law.potential(resolved.end));
        (*before, *earlier) = (*gap, *phi);
        (*gap, *phi) = (resolved.end, potential);
    }

    fn energy(&self, state: &[f64]) -> f64 {
        stored(self.clock, state[2], state[3])
    }

    fn is_open(&self, state: &[f64]) -> bool {
        state[0] <= NEGLIGIBLE && state[1] <= NEGLIGIBLE
    }

    fn rests_apart(&self) -> bool {
        true
    }
}

impl Problem<'_> {
    // inlined with the common cases: otherwise the arguments pass through memory
    #[inline(always)]
    fn solve(&self) -> Answer {
        let (a, b) = (self.start, self.target);
        if a <= NEGLIGIBLE && a + b <= NEGLIGIBLE {
            return Answer {
                step: b,
                end: a + b,
                force: 0.0,
                slope: 0.0,
                potential: EndPotential::default(),
                evaluations: 0,
            };
        }
        if self.loss > 0.0 && b * self.loss <= -1.0 {
            return self.free_flight();
        }
        if a <= 0.0 {
            let fast = match () {
                () if self.law.exponent() == ALPHA => self.enter_by_root(),
                () if self.law.is_general() => self.enter_large(),
                () => None,
            };
            return fast.unwrap_or_else(|| self.enter());
        }
        if !self.certainly_stays()
            && let Some(answer) = self.separate()
        {
            return answer;
        }
        let fast = if self.law.is_general() { self.press_large() } else { None };
        fast.unwrap_or_else(|| self.inside())
    }

    /// True if the end of the step is certainly in contact. The contact separates if −a + C f(−a) ≥ b, where f(−a) is φ/a less the loss term.
    fn certainly_stays(&self) -> bool {
        let (a, b) = (self.start, self.target);
        a * (a + b) > CLEARLY * self.compliance * self.potential
    }

    /// Opening faster than 1/μ: the loss term would pull, so the surfaces separate without force.
    #[inline(never)]
    fn free_flight(self) -> Answer {
        let end = self.start + self.target;
        let potential = EndPotential::computed(self.law.potential(end));
        Answer { step: self.target, end, force: 0.0, slope: 0.0, potential, evaluations: 1 }
    }

    /// Closed to closed, with the square root of the compression as unknown; `None` without fast convergence.
    #[inline(always)]
    fn press_by_root(&self, shared: Shared) -> Option<Answer> {
        press_one(self.start, self.target, self.compliance, shared, WAYS).map(|one| self.with_potential(one))
    }

    /// Open to closed, with the square root of the compression as unknown; `None` without fast convergence.
    #[inline(always)]
    fn enter_by_root(&self) -> Option<Answer> {
        let shared = Shared { loss: self.loss, stiffness: self.law.stiffness() };
        enter_one(self.start, self.start + self.target, self.compliance, shared, WAYS)
            .map(|one| self.with_potential(one))
    }

    #[inline(always)]
    fn with_potential(&self, One { step, end, force, slope, evaluations }: One) -> Answer {
        Answer { step, end, force, slope, potential: EndPotential::computed(self.law.potential(end)), evaluations }
    }

    /// Closed to open: Δφ = −φ(a) for any end, so the step is the root of a quadratic.
    #[inline(never)]
    fn separate(self) -> Option<Answer> {
        let (phi, c) = (self.potential, self.compliance);
        let b = self.target + c * self.loss * phi;
        let width = (b * b + 4.0 * c * phi).sqrt();
        let step = if b > 0.0 { -2.0 * c * phi / (b + width) } else { 0.5 * (b - width) };
        let end = self.start + step;
        (end <= 0.0).then(|| {
            // −φ(1/s + μ) cancels if the loss term nearly pulls, (b − s)/C if the contact is soft: the one with less rounding
            let force = if c * phi <= step * step { -phi * (1.0 / step + self.loss) } else { (self.target - step) / c };
            let slope = phi / (step * step);
            Answer { step, end, force: force.max(0.0), slope, potential: EndPotential::default(), evaluations: 0 }
        })
    }

    /// Open to closed, solved for the end x: at high stiffness x is tiny and s is not.
    #[inline(never)]
    fn enter(self) -> Answer {
        let (a, c) = (self.start, self.compliance);
        let p = a + self.target;
        let degree = self.law.exponent() + 1.0;
        // x if the contact stopped all motion, reduced towards p for soft contacts
        let lossy = 1.0 + self.loss * (p - a);
        let mut hard = rough_root(p * (p - a) * degree / (c * self.law.stiffness() * lossy), degree);
        // p − a replaces x − a, which is far smaller if a very hard contact is entered fast
        let share = (hard - a) / (p - a);
        let refined = share < REFINE;
        if refined {
            hard *= rough_root(share, degree);
        }
        let start = if hard.is_finite() { hard * p / (hard + p) } else { p };
        let solution = solve_increasing(p, (0.0, p), start, |x| {
            let end_force = self.law.force(x);
            let potential = end_force * x / degree;
            let step = x - a;
            // from a = 0 and x = 0 the quotient has the limit 0
            let share = if step > 0.0 { 1.0 / step } else { 0.0 };
            let force = potential * (share + self.loss);
            let slope = end_force * (share + self.loss) - potential * share * share;
            let bend = bend(x, force, slope);
            Curve { value: c * force, slope: c * slope, bend: c * bend, keep: (force, slope, potential) }
        });
        let (force, slope, potential) = solution.keep;
        let evaluations = solution.evaluations + u32::from(refined);
        let potential = EndPotential::computed(potential);
        Answer { step: solution.at - a, end: solution.at, force, slope, potential, evaluations }
    }

    /// Closed to closed, solved for the step s: at slow motion s is tiny and x is not.
    #[inline(never)]
    fn inside(self) -> Answer {
        let (a, b, c) = (self.start, self.target, self.compliance);
        let alpha = self.law.exponent();
        let force_now = (alpha + 1.0) * self.potential / a;
        let residual = c * force_now - b;
        let slope = 1.0 + c * force_now * (0.5 * alpha / a + self.loss);
        // tangent at s = 0: an upper bound of the root because the force is convex
        let tangent = -residual / slope;
        if tangent * self.loss < PARTING {
            return self.parting(tangent);
        }
        let start = if let Some(guess) = self.guess
            && guess > -a
        {
            guess
        } else if tangent > a {
            let lossy = 1.0 + self.loss * tangent;
            let hard = rough_root(b * (alpha + 1.0) / (c * self.law.stiffness() * lossy), alpha) - a;
            if hard.is_finite() { tangent.min(hard.max(0.5 * a)) } else { tangent }
        } else {
            // the parabola at s = 0 instead of its tangent
            let bend = c * force_now * alpha / a * ((alpha - 1.0) / (3.0 * a) + self.loss);
            let curved = -2.0 * residual * slope / (2.0 * slope * slope - residual * bend);
            if curved > -a && curved < tangent { curved } else { tangent }
        };
        let mut search = Search::new(b, (-a, b.max(0.0)));
        let mut at = search.first(start);
        loop {
            let evaluate = self.evaluate(at);
            match search.next(at, &evaluate) {
                Some(next) => at = next,
                None => return self.settled(at, evaluate.keep.0, evaluate.keep.1, search.evaluations),
            }
        }
    }

    /// C f(s), with f and f' in `keep`.
    #[inline(always)]
    fn evaluate(&self, s: f64) -> Curve<(f64, f64)> {
        let mean = Mean::new(self, s);
        let lossy = (1.0 + self.loss * s).max(0.0);
        let slope = mean.slope * lossy + self.loss * mean.force;
        let bend = mean.bend * lossy + 2.0 * self.loss * mean.slope;
        let c = self.compliance;
        let keep = (mean.force * lossy, slope);
        Curve { value: c * mean.force * lossy, slope: c * slope, bend: c * bend, keep }
    }

    /// As [`Problem::inside`] if the loss cancels most of the force, solved for y = 1 + μs/span: there f = y·(mean force) is small and
    /// would be lost in the rounding of s.
    #[inline(never)]
    fn parting(self, tangent: f64) -> Answer {
        let (a, c, loss) = (self.start, self.compliance, self.loss);
        let target = 1.0 + loss * self.target;
        let lowest = (1.0 - loss * a).max(0.0);
        let step = |y: f64| ((y - 1.0) / loss).max(-a);
        let solution = solve_increasing(target, (lowest, target), 1.0 + loss * tangent, |y| {
            let s = step(y);
            let mean = Mean::new(&self, s);
            let slope = c * (mean.slope * y + loss * mean.force);
            let bend = c * (2.0 * mean.slope + mean.bend * y / loss);
            Curve { value: loss * c * mean.force * y, slope, bend, keep: (mean, y) }
        });
        let (mean, y) = solution.keep;
        self.settled(step(y), mean.force * y, mean.slope * y + loss * mean.force, solution.evaluations)
    }

    /// The solution of a step that ends in contact. φ is recomputed from the end: φ(a) + s·(mean force) would carry the rounding of
    /// the deepest compression into the shallowest. If φ needs `pow`, [`Collision::commit`] computes it.
    fn settled(&self, step: f64, force: f64, slope: f64, evaluations: u32) -> Answer {
        let end = self.start + step;
        let potential = if self.law.is_general() {
            EndPotential::deferred(force * end)
        } else {
            EndPotential::computed(self.law.potential(end))
        };
        Answer { step, end, force, slope, potential, evaluations }
    }
}

/// Δφ/s of a step from closed to closed, its derivative by s, and an estimate of the second.
struct Mean {
    force: f64,
    slope: f64,
    bend: f64,
}

impl Mean {
    /// Inlined, so that terms constant over the iterations are computed once.
    #[inline(always)]
    fn new(problem: &Problem, s: f64) -> Self {
        Self::with_kind(problem, s).0
    }

    /// Also returns whether the second derivative is exact.
    #[inline(always)]
    fn with_kind(problem: &Problem, s: f64) -> (Self, bool) {
        let (a, alpha) = (problem.start, problem.law.exponent());
        let per_a = 1.0 / a;
        if problem.law.is_general()
            && let Some(Grown { value, slope, bend }) = problem.law.growing(s * per_a)
        {
            let now = (alpha + 1.0) * problem.potential * per_a;
            return (Self { force: now * value, slope: now * per_a * slope, bend: now * per_a * per_a * bend }, true);
        }
        let force = problem.law.quotient(a, problem.potential, s);
        let x = a + s;
        if x <= 0.0 {
            return (Self { force, slope: (-force / s).max(0.0), bend: 0.0 }, false);
        }
        let shrink = 1.0 / x;
        let slope = if s.abs() < SMALL_STEP * a {
            0.5 * alpha * (alpha + 1.0) * problem.potential / (a * a)
        } else {
            ((alpha + 1.0) * (problem.potential + s * force) * shrink - force) * (1.0 / s)
        };
        let slope = slope.max(0.0);
        // exact for small steps, where it is ⅔ of that of a power, and for steps far larger than the compression, where it is that
        let bend = slope * (alpha - 1.0) * shrink * (2.0 + s * shrink) / 3.0;
        (Self { force, slope, bend: bend.max(0.0) }, false)
    }
}

/// A compression below this (m) counts as zero: its energy is subnormal at any stiffness.
const NEGLIGIBLE: f64 = 1e-140;

/// Ratio below which the first guess of an entry needs a second power.
const REFINE: f64 = 1e-3;

/// Fraction of the speed at which the loss term would pull, beyond which y is the better unknown. A rigid contact with
/// exponent α reaches it at μa/span > α/18; the digits lost in s = (y − 1)span/μ are three bits at most.
const PARTING: f64 = -0.1;

/// The same for fourth-order iterations, which converge at once or not at all: at most two bits of the force are lost.
const MIN_LOSS_STEP: f64 = -0.75;

/// Small steps update φ from its value at the start. About one in sixteen recomputes it, so that rounding does not accumulate. The last bits of the end serve as a hash that
/// selects them: they carry no information, and the choice depends on the state alone, so it is the same in single steps and blocks, without a counter in the state.
fn recomputes(end: f64) -> bool {
    end.to_bits() & 15 == 0
}

/// Ratio of two numbers that rounding cannot explain.
const CLEARLY: f64 = 1.0 + 1e-9;

/// Distance from an evaluation, as a fraction of the compression, below which its parabola equals the force to the last digit even if its second derivative were wrong by half: a second
/// evaluation would add nothing.
const NEAR: f64 = 1e-8;

/// Fraction of the compression below which differences of the force are lost in rounding and the tangent is as good.
const SMALL_STEP: f64 = 1e-5;

/// Second derivative of a power x^n with this value and slope.
fn bend(x: f64, value: f64, slope: f64) -> f64 {
    if value <= 0.0 || x <= 0.0 {
        return 0.0;
    }
    (slope * (slope * x / value - 1.0) / x).max(0.0)
}

#[cfg(test)]
mod tests;
