//! Surfaces that pass under a point: the gap follows their heights.

use super::{held, still_until};
use ictus_core::{ContactId, Model, Profile, State};

/// One contact over a moving surface.
#[derive(Clone, Debug)]
pub(crate) struct SurfaceDrive {
    pub contact: ContactId,
    /// Gap over the place where the travel begins, without lift, m.
    pub gap: f64,
    /// (steps, m)
    pub lift: Vec<(f64, f64)>,
    pub travel: Travel,
    pub ground: Ground,
}

impl SurfaceDrive {
    /// The time until which the gap stays where it is at `time`.
    pub fn still_until(&self, time: f64) -> f64 {
        self.travel.still_until(time).min(still_until(&self.lift, time))
    }

    /// Moves the gap to where it is at the end of step `step`, if it moves in it at all.
    pub fn play(&self, model: &Model, state: &mut State, step: u64) {
        let (now, next) = (step as f64, step as f64 + 1.0);
        let (place, lift) = (self.travel.at(next), held(&self.lift, next));
        if place == self.travel.at(now) && lift == held(&self.lift, now) {
            return;
        }
        let gap = self.gap - lift - self.ground.height(place);
        if gap.is_finite() {
            state.set_gap(model, self.contact, gap);
        }
    }
}

/// Heights over the distance travelled, from 0 at the start.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ground {
    profile: Option<Profile>,
    /// Radius (m) and amplitudes (m) of 1, 2, 3 … waves per turn.
    wheel: Option<(f64, Vec<f64>)>,
    start: f64, // m
}

impl Ground {
    pub fn new(profile: Option<Profile>, wheel: Option<(f64, Vec<f64>)>) -> Self {
        let mut ground = Self { profile, wheel, start: 0.0 };
        ground.start = ground.height(0.0);
        ground
    }

    pub fn height(&self, distance: f64) -> f64 {
        let rough = self.profile.as_ref().map_or(0.0, |profile| profile.height(distance));
        let round = self.wheel.as_ref().map_or(0.0, |(radius, waves)| {
            let cos = libm::cos(distance / radius);
            // cos nθ = 2 cos θ cos (n − 1)θ − cos (n − 2)θ
            let (mut sum, mut before, mut now) = (0.0, 1.0, cos);
            for wave in waves {
                sum += wave * now;
                (before, now) = (now, 2.0 * cos * now - before);
            }
            sum
        });
        rough + round - self.start
    }
}

/// Distance over time at a speed that is straight between points: a parabola per stretch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Travel {
    legs: Vec<Leg>,
}

#[derive(Clone, Copy, Debug)]
struct Leg {
    start: f64,        // steps
    place: f64,        // m
    speed: f64,        // m/step
    acceleration: f64, // m/step²
}

impl Travel {
    /// From (steps, m/step), ends held.
    pub fn new(speed: &[(f64, f64)]) -> Self {
        let Some(&(begin, first)) = speed.first() else { return Self::default() };
        let mut legs = vec![Leg { start: 0.0, place: 0.0, speed: first, acceleration: 0.0 }];
        let mut place = first * begin;
        for (i, &(start, value)) in speed.iter().enumerate() {
            let next = speed.get(i + 1);
            let acceleration = next.map_or(0.0, |&(end, to)| (to - value) / (end - start));
            legs.push(Leg { start, place, speed: value, acceleration });
            if let Some(&(end, to)) = next {
                place += 0.5 * (value + to) * (end - start);
            }
        }
        Self { legs }
    }

    /// Index of the leg after the one under way.
    fn next(&self, time: f64) -> usize {
        self.legs.partition_point(|leg| leg.start <= time)
    }

    /// The time until which it stands where it stands at `time`.
    fn still_until(&self, time: f64) -> f64 {
        let next = self.next(time);
        match next.checked_sub(1).map(|i| self.legs[i]) {
            Some(leg) if leg.speed != 0.0 || leg.acceleration != 0.0 => time,
            _ => self.legs.get(next).map_or(f64::INFINITY, |leg| leg.start),
        }
    }

    /// Distance after `time` steps, m.
    pub fn at(&self, time: f64) -> f64 {
        let Some(leg) = self.next(time).checked_sub(1).map(|i| self.legs[i]) else { return 0.0 };
        let t = time - leg.start;
        leg.place + t * (leg.speed + 0.5 * t * leg.acceleration)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_is_the_integral_of_speed() {
        let travel = Travel::new(&[(10.0, 1.0), (20.0, 3.0), (30.0, 0.0)]);
        for (t, x) in [(0.0, 0.0), (10.0, 10.0), (15.0, 17.5), (20.0, 30.0), (30.0, 45.0), (99.0, 45.0)] {
            assert!((travel.at(t) - x).abs() < 1e-12, "{t}: {}", travel.at(t));
        }
        for (t, until) in [(0.0, 0.0), (15.0, 15.0), (20.0, 20.0), (30.0, f64::INFINITY)] {
            assert_eq!(travel.still_until(t), until, "at {t}");
        }
        assert_eq!(Travel::new(&[(10.0, 0.0), (20.0, 0.0), (30.0, 1.0)]).still_until(3.0), 10.0);
        assert_eq!(Travel::new(&[(0.0, 2.0)]).at(7.0), 14.0);
        assert_eq!(Travel::default().at(7.0), 0.0);
    }

    #[test]
    fn a_wheel_repeats_every_turn() {
        let ground = Ground::new(None, Some((0.5, vec![1.0, 0.25])));
        let turn = std::f64::consts::PI;
        for x in [0.0, 0.3, 2.0] {
            assert!((ground.height(x) - ground.height(x + turn)).abs() < 1e-14);
        }
        assert_eq!(ground.height(0.0), 0.0);
        assert!((ground.height(0.5 * turn) + 2.0).abs() < 1e-14);
    }
}
