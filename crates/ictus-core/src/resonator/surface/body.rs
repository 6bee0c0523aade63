//! The resonator of a surface: one step, its energy, its ports.

use super::domain::{Domain, scratch_arrays};
use super::elliptic::{self, Elastic};
use super::port::Port;
use super::{Edge, Outline, SurfaceGrid, SurfaceParameters, SurfaceShape};
use crate::clock::{Clock, Scheme};
use crate::error::BuildError;
use crate::resonator::{Audit, Capabilities, Deflect, Deflection, FastResonator, Kick, Resonator, Shape, Tighten};
use ictus_kernels::LANES;
use ictus_kernels::free_plate::{self, Free, Moments};
use ictus_kernels::surface::step::{Held, Losses, Motion, StepAudit, step_flexible, step_stiff};
use ictus_kernels::surface::{self, Point, Stores};

/// A membrane or plate. State: `[ũ…, v…, v̄…, scratch…]`, scratch being the curvature of a plate with a held edge or three moments of a free one; then a flag, 1 if v̄ and scratch are those
/// of the next step, as every step leaves them; then the relative reduction of the tension.
#[derive(Clone, Debug)]
pub struct Surface {
    pub(super) clock: Clock,
    pub(super) parameters: SurfaceParameters,
    grid: SurfaceGrid,
    pub(super) domain: Domain,
    ports: Vec<Port>,
    pub(super) mobility: f64, // Y, m/s per N at a point with a whole cell
    point: Point,
    stores: Stores,
    losses: Losses,
}

impl Surface {
    /// A surface on `grid` with ports at `positions`; see [`Outline`] for their units.
    pub fn new(
        clock: Clock,
        parameters: SurfaceParameters,
        grid: SurfaceGrid,
        positions: &[[f64; 2]],
    ) -> Result<Self, BuildError> {
        parameters.check()?;
        grid.check(&parameters, clock.dt)?;
        let domain = Domain::new(&parameters, grid);
        parameters.require_stable(domain.is_stable(&parameters, clock.dt), grid, clock.dt)?;
        let ports = positions.iter().map(|&at| Port::new(&domain, &parameters, Some(at))).collect::<Result<_, _>>()?;
        let (cell, k) = (domain.cell(), clock.dt);
        let SurfaceParameters { density, tension, rigidity, damping, diffusion, .. } = parameters;
        let mass = density * cell;
        let mobility = 1.0 / (2.0 * mass / k + 2.0 * mass * damping);
        Ok(Self {
            clock,
            parameters,
            grid,
            ports,
            mobility,
            point: Point {
                tension: tension * mobility,
                bending: rigidity / cell * mobility,
                diffusion: 2.0 * density * diffusion * mobility,
                drag: 2.0 * mass * damping * mobility,
            },
            stores: Stores { mass, tension, bending: rigidity / cell, diffusion: density * diffusion * k, back: k },
            losses: Losses { uniform: 2.0 * mass * damping, spread: 2.0 * density * diffusion },
            domain,
        })
    }

    /// This surface with ports at `positions` instead of its own.
    pub fn with_ports(&self, positions: &[[f64; 2]]) -> Result<Self, BuildError> {
        let places: Vec<_> = positions.iter().copied().map(Some).collect();
        self.with_places(&places)
    }

    /// As [`with_ports`](Self::with_ports); `None` is a port whose velocity is the mean over the surface and whose force is a uniform pressure.
    pub fn with_places(&self, places: &[Option<[f64; 2]>]) -> Result<Self, BuildError> {
        let at = |&at: &Option<[f64; 2]>| Port::new(&self.domain, &self.parameters, at);
        let ports = places.iter().map(at).collect::<Result<_, _>>()?;
        Ok(Self { ports, ..self.clone() })
    }

    /// True if a port can be at `position`.
    pub fn can_be_touched(&self, position: [f64; 2]) -> bool {
        Port::new(&self.domain, &self.parameters, Some(position)).is_ok()
    }

    /// The outline.
    pub fn outline(&self) -> Outline {
        self.parameters.outline
    }

    /// The grid in use.
    pub fn grid(&self) -> SurfaceGrid {
        self.grid
    }

