//! A string by explicit finite differences, in both frames. [D21 §VI, handbook §3]
//!
//! Scheme, per point of mass m = ρh: v̄ = v + Y(T/h δ²ũ − EI/h³ δ⁴ũ + 2ρσ1/h δ²v − 2ρσ0 h v + f), Y = 1/(2m/k + 2ρσ0 h), where
//! ũ is the shape at the time of the force: u in leapfrog, half a step ahead, u + k/2·v, in the midpoint frame. Either way ũ ← ũ + k v.
//! Balance, exact: ΔH = k Σ f v̄ − k(2ρσ0 h Σ v̄² + 2ρσ1/h Σ (Δv̄)²), with
//! H = ½m Σ v² + ½ũᵀS ũ⁻ − ρσ1 k/(2h) Σ (Δv)², ũ⁻ = ũ − k v the shape one step earlier.
//! Limits: h² ≥ ½(X + √(X² + 16 EI k²/ρ)), X = T k²/ρ + 4σ1 k. Exact for an ideal string at the limit.
//!
//! The midpoint form is the midpoint rule with the mass matrix m(1 − (k²/4m)S − (k/2m)R) instead of m, R the loss matrix of σ1: the matrix in front
//! of v̄ is then a number. Both frames disperse alike; in the midpoint frame contacts see u at whole steps, where they begin and end more exactly.

use super::grid::{self, Grid, PAD, Stepping, StringParameters, Weights};
use super::{Deflection, Resonator};
use crate::clock::{Clock, Frame};
use crate::error::{BuildError, require};
use ictus_kernels::modes::advance_leapfrog;
use ictus_kernels::string::{Point, Stores, flexible, stiff};

/// An explicit string. State: `[ũ…, v…, v̄…]`, each with ghosts; the last is scratch. Then the position of every port that moves.
#[derive(Clone, Debug)]
pub struct ExplicitString {
    pub(super) clock: Clock,
    pub(super) parameters: StringParameters,
    pub(super) grid: Grid,
    ports: Vec<Port>,
    mass: f64,                // m, kg per point
    pub(super) mobility: f64, // Y, m/s per N at a point
    point: Point,
}

/// A port as built and, if it moves, where its position lies in the state.
#[derive(Clone, Copy, Debug)]
struct Port {
    position: f64,
    weights: Weights,
    moving: Option<usize>,
}

impl ExplicitString {
    /// A string on `grid` with ports at `positions` (fractions of the length).
    pub fn new(clock: Clock, parameters: StringParameters, grid: Grid, positions: &[f64]) -> Result<Self, BuildError> {
        parameters.check()?;
        require(
            parameters.kelvin_voigt == 0.0,
            "kelvin_voigt",
            parameters.kelvin_voigt,
            "0 for an explicit string (the implicit one carries this loss)",
        )?;
        grid.check(&parameters, Stepping::Explicit, clock.dt)?;
        let port = |&position: &f64| Ok(Port { position, weights: grid.interpolate(position)?, moving: None });
        let ports = positions.iter().map(port).collect::<Result<_, BuildError>>()?;
        let (h, k) = (grid.spacing, clock.dt);
        let StringParameters { density, tension, stiffness, damping, diffusion, .. } = parameters;
        let mass = density * h;
        let mobility = 1.0 / (2.0 * mass / k + 2.0 * density * damping * h);
        Ok(Self {
            clock,
            parameters,
            grid,
            ports,
            mass,
            mobility,
            point: Point {
                tension: tension / h * mobility,
                bending: stiffness / (h * h * h) * mobility,
                diffusion: 2.0 * density * diffusion / h * mobility,
                drag: 2.0 * density * damping * h * mobility,
            },
        })
    }

    /// Lets `port` move along the string.
    pub fn with_movable(mut self, port: usize) -> Self {
        self.ports[port].moving = Some(self.state_len());
        self
    }

    /// The grid points of a port where it is now.
    pub(super) fn weights(&self, state: &[f64], port: usize) -> Weights {
        let Port { weights, moving, .. } = self.ports[port];
        moving.map_or(weights, |at| self.grid.spread(state[at]))
    }

    /// The grid in use.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    fn split<'a>(&self, state: &'a mut [f64]) -> [&'a mut [f64]; 3] {
        let n = self.grid.len();
        let (u, rest) = state.split_at_mut(n);
        let (v, rest) = rest.split_at_mut(n);
        [u, v, &mut rest[..n]]
    }

    /// Sets v so that the lossless free mean velocity is zero.
    fn rest(&self, state: &mut [f64]) {
        let [u, v, mean] = self.split(state);
        v.fill(0.0);
        if self.clock.frame == Frame::Midpoint {
            return;
        }
        self.predict(u, v, mean);
        for (v, mean) in v.iter_mut().zip(mean.iter()) {
            *v = -mean / (1.0 - self.point.drag);
        }
        let last = v.len() - 1;
        (v[0], v[1], v[last - 1], v[last]) = (0.0, 0.0, 0.0, 0.0);
    }

    fn predict(&self, u: &mut [f64], v: &[f64], mean: &mut [f64]) {
        let mean = &mut mean[PAD..PAD + self.grid.points()];
        if self.point.bending == 0.0 {
            return flexible(u, v, mean, self.point);
        }
        grid::mirror(u, self.parameters.ends);
        stiff(u, v, mean, self.point);
    }
}

