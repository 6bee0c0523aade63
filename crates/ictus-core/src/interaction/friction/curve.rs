//! The force of one step as a function of the sliding velocity.

use super::{Bristles, Friction, FrictionParameters};
use std::f64::consts::FRAC_PI_2;

/// f(w) for given bend and normal force.
pub(super) struct Curve<'a> {
    law: &'a Friction,
    bend: f64,    // x, m
    slack: f64,   // f_c, N
    excess: f64,  // f_s − f_c, N
    elastic: f64, // x_ba, m
}

/// One point of the curve.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    /// w, m/s.
    pub velocity: f64,
    /// f, N.
    pub force: f64,
    /// df/dw, N s/m.
    pub slope: f64,
    /// x̄, m.
    pub bend: f64,
    /// r, 1/N · m/s.
    pub plasticity: f64,
}

/// Steps of the bracketed Newton iteration for the bend; bisection alone would need as many.
const CAP: u32 = 60;

impl<'a> Curve<'a> {
    pub fn new(law: &'a Friction, bend: f64, normal: f64) -> Self {
        let FrictionParameters { stiffness, sticking, sliding, breakaway, .. } = law.parameters;
        let slack = sliding * normal;
        Self { law, bend, slack, excess: (sticking - sliding) * normal, elastic: breakaway * slack / stiffness }
    }

    /// v_s, m/s: the scale on which the curve falls.
    pub fn scale(&self) -> f64 {
        self.law.parameters.stribeck
    }

    /// f_s, N.
    pub fn top(&self) -> f64 {
        self.slack + self.excess
    }

    pub fn has_bristles(&self) -> bool {
        self.law.bristles != Bristles::None
    }

    /// Velocities between which bristles only bend, so that the force is a straight line.
    pub fn straight(&self) -> Option<(f64, f64)> {
        let rate = 2.0 / self.law.dt;
        match self.law.bristles {
            Bristles::ElastoPlastic => {
                let low = if self.bend < -self.elastic { 0.0 } else { -rate * (self.bend + self.elastic) };
                let high = if self.bend > self.elastic { 0.0 } else { rate * (self.elastic - self.bend) };
                Some((low, high))
            }
            Bristles::LuGre => None,
            Bristles::None => Some((0.0, 0.0)),
        }
    }

    /// Where the straight piece, continued, meets w + r f = z.
    pub fn straight_root(&self, z: f64, r: f64) -> f64 {
        let FrictionParameters { stiffness, damping, viscosity, .. } = self.law.parameters;
        (z - r * stiffness * self.bend) / (1.0 + r * (0.5 * self.law.dt * stiffness + damping + viscosity))
    }

    /// f_ss and its derivative at |w|.
    fn stribeck(&self, speed: f64) -> (f64, f64) {
        let u = speed / self.law.parameters.stribeck;
        let fall = self.excess * libm::exp(-u * u);
        (self.slack + fall, -2.0 * u / self.law.parameters.stribeck * fall)
    }

    pub fn at(&self, velocity: f64) -> Point {
        let FrictionParameters { stiffness, damping, viscosity, .. } = self.law.parameters;
        let dt = self.law.dt;
        // seen from the side to which it slides
        let sign = if velocity < 0.0 { -1.0 } else { 1.0 };
        let speed = velocity.abs();
        if self.law.bristles == Bristles::None {
            let (steady, fall) = self.stribeck(speed);
            let force = if speed == 0.0 { 0.0 } else { steady + viscosity * speed };
            return Point { velocity, force: sign * force, slope: fall + viscosity, bend: 0.0, plasticity: 0.0 };
        }
        let reach = sign * self.bend + 0.5 * dt * speed;
        if self.law.bristles == Bristles::ElastoPlastic && reach <= self.elastic {
            let force = stiffness * reach + (damping + viscosity) * speed;
            let slope = 0.5 * dt * stiffness + damping + viscosity;
            return Point { velocity, force: sign * force, slope, bend: sign * reach, plasticity: 0.0 };
        }
        let (steady, fall) = self.stribeck(speed);
        let flow = speed / steady; // |w|/f_ss
        let flow_slope = (1.0 - flow * fall) / steady;
        let half = 0.5 * dt * stiffness;
        let (bend, share, share_slope) = self.bend_at(reach, half * flow, steady / stiffness);
        // α depends on w too, by the bend at which all is plastic
        let width = steady / stiffness - self.elastic;
        let share_drift = -share_slope * (bend - self.elastic) / width * fall / stiffness;
        // X(1 + k/2 σ0 α |w|/f_ss) = reach, by w
        let yielding = 1.0 + half * flow * (share + bend * share_slope);
        let bend_slope = (0.5 * dt - bend * half * (share * flow_slope + share_drift * flow)) / yielding;
        let plasticity = share * flow;
        let plasticity_slope = (share_slope * bend_slope + share_drift) * flow + share * flow_slope;
        let damped = self.law.damping_at(plasticity);
        let damped_slope = match self.law.form {
            super::Damping::Passive => -0.25 * damped * damped * plasticity_slope,
            super::Damping::Printed => 0.0,
        };
        let rate = speed - plasticity * stiffness * bend;
        let rate_slope = 1.0 - stiffness * (plasticity_slope * bend + plasticity * bend_slope);
        let force = stiffness * bend + damped * rate + viscosity * speed;
        let slope = stiffness * bend_slope + damped_slope * rate + damped * rate_slope + viscosity;
        Point { velocity, force: sign * force, slope, bend: sign * bend, plasticity }
    }

    /// X with X(1 + κ α(X)) = `reach`, and α, dα/dX there. α grows with X, so there is one.
    fn bend_at(&self, reach: f64, kappa: f64, full: f64) -> (f64, f64, f64) {
        let saturated = reach / (1.0 + kappa);
        if self.law.bristles == Bristles::LuGre || saturated >= full {
            return (saturated, 1.0, 0.0);
        }
        let width = full - self.elastic;
        let share = |bend: f64| {
            let phase = ((2.0 * (bend - self.elastic) / width) - 1.0).clamp(-1.0, 1.0);
            let (sin, cos) = libm::sincos(FRAC_PI_2 * phase);
            (0.5 * (1.0 + sin), FRAC_PI_2 * cos / width)
        };
        let (mut low, mut high) = (self.elastic, reach.min(full));
        let mut bend = reach;
        let mut last = (0.0, 0.0);
        for _ in 0..CAP {
            bend = if bend >= low && bend <= high { bend } else { 0.5 * (low + high) };
            last = share(bend);
            let miss = bend * (1.0 + kappa * last.0) - reach;
            if miss.abs() <= 2.0 * f64::EPSILON * reach {
                break;
            }
            if miss > 0.0 {
                high = bend;
            } else {
                low = bend;
            }
            let next = bend - miss / (1.0 + kappa * (last.0 + bend * last.1));
            if next == bend {
                break;
            }
            bend = next;
        }
        (bend, last.0, last.1)
    }
}
