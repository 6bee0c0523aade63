//! The root of h(w) = w + r f(w) − z that friction takes: the first on the way from the last velocity.
//!
//! h grows without bound on both sides, so walking against its sign from anywhere meets a root. Steps are short where the curve may turn (the
//! Stribeck slope), and whole pieces where it cannot: the straight piece of bending bristles, and beyond a few v_s. Then a bracketed Newton.

use super::curve::{Curve, LINEAR, Point};

/// Beyond this many v_s the curve no longer falls to any effect: e^{−16}.
const FAR: f64 = 4.0;
/// Longest step on the slope, in v_s.
const STRIDE: f64 = 0.25;
/// Short steps before they double: only a velocity far from all roots needs more.
const SHORT: u32 = 24;
/// Evaluations of the walk, and of the bracketed iteration after it: never reached in practice and counted by the tests.
const CAP: u32 = 50;
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

    /// A few plain Newton steps, which is all most samples need; none if they leave the neighbourhood of `near` or the rising branch.
    fn nearby(&mut self, near: f64, guess: f64) -> Option<Point> {
        let (around, far) = (STRIDE * self.curve.scale(), FAR * self.curve.scale());
        // the signs of velocities decide about creeping: a step across is left to the walk, as is one across the slope
        let stays = |w: f64| w * near > 0.0 && ((w - near).abs() <= around || w.abs() >= far && near.abs() >= far);
        let (mut point, mut h) = self.look(if stays(guess) { guess } else { near });
        for _ in 0..6 {
            if h == 0.0 {
                return Some(point);
            }
            let shift = -self.newton(&point, h);
            if self.r * point.slope <= -0.5 || !stays(point.velocity + shift) {
                return None;
            }
            if shift.abs() <= LINEAR * self.curve.grain() {
                return Some(point.moved(shift));
            }
            let (there, there_h) = self.look(point.velocity + shift);
            if there_h.abs() > 0.5 * h.abs() {
                return None;
            }
            (point, h) = (there, there_h);
        }
        None
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

/// The point of `curve` on the line w + r f = z that is met first from the velocity `near`, and the number of evaluations. `guess` is where it may be.
pub(super) fn find(curve: &Curve, z: f64, r: f64, near: f64, guess: f64) -> (Point, u32) {
    let mut problem = Problem { curve, z, r, evaluations: 0 };
    if r == 0.0 {
        return (curve.at(z), 1);
    }
    if near == 0.0
        && !curve.has_bristles()
        && let Some(stuck) = problem.stuck()
    {
        return (stuck, 1);
    }
    let point = match problem.nearby(near, guess) {
        Some(point) => point,
        None => match problem.walk(near) {
            Found::Root(point) => point,
            Found::Between(bracket) => problem.between(bracket),
        },
    };
    (point, problem.evaluations)
}
