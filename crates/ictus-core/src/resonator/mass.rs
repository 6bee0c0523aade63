//! A point mass with an optional spring and damper to ground: m q̈ + r q̇ + K q = f.
//!
//! Scheme: v̄ = Y(2m/k·v − K q + f), Y = 1/(2m/k + r [+ K k/2 in the midpoint scheme]). [D21 eq. 16, 19]
//! Balance, exact: ΔH = k f v̄ − k r v̄².
//! Limits: order 2; leapfrog needs k < 2√(m/K). The spring is not prewarped: K is the physical stiffness.
//! A mass without spring and damper is in free flight while no force acts on it: its steps are counted, not computed, so a block of them costs no more than one.

use super::{Block, Capabilities, Deflect, Deflection, FastResonator, Kick, Resonator, Throw, Tuning};
use crate::clock::{Clock, Scheme};
use crate::error::{BuildError, require};

/// A point mass. State: q at the last force, v, and the number of steps in free flight since.
#[derive(Clone, Debug)]
pub struct Mass {
    clock: Clock,
    mass: f64,         // m, kg
    stiffness: f64,    // K, N/m
    resistance: f64,   // r, N s/m
    mobility: f64,     // Y, m/s per N
    initial: [f64; 2], // q m, v m/s
    free: bool,        // without spring and damper: only a force changes its velocity
}

/// Offsets in the state: q, m; v, m/s; steps of free flight since q.
mod part {
    pub(super) const Q: usize = 0;
    pub(super) const V: usize = 1;
    pub(super) const FLOWN: usize = 2;
    pub(super) const COUNT: usize = 3;
}

impl Mass {
    /// A mass of `mass` kg on a spring of `stiffness` N/m and a damper of `resistance` N s/m.
    pub fn new(clock: Clock, mass: f64, stiffness: f64, resistance: f64) -> Result<Self, BuildError> {
        require(mass > 0.0 && mass.is_finite(), "mass", mass, "a positive mass")?;
        require(stiffness >= 0.0 && stiffness.is_finite(), "stiffness", stiffness, "a stiffness of at least 0")?;
        require(resistance >= 0.0 && resistance.is_finite(), "damping", resistance, "a damping of at least 0")?;
        let k = clock.dt;
        let mut denominator = 2.0 * mass / k + resistance;
        match clock.scheme {
            Scheme::Midpoint => denominator += 0.5 * stiffness * k,
            Scheme::Leapfrog => {
                // [D21 eq. 22]
                let limit = 4.0 * mass / (k * k);
                require(
                    stiffness < limit,
                    "stiffness",
                    stiffness,
                    format_args!("less than {limit:.4e} N/m, the leapfrog limit for this mass and sample rate"),
                )?;
            }
        }
        let free = stiffness == 0.0 && resistance == 0.0;
        Ok(Self { clock, mass, stiffness, resistance, mobility: 1.0 / denominator, initial: [0.0, 0.0], free })
    }

    /// Starts from displacement `position` (m) and velocity `velocity` (m/s) after a reset.
    pub fn starting(mut self, position: f64, velocity: f64) -> Self {
        let mut state = [0.0; part::COUNT];
        self.throw(&mut state, velocity, Some(position));
        self.initial = [state[part::Q], state[part::V]];
        self
    }

    /// v̄ without force, m/s: v plus the small contribution of spring and damper, so that rounding does not act as a steady loss or gain.
    #[inline(always)]
    fn mean_if_free(&self, q: f64, v: f64) -> f64 {
        if self.free {
            return v;
        }
        let ahead = match self.clock.scheme {
            Scheme::Midpoint => q + 0.5 * self.clock.dt * v,
            Scheme::Leapfrog => q,
        };
        v - self.mobility * (self.stiffness * ahead + self.resistance * v)
    }

    /// Current displacement, m.
    #[inline(always)]
    fn position(&self, state: &[f64]) -> f64 {
        self.flown_from(state[part::Q], state[part::V], state[part::FLOWN])
    }

    /// Displacement after `steps` of free flight from `q`, m.
    #[inline(always)]
    fn flown_from(&self, q: f64, v: f64, steps: f64) -> f64 {
        q + steps * self.clock.dt * v
    }

    /// Takes a step under `force` (N); returns the mean velocity, m/s.
    #[inline(always)]
    fn take_step(&self, state: &mut [f64], force: f64) -> f64 {
        let [q, v, flown] = state else { unreachable!("the state of a mass is three numbers") };
        if self.free && force == 0.0 {
            *flown += 1.0;
            return *v;
        }
        if *flown != 0.0 {
            [*q, *flown] = [self.flown_from(*q, *v, *flown), 0.0];
        }
        let mean = self.mean_if_free(*q, *v) + self.mobility * force;
        self.clock.advance(q, v, mean);
        mean
    }

