//! A string by implicit finite differences, midpoint scheme. [CW14 eq. 37, handbook §2]
//!
//! Scheme: A v̄ = 2m/k·v − S u + f, A = 2m/k + R + k/2 S, banded, factorised once; S the stiffness matrix,
//! R = 2ρσ0 h + 2ρσ1/h (−D2) + η S. Solved for the small correction, A(v̄ − v) = −S(u + (k/2 + η)v) − (2ρσ0 h + 2ρσ1/h (−D2))v + f,
//! so that rounding does not act as a steady loss or gain. Forces enter through the precomputed columns A⁻¹ r_p.
//! Balance, exact: ΔH = k Σ f v̄ − k v̄ᵀR v̄, H = ½m v'v + ½u'S u.
//! Limits: unconditionally stable, order 2; partials are flat by the dispersion of the midpoint rule.

use super::banded::{Banded, Factor};
use super::capabilities::resample;
use super::grid::{self, Grid, PAD, Stepping, StringParameters, Weights};
use super::{Capabilities, Deflect, Deflection, FastResonator, Kick, Resonator, Shape};
use crate::clock::{Clock, Scheme};
use crate::error::BuildError;
use ictus_kernels::string::Stores;

/// An implicit string. State: `[u…, v…, v̄…, u + (k/2 + η)v…]`, each with ghosts; the last two are scratch.
#[derive(Clone, Debug)]
pub struct ImplicitString {
    clock: Clock,
    parameters: StringParameters,
    grid: Grid,
    ports: Vec<Weights>,
    mass: f64, // m, kg per point
    factor: Factor,
    responses: Vec<Vec<f64>>, // A⁻¹ r_p, padded like u; empty with more than `MAX_RESPONSES` ports
}

/// With more ports than this, forces enter through a second solve instead of precomputed columns.
const MAX_RESPONSES: usize = 512;
/// With more forces than this in a step, one solve is cheaper than adding columns.
const MAX_COLUMNS: usize = 6;

impl ImplicitString {
    /// A string on `grid` with ports at `positions` (fractions of the length).
    pub fn new(clock: Clock, parameters: StringParameters, grid: Grid, positions: &[f64]) -> Result<Self, BuildError> {
        assert!(clock.scheme == Scheme::Midpoint, "an implicit string needs the midpoint scheme");
        parameters.check()?;
        grid.check(&parameters, Stepping::Implicit, clock.dt)?;
        let ports: Vec<Weights> = positions.iter().map(|&x| grid.interpolate(x)).collect::<Result<_, _>>()?;
        let (h, k) = (grid.spacing, clock.dt);
        let StringParameters { density, tension, stiffness, damping, diffusion, kelvin_voigt, ends, .. } = parameters;
        let mass = density * h;
        let elastic = 0.5 * k + kelvin_voigt;
        let matrix = Banded::new(
            grid.points(),
            2.0 * mass / k + 2.0 * density * damping * h,
            elastic * tension / h + 2.0 * density * diffusion / h,
            elastic * stiffness / (h * h * h),
            ends,
        );
        let factor = matrix.factorise();
        let columns = if ports.len() > MAX_RESPONSES { 0 } else { ports.len() };
        let responses = ports.iter().take(columns).map(|port| column(&factor, grid, port)).collect();
        Ok(Self { clock, parameters, grid, ports, mass, factor, responses })
    }

    /// The grid in use.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// A⁻¹ r of a port, computed anew.
    fn response(&self, port: usize) -> Vec<f64> {
        column(&self.factor, self.grid, &self.ports[port])
    }
}

/// A⁻¹ r for one port.
fn column(factor: &Factor, grid: Grid, port: &Weights) -> Vec<f64> {
    let mut response = vec![0.0; grid.len()];
    for (i, weight) in port.iter() {
        response[i] = weight;
    }
    factor.solve(&mut response[PAD..PAD + grid.points()]);
    response
}

impl Resonator for ImplicitString {
    fn port_count(&self) -> usize {
        self.ports.len()
    }

    fn state_len(&self) -> usize {
        4 * self.grid.len()
    }

    fn free_velocities(&self, state: &mut [f64], ports: &[usize], out: &mut [f64]) {
        let (n, m) = (self.grid.len(), self.grid.points());
        let (u, rest) = state.split_at_mut(n);
        let (v, rest) = rest.split_at_mut(n);
        let (mean, ahead) = rest.split_at_mut(n);
        let h = self.grid.spacing;
        let StringParameters { density, tension, stiffness, damping, diffusion, kelvin_voigt, ends, .. } =
            self.parameters;
        let lead = 0.5 * self.clock.dt + kelvin_voigt;
        for ((ahead, u), v) in ahead.iter_mut().zip(u.iter()).zip(v.iter()) {
            *ahead = u + lead * v;
        }
        grid::mirror(ahead, ends);
        let (tension, bending) = (tension / h, stiffness / (h * h * h));
        let (drag, spread) = (2.0 * density * damping * h, 2.0 * density * diffusion / h);
        let (y, v) = (&ahead[..m + 4], &v[..m + 4]);
        let correction = &mut mean[PAD..PAD + m];
        for (i, out) in correction.iter_mut().enumerate() {
            let near = y[i + 1] + y[i + 3];
            let curve = near - 2.0 * y[i + 2];
            let bend = (y[i] + y[i + 4]) - 4.0 * near + 6.0 * y[i + 2];
            let loss = drag * v[i + 2] - spread * ((v[i + 1] + v[i + 3]) - 2.0 * v[i + 2]);
            *out = tension * curve - bending * bend - loss;
        }
        self.factor.solve(correction);
        for (mean, v) in correction.iter_mut().zip(&v[PAD..PAD + m]) {
            *mean += v;
        }
        for (out, &port) in out.iter_mut().zip(ports) {
            *out = self.ports[port].read(mean);
        }
    }

