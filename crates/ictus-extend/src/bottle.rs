//! The air in the neck of a bottle: a Helmholtz resonator.
//!
//! Model: the air in the neck moves as a plug, m q̈ + r q̇ + K q = f, with m = ρ A L and K = γ p₀ A²/V.
//!
//! Scheme, with v̄ = (v + v⁺)/2:  v̄ = Y (2m/k·v − K q + f), Y = 1/(2m/k + r [+ K k/2 in the midpoint scheme]).
//! Balance, exact: H⁺ − H = k f v̄ − k r v̄².
//! Limits: order 2. Midpoint: stable at any k, flat by the usual warp. Leapfrog: stable for k < 2 √(m/K).

use ictus_core::{Clock, FastResonator, Resonator, Scheme};

const AIR_DENSITY: f64 = 1.2; // ρ, kg/m³
const AIR_MODULUS: f64 = 1.42e5; // γ p₀, Pa

/// A bottle, touched at the plug of air in its neck (port 0). State: `[q, v]`.
#[derive(Clone, Debug)]
pub struct Bottle {
    clock: Clock,
    mass: f64,       // m, kg
    resistance: f64, // r, N s/m
    stiffness: f64,  // K, N/m
    mobility: f64,   // Y, m/s per N
}

// ANCHOR: new
impl Bottle {
    /// A bottle of `volume` (m³) with a neck of `area` (m²) and `length` (m), end corrections included, that loses energy by `resistance` (N s/m).
    pub fn new(clock: Clock, volume: f64, area: f64, length: f64, resistance: f64) -> Self {
        let (mass, stiffness) = (AIR_DENSITY * area * length, AIR_MODULUS * area * area / volume);
        let implicit = match clock.scheme {
            Scheme::Midpoint => 0.5 * stiffness * clock.dt,
            Scheme::Leapfrog => 0.0,
        };
        let mobility = 1.0 / (2.0 * mass / clock.dt + resistance + implicit);
        Self { clock, mass, resistance, stiffness, mobility }
    }

    /// v̄ of the step under `force`, m/s.
    fn mean_velocity(&self, state: &[f64], force: f64) -> f64 {
        self.mobility * (2.0 * self.mass / self.clock.dt * state[1] - self.stiffness * state[0] + force)
    }
}
// ANCHOR_END: new

// ANCHOR: resonator
impl Resonator for Bottle {
    fn port_count(&self) -> usize {
        1
    }

    fn state_len(&self) -> usize {
        2
    }

    fn free_velocities(&self, state: &mut [f64], ports: &[usize], out: &mut [f64]) {
        let free = self.mean_velocity(state, 0.0);
        out[..ports.len()].fill(free);
    }

    fn mobility(&self, _p: usize, _q: usize) -> f64 {
        self.mobility
    }

    fn advance(&self, state: &mut [f64], _ports: &[usize], forces: &[f64], _audited: bool) -> f64 {
        let mean = self.mean_velocity(state, forces.iter().sum());
        state[1] = 2.0 * mean - state[1];
        state[0] += self.clock.dt
            * match self.clock.scheme {
                Scheme::Midpoint => mean,
                Scheme::Leapfrog => state[1],
            };
        self.clock.dt * self.resistance * mean * mean
    }

    fn energy(&self, state: &[f64]) -> f64 {
        let (q, v) = (state[0], state[1]);
        // in leapfrog v lies half way between this displacement and the one before
        let squared = match self.clock.scheme {
            Scheme::Midpoint => q * q,
            Scheme::Leapfrog => q * (q - self.clock.dt * v),
        };
        0.5 * (self.mass * v * v + self.stiffness * squared)
    }

    fn displacement(&self, state: &[f64], _port: usize) -> f64 {
        state[0]
    }

    fn velocity(&self, state: &[f64], _port: usize) -> f64 {
        state[1]
    }
}

impl FastResonator for Bottle {}
// ANCHOR_END: resonator
