//! The Hunt–Crossley law f = k x^α (1 + μv) and what it does to a hammer on a wall, in closed form. [SO8 eq. 8.11–8.13, 8.27]

use std::f64::consts::PI;

/// A hammer with its law, against a wall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HuntCrossley {
    /// m, kg.
    pub mass: f64,
    /// k, N/m^α.
    pub stiffness: f64,
    /// α.
    pub exponent: f64,
    /// μ, s/m.
    pub loss: f64,
}

impl HuntCrossley {
    /// The force as printed, N.
    pub fn force(&self, x: f64, v: f64) -> f64 {
        if x > 0.0 { self.stiffness * libm::pow(x, self.exponent) * (1.0 + self.loss * v) } else { 0.0 }
    }

    /// v_out for v_in, m/s: 1 + μ v_out is the root q < 1 of q e^{−q} = p e^{−p}, p = 1 + μ v_in (Lambert's function).
    pub fn rebound(&self, v_in: f64) -> f64 {
        if self.loss == 0.0 {
            return -v_in;
        }
        let p = 1.0 + self.loss * v_in;
        let target = libm::log(p) - p;
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..200 {
            let q = 0.5 * (low + high);
            if libm::log(q) - q < target { low = q } else { high = q }
        }
        (low - 1.0) / self.loss
    }

    /// Compression, m, when the speed differs by `away` from a speed `end` at which there is none. [eq. 8.13]
    pub fn compression(&self, away: f64, end: f64) -> f64 {
        let (mu, degree) = (self.loss, self.exponent + 1.0);
        let energy = if mu == 0.0 {
            -0.5 * away * (2.0 * end + away)
        } else {
            (libm::log1p(mu * away / (1.0 + mu * end)) - mu * away) / (mu * mu)
        };
        libm::pow(degree * self.mass / self.stiffness * energy.max(0.0), 1.0 / degree)
    }

    /// The speed at compression `x` on the way of a hammer that came with `v_in`, on the same side of zero as `like`; at most as deep as it goes.
    pub fn speed(&self, x: f64, v_in: f64, like: f64) -> f64 {
        let (mut far, mut near) = (if like > 0.0 { v_in } else { self.rebound(v_in) }, 0.0);
        for _ in 0..100 {
            let v = 0.5 * (far + near);
            if self.compression(v - v_in, v_in) < x { far = v } else { near = v }
        }
        near
    }

    /// t0, s: ∫ m dv / f from v_out to v_in, by the tanh–sinh rule, which the singular ends do not trouble. [eq. 8.27]
    pub fn contact_time(&self, v_in: f64) -> f64 {
        let ends = [self.rebound(v_in), v_in];
        let half = 0.5 * (ends[1] - ends[0]);
        let h = 1.0 / 256.0;
        let sum: f64 = (-1000..=1000)
            .map(|i| {
                let t = h * f64::from(i);
                let u = 0.5 * PI * libm::sinh(t);
                let weight = half * 0.5 * PI * libm::cosh(t) / (libm::cosh(u) * libm::cosh(u));
                // the compression vanishes at both ends; measured from the nearer one it keeps its digits
                let (end, side) = if u < 0.0 { (ends[0], 1.0) } else { (ends[1], -1.0) };
                let away = side * half * libm::exp(-u.abs()) / libm::cosh(u);
                let force = self.force(self.compression(away, end), end + away);
                if weight > 0.0 && force > 0.0 { weight * self.mass / force } else { 0.0 }
            })
            .sum();
        h * sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closed_forms_meet_the_handbook() {
        let law = HuntCrossley { mass: 1e-2, stiffness: 1.5e11, exponent: 2.8, loss: 0.6 };
        for [v_in, v_out, t0, x_max] in [
            [1.0, -0.711950180, 1.172401601e-3, 0.370483e-3],
            [2.0, -1.093708101, 0.919713781e-3, 0.501736e-3],
            [4.0, -1.451489274, 0.775855263e-3, 0.661447e-3],
        ] {
            assert!((law.rebound(v_in) / v_out - 1.0).abs() < 1e-9);
            assert!((law.contact_time(v_in) / t0 - 1.0).abs() < 1e-8);
            assert!((law.compression(-v_in, v_in) / x_max - 1.0).abs() < 2e-6);
        }
    }
}
