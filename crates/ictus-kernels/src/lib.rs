//! The inner loops of ictus: plain Rust that the compiler vectorises, or explicit SIMD over eight lanes on x86-64, aarch64 and WebAssembly.
//! On x86-64 each kernel is compiled for the baseline and for wider vectors, and dispatched at run time; other targets have one version.
//!
//! Every version computes the same bits: element-wise loops round each operation separately, sums run in eight fixed
//! lanes, and no multiply-add is fused unless the result is identical. [`Level`] can be [forced](force), so that tests compare the versions.

mod aligned;
pub mod bank;
mod bessel;
pub mod collision;
mod dispatch;
pub mod feed;
mod float_mode;
pub mod free_plate;
pub mod free_run;
pub mod gap;
mod grid;
mod groups;
mod lanes;
pub mod modes;
#[cfg(test)]
mod noise;
pub mod power;
pub mod probe;
pub mod ring;
mod simd;
mod single;
pub mod single_port;
pub mod string;
pub mod surface;
pub mod symmetric;

pub use aligned::{Aligned, spaced};
pub use bessel::bessel_i0;
pub use dispatch::{Level, force, level};
pub use float_mode::FloatMode;
pub use lanes::{Flaws, LANES, all_between, dot, dot_both, dot3, flaws, flush, sum_of_squares};
pub use single::single;