    /// Number of moving points.
    pub fn points(&self) -> usize {
        self.domain.lightness.iter().filter(|x| **x > 0.0).count()
    }

    /// Spacings of the grid in x and y, m.
    pub fn spacing(&self) -> [f64; 2] {
        self.domain.spacing
    }

    /// The grid point nearest to `position`, in the coordinates of ports.
    pub fn nearest_node(&self, position: [f64; 2]) -> [f64; 2] {
        self.domain.nearest_node(position)
    }

    /// ũ, v, v̄ and scratch.
    fn split<'a>(&self, state: &'a mut [f64]) -> [&'a mut [f64]; 4] {
        let n = self.domain.len;
        let (u, rest) = state.split_at_mut(n);
        let (v, rest) = rest.split_at_mut(n);
        let (mean, rest) = rest.split_at_mut(n);
        [u, v, mean, &mut rest[..self.scratch_len()]]
    }

    fn scratch_len(&self) -> usize {
        scratch_arrays(&self.parameters) * self.domain.len
    }

    /// Offset of the prediction flag. Only [`is_predicted`](Self::is_predicted) and [`set_predicted`](Self::set_predicted) read and write it.
    fn predicted_flag(&self) -> usize {
        3 * self.domain.len + self.scratch_len()
    }

    /// True if v̄ and scratch are those of the next step without forces.
    fn is_predicted(&self, state: &[f64]) -> bool {
        state[self.predicted_flag()] == 1.0
    }

    fn set_predicted(&self, state: &mut [f64], predicted: bool) {
        state[self.predicted_flag()] = if predicted { 1.0 } else { 0.0 };
    }

    /// Current tension over that of the parameters. The state holds 1 minus this, so that zeros are the surface as built.
    fn tension_share(&self, state: &[f64]) -> f64 {
        1.0 - state[self.predicted_flag() + 1]
    }

    fn set_tension_share(&self, state: &mut [f64], share: f64) {
        state[self.predicted_flag() + 1] = 1.0 - share;
    }

    /// Coefficients of the step and of the energy at a share of the tension.
    fn at_tension(&self, share: f64) -> (Point, Stores) {
        let (point, stores) = (self.point, self.stores);
        (Point { tension: share * point.tension, ..point }, Stores { tension: share * stores.tension, ..stores })
    }

    /// Sets the tension to `share` of that of the parameters, 0 < `share` ≤ 1: more might be unstable on this grid. Returns false if that is not possible.
    pub(super) fn tighten(&self, state: &mut [f64], share: f64) -> bool {
        let possible = self.parameters.tension > 0.0 && share > 0.0 && share <= 1.0;
        if possible {
            self.set_tension_share(state, share);
            self.forget(state);
        }
        possible
    }

    /// Predicts the next step unless the last one did.
    pub(super) fn foresee(&self, state: &mut [f64]) {
        if !self.is_predicted(state) {
            self.predict(state);
            self.set_predicted(state, true);
        }
    }

    /// Moves all points and predicts the next step; a membrane adds `from_air` (m/s) to v̄ of all points.
    pub(super) fn step(&self, state: &mut [f64], from_air: f64, audited: bool) -> StepAudit {
        let (point, stores) = self.at_tension(self.tension_share(state));
        let [u, v, mean, scratch] = self.split(state);
        let motion = Motion { u, v, mean };
        let Domain { ref plan, lattice, ref lightness, ref bent, len, .. } = self.domain;
        let losses = self.losses;
        if let Some(weights) = self.domain.weights() {
            let (x, rest) = scratch.split_at_mut(len);
            let (y, twist) = rest.split_at_mut(len);
            let free = Free { plan, weights, point, stores, losses };
            return free_plate::step(motion, Moments { x, y, twist }, free, audited);
        }
        let held = Held { plan, mask: lightness, lattice, point, stores, losses };
        if bent.is_empty() {
            step_flexible(motion, held, from_air, audited)
        } else {
            step_stiff(motion, scratch, bent, held, audited)
        }
    }

    /// Energies of a step, J, from the sums of the kernel.
    pub(super) fn audit(&self, audit: StepAudit) -> Audit {
        Audit { dissipated: self.clock.dt * audit.lost, stored: 0.5 * audit.stored }
    }

    fn predict(&self, state: &mut [f64]) {
        let (point, _) = self.at_tension(self.tension_share(state));
        let [u, v, mean, scratch] = self.split(state);
        let Domain { lattice, ref lightness, ref bent, len, .. } = self.domain;
        if let Some(weights) = self.domain.weights() {
            let (x, rest) = scratch.split_at_mut(len);
            let (y, twist) = rest.split_at_mut(len);
            free_plate::bend(u, weights, lattice.stride, Moments { x, y, twist });
            free_plate::predict(v, weights, lattice.stride, Moments { x, y, twist }, point, mean);
        } else if bent.is_empty() {
            surface::flexible(u, v, lightness, lattice, point, mean);
        } else {
            surface::curvature(u, bent, lattice, scratch);
            surface::stiff(scratch, v, lightness, lattice, point, mean);
        }
    }

    /// Sets v so that the lossless free mean velocity is zero.
    fn rest(&self, state: &mut [f64]) {
        self.forget(state);
        let [_, v, ..] = self.split(state);
        v.fill(0.0);
        if self.clock.scheme == Scheme::Midpoint {
            return;
        }
        self.predict(state);
        let [_, v, mean, _] = self.split(state);
        for (v, mean) in v.iter_mut().zip(mean.iter()) {
            *v = -mean / (1.0 - self.point.drag);
        }
    }

    /// v̄ of the next step at a port, m/s, under the forces applied so far and without the air. Needs a [prediction](Self::foresee).
    pub(super) fn predicted(&self, state: &[f64], port: usize) -> f64 {
        self.ports[port].read(&state[2 * self.domain.len..])
    }

    /// Offset of v̄ of a port in the state, if the port is on a grid point.
    pub(super) fn node_of(&self, port: usize) -> Option<usize> {
        self.ports[port].node().map(|node| 2 * self.domain.len + node)
    }

    /// Mobility of the grid point whose v̄ is at the offset `node`, m/s per N.
    pub(super) fn node_mobility(&self, node: usize) -> f64 {
        self.mobility * self.domain.lightness[node - 2 * self.domain.len]
    }

    /// v̄ of a port per uniform v̄ of all points.
    pub(super) fn moved_share(&self, port: usize) -> f64 {
        self.ports[port].total()
    }

    /// Adds the effect of a force (N) at a port to v̄.
    pub(super) fn push(&self, state: &mut [f64], port: usize, force: f64) {
        if let Some(node) = self.node_of(port) {
            state[node] += self.node_mobility(node) * force;
            return;
        }
        let mean = &mut state[2 * self.domain.len..];
        self.ports[port].each(|i, share| mean[i] += self.mobility * self.domain.lightness[i] * share * force);
    }

    /// Applies an impulse (N s) at a port; returns the sum of the jumps of v over the points, each times its lightness, m/s.
    pub(super) fn jump(&self, state: &mut [f64], port: usize, impulse: f64) -> f64 {
        self.forget(state);
        let lead = match self.clock.scheme {
            Scheme::Midpoint => 0.5 * self.clock.dt,
            Scheme::Leapfrog => 0.0,
        };
        let [u, v, ..] = self.split(state);
        let mut sum = 0.0;
        self.ports[port].each(|i, share| {
            let lightness = self.domain.lightness[i];
            let jump = lightness * share * impulse / self.stores.mass;
            v[i] += jump;
            u[i] += lead * jump;
            sum += lightness * jump;
        });
        sum
    }

    fn elastic(&self, state: &[f64]) -> Elastic {
        Elastic { tension: self.tension_share(state) * self.stores.tension, bending: self.stores.bending }
    }
}

