//! One or two membranes on a shell, with the air between them. [D21 §V]
//!
//! Model: the heads displace the volumes V = ∫u of [air](super::air), s V with s = +1 for the first head and −1 for the second (both count
//! displacement in the same direction), and the pressure at a head acts on each of its points.
//! Scheme: the pressure of the shapes ũ acts on every point, so the air does not couple contacts within a step.
//! Balance: as for a [surface](super), plus the energy that the air stores and loses.
//! Limits: the air uses up a share of the heads' stability limit, [`Air::share`].

use super::air::{Air, Column, Flow};
use super::body::Surface;
use super::{SurfaceParameters, SurfaceShape};
use crate::clock::Clock;
use crate::error::{BuildError, require};
use crate::resonator::{Audit, Capabilities, Deflect, Deflection, FastResonator, Kick, Resonator, Shape, Tighten};
use ictus_kernels::dot;

/// Heads coupled by air. The state concatenates the states of the heads and that of the air.
#[derive(Clone, Debug)]
pub struct Drum {
    heads: Vec<Surface>,
    /// s h² of each head, m²: signed area that a point sweeps, m³ of volume per m of displacement.
    swept_area: Vec<f64>,
    air: Column,
    ports: Vec<Port>,
}

/// A port of a drum.
#[derive(Clone, Copy, Debug)]
struct Port {
    head: usize,
    /// Port of that head.
    port: usize,
    /// Offset of the head's state.
    start: usize,
    /// Offset of v̄ in the state, if the port is on a grid point.
    node: Option<usize>,
    /// Mobility of that grid point, m/s per N.
    node_mobility: f64,
}

impl Drum {
    /// One or two heads with air behind or between them. `ports` gives the head, and the port of that head, for each port of the drum.
    pub fn new(clock: Clock, heads: Vec<Surface>, air: Air, ports: Vec<(usize, usize)>) -> Result<Self, BuildError> {
        require((1..=2).contains(&heads.len()), "number of heads", heads.len() as f64, "1 or 2")?;
        let column = Column::new(clock, air)?;
        let exists = |&(head, port): &(usize, usize)| heads.get(head).is_some_and(|head| port < head.port_count());
        require(ports.iter().all(exists), "port of a drum", ports.len() as f64, "ports of its heads only")?;
        let areas = heads.iter().map(|head| (head.points() as f64 * head.domain.cell(), head.parameters.density));
        let share = air.share(clock.dt, areas);
        for head in &heads {
            let SurfaceParameters { density, .. } = head.parameters;
            require(
                head.domain.load(&head.parameters, clock.dt) + share <= 1.0,
                "number of grid intervals",
                head.grid().columns as f64,
                format_args!(
                    "fewer: the air takes {:.2} % of the stability limit of a head of {density} kg/m²",
                    100.0 * share
                ),
            )?;
        }
        let swept_area = heads.iter().zip([1.0, -1.0]).map(|(head, sign)| sign * head.domain.cell()).collect();
        let port = |(head, port): (usize, usize)| {
            let start = if head == 0 { 0 } else { heads[0].state_len() };
            let node = heads[head].node_of(port);
            let node_mobility = node.map_or(0.0, |node| heads[head].node_mobility(node));
            Port { head, port, start, node: node.map(|node| start + node), node_mobility }
        };
        let ports = ports.into_iter().map(port).collect();
        Ok(Self { heads, swept_area, air: column, ports })
    }

    /// The heads.
    pub fn heads(&self) -> &[Surface] {
        &self.heads
    }

    /// Each head with its swept area and its part of the state.
    fn parts<'a>(&'a self, mut state: &'a mut [f64]) -> impl Iterator<Item = (&'a Surface, f64, &'a mut [f64])> {
        self.heads.iter().zip(&self.swept_area).map(move |(head, &swept_area)| {
            let (own, rest) = std::mem::take(&mut state).split_at_mut(head.state_len());
            state = rest;
            (head, swept_area, own)
        })
    }

    /// The head of a port, the port of that head, and the offset of the head's state.
    fn find(&self, port: usize) -> (usize, usize, usize) {
        let Port { head, port, start, .. } = self.ports[port];
        (head, port, start)
    }

    /// The state of the air.
    fn air_state<'a>(&self, state: &'a [f64]) -> &'a [f64] {
        &state[state.len() - self.air.state_len()..]
    }

    /// Sets the air to equilibrium with the current shapes and velocities of the heads.
    fn settle_air(&self, state: &mut [f64]) {
        let volumes = self.volumes(state, 0);
        let rates = self.volumes(state, 1);
        let start = state.len() - self.air.state_len();
        self.air.settle(&mut state[start..], volumes[0] + volumes[1], rates);
    }

    /// s V of both heads (`of` 0) or its rate of change (`of` 1), m³ or m³/s.
    fn volumes(&self, state: &[f64], of: usize) -> [f64; 2] {
        let mut start = 0;
        let mut volumes = [0.0; 2];
        for ((head, swept_area), volume) in self.heads.iter().zip(&self.swept_area).zip(&mut volumes) {
            let len = head.domain.len;
            let first = start + of * len;
            *volume = swept_area * dot(&state[first..first + len], &head.domain.lightness);
            start += head.state_len();
        }
        volumes
    }

    /// Velocity that the air pressure adds to v̄ of each head's points, m/s.
    fn air_velocities(&self, state: &[f64]) -> [f64; 2] {
        let air = self.air_state(state);
        let mut added = [0.0; 2];
        for (i, (head, swept_area)) in self.heads.iter().zip(&self.swept_area).enumerate() {
            added[i] = self.air.push(air, i) * swept_area * head.mobility;
        }
        added
    }

    fn step(&self, state: &mut [f64], ports: &[usize], forces: &[f64], audited: bool) -> Audit {
        for (&port, &force) in ports.iter().zip(forces) {
            let Port { head, port, start, node, node_mobility } = self.ports[port];
            match node {
                Some(node) => state[node] += node_mobility * force,
                None => self.heads[head].push(&mut state[start..], port, force),
            }
        }
        let from_air = self.air_velocities(state);
        let (mut audit, mut rates) = (Audit::default(), [0.0; 2]);
        for (i, (head, swept_area, own)) in self.parts(state).enumerate() {
            let step_audit = head.step(own, from_air[i], audited);
            let Audit { dissipated, stored } = head.audit(step_audit);
            audit.dissipated += dissipated;
            audit.stored += stored;
            rates[i] = swept_area * step_audit.flow;
        }
        // integrates the rates with the scheme of the points: summing the shapes again would cost as much as the step
        let start = state.len() - self.air.state_len();
        let Flow { dissipated, stored } = self.air.step(&mut state[start..], rates);
        audit.dissipated += dissipated;
        audit.stored += stored;
        audit
    }
}

