//! The air in a drum: cells that are compressed, and between them plugs that move.
//!
//! Model: a column of cross-section A and length L in `cells` slices, each a spring κ = γp0·cells/V that is squeezed by the volume q its neighbours have moved into it,
//! to the pressure κ q; between two slices ρ0 L/(cells·A) of air moves as a whole, Ẇ in m³/s, and loses 2σ of its motion per second. The heads are the ends; without a
//! second head the column is closed there. One slice is a spring without inertia: right below c/2L, a kilohertz for a snare drum.
//! Scheme: as for a [surface](super): the pressures of the shapes q̃ push, explicitly.
//! Balance, exact: stored Σ ½κ q̃q̃⁻ + ½m Ẇ², lost 2mσ of the square of the mean Ẇ. Limits: ck ≤ L/cells.

use crate::clock::Clock;
use crate::error::{BuildError, require};

/// Pressure of air times its ratio of specific heats, γ p0, Pa.
const BULK_MODULUS: f64 = 1.42e5;
/// ρ0, kg/m³.
const DENSITY: f64 = 1.204;

/// What the air in a drum is like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Air {
    /// V, m³.
    pub volume: f64,
    /// L, m: from head to head.
    pub depth: f64,
    /// Slices of the column; 1 for a spring.
    pub cells: usize,
    /// σ, 1/s: how fast a resonance of the column decays.
    pub damping: f64,
}

impl Air {
    /// κ of a slice, Pa/m³.
    fn stiffness(&self) -> f64 {
        BULK_MODULUS * self.cells as f64 / self.volume
    }

    /// What it takes of the stability limit of heads of `areas` (m²) and densities (kg/m²).
    pub fn share(&self, dt: f64, heads: impl IntoIterator<Item = (f64, f64)>) -> f64 {
        let lightness: f64 = heads.into_iter().map(|(area, density)| area / density).sum();
        // a slice with an end of its own may be squeezed from both sides
        let sides = if self.cells > 1 { 2.0 } else { 1.0 };
        0.25 * sides * dt * dt * self.stiffness() * lightness
    }
}

/// The air of a drum. State: q̃ of every slice, their rates q̇, and Ẇ of every plug.
#[derive(Clone, Debug)]
pub(super) struct Column {
    clock: Clock,
    cells: usize,
    stiffness: f64,  // κ, Pa/m³
    inertance: f64,  // m, kg/m⁴
    resistance: f64, // 2mσ
    mobility: f64,   // of a plug, m³/s per Pa
}

