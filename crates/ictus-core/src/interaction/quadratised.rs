//! Non-iterative collision by energy quadratisation (N-IT): φ = ψ²/2 with ψ a state variable.
//!
//! Law within a step, in contact: ψ⁺ = ψ + g k w, f = g(ψ + ψ⁺)/2 [D21 eq. 24] while ψ⁺ ≥ 0; a contact that opens faster empties,
//! ψ⁺ = 0 and f = ψ²/(2k|w|), which is the same law with the smaller g = ψ/(k|w|). Both branches meet at ψ⁺ = 0, f increases with w and
//! never pulls, for any neighbours. In the midpoint scheme ψ belongs to the gap at the end x of the step: g ≥ ψ/start empties it
//! no later than the gap opens, and a contact that begins within the step has ψ⁺ = g[x]₊, f = ψ⁺²/(2kw).
//! Every branch has a closed form. An island of contacts that stay closed takes one linear solve; if some open, one or two more.
//! Balance, exact for any g: Δ(ψ²/2) = k w f.
//! Limits: the choice of g decides whether contacts stick or leak. The published choice [D21 eq. 27] does both after
//! the first impact while conserving energy to 1e-13; the two choices here are those of the handbook §2, which with the branches above
//! neither stick, retain energy, pull nor leak in any test. In the leapfrog scheme ψ begins up to one step late, so that hard barriers do not
//! converge with refinement there: use [`Collision`](crate::Collision) for a few contacts, and for barriers on grid points.

use super::{EndPotential, Gap, Interaction, Resolved};
use crate::clock::{Clock, Scheme};
use crate::power_law::PowerLaw;

/// Choice of the explicit gradient g.
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

/// The next step of an isolated contact in the leapfrog scheme.
struct Ahead {
    eta: f64,        // ηⁿ, where g is taken, m
    before: f64,     // ηⁿ⁻¹, m
    free: f64,       // D = 2k w0, m
    compliance: f64, // c = 2k W, m/N
}

impl Ahead {
    /// Approach step over the whole span with gradient g, m.
    fn step(&self, g: f64, psi: f64) -> f64 {
        (self.free - self.compliance * g * psi) / (1.0 + 0.25 * self.compliance * g * g)
    }

    /// The g at which the contact empties as soon as it opens.
    fn release(&self, psi: f64) -> f64 {
        let (free, c) = (self.free, self.compliance);
        let width = (free * free + 4.0 * c * psi * psi).sqrt();
        let isolated = if psi <= 0.0 {
            0.0
        } else if free < 0.0 {
            4.0 * psi / (width - free)
        } else if (self.eta >= 0.0 || self.before + free >= 0.0) && c * psi * psi > ENTRY_SHARE * free * free {
            (free + width) / (c * psi)
        } else {
            0.0
        };
        GRIP * isolated
    }
}

/// Margin of a release: the contact empties even if its neighbours slow it to this fraction of its isolated motion.
const GRIP: f64 = 1e3;
/// A release by entering ψ counts only above this fraction of the free step. [handbook §2]
const ENTRY_SHARE: f64 = 1e-10;
/// Largest correction factor of g, either way. [handbook §2]
const CORRECTION: f64 = 3.0;

impl Quadratised {
    /// A collision with fixed cost.
    pub fn new(clock: Clock, law: PowerLaw, gradient: Gradient) -> Self {
        Self { clock, law, gradient }
    }

    /// g of the leapfrog scheme. [handbook §2]
    fn centred(&self, psi: f64, ahead: &Ahead) -> f64 {
        if ahead.eta >= 0.0 {
            let mut g = self.slope(ahead.eta);
            if self.gradient == Gradient::Corrected && g > 0.0 {
                let predicted = ahead.step(g, psi);
                let target = self.root_energy(0.5 * (ahead.before + predicted + ahead.eta));
                g = corrected(g, 2.0 * (target - psi) / predicted);
            }
            if psi + 0.5 * g * ahead.step(g, psi) >= 0.0 {
                return g;
            }
        }
        ahead.release(psi)
    }

