//! The usual way to the root: from the plasticity of the last step, along the line w + r f = z.
//!
//! On that line speed grows with plasticity, so the first root in the one is the first in the other. Newton's steps are taken where they stay close or beyond the Stribeck slope, strides
//! where they do not, and a bracket is kept once the law has been missed on both sides.

use super::curve::{CALM, Curve, Point};
use super::root::{CAP, FAR, STRIDE};
use super::slide::{Slide, Step};

/// A last Newton step this small, in units of the scale on which the law bends, leaves its square.
const QUADRATIC: f64 = 1e-7;
/// The same where two evaluations show how the slope changes, which takes away all but the cube.
const CUBIC: f64 = 1e-5;

/// Where the last step was.
#[derive(Clone, Copy)]
pub(super) struct From {
    pub velocity: f64,
    pub plasticity: f64,
    /// What the plasticity may be now.
    pub guess: f64,
}

/// The root next to `from`; none where it is on the other side of rest, or where speed does not grow with plasticity.
pub(super) fn follow(curve: &Curve, z: f64, r: f64, from: From, evaluations: &mut u32) -> Option<Point> {
    let (scale, grain) = (curve.scale(), curve.grain());
    let side = side(curve, z, r, from.velocity);
    let slide = Slide::new(curve, side, z, r);
    let mut stride = STRIDE * scale;
    let mut plasticity = from.guess;
    let mut place = slide.place(plasticity);
    if (side * place.speed - from.velocity).abs() > stride {
        plasticity = from.plasticity;
        place = slide.place(plasticity);
    }
    let (mut low, mut high) = (0.0, f64::INFINITY);
    let (mut low_seen, mut far) = (false, None);
    let mut last: Option<(f64, Step)> = None;
    // the last of Newton's steps, if it was taken
    let mut taken = f64::INFINITY;
    for _ in 0..CAP {
        if place.speed.is_nan() || place.speed <= 0.0 {
            // missed on this side all the way down to rest
            let down = place.speed <= 0.0 && high < f64::INFINITY;
            return down.then(|| curve.straight_answer(z, r, 0.0)).flatten();
        }
        *evaluations += 1;
        let step = slide.step(plasticity, &place);
        if step.more {
            (low, low_seen) = (plasticity, true);
        } else {
            high = plasticity;
        }
        let next = plasticity + step.plasticity;
        let moved = step.speed.abs();
        let bracketed = low_seen && high < f64::INFINITY;
        let good = if !(next >= low && next <= high) {
            false
        } else if bracketed {
            step.rising > 0.0 && moved <= 0.5 * taken
        } else if step.rising > 0.5 && moved <= stride {
            true
        } else {
            // beyond the slope there is one root
            let far = *far.get_or_insert_with(|| scale * curve.steep_until(r).min(FAR));
            step.rising > 0.5 && place.speed >= far && place.speed + step.speed >= far
        };
        let at = plasticity;
        if good && let Some(end) = settled(at, &step, last.as_ref(), grain) {
            let place = slide.place(end);
            return (place.speed > 0.0).then(|| slide.point(end, &place, step.rising));
        }
        taken = if good { moved } else { f64::INFINITY };
        plasticity = if good {
            next
        } else if bracketed {
            0.5 * (low + high)
        } else {
            if last.is_none() && !slide.is_monotone() {
                return None;
            }
            // so far no root can hide, since h climbs no faster; nor before the other end of the slope, once on it
            let clear = stride.max(moved * step.rising.abs() / (1.0 + r * curve.steepest()));
            let way = match (step.more, step.rising < 0.0) {
                (true, true) => clear.max(far.map_or(0.0, |far| far - place.speed)),
                (true, false) => clear,
                (false, false) => -clear,
                (false, true) => f64::NEG_INFINITY,
            };
            stride *= 2.0;
            (at + way / step.speed_by).max(0.0)
        };
        last = Some((at, step));
        place = slide.place(plasticity);
    }
    None
}

/// The answer after exactly `steps` of Newton's steps, whatever is left to do: at a constant cost, and with an exact energy balance all the same.
pub(super) fn approach(curve: &Curve, z: f64, r: f64, from: From, steps: u32) -> Point {
    let side = side(curve, z, r, from.velocity);
    let slide = Slide::new(curve, side, z, r);
    let most = slide.most();
    let mut plasticity = from.guess.min(most);
    let mut rising = 1.0;
    for _ in 0..steps {
        let place = slide.place(plasticity);
        if place.speed <= 0.0 {
            return curve.straight_point(curve.straight_root(z, r));
        }
        let step = slide.step(plasticity, &place);
        rising = step.rising;
        // between the branches Newton points away from the root it left: all the way to the other one
        let next = if rising > 0.0 {
            plasticity + step.plasticity
        } else if step.more {
            most
        } else {
            0.0
        };
        plasticity = if next.is_nan() { plasticity } else { next.clamp(0.0, most) };
    }
    slide.point(plasticity, &slide.place(plasticity), rising)
}

/// The side to which it slides: that of the last velocity; for bristles that bend back, or next to rest, where it is pulled.
fn side(curve: &Curve, z: f64, r: f64, velocity: f64) -> f64 {
    let straight = curve.straight().is_some_and(|(low, high)| (low..=high).contains(&velocity));
    let free = straight || velocity.abs() <= CALM * curve.grain();
    if free { z - r * curve.standing() } else { velocity }.signum()
}

/// The plasticity after a last step from `at`, if it is small enough to be the last.
fn settled(at: f64, step: &Step, last: Option<&(f64, Step)>, grain: f64) -> Option<f64> {
    let within = |share: f64| step.speed.abs() <= share * grain && step.bend.abs() <= share;
    let bow = match last {
        Some((before, last)) if within(CUBIC) => (step.slope - last.slope) / ((at - before) * step.slope),
        None if within(QUADRATIC) => 0.0,
        _ => return None,
    };
    Some((at + step.plasticity - 0.5 * bow * step.plasticity * step.plasticity).max(0.0))
}
