//! One or two membranes on a shell, with the air between them. [D21 §V]
//!
//! Model: the [air](super::air) feels the volumes the heads have moved, V = ∫u, s V with s = +1 for the first head and −1 for the second (both count
//! displacement in the same direction), and pushes every point of a head with the pressure there.
//! Scheme: the pressure of the shapes ũ acts on every point, so no contact feels another through the air within a step.
//! Balance: as for a [surface](super), with what the air stores and loses besides.
//! Limits: the air takes a share of what the heads may use of their stability limit, [`Air::share`].

use super::air::{Air, Column, Flow};
use super::body::Surface;
use super::{Sheet, SurfaceParameters};
use crate::clock::Clock;
use crate::error::{BuildError, require};
use crate::resonator::{Audit, Deflection, Resonator};
use ictus_kernels::dot;

/// Heads coupled by air. The state is that of one head after the other, then that of the air.
#[derive(Clone, Debug)]
pub struct Drum {
    heads: Vec<Surface>,
    /// s h² of each head, m².
    sweep: Vec<f64>,
    air: Column,
    ports: Vec<Port>,
}

/// A port of a drum.
#[derive(Clone, Copy, Debug)]
struct Port {
    head: usize,
    /// Its number there.
    port: usize,
    /// Where the state of the head begins.
    start: usize,
    /// Where v̄ is found in the state, if the port is a node.
    node: Option<usize>,
    /// What a force at a node does to v̄ there, m/s per N.
    lightness: f64,
}

impl Drum {
    /// One or two heads with air behind or between them. Port i is the one that `ports` says: which head, and which port of it.
    pub fn new(clock: Clock, heads: Vec<Surface>, air: Air, ports: Vec<(usize, usize)>) -> Result<Self, BuildError> {
        require((1..=2).contains(&heads.len()), "number of heads", heads.len() as f64, "1 or 2")?;
        let column = Column::new(clock, air)?;
        let exists = |&(head, port): &(usize, usize)| heads.get(head).is_some_and(|head| port < head.port_count());
        require(ports.iter().all(exists), "port of a drum", ports.len() as f64, "ports that its heads have")?;
        let areas = heads.iter().map(|head| (head.points() as f64 * head.domain.cell(), head.parameters.density));
        let share = air.share(clock.dt, areas);
        for head in &heads {
            let SurfaceParameters { density, .. } = head.parameters;
            require(
                head.domain.load(&head.parameters, clock.dt) + share <= 1.0,
                "number of grid intervals",
                head.grid().columns as f64,
                &format!(
                    "fewer: the air takes {:.2} % of the stability limit of a head of {density} kg/m²",
                    100.0 * share
                ),
            )?;
        }
        let sweep = heads.iter().zip([1.0, -1.0]).map(|(head, sign)| sign * head.domain.cell()).collect();
        let port = |(head, port): (usize, usize)| {
            let start = if head == 0 { 0 } else { heads[0].state_len() };
            let node = heads[head].node_of(port);
            let lightness = node.map_or(0.0, |node| heads[head].node_mobility(node));
            Port { head, port, start, node: node.map(|node| start + node), lightness }
        };
        let ports = ports.into_iter().map(port).collect();
        Ok(Self { heads, sweep, air: column, ports })
    }

    /// The heads.
    pub fn heads(&self) -> &[Surface] {
        &self.heads
    }

