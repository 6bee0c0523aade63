//! x86-64: vectors of two, four and eight lanes.

use super::Simd;
use crate::lanes::LANES;
use std::arch::x86_64::{
    __m128d, __m256d, __m512d, _CMP_LT_OQ, _mm_add_pd, _mm_add_sd, _mm_and_pd, _mm_andnot_pd, _mm_cmplt_pd,
    _mm_cvtsd_f64, _mm_loadu_pd, _mm_mul_pd, _mm_or_pd, _mm_set1_pd, _mm_setzero_pd, _mm_shuffle_pd, _mm_storeu_pd,
    _mm_sub_pd, _mm_unpackhi_pd, _mm256_add_pd, _mm256_blendv_pd, _mm256_castpd256_pd128, _mm256_extractf128_pd,
    _mm256_fmsub_pd, _mm256_fnmadd_pd, _mm256_loadu_pd, _mm256_mul_pd, _mm256_permute2f128_pd, _mm256_set1_pd,
    _mm256_shuffle_pd, _mm256_storeu_pd, _mm256_sub_pd, _mm256_unpackhi_pd, _mm256_unpacklo_pd, _mm512_add_pd,
    _mm512_alignr_epi64, _mm512_castpd_si512, _mm512_castpd512_pd256, _mm512_castsi512_pd, _mm512_cmp_pd_mask,
    _mm512_extractf64x4_pd, _mm512_fmsub_pd, _mm512_fnmadd_pd, _mm512_loadu_pd, _mm512_mask_blend_pd, _mm512_mul_pd,
    _mm512_set1_pd, _mm512_setzero_pd, _mm512_shuffle_f64x2, _mm512_storeu_pd, _mm512_sub_pd, _mm512_unpackhi_pd,
    _mm512_unpacklo_pd,
};

/// # Safety
///
/// The CPU must have SSE2.
#[inline(always)]
unsafe fn sum2(x: __m128d) -> f64 {
    // SAFETY: every x86-64 CPU has SSE2; only this module calls the function
    unsafe { _mm_cvtsd_f64(_mm_add_sd(x, _mm_unpackhi_pd(x, x))) }
}

/// # Safety
///
/// The CPU must have AVX2.
#[inline(always)]
unsafe fn sum4(x: __m256d) -> f64 {
    // SAFETY: the CPU has AVX2: only methods of `Avx2` and `Avx512` call the function, and `dispatch` makes those values after detecting the instructions
    unsafe { sum2(_mm_add_pd(_mm256_castpd256_pd128(x), _mm256_extractf128_pd::<1>(x))) }
}

/// Sums eight numbers in the order of [`Simd::sum`], as do the two functions below. Functions, because closures would be compiled for the baseline and might stay calls.
///
/// # Safety
///
/// The CPU must have SSE2.
#[inline(always)]
unsafe fn sum_by2([a, b, c, d]: [__m128d; 4]) -> f64 {
    // SAFETY: every x86-64 CPU has SSE2; only this module calls the function
    unsafe { sum2(_mm_add_pd(_mm_add_pd(a, c), _mm_add_pd(b, d))) }
}

/// # Safety
///
/// The CPU must have AVX2.
#[inline(always)]
unsafe fn sum_by4([a, b]: [__m256d; 2]) -> f64 {
    // SAFETY: the CPU has AVX2: only methods of `Avx2` and `Avx512` call the function, and `dispatch` makes those values after detecting the instructions
    unsafe { sum4(_mm256_add_pd(a, b)) }
}

/// # Safety
///
/// The CPU must have AVX-512F.
#[inline(always)]
unsafe fn sum_by8([a]: [__m512d; 1]) -> f64 {
    // SAFETY: the CPU has AVX-512F: only methods of `Avx512` call the function, and `dispatch` makes that value after detecting the instructions
    unsafe { sum4(_mm256_add_pd(_mm512_castpd512_pd256(a), _mm512_extractf64x4_pd::<1>(a))) }
}

/// # Safety
///
/// The CPU must have SSE2.
#[inline(always)]
unsafe fn choose2(mask: __m128d, x: __m128d, y: __m128d) -> __m128d {
    // SAFETY: every x86-64 CPU has SSE2; only this module calls the function
    unsafe {
        let negative = _mm_cmplt_pd(mask, _mm_setzero_pd());
        _mm_or_pd(_mm_and_pd(negative, x), _mm_andnot_pd(negative, y))
    }
}

/// # Safety
///
/// The CPU must have AVX2.
#[inline(always)]
unsafe fn choose4(mask: __m256d, x: __m256d, y: __m256d) -> __m256d {
    // SAFETY: the CPU has AVX2: only methods of `Avx2` and `Avx512` call the function, and `dispatch` makes those values after detecting the instructions
    unsafe { _mm256_blendv_pd(y, x, mask) }
}

