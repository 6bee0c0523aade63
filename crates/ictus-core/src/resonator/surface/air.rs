//! The air in a drum: a chain of compressible cavities, and between them plugs of air that move.
//!
//! Model: a column of cross-section A and length L in `cells` slices of Δ = L/cells, each a plug of inertance ρ0 Δ/A that moves as a whole with the volume velocity Ẇ, m³/s, and with the
//! loss 2σ, 1/s. Between two plugs, and at both ends, a cavity has the pressure κ q under the inflow of the volume q, κ = γp0/(A Δ); the cavities at the ends are half a
//! slice, 2κ. So the chain has all of the column's inertia and all of its volume, and approximates a tube to second order: two heads of 0.35 kg/m², 110 Hz in vacuum,
//! 0.3 m apart sound at 93.98 Hz in phase and 280.26 Hz in antiphase, and on 4 slices 0.7 cents flat and 2.3 cents sharp.
//! The heads are the ends; without a second head the column is closed there. One slice is a spring without inertia, κ = γp0/V: accurate below c/2L, a kilohertz for a snare drum.
//!
//! Why the ends are cavities: with plugs at the heads instead (half a plug on each) a head has an added mass of rank one, which changes the mobility of every port; that is of second order
//! too (0.3 cents sharp and 6.8 flat on 4 slices), and would couple all contacts of a head in every step. With pressure at the head its mobility stays local.
//!
//! Scheme: as for a [surface](super), explicit: the pressures of the volumes q̃ act.
//! Balance, exact: stored Σ ½κ q̃q̃⁻ + ½m Ẇ², lost 2mσ times the square of the mean Ẇ.
//! Limits: r = (ck/Δ)² < 1; for two numbers a, b and t > 0, (a − b)² ≤ (1 + t)a² + (1 + 1/t)b², so 2κ of an end uses ¼k² 2κ(1 + t) of the head's stability limit if its plug
//! takes the rest, r(1 + 1/2t) ≤ 1.

use crate::clock::{Clock, Scheme};
use crate::error::{BuildError, require};

/// Pressure of air times its ratio of specific heats, γ p0, Pa.
const BULK_MODULUS: f64 = 1.42e5;
/// ρ0, kg/m³.
const DENSITY: f64 = 1.204;

/// Parameters of the air in a drum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Air {
    /// V, m³.
    pub volume: f64,
    /// L, m: from head to head.
    pub depth: f64,
    /// Slices of the column; 1 for a spring.
    pub cells: usize,
    /// σ, 1/s: decay rate of the column's resonances.
    pub damping: f64,
}

impl Air {
    /// κ of a slice, Pa/m³.
    fn stiffness(&self) -> f64 {
        BULK_MODULUS * self.cells as f64 / self.volume
    }

    /// Length of a slice, m.
    fn slice(&self) -> f64 {
        self.depth / self.cells as f64
    }

    /// Distance that sound travels in a step, m.
    fn reach(dt: f64) -> f64 {
        (BULK_MODULUS / DENSITY).sqrt() * dt
    }

    /// Share of the heads' stability limit that the air uses, from their areas (m²) and densities (kg/m²); infinite if the slices are too thin.
    pub fn share(&self, dt: f64, heads: impl IntoIterator<Item = (f64, f64)>) -> f64 {
        let lightness = heads.into_iter().map(|(area, density)| area / density);
        let spring = 0.25 * dt * dt * self.stiffness();
        if self.cells == 1 {
            return spring * lightness.sum::<f64>();
        }
        let r = (Self::reach(dt) / self.slice()) * (Self::reach(dt) / self.slice());
        if r >= 1.0 {
            return f64::INFINITY;
        }
        // each head is coupled to one end only
        2.0 * spring * (1.0 + 0.5 * r / (1.0 - r)) * lightness.fold(0.0, f64::max)
    }
}

/// The air of a drum. State: q̃ of every cavity, m³; their rates q̇, m³/s; Ẇ of every plug, m³/s.
#[derive(Clone, Debug)]
pub(super) struct Column {
    clock: Clock,
    cells: usize,
    cavities: usize, // one more than the plugs
    stiffness: f64,  // κ of a whole slice, Pa/m³
    inertance: f64,  // m, kg/m⁴
    resistance: f64, // 2mσ, Pa s/m³
    mobility: f64,   // of a plug, m³/s per Pa
}

