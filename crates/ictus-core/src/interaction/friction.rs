//! Dry friction by bristles that deflect, creep and slide. [SO8 §8.3.2, FR, handbook §5]
//!
//! **Model.** w is the sliding velocity, x the deflection of the bristles, N the normal force, f_ss(w) = f_c + (f_s − f_c) e^{−(w/v_s)²}
//! the Stribeck curve with f_s = μ_s N, f_c = μ_d N:
//!
//! > ẋ = w − r σ0 x,  r = α(x, w) |w|/f_ss(w),  f = σ0 x + σ1 ẋ + σ2 w.
//!
//! α is the plastic share of the motion: 0 while w x ≤ 0 or |x| ≤ x_ba = c f_c/σ0, 1 from |x| = f_ss/σ0 on, half a sine between (elasto-plastic,
//! Dupont); always 1 for LuGre, and for Dahl, which is LuGre with σ1 = σ2 = 0 and μ_s = μ_d. Without bristles the law is the Stribeck curve itself.
//!
//! **Scheme.** One step k with the mean velocity w and the mean deflection x̄ = x + k ẋ/2, α taken at x̄: x̄ = (x + k w/2)/(1 + k r σ0/2). The same in both
//! schemes, since in either w belongs to the middle of the step of the ledger.
//!
//! **Balance**, exact: stored ½σ0 Δx² , dissipated k D, and with e = σ0 x̄
//!
//! > D = r (e − s w/2)² + s w² (1 − s r/4) + σ2 w².
//!
//! The literature has s = σ1, for which D can be negative if σ1 r > 4 [handbook §5]. Here s = σ1/(1 + σ1 r/4), so that s r ≤ 4 and D is never negative.
//!
//! **Limits.** f falls with w on the Stribeck slope, so w + r F(w) = z may have three roots (Friedlander). The solver takes the first on the path from the
//! last velocity: a stick lasts until it breaks, a slip until it catches. When N falls, bristles deflected beyond f_s/σ0 spring back and their energy is dissipated.

use super::{Gap, Interaction, Resolved, Rubbing};
use crate::clock::Clock;
use crate::error::{BuildError, require};
use curve::Curve;
use follow::From;

mod curve;
mod elementary;
mod follow;
mod root;
mod slide;

/// Parameters of a pair of surfaces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrictionParameters {
    /// σ0, N/m: stiffness of the bristles.
    pub stiffness: f64,
    /// σ1, N s/m: their damping.
    pub damping: f64,
    /// σ2, N s/m: viscous drag.
    pub viscosity: f64,
    /// μ_s: static friction coefficient.
    pub sticking: f64,
    /// μ_d ≤ μ_s: kinetic friction coefficient.
    pub sliding: f64,
    /// v_s, m/s: Stribeck velocity, the scale of the fall from μ_s to μ_d.
    pub stribeck: f64,
    /// c in 0–1: fraction of f_c/σ0 up to which bristles deflect without creep.
    pub breakaway: f64,
}

impl FrictionParameters {
    /// Rosin between bow hair and string: gives Helmholtz motion at a force of some newtons. [handbook §5]
    pub const ROSIN: Self = Self {
        stiffness: 1e4,
        damping: 1.0,
        viscosity: 0.0,
        sticking: 0.4,
        sliding: 0.2,
        stribeck: 0.1,
        breakaway: 0.7,
    };
}

/// Bristle model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bristles {
    /// Deflect first, creep beyond the breakaway deflection, slide (Dupont).
    ElastoPlastic,
    /// Creep at any deflection.
    LuGre,
    /// None: the Stribeck curve with sticking at any force up to its maximum.
    None,
}

/// Form of the bristle damping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damping {
    /// Reduced where it would generate energy.
    Passive,
    /// As published in FR and SO8, for comparison: generates energy where σ1 r > 4.
    Printed,
}

/// Share of the Stribeck velocity above which surfaces slide: below, bristles bend and creep, and the friction coefficient has fallen by less than a quarter of the way.
const SLIDING: f64 = 0.5;

/// Friction between two ends. State: `[x, N, w of the last step, its r N, the previous r N]`; r N is negative after steps without normal force.
#[derive(Clone, Debug)]
pub struct Friction {
    dt: f64,
    parameters: FrictionParameters,
    compliance: f64, // 1/σ0
    slowness: f64,   // 1/v_s
    half: f64,       // σ0 k/2, N s/m
    bristles: Bristles,
    form: Damping,
    steps: Option<u32>,
}

