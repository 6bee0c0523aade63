//! The body: one step, its energy, its ports.

use super::domain::{Domain, scratch_arrays};
use super::elliptic::{self, Elastic};
use super::port::Corners;
use super::{Edge, Outline, Sheet, SurfaceGrid, SurfaceParameters};
use crate::clock::{Clock, Frame};
use crate::error::BuildError;
use crate::resonator::{Audit, Block, Deflection, Resonator};
use ictus_kernels::LANES;
use ictus_kernels::free_plate::{self, Free, Moments};
use ictus_kernels::surface::block::{Looks, PORTS, Spot, run};
use ictus_kernels::surface::step::{Books, Held, Losses, Motion, step_flexible, step_stiff};
use ictus_kernels::surface::{self, Point, Stores};

/// Fewest steps that are taken at once: to lay a surface out costs up to two, and what follows must be predicted anew.
const WORTHWHILE: usize = 6;

/// A membrane or plate. State: `[ũ…, v…, v̄…, scratch…]`, curvature of a plate with a held edge, three moments of a free one; then 1 if v̄ and scratch are those
/// of the next step, which every step leaves behind, and by what share the tension is less than it was built for.
#[derive(Clone, Debug)]
pub struct Surface {
    pub(super) clock: Clock,
    pub(super) parameters: SurfaceParameters,
    grid: SurfaceGrid,
    pub(super) domain: Domain,
    ports: Vec<Corners>,
    pub(super) mobility: f64, // Y, m/s per N at a whole point
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
        let ports = positions.iter().map(|&at| Corners::new(&domain, &parameters, at)).collect::<Result<_, _>>()?;
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

    /// The same surface with ports at `positions` instead of its own.
    pub fn with_ports(&self, positions: &[[f64; 2]]) -> Result<Self, BuildError> {
        let at = |&at: &[f64; 2]| Corners::new(&self.domain, &self.parameters, at);
        let ports = positions.iter().map(at).collect::<Result<_, _>>()?;
        Ok(Self { ports, ..self.clone() })
    }

    /// True where a port may be.
    pub fn can_be_touched(&self, position: [f64; 2]) -> bool {
        Corners::new(&self.domain, &self.parameters, position).is_ok()
    }

    /// What it looks like from above.
    pub fn outline(&self) -> Outline {
        self.parameters.outline
    }

    /// The grid in use.
    pub fn grid(&self) -> SurfaceGrid {
        self.grid
    }

    /// Points that move.
    pub fn points(&self) -> usize {
        self.domain.lightness.iter().filter(|x| **x > 0.0).count()
    }

    /// Distances between the points in x and y, m.
    pub fn spacing(&self) -> [f64; 2] {
        self.domain.spacing
    }

    /// The node of the grid next to `position`, in the coordinates of ports.
    pub fn nearest_node(&self, position: [f64; 2]) -> [f64; 2] {
        self.domain.nearest_node(position)
    }

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

    /// The place of the state that is 1 if the next step is predicted.
    fn predicted_flag(&self) -> usize {
        3 * self.domain.len + self.scratch_len()
    }

    /// The share of its tension with which it is pulled now.
    fn pull(&self, state: &[f64]) -> f64 {
        1.0 - state[self.predicted_flag() + 1]
    }

    /// How a point answers and what it stores under such a pull.
    fn pulled(&self, pull: f64) -> (Point, Stores) {
        let (point, stores) = (self.point, self.stores);
        (Point { tension: pull * point.tension, ..point }, Stores { tension: pull * stores.tension, ..stores })
    }

    /// Pulls with `share` of the tension it was built for, which is as much as its grid bears. Returns false where that cannot be.
    pub(super) fn tighten(&self, state: &mut [f64], share: f64) -> bool {
        let possible = self.parameters.tension > 0.0 && share > 0.0 && share <= 1.0;
        if possible {
            state[self.predicted_flag() + 1] = 1.0 - share;
            self.forget(state);
        }
        possible
    }

    /// Predicts the next step, unless the last one did.
    pub(super) fn foresee(&self, state: &mut [f64]) {
        let flag = self.predicted_flag();
        if state[flag] != 1.0 {
            self.predict(state);
            state[flag] = 1.0;
        }
    }

