//! The root of h(w) = w + r f(w) − z that friction takes: the first on the way from the last velocity.
//!
//! h grows without bound on both sides, so walking against its sign from anywhere meets a root. Steps are short where the curve may turn (the
//! Stribeck slope), and whole pieces where it cannot: the straight piece of bending bristles, and beyond a few v_s. Then a bracketed Newton. Nearly all steps are answered before, by
//! the straight piece or by [`follow`].

use super::curve::{Curve, LINEAR, Point};
use super::follow::{From, approach, follow};

/// Beyond this many v_s the curve no longer falls to any effect: e^{−16}.
pub(super) const FAR: f64 = 4.0;
/// Longest step on the slope, in v_s.
pub(super) const STRIDE: f64 = 0.25;
/// Short steps before they double: only a velocity far from all roots needs more.
const SHORT: u32 = 24;
/// Evaluations of the walk, and of the bracketed iteration after it: never reached in practice and counted by the tests.
pub(super) const CAP: u32 = 50;
/// A stick holds still however hard it is pulled, up to its top: a slope this much steeper than 1/r.
const RIGID: f64 = 1e12;
/// Below this h is rounding.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

struct Problem<'a, 'b> {
    curve: &'a Curve<'b>,
    z: f64,
    r: f64,
    evaluations: u32,
}

/// Where a walk ends: on the root, or past it.
enum Found {
    Root(Point),
    Between([(Point, f64); 2]),
}

impl Problem<'_, '_> {
    /// Point and h there.
    fn look(&mut self, w: f64) -> (Point, f64) {
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

    /// Walks from `near` until h changes its sign.
    fn walk(&mut self, near: f64) -> Found {
        let (mut a, mut h) = self.look(near);
        if h == 0.0 {
            return Found::Root(a);
        }
        let way = if h > 0.0 { -1.0 } else { 1.0 };
        let far = FAR * self.curve.scale();
        let straight = self.curve.straight();
        let steepest = 1.0 + self.r * self.curve.steepest();
        let mut patience = 1.0;
        for step in 0..CAP {
            let w = a.velocity;
            if step >= SHORT {
                patience *= 2.0;
            }
            let ahead = straight.filter(|(low, high)| if way > 0.0 { *high > w } else { *low < w });
            let within = ahead.filter(|(low, high)| (*low..=*high).contains(&w));
            let next = if let Some((low, high)) = within {
                let root = self.curve.straight_root(self.z, self.r);
                if (low..=high).contains(&root) && (root - w) * way >= 0.0 {
                    return Found::Root(self.look(root).0);
                }
                if way > 0.0 { high } else { low }
            } else {
                let outward = w * way >= 0.0;
                let stride = match (outward, w.abs() >= far) {
                    // h' is at least about one from here on
                    (true, true) => 1.1 * h.abs(),
                    (false, true) => w.abs() - far + STRIDE * self.curve.scale(),
                    // so far no root can hide, since h climbs no faster
                    _ => (STRIDE * self.curve.scale() * patience).max(h.abs() / steepest),
                };
                let rising = 1.0 + self.r * a.slope;
                let guess = if rising > 0.1 { 1.5 * patience * h.abs() / rising } else { f64::INFINITY };
                let least = f64::EPSILON * 16.0 * (w.abs() + self.z.abs()) + f64::MIN_POSITIVE;
                let next = w + way * stride.min(guess.max(least));
                // pieces end where the straight one begins, and at rest
                let edge = ahead.map_or(0.0, |(low, high)| if way > 0.0 { low } else { high });
                if (edge - w) * way > 0.0 && (next - edge) * way > 0.0 { edge } else { next }
            };
            if next == 0.0 && !self.curve.has_bristles() {
                let (point, there) = self.look(-way * f64::MIN_POSITIVE);
                if there * h <= 0.0 {
                    return Found::Between([(a, h), (point, there)]);
                }
                if let Some(stuck) = self.stuck() {
                    return Found::Root(stuck);
                }
                // breaks away on the other side at once
                (a, h) = self.look(way * f64::MIN_POSITIVE);
                continue;
            }
            let (point, there) = self.look(next);
            if there == 0.0 {
                return Found::Root(point);
            }
            if there * h < 0.0 {
                return Found::Between([(a, h), (point, there)]);
            }
            (a, h) = (point, there);
        }
        Found::Root(a)
    }

    /// Rest without bristles: any force up to the top.
    fn stuck(&self) -> Option<Point> {
        let force = self.z / self.r;
        let holds = force.abs() <= self.curve.top() && self.r > 0.0;
        holds.then(|| Point::bare(0.0, force, RIGID / self.r))
    }

    /// Newton between two points with h of either sign.
    fn between(&mut self, [(a, h_a), (b, h_b)]: [(Point, f64); 2]) -> Point {
        let (mut low, mut high) = if h_a < 0.0 { (a.velocity, b.velocity) } else { (b.velocity, a.velocity) };
        let (mut point, mut h) = if h_a.abs() < h_b.abs() { (a, h_a) } else { (b, h_b) };
        for _ in 0..CAP {
            let shift = -self.newton(&point, h);
            let mut next = point.velocity + shift;
            let inside = (next - low) * (next - high) < 0.0;
            if !inside {
                next = 0.5 * (low + high);
                if next == low || next == high {
                    break;
                }
            } else if shift.abs() <= LINEAR * self.curve.grain() && next * point.velocity > 0.0 {
                return point.moved(shift);
            }
            (point, h) = self.look(next);
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

/// The point of `curve` on the line w + r f = z that is met first on the way from the velocity `near`, and the number of evaluations. `from` tells more of the last step, where
/// `near` is its velocity.
/// `steps` is their number where it is fixed.
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
            let (point, h) = problem.look(near);
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
