//! The force of one step as a function of the sliding velocity.

use super::elementary::{decayed, quarter_turn};
use super::{Bristles, Friction, FrictionParameters};
use std::f64::consts::FRAC_PI_2;

/// f(w) for a given deflection and normal force.
pub(super) struct Curve<'a> {
    pub law: &'a Friction,
    pub bend: f64,  // x, m
    pub slack: f64, // f_c, N
    excess: f64,    // f_s − f_c, N
    elastic: f64,   // x_ba, m
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
    /// x̄, m, and its derivative by w, s.
    pub bend: f64,
    pub bend_slope: f64,
    /// r, m/s per N, and its derivative by w, 1/N.
    pub plasticity: f64,
    pub plasticity_slope: f64,
}

impl Point {
    /// The point a very small `shift` (m/s) further along the curve, to first order.
    pub fn moved(self, shift: f64) -> Self {
        Self {
            velocity: self.velocity + shift,
            force: self.force + self.slope * shift,
            bend: self.bend + self.bend_slope * shift,
            plasticity: self.plasticity + self.plasticity_slope * shift,
            ..self
        }
    }

    /// A point without bristles, at rest or sliding.
    pub fn bare(velocity: f64, force: f64, slope: f64) -> Self {
        Self { velocity, force, slope, bend: 0.0, bend_slope: 0.0, plasticity: 0.0, plasticity_slope: 0.0 }
    }
}

/// α and its derivatives.
pub(super) struct Creep {
    /// α.
    pub share: f64,
    /// By x̄, 1/m, and by |w| at constant x̄, s/m.
    pub by_bend: f64,
    pub by_speed: f64,
    /// Inverse width of the zone in which α grows, 1/m; 0 beyond it.
    pub steepness: f64,
}

/// Newton step, in units of the scale on which a curve bends, below which the tangent suffices: the error is its square.
pub(super) const LINEAR: f64 = 1e-8;
/// Fraction of the scale on which the curve bends, up to which velocities count as near rest.
pub(super) const NEAR_REST: f64 = 0.25;
/// Iterations of the bracketed Newton method for the deflection; bisection would need as many.
const MAX_ITERATIONS: u32 = 60;

impl<'a> Curve<'a> {
    pub fn new(law: &'a Friction, bend: f64, normal: f64) -> Self {
        let FrictionParameters { sticking, sliding, breakaway, .. } = law.parameters;
        let slack = sliding * normal;
        Self { law, bend, slack, excess: (sticking - sliding) * normal, elastic: breakaway * slack * law.compliance }
    }

    /// v_s, m/s: the scale on which the curve falls.
    pub fn scale(&self) -> f64 {
        self.law.parameters.stribeck
    }

    /// The smallest velocity scale of the curve, m/s: of the Stribeck slope, or of creep against the damping or stiffness of the bristles.
    pub fn velocity_scale(&self) -> f64 {
        let FrictionParameters { damping, stribeck, .. } = self.law.parameters;
        let resistance = (0.25 * damping).max(self.law.half);
        stribeck.min(self.slack / resistance)
    }

    /// The steepest rise of the curve, N s/m: that of purely elastic bristles.
    pub fn steepest(&self) -> f64 {
        let FrictionParameters { damping, viscosity, .. } = self.law.parameters;
        self.law.half + damping + viscosity
    }

    /// Speed, in v_s, beyond which |r f_ss'| ≤ ½: from there on w + r f increases. Since u ≤ 0.61 e^{u²/2}, e^{u²/2} ≥ 2.43 r (f_s − f_c)/v_s suffices.
    pub fn steep_until(&self, r: f64) -> f64 {
        let steepness = 2.43 * r * self.excess * self.law.slowness;
        if steepness <= 1.0 { 0.0 } else { (2.0 * libm::log(steepness)).sqrt() }
    }

    /// f_s, N.
    pub fn top(&self) -> f64 {
        self.slack + self.excess
    }

    pub fn has_bristles(&self) -> bool {
        self.law.bristles != Bristles::None
    }

    /// Velocities between which bristles are elastic, so that the force is a straight line.
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

    /// σ0 x, N: the force at rest.
    pub fn static_force(&self) -> f64 {
        self.law.parameters.stiffness * self.bend
    }

    /// The root of w + r f = z on the continued straight line.
    pub fn straight_root(&self, z: f64, r: f64) -> f64 {
        (z - r * self.static_force()) / (1.0 + r * self.steepest())
    }

    /// The root of w + r f = z on the straight line, if it is there and the last velocity `near` is on the line too or near rest, where all curves rise.
    pub fn straight_answer(&self, z: f64, r: f64, near: f64) -> Option<Point> {
        let (low, high) = self.straight()?;
        let root = self.straight_root(z, r);
        let applies = (low..=high).contains(&near) || near.abs() <= NEAR_REST * self.velocity_scale();
        (applies && (low..=high).contains(&root)).then(|| self.straight_point(root))
    }