impl Resonator for Surface {
    fn port_count(&self) -> usize {
        self.ports.len()
    }

    fn state_len(&self) -> usize {
        // whole cache lines, so that the state of every head of a drum is aligned
        self.predicted_flag() + LANES
    }

    fn free_velocities(&self, state: &mut [f64], ports: &[usize], out: &mut [f64]) {
        self.foresee(state);
        for (out, &port) in out.iter_mut().zip(ports) {
            *out = self.predicted(state, port);
        }
    }

    fn mobility(&self, p: usize, q: usize) -> f64 {
        // in a fixed order, so that Y = Yᵀ to the last bit
        let (p, q) = (p.min(q), p.max(q));
        self.mobility * self.ports[p].overlap(&self.ports[q], &self.domain.lightness)
    }

    fn advance(&self, state: &mut [f64], ports: &[usize], forces: &[f64], audited: bool) -> f64 {
        for (&port, &force) in ports.iter().zip(forces) {
            self.push(state, port, force);
        }
        self.audit(self.step(state, 0.0, audited)).dissipated
    }

    fn energy(&self, state: &[f64]) -> f64 {
        let Domain { lattice, ref bent, len, .. } = self.domain;
        let (u, v) = (&state[..len], &state[len..2 * len]);
        let (_, stores) = self.at_tension(self.tension_share(state));
        if let Some(weights) = self.domain.weights() {
            return 0.5 * free_plate::energy(u, v, weights, lattice.stride, stores);
        }
        let mut twice = surface::energy_flexible(u, v, lattice, stores);
        if !bent.is_empty() {
            twice += surface::energy_bending(u, v, bent, lattice, stores);
        }
        0.5 * twice
    }

