//! Plain arrays: the reference implementation, and the fallback on targets without vectors.

use super::Simd;
use crate::lanes::{LANES, fold};

/// Eight lanes in an array.
#[derive(Clone, Copy)]
pub(crate) struct Array;

impl Simd for Array {
    type V = [f64; LANES];
    const GROUP: usize = 1;

    #[inline(always)]
    fn splat(self, x: f64) -> Self::V {
        [x; LANES]
    }

    #[inline(always)]
    fn load(self, from: &[f64; LANES]) -> Self::V {
        *from
    }

    #[inline(always)]
    fn store(self, to: &mut [f64; LANES], x: Self::V) {
        *to = x;
    }

    #[inline(always)]
    fn add(self, x: Self::V, y: Self::V) -> Self::V {
        std::array::from_fn(|i| x[i] + y[i])
    }

    #[inline(always)]
    fn sub(self, x: Self::V, y: Self::V) -> Self::V {
        std::array::from_fn(|i| x[i] - y[i])
    }

    #[inline(always)]
    fn mul(self, x: Self::V, y: Self::V) -> Self::V {
        std::array::from_fn(|i| x[i] * y[i])
    }

    #[inline(always)]
    fn choose(self, mask: Self::V, x: Self::V, y: Self::V) -> Self::V {
        std::array::from_fn(|i| if mask[i] < 0.0 { x[i] } else { y[i] })
    }

    #[inline(always)]
    fn twice_less(self, x: Self::V, y: Self::V) -> Self::V {
        std::array::from_fn(|i| 2.0 * x[i] - y[i])
    }

    #[inline(always)]
    fn less_twice(self, x: Self::V, y: Self::V) -> Self::V {
        std::array::from_fn(|i| x[i] - 2.0 * y[i])
    }

    #[inline(always)]
    fn up(self, before: Self::V, x: Self::V) -> Self::V {
        std::array::from_fn(|i| if i == 0 { before[LANES - 1] } else { x[i - 1] })
    }

    #[inline(always)]
    fn down(self, x: Self::V, after: Self::V) -> Self::V {
        std::array::from_fn(|i| *x.get(i + 1).unwrap_or(&after[0]))
    }

    #[inline(always)]
    fn sum(self, x: Self::V) -> f64 {
        fold(x)
    }
}

/// The instructions every machine of the target has.
#[inline(always)]
pub(crate) fn baseline() -> Array {
    Array
}
