//! Hysteretic felt after Stulov: a one-sided power law with memory. [SO8 eq. 8.9, handbook §4]
//!
//! **Model.** x is the compression, X = φ'(x) = K [x]₊^α the force of virgin felt, Y (N) the remembered force, 0 ≤ ε < 1:
//!
//! > τ Ẏ = X − Y,  f = max(0, X − εY).
//!
//! Eq. 8.9 means [δ(t) − h_r] ∗, not [1 − h_r] ∗, and eq. 8.10 lacks its k.
//!
//! **Energy.** Let G be the Legendre transform of φ, so that G'(Y) = (Y/K)^{1/α} is the compression at which virgin felt exerts Y, and
//! S(ξ, Y) = φ(ξ) − εξY + εG(Y). The stored energy is H(x, Y) = min S(ξ, Y) over ξ ≥ [x]₊. As ∂S/∂ξ = φ'(ξ) − εY, the least ξ is x itself while
//! felt and hammer touch, and else the compression c = (εY/K)^{1/α} to which the felt has recovered and at which it exerts no force.
//!
//! - H ≥ 0, by Young's inequality ξY ≤ φ(ξ) + G(Y): S ≥ (1 − ε) φ(ξ).
//! - ∂H/∂x = f, by construction, with the clip.
//! - The loss D = −Ẏ ∂H/∂Y = (ε/τ)(Y − X)(G'(Y) − ξ) ≥ 0. In contact, ξ = x, and both factors have one sign because φ' increases. Apart,
//!   X < εY ≤ Y and ξ = c = ε^{1/α} G'(Y) ≤ G'(Y).
//!
//! So Ḣ = f ẋ − D: the law is passive, clip included.
//!
//! **Scheme.** A step splits into loading and relaxation. During loading Y is constant and f = (H(a+s, Y) − H(a, Y))/s, s = span·w. H(·, Y) is convex and non-decreasing,
//! so f is increasing in s and never pulls: one root at any stiffness. During relaxation x is constant and Y ← X + (Y − X) e^{−span/τ}, exactly: Y approaches
//! X monotonically, and H falls all the way. Loading and relaxation alternate with Y half a step ahead of x, so the order is 2. In leapfrog
//! the even and the odd instants are two chains that share the force, each with its own Y.
//!
//! **Balance**, exact: stored k/span·ΔH, dissipated k/span·(H before the relaxation − H after it) ≥ 0.
//!
//! **Limits.** With τ below a step the felt is a softer spring that responds to its load one step late: passive, but no longer the law above.

use super::{EndPotential, Gap, Interaction, Resolved, stored};
use crate::clock::Clock;
use crate::error::{BuildError, require};
use crate::power_law::PowerLaw;
use loading::FeltStep;

mod loading;

/// Stulov's felt. State: `[gap now, before, H now, before, Y now, before, G'(Y) now, before]`.
#[derive(Clone, Debug)]
pub struct Felt {
    clock: Clock,
    law: PowerLaw,    // φ
    memory: PowerLaw, // G
    hysteresis: f64,  // ε
    fade: f64,        // 1 − e^{−span/τ}
    recovery: f64,    // ε^{1/α}: c over G'(Y)
}

/// The memory of the felt: a force, and the compression at which virgin felt exerts it.
#[derive(Clone, Copy, Debug)]
struct Memory {
    force: f64,       // Y, N
    compression: f64, // G'(Y), m
}

/// A remembered force below this (N) counts as zero: its energies are subnormal.
const FORGOTTEN: f64 = 1e-140;

impl Felt {
    /// Felt with the stiffness and exponent of `law`, hysteresis ε = `hysteresis` and relaxation time τ = `relaxation` (s).
    pub fn new(clock: Clock, law: PowerLaw, hysteresis: f64, relaxation: f64) -> Result<Self, BuildError> {
        require((0.0..1.0).contains(&hysteresis), "hysteresis", hysteresis, "at least 0 and below 1")?;
        require(relaxation > 0.0 && relaxation.is_finite(), "relaxation time", relaxation, "a positive time")?;
        let inverse = 1.0 / law.exponent();
        Ok(Self {
            clock,
            law,
            memory: PowerLaw::new(libm::pow(law.stiffness(), -inverse), inverse),
            hysteresis,
            fade: -libm::expm1(-clock.span() / relaxation),
            recovery: libm::pow(hysteresis, inverse),
        })
    }

