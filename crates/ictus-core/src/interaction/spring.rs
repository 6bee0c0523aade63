//! Linear spring and damper between two ends: f = K·(mean gap) + R w.
//!
//! Law: f = K(a + s/2) + R w. Written as w = w* + e f with e = 1/(K span/2 + R), w* = −e K a, the form the solver eliminates.
//! Balance, exact: stored ½K η² (leapfrog: mean over two steps), dissipated k R w². Limits: none, at any stiffness.

use super::{Gap, stored};
use crate::clock::Clock;
use crate::error::{BuildError, require};

/// A linear spring/damper. State: `[gap now, before]`.
#[derive(Clone, Debug)]
pub struct Spring {
    clock: Clock,
    stiffness: f64,  // K, N/m
    resistance: f64, // R, N s/m
    yielding: f64,   // e, m/s per N
}

impl Spring {
    /// A spring of `stiffness` N/m parallel to a damper of `resistance` N s/m.
    pub fn new(clock: Clock, stiffness: f64, resistance: f64) -> Result<Self, BuildError> {
        require(stiffness >= 0.0 && stiffness.is_finite(), "stiffness", stiffness, "a stiffness of at least 0")?;
        require(resistance >= 0.0 && resistance.is_finite(), "damping", resistance, "a damping of at least 0")?;
        require(stiffness + resistance > 0.0, "stiffness", stiffness, "a spring, a damper, or both")?;
        let yielding = 1.0 / (0.5 * stiffness * clock.span() + resistance);
        Ok(Self { clock, stiffness, resistance, yielding })
    }

    /// e, m/s per N.
    pub(crate) fn yielding(&self) -> f64 {
        self.yielding
    }

    /// w*, m/s: the approach velocity at which the law exerts no force.
    pub(crate) fn target(&self, state: &[f64]) -> f64 {
        -self.yielding * self.stiffness * Gap::load(state).start(self.clock)
    }

    /// Advances the gap with approach velocity `w`; returns the energy dissipated, J.
    pub(crate) fn commit(&self, state: &mut [f64], w: f64) -> f64 {
        let mut gap = Gap::load(state);
        gap.advance(gap.start(self.clock) + self.clock.span() * w);
        gap.store(state);
        self.clock.dt * self.resistance * w * w
    }

    pub(crate) fn energy(&self, state: &[f64]) -> f64 {
        let Gap { now, before } = Gap::load(state);
        0.5 * self.stiffness * stored(self.clock, now * now, before * before)
    }
}
