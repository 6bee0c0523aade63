//! The discrete gradient of the Kirchhoff string with one scalar unknown, as a control of the engine's method. [handbook §6]
//!
//! τ = b(Sⁿ + Sⁿ⁺¹)/2, S = Σλq²;  p̄ = (p − T/2(ω² + τλ)q + T/2 Σ e F)/(1 + Tδ/2 + T²(ω² + τλ)/4), F from E p̄ = 0;  q⁺ = q + T p̄, p⁺ = 2p̄ − p.
//! τ by the secant method. Unconditionally stable, implicit; frequencies are those of the plain midpoint rule.

use super::kernel::dot;
use super::wire::Wire;

/// Change of τ, as a share of it, at which it is found.
const TOLERANCE: f64 = 1e-14;
/// More rounds than this are a miss.
const CAP: usize = 60;

/// A string held at one point.
#[derive(Clone, Debug)]
pub struct DiscreteGradient {
    wire: Wire,
    step: f64, // s
    shape: Vec<f64>,
    q: Vec<f64>,
    p: Vec<f64>,
    mean: Vec<f64>,
    /// Steps in which τ was not found.
    pub misses: usize,
}

impl DiscreteGradient {
    /// At rest, bent in its lowest mode to `displacement` (m) in the middle, held at `place`.
    pub fn new(wire: Wire, place: f64, displacement: f64) -> Self {
        let mut q = vec![0.0; wire.modes];
        q[0] = displacement / (2.0 / wire.length).sqrt();
        let zeros = vec![0.0; wire.modes];
        Self { step: 1.0 / wire.rate, shape: wire.shape(place), q, p: zeros.clone(), mean: zeros, misses: 0, wire }
    }

    /// Displacement at a point.
    pub fn displacement(&self, shape: &[f64]) -> f64 {
        dot(&self.q, shape)
    }

    /// p̄ for a tension; gives the tension that follows from it.
    fn tension(&mut self, tension: f64) -> f64 {
        let Self { wire, step, shape, q, p, mean, .. } = self;
        let (half, quarter) = (0.5 * *step, 0.25 * *step * *step);
        let (mut free, mut mobility) = (0.0, 0.0);
        let mut held = Vec::with_capacity(wire.modes);
        for k in 0..wire.modes {
            let stiffness = wire.frequency(k + 1) * wire.frequency(k + 1) + tension * wire.slope(k + 1);
            let denominator = 1.0 + half * wire.damping + quarter * stiffness;
            mean[k] = (p[k] - half * stiffness * q[k]) / denominator;
            held.push(half * shape[k] / denominator);
            free += shape[k] * mean[k];
            mobility += shape[k] * held[k];
        }
        let force = -free / mobility;
        let mut stretch = 0.0;
        for k in 0..wire.modes {
            mean[k] += held[k] * force;
            let next = q[k] + *step * mean[k];
            stretch += wire.slope(k + 1) * (q[k] * q[k] + next * next);
        }
        0.5 * wire.stretch * stretch
    }

    /// One step.
    pub fn advance(&mut self) {
        let now: f64 = self.q.iter().enumerate().map(|(k, q)| self.wire.slope(k + 1) * q * q).sum();
        let mut before = self.wire.stretch * now;
        let mut error_before = self.tension(before) - before;
        let mut tension = before + error_before;
        let mut found = error_before == 0.0;
        for _ in 0..CAP {
            if found {
                break;
            }
            let error = self.tension(tension) - tension;
            let rise = error - error_before;
            let change = if rise == 0.0 { 0.0 } else { -error * (tension - before) / rise };
            (before, error_before) = (tension, error);
            tension += change;
            found = change.abs() <= TOLERANCE * tension.abs();
        }
        self.misses += usize::from(!found);
        self.tension(tension);
        for ((q, p), mean) in self.q.iter_mut().zip(&mut self.p).zip(&self.mean) {
            *q += self.step * mean;
            *p = 2.0 * mean - *p;
        }
    }

    /// Energy per mass.
    pub fn energy(&self) -> f64 {
        let wire = &self.wire;
        let stretch: f64 = self.q.iter().enumerate().map(|(k, q)| wire.slope(k + 1) * q * q).sum();
        let modes = self.q.iter().zip(&self.p).enumerate();
        let small: f64 = modes.map(|(k, (q, p))| p * p + wire.frequency(k + 1) * wire.frequency(k + 1) * q * q).sum();
        0.5 * small + 0.25 * wire.stretch * stretch * stretch
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lossless_held_string_keeps_its_energy() {
        let mut string = DiscreteGradient::new(Wire { damping: 0.0, ..Wire::steel(15) }, 0.72, 0.04);
        let start = string.energy();
        let mut worst = 0.0f64;
        for _ in 0..3000 {
            string.advance();
            worst = worst.max((string.energy() / start - 1.0).abs());
        }
        assert_eq!(string.misses, 0);
        assert!(worst < 7e-13, "{worst}");
    }
}
