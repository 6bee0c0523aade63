//! The law of a collision at one approach velocity, with its derivatives: the evaluation in a solve of several contacts.

use super::large::grown;
use super::{Collision, EndPotential, Mean, NEAR, NEGLIGIBLE, Problem, bend};
use crate::interaction::{Gap, Resolved};

/// Distance from an evaluation, as a fraction of the compression, below which its parabola equals the force to the last digit if its second derivative is exact: the remainder is
/// less than the cube of this.
const NEAR_EXACT: f64 = 2e-6;

/// Fraction of the compression from which a step is large enough for the second derivative by differences.
const LARGE_STEP: f64 = 1e-3;

/// Fraction of the compression from which Δφ is computed as a difference of two potentials: it loses two bits at most.
const FAR: f64 = 0.125;

/// Start of a step of a collision.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Start {
    /// Compression, m; negative while open.
    pub gap: f64,
    /// φ there, J.
    potential: f64,
}

/// One point of a law.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    /// The approach step if it starts closed, otherwise its end, m: whichever can be the smaller.
    pub at: f64,
    /// w, m/s.
    pub approach: f64,
    /// f, N.
    pub force: f64,
    /// F'(w), N s/m.
    pub slope: f64,
    /// F''(w), N s²/m².
    pub bend: f64,
    /// F'''(w) at w = 0, otherwise 0.
    pub third: f64,
    /// The second derivative is accurate to a few digits, not an estimate.
    pub exact: bool,
    /// φ at the end of the step, known if a power was evaluated.
    pub potential: EndPotential,
    pub evaluations: u32,
}

impl Default for Point {
    #[inline(always)]
    fn default() -> Self {
        let [at, approach, force, slope, bend, third] = [0.0; 6];
        let potential = EndPotential::UNKNOWN;
        Self { at, approach, force, slope, bend, third, exact: false, potential, evaluations: 0 }
    }
}

impl Start {
    /// True if the step starts closed.
    fn is_closed(self) -> bool {
        self.gap > NEGLIGIBLE
    }
}

impl Collision {
    #[inline(always)]
    pub(crate) fn start(&self, state: &[f64]) -> Start {
        let potential = Gap { now: state[2], before: state[3] }.start(self.clock);
        Start { gap: Gap::load(state).start(self.clock), potential }
    }

    /// Gap at the end of a step with approach velocity `approach`, m.
    #[inline(always)]
    pub(crate) fn end(&self, start: Start, approach: f64) -> f64 {
        start.gap + self.clock.span() * approach
    }

    /// False if a step with approach velocity `approach` certainly has no force.
    #[inline(always)]
    pub(crate) fn may_contact(&self, start: Start, approach: f64) -> bool {
        start.is_closed() || self.end(start, approach) > NEGLIGIBLE
    }

    /// A first point. For a closed contact that will not move far, the law at rest, which costs no power; for a larger step, the law where the parabola at rest
    /// leads if all other forces are as in `z`, z = w + r F(w); otherwise the solution of the isolated contact.
    #[inline(always)]
    pub(crate) fn first(&self, state: &[f64], start: Start, z: f64, r: f64) -> Point {
        if start.is_closed() {
            let rest = self.at_rest(start);
            let (residual, slope) = (z - r * rest.force, 1.0 + r * rest.slope);
            let near = start.gap / self.clock.span();
            if residual.abs() < 0.5 * near * slope {
                return rest;
            }
            let by = 2.0 * residual * slope / (2.0 * slope * slope + residual * r * rest.bend);
            if by.abs() < 0.9 * near {
                return self.evaluate(start, &Point { third: 0.0, ..rest }, by);
            }
        }
        self.isolated(state, start, z, r)
    }

    #[inline(never)]
    fn isolated(&self, state: &[f64], start: Start, z: f64, r: f64) -> Point {
        let Resolved { approach, force, slope, end, potential, evaluations, .. } =
            crate::interaction::Interaction::resolve(self, state, z, r);
        let span = self.clock.span();
        let at = if start.is_closed() { span * approach } else { end };
        let bend = if end > 0.0 { span * span * bend(end, force, slope / span) } else { 0.0 };
        Point { at, approach, force, slope, bend, potential, evaluations, ..Point::default() }
    }

