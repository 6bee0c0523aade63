//! Spectra of the pushes that a file can state.

use std::f64::consts::PI;

/// Spectrum of straight lines between frames at f over the sample rate: sinc².
pub fn line_spectrum(x: f64) -> f64 {
    let sinc = if x.abs() < 1e-6 { 1.0 } else { libm::sin(PI * x) / (PI * x) };
    sinc * sinc
}

/// Spectrum of a raised cosine of length d at f d, 1 at zero: sinc(fd)/(1 − (fd)²), a half at fd = 1.
pub fn pulse_spectrum(x: f64) -> f64 {
    match x.min(1.5) {
        x if x < 1e-6 => 1.0,
        x if (x - 1.0).abs() < 1e-6 => 0.5,
        x => libm::sin(PI * x) / (PI * x * (1.0 - x * x)),
    }
}