    /// Takes a block of steps in free flight, in which the velocity does not change by a bit.
    fn fly(&self, state: &mut [f64], block: &mut Block) {
        // 0 or 1: a mass has a single port
        match block.displacement_ports.len() {
            0 => state[part::FLOWN] += block.steps as f64,
            ports => {
                for row in block.displacements.0.chunks_exact_mut(ports).take(block.steps) {
                    state[part::FLOWN] += 1.0;
                    row.fill(self.position(state));
                }
            }
        }
        let v = state[part::V];
        block.free.0[..block.steps * block.free_ports.len()].fill(v);
        block.velocities.0[..block.steps * block.velocity_ports.len()].fill(v);
        if block.audited {
            block.lost[..block.steps].fill(0.0);
        }
    }
}

impl Resonator for Mass {
    fn port_count(&self) -> usize {
        1
    }

    fn state_len(&self) -> usize {
        part::COUNT
    }

    fn reset(&self, state: &mut [f64]) {
        let [q, v] = self.initial;
        state.copy_from_slice(&[q, v, 0.0]);
    }

    fn free_velocities(&self, state: &mut [f64], ports: &[usize], out: &mut [f64]) {
        let v = self.free_velocity(state, 0, false);
        out[..ports.len()].fill(v);
    }

    fn mobility(&self, _p: usize, _q: usize) -> f64 {
        self.mobility
    }

    fn advance(&self, state: &mut [f64], _ports: &[usize], forces: &[f64], _audited: bool) -> f64 {
        let mean = self.take_step(state, forces.iter().sum());
        self.clock.dt * self.resistance * mean * mean
    }

    fn energy(&self, state: &[f64]) -> f64 {
        // q is out of date in free flight, but then the stiffness is 0
        let [q, v] = [part::Q, part::V].map(|i| state[i]);
        let partner = match self.clock.scheme {
            Scheme::Midpoint => q,
            Scheme::Leapfrog => q - self.clock.dt * v,
        };
        0.5 * self.mass * v * v + 0.5 * self.stiffness * q * partner
    }

    fn displacement(&self, state: &[f64], _port: usize) -> f64 {
        self.position(state)
    }

    fn velocity(&self, state: &[f64], _port: usize) -> f64 {
        state[part::V]
    }

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { throw: Some(self), kick: Some(self), deflect: Some(self), ..Capabilities::default() }
    }
}

impl FastResonator for Mass {
    fn free_velocity(&self, state: &mut [f64], _port: usize, _audited: bool) -> f64 {
        // q is out of date in free flight, but then it has no effect
        self.mean_if_free(state[part::Q], state[part::V])
    }

    fn advance_single_port(&self, state: &mut [f64], _port: usize, force: f64) {
        self.take_step(state, force);
    }

    fn come_to_rest(&self, state: &mut [f64]) -> bool {
        let q = if self.free { self.position(state) } else { 0.0 };
        state.copy_from_slice(&[q, 0.0, 0.0]);
        true
    }

    fn retune(&mut self, tuning: &mut Tuning) -> bool {
        match tuning {
            Tuning::Mass(mass) if mass.clock == self.clock => {
                self.clone_from(mass);
                true
            }
            _ => false,
        }
    }

    fn carry(&self, state: &mut [f64]) {
        // a free flight ends here, as only the former mass may have flown freely
        state[part::Q] = self.position(state);
        state[part::FLOWN] = 0.0;
    }

    fn run_block(&self, state: &mut [f64], block: &mut Block) {
        let unforced = block.pushed.is_empty();
        if unforced && self.free {
            return self.fly(state, block);
        }
        for n in 0..block.steps {
            let free = self.free_velocity(state, 0, false);
            block.free.row(n, block.free_ports.len()).fill(free);
            let force = if unforced { 0.0 } else { block.forces_of(n).iter().sum() };
            let mean = self.take_step(state, force);
            if block.audited {
                block.lost[n] = self.clock.dt * self.resistance * mean * mean;
            }
            block.velocities.row(n, block.velocity_ports.len()).fill(state[part::V]);
            block.displacements.row(n, block.displacement_ports.len()).fill(self.position(state));
        }
    }
}

impl Throw for Mass {
    fn throw(&self, state: &mut [f64], velocity: f64, position: Option<f64>) {
        let q = position.unwrap_or_else(|| self.position(state));
        let v = match self.clock.scheme {
            Scheme::Midpoint => velocity,
            // makes the free mean velocity of the next step equal to `velocity`
            Scheme::Leapfrog => (velocity / self.mobility + self.stiffness * q) * self.clock.dt / (2.0 * self.mass),
        };
        state.copy_from_slice(&[q, v, 0.0]);
    }
}

impl Kick for Mass {
    fn kick(&self, state: &mut [f64], _port: usize, impulse: f64) {
        // a free flight at another velocity begins
        let q = self.position(state);
        state.copy_from_slice(&[q, state[part::V] + impulse / self.mass, 0.0]);
    }
}

impl Deflect for Mass {
    fn deflect(&self, state: &mut [f64], deflection: Deflection) -> bool {
        let (Deflection::Static { displacement, .. } | Deflection::Fundamental { displacement }) = deflection;
        self.throw(state, 0.0, Some(displacement));
        true
    }
}
