//! A bow as a curve: friction that depends on the sliding velocity alone. [D21 §VI, handbook §3]
//!
//! Law: f = N Φ(w), Φ(w) = √(2a) w e^{½ − a w²}, w the velocity of the string relative to the bow, N the bow force; Φ has its top, 1, at w = 1/√(2a).
//! Balance: it stores nothing and dissipates k f w ≥ 0.
//! Limits: beyond its top Φ falls, so w + r N Φ(w) = z has three roots where r N √(2a)·2/e > 1 and z lies between them (Friedlander). The one taken is the
//! first met on the way from the last velocity.

use super::{Gap, Interaction, Resolved};
use crate::clock::Clock;
use crate::error::{BuildError, require};
use crate::root::{Curve, solve_increasing};

/// Where Newton looks for the ends of the falling stretch: it converges from one side and doubles its digits.
const STEPS: u32 = 12;

/// A bow on a string. State: `[N, w of the last step]`.
#[derive(Clone, Debug)]
pub struct Bow {
    dt: f64,
    sharpness: f64, // a, s²/m²
    top: f64,       // √(2a), s/m
}

impl Bow {
    /// A bow with the curve of `sharpness` (a, s²/m²); pressed with [`State::press`](crate::State::press).
    pub fn new(clock: Clock, sharpness: f64) -> Result<Self, BuildError> {
        let usable = sharpness > 0.0 && sharpness.is_finite();
        require(usable, "sharpness of the bow's curve", sharpness, "a positive number")?;
        Ok(Self { dt: clock.dt, sharpness, top: (2.0 * sharpness).sqrt() })
    }

    /// Φ and Φ'.
    fn curve(&self, w: f64) -> (f64, f64) {
        let y = self.sharpness * w * w;
        let bell = self.top * libm::exp(0.5 - y);
        (bell * w, bell * (1.0 - 2.0 * y))
    }

    /// The two speeds between which w + c Φ(w) falls, if there are such.
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

    /// The root of w + c Φ(w) = z in a stretch where it rises or falls throughout.
    fn root(&self, z: f64, c: f64, (lo, hi): (f64, f64), start: f64) -> (f64, u32) {
        let rising = |w: f64| w + c * self.curve(w).0;
        if rising(lo) <= rising(hi) {
            let found = solve_increasing(z, (lo, hi), start, |w| {
                let (value, slope) = self.curve(w);
                Curve { value: c * value, slope: c * slope, bend: 0.0, keep: () }
            });
            return (found.at, found.evaluations);
        }
        // falling: mirrored, −w − cΦ(w) rises; the stretch is short, halving it does
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
        let c = r * state[0];
        if c == 0.0 {
            let (value, slope) = self.curve(z);
            let force = state[0] * value;
            return Resolved { closing: z, force, slope: state[0] * slope, evaluations: 1, ..Resolved::default() };
        }
        // |Φ| ≤ 1
        let (lo, hi) = (z - c, z + c);
        let from = near.clamp(lo, hi);
        let (closing, evaluations) = match self.falling(c) {
            None => self.root(z, c, (lo, hi), from),
            Some([slow, fast]) => {
                let ahead = from + c * self.curve(from).0 < z;
                // the turns on the way, then the end beyond which no root lies
                let mut turns = [-fast, -slow, slow, fast];
                if !ahead {
                    turns.reverse();
                }
                let end = if ahead { hi } else { lo };
                let passed = |w: f64| if ahead { w <= from || w >= hi } else { w >= from || w <= lo };
                let mut start = from;
                let mut stretch = None;
                for stop in turns.into_iter().filter(|&w| !passed(w)).chain([end]) {
                    let beyond = stop + c * self.curve(stop).0 >= z;
                    if beyond == ahead {
                        stretch = Some((start.min(stop), start.max(stop)));
                        break;
                    }
                    start = stop;
                }
                let stretch = stretch.unwrap_or((lo, hi));
                self.root(z, c, stretch, from.clamp(stretch.0, stretch.1))
            }
        };
        let (value, slope) = self.curve(closing);
        Resolved { closing, force: state[0] * value, slope: state[0] * slope, evaluations, ..Resolved::default() }
    }

    fn commit(&self, state: &mut [f64], resolved: &Resolved) -> f64 {
        state[1] = resolved.closing;
        self.dt * resolved.force * resolved.closing
    }

    fn energy(&self, _state: &[f64]) -> f64 {
        0.0
    }

    fn is_open(&self, _state: &[f64]) -> bool {
        false
    }

    fn is_monotone(&self) -> bool {
        false
    }

    fn press(&self, state: &mut [f64], normal: f64) {
        state[0] = normal;
    }
}
