//! Strings that are one body: the wires under a drum, which are many and short.
//!
//! They do not feel each other. As one body they are stepped in one go, and a contact of one of them costs as much as that of any other.

use super::string_explicit::ExplicitString;
use super::{Audit, Deflection, Resonator};
use crate::error::{BuildError, require};
use ictus_kernels::LANES;
use ictus_kernels::string::step::{Strand, step};
use std::ops::Range;

/// Explicit strings side by side. The state is that of one after the other; ports are those of the first, then those of the second, and so on.
#[derive(Clone, Debug)]
pub struct Strands {
    strings: Vec<ExplicitString>,
    strands: Vec<Strand>,
    ports: Vec<Port>,
    len: usize,
}

#[derive(Clone, Copy, Debug)]
struct Port {
    string: usize,
    /// Its number there.
    port: usize,
    /// Where v and v⁺ are found in the state.
    node: [usize; 2],
}

impl Strands {
    /// At least one string, with ports on points of its grid.
    pub fn new(strings: Vec<ExplicitString>) -> Result<Self, BuildError> {
        require(!strings.is_empty(), "number of strings", 0.0, "at least one")?;
        let (mut strands, mut ports, mut len) = (Vec::new(), Vec::new(), 0);
        for (string, body) in strings.iter().enumerate() {
            // every string begins at a cache line
            let start = usize::next_multiple_of(len, LANES);
            len = start + body.state_len();
            strands.push(body.strand(start));
            for port in 0..body.port_count() {
                let node = body.node_of(port).map(|node| node.map(|at| start + at));
                require(
                    node.is_some(),
                    "port of a string",
                    port as f64,
                    "one on a point of the grid that stays there",
                )?;
                ports.extend(node.map(|node| Port { string, port, node }));
            }
        }
        Ok(Self { strings, strands, ports, len })
    }

    /// The state of one string.
    fn range(&self, string: usize) -> Range<usize> {
        let start = self.strands[string].start;
        start..start + self.strings[string].state_len()
    }

    /// The string of a port, its number there, and its state.
    fn find<'a>(&self, state: &'a [f64], port: usize) -> (&ExplicitString, usize, &'a [f64]) {
        let Port { string, port, .. } = self.ports[port];
        (&self.strings[string], port, &state[self.range(string)])
    }

    fn step(&self, state: &mut [f64], ports: &[usize], forces: &[f64], audited: bool) -> Audit {
        for (&port, &force) in ports.iter().zip(forces) {
            let Port { string, node, .. } = self.ports[port];
            state[node[1]] += self.strings[string].moved * force;
        }
        self.strings[0].audit(step(state, &self.strands, audited))
    }
}

impl Resonator for Strands {
    fn port_count(&self) -> usize {
        self.ports.len()
    }

    fn state_len(&self) -> usize {
        self.len
    }

    fn free_velocities(&self, state: &mut [f64], ports: &[usize], out: &mut [f64]) {
        for (string, strand) in self.strings.iter().zip(&self.strands) {
            string.foresee(&mut state[strand.start..]);
        }
        for (out, &port) in out.iter_mut().zip(ports) {
            let Port { string, node: [v, ahead], .. } = self.ports[port];
            *out = 0.5 * self.strings[string].rate * (state[v] + state[ahead]);
        }
    }

    fn mobility(&self, p: usize, q: usize) -> f64 {
        let [p, q] = [p, q].map(|port| self.ports[port]);
        if p.string == q.string { self.strings[p.string].mobility(p.port, q.port) } else { 0.0 }
    }

    fn advance(&self, state: &mut [f64], ports: &[usize], forces: &[f64], audited: bool) -> f64 {
        self.step(state, ports, forces, audited).dissipated
    }

    fn advance_audited(&self, state: &mut [f64], ports: &[usize], forces: &[f64]) -> Audit {
        self.step(state, ports, forces, true)
    }

    fn forget(&self, state: &mut [f64]) {
        for (string, strand) in self.strings.iter().zip(&self.strands) {
            string.forget(&mut state[strand.start..]);
        }
    }

    fn come_to_rest(&self, state: &mut [f64]) -> bool {
        let mut strings = self.strings.iter().enumerate();
        strings.all(|(i, string)| string.come_to_rest(&mut state[self.range(i)]))
    }

    fn energy(&self, state: &[f64]) -> f64 {
        self.strings.iter().enumerate().map(|(i, string)| string.energy(&state[self.range(i)])).sum()
    }

    fn displacement(&self, state: &[f64], port: usize) -> f64 {
        let (string, port, own) = self.find(state, port);
        string.displacement(own, port)
    }

    fn velocity(&self, state: &[f64], port: usize) -> f64 {
        let (string, port, own) = self.find(state, port);
        string.velocity(own, port)
    }

    /// A point pulls its own string, the lowest mode is that of all of them.
    fn deflect(&self, state: &mut [f64], deflection: Deflection) -> bool {
        match deflection {
            Deflection::Static { port, displacement } => {
                let Port { string, port, .. } = self.ports[port];
                let own = &mut state[self.range(string)];
                self.strings[string].deflect(own, Deflection::Static { port, displacement })
            }
            Deflection::Fundamental { .. } => {
                let all = self.strings.iter().enumerate();
                all.fold(true, |done, (i, string)| string.deflect(&mut state[self.range(i)], deflection) && done)
            }
        }
    }
}
