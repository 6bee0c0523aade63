//! One step with its plasticity ρ = α|w|/f_ss as unknown.
//!
//! For a given ρ the step is linear: with D = 1 + ρ σ0 k/2, s the damping at ρ and q = (1 − sρ)/D,
//!
//! > x̄ = (x + k w/2)/D,  f = σ0 x q + c w,  c = (σ0 k/2 + s)/D + σ2,
//!
//! so w + r f = z has a closed form, and the energy balance of the step holds *for any ρ ≥ 0*. The remaining equation is the law itself, ρ f_ss(w) = α(x̄, w) |w|: one
//! exponential and one sine per evaluation, where the curve f(w) needs an iteration of its own for x̄.

use super::curve::{Curve, Point};
use super::{Damping, FrictionParameters};

/// Motion in one direction along the line w + r f = z.
pub(super) struct Slide<'a, 'b> {
    curve: &'a Curve<'b>,
    side: f64,     // +1 or −1
    bend: f64,     // x in that direction, m
    pull: f64,     // z in that direction, m/s
    mobility: f64, // r, m/s per N
}

/// Solution for a given plasticity.
#[derive(Clone, Copy)]
pub(super) struct SlidePoint {
    /// |w|, m/s.
    pub speed: f64,
    /// x̄ and f in the direction of motion.
    bend: f64,
    force: f64,
    /// 1/D.
    inverse_yielding: f64,
    /// q, s and c of the module's theory, and 1/(1 + r c).
    elastic: f64,
    damping: f64,
    resistance: f64,
    share: f64,
}

/// Residual of the law at a plasticity, and the Newton step.
pub(super) struct Step {
    /// Newton step of the plasticity.
    pub plasticity: f64,
    /// Its effect: on |w|, m/s, and on x̄ as a fraction of the zone in which bristles creep.
    pub speed: f64,
    pub bend: f64,
    /// 1 + r F'(w): negative between the branches.
    pub rising: f64,
    /// Derivative of the residual by ρ along the line.
    pub slope: f64,
    /// d|w|/dρ along the line.
    pub speed_by: f64,
    /// True if the law requires more plasticity here.
    pub more: bool,
}

impl<'a, 'b> Slide<'a, 'b> {
    pub fn new(curve: &'a Curve<'b>, side: f64, z: f64, mobility: f64) -> Self {
        Self { curve, side, bend: side * curve.bend, pull: side * z, mobility }
    }

    /// Largest plasticity of the law: |z|/f_c.
    pub fn max_plasticity(&self) -> f64 {
        (self.pull / self.curve.slack).max(0.0)
    }

    /// True if along the line the speed grows with plasticity, up to the [largest](Self::max_plasticity) of the law. With a = s(0) ρ/4 this is
    /// (σ0 k/2)(3a + 1)(a − 1) < s(0), and always so for the published damping.
    pub fn is_monotone(&self) -> bool {
        let law = self.curve.law;
        let damping = law.parameters.damping;
        let a = 0.25 * damping * self.max_plasticity();
        law.form == Damping::Printed || law.half * (3.0 * a + 1.0) * (a - 1.0) < damping || a < 1.0
    }

    /// The exact solution for a given plasticity.
    pub fn point_at(&self, plasticity: f64) -> SlidePoint {
        let law = self.curve.law;
        let FrictionParameters { stiffness, damping, viscosity, .. } = law.parameters;
        // s = σ1/`softer`: over one denominator, so that the speed depends on one division only
        let softer = match law.form {
            Damping::Passive => 1.0 + 0.25 * damping * plasticity,
            Damping::Printed => 1.0,
        };
        let yielding = 1.0 + law.half * plasticity;
        let both = softer * yielding;
        let static_force = stiffness * self.bend * (softer - damping * plasticity);
        let drag = law.half * softer + damping + viscosity * both;
        let line = both + self.mobility * drag;
        let speed = (self.pull * both - self.mobility * static_force) / line;
        let inverse = 1.0 / both;
        let inverse_yielding = softer * inverse;
        SlidePoint {
            speed,
            bend: (self.bend + 0.5 * law.dt * speed) * inverse_yielding,
            force: (static_force + drag * speed) * inverse,
            inverse_yielding,
            elastic: (softer - damping * plasticity) * inverse,
            damping: damping * yielding * inverse,
            resistance: drag * inverse,
            share: both / line,
        }
    }

    /// Evaluates the law.
    pub fn step(&self, plasticity: f64, point: &SlidePoint) -> Step {
        let law = self.curve.law;
        let SlidePoint { speed, bend, inverse_yielding, damping, resistance, share, .. } = *point;
        let (steady, fall) = self.curve.stribeck(speed);
        let creep = self.curve.creep(bend, steady, fall);
        // derivatives by ρ at a given speed
        let bend_by = -law.half * bend * inverse_yielding;
        let damping_by = law.damping_slope(damping);
        let elastic_by = -(damping + plasticity * damping_by + point.elastic * law.half) * inverse_yielding;
        let resistance_by = (damping_by - law.half * (resistance - law.parameters.viscosity)) * inverse_yielding;
        let force_by = law.parameters.stiffness * self.bend * elastic_by + speed * resistance_by;
        let residual_by = steady - speed * creep.by_bend * bend_by;
        // derivatives by the speed at a given ρ
        let bend_with = 0.5 * law.dt * inverse_yielding;
        let residual_with = plasticity * fall - creep.share - speed * (creep.by_bend * bend_with + creep.by_speed);
        // along the line
        let speed_by = -self.mobility * force_by * share;
        let slope = residual_by + residual_with * speed_by;
        let excess = creep.share * speed - plasticity * steady;
        let shift = excess / slope;
        Step {
            plasticity: shift,
            speed: shift * speed_by,
            bend: shift * (bend_by + bend_with * speed_by) * creep.steepness,
            rising: slope / (residual_by * share),
            slope,
            speed_by,
            more: excess > 0.0,
        }
    }

    /// The point of the curve; `rising` is that of the last evaluation.
    pub fn point(&self, plasticity: f64, point: &SlidePoint, rising: f64) -> Point {
        Point {
            velocity: self.side * point.speed,
            force: self.side * point.force,
            slope: (rising - 1.0) / self.mobility,
            bend: self.side * point.bend,
            plasticity,
            ..Point::bare(0.0, 0.0, 0.0)
        }
    }
}
