//! White noise with the same bits everywhere.

use rand_pcg::Pcg64;
use rand_pcg::rand_core::RngCore;
use std::f64::consts::TAU;

/// A seeded source of random numbers.
#[derive(Clone, Debug)]
pub struct White {
    random: Pcg64,
    spare: Option<f64>,
}

impl White {
    /// The same numbers for the same seed and stream.
    pub fn new(seed: u64, stream: u64) -> Self {
        Self { random: Pcg64::new(u128::from(seed), u128::from(stream)), spare: None }
    }

    /// Uniform in 0..1 with 53 bits, never 0.
    pub fn uniform(&mut self) -> f64 {
        ((self.random.next_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    /// Normally distributed, mean 0, variance 1 (Box and Muller: two at a time).
    pub fn normal(&mut self) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        let radius = (-2.0 * libm::log(self.uniform())).sqrt();
        let (sin, cos) = libm::sincos(TAU * self.uniform());
        self.spare = Some(radius * sin);
        radius * cos
    }
}