    /// g of the midpoint scheme, for a step that starts at `start` and has the force-free end `end`.
    fn between(&self, psi: f64, start: f64, end: f64, isolated: impl Fn(f64) -> Resolved) -> f64 {
        if start <= 0.0 {
            // secant of ψ from its beginning, to the free end and then to the end that follows from it
            let secant = |end: f64| if end > 0.0 { self.root_energy(end) / end } else { 0.0 };
            let g = secant(end);
            if self.gradient == Gradient::Corrected && g > 0.0 { corrected(g, secant(isolated(g).end)) } else { g }
        } else {
            let mut g = self.slope(0.5 * (start + end)).max(psi / start);
            if self.gradient == Gradient::Corrected {
                let predicted = isolated(g);
                let ratio = (self.root_energy(predicted.end) - psi) / (predicted.end - start);
                g = corrected(g, ratio).max(psi / start);
            }
            g
        }
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

impl Quadratised {
    /// Solves w + r F(w) = z.
    fn answer(&self, state: [f64; 4], z: f64, r: f64) -> Resolved {
        let start = Gap::load(&state).start(self.clock);
        if self.clock.scheme == Scheme::Midpoint && start <= 0.0 {
            self.enter(state[3], start, z, r)
        } else {
            self.hold(state, z, r)
        }
    }

    /// Closed at the start of the step, or the leapfrog scheme.
    fn hold(&self, state: [f64; 4], z: f64, r: f64) -> Resolved {
        let ([_, _, psi, g], k) = (state, self.clock.dt);
        let start = Gap::load(&state).start(self.clock);
        let mut slope = 0.5 * k * g * g;
        let mut approach = (z - r * g * psi) / (1.0 + r * slope);
        let mut next = psi + g * k * approach;
        let mut force = 0.5 * g * (psi + next);
        let mut end = start + self.clock.span() * approach;
        // g ≥ ψ/start, so that in the midpoint scheme the second condition follows from the first except for rounding
        if next < 0.0 || self.clock.scheme == Scheme::Midpoint && end <= 0.0 {
            // w − rψ²/(2kw) = z
            let energy = psi * psi / k;
            let width = (z * z + 2.0 * r * energy).sqrt();
            let opening = if z < 0.0 { 0.5 * (width - z) } else { r * energy / (width + z) };
            (approach, next, force) = (-opening, 0.0, 0.5 * energy / opening);
            slope = force / opening;
            end = start + self.clock.span() * approach;
        }
        let potential = EndPotential::computed(0.5 * next * next);
        Resolved { approach, force, slope, end, potential, plasticity: 0.0, evaluations: 1 }
    }

    /// Open at the start, midpoint scheme: w + r g²[x]₊²/(2kw) = z, solved for x, which is tiny if the contact is hard.
    fn enter(&self, g: f64, start: f64, z: f64, r: f64) -> Resolved {
        let (k, distance) = (self.clock.dt, -start);
        let depth = k * z - distance;
        if depth <= 0.0 || g == 0.0 {
            return Resolved { approach: z, end: start + k * z, evaluations: 1, ..Resolved::default() };
        }
        let stiff = 2.0 + k * r * g * g;
        let half = depth - distance;
        let width = (half * half + 2.0 * stiff * distance * depth).sqrt();
        let end = if half > 0.0 { (half + width) / stiff } else { 2.0 * distance * depth / (width - half) };
        let step = end + distance;
        let force = 0.5 * g * g * end * (end / step);
        let slope = 0.5 * k * g * g * (end / step) * (1.0 + distance / step);
        let potential = EndPotential::computed(0.5 * g * g * end * end);
        Resolved { approach: step / k, force, slope, end, potential, plasticity: 0.0, evaluations: 1 }
    }
}

/// `g` corrected to `better`, limited by [`CORRECTION`].
fn corrected(g: f64, better: f64) -> f64 {
    if better.is_finite() { better.clamp(g / CORRECTION, g * CORRECTION) } else { g }
}

impl Interaction for Quadratised {
    fn state_len(&self) -> usize {
        4
    }

    fn reset(&self, state: &mut [f64], gap: Gap) {
        gap.store(state);
        let middle = match self.clock.scheme {
            Scheme::Midpoint => gap.now,
            Scheme::Leapfrog => 0.5 * (gap.now + gap.before),
        };
        state[2] = self.root_energy(middle);
        state[3] = 0.0;
    }

    fn resynchronise(&self, state: &mut [f64], gap: Gap) {
        gap.store(state);
    }

    fn prepare(&self, state: &mut [f64], free: f64, mobility: f64) {
        let Gap { now, before } = Gap::load(state);
        let (psi, k) = (state[2], self.clock.dt);
        state[3] = match self.clock.scheme {
            Scheme::Leapfrog => {
                self.centred(psi, &Ahead { eta: now, before, free: 2.0 * k * free, compliance: 2.0 * k * mobility })
            }
            Scheme::Midpoint => {
                self.between(psi, now, now + k * free, |g| self.answer([now, before, psi, g], free, mobility))
            }
        };
    }

    fn resolve(&self, state: &[f64], z: f64, r: f64) -> Resolved {
        self.answer([state[0], state[1], state[2], state[3]], z, r)
    }

    fn commit(&self, state: &mut [f64], resolved: &Resolved) -> f64 {
        let mut gap = Gap::load(state);
        gap.advance(resolved.end);
        gap.store(state);
        state[2] = (2.0 * resolved.potential.magnitude()).sqrt();
        state[3] = 0.0;
        0.0
    }

    fn energy(&self, state: &[f64]) -> f64 {
        0.5 * state[2] * state[2]
    }

    fn is_open(&self, state: &[f64]) -> bool {
        state[0] <= 0.0 && state[1] <= 0.0
    }

    fn rests_apart(&self) -> bool {
        true
    }
}
