//! A rough profile along a line: heights as a smooth, periodic function of distance.
//!
//! Heights are 1/f^β noise over distance, power falling as 1/κ^β between the wavenumbers 1/coarsest and 1/finest, flat below. They are
//! the coefficients of a cubic B-spline, four per finest wavelength: two continuous derivatives, −3.6 dB at the finest wavelength, −16 dB
//! at half of it. White noise that repeats makes heights that repeat: the profile has no seam.

use super::envelope::roll;
use super::{FractalFilter, STREAM, White};

/// Parameters of a rough surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Roughness {
    /// Rms height, m.
    pub height: f64,
    /// β, the slope of the spectrum.
    pub beta: f64,
    /// Longest wavelength, m.
    pub coarsest: f64,
    /// Shortest wavelength, m.
    pub finest: f64,
    /// h, poles of the shaping filter per decade of wavelength; at least 1. More poles reduce the ripple.
    pub density: u32,
}

impl Roughness {
    /// Poles per decade that leave a ripple below 0.2 dB for β up to 2.
    pub const DENSITY: u32 = 4;

    /// Distance between the points of the spline, m.
    pub fn spacing(&self) -> f64 {
        self.finest / PER_WAVE
    }
}

/// Heights over distance, repeating after [`Profile::period`].
#[derive(Clone, Debug)]
pub struct Profile {
    heights: Vec<f64>,
    spacing: f64, // m
}

impl Profile {
    /// Number of points of a profile: memory does not grow with the distance travelled.
    pub const POINTS: usize = 1 << 17;
    /// Largest ratio of the coarsest to the finest wavelength: eight of the coarsest fit into the period.
    pub const SPAN: f64 = Self::POINTS as f64 / (8.0 * PER_WAVE);

    /// A rough profile, deterministic for a given seed.
    pub fn fractal(roughness: &Roughness, seed: u64) -> Self {
        let Roughness { height, beta, coarsest, finest, density } = *roughness;
        let spacing = roughness.spacing();
        let decades = libm::log10(coarsest / finest).ceil().max(1.0) as u32;
        let mut filter = FractalFilter::new(beta, 1.0 / coarsest, density, decades, 1.0 / spacing);
        let mut white = White::new(seed, STREAM);
        let mut heights: Vec<f64> = (0..Self::POINTS).map(|_| white.normal()).collect();
        // half a period is four of the coarsest waves: e^-25 is left of the start from rest
        for &value in &heights[Self::POINTS / 2..] {
            filter.next(value);
        }
        for value in &mut heights {
            *value = filter.next(*value);
        }
        let mut profile = Self { heights, spacing };
        let nodes: Vec<f64> = (0..Self::POINTS).map(|i| profile.node(i)).collect();
        let mean = nodes.iter().sum::<f64>() / nodes.len() as f64;
        let rms = (nodes.iter().map(|h| (h - mean) * (h - mean)).sum::<f64>() / nodes.len() as f64).sqrt();
        let scale = if rms > 0.0 { height / rms } else { 0.0 };
        for value in &mut profile.heights {
            *value = scale * (*value - mean);
        }
        profile
    }

    /// The profile with these coefficients of its spline, at that distance, m.
    pub fn from_heights(heights: Vec<f64>, spacing: f64) -> Self {
        Self { heights, spacing }
    }

    /// The coefficients of its spline, m.
    #[must_use]
    pub fn into_heights(self) -> Vec<f64> {
        self.heights
    }

    /// The profile as traced by a body of this radius (m), which does not enter narrow valleys.
    #[must_use]
    pub fn rolled(self, radius: f64) -> Self {
        let bend = self.spacing * self.spacing / (2.0 * radius);
        Self { heights: roll(&self.heights, bend), spacing: self.spacing }
    }

    /// The profile without waves shorter than about twice `width` (m): three moving averages.
    #[must_use]
    pub fn smoothed(mut self, width: f64) -> Self {
        let n = self.heights.len();
        let reach = ((0.5 * width / self.spacing).round() as usize).min(n / 4);
        for _ in 0..3 {
            let mut sums = Vec::with_capacity(n + 2 * reach + 1);
            let mut sum = 0.0;
            sums.push(sum);
            for i in 0..n + 2 * reach {
                sum += self.heights[(i + n - reach) % n];
                sums.push(sum);
            }
            let count = (2 * reach + 1) as f64;
            self.heights = (0..n).map(|i| (sums[i + 2 * reach + 1] - sums[i]) / count).collect();
        }
        self
    }

