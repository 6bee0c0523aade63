//! aarch64: two-lane vectors.
//!
//! Multiplication and addition stay separate except for doubling: the compiler fuses only on request (`vfmaq_f64`, `mul_add`).

use super::Simd;
use crate::lanes::LANES;
use std::arch::aarch64::{
    float64x2_t, vaddq_f64, vbslq_f64, vcltzq_f64, vdupq_n_f64, vextq_f64, vfmaq_f64, vfmsq_f64, vgetq_lane_f64,
    vld1q_f64, vmulq_f64, vnegq_f64, vst1q_f64, vsubq_f64,
};

/// # Safety
///
/// The CPU must have NEON.
#[inline(always)]
unsafe fn sum2(x: float64x2_t) -> f64 {
    // SAFETY: the CPU has NEON: the module is compiled only for `target_feature = "neon"`, see the `cfg` in simd.rs
    unsafe { vgetq_lane_f64::<0>(x) + vgetq_lane_f64::<1>(x) }
}

/// # Safety
///
/// The CPU must have NEON.
#[inline(always)]
unsafe fn choose2(mask: float64x2_t, x: float64x2_t, y: float64x2_t) -> float64x2_t {
    // SAFETY: the CPU has NEON: the module is compiled only for `target_feature = "neon"`, see the `cfg` in simd.rs
    unsafe { vbslq_f64(vcltzq_f64(mask), x, y) }
}

/// 2x − y: doubling is exact, so fusing it changes no bit.
///
/// # Safety
///
/// The CPU must have NEON.
#[inline(always)]
unsafe fn twice_less2(x: float64x2_t, y: float64x2_t) -> float64x2_t {
    // SAFETY: the CPU has NEON: the module is compiled only for `target_feature = "neon"`, see the `cfg` in simd.rs
    unsafe { vfmaq_f64(vnegq_f64(y), vdupq_n_f64(2.0), x) }
}

/// x − 2y, fused likewise.
///
/// # Safety
///
/// The CPU must have NEON.
#[inline(always)]
unsafe fn less_twice2(x: float64x2_t, y: float64x2_t) -> float64x2_t {
    // SAFETY: the CPU has NEON: the module is compiled only for `target_feature = "neon"`, see the `cfg` in simd.rs
    unsafe { vfmsq_f64(x, vdupq_n_f64(2.0), y) }
}

/// The last lane of `before`, then the first lane of `x`.
///
/// # Safety
///
/// The CPU must have NEON.
#[inline(always)]
unsafe fn up2(before: float64x2_t, x: float64x2_t) -> float64x2_t {
    // SAFETY: the CPU has NEON: the module is compiled only for `target_feature = "neon"`, see the `cfg` in simd.rs
    unsafe { vextq_f64::<1>(before, x) }
}

// two lane blocks with their velocities take 16 of 32 registers; their eight chains cover four units with a latency of three to four cycles
by_vectors! {
    /// 128-bit vectors, which every 64-bit ARM processor with an operating system has.
    Neon: 4 [0 1 2 3] x 2 x float64x2_t, vdupq_n_f64, vld1q_f64, vst1q_f64, vaddq_f64, vsubq_f64, vmulq_f64, choose2,
    twice_less2, less_twice2, up2, up2,
    group 2, |[a, b, c, d]: [float64x2_t; 4]| sum2(vaddq_f64(vaddq_f64(a, c), vaddq_f64(b, d)))
}

/// The instructions every machine of the target has.
#[inline(always)]
pub(crate) fn baseline() -> Neon {
    // SAFETY: this module is compiled only if `target_feature = "neon"`, see the `cfg` in simd.rs
    unsafe { Neon::new() }
}
