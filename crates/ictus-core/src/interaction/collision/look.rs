//! The law of a collision at one closing velocity, with its derivatives: what a solver of several contacts looks at.

use super::large::grown;
use super::{Collision, Mean, NEAR, NEGLIGIBLE, Problem, bend, unknown};
use crate::interaction::{Gap, Resolved};

/// So far from a look, as a share of the compression, the parabola there is the force to the last digit where its bend is exact: what is left out is
/// less than the cube of this.
const NEAR_EXACT: f64 = 2e-6;

/// From this share of the compression on a step is large enough that the bend can be had from differences.
const LARGE_STEP: f64 = 1e-3;

/// From this share of the compression on Δφ is a difference of two potentials: it loses two bits at most.
const FAR: f64 = 0.125;

/// Where a step of a collision begins.
#[derive(Clone, Copy, Default)]
pub(crate) struct Start {
    /// Compression, m; negative while apart.
    pub gap: f64,
    /// φ there, J.
    potential: f64,
}

/// One point of a law.
#[derive(Clone, Copy, Default)]
pub(crate) struct Point {
    /// The closing step if it begins in contact, otherwise where it ends, m: whichever may be small against the other.
    pub at: f64,
    /// w, m/s.
    pub closing: f64,
    /// f, N.
    pub force: f64,
    /// F'(w), N s/m.
    pub slope: f64,
    /// F''(w), N s²/m².
    pub bend: f64,
    /// F'''(w) where the law is at rest, otherwise 0.
    pub third: f64,
    /// The bend is that of the law to a few digits, not an estimate.
    pub exact: bool,
    /// φ at the end of the step, J, where a power told; otherwise 0.
    pub potential: f64,
    pub evaluations: u32,
}

impl Start {
    /// True where the step begins in contact.
    fn presses(self) -> bool {
        self.gap > NEGLIGIBLE
    }
}

impl Collision {
    #[inline(always)]
    pub(crate) fn start(&self, state: &[f64]) -> Start {
        let potential = Gap { now: state[2], before: state[3] }.start(self.clock);
        Start { gap: Gap::load(state).start(self.clock), potential }
    }

    /// Where a step ends that closes with `closing`, m.
    #[inline(always)]
    pub(crate) fn end(&self, start: Start, closing: f64) -> f64 {
        start.gap + self.clock.span() * closing
    }

    /// False where a step that closes with `closing` surely meets no force.
    #[inline(always)]
    pub(crate) fn touches(&self, start: Start, closing: f64) -> bool {
        start.presses() || self.end(start, closing) > NEGLIGIBLE
    }

    /// A first point. Where the contact presses and will not move far, the law at rest, which costs no power; where it moves further, the law where the parabola there
    /// leads, if all others push as `z` says, z = w + r F(w); elsewhere the answer the contact would give alone.
    #[inline(always)]
    pub(crate) fn first(&self, state: &[f64], start: Start, z: f64, r: f64) -> Point {
        if start.presses() {
            let rest = self.at_rest(start);
            let (miss, slope) = (z - r * rest.force, 1.0 + r * rest.slope);
            let near = start.gap / self.clock.span();
            if miss.abs() < 0.5 * near * slope {
                return rest;
            }
            let by = 2.0 * miss * slope / (2.0 * slope * slope + miss * r * rest.bend);
            if by.abs() < 0.9 * near {
                return self.look(start, &Point { third: 0.0, ..rest }, by);
            }
        }
        self.alone(state, start, z, r)
    }

    #[inline(never)]
    fn alone(&self, state: &[f64], start: Start, z: f64, r: f64) -> Point {
        let Resolved { closing, force, slope, end, potential, evaluations } =
            crate::interaction::Interaction::resolve(self, state, z, r);
        let span = self.clock.span();
        let at = if start.presses() { span * closing } else { end };
        let bend = if end > 0.0 { span * span * bend(end, force, slope / span) } else { 0.0 };
        Point { at, closing, force, slope, bend, potential: potential.max(0.0), evaluations, ..Point::default() }
    }

    /// The point w = 0.
    #[inline(always)]
    fn at_rest(&self, start: Start) -> Point {
        let (span, alpha, per_gap) = (self.clock.span(), self.law.exponent(), 1.0 / start.gap);
        let force = (alpha + 1.0) * start.potential * per_gap;
        let slope = span * force * (0.5 * alpha * per_gap + self.loss_per_m);
        let bend = span * span * force * alpha * per_gap * ((alpha - 1.0) * per_gap / 3.0 + self.loss_per_m);
        let curved = span * span * force * alpha * (alpha - 1.0) * per_gap * per_gap;
        let third = span * curved * ((alpha - 2.0) * (0.25 * per_gap) + self.loss_per_m);
        Point { force, slope, bend, third, ..Point::default() }
    }

