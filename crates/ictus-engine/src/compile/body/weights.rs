//! Randomised modal weights: where a thing is touched is never quite where it is said to be. [SO8 §8.2.2]
//!
//! A place that is off by δ changes a mode of wave number k, whose shape is locally s sin(kx + φ), from w to w cos θ + √(s² − w²) sin θ with θ = kδ. Here θ is
//! drawn anew for every mode and port from a normal distribution whose standard deviation is `spread` radians for the lowest mode and grows as the
//! frequency, so low modes keep their weights and high ones lose theirs. s is the largest weight of the object: weights stay within it.
//! A port keeps one weight for touching and hearing, so the bank stays reciprocal and passive.

use ictus_core::White;
use ictus_instrument::Weights;

/// Keeps these draws apart from those of surfaces and gestures.
const STREAM: u64 = 0x7765_6967_6874;

/// Changes the weights of `ports`, one list per port; `seed` is the file's with the id of the body. The draws of a mode do not depend on how many follow.
pub(super) fn randomise(weights: &Weights, seed: (u64, &str), frequencies: &[f64], ports: &mut [Vec<f64>]) {
    let lowest = frequencies.iter().copied().filter(|f| *f > 0.0).fold(f64::INFINITY, f64::min);
    let most = ports.iter().flatten().fold(0.0f64, |most, w| most.max(w.abs()));
    let seed = weights.seed.unwrap_or_else(|| hash(seed));
    for (i, shape) in ports.iter_mut().enumerate() {
        let mut white = White::new(seed, STREAM.wrapping_add(i as u64));
        for (weight, &frequency) in shape.iter_mut().zip(frequencies) {
            let phase = white.normal() * weights.spread * frequency / lowest;
            // rigid motion has no phase
            if frequency > 0.0 && phase.is_finite() {
                let across = ((most - *weight) * (most + *weight)).max(0.0).sqrt();
                let (sin, cos) = libm::sincos(phase);
                *weight = *weight * cos + across * sin;
            }
        }
    }
}

/// FNV-1a of the id, from the seed on.
fn hash((seed, id): (u64, &str)) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325 ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    id.bytes().fold(start, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
