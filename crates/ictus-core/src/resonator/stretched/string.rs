//! A stretched string on a grid: K₁ = −δ²/h.

use super::{Stretch, Stretched, Stretching};
use crate::clock::Clock;
use crate::error::BuildError;
use crate::resonator::grid::{Grid, PAD, StringParameters};
use crate::resonator::string_explicit::ExplicitString;
use crate::resonator::{FastResonator, Resonator};
use ictus_kernels::string;

/// A Kirchhoff string by explicit finite differences.
pub type StretchedString = Stretched<ExplicitString>;

impl StretchedString {
    /// As [`ExplicitString::new`], with the axial stiffness EA, N.
    pub fn new(
        clock: Clock,
        parameters: StringParameters,
        grid: Grid,
        positions: &[f64],
        axial_stiffness: f64,
    ) -> Result<Self, BuildError> {
        let string = ExplicitString::new(clock, parameters, grid, positions)?.keeping_means();
        Self::wrap(string, clock, axial_stiffness / (2.0 * parameters.length))
    }

    /// Makes `port` movable along the string.
    pub fn with_movable(self, port: usize) -> Self {
        let body = self.body.with_movable(port);
        Self { len: body.state_len(), body, ..self }
    }
}

impl ExplicitString {
    /// YG over δ²u.
    fn pull_of_curve(&self) -> f64 {
        -self.mobility / self.grid.spacing
    }
}

impl Stretching for ExplicitString {
    fn predict(&self, state: &mut [f64]) -> Stretch {
        self.free_velocities(state, &[], &mut []);
        let [u, v, ahead] = self.views(state);
        let [shape, twice, curve] = string::stretch(u, v, &ahead[PAD..ahead.len() - PAD]);
        let (h, rate) = (self.grid.spacing, 0.5 * self.rate * twice);
        Stretch { stretch: -shape / h, rate: -rate / h, mobility: self.mobility * curve / (h * h) }
    }

    fn foreseen(&self, state: &[f64], port: usize) -> f64 {
        self.predicted(state, port)
    }

    fn advance_pulled(&self, state: &mut [f64], factor: f64, ports: &[usize], forces: &[f64], audited: bool) -> f64 {
        self.pull(state, factor);
        self.advance(state, ports, forces, audited)
    }

    fn stretched(&self, state: &[f64]) -> f64 {
        let [u, v, _] = self.views(state);
        -string::stretched(u, v) / self.grid.spacing
    }

    fn pull(&self, state: &mut [f64], factor: f64) {
        let [u, _, ahead] = self.split(state);
        let inside = PAD..ahead.len() - PAD;
        string::pull(&mut ahead[inside], u, 2.0 * self.clock.dt * factor * self.pull_of_curve());
    }

    fn pulled(&self, state: &[f64], port: usize) -> f64 {
        let [u, ..] = self.views(state);
        let curve = |i: usize| (u[i - 1] + u[i + 1]) - 2.0 * u[i];
        let sum: f64 = self.weights(state, port).iter().map(|(i, share)| share * curve(i)).sum();
        sum * self.pull_of_curve()
    }

    fn headroom(&self) -> f64 {
        let StringParameters { density, tension, stiffness, diffusion, .. } = self.parameters;
        let (h, k) = (self.grid.spacing, self.clock.dt);
        density * (h * h / (k * k) - 4.0 * diffusion / k) - 4.0 * stiffness / (h * h) - tension
    }

    fn still(&self, state: &mut [f64]) {
        let [_, v, ahead] = self.split(state);
        let inside = PAD..ahead.len() - PAD;
        for (v, ahead) in v[inside.clone()].iter_mut().zip(&ahead[inside]) {
            *v -= 0.5 * (*v + *ahead);
        }
        self.forget(state);
    }
}
