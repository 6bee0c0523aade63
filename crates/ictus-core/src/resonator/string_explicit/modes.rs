//! An explicit string in the modes of its grid.
//!
//! Model: between supported ends every matrix of the scheme has the same modes, sin(π n i/N), with the eigenvalue c = 4 sin²(π n/2N) of −δ².
//! Scheme, per mode and with Σ sin² = N/2 of each: that of a leapfrog oscillator with K = N/2 (T/h + EI/h³ c) c, r = N/2 (2ρσ0 h + R) and m = N/2 (ρh − k R/2), R = 2ρσ1/h c. The mass
//! is less than that of the points because the grid takes the loss σ1 from v where the oscillator takes it from v̄ = v + (v⁺ − v)/2.
//! Balance: that of the grid, mode by mode; 2m/k + r is the same for all, so Y is too.
//! Limits: those of the grid. There are as many modes as points, so both representations agree within rounding.

use super::{ExplicitString, Port, bending};
use crate::clock::Clock;
use crate::resonator::grid::{Ends, StringParameters};
use crate::resonator::modal::{GridString, ModalBank, Oscillator, Sines};

/// Most points of a string that steps in its modes. On the grid a port reads two points, in modes all of them: with two ports recorded in every single step, both take
/// about as long at 1000 points, and modes longer beyond.
pub(in crate::resonator) const MOST_MODES: usize = 1024;
/// Most ports of a string that steps in its modes, for the same reason.
const MOST_PORTS: usize = 3;

impl ExplicitString {
    /// The string as a bank of its modes. None if these are not sines, a port is movable, or there are too many points or ports.
    pub(super) fn in_modes(&self) -> Option<ModalBank> {
        let points = self.strung.points;
        let string =
            GridString { sines: Sines::new(self.grid.intervals), parameters: self.parameters, grid: self.grid };
        let varies = self.keeps_means || self.ports.iter().any(|port| port.moving.is_some());
        if !string.has_sines() || varies || points > MOST_MODES || self.ports.len() > MOST_PORTS {
            return None;
        }
        let shape = |port: &Port| {
            let [(a, of_a), (b, of_b)] = port.weights.points();
            (1..=points).map(|n| of_a * string.sines.at(n, a) + of_b * string.sines.at(n, b)).collect()
        };
        let shapes: Vec<Vec<f64>> = self.ports.iter().map(shape).collect();
        ModalBank::sines(self.clock, string, &shapes).ok()
    }
}

impl GridString {
    /// True if the modes are sines: the string does not bend, or is free to turn at its ends.
    pub fn has_sines(&self) -> bool {
        bending(&self.parameters, self.grid) == 0.0 || self.parameters.ends == Ends::Supported
    }

    /// Σ sin² of a mode.
    fn norm(&self) -> f64 {
        0.5 * self.grid.intervals as f64
    }

    /// Mass of every mode as an impulse feels it, kg.
    pub fn modal_mass(&self) -> f64 {
        self.norm() * self.parameters.density * self.grid.spacing
    }

    /// Coefficients of mode `n`, counted from 1.
    pub fn oscillator(&self, clock: Clock, n: usize) -> Oscillator {
        let StringParameters { density, tension, damping, diffusion, .. } = self.parameters;
        let (h, k, norm) = (self.grid.spacing, clock.dt, self.norm());
        let curvature = self.sines.curvature(n);
        let spread = 2.0 * density * diffusion / h * curvature;
        Oscillator {
            mass: norm * (density * h - 0.5 * k * spread),
            stiffness: norm * (tension / h + bending(&self.parameters, self.grid) * curvature) * curvature,
            resistance: norm * (2.0 * density * damping * h + spread),
        }
    }
}
