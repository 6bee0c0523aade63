//! A bracketed root finder for increasing functions, the heart of every resolvent.

/// A function value with its first two derivatives; the second may be an estimate, it only steers the step.
pub(crate) struct Curve<T> {
    pub value: f64,
    pub slope: f64,
    pub bend: f64,
    /// What the caller wants to keep of the evaluation at the root.
    pub keep: T,
}

/// What [`solve_increasing`] found.
pub(crate) struct Root<T> {
    pub at: f64,
    /// From the evaluation at `at`, never one step behind it.
    pub keep: T,
    pub evaluations: u32,
}

/// A few units in the last place of the terms: below this the residual is rounding.
pub(crate) const ROUNDING: f64 = 4.0 * f64::EPSILON;
/// Bisection alone halves the bracket to nothing in this many; never reached in practice and counted by the tests.
const CAP: u32 = 100;

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

/// What is known of the root of `t + curve(t) = target`.
#[derive(Clone, Copy)]
pub(crate) struct Search {
    target: f64,
    lo: f64,
    hi: f64,
    /// An end may itself be the root to the last digit, until it has been tried.
    lo_tried: bool,
    hi_tried: bool,
    pub evaluations: u32,
}

impl Search {
    /// With the root in [lo, hi].
    #[inline(always)]
    pub fn new(target: f64, (lo, hi): (f64, f64)) -> Self {
        Self { target, lo, hi, lo_tried: false, hi_tried: false, evaluations: 0 }
    }

    /// Where to look first.
    #[inline(always)]
    pub fn first(&self, start: f64) -> f64 {
        if start >= self.lo && start <= self.hi { start } else { 0.5 * (self.lo + self.hi) }
    }

    /// Where to look next; None if the last look was at the root.
    #[inline(always)]
    pub fn next<T>(&mut self, at: f64, c: &Curve<T>) -> Option<f64> {
        self.evaluations += 1;
        let miss = at - self.target + c.value;
        let settled = miss.abs() <= ROUNDING * (at.abs() + self.target.abs() + c.value.abs());
        if settled || self.evaluations > CAP {
            return None;
        }
        if self.evaluations == CAP {
            // from below: a force that is too small takes energy
            return (miss > 0.0).then_some(self.lo);
        }
        if miss > 0.0 {
            (self.hi, self.hi_tried) = (at, true);
        } else {
            (self.lo, self.lo_tried) = (at, true);
        }
        let slope = 1.0 + c.slope;
        let mut next = at - 2.0 * miss * slope / (2.0 * slope * slope - miss * c.bend);
        if !self.admits(next) {
            next = at - miss / slope;
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
