//! A stretched bank: K₁ is diagonal, κ = ∫|∇φ|² of each mode.

use super::{Stretch, Stretched, Stretching};
use crate::clock::Clock;
use crate::error::{BuildError, require};
use crate::resonator::modal::{ModalBank, Mode};
use crate::resonator::path::Path;
use ictus_kernels::{dot3, modes};

/// Modes that share one tension: a Kirchhoff string in one plane or two, a plate or membrane after Berger.
pub type StretchedBank = Stretched<ModalBank>;

impl StretchedBank {
    /// A bank with one shape vector per port; `slopes` holds κ = ∫|∇φ|² of every mode. The poles of small vibrations are exact.
    pub fn new(
        clock: Clock,
        modes: &[Mode],
        ports: &[Vec<f64>],
        slopes: &[f64],
        modulus: f64,
    ) -> Result<Self, BuildError> {
        require(slopes.len() == modes.len(), "number of slopes", slopes.len() as f64, "one per mode")?;
        for &slope in slopes {
            require(slope >= 0.0 && slope.is_finite(), "slope", slope, "a finite number of at least 0")?;
        }
        Self::wrap(ModalBank::staggered(clock, modes, ports, slopes)?, clock, modulus)
    }

    /// Lets `port` move along `path`.
    pub fn with_path(self, port: usize, path: Path) -> Result<Self, BuildError> {
        Ok(Self { body: self.body.with_path(port, path)?, ..self })
    }
}

impl Stretching for ModalBank {
    fn stretch(&self, state: &[f64]) -> Stretch {
        let [q, v, mean] = self.parts(state);
        let [stretch, rate, mobility] = modes::stretch(q, v, mean, &self.slopes, &self.mobility, self.clock.dt);
        Stretch { stretch, rate, mobility }
    }

    fn stretched(&self, state: &[f64]) -> f64 {
        let [q, v, _] = self.parts(state);
        modes::stretched(q, v, &self.slopes, self.clock.dt)
    }

    fn pull(&self, state: &mut [f64], factor: f64) {
        let (q, rest) = state.split_at_mut(self.padded);
        modes::pull(&mut rest[self.padded..2 * self.padded], q, &self.slopes, &self.mobility, factor);
    }

    fn pulled(&self, state: &[f64], port: usize) -> f64 {
        let [q, ..] = self.parts(state);
        dot3(self.driven(&state[3 * self.padded..], port), &self.slopes, q)
    }

    fn still(&self, state: &mut [f64]) {
        let (v, mean) = state[self.padded..3 * self.padded].split_at_mut(self.padded);
        for (v, mean) in v.iter_mut().zip(mean) {
            *v -= *mean;
        }
    }
}

impl ModalBank {
    fn parts<'a>(&self, state: &'a [f64]) -> [&'a [f64]; 3] {
        [0, 1, 2].map(|part| &state[part * self.padded..(part + 1) * self.padded])
    }
}