    /// The point of a closed contact at an approach velocity, or at w = 0 if it would open within the step.
    #[inline(always)]
    pub(crate) fn at_approach(&self, start: Start, approach: f64) -> Point {
        let rest = self.at_rest(start);
        let stays = approach.abs() * self.clock.span() < 0.9 * start.gap;
        if stays { self.evaluate(start, &rest, approach) } else { rest }
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

    /// The point at distance `by` (m/s) from another.
    #[inline(always)]
    pub(crate) fn evaluate(&self, start: Start, from: &Point, by: f64) -> Point {
        let span = self.clock.span();
        let at = from.at + span * by;
        if !start.is_closed() {
            return self.evaluate_entering(start, at, from.evaluations + 1);
        }
        let near = if from.exact { NEAR_EXACT } else { NEAR };
        if (span * by).abs() < near * start.gap && 2.0 * at > -start.gap && from.evaluations > 0 {
            let force = from.force + by * (from.slope + 0.5 * by * from.bend);
            let potential = from.potential.scaled(grown(self.law.exponent() + 1.0, span * by / (start.gap + from.at)));
            return Point { at, approach: at / span, force, slope: from.slope + by * from.bend, potential, ..*from };
        }
        let loss = self.loss_per_m;
        let lossy = 1.0 + loss * at;
        let evaluations = from.evaluations + 1;
        if lossy <= 0.0 {
            return Point { at, approach: at / span, evaluations, ..Point::default() };
        }
        let (mean, exact, potential) = if at > -start.gap {
            let problem = Problem {
                law: &self.law,
                start: start.gap,
                potential: start.potential,
                target: 0.0,
                compliance: 0.0,
                loss,
                guess: None,
            };
            self.mean_at(&problem, at)
        } else {
            // separating: Δφ = −φ for any end
            let per_step = -1.0 / at;
            let force = start.potential * per_step;
            (
                Mean { force, slope: force * per_step, bend: 2.0 * force * per_step * per_step },
                false,
                EndPotential::UNKNOWN,
            )
        };
        Point {
            at,
            approach: at / span,
            force: mean.force * lossy,
            slope: span * (mean.slope * lossy + loss * mean.force),
            bend: span * span * (mean.bend * lossy + 2.0 * loss * mean.slope),
            third: 0.0,
            exact,
            potential,
            evaluations,
        }
    }

    /// Δφ/s with its derivatives, whether the second is exact, and φ of the end if a power was evaluated.
    #[inline(always)]
    fn mean_at(&self, problem: &Problem, step: f64) -> (Mean, bool, EndPotential) {
        let (gap, alpha) = (problem.start, self.law.exponent());
        let end = gap + step;
        if self.law.is_general() && step.abs() > FAR * gap && end > NEGLIGIBLE {
            // one power instead of a logarithm and an exponential, and the φ that is stored
            let end_force = self.law.force(end);
            let per_step = 1.0 / step;
            let potential = end_force * end / (alpha + 1.0);
            let force = (potential - problem.potential) * per_step;
            let slope = (end_force - force) * per_step;
            let bend = (alpha * end_force / end - 2.0 * slope) * per_step;
            return (Mean { force, slope, bend }, true, EndPotential::computed(potential));
        }
        let (mut mean, mut exact) = Mean::with_kind(problem, step);
        if !exact && step.abs() > LARGE_STEP * gap && end > NEGLIGIBLE {
            let end_force = mean.force + step * mean.slope;
            mean.bend = (alpha * end_force / end - 2.0 * mean.slope) / step;
            exact = true;
        }
        (mean, exact, EndPotential::UNKNOWN)
    }

    /// Open at the start, to an end `x`.
    #[inline(never)]
    fn evaluate_entering(&self, start: Start, x: f64, evaluations: u32) -> Point {
        let span = self.clock.span();
        let step = x - start.gap;
        let (at, approach) = (x, step / span);
        if x <= NEGLIGIBLE {
            return Point { at, approach, evaluations, ..Point::default() };
        }
        let (alpha, loss) = (self.law.exponent(), self.loss_per_m);
        let end_force = self.law.force(x);
        let potential = end_force * x / (alpha + 1.0);
        let share = 1.0 / step;
        let both = share + loss;
        let bend = end_force * (alpha / x * both - 2.0 * share * share) + 2.0 * potential * share * share * share;
        Point {
            at,
            approach,
            force: potential * both,
            slope: span * (end_force * both - potential * share * share),
            bend: span * span * bend,
            potential: EndPotential::computed(potential),
            evaluations,
            ..Point::default()
        }
    }

    /// Converts a point to a solution.
    #[inline(always)]
    pub(crate) fn resolved_at(&self, start: Start, point: &Point) -> Resolved {
        let end = if start.is_closed() { start.gap + point.at } else { point.at };
        let Point { approach, force, slope, evaluations, .. } = *point;
        let potential = match point.potential.get() {
            _ if !self.law.is_general() => EndPotential::computed(self.law.potential(end)),
            Some(_) => point.potential,
            None => EndPotential::deferred(force * end),
        };
        Resolved { approach, force, slope, end, potential, plasticity: 0.0, evaluations }
    }
}
