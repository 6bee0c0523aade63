//! The root of h(w) = w + r f(w) − z that friction takes: the first on the path from the last velocity.
//!
//! h grows without bound on both sides, so a walk against its sign always meets a root. Steps are short where the curve may turn (the
//! Stribeck slope), and whole pieces where it cannot: the straight line of elastic bristles, and beyond a few v_s. A bracketed Newton iteration follows. Nearly all steps are solved before, on
//! the straight line or by [`follow`].

use super::curve::{Curve, LINEAR, Point};
use super::follow::{From, approach, follow};

/// Speed, in v_s, beyond which the curve no longer falls noticeably: e^{−16}.
pub(super) const FAR: f64 = 4.0;
/// Longest step on the slope, in v_s.
pub(super) const STRIDE: f64 = 0.25;
/// Number of short steps before they double: only a velocity far from all roots needs more.
const SHORT: u32 = 24;
/// Most evaluations of the walk, and of the bracketed iteration after it: never reached in practice and counted by the tests.
pub(super) const MAX_ITERATIONS: u32 = 50;
/// Slope of sticking, relative to 1/r: it holds still at any pull up to the maximum.
const RIGID: f64 = 1e12;
/// Relative |h| below which it is rounding.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

struct Problem<'a, 'b> {
    curve: &'a Curve<'b>,
    z: f64,
    r: f64,
    evaluations: u32,
}

/// End of a walk: on the root, or past it.
enum Found {
    Root(Point),
    Between([(Point, f64); 2]),
}

impl Problem<'_, '_> {
    /// Point and h there.
    fn evaluate(&mut self, w: f64) -> (Point, f64) {
        self.evaluations += 1;
        let point = self.curve.at(w);
        let h = (w - self.z) + self.r * point.force;
        let terms = w.abs() + self.z.abs() + self.r * point.force.abs();
        (point, if h.abs() <= ROUNDING * terms { 0.0 } else { h })
    }

    /// Newton's step from a point.
    fn newton(&self, point: &Point, h: f64) -> f64 {
        h / (1.0 + self.r * point.slope)
    }

    /// Walks from `near` until h changes sign.
    fn walk(&mut self, near: f64) -> Found {
        let (mut a, mut h) = self.evaluate(near);
        if h == 0.0 {
            return Found::Root(a);
        }
        let direction = if h > 0.0 { -1.0 } else { 1.0 };
        let far = FAR * self.curve.scale();
        let straight = self.curve.straight();
        let steepest = 1.0 + self.r * self.curve.steepest();
        let mut growth = 1.0;
        for step in 0..MAX_ITERATIONS {
            let w = a.velocity;
            if step >= SHORT {
                growth *= 2.0;
            }
            let ahead = straight.filter(|(low, high)| if direction > 0.0 { *high > w } else { *low < w });
            let within = ahead.filter(|(low, high)| (*low..=*high).contains(&w));
            let next = if let Some((low, high)) = within {
                let root = self.curve.straight_root(self.z, self.r);
                if (low..=high).contains(&root) && (root - w) * direction >= 0.0 {
                    return Found::Root(self.evaluate(root).0);
                }
                if direction > 0.0 { high } else { low }
            } else {
                let outward = w * direction >= 0.0;
                let stride = match (outward, w.abs() >= far) {
                    // h' is at least about one from here on
                    (true, true) => 1.1 * h.abs(),
                    (false, true) => w.abs() - far + STRIDE * self.curve.scale(),
                    // no root within this distance, since h rises no faster
                    _ => (STRIDE * self.curve.scale() * growth).max(h.abs() / steepest),
                };
                let rising = 1.0 + self.r * a.slope;
                let guess = if rising > 0.1 { 1.5 * growth * h.abs() / rising } else { f64::INFINITY };
                let least = f64::EPSILON * 16.0 * (w.abs() + self.z.abs()) + f64::MIN_POSITIVE;
                let next = w + direction * stride.min(guess.max(least));
                // pieces end where the straight line begins, and at rest
                let edge = ahead.map_or(0.0, |(low, high)| if direction > 0.0 { low } else { high });
                if (edge - w) * direction > 0.0 && (next - edge) * direction > 0.0 { edge } else { next }
            };
            if next == 0.0 && !self.curve.has_bristles() {
                let (point, h_next) = self.evaluate(-direction * f64::MIN_POSITIVE);
                if h_next * h <= 0.0 {
                    return Found::Between([(a, h), (point, h_next)]);
                }
                if let Some(stuck) = self.stuck() {
                    return Found::Root(stuck);
                }
                // breaks away on the other side at once
                (a, h) = self.evaluate(direction * f64::MIN_POSITIVE);
                continue;
            }
            let (point, h_next) = self.evaluate(next);
            if h_next == 0.0 {
                return Found::Root(point);
            }
            if h_next * h < 0.0 {
                return Found::Between([(a, h), (point, h_next)]);
            }
            (a, h) = (point, h_next);
        }
        Found::Root(a)
    }