    fn mobility(&self, p: usize, q: usize) -> f64 {
        // always from the lower index, so that Y = Yᵀ to the last bit
        let (low, high) = (p.min(q), p.max(q));
        match self.responses.get(low) {
            Some(response) => self.ports[high].read(response),
            None => self.ports[high].read(&self.response(low)),
        }
    }

    fn advance(&self, state: &mut [f64], ports: &[usize], forces: &[f64], audited: bool) -> f64 {
        let n = self.grid.len();
        let (u, rest) = state.split_at_mut(n);
        let (v, rest) = rest.split_at_mut(n);
        let (mean, load) = rest.split_at_mut(n);
        if forces.len() > MAX_COLUMNS || !forces.is_empty() && self.responses.is_empty() {
            let m = self.grid.points();
            let load = &mut load[..m];
            load.fill(0.0);
            for (&port, &force) in ports.iter().zip(forces) {
                self.ports[port].iter().for_each(|(i, weight)| load[i - PAD] += weight * force);
            }
            self.factor.solve(load);
            for (mean, response) in mean[PAD..PAD + m].iter_mut().zip(load.iter()) {
                *mean += response;
            }
        } else {
            for (&port, &force) in ports.iter().zip(forces) {
                for (mean, response) in mean.iter_mut().zip(&self.responses[port]) {
                    *mean += response * force;
                }
            }
        }
        let k = self.clock.dt;
        for ((u, v), &mean) in u.iter_mut().zip(v).zip(mean.iter()) {
            *v = 2.0 * mean - *v;
            *u += k * mean;
        }
        if !audited {
            return 0.0;
        }
        let StringParameters { density, tension, stiffness, damping, diffusion, kelvin_voigt, ends, .. } =
            self.parameters;
        let h = self.grid.spacing;
        let (uniform, spread) = (2.0 * density * damping * h, (2.0 * density * diffusion + kelvin_voigt * tension) / h);
        k * grid::power(mean, uniform, spread, kelvin_voigt * stiffness / (h * h * h), ends)
    }

    fn energy(&self, state: &[f64]) -> f64 {
        let n = self.grid.len();
        let (u, v) = (&state[..n], &state[n..2 * n]);
        let h = self.grid.spacing;
        let StringParameters { tension, stiffness, ends, .. } = self.parameters;
        let stores = Stores {
            mass: self.mass,
            tension: tension / h,
            bending: stiffness / (h * h * h),
            diffusion: 0.0,
            back: 0.0,
        };
        grid::energy(u, v, stores, ends)
    }

    fn displacement(&self, state: &[f64], port: usize) -> f64 {
        self.ports[port].read(state)
    }

    fn velocity(&self, state: &[f64], port: usize) -> f64 {
        self.ports[port].read(&state[self.grid.len()..])
    }

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { kick: Some(self), deflect: Some(self), shape: Some(self), ..Capabilities::default() }
    }
}

impl FastResonator for ImplicitString {
    fn come_to_rest(&self, state: &mut [f64]) -> bool {
        state.fill(0.0);
        true
    }
}

impl Kick for ImplicitString {
    fn kick(&self, state: &mut [f64], port: usize, impulse: f64) {
        let n = self.grid.len();
        for (i, weight) in self.ports[port].iter() {
            state[n + i] += weight * impulse / self.mass;
        }
    }
}

impl Deflect for ImplicitString {
    fn deflect(&self, state: &mut [f64], deflection: Deflection) -> bool {
        let n = self.grid.len();
        let u = &mut state[..n];
        match deflection {
            Deflection::Fundamental { displacement } => grid::half_sine(u, displacement),
            Deflection::Static { port, displacement } => {
                self.parameters.deflect(u, self.grid, self.ports[port], displacement);
            }
        }
        state[n..].fill(0.0);
        true
    }
}

impl Shape for ImplicitString {
    fn profile_len(&self) -> usize {
        self.grid.intervals + 1
    }

    fn profile_into(&self, state: &[f64], out: &mut [f64]) -> bool {
        // the ghosts next to the points are the ends, always 0
        resample(&state[PAD - 1..self.grid.len() - PAD + 1], out)
    }
}