    /// Distance after which the profile repeats, m.
    pub fn period(&self) -> f64 {
        self.heights.len() as f64 * self.spacing
    }

    /// Distance between the points of the spline, m.
    pub fn spacing(&self) -> f64 {
        self.spacing
    }

    /// Height at a distance, m.
    pub fn height(&self, distance: f64) -> f64 {
        let n = self.heights.len();
        let at = (distance / self.spacing).rem_euclid(n as f64);
        let t = at - at.floor();
        // rounding may carry a tiny negative distance to the end of the period
        let i = at as usize % n;
        let u = 1.0 - t;
        let weights = [
            u * u * u / 6.0,
            (4.0 - 6.0 * t * t + 3.0 * t * t * t) / 6.0,
            (4.0 - 6.0 * u * u + 3.0 * u * u * u) / 6.0,
            t * t * t / 6.0,
        ];
        (0..4).map(|j| weights[j] * self.heights[(i + n + j - 1) % n]).sum()
    }

    fn node(&self, i: usize) -> f64 {
        let n = self.heights.len();
        (self.heights[(i + n - 1) % n] + 4.0 * self.heights[i] + self.heights[(i + 1) % n]) / 6.0
    }
}

/// Points per finest wave.
const PER_WAVE: f64 = 4.0;

#[cfg(test)]
mod tests {
    use super::*;

    const BOARD: Roughness =
        Roughness { height: 2e-5, beta: 2.0, coarsest: 0.02, finest: 2e-4, density: Roughness::DENSITY };

    #[test]
    fn has_its_rms_height_and_is_periodic() {
        let profile = Profile::fractal(&BOARD, 1);
        let n = 50_000;
        let step = profile.period() / f64::from(n);
        let heights: Vec<f64> = (0..n).map(|i| profile.height(f64::from(i) * step)).collect();
        let rms = (heights.iter().map(|h| h * h).sum::<f64>() / f64::from(n)).sqrt();
        assert!((rms / BOARD.height - 1.0).abs() < 0.01, "{rms}");
        let far = profile.period() * 1e3;
        for x in [0.0, 0.003, 0.1] {
            assert!((profile.height(x) - profile.height(x + far)).abs() < 1e-9 * BOARD.height);
        }
        // slopes across the seam are as elsewhere
        let slope = |x: f64| (profile.height(x + step) - profile.height(x)) / step;
        let steepest = (0..n).map(|i| slope(f64::from(i) * step).abs()).fold(0.0, f64::max);
        for i in -5..5 {
            assert!(slope(f64::from(i) * 0.2 * step).abs() <= steepest);
        }
        assert!(profile.height(-1e-300).is_finite());
    }

    #[test]
    fn averages_flatten_without_offset() {
        let profile = Profile::fractal(&BOARD, 2);
        let smooth = profile.clone().smoothed(0.01);
        let sum = |p: &Profile| p.heights.iter().map(|h| h * h).sum::<f64>();
        assert!(sum(&smooth) < 0.8 * sum(&profile));
        let mean = |p: &Profile| p.heights.iter().sum::<f64>() / p.heights.len() as f64;
        assert!((mean(&smooth) - mean(&profile)).abs() < 1e-12);
        assert_eq!(profile.clone().smoothed(0.0).heights.len(), Profile::POINTS);
    }

    /// Beyond the finest wavelength the surface is smooth.
    #[test]
    fn spectrum_ends_at_the_finest_wavelength() {
        let profile = Profile::fractal(&BOARD, 3);
        let amplitude = |wave: f64| {
            let cycles = (profile.period() / wave).round();
            let samples = 1 << 20;
            let (mut re, mut im) = (0.0, 0.0);
            for i in 0..samples {
                let share = f64::from(i) / f64::from(samples);
                let (sin, cos) = libm::sincos(std::f64::consts::TAU * cycles * share);
                let h = profile.height(share * profile.period());
                (re, im) = (re + h * cos, im + h * sin);
            }
            (re * re + im * im).sqrt()
        };
        let mean = |around: f64| (0..8).map(|i| amplitude(around * (1.0 + 0.01 * f64::from(i)))).sum::<f64>() / 8.0;
        let (inside, beyond) = (mean(2.0 * BOARD.finest), mean(0.2 * BOARD.finest));
        assert!(beyond < 0.01 * inside, "{beyond} against {inside}");
    }
}
