//! One step with its plasticity ρ = α|w|/f_ss as the unknown.
//!
//! For a given ρ the step is a straight line: with D = 1 + ρ σ0 k/2, s the damping at ρ and q = (1 − sρ)/D,
//!
//! > x̄ = (x + k w/2)/D,  f = σ0 x q + c w,  c = (σ0 k/2 + s)/D + σ2,
//!
//! so w + r f = z is solved at once, and the energy balance of the step holds *whatever ρ ≥ 0 is*. What is left is the law itself, ρ f_ss(w) = α(x̄, w) |w|: one
//! exponential and one sine per evaluation, where the curve f(w) needs an iteration of its own for x̄.

use super::curve::{Curve, Point};
use super::{Damping, FrictionParameters};

/// Motion towards one side along the line w + r f = z.
pub(super) struct Slide<'a, 'b> {
    curve: &'a Curve<'b>,
    side: f64,     // +1 or −1
    bend: f64,     // x seen from that side, m
    pull: f64,     // z seen from that side, m/s
    mobility: f64, // r, m/s per N
}

/// Where a given plasticity leads.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// |w|, m/s.
    pub speed: f64,
    /// x̄ and f seen from the side.
    bend: f64,
    force: f64,
    /// 1/D.
    held: f64,
    /// q, s and c of the module's theory, and 1/(1 + r c).
    elastic: f64,
    damping: f64,
    resistance: f64,
    share: f64,
}

/// How well the law is kept at a plasticity, and how to keep it better.
pub(super) struct Step {
    /// Newton's step of the plasticity.
    pub plasticity: f64,
    /// What it changes: |w|, m/s, and x̄ as a share of the zone in which bristles creep.
    pub speed: f64,
    pub bend: f64,
    /// 1 + r F'(w): below zero between the branches.
    pub rising: f64,
    /// How fast the miss grows with ρ along the line.
    pub slope: f64,
    /// d|w|/dρ along the line.
    pub speed_by: f64,
    /// True if the law asks for more plasticity here.
    pub more: bool,
}

impl<'a, 'b> Slide<'a, 'b> {
    pub fn new(curve: &'a Curve<'b>, side: f64, z: f64, mobility: f64) -> Self {
        Self { curve, side, bend: side * curve.bend, pull: side * z, mobility }
    }

    /// The most plasticity the law can ask for: |z|/f_c.
    pub fn most(&self) -> f64 {
        (self.pull / self.curve.slack).max(0.0)
    }

    /// True if along the line speed grows with plasticity, up to the [most](Self::most) the law can ask for. With a = s(0) ρ/4 this is
    /// (σ0 k/2)(3a + 1)(a − 1) < s(0), and always so for the printed damping.
    pub fn is_monotone(&self) -> bool {
        let law = self.curve.law;
        let damping = law.parameters.damping;
        let a = 0.25 * damping * self.most();
        law.form == Damping::Printed || law.half * (3.0 * a + 1.0) * (a - 1.0) < damping || a < 1.0
    }

    /// The exact answer to a given plasticity.
    pub fn place(&self, plasticity: f64) -> Place {
        let law = self.curve.law;
        let FrictionParameters { stiffness, damping, viscosity, .. } = law.parameters;
        // s = σ1/`softer`: over one denominator, so that the speed waits for one division only
        let softer = match law.form {
            Damping::Passive => 1.0 + 0.25 * damping * plasticity,
            Damping::Printed => 1.0,
        };
        let yielding = 1.0 + law.half * plasticity;
        let both = softer * yielding;
        let standing = stiffness * self.bend * (softer - damping * plasticity);
        let drag = law.half * softer + damping + viscosity * both;
        let line = both + self.mobility * drag;
        let speed = (self.pull * both - self.mobility * standing) / line;
        let inverse = 1.0 / both;
        let held = softer * inverse;
        Place {
            speed,
            bend: (self.bend + 0.5 * law.dt * speed) * held,
            force: (standing + drag * speed) * inverse,
            held,
            elastic: (softer - damping * plasticity) * inverse,
            damping: damping * yielding * inverse,
            resistance: drag * inverse,
            share: both / line,
        }
    }

    /// One evaluation of the law.
    pub fn step(&self, plasticity: f64, place: &Place) -> Step {
        let law = self.curve.law;
        let Place { speed, bend, held, damping, resistance, share, .. } = *place;
        let (steady, fall) = self.curve.stribeck(speed);
        let creep = self.curve.creep(bend, steady, fall);
        // with ρ at a given speed
        let bend_by = -law.half * bend * held;
        let damping_by = law.damping_slope(damping);
        let elastic_by = -(damping + plasticity * damping_by + place.elastic * law.half) * held;
        let resistance_by = (damping_by - law.half * (resistance - law.parameters.viscosity)) * held;
        let force_by = law.parameters.stiffness * self.bend * elastic_by + speed * resistance_by;
        let miss_by = steady - speed * creep.by_bend * bend_by;
        // with the speed at a given ρ
        let bend_with = 0.5 * law.dt * held;
        let miss_with = plasticity * fall - creep.share - speed * (creep.by_bend * bend_with + creep.by_speed);
        // along the line
        let speed_by = -self.mobility * force_by * share;
        let slope = miss_by + miss_with * speed_by;
        let wanted = creep.share * speed - plasticity * steady;
        let shift = wanted / slope;
        Step {
            plasticity: shift,
            speed: shift * speed_by,
            bend: shift * (bend_by + bend_with * speed_by) * creep.steepness,
            rising: slope / (miss_by * share),
            slope,
            speed_by,
            more: wanted > 0.0,
        }
    }

    /// The point of the curve, `rising` being that of the last evaluation.
    pub fn point(&self, plasticity: f64, place: &Place, rising: f64) -> Point {
        Point {
            velocity: self.side * place.speed,
            force: self.side * place.force,
            slope: (rising - 1.0) / self.mobility,
            bend: self.side * place.bend,
            plasticity,
            ..Point::bare(0.0, 0.0, 0.0)
        }
    }
}
