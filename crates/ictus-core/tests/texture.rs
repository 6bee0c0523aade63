//! Fractal noise has the specified slope.

use ictus_analysis::Window;
use ictus_analysis::spectrum::Spectrum;
use ictus_core::{FractalFilter, FractalNoise, Profile, Roughness};

const RATE: f64 = 44_100.0;
/// Half a decade inside the ladder of poles at either end.
const BAND: (f64, f64) = (10.0, 5000.0);
/// Bands per decade over which the power is averaged before the line is drawn.
const PER_DECADE: u32 = 10;

fn filter(beta: f64, density: u32) -> FractalFilter {
    FractalFilter::new(beta, 2.0, density, 4, RATE)
}

/// Slope of a straight line through (x, y).
fn slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let (mx, my) = (points.iter().map(|p| p.0).sum::<f64>() / n, points.iter().map(|p| p.1).sum::<f64>() / n);
    let above: f64 = points.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum();
    above / points.iter().map(|p| (p.0 - mx) * (p.0 - mx)).sum::<f64>()
}

/// Mean power in bands of equal ratio, log10 of both.
fn banded(power: impl Fn(f64, f64) -> f64) -> Vec<(f64, f64)> {
    let decades = libm::log10(BAND.1 / BAND.0);
    let count = (decades * f64::from(PER_DECADE)).round() as u32;
    let edge = |i: u32| BAND.0 * libm::pow(10.0, decades * f64::from(i) / f64::from(count));
    (0..count)
        .map(|i| {
            let (low, high) = (edge(i), edge(i + 1));
            (libm::log10((low * high).sqrt()), libm::log10(power(low, high)))
        })
        .collect()
}

#[test]
fn the_cascade_has_the_slope() {
    for density in [2, 4, 6] {
        for beta in [0.5, 1.0, 1.5, 1.81, 2.0] {
            let filter = filter(beta, density);
            let points = banded(|low, high| filter.power((low * high).sqrt() / RATE));
            let error = slope(&points) + beta;
            println!("h = {density}, β = {beta}: slope off by {error:+.4}");
            assert!(error.abs() < 0.02);
        }
    }
}

/// The estimated spectrum of the noise itself, [handbook §4]: ±.02.
#[test]
fn the_noise_has_the_slope() {
    for beta in [0.5, 1.0, 1.5, 2.0] {
        let mut worst: f64 = 0.0;
        for seed in 1..=3 {
            let noise = FractalNoise::new(filter(beta, 4), seed, 4 * RATE as usize);
            let heights: Vec<f64> = noise.take(1 << 21).collect();
            let spectrum = Spectrum::of(&heights, RATE, Window::Hann);
            let points = banded(|low, high| {
                let bins = (low / spectrum.bin_hz).ceil() as usize..(high / spectrum.bin_hz).ceil() as usize;
                let count = bins.len() as f64;
                spectrum.amplitude[bins].iter().map(|a| a * a).sum::<f64>() / count
            });
            let error = slope(&points) + beta;
            println!("β = {beta}, seed {seed}: slope off by {error:+.4}");
            worst = worst.max(error.abs());
        }
        assert!(worst < 0.02, "β = {beta}: {worst}");
    }
}

#[test]
fn a_seed_determines_the_surface() {
    let draw = |seed| FractalNoise::new(filter(1.0, 4), seed, 0).take(100).collect::<Vec<f64>>();
    assert_eq!(draw(7), draw(7));
    assert_ne!(draw(7), draw(8));
}

/// The spectrum of heights over distance has its slope from three times the lowest wavenumber to a fifth of the highest. The few waves of
/// one period scatter more than a long noise does: ±.05.
#[test]
fn the_profile_has_the_slope() {
    for beta in [0.5, 1.0, 2.0, 3.0] {
        let roughness = Roughness { height: 1e-5, beta, coarsest: 0.1, finest: 1e-4, density: Roughness::DENSITY };
        let mut error = 0.0;
        for seed in 1..=4 {
            let profile = Profile::fractal(&roughness, seed);
            let heights: Vec<f64> =
                (0..Profile::POINTS).map(|i| profile.height(i as f64 * profile.spacing())).collect();
            let spectrum = Spectrum::of(&heights, 1.0 / profile.spacing(), Window::Hann);
            let (low, high) = (3.0 / roughness.coarsest, 0.2 / roughness.finest);
            let count = 18;
            let edge = |i: i32| low * libm::pow(high / low, f64::from(i) / f64::from(count));
            let points: Vec<(f64, f64)> = (0..count)
                .map(|i| {
                    let bins =
                        (edge(i) / spectrum.bin_hz).ceil() as usize..(edge(i + 1) / spectrum.bin_hz).ceil() as usize;
                    let number = bins.len() as f64;
                    let power = spectrum.amplitude[bins].iter().map(|a| a * a).sum::<f64>() / number;
                    (libm::log10((edge(i) * edge(i + 1)).sqrt()), libm::log10(power))
                })
                .collect();
            error += (slope(&points) + beta) / 4.0;
        }
        println!("β = {beta}: slope of the profile off by {error:+.3}");
        assert!(error.abs() < 0.05, "β = {beta}: {error}");
    }
}
