//! From the internal rate to the sample rate: a cascade of half-band filters, each halving the rate.
//!
//! Each stage is a linear-phase Kaiser-windowed half-band FIR: flat to 0.227 of its input rate (20 kHz of 88.2 kHz), at least
//! 100 dB down from 0.273 on. Half of its taps are zero and the rest are symmetric, so an output costs 35 products.
//!
//! Latency: a stage delays by 69 of its input samples. A cascade therefore delays by 34.5, 51.75 and 60.375 frames for factors 2, 4 and 8;
//! 1, 1 or 5 further input samples make that 35, 52 and 61 whole frames ([`Decimator::latency_frames`]), so that it can be compensated exactly.

use ictus_kernels::bessel_i0;

/// Non-zero taps on one side of the centre. With transition width 0.046 this gives the attenuation above.
const SIDE: usize = 35;
/// Kaiser's β for 100 dB.
const BETA: f64 = 10.06;
/// Input history of one stage.
const HISTORY: usize = 4 * SIDE - 1;

/// Halves the sample rate of one signal.
#[derive(Debug)]
pub struct Halver {
    taps: [f64; SIDE], // at odd distances 1, 3, 5, … from the centre
    /// Inputs, newest last, written twice so that a window is always contiguous.
    history: Vec<f64>,
    position: usize,
    waiting: bool,
}

ictus_core::clone_in_place!(Halver { taps, history, position, waiting });

impl Default for Halver {
    fn default() -> Self {
        let mut taps = [0.0; SIDE];
        let reach = (2 * SIDE) as f64;
        for (i, tap) in taps.iter_mut().enumerate() {
            let distance = (2 * i + 1) as f64;
            let ratio = distance / reach;
            let window = bessel_i0(BETA * (1.0 - ratio * ratio).sqrt()) / bessel_i0(BETA);
            let sign = if i % 2 == 0 { 1.0 } else { -1.0 };
            *tap = sign * window / (std::f64::consts::PI * distance);
        }
        // the centre tap is ½: the sides share the other half exactly, so that direct current passes unchanged
        let sum: f64 = taps.iter().sum();
        for tap in &mut taps {
            *tap *= 0.25 / sum;
        }
        Self { taps, history: vec![0.0; 2 * HISTORY], position: 0, waiting: false }
    }
}

impl Halver {
    /// Takes one input; every second one yields an output.
    pub fn push(&mut self, x: f64) -> Option<f64> {
        self.history[self.position] = x;
        self.history[self.position + HISTORY] = x;
        self.position = (self.position + 1) % HISTORY;
        self.waiting = !self.waiting;
        if self.waiting {
            return None;
        }
        let window = &self.history[self.position..self.position + HISTORY];
        let centre = HISTORY / 2;
        let mut sum = 0.5 * window[centre];
        for (i, tap) in self.taps.iter().enumerate() {
            sum += tap * (window[centre - 2 * i - 1] + window[centre + 2 * i + 1]);
        }
        Some(sum)
    }

    /// Gain at `frequency` (cycles per input sample).
    pub fn gain(&self, frequency: f64) -> f64 {
        let omega = std::f64::consts::TAU * frequency;
        let sides: f64 =
            self.taps.iter().enumerate().map(|(i, tap)| 2.0 * tap * libm::cos(omega * (2 * i + 1) as f64)).sum();
        (0.5 + sides).abs()
    }
}

/// Reduces the rate by 1, 2, 4 or 8.
#[derive(Debug)]
pub struct Decimator {
    stages: Vec<Halver>,
    /// The last inputs, as many as are missing to a delay of whole frames; used in a circle.
    padding: Vec<f64>,
    position: usize,
}

ictus_core::clone_in_place!(Decimator { stages, padding, position });

impl Decimator {
    /// A decimator by `factor`, a power of two.
    pub fn new(factor: u32) -> Self {
        assert!(factor.is_power_of_two(), "a cascade of half-band filters divides by powers of two");
        let padding = Self::latency_frames(factor) * factor as usize - Self::filter_delay(factor);
        Self {
            stages: vec![Halver::default(); factor.trailing_zeros() as usize],
            padding: vec![0.0; padding],
            position: 0,
        }
    }

    /// Delay of the filters alone, in input samples: 69 for each stage at the stage's own rate.
    fn filter_delay(factor: u32) -> usize {
        (HISTORY / 2) * (factor as usize - 1)
    }

    /// Delay of a decimator by `factor`, in output samples: 0, 35, 52, 61 for 1, 2, 4, 8.
    pub fn latency_frames(factor: u32) -> usize {
        Self::filter_delay(factor).div_ceil(factor as usize)
    }

    /// Takes one input at the high rate; yields an output once per `factor` inputs.
    pub fn push(&mut self, x: f64) -> Option<f64> {
        let mut delayed = x;
        if let Some(oldest) = self.padding.get_mut(self.position) {
            std::mem::swap(oldest, &mut delayed);
            self.position = (self.position + 1) % self.padding.len();
        }
        self.stages.iter_mut().try_fold(delayed, |x, stage| stage.push(x))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_the_audible_band_and_stops_the_rest() {
        let halver = Halver::default();
        let decibels = |f: f64| 20.0 * libm::log10(halver.gain(f).max(1e-12));
        for i in 0..=1000 {
            let f = 0.5 * f64::from(i) / 1000.0;
            if f <= 20_000.0 / 88_200.0 {
                assert!(decibels(f).abs() < 0.001, "{f}: {} dB", decibels(f));
            }
            if f >= 24_100.0 / 88_200.0 {
                assert!(decibels(f) < -90.0, "{f}: {} dB", decibels(f));
            }
        }
    }

    #[test]
    fn a_slow_sine_comes_out_at_every_factor() {
        for factor in [1, 2, 4, 8] {
            let mut decimator = Decimator::new(factor);
            let mut peak: f64 = 0.0;
            let mut outputs = 0;
            for n in 0..8000 * factor {
                let x = libm::sin(0.05 * f64::from(n) / f64::from(factor));
                if let Some(y) = decimator.push(x) {
                    outputs += 1;
                    if outputs > 400 {
                        peak = peak.max(y.abs());
                    }
                }
            }
            assert_eq!(outputs, 8000);
            assert!((peak - 1.0).abs() < 1e-3, "factor {factor}: {peak}");
        }
    }

    /// The last step of frame 100 is heard in frame 100 plus the latency, with neighbours as loud as each other: no fraction of a frame is left.
    #[test]
    fn an_impulse_lands_at_the_same_frame_at_every_factor() {
        for factor in [1u32, 2, 4, 8] {
            let mut decimator = Decimator::new(factor);
            let step = 101 * factor - 1;
            let inputs = (0..400 * factor).map(|n| if n == step { 1.0 } else { 0.0 });
            let heard: Vec<f64> = inputs.filter_map(|x| decimator.push(x)).collect();
            let loudest = (0..heard.len()).max_by(|&a, &b| heard[a].abs().total_cmp(&heard[b].abs())).unwrap();
            assert_eq!(loudest - Decimator::latency_frames(factor), 100, "factor {factor}");
            for distance in 1..30 {
                let (before, after) = (heard[loudest - distance], heard[loudest + distance]);
                assert!((before - after).abs() < 1e-15, "factor {factor}: {before:e} before, {after:e} after");
            }
        }
    }
}
