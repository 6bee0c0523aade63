//! Rough surfaces: noise whose power falls as 1/f^β, and profiles made of it.
//!
//! White noise through a cascade of N first-order sections, each with a real pole and a real zero above it [SO8 eq. 8.22–8.26]:
//!
//! > f_p,i = f_p,1 10^((i−1)/h),   f_0,i = f_p,i 10^(β/2h),   H_i(z) = (1 + b_i z⁻¹)/(1 + a_i z⁻¹),
//! > a_i = −e^(−2π f_p,i T),   b_i = −e^(−2π f_0,i T)
//!
//! (the chapter prints a and b without their signs [handbook §4]). Pairs of sections are the chapter's biquads [eq. 8.29].
//! Limits: the slope is β between f_p,1 and f_p,1 10^(N/h), flat below. With f_p,1 = 2 Hz and N = 4h at 44.1 kHz a line through
//! 10 Hz … 5 kHz has the slope −β to .008 for β from .5 to 2 at any density h ≥ 2; the ripple falls with h.

mod envelope;
mod profile;
mod white;

pub use profile::{Profile, Roughness};
pub use white::White;

use std::f64::consts::TAU;

/// Random stream reserved for surfaces.
const STREAM: u64 = u64::MAX;

/// One pole and one zero.
#[derive(Clone, Copy, Debug)]
struct Section {
    a: f64,
    b: f64,
    x: f64, // last input
    y: f64, // last output
}

/// The cascade that turns white noise into 1/f^β noise.
#[derive(Clone, Debug)]
pub struct FractalFilter {
    sections: Vec<Section>,
}

impl FractalFilter {
    /// Slope `beta`, from `lowest` (Hz) upwards over `decades` with `density` poles per decade, at `rate` (Hz). Frequencies may also be
    /// per metre.
    pub fn new(beta: f64, lowest: f64, density: u32, decades: u32, rate: f64) -> Self {
        let h = f64::from(density.max(1));
        let sections = (0..density.max(1) * decades)
            .map(|i| {
                let pole = lowest * libm::pow(10.0, f64::from(i) / h);
                let zero = pole * libm::pow(10.0, 0.5 * beta / h);
                let at = |frequency: f64| -libm::exp(-TAU * frequency / rate);
                Section { a: at(pole), b: at(zero), x: 0.0, y: 0.0 }
            })
            .collect();
        Self { sections }
    }

    /// One sample.
    pub fn next(&mut self, input: f64) -> f64 {
        let mut value = input;
        for section in &mut self.sections {
            let y = value + section.b * section.x - section.a * section.y;
            (section.x, section.y) = (value, y);
            value = y;
        }
        value
    }

    /// |H|² at a frequency given in cycles per sample.
    pub fn power(&self, cycles: f64) -> f64 {
        // |1 + c e^(−iθ)|² with c = −e^(−…) near −1 as (1 + c)² − 4c sin²(θ/2), free of cancellation
        let half = libm::sin(0.5 * TAU * cycles);
        let factor = |c: f64| (1.0 + c) * (1.0 + c) - 4.0 * c * half * half;
        self.sections.iter().map(|section| factor(section.b) / factor(section.a)).product()
    }
}

/// Endless 1/f^β noise, deterministic for a given seed.
#[derive(Clone, Debug)]
pub struct FractalNoise {
    filter: FractalFilter,
    white: White,
}

impl FractalNoise {
    /// Normally distributed white noise of variance 1 through `filter`, from `settle` samples on: the noise is stationary a few periods of the lowest
    /// frequency after its start from rest.
    pub fn new(filter: FractalFilter, seed: u64, settle: usize) -> Self {
        let mut noise = Self { filter, white: White::new(seed, STREAM) };
        for _ in 0..settle {
            noise.next();
        }
        noise
    }
}

impl Iterator for FractalNoise {
    type Item = f64;

    fn next(&mut self) -> Option<f64> {
        let white = self.white.normal();
        Some(self.filter.next(white))
    }
}
