//! An explicit string in the modes of its grid.
//!
//! Model: between supported ends every matrix of the scheme has the same modes, sin(π n i/N), with the eigenvalue c = 4 sin²(π n/2N) of −δ².
//! Scheme, per mode and with Σ sin² = N/2 of each: that of a leapfrog oscillator with K = N/2 (T/h + EI/h³ c) c, r = N/2 (2ρσ0 h + R) and m = N/2 (ρh − k R/2), R = 2ρσ1/h c. The mass
//! is less than that of the points because the grid takes the loss σ1 from v where the oscillator takes it from v̄ = v + (v⁺ − v)/2.
//! Balance: that of the grid, mode by mode; 2m/k + r is the same for all, so Y is too.
//! Limits: those of the grid. There are as many modes as points, so both representations agree within rounding.

use super::{ExplicitString, Port};
use crate::resonator::grid::{Ends, StringParameters};
use crate::resonator::modal::{ModalBank, Oscillator, Sines};

/// Most points of a string that steps in its modes. On the grid a port reads two points, in modes all of them: with two ports recorded in every single step, both take
/// about as long at 1000 points, and modes longer beyond.
pub(in crate::resonator) const MOST_MODES: usize = 1024;
/// Most ports of a string that steps in its modes, for the same reason.
const MOST_PORTS: usize = 3;

impl ExplicitString {
    /// The string as a bank of its modes. None if these are not sines, a port is movable, or there are too many points or ports.
    pub(super) fn in_modes(&self) -> Option<ModalBank> {
        let StringParameters { density, tension, stiffness, damping, diffusion, ends, .. } = self.parameters;
        let (points, bends) = (self.strung.points, self.strung.moves.own.is_some());
        let varies = self.keeps_means || self.ports.iter().any(|port| port.moving.is_some());
        if bends && ends != Ends::Supported || varies || points > MOST_MODES || self.ports.len() > MOST_PORTS {
            return None;
        }
        let (h, k) = (self.grid.spacing, self.clock.dt);
        let bending = if bends { stiffness / (h * h * h) } else { 0.0 };
        let sines = Sines::new(self.grid.intervals);
        let norm = 0.5 * self.grid.intervals as f64; // Σ sin²
        let oscillators: Vec<Oscillator> = (1..=points)
            .map(|n| {
                let curvature = sines.curvature(n);
                let spread = 2.0 * density * diffusion / h * curvature;
                Oscillator {
                    mass: norm * (density * h - 0.5 * k * spread),
                    stiffness: norm * (tension / h + bending * curvature) * curvature,
                    resistance: norm * (2.0 * density * damping * h + spread),
                }
            })
            .collect();
        let shape = |port: &Port| {
            let [(a, of_a), (b, of_b)] = port.weights.points();
            (1..=points).map(|n| of_a * sines.at(n, a) + of_b * sines.at(n, b)).collect()
        };
        let shapes: Vec<Vec<f64>> = self.ports.iter().map(shape).collect();
        ModalBank::sines(self.clock, sines, &oscillators, norm * density * h, &shapes).ok()
    }
}
