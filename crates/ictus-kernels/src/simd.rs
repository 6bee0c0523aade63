//! Eight numbers side by side, on every kind of machine: the words in which kernels are written.
//!
//! An implementation of [`Simd`] is a proof that its instructions exist: it can be had only where they do. All of them round every operation on its
//! own and [`sum`](Simd::sum) the lanes in the same order, so that they compute the same bits.

#![allow(unsafe_code)]

use crate::lanes::LANES;

/// Operations on some numbers side by side.
pub(crate) trait Words: Copy {
    /// The numbers.
    type V: Copy;
    /// How they lie in memory.
    type Numbers;
    /// How many they are.
    const WIDTH: usize = size_of::<Self::Numbers>() / size_of::<f64>();

    fn splat(self, x: f64) -> Self::V;
    fn load(self, from: &Self::Numbers) -> Self::V;
    fn store(self, to: &mut Self::Numbers, x: Self::V);
    fn add(self, x: Self::V, y: Self::V) -> Self::V;
    fn sub(self, x: Self::V, y: Self::V) -> Self::V;
    fn mul(self, x: Self::V, y: Self::V) -> Self::V;
    /// x where `mask` is negative, y elsewhere.
    fn choose(self, mask: Self::V, x: Self::V, y: Self::V) -> Self::V;
    /// 2x − y. Doubling is exact, so that it may be fused with what follows: one operation instead of two, and the same bits.
    fn twice_less(self, x: Self::V, y: Self::V) -> Self::V;
    /// x − 2y, likewise.
    fn less_twice(self, x: Self::V, y: Self::V) -> Self::V;
    /// `first`, and all of x but the last.
    fn up(self, first: f64, x: Self::V) -> Self::V;
    /// All of x but the first, and `last`.
    fn down(self, x: Self::V, last: f64) -> Self::V;
}

/// Operations on eight numbers.
pub(crate) trait Simd: Words<Numbers = [f64; LANES]> {
    /// How many eights with their velocities stay in registers: the loops over steps keep so many going at a time.
    const GROUP: usize;
    /// Words for a single vector of the machine: for loops without sums, whose bits do not depend on how wide it is.
    type One: Words;

    fn one(self) -> Self::One;
    /// ((x₀ + x₄) + (x₂ + x₆)) + ((x₁ + x₅) + (x₃ + x₇)).
    fn sum(self, x: Self::V) -> f64;
}

/// What every machine has: the words, and the reference.
#[cfg_attr(target_arch = "x86_64", cfg(test))]
#[derive(Clone, Copy)]
pub(crate) struct Arrays<const N: usize>;

#[cfg_attr(target_arch = "x86_64", cfg(test))]
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
    fn up(self, first: f64, x: Self::V) -> Self::V {
        std::array::from_fn(|i| if i == 0 { first } else { x[i - 1] })
    }

    #[inline(always)]
    fn down(self, x: Self::V, last: f64) -> Self::V {
        std::array::from_fn(|i| *x.get(i + 1).unwrap_or(&last))
    }
}

#[cfg_attr(target_arch = "x86_64", cfg(test))]
impl Simd for Arrays<LANES> {
    const GROUP: usize = 1;
    type One = Self;

    #[inline(always)]
    fn one(self) -> Self {
        self
    }

    #[inline(always)]
    fn sum(self, x: Self::V) -> f64 {
        crate::lanes::fold(x)
    }
}

