//! String array: many strings as one body, such as the snares under a drum, which are many and short.
//!
//! The strings are not coupled to each other. As one body they advance in one kernel call, and the cost of a contact does not depend on its string.

use super::string_explicit::ExplicitString;
use super::{Audit, Capabilities, Deflect, Deflection, FastResonator, Kick, Resonator};
use crate::error::{BuildError, require};
use ictus_kernels::LANES;
use ictus_kernels::string::step::{StringSlot, step};
use std::ops::Range;

/// Explicit strings side by side. The state concatenates the states of the strings; ports are numbered string by string.
#[derive(Clone, Debug)]
pub struct StringArray {
    strings: Vec<ExplicitString>,
    slots: Vec<StringSlot>,
    ports: Vec<Port>,
    len: usize, // of the state
}

#[derive(Clone, Copy, Debug)]
struct Port {
    string: usize,
    /// Port of that string.
    port: usize,
    /// Offsets of v and v⁺ in the state.
    node: [usize; 2],
}

impl StringArray {
    /// An array of at least one string. All ports must be on grid points and not movable.
    pub fn new(strings: Vec<ExplicitString>) -> Result<Self, BuildError> {
        require(!strings.is_empty(), "number of strings", 0.0, "at least one")?;
        let (mut slots, mut ports, mut len) = (Vec::new(), Vec::new(), 0);
        for (string, body) in strings.iter().enumerate() {
            // aligns every string to a cache line
            let start = usize::next_multiple_of(len, LANES);
            len = start + body.state_len();
            slots.push(body.slot(start));
            for port in 0..body.port_count() {
                let node = body.node_of(port).map(|node| node.map(|at| start + at));
                require(node.is_some(), "port of a string", port as f64, "a port on a grid point that is not movable")?;
                ports.extend(node.map(|node| Port { string, port, node }));
            }
        }
        Ok(Self { strings, slots, ports, len })
    }

    /// Range of the state that belongs to one string.
    fn range(&self, string: usize) -> Range<usize> {
        let start = self.slots[string].start;
        start..start + self.strings[string].state_len()
    }

    /// The string of a port, the port of that string, and the string's state.
    fn find<'a>(&self, state: &'a [f64], port: usize) -> (&ExplicitString, usize, &'a [f64]) {
        let Port { string, port, .. } = self.ports[port];
        (&self.strings[string], port, &state[self.range(string)])
    }

    fn step(&self, state: &mut [f64], ports: &[usize], forces: &[f64], audited: bool) -> Audit {
        for (&port, &force) in ports.iter().zip(forces) {
            let Port { string, node, .. } = self.ports[port];
            state[node[1]] += self.strings[string].moved * force;
        }
        self.strings[0].audit(step(state, &self.slots, audited))
    }
}

impl Resonator for StringArray {
    fn port_count(&self) -> usize {
        self.ports.len()
    }

    fn state_len(&self) -> usize {
        self.len
    }

    fn free_velocities(&self, state: &mut [f64], ports: &[usize], out: &mut [f64]) {
        for (string, slot) in self.strings.iter().zip(&self.slots) {
            string.foresee(&mut state[slot.start..]);
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

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { kick: Some(self), deflect: Some(self), ..Capabilities::default() }
    }
}

impl FastResonator for StringArray {
    fn advance_audited(&self, state: &mut [f64], ports: &[usize], forces: &[f64]) -> Audit {
        self.step(state, ports, forces, true)
    }

    fn forget(&self, state: &mut [f64]) {
        for (string, slot) in self.strings.iter().zip(&self.slots) {
            string.forget(&mut state[slot.start..]);
        }
    }

    fn come_to_rest(&self, state: &mut [f64]) -> bool {
        let mut strings = self.strings.iter().enumerate();
        strings.all(|(i, string)| string.come_to_rest(&mut state[self.range(i)]))
    }
}

impl Kick for StringArray {
    fn kick(&self, state: &mut [f64], port: usize, impulse: f64) {
        let Port { string, port, .. } = self.ports[port];
        self.strings[string].kick(&mut state[self.range(string)], port, impulse);
    }
}

impl Deflect for StringArray {
    /// A static deflection displaces the port's string only, the fundamental all strings.
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
