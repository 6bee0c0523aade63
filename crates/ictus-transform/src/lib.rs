//! Fourier transforms of real signals. They are planned here and nowhere else: a generic function that plans one is compiled with all kinds of transforms there are in every
//! crate and every program that calls it, which takes a minute each.

pub use realfft::num_complex::Complex64;
pub use realfft::{ComplexToReal, RealToComplex};

use realfft::RealFftPlanner;
use std::sync::Arc;

/// From a signal of so many samples to its spectrum.
#[inline(never)]
pub fn forward(length: usize) -> Arc<dyn RealToComplex<f64>> {
    RealFftPlanner::new().plan_fft_forward(length)
}

/// From a spectrum back to a signal of so many samples, times their number.
#[inline(never)]
pub fn inverse(length: usize) -> Arc<dyn ComplexToReal<f64>> {
    RealFftPlanner::new().plan_fft_inverse(length)
}
