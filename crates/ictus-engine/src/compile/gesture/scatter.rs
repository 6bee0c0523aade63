//! Random throws: when, which mass, how fast.
//!
//! Moments are a Poisson process whose rate follows a curve: unit-rate waiting times, stretched by the inverse of the integrated rate.
//! Energies E between E₀ and E₁ have the density E^−τ: E = E₀ (1 + u((E₁/E₀)^(1−τ) − 1))^(1/(1−τ)) with u uniform; velocities are √E.

use super::{Gestures, Occurrence, SetAction};
use ictus_core::White;
use ictus_instrument as file;

impl Gestures<'_> {
    pub(super) fn scatter(&mut self, once: Occurrence, masses: &[usize], events: Vec<Event>) {
        for event in events {
            let resonator = masses[event.choice];
            let position = match &self.site.loaded.spec.resonators[resonator].kind {
                file::ResonatorKind::Mass(mass) => Some(mass.position_m),
                _ => None,
            };
            let action = SetAction::Throw { velocity: event.velocity * once.factor, position };
            self.set(once, once.start + self.steps(event.time), resonator, action);
        }
    }
}

/// One throw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Event {
    /// Seconds after the start of the gesture.
    pub time: f64,
    /// Which of the masses.
    pub choice: usize,
    /// m/s
    pub velocity: f64,
}

/// Every throw of one gesture, in order of time.
pub(super) fn events(
    white: &mut White,
    masses: usize,
    rate: &[(f64, f64)],
    velocity: (f64, f64),
    exponent: f64,
) -> Vec<Event> {
    let mut all = Vec::new();
    let mut wait = -libm::log(white.uniform());
    for leg in rate.windows(2) {
        let ((start, from), (end, to)) = (leg[0], leg[1]);
        let slope = (to - from) / (end - start);
        let mut spent = 0.0; // of the expected events of this leg
        let expected = 0.5 * (from + to) * (end - start);
        while spent + wait < expected {
            spent += wait;
            // the time s at which from·s + slope·s²/2 = spent
            let root = (from * from + 2.0 * slope * spent).max(0.0).sqrt();
            let time = start + 2.0 * spent / (from + root);
            let choice = ((white.uniform() * masses as f64) as usize).min(masses - 1);
            all.push(Event { time, choice, velocity: draw(white.uniform(), velocity, exponent) });
            wait = -libm::log(white.uniform());
        }
        wait -= expected - spent;
    }
    all
}

/// A velocity whose energy is the `u`-th quantile of the power law.
fn draw(u: f64, (slowest, fastest): (f64, f64), exponent: f64) -> f64 {
    let span = 2.0 * libm::log(fastest / slowest); // of the energies, natural logarithm
    let power = 1.0 - exponent;
    let along = if (power * span).abs() < 1e-9 { u * span } else { libm::log1p(u * libm::expm1(power * span)) / power };
    slowest * libm::exp(0.5 * along.clamp(0.0, span))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn many(rate: &[(f64, f64)], exponent: f64, seed: u64) -> Vec<Event> {
        events(&mut White::new(seed, 9), 3, rate, (0.01, 10.0), exponent)
    }

    /// Counts scatter by the root of their mean: five of those.
    #[test]
    fn the_mean_rate_is_the_one_asked_for() {
        for seed in 1..=5 {
            let rate = [(0.0, 300.0), (10.0, 300.0), (20.0, 900.0), (20.5, 0.0), (40.0, 0.0), (50.0, 200.0)];
            let all = many(&rate, 1.5, seed);
            assert!(all.is_sorted_by(|a, b| a.time <= b.time));
            for (from, to, expected) in [
                (0.0, 10.0, 3000.0),
                (10.0, 20.0, 6000.0),
                (20.5, 40.0, 0.0),
                (40.0, 50.0, 1000.0),
                (0.0, 50.0, 10225.0),
            ] {
                let count = all.iter().filter(|event| (from..to).contains(&event.time)).count() as f64;
                assert!((count - expected).abs() <= 5.0 * f64::sqrt(expected), "{count} of {expected} in {from}..{to}");
            }
            // within a leg that rises evenly three quarters come in the second half
            let late = all.iter().filter(|event| (45.0..50.0).contains(&event.time)).count() as f64;
            assert!((late - 750.0).abs() < 5.0 * f64::sqrt(750.0), "{late}");
            for choice in 0..3 {
                let share = all.iter().filter(|event| event.choice == choice).count() as f64 / all.len() as f64;
                assert!((share - 1.0 / 3.0).abs() < 0.03, "{share}");
            }
        }
    }

    /// Waiting times of a Poisson process have the variance of their mean, squared.
    #[test]
    fn moments_are_independent() {
        let all = many(&[(0.0, 1000.0), (60.0, 1000.0)], 1.5, 7);
        let waits: Vec<f64> = all.windows(2).map(|pair| pair[1].time - pair[0].time).collect();
        let mean = waits.iter().sum::<f64>() / waits.len() as f64;
        let variance = waits.iter().map(|w| (w - mean) * (w - mean)).sum::<f64>() / waits.len() as f64;
        assert!((mean / 0.001 - 1.0).abs() < 0.02, "{mean}");
        assert!((variance / (mean * mean) - 1.0).abs() < 0.05, "{variance}");
    }

    /// The exponent by maximum likelihood; its error is about 1/√n of a few tenths.
    #[test]
    fn energies_follow_their_power() {
        for exponent in [0.0, 1.0, 1.5, 2.0, 3.0] {
            let all = many(&[(0.0, 1000.0), (60.0, 1000.0)], exponent, 11);
            let energies: Vec<f64> = all.iter().map(|event| event.velocity * event.velocity).collect();
            assert!(energies.iter().all(|e| (0.999e-4..=100.1).contains(e)));
            let mean_log = energies.iter().map(|e| libm::log(*e)).sum::<f64>() / energies.len() as f64;
            // the likelihood is greatest where the law's own mean of ln E is the measured one
            let mean_of = |tau: f64| {
                let (a, b) = (libm::log(1e-4), libm::log(100.0));
                let n = 20_000;
                let (mut weight, mut sum) = (0.0, 0.0);
                for i in 0..n {
                    let x = a + (b - a) * (f64::from(i) + 0.5) / f64::from(n);
                    let p = libm::exp((1.0 - tau) * x);
                    (weight, sum) = (weight + p, sum + p * x);
                }
                sum / weight
            };
            let (mut low, mut high) = (-1.0, 6.0);
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if mean_of(middle) > mean_log { low = middle } else { high = middle }
            }
            println!("exponent {exponent}: {low:.3} from {} events", energies.len());
            assert!((low - exponent).abs() < 0.05, "{low} for {exponent}");
        }
    }

    /// A rate that falls makes events that thin out, second by second.
    #[test]
    fn a_falling_rate_thins_out() {
        let all = many(&[(0.0, 4000.0), (5.0, 0.0)], 1.5, 13);
        let counts: Vec<usize> =
            (0..5).map(|second| all.iter().filter(|event| event.time as usize == second).count()).collect();
        assert!(counts.windows(2).all(|pair| pair[0] > pair[1]), "{counts:?}");
    }

    #[test]
    fn nothing_is_expected_nothing_happens() {
        assert!(many(&[(0.0, 0.0), (5.0, 0.0)], 1.5, 1).is_empty());
        let same = events(&mut White::new(1, 0), 1, &[(0.0, 50.0), (1.0, 50.0)], (-2.0, -2.0), 1.5);
        assert!(!same.is_empty() && same.iter().all(|event| (event.velocity + 2.0).abs() < 1e-12));
    }
}
