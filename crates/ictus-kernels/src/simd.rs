//! Eight numbers side by side, on every kind of machine: the words in which kernels are written.
//!
//! An implementation of [`Simd`] is a proof that its instructions exist: it can be had only where they do. All of them round every operation on its
//! own and [`sum`](Simd::sum) the lanes in the same order, so that they compute the same bits.

#![allow(unsafe_code)]

use crate::lanes::LANES;

/// Operations on eight numbers.
pub(crate) trait Simd: Copy {
    /// Eight numbers.
    type V: Copy;
    /// How many eights the loops over steps keep going at a time, one number for each of [`ring`](mod@crate::ring)'s loops.
    const GROUPS: [usize; 5];

    fn splat(self, x: f64) -> Self::V;
    fn load(self, from: &[f64; LANES]) -> Self::V;
    fn store(self, to: &mut [f64; LANES], x: Self::V);
    fn add(self, x: Self::V, y: Self::V) -> Self::V;
    fn sub(self, x: Self::V, y: Self::V) -> Self::V;
    fn mul(self, x: Self::V, y: Self::V) -> Self::V;
    /// ((x₀ + x₄) + (x₂ + x₆)) + ((x₁ + x₅) + (x₃ + x₇)).
    fn sum(self, x: Self::V) -> f64;
    /// x where `mask` is negative, y elsewhere.
    fn choose(self, mask: Self::V, x: Self::V, y: Self::V) -> Self::V;

    /// 2, hidden from the compiler: it would double by adding. For loops that wait for their sums.
    #[inline(always)]
    fn two(self) -> Self::V {
        self.splat(std::hint::black_box(2.0))
    }
}

/// Implements [`Simd`] by vectors of `$width` numbers and the instructions of `$arch`.
// targets without vectors do not need it
#[allow(unused_macros)]
macro_rules! by_vectors {
    ($(#[$meta:meta])* $name:ident: $width:literal x $vector:ty, groups $groups:expr, $splat:ident, $load:ident, $store:ident, $add:ident, $sub:ident, $mul:ident, $sum:expr, $choose:ident) => {
        $(#[$meta])*
        #[derive(Clone, Copy)]
        pub(crate) struct $name(());

        impl $name {
            /// # Safety
            ///
            /// The machine must have the instructions.
            #[inline(always)]
            pub(crate) unsafe fn new() -> Self {
                Self(())
            }
        }

        // a value of this type exists only where its instructions do
        impl Simd for $name {
            type V = [$vector; LANES / $width];
            const GROUPS: [usize; 5] = $groups;

            #[inline(always)]
            fn splat(self, x: f64) -> Self::V {
                // SAFETY: the type proves the instructions.
                [unsafe { $splat(x) }; LANES / $width]
            }

            #[inline(always)]
            fn load(self, from: &[f64; LANES]) -> Self::V {
                // SAFETY: the type proves the instructions, and the eight numbers are there.
                std::array::from_fn(|i| unsafe { $load(from.as_ptr().add(i * $width)) })
            }

            #[inline(always)]
            fn store(self, to: &mut [f64; LANES], x: Self::V) {
                for (i, x) in x.into_iter().enumerate() {
                    // SAFETY: the type proves the instructions, and the eight numbers are there.
                    unsafe { $store(to.as_mut_ptr().add(i * $width), x) }
                }
            }

            #[inline(always)]
            fn add(self, x: Self::V, y: Self::V) -> Self::V {
                // SAFETY: the type proves the instructions.
                std::array::from_fn(|i| unsafe { $add(x[i], y[i]) })
            }

            #[inline(always)]
            fn sub(self, x: Self::V, y: Self::V) -> Self::V {
                // SAFETY: the type proves the instructions.
                std::array::from_fn(|i| unsafe { $sub(x[i], y[i]) })
            }

            #[inline(always)]
            fn mul(self, x: Self::V, y: Self::V) -> Self::V {
                // SAFETY: the type proves the instructions.
                std::array::from_fn(|i| unsafe { $mul(x[i], y[i]) })
            }

            #[inline(always)]
            fn sum(self, x: Self::V) -> f64 {
                // SAFETY: the type proves the instructions.
                unsafe { $sum(x) }
            }

            #[inline(always)]
            fn choose(self, mask: Self::V, x: Self::V, y: Self::V) -> Self::V {
                // SAFETY: the type proves the instructions.
                std::array::from_fn(|i| unsafe { $choose(mask[i], x[i], y[i]) })
            }
        }
    };
}

#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
mod neon;
// only tests look at it where the target has vectors
#[cfg_attr(not(test), allow(dead_code))]
mod plain;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;
#[cfg(target_arch = "x86_64")]
mod x86;

// `baseline` is what every machine of the target has: one of four
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
pub(crate) use neon::baseline;
#[cfg(not(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_feature = "neon"),
    all(target_arch = "wasm32", target_feature = "simd128")
)))]
pub(crate) use plain::baseline;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(crate) use wasm::baseline;
#[cfg(target_arch = "x86_64")]
pub(crate) use x86::{Avx2, Avx512, baseline};
#[cfg(test)]
mod tests {
    use super::*;

    /// Some of everything.
    fn work<S: Simd>(simd: S, x: &[f64; LANES], y: &[f64; LANES]) -> Vec<u64> {
        let (a, b) = (simd.load(x), simd.load(y));
        let c = simd.sub(simd.mul(a, b), simd.add(a, simd.splat(0.1)));
        let mut out = vec![simd.sum(c), simd.sum(a)];
        for vector in [c, simd.choose(b, a, c), simd.mul(simd.two(), b)] {
            let mut eight = [0.0; LANES];
            simd.store(&mut eight, vector);
            out.extend(eight);
        }
        out.into_iter().map(f64::to_bits).collect()
    }

    #[test]
    fn every_kind_computes_the_same_bits() {
        let x = std::array::from_fn(|i| 1.0 / (i as f64 + 3.0));
        let y = std::array::from_fn(|i| (i as f64 * 0.7 - 2.0) / 9.0);
        let expected = work(plain::baseline(), &x, &y);
        assert_eq!(work(baseline(), &x, &y), expected);
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the machine is asked.
        unsafe {
            if std::arch::is_x86_feature_detected!("avx2") {
                assert_eq!(work(Avx2::new(), &x, &y), expected);
            }
            if std::arch::is_x86_feature_detected!("avx512f") {
                assert_eq!(work(Avx512::new(), &x, &y), expected);
            }
        }
    }
}
