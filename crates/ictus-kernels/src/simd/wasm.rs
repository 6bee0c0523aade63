//! WebAssembly: vectors of two numbers. A module that has them does not load where they are missing, so nobody has to be asked.

// most of these instructions are safe to call in all modules that are compiled with them; the macro cannot know
#![allow(unused_unsafe)]

use super::{LANES, Simd};
use std::arch::wasm32::{
    f64x2_add, f64x2_extract_lane, f64x2_lt, f64x2_mul, f64x2_splat, f64x2_sub, v128, v128_bitselect, v128_load,
    v128_store,
};

/// # Safety
///
/// Two numbers must be there.
#[inline(always)]
unsafe fn load2(from: *const f64) -> v128 {
    // SAFETY: as the caller promises; any alignment will do.
    unsafe { v128_load(from.cast()) }
}

/// # Safety
///
/// Two numbers must be there, and nobody else hold them.
#[inline(always)]
unsafe fn store2(to: *mut f64, x: v128) {
    // SAFETY: as the caller promises; any alignment will do.
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

// one eight at a time: the machine below may have 16 registers only
by_vectors! {
    /// 128-bit vectors, in modules compiled with `-C target-feature=+simd128`.
    Simd128: 2 x v128, groups [1; 5], f64x2_splat, load2, store2, f64x2_add, f64x2_sub, f64x2_mul,
    |[a, b, c, d]: [v128; 4]| sum2(f64x2_add(f64x2_add(a, c), f64x2_add(b, d))),
    choose2
}

/// What every machine of the target has.
#[inline(always)]
pub(crate) fn baseline() -> Simd128 {
    // SAFETY: this file is compiled only into modules with these vectors.
    unsafe { Simd128::new() }
}