impl Friction {
    /// Friction of surfaces with `parameters`; the normal force comes from [`State::press`](crate::State::press) or from a collision.
    pub fn new(
        clock: Clock,
        parameters: FrictionParameters,
        bristles: Bristles,
        form: Damping,
    ) -> Result<Self, BuildError> {
        let FrictionParameters { stiffness, damping, viscosity, sticking, sliding, stribeck, breakaway } = parameters;
        let loss = |x: f64| x >= 0.0 && x.is_finite();
        require(stiffness > 0.0 && stiffness.is_finite(), "bristle stiffness", stiffness, "a positive stiffness")?;
        require(loss(damping), "bristle damping", damping, "a damping of at least 0")?;
        require(loss(viscosity), "viscosity", viscosity, "a drag of at least 0")?;
        require(sliding > 0.0 && sliding.is_finite(), "sliding friction", sliding, "a positive share")?;
        require(
            sticking >= sliding && sticking.is_finite(),
            "sticking friction",
            sticking,
            "at least the sliding friction",
        )?;
        require(stribeck > 0.0 && stribeck.is_finite(), "Stribeck velocity", stribeck, "a positive velocity")?;
        require((0.0..1.0).contains(&breakaway), "breakaway share", breakaway, "at least 0 and below 1")?;
        let (compliance, slowness, half) = (1.0 / stiffness, 1.0 / stribeck, 0.5 * clock.dt * stiffness);
        Ok(Self { dt: clock.dt, parameters, compliance, slowness, half, bristles, form, steps: None })
    }

    /// Takes exactly `steps` Newton iterations (at least 1) per time step instead of iterating to convergence: a constant cost. The ledger stays balanced and the law passive,
    /// but the solution is only as accurate as that allows.
    pub fn with_steps(self, steps: u32) -> Self {
        Self { steps: Some(steps.max(1)), ..self }
    }

    fn curve(&self, state: &[f64]) -> Curve<'_> {
        Curve::new(self, state[0], state[1])
    }

    /// s of the module's theory.
    fn damping_at(&self, plasticity: f64) -> f64 {
        let damping = self.parameters.damping;
        match self.form {
            Damping::Passive => damping / (1.0 + 0.25 * damping * plasticity),
            Damping::Printed => damping,
        }
    }

    /// Derivative of s by r, at s = `damping`.
    fn damping_slope(&self, damping: f64) -> f64 {
        match self.form {
            Damping::Passive => -0.25 * damping * damping,
            Damping::Printed => 0.0,
        }
    }
}

impl Interaction for Friction {
    fn state_len(&self) -> usize {
        5
    }

    fn reset(&self, state: &mut [f64], _gap: Gap) {
        state[0] = 0.0;
        state[2..].fill(0.0);
    }

    fn adapt(&self, state: &mut [f64]) {
        if self.bristles == Bristles::None {
            state[0] = 0.0;
        }
    }

    fn resynchronise(&self, _state: &mut [f64], _gap: Gap) {}

    fn resolve(&self, state: &[f64], z: f64, r: f64) -> Resolved {
        self.resolve_near(state, z, r, state[2])
    }

    fn resolve_near(&self, state: &[f64], z: f64, r: f64, near: f64) -> Resolved {
        if state[1] == 0.0 {
            return Resolved { approach: z, ..Resolved::default() };
        }
        let curve = self.curve(state);
        // r N depends on α and w only, so it is the better guess when the normal force changes
        let from = (near == state[2] && state[3] >= 0.0).then(|| {
            let plasticity = state[3] / state[1];
            From { velocity: near, plasticity, guess: (2.0 * plasticity - state[4] / state[1]).max(0.0) }
        });
        let (point, evaluations) = root::find(&curve, z, r, near, from, self.steps);
        Resolved {
            approach: point.velocity,
            force: point.force,
            slope: point.slope,
            end: 2.0 * point.bend - state[0],
            plasticity: point.plasticity,
            evaluations,
            ..Resolved::default()
        }
    }

    fn commit(&self, state: &mut [f64], resolved: &Resolved) -> f64 {
        let Resolved { approach: w, force, end, plasticity, .. } = *resolved;
        let stored = self.energy(state);
        let before = state[0];
        state[2] = w;
        state[4] = state[3];
        if state[1] == 0.0 {
            state[0] = 0.0;
            state[3] = -1.0;
            return stored;
        }
        state[3] = plasticity * state[1];
        if self.bristles == Bristles::None {
            return self.dt * force * w;
        }
        let pull = 0.5 * self.parameters.stiffness * (before + end);
        let damping = self.damping_at(plasticity);
        let net_pull = pull - 0.5 * damping * w;
        let slipping = plasticity * net_pull * net_pull + damping * w * w * (1.0 - 0.25 * damping * plasticity);
        let max_deflection = self.parameters.sticking * state[1] / self.parameters.stiffness;
        state[0] = end.clamp(-max_deflection, max_deflection);
        let sprung = 0.5 * self.parameters.stiffness * (end - state[0]) * (end + state[0]);
        self.dt * (slipping + self.parameters.viscosity * w * w) + sprung
    }

    fn energy(&self, state: &[f64]) -> f64 {
        0.5 * self.parameters.stiffness * state[0] * state[0]
    }

    fn is_open(&self, _state: &[f64]) -> bool {
        false
    }

    fn has_gap(&self) -> bool {
        false
    }

    fn is_monotone(&self) -> bool {
        false
    }

    fn rubbing(&self, state: &[f64]) -> Option<Rubbing> {
        let (normal, slip) = (state[1], state[2]);
        let slides = match self.bristles {
            // sticking is exact
            Bristles::None => slip != 0.0,
            _ => slip.abs() > SLIDING * self.parameters.stribeck,
        };
        Some(Rubbing { normal, slip, slides: normal > 0.0 && slides })
    }

    fn press(&self, state: &mut [f64], normal: f64) {
        state[1] = normal;
    }
}
