//! Non-iterative collision by energy quadratisation (N-IT): φ = ψ²/2 with ψ a variable of its own.
//!
//! Law, affine in w within a step: ψ⁺ = ψ + g k w, f = g(ψ + ψ⁺)/2. [D21 eq. 24]
//! Balance, exact for any g: Δ(ψ²/2) = k w f.
//! Limits: the choice of g decides whether contacts stick or leak. The printed choice [D21 eq. 27] does both after
//! the first impact while conserving energy to 1e-13; the two offered here are those of the handbook §2, and with the rule for
//! the midpoint frame below neither sticks, keeps energy or leaks in any test. For hard contacts they do not converge
//! with refinement, and in the midpoint frame [`Gradient::Current`] is of first order, since it brakes for the whole of the step
//! in which it touches: take [`Gradient::Corrected`] there, and [`Collision`](crate::Collision) for a few contacts.

use super::{Gap, Interaction, Resolved};
use crate::clock::{Clock, Frame};
use crate::power_law::PowerLaw;

/// How the explicit gradient g is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gradient {
    /// ∂ψ/∂η at the current gap, with releases that empty ψ exactly (handbook `var4`).
    Current,
    /// A predictor–corrector: second order at any contact phase (handbook `var6`).
    Corrected,
}

/// A quadratised collision. State: `[gap now, before, ψ, g]`.
#[derive(Clone, Debug)]
pub struct Quadratised {
    clock: Clock,
    law: PowerLaw,
    gradient: Gradient,
}

/// The step ahead as a lone contact sees it.
struct Ahead {
    eta: f64,        // η where g is taken, m
    before: f64,     // half a span earlier, m
    free: f64,       // D = 2k w0, m
    compliance: f64, // c = 2k W, m/N
}

impl Ahead {
    /// Closing over the whole span with gradient g.
    fn step(&self, g: f64, psi: f64) -> f64 {
        (self.free - self.compliance * g * psi) / (1.0 + 0.25 * self.compliance * g * g)
    }

    /// Gap at the start of the step in the midpoint frame.
    fn start(&self) -> f64 {
        0.5 * (self.eta + self.before)
    }

    /// The g that empties ψ, with a force that pushes.
    fn release(&self, psi: f64) -> f64 {
        let (free, c) = (self.free, self.compliance);
        let width = (free * free + 4.0 * c * psi * psi).sqrt();
        if psi <= 0.0 {
            0.0
        } else if free < 0.0 {
            4.0 * psi / (width - free)
        } else if (self.eta >= 0.0 || self.before + free >= 0.0) && c * psi * psi > ENTRY_SHARE * free * free {
            (free + width) / (c * psi)
        } else {
            0.0
        }
    }
}

/// A release by entering ψ counts only above this share of the free step. [handbook §2]
const ENTRY_SHARE: f64 = 1e-10;
/// Largest correction of g, either way. [handbook §2]
const CORRECTION: f64 = 3.0;

impl Quadratised {
    /// A fixed-cost collision.
    pub fn new(clock: Clock, law: PowerLaw, gradient: Gradient) -> Self {
        Self { clock, law, gradient }
    }

    /// g for |ψ| at gap η. [handbook §2]
    fn choose(&self, psi: f64, ahead: &Ahead) -> f64 {
        if ahead.eta >= 0.0 {
            let mut g = self.slope(ahead.eta);
            if self.gradient == Gradient::Corrected && g > 0.0 {
                let predicted = ahead.step(g, psi);
                let target = self.root_energy(0.5 * (ahead.before + predicted + ahead.eta));
                let ratio = 2.0 * (target - psi) / predicted;
                if ratio.is_finite() {
                    g = ratio.clamp(g / CORRECTION, g * CORRECTION);
                }
            }
            // ψ of the midpoint frame belongs to the gap at the end of the step: where that is open it must be empty, so the
            // contact lets go now, or does not begin yet
            let open = self.clock.frame == Frame::Midpoint && ahead.start() + 0.5 * ahead.step(g, psi) <= 0.0;
            if !open && psi + 0.5 * g * ahead.step(g, psi) >= 0.0 {
                return g;
            }
        }
        ahead.release(psi)
    }

    /// ∂ψ/∂η = √(K(α+1)/2)·η^{(α−1)/2}.
    fn slope(&self, eta: f64) -> f64 {
        (0.5 * (self.law.exponent() + 1.0)
            * if eta > 0.0 { self.law.force(eta) / eta } else { self.law.stiffness_at(0.0) })
        .sqrt()
    }

    /// ψ = √(2φ).
    fn root_energy(&self, eta: f64) -> f64 {
        (2.0 * self.law.potential(eta)).sqrt()
    }
}

impl Interaction for Quadratised {
    fn state_len(&self) -> usize {
        4
    }

    fn reset(&self, state: &mut [f64], gap: Gap) {
        gap.store(state);
        let middle = match self.clock.frame {
            Frame::Midpoint => gap.now,
            Frame::Leapfrog => 0.5 * (gap.now + gap.before),
        };
        state[2] = self.root_energy(middle);
        state[3] = 0.0;
    }

    fn resynchronise(&self, state: &mut [f64], gap: Gap) {
        gap.store(state);
    }

    fn prepare(&self, state: &mut [f64], free: f64, mobility: f64) {
        let gap = Gap::load(state);
        let k = self.clock.dt;
        // seen from the middle of the step both frames look alike: D = 2k w0, c = 2k W
        let (eta, before) = match self.clock.frame {
            Frame::Leapfrog => (gap.now, gap.before),
            Frame::Midpoint => (gap.now + 0.5 * k * free, gap.now - 0.5 * k * free),
        };
        let psi = state[2];
        let ahead = Ahead { eta, before, free: 2.0 * k * free, compliance: 2.0 * k * mobility };
        state[3] = self.choose(psi.abs(), &ahead).copysign(psi);
    }

    fn resolve(&self, state: &[f64], z: f64, r: f64) -> Resolved {
        let (psi, g) = (state[2], state[3]);
        let slope = 0.5 * self.clock.dt * g * g;
        let closing = (z - r * g * psi) / (1.0 + r * slope);
        let end = Gap::load(state).start(self.clock) + self.clock.span() * closing;
        let next = psi + g * self.clock.dt * closing;
        Resolved { closing, force: 0.5 * g * (psi + next), slope, end, potential: 0.5 * next * next, evaluations: 1 }
    }

    fn commit(&self, state: &mut [f64], resolved: &Resolved) -> f64 {
        let mut gap = Gap::load(state);
        gap.advance(resolved.end);
        gap.store(state);
        state[2] += state[3] * self.clock.dt * resolved.closing;
        0.0
    }

    fn energy(&self, state: &[f64]) -> f64 {
        0.5 * state[2] * state[2]
    }

    fn is_open(&self, state: &[f64]) -> bool {
        state[0] <= 0.0 && state[1] <= 0.0
    }
}