    /// Rest without bristles: any force up to the maximum.
    fn stuck(&self) -> Option<Point> {
        let force = self.z / self.r;
        let holds = force.abs() <= self.curve.top() && self.r > 0.0;
        holds.then(|| Point::bare(0.0, force, RIGID / self.r))
    }

    /// Newton iteration between two points with h of opposite sign.
    fn between(&mut self, [(a, h_a), (b, h_b)]: [(Point, f64); 2]) -> Point {
        let (mut low, mut high) = if h_a < 0.0 { (a.velocity, b.velocity) } else { (b.velocity, a.velocity) };
        let (mut point, mut h) = if h_a.abs() < h_b.abs() { (a, h_a) } else { (b, h_b) };
        for _ in 0..MAX_ITERATIONS {
            let shift = -self.newton(&point, h);
            let mut next = point.velocity + shift;
            let inside = (next - low) * (next - high) < 0.0;
            if !inside {
                next = 0.5 * (low + high);
                if next == low || next == high {
                    break;
                }
            } else if shift.abs() <= LINEAR * self.curve.velocity_scale() && next * point.velocity > 0.0 {
                return point.moved(shift);
            }
            (point, h) = self.evaluate(next);
            if h == 0.0 {
                break;
            }
            if h < 0.0 {
                low = next;
            } else {
                high = next;
            }
        }
        point
    }
}

/// The first point of `curve` on the line w + r f = z on the path from the velocity `near`, and the number of evaluations. `from` holds the last step, if
/// `near` is its velocity.
/// `steps` is the number of iterations if it is fixed.
pub(super) fn find(curve: &Curve, z: f64, r: f64, near: f64, from: Option<From>, steps: Option<u32>) -> (Point, u32) {
    let mut problem = Problem { curve, z, r, evaluations: 0 };
    if r == 0.0 {
        return (curve.at(z), 1);
    }
    if !curve.has_bristles() {
        if near == 0.0
            && let Some(stuck) = problem.stuck()
        {
            return (stuck, 1);
        }
    } else if let Some(point) = curve.straight_answer(z, r, near) {
        return (point, 1);
    } else {
        let from = from.unwrap_or_else(|| {
            let (point, h) = problem.evaluate(near);
            let shift = point.plasticity_slope * problem.newton(&point, h);
            From { velocity: near, plasticity: point.plasticity, guess: (point.plasticity - shift).max(0.0) }
        });
        if let Some(steps) = steps {
            return (approach(curve, z, r, from, steps), problem.evaluations + steps);
        }
        if let Some(point) = follow(curve, z, r, from, &mut problem.evaluations) {
            return (point, problem.evaluations);
        }
    }
    let point = match problem.walk(near) {
        Found::Root(point) => point,
        Found::Between(bracket) => problem.between(bracket),
    };
    (point, problem.evaluations)
}
