//! Bodies whose tension grows with their deflection: the Kirchhoff string, and plates and membranes after Berger.
//!
//! With the stretch S = ∫|∇u|² and its half gradient G = K₁u (S = uᵀK₁u), the body stores M/4·S² more, and the force −M S G acts on it: the tension grows with the mean
//! stretch, uniformly over the body. M = EA/(2L) for a string, Eh/(2(1 − ν²)A) for a plate of area A.
//!
//! Scheme: the stored shape ũ steps as in leapfrog in both schemes (see [`ExplicitString`](crate::ExplicitString)). S̃ = ũᵀK₁ũ⁻ of two successive shapes is available before the
//! step, and S̃⁺ = S̃ + 2k Gᵀv̄ exactly, because K₁ is symmetric. The force −M(S̃ + k Gᵀv̄)G is linear in v̄: one scalar equation, no iteration.
//! The mobility has a rank-one correction, Y − c (YG)(YG)ᵀ, c = Mk/(1 + Mk GᵀYG).
//! Balance, exact: the stored M/4·S̃² changes by M k(S̃ + k Gᵀv̄) Gᵀv̄. Steps pass on only ũ and v, so nothing drifts.
//! Limits: those of the body without stretching. The energy is bounded at any amplitude, but the sound is right only while the body would be within its limits
//! with the tension increased by the current M S̃: beyond, energy goes to its highest modes. Such steps are counted; coarser grids and fewer modes
//! have more headroom. [handbook §6]

mod bank;
mod string;

pub use bank::StretchedBank;
pub use string::StretchedString;

use super::surface::SurfaceShape;
use super::{Block, Capabilities, Deflect, Deflection, FastResonator, Kick, Resonator, Shape, Tuning, VaryingMobility};
use crate::clock::{Clock, Scheme};
use crate::error::{BuildError, require};
use ictus_kernels::free_run::{Tightened, tighten};

/// Offset of c after the body's state.
const STIFFENING: usize = 0;
/// Offset of M S̃, the added tension.
const TENSION: usize = 1;
/// Offset of the factor by which the added tension changes v̄, in units of YG.
const FACTOR: usize = 2;
/// Number of these scalars.
const OWN: usize = 3;

/// Iterations that bring a deflected body to rest: each reduces its velocity to the share that losses take in one step.
const ROUNDS: usize = 4;

/// A body that can be [`Stretched`]. Its shape steps as in leapfrog.
pub trait Stretching: FastResonator + VaryingMobility + Kick + Deflect + Clone + 'static {
    /// Predicts v̄ without the added tension; returns S̃, Gᵀv̄ and GᵀYG.
    fn predict(&self, state: &mut [f64]) -> Stretch;
    /// Predicted v̄ of a port, without the added tension, m/s.
    fn foreseen(&self, state: &[f64], port: usize) -> f64;
    /// Adds factor · YG to v̄ and advances under `forces`; returns the energy dissipated, J.
    fn advance_pulled(&self, state: &mut [f64], factor: f64, ports: &[usize], forces: &[f64], audited: bool) -> f64;
    /// Takes all steps of a `block` without forces that records at most one velocity port and nothing else; `limit` is the largest M S̃ within the limits.
    /// Returns false if the body has no such kernel and took no step.
    fn free_run_stretched(&self, _state: &mut [f64], _modulus: f64, _limit: f64, _block: &mut Block) -> bool {
        false
    }
    /// S̃ of the current and the previous shape, m.
    fn stretched(&self, state: &[f64]) -> f64;
    /// v̄ += factor · YG.
    fn pull(&self, state: &mut [f64], factor: f64);
    /// YG at a port.
    fn pulled(&self, state: &[f64], port: usize) -> f64;
    /// The largest M S̃ at which the body is within its limits.
    fn headroom(&self) -> f64;
    /// v −= v̄, so that the next step moves the body less.
    fn still(&self, state: &mut [f64]);
}

/// Sums over a deflected body.
#[derive(Clone, Copy, Debug)]
pub struct Stretch {
    /// S̃.
    pub stretch: f64,
    /// Gᵀv̄.
    pub rate: f64,
    /// GᵀYG.
    pub mobility: f64,
}

/// A body whose tension grows with its deflection. State: the body's, then c, M S̃, the factor of the
/// pull, and YG of every port.
#[derive(Clone, Debug)]
pub struct Stretched<B> {
    body: B,
    clock: Clock,
    modulus: f64,  // M
    headroom: f64, // largest M S̃ within the limits
    len: usize,    // of the body's state
}

impl<B: Stretching> Stretched<B> {
    fn wrap(body: B, clock: Clock, modulus: f64) -> Result<Self, BuildError> {
        require(modulus >= 0.0 && modulus.is_finite(), "stretching modulus", modulus, "a finite number of at least 0")?;
        let (headroom, len) = (body.headroom(), body.state_len());
        Ok(Self { body, clock, modulus, headroom, len })
    }

    fn split<'a>(&self, state: &'a mut [f64]) -> (&'a mut [f64], &'a mut [f64]) {
        state.split_at_mut(self.len)
    }

    fn inner<'a>(&self, state: &'a [f64]) -> &'a [f64] {
        &state[..self.len]
    }
}

impl<B: Stretching> Resonator for Stretched<B> {
    fn port_count(&self) -> usize {
        self.body.port_count()
    }

    fn state_len(&self) -> usize {
        self.len + OWN + self.body.port_count()
    }

