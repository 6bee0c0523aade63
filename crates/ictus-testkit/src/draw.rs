//! Seeded random numbers, the same on every machine.

use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

/// How many draws a test makes: `default`, or the environment variable `ICTUS_DRAWS` where that is set.
pub fn draws(default: usize) -> usize {
    std::env::var("ICTUS_DRAWS").ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// A stream of draws.
#[derive(Clone, Debug)]
pub struct Draw {
    rng: Pcg64,
}

impl Draw {
    /// The stream of `seed`.
    pub fn new(seed: u64) -> Self {
        Self { rng: Pcg64::seed_from_u64(seed) }
    }

    /// Uniform in `[lo, hi)`.
    pub fn uniform(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * self.rng.random::<f64>()
    }

    /// Uniform in the logarithm, in `[lo, hi)`; both positive.
    pub fn log(&mut self, lo: f64, hi: f64) -> f64 {
        libm::exp(self.uniform(libm::log(lo), libm::log(hi)))
    }

    /// An integer in `lo..=hi`.
    pub fn integer(&mut self, lo: usize, hi: usize) -> usize {
        self.rng.random_range(lo as u64..=hi as u64) as usize
    }

    /// True with probability `p`.
    pub fn chance(&mut self, p: f64) -> bool {
        self.rng.random::<f64>() < p
    }

    /// +1 or −1.
    pub fn sign(&mut self) -> f64 {
        if self.chance(0.5) { 1.0 } else { -1.0 }
    }

    /// One of `items`.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.integer(0, items.len() - 1)]
    }
}
