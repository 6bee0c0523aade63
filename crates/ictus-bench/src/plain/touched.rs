//! A plain bank of modes with a mass pressed on it, or under a bow: the textbook's equations with Newton's method from the last solution, and the platform's own functions.

use crate::scene::RATE;
use ictus_core::FrictionParameters;
use std::f64::consts::{FRAC_PI_2, PI};
use std::hint::black_box;

/// Newton's iterations end at steps so small, relative to the scale of the unknown.
const TOLERANCE: f64 = 1e-12;
/// Most iterations.
const MOST: u32 = 30;

/// A bank of modes touched at one port.
#[derive(Clone, Debug)]
struct Modes {
    q: Vec<f64>,
    v: Vec<f64>,
    damped: Vec<f64>,
    pull: Vec<f64>,
    mobility: Vec<f64>,
    shape: Vec<f64>,
    /// Mean velocity of the port by a force on it, m/s per N.
    port_mobility: f64,
}

impl Modes {
    /// Modes of one `mass` (kg) and `decay` (s per 60 dB).
    fn new(mass: f64, decay: f64, modes: impl Iterator<Item = (f64, f64)>) -> Self {
        let mut bank = Self {
            q: Vec::new(),
            v: Vec::new(),
            damped: Vec::new(),
            pull: Vec::new(),
            mobility: Vec::new(),
            shape: Vec::new(),
            port_mobility: 0.0,
        };
        for (frequency, shape) in modes {
            let turn = libm::tan(PI * frequency / RATE);
            let share = 1.0 / (1.0 + libm::log(1000.0) / (decay * RATE) + turn * turn);
            bank.q.push(black_box(0.0));
            bank.v.push(black_box(0.0));
            bank.damped.push(share);
            bank.pull.push(2.0 * RATE * turn * turn * share);
            bank.mobility.push(share / (2.0 * mass * RATE));
            bank.shape.push(shape);
            bank.port_mobility += shape * shape * share / (2.0 * mass * RATE);
        }
        bank
    }

    /// Mean velocity of the port in the next step without a force.
    fn free_velocity(&self) -> f64 {
        let Self { q, v, damped, pull, shape, .. } = self;
        let mut port = 0.0;
        for i in 0..q.len() {
            port += shape[i] * (damped[i] * v[i] - pull[i] * q[i]);
        }
        port
    }

    /// A step under a force on the port.
    fn advance(&mut self, force: f64) {
        let Self { q, v, damped, pull, mobility, shape, .. } = self;
        for i in 0..q.len() {
            let mean = damped[i] * v[i] - pull[i] * q[i] + mobility[i] * shape[i] * force;
            v[i] = 2.0 * mean - v[i];
            q[i] += mean / RATE;
        }
    }
}

/// A mass on a bank, as [`Touching`](crate::scene::Touching).
#[derive(Clone, Debug)]
pub struct PlainContact {
    bank: Modes,
    velocity: f64,
    mobility: f64,  // of the mass, m/s per N
    stiffness: f64, // N/m^exponent
    exponent: f64,
    overlap: f64, // of mass and bank, m
    last: f64,    // growth of the overlap in the last step, m
}

impl PlainContact {
    /// Pressed as deep as `force` (N) presses it.
    pub fn pressed(modes: usize, stiffness: f64, exponent: f64, force: f64) -> Self {
        let mut contact = Self::apart(modes, stiffness, exponent);
        contact.bank.q.fill(black_box(0.0));
        (contact.velocity, contact.overlap) = (0.0, libm::pow(force / stiffness, 1.0 / exponent));
        contact
    }

    /// The mass flies away from a bank that rings.
    pub fn apart(modes: usize, stiffness: f64, exponent: f64) -> Self {
        let distance = 19.0f64.min(19_000.0 / modes as f64);
        let modes = (0..modes).map(|i| (50.0 + distance * i as f64, if i % 2 == 0 { 1.0 } else { -0.7 }));
        let mut bank = Modes::new(0.1, 5.0, modes);
        bank.q.fill(black_box(1e-5));
        let mobility = 1.0 / (2.0 * 0.01 * RATE);
        Self { bank, velocity: -1.0, mobility, stiffness, exponent, overlap: -0.01, last: 0.0 }
    }

    /// Force and stored energy at an overlap.
    #[expect(clippy::disallowed_methods, reason = "a rival uses what its platform has")]
    fn law(&self, x: f64) -> (f64, f64) {
        if x <= 0.0 {
            return (0.0, 0.0);
        }
        let force = self.stiffness * x.powf(self.exponent);
        (force, force * x / (self.exponent + 1.0))
    }

    /// A step while a force (N) pushes the mass; returns the contact force.
    pub fn step(&mut self, push: f64) -> f64 {
        let approach = self.velocity + self.mobility * push - self.bank.free_velocity();
        let (target, compliance) = (approach / RATE, (self.mobility + self.bank.port_mobility) / RATE);
        let force = self.solve(target, compliance);
        self.bank.advance(force);
        self.velocity += 2.0 * self.mobility * (push - force);
        self.overlap += target - compliance * force;
        force
    }