    fn displacement(&self, state: &[f64], port: usize) -> f64 {
        let port = &self.ports[port];
        let ahead = port.read(state);
        match self.clock.scheme {
            Scheme::Leapfrog => ahead,
            Scheme::Midpoint => ahead - 0.5 * self.clock.dt * port.read(&state[self.domain.len..]),
        }
    }

    fn velocity(&self, state: &[f64], port: usize) -> f64 {
        self.ports[port].read(&state[self.domain.len..])
    }

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities {
            kick: Some(self),
            deflect: Some(self),
            tighten: Some(self),
            shape: Some(self),
            ..Capabilities::default()
        }
    }
}

impl FastResonator for Surface {
    fn forget(&self, state: &mut [f64]) {
        self.set_predicted(state, false);
    }

    fn advance_audited(&self, state: &mut [f64], ports: &[usize], forces: &[f64]) -> Audit {
        for (&port, &force) in ports.iter().zip(forces) {
            self.push(state, port, force);
        }
        self.audit(self.step(state, 0.0, true))
    }

    fn spreads(&self) -> bool {
        true
    }

    fn come_to_rest(&self, state: &mut [f64]) -> bool {
        let flag = self.predicted_flag();
        state[..flag].fill(0.0);
        self.set_predicted(state, true);
        true
    }
}

impl Kick for Surface {
    fn kick(&self, state: &mut [f64], port: usize, impulse: f64) {
        self.jump(state, port, impulse);
    }
}

impl Deflect for Surface {
    fn deflect(&self, state: &mut [f64], deflection: Deflection) -> bool {
        if self.parameters.edge == Edge::Free {
            return false;
        }
        let len = self.domain.len;
        let mut shape = self.domain.bump();
        let scale = match deflection {
            Deflection::Fundamental { displacement } => {
                elliptic::lowest(&self.domain, self.elastic(state), &mut shape);
                displacement
            }
            Deflection::Static { port, displacement } => {
                let mut load = vec![0.0; len];
                self.ports[port].each(|i, share| load[i] = share);
                shape.fill(0.0);
                elliptic::solve(&self.domain, self.elastic(state), &load, &mut shape);
                displacement / self.ports[port].read(&shape)
            }
        };
        for (u, shape) in state[..len].iter_mut().zip(&shape) {
            *u = scale * shape;
        }
        self.rest(state);
        true
    }
}

impl Tighten for Surface {
    fn tighten(&self, state: &mut [f64], part: usize, share: f64) -> bool {
        part == 0 && Surface::tighten(self, state, share)
    }
}

impl Shape for Surface {
    fn profile_len(&self) -> usize {
        0
    }

    fn profile_into(&self, _state: &[f64], _out: &mut [f64]) -> bool {
        false
    }

    fn surface_shape<'a>(&'a self, state: &'a [f64], which: usize) -> Option<SurfaceShape<'a>> {
        // in the midpoint scheme half a step ahead, which a plot does not show
        (which == 0).then(|| self.domain.surface_shape(state))
    }
}