    /// A point on the straight line.
    pub fn straight_point(&self, velocity: f64) -> Point {
        let FrictionParameters { stiffness, damping, viscosity, .. } = self.law.parameters;
        let half_step = 0.5 * self.law.dt;
        let bend = self.bend + half_step * velocity;
        Point {
            force: stiffness * bend + (damping + viscosity) * velocity,
            slope: self.steepest(),
            bend,
            bend_slope: half_step,
            ..Point::bare(velocity, 0.0, 0.0)
        }
    }

    /// f_ss and its derivative at |w|.
    #[inline]
    pub fn stribeck(&self, speed: f64) -> (f64, f64) {
        let u = speed * self.law.slowness;
        let fall = self.excess * decayed(u * u);
        (self.slack + fall, -2.0 * u * self.law.slowness * fall)
    }

    /// α at a deflection x̄ in the direction of motion, where f_ss is `steady` with slope `fall`.
    #[inline]
    pub fn creep(&self, bend: f64, steady: f64, fall: f64) -> Creep {
        let full = steady * self.law.compliance;
        if self.law.bristles == Bristles::LuGre || bend >= full {
            return Creep { share: 1.0, by_bend: 0.0, by_speed: 0.0, steepness: 0.0 };
        }
        let steepness = 1.0 / (full - self.elastic);
        let phase = 2.0 * (bend - self.elastic) * steepness - 1.0;
        if phase <= -1.0 {
            return Creep { share: 0.0, by_bend: 0.0, by_speed: 0.0, steepness };
        }
        let (sin, cos) = quarter_turn(phase);
        let by_bend = FRAC_PI_2 * cos * steepness;
        let by_speed = -0.5 * by_bend * (phase + 1.0) * fall * self.law.compliance;
        Creep { share: 0.5 * (1.0 + sin), by_bend, by_speed, steepness }
    }

    pub fn at(&self, velocity: f64) -> Point {
        let FrictionParameters { stiffness, viscosity, .. } = self.law.parameters;
        let dt = self.law.dt;
        // in the direction of sliding
        let sign = if velocity < 0.0 { -1.0 } else { 1.0 };
        let speed = velocity.abs();
        if self.law.bristles == Bristles::None {
            let (steady, fall) = self.stribeck(speed);
            let force = if speed == 0.0 { 0.0 } else { steady + viscosity * speed };
            return Point::bare(velocity, sign * force, fall + viscosity);
        }
        let reach = sign * self.bend + 0.5 * dt * speed;
        if self.law.bristles == Bristles::ElastoPlastic && reach <= self.elastic {
            return self.straight_point(velocity);
        }
        let (steady, fall) = self.stribeck(speed);
        let inverse = 1.0 / steady;
        let flow = speed * inverse; // |w|/f_ss
        let flow_slope = (1.0 - flow * fall) * inverse;
        let half = self.law.half;
        let (bend, Creep { share, by_bend: share_slope, by_speed: share_drift, .. }) =
            self.bend_at(reach, sign * self.bend, half * flow, (steady, fall));
        // X(1 + k/2 σ0 α |w|/f_ss) = reach, by w
        let yielding = 1.0 + half * flow * (share + bend * share_slope);
        let bend_slope = (0.5 * dt - bend * half * (share * flow_slope + share_drift * flow)) / yielding;
        let plasticity = share * flow;
        let plasticity_slope = (share_slope * bend_slope + share_drift) * flow + share * flow_slope;
        let damped = self.law.damping_at(plasticity);
        let damped_slope = self.law.damping_slope(damped) * plasticity_slope;
        let rate = speed - plasticity * stiffness * bend;
        let rate_slope = 1.0 - stiffness * (plasticity_slope * bend + plasticity * bend_slope);
        let force = stiffness * bend + damped * rate + viscosity * speed;
        let slope = stiffness * bend_slope + damped_slope * rate + damped * rate_slope + viscosity;
        Point {
            velocity,
            force: sign * force,
            slope,
            bend: sign * bend,
            bend_slope,
            plasticity,
            plasticity_slope: sign * plasticity_slope,
        }
    }

    /// X with X(1 + κ α(X)) = `reach`, near `guess`, and α there. α grows with X, so X is unique.
    fn bend_at(&self, reach: f64, guess: f64, kappa: f64, (steady, fall): (f64, f64)) -> (f64, Creep) {
        let full = steady * self.law.compliance;
        let saturated = reach / (1.0 + kappa);
        if self.law.bristles == Bristles::LuGre || saturated >= full {
            return (saturated, self.creep(full, steady, fall));
        }
        let width = full - self.elastic;
        let (mut low, mut high) = (self.elastic, reach.min(full));
        let mut bend = if guess >= low && guess <= high { guess } else { high };
        for _ in 0..MAX_ITERATIONS {
            let creep = self.creep(bend, steady, fall);
            let residual = bend * (1.0 + kappa * creep.share) - reach;
            let shift = residual / (1.0 + kappa * (creep.share + bend * creep.by_bend));
            if shift.abs() <= LINEAR * width {
                return (bend - shift, Creep { share: creep.share - creep.by_bend * shift, ..creep });
            }
            if residual > 0.0 {
                high = bend;
            } else {
                low = bend;
            }
            bend -= shift;
            if bend < low || bend > high {
                bend = 0.5 * (low + high);
            }
        }
        (bend, self.creep(bend, steady, fall))
    }
}