    /// Moves all points and predicts the next step; `blow` is added to v̄ everywhere.
    pub(super) fn step(&self, state: &mut [f64], blow: f64, audited: bool) -> Books {
        let (point, stores) = self.pulled(self.pull(state));
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
            step_flexible(motion, held, blow, audited)
        } else {
            step_stiff(motion, scratch, bent, held, audited)
        }
    }

    /// The energies of a step.
    pub(super) fn audit(&self, books: Books) -> Audit {
        Audit { dissipated: self.clock.dt * books.lost, stored: 0.5 * books.stored }
    }

    /// True for blocks that the kernel takes at once: the rim is held, and no books are kept.
    fn runs_in_blocks(&self, block: &Block) -> bool {
        let few = [block.pushed, block.watched, block.heard, block.placed].iter().all(|ports| ports.len() <= PORTS);
        let fits = self.domain.plan.room().is_some_and(|room| block.room.len() >= room);
        few && fits && block.steps >= WORTHWHILE && !block.audited
    }

    /// Takes the steps of a block at once.
    fn run(&self, state: &mut [f64], block: &mut Block) {
        let spots = |ports: &[usize]| {
            let mut spots = [Spot::default(); PORTS];
            for (spot, &port) in spots.iter_mut().zip(ports) {
                *spot = self.ports[port].spot();
            }
            spots
        };
        let Block { steps, pushed, watched, heard, placed, forces, .. } = *block;
        let mut looks = Looks {
            steps,
            pushed: &spots(pushed)[..pushed.len()],
            forces,
            mobility: self.mobility,
            watched: &spots(watched)[..watched.len()],
            free: block.free.0,
            heard: &spots(heard)[..heard.len()],
            velocities: block.velocities.0,
            placed: &spots(placed)[..placed.len()],
            earlier: (self.clock.frame == Frame::Midpoint).then_some(0.5 * self.clock.dt),
            displacements: block.displacements.0,
        };
        let (point, stores) = self.pulled(self.pull(state));
        let Domain { ref plan, lattice, ref lightness, ref bent, .. } = self.domain;
        let held = Held { plan, mask: lightness, lattice, point, stores, losses: self.losses };
        let [u, v, ..] = self.split(state);
        run([u, v], bent, held, &mut looks, block.room);
        self.forget(state);
    }

    fn predict(&self, state: &mut [f64]) {
        let (point, _) = self.pulled(self.pull(state));
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
        if self.clock.frame == Frame::Midpoint {
            return;
        }
        self.predict(state);
        let [_, v, mean, _] = self.split(state);
        for (v, mean) in v.iter_mut().zip(mean.iter()) {
            *v = -mean / (1.0 - self.point.drag);
        }
    }

    /// v̄ of a port as far as it is known.
    pub(super) fn predicted(&self, state: &[f64], port: usize) -> f64 {
        self.ports[port].read(&state[2 * self.domain.len..])
    }

    /// Where in the state v̄ of a port is found, if the port is a node.
    pub(super) fn node_of(&self, port: usize) -> Option<usize> {
        self.ports[port].node().map(|node| 2 * self.domain.len + node)
    }

    /// What a force at the point that has its v̄ at `node` does to it, m/s per N.
    pub(super) fn node_mobility(&self, node: usize) -> f64 {
        self.mobility * self.domain.lightness[node - 2 * self.domain.len]
    }

    /// v̄ of a port per v̄ of all points.
    pub(super) fn moved_share(&self, port: usize) -> f64 {
        self.ports[port].total()
    }

    /// Adds what a force at a port does to v̄.
    pub(super) fn push(&self, state: &mut [f64], port: usize, force: f64) {
        if let Some(node) = self.node_of(port) {
            state[node] += self.node_mobility(node) * force;
            return;
        }
        let mean = &mut state[2 * self.domain.len..];
        for (i, share) in self.ports[port].iter() {
            mean[i] += self.mobility * self.domain.lightness[i] * share * force;
        }
    }

    fn elastic(&self, state: &[f64]) -> Elastic {
        Elastic { tension: self.pull(state) * self.stores.tension, bending: self.stores.bending }
    }
}

impl Resonator for Surface {
    fn port_count(&self) -> usize {
        self.ports.len()
    }

    fn state_len(&self) -> usize {
        // whole cache lines, so that a drum's heads begin at one
        self.predicted_flag() + LANES
    }

    fn free_velocities(&self, state: &mut [f64], ports: &[usize], out: &mut [f64]) {
        self.foresee(state);
        for (out, &port) in out.iter_mut().zip(ports) {
            *out = self.predicted(state, port);
        }
    }

    fn forget(&self, state: &mut [f64]) {
        state[self.predicted_flag()] = 0.0;
    }

    fn tighten(&self, state: &mut [f64], part: usize, share: f64) -> bool {
        part == 0 && Surface::tighten(self, state, share)
    }

    fn mobility(&self, p: usize, q: usize) -> f64 {
        // in one order, so that both ways have the same bits
        let (p, q) = (p.min(q), p.max(q));
        self.mobility * self.ports[p].overlap(&self.ports[q], &self.domain.lightness)
    }

    fn advance(&self, state: &mut [f64], ports: &[usize], forces: &[f64], audited: bool) -> f64 {
        for (&port, &force) in ports.iter().zip(forces) {
            self.push(state, port, force);
        }
        self.audit(self.step(state, 0.0, audited)).dissipated
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
        state[flag] = 1.0;
        true
    }

    fn block_room(&self) -> usize {
        self.domain.plan.room().unwrap_or(0)
    }

    fn coast(&self, state: &mut [f64], block: &mut Block) {
        if self.runs_in_blocks(block) {
            self.run(state, block);
        } else {
            block.step_through(self, state);
        }
    }

    fn energy(&self, state: &[f64]) -> f64 {
        let Domain { lattice, ref bent, len, .. } = self.domain;
        let (u, v) = (&state[..len], &state[len..2 * len]);
        let (_, stores) = self.pulled(self.pull(state));
        if let Some(weights) = self.domain.weights() {
            return 0.5 * free_plate::energy(u, v, weights, lattice.stride, stores);
        }
        let mut twice = surface::energy_flexible(u, v, lattice, stores);
        if !bent.is_empty() {
            twice += surface::energy_bending(u, v, bent, lattice, stores);
        }
        0.5 * twice
    }

    fn sheet<'a>(&'a self, state: &'a [f64], which: usize) -> Option<Sheet<'a>> {
        // half a step early or late does not show
        (which == 0).then(|| self.domain.sheet(state))
    }

    fn displacement(&self, state: &[f64], port: usize) -> f64 {
        let port = &self.ports[port];
        let ahead = port.read(state);
        match self.clock.frame {
            Frame::Leapfrog => ahead,
            Frame::Midpoint => ahead - 0.5 * self.clock.dt * port.read(&state[self.domain.len..]),
        }
    }

    fn velocity(&self, state: &[f64], port: usize) -> f64 {
        self.ports[port].read(&state[self.domain.len..])
    }

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
                for (i, share) in self.ports[port].iter() {
                    load[i] = share;
                }
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
