//! The impact as printed: the force at the instant n from position and speed at n, the bilinear rule, Newton's method for the
//! delay-free loop. [SO8 eq. 8.6, 8.11, 8.30–8.33]
//!
//! For a free mass the K method reads x(n) = x̃ − (T²/4m) f(n), v(n) = ṽ − (T/2m) f(n), with x̃ and ṽ known, and f(n) = F(x(n), v(n)). The loop
//! of the appendix runs `while err < Errmax`; it must be the other way round. Nothing in the method ties the work of the force to a
//! potential: for a contact shorter than a sample energy appears or vanishes.

use super::hunt_crossley::HuntCrossley;

/// Newton steps at most; the bracket halves where Newton leaves it.
const CAP: u32 = 200;
/// Relative change of the force at which Newton stops.
const TOLERANCE: f64 = 1e-14;

/// A free hammer against a wall at 0.
#[derive(Clone, Copy, Debug)]
pub struct Printed {
    law: HuntCrossley,
    step: f64, // T, s
    /// Compression, m.
    pub x: f64,
    /// Its rate, m/s.
    pub v: f64,
    /// Force, N.
    pub force: f64,
}

impl Printed {
    /// A hammer that reaches the wall `arrival` steps from now with speed `v_in`.
    pub fn new(law: HuntCrossley, rate: f64, v_in: f64, arrival: f64) -> Self {
        let step = 1.0 / rate;
        Self { law, step, x: -arrival * step * v_in, v: v_in, force: 0.0 }
    }

    /// One sample.
    pub fn step(&mut self) {
        let (t, m) = (self.step, self.law.mass);
        let (give, slow) = (0.25 * t * t / m, 0.5 * t / m);
        let (x, v) = (self.x + t * self.v - give * self.force, self.v - slow * self.force);
        self.force = self.solve(x, v, give, slow);
        self.x = x - give * self.force;
        self.v = v - slow * self.force;
    }

    /// f = F(x̃ − give f, ṽ − slow f).
    fn solve(&self, x: f64, v: f64, give: f64, slow: f64) -> f64 {
        let law = &self.law;
        let first = law.force(x, v);
        if x <= 0.0 || first == 0.0 {
            return 0.0;
        }
        // above x/give there is no compression left; a pull is no stronger than without yielding
        let (mut low, mut high) = (first.min(0.0) * 2.0, x / give);
        let mut f = self.force.clamp(low, high);
        for _ in 0..CAP {
            let (depth, speed) = (x - give * f, v - slow * f);
            let miss = f - law.force(depth, speed);
            if miss > 0.0 {
                high = f
            } else {
                low = f
            }
            let power = if depth > 0.0 { law.stiffness * libm::pow(depth, law.exponent) } else { 0.0 };
            let slope = if depth > 0.0 {
                1.0 + give * law.exponent * power / depth * (1.0 + law.loss * speed) + slow * law.loss * power
            } else {
                1.0
            };
            let mut next = f - miss / slope;
            if !(next > low && next < high) {
                next = 0.5 * (low + high);
            }
            let settled = (next - f).abs() <= TOLERANCE * next.abs();
            f = next;
            if settled {
                break;
            }
        }
        f
    }

    /// Speed after the contact over speed before it, or `None` if it has not left within `steps`.
    pub fn restitution(law: HuntCrossley, rate: f64, v_in: f64, arrival: f64, steps: usize) -> Option<f64> {
        let mut hammer = Self::new(law, rate, v_in, arrival);
        for _ in 0..steps {
            hammer.step();
            if hammer.x < 0.0 && hammer.v < 0.0 && hammer.force == 0.0 {
                // one more step: the mean of the last force and none is still to act
                hammer.step();
                return Some(-hammer.v / v_in);
            }
        }
        None
    }
}
