//! Numbers without pattern for the tests of this crate.
//!
//! A linear congruential generator with the constants of Knuth's MMIX. Golden hashes depend on its bits, and `Draw` of
//! `ictus-testkit`, which the other crates use, is built on this crate.

/// Uniform in [−0.5, 0.5), from a seed.
pub(crate) struct Noise(pub u64);

impl Iterator for Noise {
    type Item = f64;

    fn next(&mut self) -> Option<f64> {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        Some((self.0 >> 11) as f64 / (1u64 << 53) as f64 - 0.5)
    }
}
