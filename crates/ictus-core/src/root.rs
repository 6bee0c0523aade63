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
    (mut lo, mut hi): (f64, f64),
    start: f64,
    curve: impl Fn(f64) -> Curve<T>,
) -> Root<T> {
    let mut at = if start >= lo && start <= hi { start } else { 0.5 * (lo + hi) };
    let mut evaluations = 0;
    // an end may itself be the root to the last digit, until it has been tried
    let (mut lo_tried, mut hi_tried) = (false, false);
    loop {
        let c = curve(at);
        evaluations += 1;
        let miss = at - target + c.value;
        let settled = miss.abs() <= ROUNDING * (at.abs() + target.abs() + c.value.abs());
        if settled || evaluations == CAP {
            return Root { at, keep: c.keep, evaluations };
        }
        if miss > 0.0 {
            (hi, hi_tried) = (at, true);
        } else {
            (lo, lo_tried) = (at, true);
        }
        let inside = |t: f64| (t > lo || t == lo && !lo_tried) && (t < hi || t == hi && !hi_tried);
        let slope = 1.0 + c.slope;
        let mut next = at - 2.0 * miss * slope / (2.0 * slope * slope - miss * c.bend);
        if !inside(next) {
            next = at - miss / slope;
        }
        if !inside(next) {
            next = 0.5 * (lo + hi);
        }
        if !inside(next) {
            return Root { at, keep: c.keep, evaluations };
        }
        at = next;
    }
}