    fn reset(&self, state: &mut [f64]) {
        let (body, own) = self.split(state);
        own.fill(0.0);
        self.body.reset(body);
    }

    fn free_velocities(&self, state: &mut [f64], ports: &[usize], out: &mut [f64]) {
        let (body, own) = self.split(state);
        let Stretch { stretch, rate, mobility } = self.body.predict(body);
        let Tightened { stiffening, tension, factor } = tighten([stretch, rate, mobility], self.modulus, self.clock.dt);
        own[..OWN].copy_from_slice(&[stiffening, tension, factor]);
        for (out, &port) in out.iter_mut().zip(ports) {
            let pulled = self.body.pulled(body, port);
            own[OWN + port] = pulled;
            *out = self.body.foreseen(body, port) + factor * pulled;
        }
    }

    fn mobility(&self, p: usize, q: usize) -> f64 {
        self.body.mobility(p, q)
    }

    fn advance(&self, state: &mut [f64], ports: &[usize], forces: &[f64], audited: bool) -> f64 {
        let (body, own) = self.split(state);
        let along: f64 = ports.iter().zip(forces).map(|(&port, force)| force * own[OWN + port]).sum();
        self.body.advance_pulled(body, own[FACTOR] - own[STIFFENING] * along, ports, forces, audited)
    }

    fn energy(&self, state: &[f64]) -> f64 {
        let body = self.inner(state);
        let stretch = self.body.stretched(body);
        self.body.energy(body) + 0.25 * self.modulus * stretch * stretch
    }

    fn displacement(&self, state: &[f64], port: usize) -> f64 {
        self.body.displacement(self.inner(state), port)
    }

    fn velocity(&self, state: &[f64], port: usize) -> f64 {
        self.body.velocity(self.inner(state), port)
    }

    fn varying(&self) -> Option<&dyn VaryingMobility> {
        Some(self)
    }

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { kick: Some(self), deflect: Some(self), shape: Some(self), ..Capabilities::default() }
    }
}

impl<B: Stretching> VaryingMobility for Stretched<B> {
    fn stiffens(&self) -> bool {
        true
    }

    fn stiffening(&self, state: &[f64], ports: &[usize], out: &mut [f64]) {
        let own = &state[self.len..];
        let root = own[STIFFENING].sqrt();
        for (out, &port) in out.iter_mut().zip(ports) {
            *out = root * own[OWN + port];
        }
    }

    fn is_overstretched(&self, state: &[f64]) -> bool {
        state[self.len + TENSION].abs() > self.headroom
    }

    fn is_movable(&self, port: usize) -> bool {
        self.body.is_movable(port)
    }

    fn move_port(&self, state: &mut [f64], port: usize, place: f64) {
        self.body.move_port(self.split(state).0, port, place);
    }

    fn mobility_now(&self, state: &[f64], p: usize, q: usize) -> f64 {
        self.body.mobility_now(self.inner(state), p, q)
    }

    fn mean_velocity(&self, state: &[f64], port: usize) -> f64 {
        self.body.mean_velocity(self.inner(state), port)
    }
}

impl<B: Stretching> FastResonator for Stretched<B> {
    fn forget(&self, state: &mut [f64]) {
        self.body.forget(self.split(state).0);
    }

    fn retune(&mut self, tuning: &mut Tuning) -> bool {
        let retuned = self.body.retune(tuning);
        if retuned {
            self.headroom = self.body.headroom();
        }
        retuned
    }

    fn revert(&mut self) {
        self.body.revert();
        self.headroom = self.body.headroom();
    }

    fn carry(&self, state: &mut [f64]) {
        // what the tension adds is predicted anew in every step
        self.body.carry(self.split(state).0);
    }

    fn run_block(&self, state: &mut [f64], block: &mut Block) {
        let simple = [block.free_ports, block.pushed, block.displacement_ports].iter().all(|ports| ports.is_empty());
        let simple = simple && block.velocity_ports.len() <= 1;
        if !(simple && self.body.free_run_stretched(self.split(state).0, self.modulus, self.headroom, block)) {
            block.step_through(self, state);
        }
    }
}

impl<B: Stretching> Kick for Stretched<B> {
    fn kick(&self, state: &mut [f64], port: usize, impulse: f64) {
        // the added tension follows from ũ and v when the next step is predicted
        self.body.kick(self.split(state).0, port, impulse);
    }
}

impl<B: Stretching> Deflect for Stretched<B> {
    fn deflect(&self, state: &mut [f64], deflection: Deflection) -> bool {
        // the added tension is uniform: it does not change the shape under a point force, but it acts in the next step
        let bent = self.body.deflect(self.split(state).0, deflection);
        if bent && self.clock.scheme == Scheme::Leapfrog {
            for _ in 0..ROUNDS {
                self.free_velocities(state, &[], &mut []);
                let (body, own) = self.split(state);
                self.body.pull(body, own[FACTOR]);
                self.body.still(body);
            }
        }
        bent
    }
}

impl<B: Stretching> Shape for Stretched<B> {
    fn profile_len(&self) -> usize {
        self.body.capabilities().shape.map_or(0, |body| body.profile_len())
    }

    fn profile_into(&self, state: &[f64], out: &mut [f64]) -> bool {
        self.body.capabilities().shape.is_some_and(|body| body.profile_into(self.inner(state), out))
    }

    fn surface_shape<'a>(&'a self, state: &'a [f64], which: usize) -> Option<SurfaceShape<'a>> {
        self.body.capabilities().shape?.surface_shape(self.inner(state), which)
    }
}
