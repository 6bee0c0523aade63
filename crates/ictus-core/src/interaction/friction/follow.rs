//! The usual path to the root: from the plasticity of the last step, along the line w + r f = z.
//!
//! On that line the speed grows with plasticity, so the first root in one is the first in the other. The search takes Newton steps if they are short or beyond the Stribeck slope, and fixed strides
//! otherwise, and keeps a bracket once the residual has had both signs.

use super::curve::{Curve, NEAR_REST, Point};
use super::root::{FAR, MAX_ITERATIONS, STRIDE};
use super::slide::{Slide, Step};

/// Newton step, in units of the scale on which the law bends, below which it is the last: the error is its square.
const QUADRATIC: f64 = 1e-7;
/// The same if two evaluations provide the change of slope: the error is the cube.
const CUBIC: f64 = 1e-5;

/// The last step.
#[derive(Clone, Copy)]
pub(super) struct From {
    pub velocity: f64,
    pub plasticity: f64,
    /// Extrapolated plasticity of this step.
    pub guess: f64,
}

/// The root next to `from`; `None` if it is on the other side of rest, or if the speed does not grow with plasticity.
pub(super) fn follow(curve: &Curve, z: f64, r: f64, from: From, evaluations: &mut u32) -> Option<Point> {
    let (scale, velocity_scale) = (curve.scale(), curve.velocity_scale());
    let side = side(curve, z, r, from.velocity);
    let slide = Slide::new(curve, side, z, r);
    let mut stride = STRIDE * scale;
    let mut plasticity = from.guess;
    let mut point = slide.point_at(plasticity);
    if (side * point.speed - from.velocity).abs() > stride {
        plasticity = from.plasticity;
        point = slide.point_at(plasticity);
    }
    let (mut low, mut high) = (0.0, f64::INFINITY);
    let (mut has_low, mut far) = (false, None);
    let mut last: Option<(f64, Step)> = None;
    // size of the last Newton step, if it was accepted
    let mut accepted = f64::INFINITY;
    for _ in 0..MAX_ITERATIONS {
        if point.speed.is_nan() || point.speed <= 0.0 {
            // no root on this side down to rest
            let down = point.speed <= 0.0 && high < f64::INFINITY;
            return down.then(|| curve.straight_answer(z, r, 0.0)).flatten();
        }
        *evaluations += 1;
        let step = slide.step(plasticity, &point);
        if step.more {
            (low, has_low) = (plasticity, true);
        } else {
            high = plasticity;
        }
        let next = plasticity + step.plasticity;
        let moved = step.speed.abs();
        let bracketed = has_low && high < f64::INFINITY;
        let usable = if !(next >= low && next <= high) {
            false
        } else if bracketed {
            step.rising > 0.0 && moved <= 0.5 * accepted
        } else if step.rising > 0.5 && moved <= stride {
            true
        } else {
            // beyond the slope the root is unique
            let far = *far.get_or_insert_with(|| scale * curve.steep_until(r).min(FAR));
            step.rising > 0.5 && point.speed >= far && point.speed + step.speed >= far
        };
        let at = plasticity;
        if usable && let Some(end) = final_plasticity(at, &step, last.as_ref(), velocity_scale) {
            let point = slide.point_at(end);
            return (point.speed > 0.0).then(|| slide.point(end, &point, step.rising));
        }
        accepted = if usable { moved } else { f64::INFINITY };
        plasticity = if usable {
            next
        } else if bracketed {
            0.5 * (low + high)
        } else {
            if last.is_none() && !slide.is_monotone() {
                return None;
            }
            // no root within this distance, since h rises no faster; nor before the other end of the slope, once on it
            let clear = stride.max(moved * step.rising.abs() / (1.0 + r * curve.steepest()));
            let travel = match (step.more, step.rising < 0.0) {
                (true, true) => clear.max(far.map_or(0.0, |far| far - point.speed)),
                (true, false) => clear,
                (false, false) => -clear,
                (false, true) => f64::NEG_INFINITY,
            };
            stride *= 2.0;
            (at + travel / step.speed_by).max(0.0)
        };
        last = Some((at, step));
        point = slide.point_at(plasticity);
    }
    None
}

/// The solution after exactly `steps` Newton iterations, converged or not: at a constant cost, and with an exact energy balance.
pub(super) fn approach(curve: &Curve, z: f64, r: f64, from: From, steps: u32) -> Point {
    let side = side(curve, z, r, from.velocity);
    let slide = Slide::new(curve, side, z, r);
    let max_plasticity = slide.max_plasticity();
    let mut plasticity = from.guess.min(max_plasticity);
    let mut rising = 1.0;
    for _ in 0..steps {
        let point = slide.point_at(plasticity);
        if point.speed <= 0.0 {
            return curve.straight_point(curve.straight_root(z, r));
        }
        let step = slide.step(plasticity, &point);
        rising = step.rising;
        // between the branches Newton points away from the root it left: go to the other branch
        let next = if rising > 0.0 {
            plasticity + step.plasticity
        } else if step.more {
            max_plasticity
        } else {
            0.0
        };
        plasticity = if next.is_nan() { plasticity } else { next.clamp(0.0, max_plasticity) };
    }
    slide.point(plasticity, &slide.point_at(plasticity), rising)
}

/// The direction of sliding: that of the last velocity; for bristles that deflect back, or near rest, that of the pull.
fn side(curve: &Curve, z: f64, r: f64, velocity: f64) -> f64 {
    let straight = curve.straight().is_some_and(|(low, high)| (low..=high).contains(&velocity));
    let free = straight || velocity.abs() <= NEAR_REST * curve.velocity_scale();
    if free { z - r * curve.static_force() } else { velocity }.signum()
}

/// The plasticity after a final step from `at`, if the step is small enough to be final.
fn final_plasticity(at: f64, step: &Step, last: Option<&(f64, Step)>, velocity_scale: f64) -> Option<f64> {
    let within = |share: f64| step.speed.abs() <= share * velocity_scale && step.bend.abs() <= share;
    let bow = match last {
        Some((before, last)) if within(CUBIC) => (step.slope - last.slope) / ((at - before) * step.slope),
        None if within(QUADRATIC) => 0.0,
        _ => return None,
    };
    Some((at + step.plasticity - 0.5 * bow * step.plasticity * step.plasticity).max(0.0))
}
