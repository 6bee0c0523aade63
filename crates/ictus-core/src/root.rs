//! Bracketed root finder for increasing functions, used by every resolvent.

/// A function value with its first two derivatives; the second may be an estimate, because it only guides the step.
pub(crate) struct Curve<T> {
    pub value: f64,
    pub slope: f64,
    pub bend: f64,
    /// Data of the evaluation that the caller needs at the root.
    pub keep: T,
}

/// Result of [`solve_increasing`].
pub(crate) struct Root<T> {
    pub at: f64,
    /// From the evaluation at `at`.
    pub keep: T,
    pub evaluations: u32,
}

/// Relative residual below which it is rounding: a few units in the last place of the terms.
pub(crate) const ROUNDING: f64 = 4.0 * f64::EPSILON;
/// Most evaluations: bisection alone would exhaust the bracket; never reached in practice and counted by the tests.
const MAX_EVALUATIONS: u32 = 100;

/// Solves `t + curve(t) = target` for an increasing `curve`, with the root in [lo, hi], by Halley steps kept in the bracket.
#[inline(always)]
pub(crate) fn solve_increasing<T>(
    target: f64,
    bracket: (f64, f64),
    start: f64,
    curve: impl Fn(f64) -> Curve<T>,
) -> Root<T> {
    let mut search = Search::new(target, bracket);
    let mut at = search.first(start);
    loop {
        let c = curve(at);
        match search.next(at, &c) {
            Some(next) => at = next,
            None => return Root { at, keep: c.keep, evaluations: search.evaluations },
        }
    }
}

/// State of a search for the root of `t + curve(t) = target`.
#[derive(Clone, Copy)]
pub(crate) struct Search {
    target: f64,
    lo: f64,
    hi: f64,
    /// An end may be the root itself until it has been tried.
    lo_tried: bool,
    hi_tried: bool,
    pub evaluations: u32,
}

impl Search {
    /// A search with the root in [lo, hi].
    #[inline(always)]
    pub fn new(target: f64, (lo, hi): (f64, f64)) -> Self {
        Self { target, lo, hi, lo_tried: false, hi_tried: false, evaluations: 0 }
    }

    /// The first point to evaluate.
    #[inline(always)]
    pub fn first(&self, start: f64) -> f64 {
        if start >= self.lo && start <= self.hi { start } else { 0.5 * (self.lo + self.hi) }
    }

    /// The next point to evaluate; `None` if the last one was the root.
    #[inline(always)]
    pub fn next<T>(&mut self, at: f64, c: &Curve<T>) -> Option<f64> {
        self.evaluations += 1;
        let residual = at - self.target + c.value;
        let converged = residual.abs() <= ROUNDING * (at.abs() + self.target.abs() + c.value.abs());
        if converged || self.evaluations > MAX_EVALUATIONS {
            return None;
        }
        if self.evaluations == MAX_EVALUATIONS {
            // the lower end: a force that is too small dissipates energy
            return (residual > 0.0).then_some(self.lo);
        }
        if residual > 0.0 {
            (self.hi, self.hi_tried) = (at, true);
        } else {
            (self.lo, self.lo_tried) = (at, true);
        }
        let slope = 1.0 + c.slope;
        let mut next = at - 2.0 * residual * slope / (2.0 * slope * slope - residual * c.bend);
        if !self.admits(next) {
            next = at - residual / slope;
        }
        if !self.admits(next) {
            next = 0.5 * (self.lo + self.hi);
        }
        self.admits(next).then_some(next)
    }

    #[inline(always)]
    fn admits(&self, t: f64) -> bool {
        (t > self.lo || t == self.lo && !self.lo_tried) && (t < self.hi || t == self.hi && !self.hi_tried)
    }
}
