//! The inner loops of ictus: plain Rust that the compiler vectorises, or eight numbers side by side in the vectors of x86-64, aarch64 and WebAssembly.
//! On x86-64 each is compiled for the baseline and for wider vectors, and chosen when the program runs; elsewhere there is one version.
//!
//! Every version computes the same bits: element-wise loops round each operation on its own, sums run in eight fixed
//! lanes, and nothing is fused that would round otherwise. [`Level`] can be [forced](force), so that tests compare them.

mod aligned;
pub mod bank;
pub mod coast;
pub mod collision;
mod dispatch;
pub mod feed;
pub mod free_plate;
pub mod gap;
mod grid;
mod groups;
mod lanes;
pub mod modes;
pub mod one_port;
pub mod power;
pub mod probe;
pub mod ring;
mod simd;
mod single;
pub mod string;
pub mod surface;

pub use aligned::{Aligned, spaced};
pub use dispatch::{Level, force, level};
pub use lanes::{Flaws, LANES, all_between, dot, dot3, flaws, flush, sum_of_squares};
pub use single::single;
