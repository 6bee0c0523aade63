//! WebAssembly: two-lane vectors. A module compiled with simd128 does not load on engines without it, so no detection is needed.

// most of these intrinsics are safe in modules compiled with simd128; the macro wraps all of them in `unsafe`
#![allow(unused_unsafe)]

use super::Simd;
use crate::lanes::LANES;
use std::arch::wasm32::{
    f64x2_add, f64x2_extract_lane, f64x2_lt, f64x2_mul, f64x2_splat, f64x2_sub, i64x2_shuffle, v128, v128_bitselect,
    v128_load, v128_store,
};

/// # Safety
///
/// `from` must be valid for reading two numbers.
#[inline(always)]
unsafe fn load2(from: *const f64) -> v128 {
    // SAFETY: `from` is valid for two numbers, as the callers in `by_vectors` ensure, which pass references to such arrays; `v128_load` accepts any alignment
    unsafe { v128_load(from.cast()) }
}

/// # Safety
///
/// `to` must be valid for writing two numbers.
#[inline(always)]
unsafe fn store2(to: *mut f64, x: v128) {
    // SAFETY: `to` is valid for two numbers, as the callers in `by_vectors` ensure, which pass references to such arrays; `v128_store` accepts any alignment
    unsafe { v128_store(to.cast(), x) }
}

#[inline(always)]
fn sum2(x: v128) -> f64 {
    f64x2_extract_lane::<0>(x) + f64x2_extract_lane::<1>(x)
}

#[inline(always)]
fn choose2(mask: v128, x: v128, y: v128) -> v128 {
    v128_bitselect(x, y, f64x2_lt(mask, f64x2_splat(0.0)))
}

#[inline(always)]
fn twice_less2(x: v128, y: v128) -> v128 {
    f64x2_sub(f64x2_add(x, x), y)
}

#[inline(always)]
fn less_twice2(x: v128, y: v128) -> v128 {
    f64x2_sub(x, f64x2_add(y, y))
}

/// The last lane of `before`, then the first lane of `x`.
#[inline(always)]
fn up2(before: v128, x: v128) -> v128 {
    i64x2_shuffle::<1, 2>(before, x)
}

// one lane block at a time: the host may have only 16 registers
by_vectors! {
    /// 128-bit vectors, in modules compiled with `-C target-feature=+simd128`.
    Simd128: 4 [0 1 2 3] x 2 x v128, f64x2_splat, load2, store2, f64x2_add, f64x2_sub, f64x2_mul, choose2,
    twice_less2, less_twice2, up2, up2,
    group 1, |[a, b, c, d]: [v128; 4]| sum2(f64x2_add(f64x2_add(a, c), f64x2_add(b, d)))
}

/// The instructions every machine of the target has.
#[inline(always)]
pub(crate) fn baseline() -> Simd128 {
    // SAFETY: this module is compiled only if `target_feature = "simd128"`, see the `cfg` in simd.rs
    unsafe { Simd128::new() }
}
