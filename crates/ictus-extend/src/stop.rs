//! A one-sided linear spring, φ(η) = K/2 [η]₊²: a rubber stop, by its discrete gradient.
//!
//! Law: f = (φ(a + s) − φ(a))/s over the step s = span·w from the compression a. Never falls with s, so `w + r f(w) = z` has one answer, here in closed form.
//! Balance, exact: the stored φ changes by the work of f. Limits: none.

use ictus_core::{Clock, EndPotential, Gap, Interaction, Resolved, Scheme};

/// A rubber stop. State: `[gap now, before, φ now, φ before]`.
#[derive(Clone, Debug)]
pub struct Stop {
    clock: Clock,
    stiffness: f64, // K, N/m
}

// ANCHOR: solve
impl Stop {
    /// A stop of `stiffness` (N/m).
    pub fn new(clock: Clock, stiffness: f64) -> Self {
        Self { clock, stiffness }
    }

    fn potential(&self, gap: f64) -> f64 {
        let pressed = gap.max(0.0);
        0.5 * self.stiffness * pressed * pressed
    }

    /// Solves s + C f(s) = b from the compression a: the step s, where it ends, the force, and df/ds.
    fn solve(&self, a: f64, b: f64, compliance: f64) -> [f64; 4] {
        let (k, h, free) = (self.stiffness, 0.5 * compliance * self.stiffness, a + b);
        if a <= 0.0 && free <= 0.0 {
            // stays apart
            [b, free, 0.0, 0.0]
        } else if a <= 0.0 {
            // meets the stop on the way, at x: (1 + h) x² − (a + free) x + a free = 0, without cancellation
            let p = a + free;
            let root = (p * p - 4.0 * (1.0 + h) * a * free).sqrt();
            let x = if p > 0.0 { 0.5 * (p + root) / (1.0 + h) } else { -2.0 * a * free / (root - p) };
            let s = x - a;
            [s, x, 0.5 * k * x * x / s, 0.5 * k * x * (s - a) / (s * s)]
        } else if free > h * a {
            // pressed before and after: a straight line
            let s = (b - 2.0 * h * a) / (1.0 + h);
            [s, a + s, k * (a + 0.5 * s), 0.5 * k]
        } else {
            // lets go, and all of φ(a) comes back: s² − b s − h a² = 0
            let root = (b * b + 4.0 * h * a * a).sqrt();
            let s = if b > 0.0 { -2.0 * h * a * a / (b + root) } else { 0.5 * (b - root) };
            let force = -self.potential(a) / s;
            [s, a + s, force, -force / s]
        }
    }
}
// ANCHOR_END: solve

// ANCHOR: interaction
impl Interaction for Stop {
    fn state_len(&self) -> usize {
        4
    }

    fn reset(&self, state: &mut [f64], gap: Gap) {
        gap.store(state);
        state[2..].copy_from_slice(&[gap.now, gap.before].map(|gap| self.potential(gap)));
    }

    fn resynchronise(&self, state: &mut [f64], gap: Gap) {
        gap.store(state);
    }

    fn resolve(&self, state: &[f64], z: f64, r: f64) -> Resolved {
        let span = self.clock.span();
        let a = Gap::load(state).start(self.clock);
        let [step, end, force, slope] = self.solve(a, span * z, span * r);
        Resolved {
            approach: step / span,
            force,
            slope: span * slope,
            end,
            potential: EndPotential::computed(self.potential(end)),
            plasticity: 0.0,
            evaluations: 1,
        }
    }

    fn commit(&self, state: &mut [f64], resolved: &Resolved) -> f64 {
        let mut gap = Gap::load(state);
        gap.advance(resolved.end);
        gap.store(state);
        state[3] = state[2];
        state[2] = resolved.potential.magnitude();
        0.0
    }

    fn energy(&self, state: &[f64]) -> f64 {
        match self.clock.scheme {
            Scheme::Midpoint => state[2],
            Scheme::Leapfrog => 0.5 * (state[2] + state[3]),
        }
    }

    fn is_open(&self, state: &[f64]) -> bool {
        state[0] <= 0.0 && state[1] <= 0.0
    }
}
// ANCHOR_END: interaction