    /// Newton's method for s + compliance f(s) = target, where f is the mean force while the overlap grows by s.
    fn solve(&mut self, target: f64, compliance: f64) -> f64 {
        if self.overlap <= 0.0 && self.overlap + target <= 0.0 {
            self.last = target;
            return 0.0;
        }
        let start = self.law(self.overlap);
        let mut s = self.last;
        let mut mean = 0.0;
        for _ in 0..MOST {
            let end = self.law(self.overlap + s);
            // where the difference of energies would be rounding: the trapezium
            let small = s.abs() < 1e-5 * self.overlap.abs();
            let slope;
            (mean, slope) = if small {
                (0.5 * (start.0 + end.0), 0.5 * self.exponent * end.0 / (self.overlap + s))
            } else {
                let mean = (end.1 - start.1) / s;
                (mean, (end.0 - mean) / s)
            };
            let change = (s + compliance * mean - target) / (1.0 + compliance * slope);
            s -= change;
            if change.abs() <= TOLERANCE.max(1e-9 * s.abs() / self.overlap.abs()) * self.overlap.abs() {
                break;
            }
        }
        self.last = s;
        mean
    }
}

/// A bowed string of modes, as [`Bowed`](crate::scene::Bowed): elasto-plastic bristles.
#[derive(Clone, Debug)]
pub struct PlainBow {
    bank: Modes,
    bend: f64, // of the bristles, m
    mean: f64, // of the last step, m
}

impl PlainBow {
    /// On a string with so many modes.
    pub fn new(modes: usize) -> Self {
        let lowest = 196.0f64.min(0.49 * RATE / (modes + 1) as f64);
        let shapes = (1..=modes).map(|n| (lowest * n as f64, libm::sin(0.1 * PI * n as f64)));
        Self { bank: Modes::new(4.4e-4, 1.38, shapes), bend: 0.0, mean: 0.0 }
    }

    /// A step under a bow of `normal` force (N) and `velocity` (m/s); returns the friction on the string.
    #[expect(clippy::disallowed_methods, reason = "a rival uses what its platform has")]
    pub fn step(&mut self, normal: f64, velocity: f64) -> f64 {
        let law = FrictionParameters::ROSIN;
        let (kinetic, excess) = (law.sliding * normal, (law.sticking - law.sliding) * normal);
        let elastic = law.breakaway * kinetic / law.stiffness;
        let target = velocity - self.bank.free_velocity();
        // mean bend x: the force rises with it, the sliding velocity w falls
        let rising = law.stiffness + 2.0 * RATE * law.damping;
        let force_at = |x: f64| law.stiffness * x + 2.0 * RATE * law.damping * (x - self.bend);
        let falling = -self.bank.port_mobility * rising;
        let mut x = self.mean;
        for _ in 0..MOST {
            let w = target - self.bank.port_mobility * force_at(x);
            let (ratio, speed) = (w / law.stribeck, w.abs());
            let bump = excess * (-ratio * ratio).exp();
            let stribeck = kinetic + bump;
            let full = stribeck / law.stiffness;
            let (share, share_slope) = if w * x <= 0.0 || x.abs() <= elastic {
                (0.0, 0.0)
            } else if x.abs() >= full {
                (1.0, 0.0)
            } else {
                let phase = FRAC_PI_2 * (2.0 * x.abs() - full - elastic) / (full - elastic);
                let (sine, cosine) = (phase.sin(), phase.cos());
                (0.5 + 0.5 * sine, 0.5 * cosine * 2.0 * FRAC_PI_2 / (full - elastic) * x.signum())
            };
            let creep = speed * law.stiffness / stribeck;
            let creep_slope = law.stiffness
                * (w.signum() / stribeck + speed * 2.0 * ratio / law.stribeck * bump / (stribeck * stribeck));
            let residual = 2.0 * RATE * (x - self.bend) - w + share * creep * x;
            let slope =
                2.0 * RATE - falling + share * creep + share_slope * creep * x + share * creep_slope * falling * x;
            let change = residual / slope;
            x -= change;
            if change.abs() <= 1e-9 * elastic {
                break;
            }
        }
        let force = force_at(x);
        self.mean = x;
        self.bend = 2.0 * x - self.bend;
        self.bank.advance(force);
        force
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pressed_mass_stays_on_its_bank_and_carries_the_force() {
        for modes in [1, 30, 100, 300] {
            let mut contact = PlainContact::pressed(modes, 1e7, 2.3, 20.0);
            let (mut sum, mut most) = (0.0, 0.0f64);
            for _ in 0..48_000 {
                let force = contact.step(20.0);
                sum += force;
                most = most.max(force);
            }
            assert!(contact.overlap > 0.0 && most < 200.0, "{modes} modes: {contact:?}");
            assert!((sum / 48_000.0 - 20.0).abs() < 2.0, "{modes} modes: {}", sum / 48_000.0);
        }
    }

    #[test]
    fn a_mass_that_flies_away_has_no_contact() {
        let mut contact = PlainContact::apart(30, 1e7, 2.3);
        let forces: f64 = (0..48_000).map(|_| contact.step(0.0)).sum();
        assert!(forces == 0.0 && contact.bank.q.iter().any(|q| *q != 0.0) && contact.overlap < -0.9);
    }

    #[test]
    fn a_bowed_string_sticks_and_slips() {
        let mut bow = PlainBow::new(30);
        let mut forces: Vec<f64> = (0..96_000).map(|_| bow.step(3.6, 0.3)).collect();
        forces.drain(..48_000);
        let least = forces.iter().copied().fold(f64::INFINITY, f64::min);
        let most = forces.iter().copied().fold(0.0, f64::max);
        // between the kinetic and the static coefficient, and bristles that swing about them
        assert!(most > 0.72 && most < 3.0 && least < 0.9 * most, "{least} N to {most} N");
    }
}