impl Resonator for Drum {
    fn port_count(&self) -> usize {
        self.ports.len()
    }

    fn state_len(&self) -> usize {
        self.heads.iter().map(Surface::state_len).sum::<usize>() + self.air.state_len()
    }

    fn free_velocities(&self, state: &mut [f64], ports: &[usize], out: &mut [f64]) {
        for (head, _, own) in self.parts(state) {
            head.foresee(own);
        }
        let from_air = self.air_velocities(state);
        for (out, &port) in out.iter_mut().zip(ports) {
            let Port { head, port, start, node, .. } = self.ports[port];
            *out = match node {
                Some(node) => state[node] + from_air[head],
                None => {
                    let surface = &self.heads[head];
                    surface.predicted(&state[start..], port) + from_air[head] * surface.moved_share(port)
                }
            };
        }
    }

    fn mobility(&self, p: usize, q: usize) -> f64 {
        let ((head, p, _), (other, q, _)) = (self.find(p), self.find(q));
        if head == other { self.heads[head].mobility(p, q) } else { 0.0 }
    }

    fn advance(&self, state: &mut [f64], ports: &[usize], forces: &[f64], audited: bool) -> f64 {
        self.step(state, ports, forces, audited).dissipated
    }

    fn energy(&self, state: &[f64]) -> f64 {
        let mut start = 0;
        let mut energy = 0.0;
        for head in &self.heads {
            energy += head.energy(&state[start..start + head.state_len()]);
            start += head.state_len();
        }
        energy + self.air.energy(self.air_state(state))
    }

    fn displacement(&self, state: &[f64], port: usize) -> f64 {
        let (head, port, start) = self.find(port);
        self.heads[head].displacement(&state[start..], port)
    }

    fn velocity(&self, state: &[f64], port: usize) -> f64 {
        let (head, port, start) = self.find(port);
        self.heads[head].velocity(&state[start..], port)
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

impl FastResonator for Drum {
    fn forget(&self, state: &mut [f64]) {
        for (head, _, own) in self.parts(state) {
            head.forget(own);
        }
    }

    fn spreads(&self) -> bool {
        true
    }

    fn come_to_rest(&self, state: &mut [f64]) -> bool {
        let rests = self.parts(state).all(|(head, _, own)| head.come_to_rest(own));
        self.settle_air(state);
        rests
    }

    fn advance_audited(&self, state: &mut [f64], ports: &[usize], forces: &[f64]) -> Audit {
        self.step(state, ports, forces, true)
    }
}

impl Kick for Drum {
    fn kick(&self, state: &mut [f64], port: usize, impulse: f64) {
        let (head, port, start) = self.find(port);
        let flow = self.swept_area[head] * self.heads[head].jump(&mut state[start..], port, impulse);
        let air = state.len() - self.air.state_len();
        self.air.jump(&mut state[air..], head, flow);
    }
}

impl Deflect for Drum {
    fn deflect(&self, state: &mut [f64], deflection: Deflection) -> bool {
        let (head, deflection, start) = match deflection {
            Deflection::Static { port, displacement } => {
                let (head, port, start) = self.find(port);
                (head, Deflection::Static { port, displacement }, start)
            }
            Deflection::Fundamental { .. } => (0, deflection, 0),
        };
        let head = &self.heads[head];
        let done = head.deflect(&mut state[start..start + head.state_len()], deflection);
        self.settle_air(state);
        done
    }
}

impl Tighten for Drum {
    fn tighten(&self, state: &mut [f64], part: usize, share: f64) -> bool {
        self.parts(state).nth(part).is_some_and(|(head, _, own)| head.tighten(own, share))
    }
}

impl Shape for Drum {
    fn profile_len(&self) -> usize {
        0
    }

    fn profile_into(&self, _state: &[f64], _out: &mut [f64]) -> bool {
        false
    }

    fn surface_shape<'a>(&'a self, state: &'a [f64], which: usize) -> Option<SurfaceShape<'a>> {
        let start = if which == 0 { 0 } else { self.heads[0].state_len() };
        self.heads.get(which)?.surface_shape(&state[start..], 0)
    }
}
