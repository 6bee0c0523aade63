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
    /// How many eights with their velocities stay in registers: the loops over steps keep so many going at a time.
    const GROUP: usize;

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

    /// 2x − y. Doubling is exact, so that it may be fused with what follows: one operation instead of two, and the same bits.
    fn twice_less(self, x: Self::V, y: Self::V) -> Self::V;
    /// x − 2y, likewise.
    fn less_twice(self, x: Self::V, y: Self::V) -> Self::V;
}

/// What every machine has: the words, and the reference.
#[cfg_attr(target_arch = "x86_64", cfg(test))]
#[derive(Clone, Copy)]
pub(crate) struct Plain;

#[cfg_attr(target_arch = "x86_64", cfg(test))]
impl Simd for Plain {
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
    fn sum(self, x: Self::V) -> f64 {
        crate::lanes::fold(x)
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
}

/// Implements [`Simd`] by vectors of `$width` numbers and the instructions of `$arch`.
macro_rules! by_vectors {
    ($(#[$meta:meta])* $name:ident: $width:literal x $vector:ty, group $group:literal, $splat:ident, $load:ident, $store:ident, $add:ident, $sub:ident, $mul:ident, $sum:expr, $choose:ident, $twice_less:expr, $less_twice:expr) => {
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
            const GROUP: usize = $group;

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

            #[inline(always)]
            fn twice_less(self, x: Self::V, y: Self::V) -> Self::V {
                // SAFETY: the type proves the instructions.
                std::array::from_fn(|i| unsafe { $twice_less(x[i], y[i]) })
            }

            #[inline(always)]
            fn less_twice(self, x: Self::V, y: Self::V) -> Self::V {
                // SAFETY: the type proves the instructions.
                std::array::from_fn(|i| unsafe { $less_twice(x[i], y[i]) })
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
pub(crate) mod x86 {
    use super::{LANES, Simd};
    use std::arch::x86_64::{
        __m128d, __m256d, __m512d, _CMP_LT_OQ, _mm_add_pd, _mm_add_sd, _mm_and_pd, _mm_andnot_pd, _mm_cmplt_pd,
        _mm_cvtsd_f64, _mm_loadu_pd, _mm_mul_pd, _mm_or_pd, _mm_set1_pd, _mm_setzero_pd, _mm_storeu_pd, _mm_sub_pd,
        _mm_unpackhi_pd, _mm256_add_pd, _mm256_blendv_pd, _mm256_castpd256_pd128, _mm256_extractf128_pd,
        _mm256_fmsub_pd, _mm256_fnmadd_pd, _mm256_loadu_pd, _mm256_mul_pd, _mm256_set1_pd, _mm256_storeu_pd,
        _mm256_sub_pd, _mm512_add_pd, _mm512_castpd512_pd256, _mm512_cmp_pd_mask, _mm512_extractf64x4_pd,
        _mm512_fmsub_pd, _mm512_fnmadd_pd, _mm512_loadu_pd, _mm512_mask_blend_pd, _mm512_mul_pd, _mm512_set1_pd,
        _mm512_setzero_pd, _mm512_storeu_pd, _mm512_sub_pd,
    };

    /// # Safety
    ///
    /// The machine must have SSE2.
    #[inline(always)]
    unsafe fn sum2(x: __m128d) -> f64 {
        // SAFETY: as the caller promises.
        unsafe { _mm_cvtsd_f64(_mm_add_sd(x, _mm_unpackhi_pd(x, x))) }
    }

    /// # Safety
    ///
    /// The machine must have AVX2.
    #[inline(always)]
    unsafe fn sum4(x: __m256d) -> f64 {
        // SAFETY: as the caller promises.
        unsafe { sum2(_mm_add_pd(_mm256_castpd256_pd128(x), _mm256_extractf128_pd::<1>(x))) }
    }

    /// # Safety
    ///
    /// The machine must have SSE2.
    #[inline(always)]
    unsafe fn choose2(mask: __m128d, x: __m128d, y: __m128d) -> __m128d {
        // SAFETY: as the caller promises.
        unsafe {
            let negative = _mm_cmplt_pd(mask, _mm_setzero_pd());
            _mm_or_pd(_mm_and_pd(negative, x), _mm_andnot_pd(negative, y))
        }
    }

    /// # Safety
    ///
    /// The machine must have AVX2.
    #[inline(always)]
    unsafe fn choose4(mask: __m256d, x: __m256d, y: __m256d) -> __m256d {
        // SAFETY: as the caller promises.
        unsafe { _mm256_blendv_pd(y, x, mask) }
    }

    /// # Safety
    ///
    /// The machine must have AVX-512.
    #[inline(always)]
    unsafe fn choose8(mask: __m512d, x: __m512d, y: __m512d) -> __m512d {
        // SAFETY: as the caller promises.
        unsafe { _mm512_mask_blend_pd(_mm512_cmp_pd_mask::<_CMP_LT_OQ>(mask, _mm512_setzero_pd()), y, x) }
    }

    by_vectors! {
        /// 128-bit vectors, which every x86-64 has.
        Sse2: 2 x __m128d, group 1, _mm_set1_pd, _mm_loadu_pd, _mm_storeu_pd, _mm_add_pd, _mm_sub_pd, _mm_mul_pd,
        |[a, b, c, d]: [__m128d; 4]| sum2(_mm_add_pd(_mm_add_pd(a, c), _mm_add_pd(b, d))),
        choose2,
        |x, y| _mm_sub_pd(_mm_add_pd(x, x), y),
        |x, y| _mm_sub_pd(x, _mm_add_pd(y, y))
    }

    by_vectors! {
        /// 256-bit vectors, and products fused with sums, which every machine with AVX2 is asked for.
        Avx2: 4 x __m256d, group 3, _mm256_set1_pd, _mm256_loadu_pd, _mm256_storeu_pd, _mm256_add_pd, _mm256_sub_pd, _mm256_mul_pd,
        |[a, b]: [__m256d; 2]| sum4(_mm256_add_pd(a, b)),
        choose4,
        |x, y| _mm256_fmsub_pd(_mm256_set1_pd(2.0), x, y),
        |x, y| _mm256_fnmadd_pd(_mm256_set1_pd(2.0), y, x)
    }

    by_vectors! {
        /// 512-bit vectors.
        Avx512: 8 x __m512d, group 4, _mm512_set1_pd, _mm512_loadu_pd, _mm512_storeu_pd, _mm512_add_pd, _mm512_sub_pd, _mm512_mul_pd,
        |[a]: [__m512d; 1]| sum4(_mm256_add_pd(_mm512_castpd512_pd256(a), _mm512_extractf64x4_pd::<1>(a))),
        choose8,
        |x, y| _mm512_fmsub_pd(_mm512_set1_pd(2.0), x, y),
        |x, y| _mm512_fnmadd_pd(_mm512_set1_pd(2.0), y, x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Some of everything.
    fn work<S: Simd>(simd: S, x: &[f64; LANES], y: &[f64; LANES]) -> Vec<u64> {
        let (a, b) = (simd.load(x), simd.load(y));
        let c = simd.sub(simd.mul(a, b), simd.add(a, simd.splat(0.1)));
        let mut out = vec![simd.sum(c), simd.sum(a)];
        for vector in [c, simd.choose(b, a, c), simd.twice_less(a, b), simd.less_twice(a, b)] {
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
        let expected = work(Plain, &x, &y);
        #[cfg(target_arch = "x86_64")]
        // SAFETY: every machine of this kind has SSE2, and the others are asked for.
        unsafe {
            assert_eq!(work(x86::Sse2::new(), &x, &y), expected);
            if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
                assert_eq!(work(x86::Avx2::new(), &x, &y), expected);
            }
            if std::arch::is_x86_feature_detected!("avx512f") {
                assert_eq!(work(x86::Avx512::new(), &x, &y), expected);
            }
        }
    }
}
