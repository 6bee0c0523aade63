//! Fourier transforms of real signals. They are planned here and nowhere else: a generic function that plans one is compiled with all kinds of transforms there are in every
//! program that calls it, which takes a minute each.

use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
use std::sync::Arc;

/// From a signal of so many samples to its spectrum.
#[inline(never)]
pub(crate) fn forward(length: usize) -> Arc<dyn RealToComplex<f64>> {
    RealFftPlanner::new().plan_fft_forward(length)
}

/// From a spectrum back to a signal of so many samples, times their number.
#[inline(never)]
pub(crate) fn inverse(length: usize) -> Arc<dyn ComplexToReal<f64>> {
    RealFftPlanner::new().plan_fft_inverse(length)
}