impl Resonator for ExplicitString {
    fn port_count(&self) -> usize {
        self.ports.len()
    }

    fn state_len(&self) -> usize {
        3 * self.grid.len() + self.ports.iter().filter(|port| port.moving.is_some()).count()
    }

    fn reset(&self, state: &mut [f64]) {
        state.fill(0.0);
        for port in &self.ports {
            if let Some(at) = port.moving {
                state[at] = port.position;
            }
        }
    }

    fn free_velocities(&self, state: &mut [f64], ports: &[usize], out: &mut [f64]) {
        let [u, v, mean] = self.split(state);
        self.predict(u, v, mean);
        let mean = &state[2 * self.grid.len()..3 * self.grid.len()];
        for (out, &port) in out.iter_mut().zip(ports) {
            let Port { weights, moving, .. } = &self.ports[port];
            *out = if moving.is_none() { weights.read(mean) } else { self.mean_velocity(state, port) };
        }
    }

    fn mobility(&self, p: usize, q: usize) -> f64 {
        self.mobility * self.ports[p].weights.overlap(&self.ports[q].weights)
    }

    fn is_movable(&self, port: usize) -> bool {
        self.ports[port].moving.is_some()
    }

    fn move_port(&self, state: &mut [f64], port: usize, place: f64) {
        if let Some(at) = self.ports[port].moving {
            state[at] = place.clamp(0.0, 1.0);
        }
    }

    fn mobility_now(&self, state: &[f64], p: usize, q: usize) -> f64 {
        self.mobility * self.weights(state, p).overlap(&self.weights(state, q))
    }

    fn mean_velocity(&self, state: &[f64], port: usize) -> f64 {
        self.weights(state, port).read(&state[2 * self.grid.len()..])
    }

    fn advance(&self, state: &mut [f64], ports: &[usize], forces: &[f64], audited: bool) -> f64 {
        let points = 2 * self.grid.len();
        for (&port, &force) in ports.iter().zip(forces) {
            for (i, weight) in self.weights(state, port).iter() {
                state[points + i] += self.mobility * weight * force;
            }
        }
        let [u, v, mean] = self.split(state);
        let k = self.clock.dt;
        advance_leapfrog(u, v, mean, k);
        if !audited {
            return 0.0;
        }
        let StringParameters { density, damping, diffusion, ends, .. } = self.parameters;
        let h = self.grid.spacing;
        k * grid::power(mean, 2.0 * density * damping * h, 2.0 * density * diffusion / h, 0.0, ends)
    }

    fn energy(&self, state: &[f64]) -> f64 {
        let n = self.grid.len();
        let (u, v) = (&state[..n], &state[n..2 * n]);
        let StringParameters { density, tension, stiffness, diffusion, ends, .. } = self.parameters;
        let (h, k) = (self.grid.spacing, self.clock.dt);
        let stores = Stores {
            mass: self.mass,
            tension: tension / h,
            bending: stiffness / (h * h * h),
            diffusion: density * diffusion * k / h,
            back: k,
        };
        grid::energy(u, v, stores, ends)
    }

    fn profile<'a>(&self, state: &'a [f64]) -> Option<&'a [f64]> {
        // the ghosts next to the points are the ends, always 0; half a step early or late does not show
        Some(&state[PAD - 1..self.grid.len() - PAD + 1])
    }

    fn displacement(&self, state: &[f64], port: usize) -> f64 {
        let port = self.weights(state, port);
        let ahead = port.read(state);
        match self.clock.frame {
            Frame::Leapfrog => ahead,
            Frame::Midpoint => ahead - 0.5 * self.clock.dt * port.read(&state[self.grid.len()..]),
        }
    }

    fn velocity(&self, state: &[f64], port: usize) -> f64 {
        self.weights(state, port).read(&state[self.grid.len()..])
    }

    fn deflect(&self, state: &mut [f64], deflection: Deflection) -> bool {
        match deflection {
            Deflection::Fundamental { displacement } => grid::half_sine(&mut state[..self.grid.len()], displacement),
            Deflection::Static { port, displacement } => {
                let place = self.weights(state, port);
                self.parameters.deflect(&mut state[..self.grid.len()], self.grid, place, displacement);
            }
        }
        self.rest(state);
        true
    }
}
