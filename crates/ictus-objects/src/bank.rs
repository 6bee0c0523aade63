//! Modes with their values at given points, and the way between two such banks.
//!
//! Morphing, mode by mode, at the share t of the second: frequency, decay and mass in equal ratios, values at the ports straight:
//! f = f_A^{1−t} f_B^t, φ = (1 − t)φ_A + t φ_B. Modes pair by their labels between objects of one kind of shape, else by their order.
//! A mode only one object has keeps its frequency, decay and mass, and its values fade with (1 − t) or t; so does a
//! rigid motion without a partner, since a ratio needs two ends. The sign of a mode is free: the second's is turned so that the ports agree with the first's as far as they can.
//! The ends are exact: t = 0 is the first bank and t = 1 the second.

use std::collections::BTreeMap;

use crate::object::{Object, ObjectMode, Point};

/// What a modal bank needs: modes, and per port one value per mode.
#[derive(Clone, Debug, PartialEq)]
pub struct PortModes {
    /// Frequencies, decays and masses.
    pub modes: Vec<ObjectMode>,
    /// Signed shapes, `ports[port][mode]`.
    pub ports: Vec<Vec<f64>>,
    /// How many of the first modes are motions as a whole, which pair with each other only.
    pub rigid: usize,
}

impl Object {
    /// The object as it is touched and heard at some points.
    pub fn bank(&self, points: &[Point]) -> PortModes {
        let ports = points.iter().map(|&point| self.shapes(point)).collect();
        PortModes { modes: self.modes.clone(), ports, rigid: self.rigid }
    }
}

/// A way between two banks of the same ports, `amount` from 0 (`first`) to 1 (`second`). `alike` pairs modes by their labels, as of
/// one kind of shape.
///
/// # Panics
/// If the banks differ in their number of ports.
pub fn morph(first: &PortModes, second: &PortModes, amount: f64, alike: bool) -> PortModes {
    assert_eq!(first.ports.len(), second.ports.len(), "a morph needs the same ports on both sides");
    if amount <= 0.0 {
        return first.clone();
    }
    if amount >= 1.0 {
        return second.clone();
    }
    let partner = pairs(first, second, alike);
    let mut taken = vec![false; second.modes.len()];
    let mut all: Vec<(ObjectMode, Vec<f64>)> = Vec::new();
    for (i, mode) in first.modes.iter().enumerate() {
        let values = |bank: &PortModes, i: usize| -> Vec<f64> { bank.ports.iter().map(|port| port[i]).collect() };
        let own = values(first, i);
        match partner[i].filter(|&j| between(mode, &second.modes[j])) {
            Some(j) => {
                taken[j] = true;
                let other = values(second, j);
                let agreement: f64 = own.iter().zip(&other).map(|(a, b)| a * b).sum();
                let sign = if agreement < 0.0 { -1.0 } else { 1.0 };
                let mixed = own.iter().zip(&other).map(|(a, b)| (1.0 - amount) * a + amount * sign * b);
                all.push((blend(mode, &second.modes[j], amount), mixed.collect()));
            }
            None => all.push((*mode, own.iter().map(|a| (1.0 - amount) * a).collect())),
        }
    }
    for (j, mode) in second.modes.iter().enumerate().filter(|(j, _)| !taken[*j]) {
        all.push((*mode, second.ports.iter().map(|port| amount * port[j]).collect()));
    }
    all.sort_by(|a, b| a.0.frequency_hz.total_cmp(&b.0.frequency_hz));
    let ports = (0..first.ports.len()).map(|port| all.iter().map(|(_, values)| values[port]).collect()).collect();
    // in the order of their frequencies rigid motions need not be the first
    PortModes { modes: all.into_iter().map(|(mode, _)| mode).collect(), ports, rigid: 0 }
}

/// For each mode of the first bank, its partner in the second.
fn pairs(first: &PortModes, second: &PortModes, alike: bool) -> Vec<Option<usize>> {
    if !alike {
        let partner = |i: usize| match i.checked_sub(first.rigid) {
            None => Some(i).filter(|&i| i < second.rigid),
            Some(order) => Some(second.rigid + order).filter(|&j| j < second.modes.len()),
        };
        return (0..first.modes.len()).map(partner).collect();
    }
    // twins share a label: the first with the first, the second with the second
    let numbered = |bank: &PortModes| -> Vec<((u32, u32), usize)> {
        let mut seen = BTreeMap::new();
        let number = |mode: &ObjectMode| {
            let count = seen.entry(mode.label).or_insert(0);
            *count += 1;
            (mode.label, *count)
        };
        bank.modes.iter().map(number).collect()
    };
    let places: BTreeMap<_, usize> = numbered(second).into_iter().zip(0..).collect();
    numbered(first).iter().map(|key| places.get(key).copied()).collect()
}

/// Ratios need two ends: neither of them 0 or infinite, or both.
fn between(a: &ObjectMode, b: &ObjectMode) -> bool {
    (a.frequency_hz > 0.0) == (b.frequency_hz > 0.0) && a.decay_s.is_finite() == b.decay_s.is_finite()
}

fn blend(a: &ObjectMode, b: &ObjectMode, amount: f64) -> ObjectMode {
    let ratio = |a: f64, b: f64| {
        if a == b {
            return a;
        }
        let value = libm::exp((1.0 - amount) * libm::log(a) + amount * libm::log(b));
        // rounding must not leave the interval
        value.clamp(a.min(b), a.max(b))
    };
    ObjectMode {
        frequency_hz: ratio(a.frequency_hz, b.frequency_hz),
        decay_s: ratio(a.decay_s, b.decay_s),
        mass_kg: ratio(a.mass_kg, b.mass_kg),
        label: a.label,
    }
}