/// Energies of a step of the air, J.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Flow {
    pub dissipated: f64,
    pub stored: f64,
}

impl Column {
    pub fn new(clock: Clock, air: Air) -> Result<Self, BuildError> {
        let positive = |x: f64| x > 0.0 && x.is_finite();
        require(positive(air.volume), "volume", air.volume, "a positive volume")?;
        require(positive(air.depth), "depth", air.depth, "a positive depth")?;
        require(air.cells >= 1, "cells of air", 0.0, "at least one")?;
        require(air.damping >= 0.0 && air.damping.is_finite(), "damping of air", air.damping, "a loss of at least 0")?;
        let (slice, reach) = (air.slice(), Air::reach(clock.dt));
        require(
            air.cells == 1 || reach <= slice,
            "cells of air",
            air.cells as f64,
            format_args!("at most {}: sound passes {:.1} mm in a step", (air.depth / reach) as usize, 1e3 * reach),
        )?;
        let inertance = DENSITY * slice * air.depth / air.volume;
        let resistance = 2.0 * inertance * air.damping;
        let mobility = 1.0 / (2.0 * inertance / clock.dt + resistance);
        let cavities = if air.cells == 1 { 1 } else { air.cells + 1 };
        Ok(Self { clock, cells: air.cells, cavities, stiffness: air.stiffness(), inertance, resistance, mobility })
    }

    pub fn state_len(&self) -> usize {
        3 * self.cavities - 1
    }

    /// Volume of a cavity over that of a slice.
    fn volume_share(&self, cavity: usize) -> f64 {
        let end = cavity == 0 || cavity + 1 == self.cavities;
        if end && self.cavities > 1 { 0.5 } else { 1.0 }
    }

    /// Pressure in a cavity, Pa.
    fn pressure(&self, volumes: &[f64], cavity: usize) -> f64 {
        self.stiffness / self.volume_share(cavity) * volumes[cavity]
    }

    /// The cavity at a head.
    fn cavity_at(&self, head: usize) -> usize {
        if head == 0 { 0 } else { self.cavities - 1 }
    }

    /// Pressure on a head in the direction of the volume s V that it displaces, Pa: negative if the air is compressed.
    pub fn push(&self, state: &[f64], head: usize) -> f64 {
        -self.pressure(state, self.cavity_at(head))
    }

    /// Changes the volume velocity of a head by `flow`, m³/s, between two steps; its volume stays.
    pub fn jump(&self, state: &mut [f64], head: usize, flow: f64) {
        let cavity = self.cavity_at(head);
        state[self.cavities + cavity] += flow;
        if self.clock.scheme == Scheme::Midpoint {
            state[cavity] += 0.5 * self.clock.dt * flow;
        }
    }

    /// Takes a step with these volume velocities into the first and the last cavity, m³/s.
    pub fn step(&self, state: &mut [f64], [first, last]: [f64; 2]) -> Flow {
        let (volumes, rest) = state.split_at_mut(self.cavities);
        let (rates, plugs) = rest.split_at_mut(self.cavities);
        let mut flow = Flow::default();
        for (i, plug) in plugs.iter_mut().enumerate() {
            let push = self.pressure(volumes, i) - self.pressure(volumes, i + 1);
            let mean = *plug + self.mobility * (push - self.resistance * *plug);
            *plug = 2.0 * mean - *plug;
            flow.dissipated += self.clock.dt * self.resistance * mean * mean;
        }
        self.flow(rates, plugs, [first, last]);
        for (volume, rate) in volumes.iter_mut().zip(rates) {
            *volume += self.clock.dt * *rate;
        }
        flow.stored = self.energy(state);
        flow
    }

    /// Writes the net inflow of every cavity, m³/s.
    fn flow(&self, rates: &mut [f64], plugs: &[f64], [first, last]: [f64; 2]) {
        if let [rate] = rates {
            *rate = first + last;
            return;
        }
        for (i, rate) in rates.iter_mut().enumerate() {
            let before = if i == 0 { first } else { plugs[i - 1] };
            *rate = plugs.get(i).map_or(before + last, |after| before - after);
        }
    }

