//! A small random generator, the same on all machines.

use std::f64::consts::TAU;

/// A linear congruential generator with its state.
pub struct Random(pub u64);

impl Random {
    /// Between 0 and 1.
    pub fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Normally distributed with variance 1, by Box and Muller.
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * libm::log(1.0 - self.uniform())).sqrt();
        radius * libm::cos(TAU * self.uniform())
    }
}
