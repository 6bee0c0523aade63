//! Bow friction curve: friction that depends on the sliding velocity only. [D21 §VI, handbook §3]
//!
//! Law: f = μ N Φ(w), Φ(w) = √(2a) w e^{½ − a w²}, w the velocity of the string relative to the bow, N the bow force,
//! μ = 1 in the paper; Φ has its maximum, 1, at w = 1/√(2a).
//! Balance: it stores nothing and dissipates k f w ≥ 0.
//! Limits: beyond its maximum Φ falls, so w + r μ N Φ(w) = z has three roots if r μ N √(2a)·2/e > 1 and z lies between them (Friedlander). The solver takes the
//! first on the path from the last velocity.

use super::{Gap, Interaction, Resolved, Rubbing};
use crate::clock::Clock;
use crate::error::{BuildError, require};
use crate::root::{Curve, solve_increasing};

/// Newton iterations for the ends of the falling interval: it converges from one side and doubles its digits.
const STEPS: u32 = 12;

/// A bow on a string. State: `[N, w of the last step]`.
#[derive(Clone, Debug)]
pub struct Bow {
    dt: f64,
    sharpness: f64, // a, s²/m²
    top: f64,       // √(2a), s/m
    grip: f64,      // μ
}

impl Bow {
    /// A bow with the curve of `sharpness` (a, s²/m²); set its normal force with [`State::press`](crate::State::press).
    pub fn new(clock: Clock, sharpness: f64) -> Result<Self, BuildError> {
        let usable = sharpness > 0.0 && sharpness.is_finite();
        require(usable, "sharpness of the bow's curve", sharpness, "a positive number")?;
        Ok(Self { dt: clock.dt, sharpness, top: (2.0 * sharpness).sqrt(), grip: 1.0 })
    }

    /// The same bow with the friction coefficient `grip` (μ > 0) at the maximum of its curve, instead of 1.
    pub fn with_grip(self, grip: f64) -> Result<Self, BuildError> {
        require(grip > 0.0 && grip.is_finite(), "grip of the bow", grip, "a positive share")?;
        Ok(Self { grip, ..self })
    }

    /// Φ and Φ'.
    fn curve(&self, w: f64) -> (f64, f64) {
        let y = self.sharpness * w * w;
        let bell = self.top * libm::exp(0.5 - y);
        (bell * w, bell * (1.0 - 2.0 * y))
    }

    /// The two velocities between which w + c Φ(w) falls, if any.
    fn falling(&self, c: f64) -> Option<[f64; 2]> {
        let steepest = c * self.top;
        if steepest * 2.0 <= std::f64::consts::E {
            return None;
        }
        // with y = a w²: g = ½ − y + ln(2y − 1) + ln(c√(2a)) is concave and 0 at both ends
        let log = libm::log(steepest);
        let solve = |mut y: f64| {
            for _ in 0..STEPS {
                let g = 0.5 - y + libm::log(2.0 * y - 1.0) + log;
                y -= g / (2.0 / (2.0 * y - 1.0) - 1.0);
            }
            (y / self.sharpness).sqrt()
        };
        Some([solve(0.5 + 0.5 / steepest), solve(3.5 + 2.0 * log)])
    }

    /// The root of w + c Φ(w) = z in an interval where it is monotone.
    fn root(&self, z: f64, c: f64, (lo, hi): (f64, f64), start: f64) -> (f64, u32) {
        let rising = |w: f64| w + c * self.curve(w).0;
        if rising(lo) <= rising(hi) {
            let solution = solve_increasing(z, (lo, hi), start, |w| {
                let (value, slope) = self.curve(w);
                Curve { value: c * value, slope: c * slope, bend: 0.0, keep: () }
            });
            return (solution.at, solution.evaluations);
        }
        // falling: bisection, because the interval is short
        let (mut lo, mut hi, mut count) = (lo, hi, 0);
        while count < 60 && hi - lo > f64::EPSILON * (hi.abs() + lo.abs()) {
            let middle = 0.5 * (lo + hi);
            if rising(middle) > z {
                lo = middle
            } else {
                hi = middle
            }
            count += 1;
        }
        (0.5 * (lo + hi), count)
    }
}

impl Interaction for Bow {
    fn state_len(&self) -> usize {
        2
    }

    fn reset(&self, state: &mut [f64], _gap: Gap) {
        state[1] = 0.0;
    }

    fn resynchronise(&self, _state: &mut [f64], _gap: Gap) {}

    fn resolve(&self, state: &[f64], z: f64, r: f64) -> Resolved {
        self.resolve_near(state, z, r, state[1])
    }

    fn resolve_near(&self, state: &[f64], z: f64, r: f64, near: f64) -> Resolved {
        let peak_force = self.grip * state[0];
        let c = r * peak_force;
        if c == 0.0 {
            let (value, slope) = self.curve(z);
            return Resolved {
                approach: z,
                force: peak_force * value,
                slope: peak_force * slope,
                evaluations: 1,
                ..Resolved::default()
            };
        }
        // |Φ| ≤ 1
        let (lo, hi) = (z - c, z + c);
        let from = near.clamp(lo, hi);
        let (approach, evaluations) = match self.falling(c) {
            None => self.root(z, c, (lo, hi), from),
            Some([slow, fast]) => {
                let ahead = from + c * self.curve(from).0 < z;
                // extrema along the path, then the end beyond which there is no root
                let mut extrema = [-fast, -slow, slow, fast];
                if !ahead {
                    extrema.reverse();
                }
                let end = if ahead { hi } else { lo };
                let passed = |w: f64| if ahead { w <= from || w >= hi } else { w >= from || w <= lo };
                let mut start = from;
                let mut interval = None;
                for stop in extrema.into_iter().filter(|&w| !passed(w)).chain([end]) {
                    let beyond = stop + c * self.curve(stop).0 >= z;
                    if beyond == ahead {
                        interval = Some((start.min(stop), start.max(stop)));
                        break;
                    }
                    start = stop;
                }
                let interval = interval.unwrap_or((lo, hi));
                self.root(z, c, interval, from.clamp(interval.0, interval.1))
            }
        };
        let (value, slope) = self.curve(approach);
        Resolved { approach, force: peak_force * value, slope: peak_force * slope, evaluations, ..Resolved::default() }
    }

    fn commit(&self, state: &mut [f64], resolved: &Resolved) -> f64 {
        state[1] = resolved.approach;
        self.dt * resolved.force * resolved.approach
    }

    fn energy(&self, _state: &[f64]) -> f64 {
        0.0
    }

    fn is_open(&self, _state: &[f64]) -> bool {
        false
    }

    fn has_gap(&self) -> bool {
        false
    }

    fn is_monotone(&self) -> bool {
        false
    }

    fn rubbing(&self, state: &[f64]) -> Option<Rubbing> {
        let (normal, slip) = (state[0], state[1]);
        // beyond the maximum of the curve, at 1/√(2a), the force falls
        Some(Rubbing { normal, slip, slides: slip.abs() * self.top > 1.0 })
    }

    fn press(&self, state: &mut [f64], normal: f64) {
        state[0] = normal;
    }
}
