//! Which modes are heard: how much the picture of a sound changes if one is left out.
//!
//! The sound is cut into cells, third octaves in Hann frames of 43 ms, and a cell counts if it is within 60 dB of the loudest one. A mode explains a certain energy
//! that its neighbours could not stand in for; spread over the frames as it decays, it is a share e of each cell of its third octave. Without it the cell would be
//! lower by −10 log₁₀(1 − e) dB. The mean over all cells that count is what the mode contributes, in dB: the unit in which sounds are compared.
//!
//! The frame around the beginning does not count: what is heard in it alone is part of the hit, and no ringing.
//!
//! It is an order criterion: a mode that a test of significance would keep, because the noise of the recording is low, is left out where it stands
//! in the shade of louder ones, and a weak one that has its third octave to itself stays.

use super::distance::{Cells, FRAME_S};
use ictus_transform::Complex64;
use std::f64::consts::PI;

/// What a mode has to contribute to be kept, dB of the mean level of all cells, …
const LEAST_DB: f64 = 4e-5;
/// … if it rings at least this long, T60 in seconds; a shorter one needs more, as the square of the ratio. Noise that fades can be made of many short modes as well as of
/// noise, and noise is the simpler one.
const LONG_S: f64 = 0.15;
/// A cell does not get lower than this by leaving out a mode, dB: something is always left.
const MOST_DB: f64 = 30.0;
/// Cells this far below the loudest do not count (−60 dB).
const RANGE: f64 = 1e-6;
/// Points of a frame at which a decay is evaluated.
const POINTS: usize = 32;

/// The cells of sounds that are compared together.
pub struct Audible {
    cells: Cells,
    floor: f64,
    counted: usize,
    pub sample_rate: f64,
}

impl Audible {
    /// Of sounds that begin where the object rings freely. The first frame is centred on the first sample.
    pub fn of(sounds: &[Vec<f64>], sample_rate: f64) -> Self {
        let lead = (0.5 * FRAME_S * sample_rate) as usize;
        let mut cells = Cells::default();
        for sound in sounds {
            let padded = [vec![0.0; lead], sound.clone(), vec![0.0; 2 * lead]].concat();
            cells.add(&padded, sample_rate);
        }
        // the frame around the first sample holds what does not ring; of a sound that is over after it, there is nothing else
        let late = cells.bands.min(cells.energies.len());
        let loudest = |cells: &[f64]| cells.iter().fold(0.0, |m: f64, &e| m.max(e));
        let (early, later) = cells.energies.split_at_mut(late);
        if loudest(later) > RANGE * loudest(early) {
            early.fill(0.0);
        }
        let floor = RANGE * loudest(&cells.energies);
        let counted = cells.energies.iter().filter(|&&e| e > floor).count().max(1);
        Self { cells, floor, counted, sample_rate }
    }

    /// How many times over a mode that explains the energy `worth` contributes what it needs to be kept.
    pub fn merit(&self, pole: Complex64, worth: f64) -> f64 {
        let t60_s = 3.0 * std::f64::consts::LN_10 / (-pole.re * self.sample_rate);
        let short = (LONG_S / t60_s).max(1.0);
        self.contribution(pole, worth) / (LEAST_DB * short * short)
    }

    /// What a mode that explains the energy `worth` contributes, dB.
    fn contribution(&self, pole: Complex64, worth: f64) -> f64 {
        let band = self.cells.band(pole.im * self.sample_rate / (2.0 * PI));
        let length = self.cells.length as f64;
        // Σ e^{−2αn}: what the whole mode has
        let whole = -1.0 / libm::expm1(2.0 * pole.re);
        let mut sum = 0.0;
        for (frame, cells) in self.cells.energies.chunks(self.cells.bands.max(1)).enumerate() {
            let cell = cells[band];
            if cell <= self.floor {
                continue;
            }
            // the first frame begins half a frame before the sound
            let from = (frame as f64 - 1.0) * 0.5 * length;
            let weight = |k: usize| {
                let part = (k as f64 + 0.5) / POINTS as f64;
                let n = from + part * length;
                let hann = 0.5 - 0.5 * libm::cos(2.0 * PI * part);
                if n < 0.0 { 0.0 } else { hann * hann * libm::exp(2.0 * pole.re * n) }
            };
            let own = worth / whole * (length / POINTS as f64) * (0..POINTS).map(weight).sum::<f64>();
            let left = (1.0 - own / cell).max(libm::exp10(-0.1 * MOST_DB));
            sum -= 10.0 * libm::log10(left);
        }
        sum / self.counted as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: f64 = 48_000.0;

    fn pole(hz: f64, t60: f64) -> Complex64 {
        Complex64::new(-3.0 * std::f64::consts::LN_10 / t60, 2.0 * PI * hz) / RATE
    }

    #[test]
    fn what_is_alone_counts_and_what_is_in_the_shade_does_not() {
        let mut sound = vec![0.0; 48_000];
        let modes = [(pole(880.0, 1.0), 1.0), (pole(920.0, 1.0), 0.003), (pole(4000.0, 1.0), 0.003)];
        for (pole, a) in modes {
            super::super::fit::add(&[pole], &[Complex64::new(a, 0.0)], &mut sound);
        }
        let audible = Audible::of(&[sound], RATE);
        let worth = |pole: Complex64, a: f64| -0.5 * a * a / libm::expm1(2.0 * pole.re);
        let [strong, shaded, alone] = modes.map(|(p, a)| audible.contribution(p, worth(p, a)));
        assert!(strong > 5.0 && alone > 1.0 && shaded < LEAST_DB, "{strong} {shaded} {alone}");
    }
}
