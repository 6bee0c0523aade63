//! Curves of straight lines between points (time, value).

/// Straight lines between points, held before the first and after the last; 0 for no points.
pub(crate) fn held(points: &[(f64, f64)], t: f64) -> f64 {
    match points.first() {
        Some(&(start, value)) if t < start => value,
        _ => interpolate(points, t),
    }
}

/// The time until which a curve, [held] at its ends, keeps the value it has at `t`.
pub(crate) fn still_until(points: &[(f64, f64)], t: f64) -> f64 {
    let next = points.partition_point(|&(time, _)| time <= t);
    let Some(&(time, value)) = points.get(next) else { return f64::INFINITY };
    if next == 0 || points[next - 1].1 == value { time } else { t }
}

/// Straight lines between points, 0 before the first, the last value after the last.
pub(crate) fn interpolate(points: &[(f64, f64)], t: f64) -> f64 {
    let next = points.partition_point(|&(time, _)| time <= t);
    match (next.checked_sub(1).map(|i| points[i]), points.get(next)) {
        (None, _) => 0.0,
        (Some((_, value)), None) => value,
        (Some((t0, a)), Some(&(t1, b))) if t0.is_finite() => a + (b - a) * (t - t0) / (t1 - t0),
        (Some((_, a)), Some(_)) => a,
    }
}

/// Adds `factor` times what [interpolate] gives at the times `first − start`, `first + 1 − start` … to `sums`: the same numbers, with one search per stretch.
pub(crate) fn add_interpolated(points: &[(f64, f64)], factor: f64, (first, start): (f64, f64), sums: &mut [f64]) {
    // blocks are shorter than 2³¹ steps, and 32 bits are turned into numbers several at a time
    let time = |n: usize| (first + f64::from(n as i32)) - start;
    let mut n = 0;
    while n < sums.len() {
        let next = points.partition_point(|&(at, _)| at <= time(n));
        let end = match points.get(next) {
            None => sums.len(),
            Some(&(until, _)) => {
                // time is rounded: look around
                let near = n.saturating_add((until - time(n)).ceil() as usize);
                let mut end = near.clamp(n + 1, sums.len());
                while end > n + 1 && time(end - 1) >= until {
                    end -= 1;
                }
                while end < sums.len() && time(end) < until {
                    end += 1;
                }
                end
            }
        };
        let stretch = sums[n..end].iter_mut().zip(n..);
        match (next.checked_sub(1).map(|i| points[i]), points.get(next)) {
            (Some((t0, a)), Some(&(t1, b))) if t0.is_finite() => {
                stretch.for_each(|(sum, n)| *sum += factor * (a + (b - a) * (time(n) - t0) / (t1 - t0)));
            }
            (known, _) => {
                let value = known.map_or(0.0, |(_, value)| value);
                stretch.for_each(|(sum, _)| *sum += factor * value);
            }
        }
        n = end;
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
    pub fn still_until(&self, time: f64) -> f64 {
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
    fn curves_are_still_where_they_are_flat() {
        let curve = [(10.0, 1.0), (20.0, 1.0), (30.0, 2.0)];
        for (t, until) in [(0.0, 10.0), (10.0, 20.0), (15.5, 20.0), (20.0, 20.0), (25.0, 25.0), (30.0, f64::INFINITY)] {
            assert_eq!(still_until(&curve, t), until, "at {t}");
        }
        assert_eq!(still_until(&[], 3.0), f64::INFINITY);
    }

    #[test]
    fn a_row_of_times_has_the_numbers_of_each() {
        let points = [(0.1, 0.0), (3.7, 1.0), (3.7, -2.0), (4.0, 0.25), (17.3, 0.5), (40.0, 0.0)];
        for start in [0.0, 0.3, -5.0, 12.0, 60.0, -100.0] {
            for first in [0.5, 1e9 + 0.5, 7.0] {
                let start = if first > 1e6 { start + 1e9 } else { start };
                let mut sums = [0.125; 64];
                add_interpolated(&points, 1.7, (first, start), &mut sums);
                for (n, sum) in sums.iter().enumerate() {
                    let alone = 0.125 + 1.7 * interpolate(&points, (first + n as f64) - start);
                    assert_eq!(sum.to_bits(), alone.to_bits(), "{n} from {first} after {start}");
                }
            }
        }
        let mut none = [1.0; 3];
        add_interpolated(&[], 2.0, (0.0, 0.0), &mut none);
        assert_eq!(none, [1.0; 3]);
    }

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
}
