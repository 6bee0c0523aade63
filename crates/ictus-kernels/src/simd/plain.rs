//! Plain arrays: the reference implementation, and the fallback on targets without vectors.

use super::{Simd, Words};
use crate::lanes::{LANES, fold};

/// `N` lanes in an array.
#[derive(Clone, Copy)]
pub(crate) struct Arrays<const N: usize>;

impl<const N: usize> Words for Arrays<N> {
    type V = [f64; N];
    type Numbers = [f64; N];

    #[inline(always)]
    fn splat(self, x: f64) -> Self::V {
        [x; N]
    }

    #[inline(always)]
    fn load(self, from: &[f64; N]) -> Self::V {
        *from
    }

    #[inline(always)]
    fn store(self, to: &mut [f64; N], x: Self::V) {
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
        std::array::from_fn(|i| if i == 0 { before[N - 1] } else { x[i - 1] })
    }

    #[inline(always)]
    fn down(self, x: Self::V, after: Self::V) -> Self::V {
        std::array::from_fn(|i| *x.get(i + 1).unwrap_or(&after[0]))
    }

    #[inline(always)]
    fn low(self, x: Self::V, y: Self::V) -> Self::V {
        std::array::from_fn(|i| if i % 2 == 0 { x[i / 2] } else { y[i / 2] })
    }

    #[inline(always)]
    fn high(self, x: Self::V, y: Self::V) -> Self::V {
        std::array::from_fn(|i| if i % 2 == 0 { x[(i + N) / 2] } else { y[(i + N) / 2] })
    }
}

impl Simd for Arrays<LANES> {
    const GROUP: usize = 1;
    type One = Self;

    #[inline(always)]
    fn one(self) -> Self {
        self
    }

    #[inline(always)]
    fn sum(self, x: Self::V) -> f64 {
        fold(x)
    }
}

/// The instructions every machine of the target has.
#[inline(always)]
pub(crate) fn baseline() -> Arrays<LANES> {
    Arrays
}