    /// The memory at the start of the next loading.
    fn remembered(&self, state: &[f64]) -> Memory {
        Memory {
            force: Gap { now: state[4], before: state[5] }.start(self.clock),
            compression: Gap { now: state[6], before: state[7] }.start(self.clock),
        }
    }

    /// G(Y), J.
    fn potential(&self, memory: Memory) -> f64 {
        memory.force * memory.compression / (self.memory.exponent() + 1.0)
    }

    /// H(x, Y), J.
    fn stored_at(&self, x: f64, memory: Memory) -> f64 {
        let memory_energy = self.hysteresis * self.potential(memory);
        if x > self.recovery * memory.compression {
            self.law.potential(x) - self.hysteresis * x * memory.force + memory_energy
        } else {
            (1.0 - self.recovery) * memory_energy
        }
    }

    /// H(x, Y) − H(x, Y') as Y goes to Y', from the integral of ∂H/∂Y on either side of the point where felt and hammer separate.
    fn lost(&self, x: f64, fresh: f64, from: Memory, to: f64) -> f64 {
        let mut lost = 0.0;
        let mut start = from.force;
        let mut potential = self.potential(from);
        if start * self.hysteresis > fresh {
            let knee = to.max(fresh / self.hysteresis);
            let mean = self.memory.quotient(start, potential, knee - start);
            lost += (1.0 - self.recovery) * mean * (start - knee);
            if knee == to {
                return self.hysteresis * lost;
            }
            start = knee;
            potential = self.memory.potential(knee);
        }
        let mean = self.memory.quotient(start, potential, to - start);
        // both factors have one sign except for rounding, when Y has nearly converged
        lost += ((start - to) * (mean - x)).max(0.0);
        self.hysteresis * lost
    }
}

impl Interaction for Felt {
    fn state_len(&self) -> usize {
        8
    }

    fn reset(&self, state: &mut [f64], gap: Gap) {
        state.fill(0.0);
        self.resynchronise(state, gap);
        state[2] = self.law.potential(gap.now);
        state[3] = self.law.potential(gap.before);
    }

    fn adapt(&self, state: &mut [f64]) {
        for at in [0, 1] {
            // the compression that the felt remembers stays, as its gap does
            let force = self.law.force(state[6 + at]);
            let force = if force < FORGOTTEN { 0.0 } else { force };
            let memory = Memory { force, compression: self.memory.force(force) };
            (state[4 + at], state[6 + at]) = (memory.force, memory.compression);
            state[2 + at] = self.stored_at(state[at].max(0.0), memory);
        }
    }

    fn resynchronise(&self, state: &mut [f64], gap: Gap) {
        // while apart, the stored energy depends on Y only
        gap.store(state);
    }

    fn resolve(&self, state: &[f64], z: f64, r: f64) -> Resolved {
        let span = self.clock.span();
        let answer = FeltStep {
            law: &self.law,
            start: Gap::load(state).start(self.clock),
            recovered: self.recovery * self.remembered(state).compression,
            target: span * z,
            compliance: span * r,
        }
        .solve();
        let before = Gap { now: state[2], before: state[3] }.start(self.clock);
        Resolved {
            approach: answer.step / span,
            force: answer.force,
            slope: span * answer.slope,
            end: answer.end,
            potential: EndPotential::computed(before + answer.force * answer.step),
            plasticity: 0.0,
            evaluations: answer.evaluations,
        }
    }

    fn commit(&self, state: &mut [f64], resolved: &Resolved) -> f64 {
        let x = resolved.end.max(0.0);
        let memory = self.remembered(state);
        let fresh = self.law.force(x);
        let mut force = memory.force + (fresh - memory.force) * self.fade;
        if force < FORGOTTEN {
            force = 0.0;
        }
        let lost = self.lost(x, fresh, memory, force);
        let relaxed = Memory { force, compression: self.memory.force(force) };
        let mut gap = Gap::load(state);
        gap.advance(resolved.end);
        gap.store(state);
        let now = [self.stored_at(x, relaxed), relaxed.force, relaxed.compression];
        for (pair, now) in state[2..].chunks_exact_mut(2).zip(now) {
            pair[1] = pair[0];
            pair[0] = now;
        }
        lost * self.clock.dt / self.clock.span()
    }

    fn energy(&self, state: &[f64]) -> f64 {
        stored(self.clock, state[2], state[3])
    }

    fn is_open(&self, state: &[f64]) -> bool {
        state[0] <= loading::NEGLIGIBLE && state[1] <= loading::NEGLIGIBLE
    }
}
