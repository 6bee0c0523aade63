//! A stretched bank: K₁ is diagonal, κ = ∫|∇φ|² of each mode.

use super::{Stretch, Stretched, Stretching};
use crate::clock::Clock;
use crate::error::{BuildError, require};
use crate::resonator::modal::{ModalBank, Mode, Tension};
use crate::resonator::path::Path;
use crate::resonator::{Block, VaryingMobility};
use ictus_kernels::free_run::{self, StretchedOutputs, free_run_stretched};
use ictus_kernels::{dot3, modes};

/// Steps per kernel call, limited by the output buffer on the stack.
const AT_ONCE: usize = 16;

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

    /// Makes `port` movable along `path`.
    pub fn with_path(self, port: usize, path: Path) -> Result<Self, BuildError> {
        Self::wrap(self.body.with_path(port, path)?, self.clock, self.modulus)
    }
}

impl Stretching for ModalBank {
    fn predict(&self, state: &mut [f64]) -> Stretch {
        let [q, v, mean] = self.parts_mut(state);
        let Tension { pull, slopes, pulled, .. } = &self.tension;
        let [stretch, rate, mobility] =
            modes::predict_stretch([q, v], [&self.resistance, pull], slopes, pulled, mean, self.clock.dt);
        Stretch { stretch, rate, mobility }
    }

    fn foreseen(&self, state: &[f64], port: usize) -> f64 {
        VaryingMobility::mean_velocity(self, state, port)
    }

    fn advance_pulled(&self, state: &mut [f64], factor: f64, ports: &[usize], forces: &[f64], audited: bool) -> f64 {
        let n = self.padded;
        let (motion, moved) = state.split_at_mut(3 * n);
        let [q, v, mean] = self.parts_mut(motion);
        for (&port, &force) in ports.iter().zip(forces) {
            modes::add(mean, self.shape_behind(moved, port), 0.5 * force);
        }
        modes::pull_leapfrog(q, v, mean, &self.tension.pulled, factor, self.clock.dt);
        if audited { self.clock.dt * (4.0 * modes::power(&self.resistance, mean)) } else { 0.0 }
    }

    fn free_run_stretched(&self, state: &mut [f64], modulus: f64, limit: f64, block: &mut Block) -> bool {
        let Stretch { stretch, rate, mobility } = self.predict(state);
        let Tension { pull, slopes, pulled, .. } = &self.tension;
        let (motion, moved) = state.split_at_mut(3 * self.padded);
        let [q, v, mean] = self.parts_mut(motion);
        let resistance = if block.audited { &*self.resistance } else { &[] };
        let mut bank =
            free_run::StretchedModes { q, v, mean, drag: &self.resistance, pull, resistance, k: self.clock.dt };
        let velocity_ports = block.velocity_ports.first().map_or(&[][..], |&port| self.shape_behind(moved, port));
        let stretching = free_run::Stretching { kappa: slopes, pulled, modulus, velocity_ports };
        let mut outputs = [StretchedOutputs::default(); AT_ONCE];
        let mut sums = [stretch, rate, mobility];
        for first in (0..block.steps).step_by(AT_ONCE) {
            let outputs = &mut outputs[..AT_ONCE.min(block.steps - first)];
            sums = free_run_stretched(&mut bank, stretching, sums, outputs);
            for (n, output) in (first..).zip(outputs) {
                block.velocities.row(n, block.velocity_ports.len()).fill(2.0 * output.velocity_ports);
                block.lost[n] = self.clock.dt * (4.0 * output.power);
                block.overstretched += u64::from(output.tension.abs() > limit);
            }
        }
        true
    }

    fn stretched(&self, state: &[f64]) -> f64 {
        let [q, v, _] = self.parts(state);
        modes::stretched(q, v, &self.tension.slopes, self.clock.dt)
    }

    fn pull(&self, state: &mut [f64], factor: f64) {
        let [q, _, mean] = self.parts_mut(state);
        modes::pull(mean, q, &self.tension.pulled, factor);
    }

    fn pulled(&self, state: &[f64], port: usize) -> f64 {
        let [q, ..] = self.parts(state);
        2.0 * dot3(self.shape(state, port), &self.tension.pulled, q)
    }

    fn headroom(&self) -> f64 {
        let most = 4.0 / (self.clock.dt * self.clock.dt);
        let slopes = &self.tension.slopes;
        let spare = |i: usize| (most * self.mass[i] - self.stiffness[i]) / slopes[i];
        (0..self.modes()).filter(|&i| slopes[i] > 0.0).map(spare).fold(f64::INFINITY, f64::min)
    }

    fn still(&self, state: &mut [f64]) {
        let [_, v, mean] = self.parts_mut(state);
        for (v, mean) in v.iter_mut().zip(mean) {
            *v -= *mean;
        }
    }
}

impl ModalBank {
    fn parts<'a>(&self, state: &'a [f64]) -> [&'a [f64]; 3] {
        [0, 1, 2].map(|part| &state[part * self.padded..(part + 1) * self.padded])
    }

    fn parts_mut<'a>(&self, state: &'a mut [f64]) -> [&'a mut [f64]; 3] {
        let (q, rest) = state.split_at_mut(self.padded);
        let (v, rest) = rest.split_at_mut(self.padded);
        [q, v, &mut rest[..self.padded]]
    }
}