/// # Safety
///
/// The CPU must have AVX-512F.
#[inline(always)]
unsafe fn choose8(mask: __m512d, x: __m512d, y: __m512d) -> __m512d {
    // SAFETY: the CPU has AVX-512F: only methods of `Avx512` call the function, and `dispatch` makes that value after detecting the instructions
    unsafe { _mm512_mask_blend_pd(_mm512_cmp_pd_mask::<_CMP_LT_OQ>(mask, _mm512_setzero_pd()), y, x) }
}

/// The last lane of `before`, then all lanes of `x` but the last.
///
/// # Safety
///
/// The CPU must have SSE2.
#[inline(always)]
unsafe fn up2(before: __m128d, x: __m128d) -> __m128d {
    // SAFETY: every x86-64 CPU has SSE2; only this module calls the function
    unsafe { _mm_shuffle_pd::<1>(before, x) }
}

/// All lanes of `x` but the first, then the first lane of `after`.
///
/// # Safety
///
/// The CPU must have SSE2.
#[inline(always)]
unsafe fn down2(x: __m128d, after: __m128d) -> __m128d {
    // SAFETY: every x86-64 CPU has SSE2; only this module calls the function
    unsafe { _mm_shuffle_pd::<1>(x, after) }
}

/// As [`up2`].
///
/// # Safety
///
/// The CPU must have AVX2.
#[inline(always)]
unsafe fn up4(before: __m256d, x: __m256d) -> __m256d {
    // SAFETY: the CPU has AVX2: only methods of `Avx2` and `Avx512` call the function, and `dispatch` makes those values after detecting the instructions
    unsafe { _mm256_shuffle_pd::<0b0101>(_mm256_permute2f128_pd::<0x21>(before, x), x) }
}

/// As [`down2`].
///
/// # Safety
///
/// The CPU must have AVX2.
#[inline(always)]
unsafe fn down4(x: __m256d, after: __m256d) -> __m256d {
    // SAFETY: the CPU has AVX2: only methods of `Avx2` and `Avx512` call the function, and `dispatch` makes those values after detecting the instructions
    unsafe { _mm256_shuffle_pd::<0b0101>(x, _mm256_permute2f128_pd::<0x21>(x, after)) }
}

/// As [`up2`].
///
/// # Safety
///
/// The CPU must have AVX-512F.
#[inline(always)]
unsafe fn up8(before: __m512d, x: __m512d) -> __m512d {
    // SAFETY: the CPU has AVX-512F: only methods of `Avx512` call the function, and `dispatch` makes that value after detecting the instructions
    unsafe { _mm512_castsi512_pd(_mm512_alignr_epi64::<7>(_mm512_castpd_si512(x), _mm512_castpd_si512(before))) }
}

/// As [`down2`].
///
/// # Safety
///
/// The CPU must have AVX-512F.
#[inline(always)]
unsafe fn down8(x: __m512d, after: __m512d) -> __m512d {
    // SAFETY: the CPU has AVX-512F: only methods of `Avx512` call the function, and `dispatch` makes that value after detecting the instructions
    unsafe { _mm512_castsi512_pd(_mm512_alignr_epi64::<1>(_mm512_castpd_si512(after), _mm512_castpd_si512(x))) }
}

/// The sums of four rows of eight: adds both halves of every row, then pairs of half-rows in two rounds, in the order of [`Simd::sum`].
///
/// # Safety
///
/// The CPU must have AVX2.
#[inline(always)]
unsafe fn sums_of_four([a, b, c, d]: &[[f64; LANES]; 4]) -> __m256d {
    // SAFETY: the CPU has AVX2: only methods of `Avx2` and `Avx512` call the function, and `dispatch` makes those values after detecting the instructions
    unsafe {
        let (even, odd) = (halves4(folded4(a), folded4(c)), halves4(folded4(b), folded4(d)));
        _mm256_add_pd(_mm256_unpacklo_pd(even, odd), _mm256_unpackhi_pd(even, odd))
    }
}

/// The first four lanes plus the last four.
///
/// # Safety
///
/// The CPU must have AVX2.
#[inline(always)]
unsafe fn folded4(row: &[f64; LANES]) -> __m256d {
    // SAFETY: the CPU has AVX2: only methods of `Avx2` and `Avx512` call the function, and `dispatch` makes those values after detecting the instructions; `row` holds eight numbers
    unsafe { _mm256_add_pd(_mm256_loadu_pd(row.as_ptr()), _mm256_loadu_pd(row.as_ptr().add(4))) }
}

/// Both halves of x added, then both halves of y added.
///
/// # Safety
///
/// The CPU must have AVX2.
#[inline(always)]
unsafe fn halves4(x: __m256d, y: __m256d) -> __m256d {
    // SAFETY: the CPU has AVX2: only methods of `Avx2` and `Avx512` call the function, and `dispatch` makes those values after detecting the instructions
    unsafe { _mm256_add_pd(_mm256_permute2f128_pd::<0x20>(x, y), _mm256_permute2f128_pd::<0x31>(x, y)) }
}