    /// The point `by` (m/s) away from another.
    #[inline(always)]
    pub(crate) fn look(&self, start: Start, from: &Point, by: f64) -> Point {
        let span = self.clock.span();
        let at = from.at + span * by;
        if !start.presses() {
            return self.look_entering(start, at, from.evaluations + 1);
        }
        let near = if from.exact { NEAR_EXACT } else { NEAR };
        if (span * by).abs() < near * start.gap && 2.0 * at > -start.gap && from.evaluations > 0 {
            let force = from.force + by * (from.slope + 0.5 * by * from.bend);
            let potential = from.potential * grown(self.law.exponent() + 1.0, span * by / (start.gap + from.at));
            return Point { at, closing: at / span, force, slope: from.slope + by * from.bend, potential, ..*from };
        }
        let loss = self.loss_per_m;
        let lossy = 1.0 + loss * at;
        let evaluations = from.evaluations + 1;
        if lossy <= 0.0 {
            return Point { at, closing: at / span, evaluations, ..Point::default() };
        }
        let (mean, exact, potential) = if at > -start.gap {
            let problem = Problem {
                law: &self.law,
                start: start.gap,
                potential: start.potential,
                target: 0.0,
                compliance: 0.0,
                loss,
                guess: 0.0,
            };
            self.mean_at(&problem, at)
        } else {
            // it leaves: Δφ = −φ whatever the end
            let per_step = -1.0 / at;
            let force = start.potential * per_step;
            (Mean { force, slope: force * per_step, bend: 2.0 * force * per_step * per_step }, false, 0.0)
        };
        Point {
            at,
            closing: at / span,
            force: mean.force * lossy,
            slope: span * (mean.slope * lossy + loss * mean.force),
            bend: span * span * (mean.bend * lossy + 2.0 * loss * mean.slope),
            third: 0.0,
            exact,
            potential,
            evaluations,
        }
    }

    /// Δφ/s with its derivatives, whether the second is exact, and φ of the end where a power told.
    #[inline(always)]
    fn mean_at(&self, problem: &Problem, step: f64) -> (Mean, bool, f64) {
        let (gap, alpha) = (problem.start, self.law.exponent());
        let end = gap + step;
        if self.law.is_general() && step.abs() > FAR * gap && end > NEGLIGIBLE {
            // one power instead of a logarithm and an exponential, and the φ that is kept
            let end_force = self.law.force(end);
            let per_step = 1.0 / step;
            let potential = end_force * end / (alpha + 1.0);
            let force = (potential - problem.potential) * per_step;
            let slope = (end_force - force) * per_step;
            let bend = (alpha * end_force / end - 2.0 * slope) * per_step;
            return (Mean { force, slope, bend }, true, potential);
        }
        let (mut mean, mut exact) = Mean::with_kind(problem, step);
        if !exact && step.abs() > LARGE_STEP * gap && end > NEGLIGIBLE {
            let end_force = mean.force + step * mean.slope;
            mean.bend = (alpha * end_force / end - 2.0 * mean.slope) / step;
            exact = true;
        }
        (mean, exact, 0.0)
    }

    /// From apart to an end `x`.
    #[inline(never)]
    fn look_entering(&self, start: Start, x: f64, evaluations: u32) -> Point {
        let span = self.clock.span();
        let step = x - start.gap;
        let (at, closing) = (x, step / span);
        if x <= NEGLIGIBLE {
            return Point { at, closing, evaluations, ..Point::default() };
        }
        let (alpha, loss) = (self.law.exponent(), self.loss_per_m);
        let end_force = self.law.force(x);
        let potential = end_force * x / (alpha + 1.0);
        let share = 1.0 / step;
        let both = share + loss;
        let bend = end_force * (alpha / x * both - 2.0 * share * share) + 2.0 * potential * share * share * share;
        Point {
            at,
            closing,
            force: potential * both,
            slope: span * (end_force * both - potential * share * share),
            bend: span * span * bend,
            potential,
            evaluations,
            ..Point::default()
        }
    }

    /// A point as an answer.
    #[inline(always)]
    pub(crate) fn answer_at(&self, start: Start, point: &Point) -> Resolved {
        let end = if start.presses() { start.gap + point.at } else { point.at };
        let Point { closing, force, slope, evaluations, .. } = *point;
        let potential = match () {
            () if !self.law.is_general() => self.law.potential(end),
            () if point.potential > 0.0 => point.potential,
            () => unknown(force * end),
        };
        Resolved { closing, force, slope, end, potential, evaluations }
    }
}