/// What a step of the air adds up, J.
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
        let slice = air.depth / air.cells as f64;
        let reach = (BULK_MODULUS / DENSITY).sqrt() * clock.dt;
        require(
            air.cells == 1 || reach <= slice,
            "cells of air",
            air.cells as f64,
            &format!("at most {}: sound passes {:.1} mm in a step", (air.depth / reach) as usize, 1e3 * reach),
        )?;
        let inertance = DENSITY * slice * air.depth / air.volume;
        let resistance = 2.0 * inertance * air.damping;
        let mobility = 1.0 / (2.0 * inertance / clock.dt + resistance);
        Ok(Self { clock, cells: air.cells, stiffness: air.stiffness(), inertance, resistance, mobility })
    }

    pub fn state_len(&self) -> usize {
        3 * self.cells - 1
    }

    /// Push on the first head, or against the second, Pa: negative where the air is squeezed.
    pub fn push(&self, state: &[f64], head: usize) -> f64 {
        -self.stiffness * state[if head == 0 { 0 } else { self.cells - 1 }]
    }

    /// Takes a step in which volume flows in from both ends, m³/s.
    pub fn step(&self, state: &mut [f64], [first, last]: [f64; 2]) -> Flow {
        let (squeezed, rest) = state.split_at_mut(self.cells);
        let (rates, plugs) = rest.split_at_mut(self.cells);
        let mut flow = Flow::default();
        for (plug, pair) in plugs.iter_mut().zip(squeezed.windows(2)) {
            let push = self.stiffness * (pair[0] - pair[1]);
            let mean = *plug + self.mobility * (push - self.resistance * *plug);
            *plug = 2.0 * mean - *plug;
            flow.dissipated += self.clock.dt * self.resistance * mean * mean;
        }
        self.flow(rates, plugs, [first, last]);
        for (squeezed, rate) in squeezed.iter_mut().zip(rates) {
            *squeezed += self.clock.dt * *rate;
        }
        flow.stored = self.energy(state);
        flow
    }

    /// What flows into every slice.
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

    /// Sets the air to the pressure and flow it has at rest between heads that have moved `volume` (m³) and move on at `ends` (m³/s).
    pub fn settle(&self, state: &mut [f64], volume: f64, ends: [f64; 2]) {
        let cells = self.cells as f64;
        let (squeezed, rest) = state.split_at_mut(self.cells);
        let (rates, plugs) = rest.split_at_mut(self.cells);
        squeezed.fill(volume / cells);
        for (i, plug) in plugs.iter_mut().enumerate() {
            *plug = ends[0] - (i + 1) as f64 / cells * (ends[0] + ends[1]);
        }
        self.flow(rates, plugs, ends);
    }

    pub fn energy(&self, state: &[f64]) -> f64 {
        let (squeezed, rest) = state.split_at(self.cells);
        let (rates, plugs) = rest.split_at(self.cells);
        let mut energy = 0.0;
        for (now, rate) in squeezed.iter().zip(rates) {
            energy += 0.5 * self.stiffness * now * (now - self.clock.dt * rate);
        }
        plugs.iter().fold(energy, |energy, plug| energy + 0.5 * self.inertance * plug * plug)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Frame;

    /// A column closed at both ends sounds at the frequencies of its chain of slices, which are those of a tube to a few per cent.
    #[test]
    fn a_closed_column_resonates() {
        let clock = Clock::new(Frame::Leapfrog, 1.0 / 48e3);
        let (depth, cells) = (0.14, 12);
        let air = Air { volume: 0.012, depth, cells, damping: 0.0 };
        let column = Column::new(clock, air).unwrap();
        let mut state = vec![0.0; column.state_len()];
        // the lowest resonance: pressure as half a cosine
        for (i, q) in state[..cells].iter_mut().enumerate() {
            *q = 1e-6 * libm::cos(std::f64::consts::PI * (i as f64 + 0.5) / cells as f64);
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
        let heard = 48e3 * periods / (crossings[crossings.len() - 1] - crossings[0]);
        let speed = (BULK_MODULUS / DENSITY).sqrt();
        let step = speed * clock.dt * cells as f64 / depth;
        let own = libm::asin(step * libm::sin(0.5 * std::f64::consts::PI / cells as f64)) * 48e3 / std::f64::consts::PI;
        assert!((heard / own - 1.0).abs() < 1e-5, "{heard} Hz, expected {own} Hz");
        assert!((own / (0.5 * speed / depth) - 1.0).abs() < 0.003, "{own} Hz");
    }

    #[test]
    fn a_damped_column_decays_as_told() {
        let clock = Clock::new(Frame::Leapfrog, 1.0 / 48e3);
        let column = Column::new(clock, Air { volume: 0.012, depth: 0.14, cells: 4, damping: 30.0 }).unwrap();
        let mut state = vec![0.0; column.state_len()];
        state[..4].copy_from_slice(&[3e-6, 1e-6, -1e-6, -3e-6]);
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
    fn too_fine_a_column_is_refused() {
        let clock = Clock::new(Frame::Leapfrog, 1.0 / 48e3);
        let error = Column::new(clock, Air { volume: 0.012, depth: 0.14, cells: 20, damping: 0.0 }).unwrap_err();
        assert!(error.to_string().contains("at most 19"), "{error}");
    }
}