    /// Each head with its part of the state.
    fn parts<'a>(&'a self, mut state: &'a mut [f64]) -> impl Iterator<Item = (&'a Surface, f64, &'a mut [f64])> {
        self.heads.iter().zip(&self.sweep).map(move |(head, &sweep)| {
            let (own, rest) = std::mem::take(&mut state).split_at_mut(head.state_len());
            state = rest;
            (head, sweep, own)
        })
    }

    /// The head of a port, its number there, and where its state begins.
    fn find(&self, port: usize) -> (usize, usize, usize) {
        let Port { head, port, start, .. } = self.ports[port];
        (head, port, start)
    }

    /// The state of the air.
    fn air_state<'a>(&self, state: &'a [f64]) -> &'a [f64] {
        &state[state.len() - self.air.state_len()..]
    }

    /// Lets the air come to rest between the heads as they are.
    fn measure(&self, state: &mut [f64]) {
        let volumes = self.volumes(state, 0);
        let rates = self.volumes(state, 1);
        let start = state.len() - self.air.state_len();
        self.air.settle(&mut state[start..], volumes[0] + volumes[1], rates);
    }

    /// s V of both heads (`of` 0) or its rate of change (`of` 1), m³ or m³/s.
    fn volumes(&self, state: &[f64], of: usize) -> [f64; 2] {
        let mut start = 0;
        let mut volumes = [0.0; 2];
        for ((head, sweep), volume) in self.heads.iter().zip(&self.sweep).zip(&mut volumes) {
            let len = head.domain.len;
            let first = start + of * len;
            *volume = sweep * dot(&state[first..first + len], &head.domain.lightness);
            start += head.state_len();
        }
        volumes
    }

    /// What the air adds to v̄ of each head's points, m/s.
    fn blow(&self, state: &[f64]) -> [f64; 2] {
        let air = self.air_state(state);
        let mut blow = [0.0; 2];
        for (i, (head, sweep)) in self.heads.iter().zip(&self.sweep).enumerate() {
            blow[i] = self.air.push(air, i) * sweep * head.mobility;
        }
        blow
    }

    fn step(&self, state: &mut [f64], ports: &[usize], forces: &[f64], audited: bool) -> Audit {
        for (&port, &force) in ports.iter().zip(forces) {
            let Port { head, port, start, node, lightness } = self.ports[port];
            match node {
                Some(node) => state[node] += lightness * force,
                None => self.heads[head].push(&mut state[start..], port, force),
            }
        }
        let blow = self.blow(state);
        let (mut audit, mut rates) = (Audit::default(), [0.0; 2]);
        for (i, (head, sweep, own)) in self.parts(state).enumerate() {
            let books = head.step(own, blow[i], audited);
            let Audit { dissipated, stored } = head.audit(books);
            audit.dissipated += dissipated;
            audit.stored += stored;
            rates[i] = sweep * books.flow;
        }
        // the air follows the heads by the rule of their points; summing up their shapes again would cost as much as moving them
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
        let blow = self.blow(state);
        for (out, &port) in out.iter_mut().zip(ports) {
            let Port { head, port, start, node, .. } = self.ports[port];
            *out = match node {
                Some(node) => state[node] + blow[head],
                None => {
                    let head_moves = &self.heads[head];
                    head_moves.predicted(&state[start..], port) + blow[head] * head_moves.moved_share(port)
                }
            };
        }
    }

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
        self.measure(state);
        rests
    }

    fn tighten(&self, state: &mut [f64], part: usize, share: f64) -> bool {
        self.parts(state).nth(part).is_some_and(|(head, _, own)| head.tighten(own, share))
    }

    fn mobility(&self, p: usize, q: usize) -> f64 {
        let ((head, p, _), (other, q, _)) = (self.find(p), self.find(q));
        if head == other { self.heads[head].mobility(p, q) } else { 0.0 }
    }

    fn advance(&self, state: &mut [f64], ports: &[usize], forces: &[f64], audited: bool) -> f64 {
        self.step(state, ports, forces, audited).dissipated
    }

    fn advance_audited(&self, state: &mut [f64], ports: &[usize], forces: &[f64]) -> Audit {
        self.step(state, ports, forces, true)
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

    fn sheet<'a>(&'a self, state: &'a [f64], which: usize) -> Option<Sheet<'a>> {
        let start = if which == 0 { 0 } else { self.heads[0].state_len() };
        self.heads.get(which)?.sheet(&state[start..], 0)
    }

    fn displacement(&self, state: &[f64], port: usize) -> f64 {
        let (head, port, start) = self.find(port);
        self.heads[head].displacement(&state[start..], port)
    }

    fn velocity(&self, state: &[f64], port: usize) -> f64 {
        let (head, port, start) = self.find(port);
        self.heads[head].velocity(&state[start..], port)
    }

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
        self.measure(state);
        done
    }
}
