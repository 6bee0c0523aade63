//! Peak throughput of the machine: loops that only load, or only calculate, with the vector operations of the other kernels.
//!
//! The number of independent chains that saturates the machine varies: callers try all of [`WAYS`] and keep the best.

use crate::dispatch::vector_kernel;
use crate::lanes::LANES;
use crate::simd::Simd;

/// Numbers of independent eight-lane chains.
pub const WAYS: [usize; 7] = [2, 4, 6, 8, 12, 16, 24];

#[inline(always)]
fn load<S: Simd, const N: usize>(simd: S, numbers: &[f64]) -> f64 {
    let mut sums = [simd.splat(0.0); N];
    for chunks in numbers.as_chunks::<LANES>().0.as_chunks::<N>().0 {
        for (sum, chunk) in sums.iter_mut().zip(chunks) {
            *sum = simd.add(*sum, simd.load(chunk));
        }
    }
    sums.into_iter().map(|sum| simd.sum(sum)).sum()
}

#[inline(always)]
fn calculate<S: Simd, const N: usize>(simd: S, [factor, term]: [f64; 2], rounds: usize) -> f64 {
    let mut values: [S::V; N] = std::array::from_fn(|i| simd.splat(i as f64));
    let (factor, term) = (simd.splat(factor), simd.splat(term));
    for _ in 0..rounds {
        for value in &mut values {
            *value = simd.add(simd.mul(*value, factor), term);
        }
    }
    values.into_iter().map(|value| simd.sum(value)).sum()
}

vector_kernel! {
    /// Loads `numbers` once, whose length is a multiple of 384, into `ways` accumulators, one of [`WAYS`].
    pub fn loads<S>(simd, numbers: &[f64], ways: usize) -> f64 {
        match ways {
            2 => load::<S, 2>(simd, numbers),
            4 => load::<S, 4>(simd, numbers),
            6 => load::<S, 6>(simd, numbers),
            8 => load::<S, 8>(simd, numbers),
            12 => load::<S, 12>(simd, numbers),
            16 => load::<S, 16>(simd, numbers),
            _ => load::<S, 24>(simd, numbers),
        }
    }
}

vector_kernel! {
    /// x ← factor·x + term, `rounds` times in `ways` (one of [`WAYS`]) eight-lane chains: 16·`ways`·`rounds` operations.
    pub fn operations<S>(simd, numbers: [f64; 2], ways: usize, rounds: usize) -> f64 {
        match ways {
            2 => calculate::<S, 2>(simd, numbers, rounds),
            4 => calculate::<S, 4>(simd, numbers, rounds),
            6 => calculate::<S, 6>(simd, numbers, rounds),
            8 => calculate::<S, 8>(simd, numbers, rounds),
            12 => calculate::<S, 12>(simd, numbers, rounds),
            16 => calculate::<S, 16>(simd, numbers, rounds),
            _ => calculate::<S, 24>(simd, numbers, rounds),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Aligned;

    #[test]
    fn every_number_is_loaded_and_every_round_calculated() {
        let numbers: Aligned = (0..768).map(f64::from).collect();
        for ways in WAYS {
            assert_eq!(loads(&numbers, ways), 767.0 * 768.0 / 2.0);
            // from i to i/8 + 7/4, in every lane
            let ends = (0..ways).map(|i| i as f64 / 8.0 + 1.75).sum::<f64>();
            assert_eq!(operations([0.5, 1.0], ways, 3), LANES as f64 * ends);
        }
    }
}