/// # Safety
///
/// The CPU must have AVX2.
#[inline(always)]
unsafe fn sums4(rows: &[[f64; LANES]; LANES]) -> [f64; LANES] {
    let mut sums = [0.0; LANES];
    for (sums, rows) in sums.as_chunks_mut::<4>().0.iter_mut().zip(rows.as_chunks::<4>().0) {
        // SAFETY: the CPU has AVX2: only methods of `Avx2` and `Avx512` call the function, and `dispatch` makes those values after detecting the instructions; `sums` holds four numbers
        unsafe { _mm256_storeu_pd(sums.as_mut_ptr(), sums_of_four(rows)) };
    }
    sums
}

/// Both halves of x added, then both halves of y added.
///
/// # Safety
///
/// The CPU must have AVX-512F.
#[inline(always)]
unsafe fn halves8(x: __m512d, y: __m512d) -> __m512d {
    // SAFETY: the CPU has AVX-512F: only methods of `Avx512` call the function, and `dispatch` makes that value after detecting the instructions
    unsafe { _mm512_add_pd(_mm512_shuffle_f64x2::<0x44>(x, y), _mm512_shuffle_f64x2::<0xee>(x, y)) }
}

/// Both halves of each half added, for x and then for y.
///
/// # Safety
///
/// The CPU must have AVX-512F.
#[inline(always)]
unsafe fn quarters8(x: __m512d, y: __m512d) -> __m512d {
    // SAFETY: the CPU has AVX-512F: only methods of `Avx512` call the function, and `dispatch` makes that value after detecting the instructions
    unsafe { _mm512_add_pd(_mm512_shuffle_f64x2::<0x88>(x, y), _mm512_shuffle_f64x2::<0xdd>(x, y)) }
}

/// Four rows reduced except for the last round: a pair of lanes each.
///
/// # Safety
///
/// The CPU must have AVX-512F.
#[inline(always)]
unsafe fn quartered8([a, b, c, d]: [&[f64; LANES]; 4]) -> __m512d {
    // SAFETY: the CPU has AVX-512F: only methods of `Avx512` call the function, and `dispatch` makes that value after detecting the instructions; each row holds eight numbers
    unsafe {
        let (one, other) = (
            halves8(_mm512_loadu_pd(a.as_ptr()), _mm512_loadu_pd(b.as_ptr())),
            halves8(_mm512_loadu_pd(c.as_ptr()), _mm512_loadu_pd(d.as_ptr())),
        );
        quarters8(one, other)
    }
}

/// The sums of eight rows: pairs of half-vectors are added in each of three rounds, in the order of [`Simd::sum`].
///
/// # Safety
///
/// The CPU must have AVX-512F.
#[inline(always)]
unsafe fn sums8([r0, r1, r2, r3, r4, r5, r6, r7]: &[[f64; LANES]; LANES]) -> [f64; LANES] {
    let mut sums = [0.0; LANES];
    // SAFETY: the CPU has AVX-512F: only methods of `Avx512` call the function, and `dispatch` makes that value after detecting the instructions; `sums` holds eight numbers
    unsafe {
        let (even, odd) = (quartered8([r0, r2, r4, r6]), quartered8([r1, r3, r5, r7]));
        let eighths = _mm512_add_pd(_mm512_unpacklo_pd(even, odd), _mm512_unpackhi_pd(even, odd));
        _mm512_storeu_pd(sums.as_mut_ptr(), eighths);
    }
    sums
}

by_vectors! {
    /// 128-bit vectors, which every x86-64 has.
    Sse2: 4 [0 1 2 3] x 2 x __m128d, _mm_set1_pd, _mm_loadu_pd, _mm_storeu_pd, _mm_add_pd, _mm_sub_pd, _mm_mul_pd, choose2,
    |x, y| _mm_sub_pd(_mm_add_pd(x, x), y), |x, y| _mm_sub_pd(x, _mm_add_pd(y, y)), up2, down2,
    group 1, sum_by2
}

by_vectors! {
    /// 256-bit vectors, and fused multiply-add.
    Avx2: 2 [0 1] x 4 x __m256d, _mm256_set1_pd, _mm256_loadu_pd, _mm256_storeu_pd, _mm256_add_pd, _mm256_sub_pd, _mm256_mul_pd, choose4,
    |x, y| _mm256_fmsub_pd(_mm256_set1_pd(2.0), x, y), |x, y| _mm256_fnmadd_pd(_mm256_set1_pd(2.0), y, x), up4, down4,
    group 3 crowded true, sum_by4, sums sums4
}

by_vectors! {
    /// 512-bit vectors.
    Avx512: 1 [0] x 8 x __m512d, _mm512_set1_pd, _mm512_loadu_pd, _mm512_storeu_pd, _mm512_add_pd, _mm512_sub_pd, _mm512_mul_pd, choose8,
    |x, y| _mm512_fmsub_pd(_mm512_set1_pd(2.0), x, y), |x, y| _mm512_fnmadd_pd(_mm512_set1_pd(2.0), y, x), up8, down8,
    group 5, sum_by8, sums sums8
}

/// The instructions every machine of the target has.
#[inline(always)]
pub(crate) fn baseline() -> Sse2 {
    // SAFETY: every x86-64 has SSE2.
    unsafe { Sse2::new() }
}
