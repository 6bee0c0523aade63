//! Bodies that pull tighter when they are bent: the Kirchhoff string, and plates and membranes after Berger.
//!
//! With the stretch S = ∫|∇u|² and its gradient pull G = K₁u (S = uᵀK₁u), the body stores M/4·S² more and feels −M S G: the tension grows with the mean
//! stretch, the same everywhere. M = EA/(2L) for a string, Eh/(2(1 − ν²)A) for a plate of area A.
//!
//! Scheme: the stored shape ũ steps as in leapfrog in both frames (see [`ExplicitString`](crate::ExplicitString)). S̃ = ũᵀK₁ũ⁻ of two successive shapes is known before the
//! step, and S̃⁺ = S̃ + 2k Gᵀv̄ exactly, because K₁ is symmetric. The force −M(S̃ + k Gᵀv̄)G is linear in v̄: one number is solved for, nothing iterates.
//! Towards forces the body is stiffer by one rank, Y − c (YG)(YG)ᵀ, c = Mk/(1 + Mk GᵀYG).
//! Balance, exact: the stored M/4·S̃² changes by M k(S̃ + k Gᵀv̄) Gᵀv̄. Nothing is kept between steps but ũ and v, so that nothing drifts.
//! Limits: those of the body without stretching. The energy is bounded at any amplitude, but the sound is right only while the body would be within its limits
//! with the tension of the moment, M S̃ more: beyond, its highest modes take the energy. Such steps are counted; coarser grids and fewer modes
//! have more room. [handbook §6]

mod bank;
mod string;

pub use bank::StretchedBank;
pub use string::StretchedString;

use super::{Block, Deflection, Resonator};
use crate::clock::{Clock, Frame};
use crate::error::{BuildError, require};
use ictus_kernels::coast::{Tightened, tighten};
use std::borrow::Cow;

/// Numbers of its own in the state: c, M S̃ and the factor of the pull.
const OWN: usize = 3;

/// Rounds in which a body comes to rest: each leaves the share of its losses in one step.
const ROUNDS: usize = 4;

/// A body whose stretch can be felt. Its shape steps as in leapfrog.
pub trait Stretching: Resonator {
    /// Predicts v̄ without the added tension; S̃, Gᵀv̄ and GᵀYG.
    fn predict(&self, state: &mut [f64]) -> Stretch;
    /// v̄ of a port as predicted.
    fn foreseen(&self, state: &[f64], port: usize) -> f64;
    /// Pulls by `factor` and advances under `forces`; returns the energy dissipated.
    fn advance_pulled(&self, state: &mut [f64], factor: f64, ports: &[usize], forces: &[f64], audited: bool) -> f64;
    /// Takes the steps of `block` at a time that has no watched port and at most one that is heard, `limit` being the largest M S̃ within the limits.
    /// Returns false if it has taken none.
    fn coast_stretched(&self, _state: &mut [f64], _modulus: f64, _limit: f64, _block: &mut Block) -> bool {
        false
    }
    /// S̃ of the shapes now and a step ago, m.
    fn stretched(&self, state: &[f64]) -> f64;
    /// v̄ += factor · YG.
    fn pull(&self, state: &mut [f64], factor: f64);
    /// YG at a port.
    fn pulled(&self, state: &[f64], port: usize) -> f64;
    /// The largest M S̃ at which the body is still within its limits.
    fn room(&self) -> f64;
    /// v −= v̄: what would move in the next step is stopped.
    fn still(&self, state: &mut [f64]);
}

/// Sums over a bent body.
#[derive(Clone, Copy, Debug)]
pub struct Stretch {
    /// S̃.
    pub stretch: f64,
    /// Gᵀv̄.
    pub rate: f64,
    /// GᵀYG.
    pub mobility: f64,
}

/// A body that pulls tighter when it is bent. State: the body's, then c, M S̃, the factor by which it
/// pulls, and YG of every port.
#[derive(Clone, Debug)]
pub struct Stretched<B> {
    body: B,
    clock: Clock,
    modulus: f64, // M
    room: f64,    // largest M S̃ within the limits
    len: usize,   // of the body's state
}

impl<B: Stretching> Stretched<B> {
    fn wrap(body: B, clock: Clock, modulus: f64) -> Result<Self, BuildError> {
        require(modulus >= 0.0 && modulus.is_finite(), "stretching modulus", modulus, "a finite number of at least 0")?;
        let (room, len) = (body.room(), body.state_len());
        Ok(Self { body, clock, modulus, room, len })
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

    fn stiffens(&self) -> bool {
        true
    }

    fn stiffening(&self, state: &[f64], ports: &[usize], out: &mut [f64]) {
        let own = &state[self.len..];
        let root = own[0].sqrt();
        for (out, &port) in out.iter_mut().zip(ports) {
            *out = root * own[OWN + port];
        }
    }

    fn is_overstretched(&self, state: &[f64]) -> bool {
        state[self.len + 1].abs() > self.room
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

    fn advance(&self, state: &mut [f64], ports: &[usize], forces: &[f64], audited: bool) -> f64 {
        let (body, own) = self.split(state);
        let along: f64 = ports.iter().zip(forces).map(|(&port, force)| force * own[OWN + port]).sum();
        self.body.advance_pulled(body, own[2] - own[0] * along, ports, forces, audited)
    }

    fn forget(&self, state: &mut [f64]) {
        self.body.forget(self.split(state).0);
    }

    fn coast(&self, state: &mut [f64], block: &mut Block) {
        let simple = [block.watched, block.pushed, block.placed].iter().all(|ports| ports.is_empty());
        let simple = simple && block.heard.len() <= 1;
        if !(simple && self.body.coast_stretched(self.split(state).0, self.modulus, self.room, block)) {
            block.step_through(self, state);
        }
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

    fn deflect(&self, state: &mut [f64], deflection: Deflection) -> bool {
        // the tension is the same everywhere: it does not change the shape under a point force, but what the next step would do
        let bent = self.body.deflect(self.split(state).0, deflection);
        if bent && self.clock.frame == Frame::Leapfrog {
            for _ in 0..ROUNDS {
                self.free_velocities(state, &[], &mut []);
                let (body, own) = self.split(state);
                self.body.pull(body, own[2]);
                self.body.still(body);
            }
        }
        bent
    }

    fn profile<'a>(&self, state: &'a [f64]) -> Option<Cow<'a, [f64]>> {
        self.body.profile(self.inner(state))
    }
}
