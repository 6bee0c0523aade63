//! Arrays, which every machine has: what the others are compared with, and what serves where none of them is.

use super::Simd;
use crate::lanes::{LANES, fold};

/// Eight numbers one by one.
#[derive(Clone, Copy)]
pub(crate) struct Plain;

impl Simd for Plain {
    type V = [f64; LANES];
    const GROUPS: [usize; 5] = [1; 5];

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
    fn sum(self, x: Self::V) -> f64 {
        fold(x)
    }

    #[inline(always)]
    fn choose(self, mask: Self::V, x: Self::V, y: Self::V) -> Self::V {
        std::array::from_fn(|i| if mask[i] < 0.0 { x[i] } else { y[i] })
    }
}

/// What every machine of the target has.
#[inline(always)]
pub(crate) fn baseline() -> Plain {
    Plain
}
