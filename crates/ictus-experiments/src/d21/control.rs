//! The paper's own solver for the mass: plain Newton from the last answer, stopped when a step is below 1e-14 m.
//!
//! IT-1: s − kp/M + (k²/2M)(V(u+s) − V(u))/s = 0, V = Ku²/2 + φ;  u⁺ = u + s, p⁺ = 2Ms/k − p. [D21 eq. 17]
//! IT-2: s − b + (k²/M)(φ(a+s) − φ(a))/s = 0, a = uⁿ⁻¹, b = 2(uⁿ − uⁿ⁻¹) − k²K uⁿ/M;  uⁿ⁺¹ = uⁿ⁻¹ + s. [D21 eq. 20; the
//! print of b lacks k²/M]

use super::Bouncer;

/// [D21 Fig. 1]
const TOLERANCE: f64 = 1e-14;
/// More steps than this are a failure.
const CAP: u32 = 200;
/// Below this step (m) the quotient takes its limit.
const SMALL: f64 = 1e-12;

/// Potential, force and stiffness at rest: what a solve needs to know about V.
struct Potential<'a> {
    bouncer: &'a Bouncer,
    spring: f64,
}

impl Potential<'_> {
    fn value(&self, u: f64) -> f64 {
        let degree = self.bouncer.exponent + 1.0;
        0.5 * self.spring * u * u + self.bouncer.stiffness / degree * libm::pow(u.max(0.0), degree)
    }

    fn slope(&self, u: f64) -> f64 {
        self.spring * u + self.bouncer.stiffness * libm::pow(u.max(0.0), self.bouncer.exponent)
    }

    /// s and the number of Newton steps.
    fn solve(&self, (a, b, c): (f64, f64, f64), guess: f64) -> (f64, u32) {
        let mut s = if guess == 0.0 { SMALL } else { guess };
        let mut iterations = 0;
        loop {
            iterations += 1;
            let (value, slope) = if s.abs() < SMALL {
                (s - b + c * self.slope(a), 1.0 + 0.5 * c * self.spring)
            } else {
                let quotient = (self.value(a + s) - self.value(a)) / s;
                (s - b + c * quotient, 1.0 + c * (self.slope(a + s) - quotient) / s)
            };
            let change = value / slope;
            s -= change;
            if change.abs() < TOLERANCE || iterations == CAP {
                return (s, iterations);
            }
        }
    }
}

/// Newton steps of IT-1 in each of `steps` time steps of `k` seconds.
pub(super) fn iterations_it1(bouncer: &Bouncer, k: f64, steps: usize) -> Vec<u32> {
    let potential = Potential { bouncer, spring: bouncer.spring };
    let (mut u, mut p) = (bouncer.position, bouncer.mass * bouncer.velocity);
    let mut s = k * bouncer.velocity;
    let mut counts = Vec::with_capacity(steps);
    for _ in 0..steps {
        let (found, iterations) = potential.solve((u, k * p / bouncer.mass, 0.5 * k * k / bouncer.mass), s);
        s = found;
        u += s;
        p = 2.0 * bouncer.mass * s / k - p;
        counts.push(iterations);
    }
    counts
}

/// Newton steps of IT-2.
pub(super) fn iterations_it2(bouncer: &Bouncer, k: f64, steps: usize) -> Vec<u32> {
    let potential = Potential { bouncer, spring: 0.0 };
    let pull = k * k * bouncer.spring / bouncer.mass;
    let mut before = bouncer.position;
    let mut now = before + k * bouncer.velocity - 0.5 * pull * before;
    let mut s = 2.0 * k * bouncer.velocity;
    let mut counts = Vec::with_capacity(steps);
    for _ in 0..steps {
        let b = 2.0 * (now - before) - pull * now;
        let (found, iterations) = potential.solve((before, b, k * k / bouncer.mass), s);
        s = found;
        (before, now) = (now, before + s);
        counts.push(iterations);
    }
    counts
}