/// Implements [`Words`] for `$count` vectors of `$width` numbers by their instructions.
macro_rules! by_vectors {
    ($(#[$meta:meta])* $name:ident: $count:literal x $width:literal x $vector:ty, $splat:ident, $load:ident, $store:ident, $add:ident, $sub:ident, $mul:ident, $choose:ident, $twice_less:expr, $less_twice:expr, $up:ident, $down:ident) => {
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
        impl Words for $name {
            type V = [$vector; $count];
            type Numbers = [f64; $count * $width];

            #[inline(always)]
            fn splat(self, x: f64) -> Self::V {
                // SAFETY: the type proves the instructions.
                [unsafe { $splat(x) }; $count]
            }

            #[inline(always)]
            fn load(self, from: &Self::Numbers) -> Self::V {
                // SAFETY: the type proves the instructions, and the numbers are there.
                std::array::from_fn(|i| unsafe { $load(from.as_ptr().add(i * $width)) })
            }

            #[inline(always)]
            fn store(self, to: &mut Self::Numbers, x: Self::V) {
                for (i, x) in x.into_iter().enumerate() {
                    // SAFETY: the type proves the instructions, and the numbers are there.
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

            #[inline(always)]
            fn up(self, first: f64, x: Self::V) -> Self::V {
                // SAFETY: the type proves the instructions.
                std::array::from_fn(|i| unsafe { $up(if i == 0 { $splat(first) } else { x[i - 1] }, x[i]) })
            }

            #[inline(always)]
            fn down(self, x: Self::V, last: f64) -> Self::V {
                // SAFETY: the type proves the instructions.
                std::array::from_fn(|i| unsafe { $down(x[i], if i + 1 < x.len() { x[i + 1] } else { $splat(last) }) })
            }
        }
    };
}

/// Implements [`Simd`] for eight numbers and names the words for a single vector.
macro_rules! eights {
    ($name:ident, one $one:ident, group $group:literal, $sum:expr) => {
        impl Simd for $name {
            const GROUP: usize = $group;
            type One = $one;

            #[inline(always)]
            fn one(self) -> $one {
                // SAFETY: both need the same instructions.
                unsafe { $one::new() }
            }

            #[inline(always)]
            fn sum(self, x: Self::V) -> f64 {
                // SAFETY: the type proves the instructions.
                unsafe { $sum(x) }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
pub(crate) mod x86 {
    use super::{Simd, Words};
    use std::arch::x86_64::{
        __m128d, __m256d, __m512d, _CMP_LT_OQ, _mm_add_pd, _mm_add_sd, _mm_and_pd, _mm_andnot_pd, _mm_cmplt_pd,
        _mm_cvtsd_f64, _mm_loadu_pd, _mm_mul_pd, _mm_or_pd, _mm_set1_pd, _mm_setzero_pd, _mm_shuffle_pd, _mm_storeu_pd,
        _mm_sub_pd, _mm_unpackhi_pd, _mm256_add_pd, _mm256_blendv_pd, _mm256_castpd256_pd128, _mm256_extractf128_pd,
        _mm256_fmsub_pd, _mm256_fnmadd_pd, _mm256_loadu_pd, _mm256_mul_pd, _mm256_permute2f128_pd, _mm256_set1_pd,
        _mm256_shuffle_pd, _mm256_storeu_pd, _mm256_sub_pd, _mm512_add_pd, _mm512_alignr_epi64, _mm512_castpd_si512,
        _mm512_castpd512_pd256, _mm512_castsi512_pd, _mm512_cmp_pd_mask, _mm512_extractf64x4_pd, _mm512_fmsub_pd,
        _mm512_fnmadd_pd, _mm512_loadu_pd, _mm512_mask_blend_pd, _mm512_mul_pd, _mm512_set1_pd, _mm512_setzero_pd,
        _mm512_storeu_pd, _mm512_sub_pd,
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

    /// The last of `before`, and all but the last of `x`.
    ///
    /// # Safety
    ///
    /// The machine must have SSE2.
    #[inline(always)]
    unsafe fn up2(before: __m128d, x: __m128d) -> __m128d {
        // SAFETY: as the caller promises.
        unsafe { _mm_shuffle_pd::<1>(before, x) }
    }

    /// All but the first of `x`, and the first of `after`.
    ///
    /// # Safety
    ///
    /// The machine must have SSE2.
    #[inline(always)]
    unsafe fn down2(x: __m128d, after: __m128d) -> __m128d {
        // SAFETY: as the caller promises.
        unsafe { _mm_shuffle_pd::<1>(x, after) }
    }

    /// As [`up2`].
    ///
    /// # Safety
    ///
    /// The machine must have AVX2.
    #[inline(always)]
    unsafe fn up4(before: __m256d, x: __m256d) -> __m256d {
        // SAFETY: as the caller promises.
        unsafe { _mm256_shuffle_pd::<0b0101>(_mm256_permute2f128_pd::<0x21>(before, x), x) }
    }

    /// As [`down2`].
    ///
    /// # Safety
    ///
    /// The machine must have AVX2.
    #[inline(always)]
    unsafe fn down4(x: __m256d, after: __m256d) -> __m256d {
        // SAFETY: as the caller promises.
        unsafe { _mm256_shuffle_pd::<0b0101>(x, _mm256_permute2f128_pd::<0x21>(x, after)) }
    }

    /// As [`up2`].
    ///
    /// # Safety
    ///
    /// The machine must have AVX-512.
    #[inline(always)]
    unsafe fn up8(before: __m512d, x: __m512d) -> __m512d {
        // SAFETY: as the caller promises.
        unsafe { _mm512_castsi512_pd(_mm512_alignr_epi64::<7>(_mm512_castpd_si512(x), _mm512_castpd_si512(before))) }
    }

    /// As [`down2`].
    ///
    /// # Safety
    ///
    /// The machine must have AVX-512.
    #[inline(always)]
    unsafe fn down8(x: __m512d, after: __m512d) -> __m512d {
        // SAFETY: as the caller promises.
        unsafe { _mm512_castsi512_pd(_mm512_alignr_epi64::<1>(_mm512_castpd_si512(after), _mm512_castpd_si512(x))) }
    }

    by_vectors! {
        /// 128-bit vectors, which every x86-64 has.
        Sse2: 4 x 2 x __m128d, _mm_set1_pd, _mm_loadu_pd, _mm_storeu_pd, _mm_add_pd, _mm_sub_pd, _mm_mul_pd, choose2,
        |x, y| _mm_sub_pd(_mm_add_pd(x, x), y), |x, y| _mm_sub_pd(x, _mm_add_pd(y, y)), up2, down2
    }
    by_vectors! {
        /// One of them.
        Sse2One: 1 x 2 x __m128d, _mm_set1_pd, _mm_loadu_pd, _mm_storeu_pd, _mm_add_pd, _mm_sub_pd, _mm_mul_pd, choose2,
        |x, y| _mm_sub_pd(_mm_add_pd(x, x), y), |x, y| _mm_sub_pd(x, _mm_add_pd(y, y)), up2, down2
    }
    eights! {
        Sse2, one Sse2One, group 1,
        |[a, b, c, d]: [__m128d; 4]| sum2(_mm_add_pd(_mm_add_pd(a, c), _mm_add_pd(b, d)))
    }

    by_vectors! {
        /// 256-bit vectors, and products fused with sums.
        Avx2: 2 x 4 x __m256d, _mm256_set1_pd, _mm256_loadu_pd, _mm256_storeu_pd, _mm256_add_pd, _mm256_sub_pd, _mm256_mul_pd, choose4,
        |x, y| _mm256_fmsub_pd(_mm256_set1_pd(2.0), x, y), |x, y| _mm256_fnmadd_pd(_mm256_set1_pd(2.0), y, x), up4, down4
    }
    by_vectors! {
        /// One of them.
        Avx2One: 1 x 4 x __m256d, _mm256_set1_pd, _mm256_loadu_pd, _mm256_storeu_pd, _mm256_add_pd, _mm256_sub_pd, _mm256_mul_pd, choose4,
        |x, y| _mm256_fmsub_pd(_mm256_set1_pd(2.0), x, y), |x, y| _mm256_fnmadd_pd(_mm256_set1_pd(2.0), y, x), up4, down4
    }
    eights! {
        Avx2, one Avx2One, group 3,
        |[a, b]: [__m256d; 2]| sum4(_mm256_add_pd(a, b))
    }

    by_vectors! {
        /// 512-bit vectors.
        Avx512: 1 x 8 x __m512d, _mm512_set1_pd, _mm512_loadu_pd, _mm512_storeu_pd, _mm512_add_pd, _mm512_sub_pd, _mm512_mul_pd, choose8,
        |x, y| _mm512_fmsub_pd(_mm512_set1_pd(2.0), x, y), |x, y| _mm512_fnmadd_pd(_mm512_set1_pd(2.0), y, x), up8, down8
    }
    eights! {
        Avx512, one Avx512, group 4,
        |[a]: [__m512d; 1]| sum4(_mm256_add_pd(_mm512_castpd512_pd256(a), _mm512_extractf64x4_pd::<1>(a)))
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
        for vector in
            [c, simd.choose(b, a, c), simd.twice_less(a, b), simd.less_twice(a, b), simd.up(0.3, a), simd.down(a, 0.7)]
        {
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
        let expected = work(Arrays::<LANES>, &x, &y);
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