    /// Sets the air to uniform pressure and compression rate between heads that have displaced `volume` (m³) and displace `ends` (m³/s).
    pub fn settle(&self, state: &mut [f64], volume: f64, ends: [f64; 2]) {
        let cells = self.cells as f64;
        let (volumes, rest) = state.split_at_mut(self.cavities);
        let (rates, plugs) = rest.split_at_mut(self.cavities);
        for (i, q) in volumes.iter_mut().enumerate() {
            *q = volume / cells * self.volume_share(i);
        }
        for (i, plug) in plugs.iter_mut().enumerate() {
            *plug = ends[0] - (i as f64 + 0.5) / cells * (ends[0] + ends[1]);
        }
        self.flow(rates, plugs, ends);
    }

    /// Stored energy, J.
    pub fn energy(&self, state: &[f64]) -> f64 {
        let (volumes, rest) = state.split_at(self.cavities);
        let (rates, plugs) = rest.split_at(self.cavities);
        let mut energy = 0.0;
        for (i, (now, rate)) in volumes.iter().zip(rates).enumerate() {
            energy += 0.5 * self.pressure(volumes, i) * (now - self.clock.dt * rate);
        }
        plugs.iter().fold(energy, |energy, plug| energy + 0.5 * self.inertance * plug * plug)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lowest resonance of a column closed at both ends is that of the chain of slices, and that of a tube within 0.3 %.
    #[test]
    fn closed_column_resonates_like_a_tube() {
        let clock = Clock::new(Scheme::Leapfrog, 1.0 / 48e3);
        let (depth, cells) = (0.14, 12);
        let air = Air { volume: 0.012, depth, cells, damping: 0.0 };
        let column = Column::new(clock, air).unwrap();
        let mut state = vec![0.0; column.state_len()];
        // the lowest resonance: pressure as half a cosine
        for (i, q) in state[..=cells].iter_mut().enumerate() {
            *q = 1e-6 * column.volume_share(i) * libm::cos(std::f64::consts::PI * i as f64 / cells as f64);
        }
        let start = column.energy(&state);
        let mut crossings = Vec::new();
        for n in 0..48_000 {
            let before = state[0];
            let flow = column.step(&mut state, [0.0; 2]);
            assert!((flow.stored / start - 1.0).abs() < 1e-12 && flow.dissipated == 0.0);
            if before < 0.0 && state[0] >= 0.0 {
                crossings.push(n as f64 + before / (before - state[0]));
            }
        }
        let periods = (crossings.len() - 1) as f64;
        let measured = 48e3 * periods / (crossings[crossings.len() - 1] - crossings[0]);
        let speed = (BULK_MODULUS / DENSITY).sqrt();
        let step = speed * clock.dt * cells as f64 / depth;
        let own = libm::asin(step * libm::sin(0.5 * std::f64::consts::PI / cells as f64)) * 48e3 / std::f64::consts::PI;
        assert!((measured / own - 1.0).abs() < 1e-5, "{measured} Hz, expected {own} Hz");
        assert!((own / (0.5 * speed / depth) - 1.0).abs() < 0.003, "{own} Hz");
    }

    #[test]
    fn damped_column_decays_at_its_rate() {
        let clock = Clock::new(Scheme::Leapfrog, 1.0 / 48e3);
        let column = Column::new(clock, Air { volume: 0.012, depth: 0.14, cells: 4, damping: 30.0 }).unwrap();
        let mut state = vec![0.0; column.state_len()];
        state[..5].copy_from_slice(&[1.5e-6, 2e-6, 0.0, -2e-6, -1.5e-6]);
        let start = column.energy(&state);
        let mut lost = 0.0;
        let mut stored = 0.0;
        for _ in 0..4800 {
            let flow = column.step(&mut state, [0.0; 2]);
            lost += flow.dissipated;
            stored = flow.stored;
        }
        assert!((stored + lost - start).abs() < 1e-13 * start);
        // amplitudes fall as e^(−σt)
        let decay = -libm::log(stored / start) / (2.0 * 0.1);
        assert!((decay / 30.0 - 1.0).abs() < 0.02, "{decay} 1/s");
    }

    #[test]
    fn too_thin_slices_are_an_error() {
        let clock = Clock::new(Scheme::Leapfrog, 1.0 / 48e3);
        let error = Column::new(clock, Air { volume: 0.012, depth: 0.14, cells: 20, damping: 0.0 }).unwrap_err();
        assert!(error.to_string().contains("at most 19"), "{error}");
    }
}
