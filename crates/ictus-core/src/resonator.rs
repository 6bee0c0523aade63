//! Bodies: what stores energy and can be touched.
//!
//! Over one step a body's mean port velocities are affine in its port forces,
//! `v̄_p = v̄°_p + Σ_q Y_pq f_q`, and it receives exactly `k Σ f_p v̄_p` of energy. [handbook §1]
//!
//! Y is constant unless the body [varies it](VaryingMobility): it stiffens as it is bent, or one of its ports moves along it.
//!
//! A resonator is constant; its state is a slice of the model's flat [`State`](crate::State), so that a snapshot is a copy.
//!
//! Three layers, of which only the first is needed for a new body:
//!
//! - [`Resonator`]: the physics of one step.
//! - [`Capabilities`]: gestures and views that only some bodies offer, asked for by name.
//! - [`FastResonator`]: the same steps in less time. Every default falls back to [`Resonator`], so `impl FastResonator for Mine {}` is a whole implementation
//!   for a body that is `Clone`.

use std::fmt::Debug;

pub(crate) mod banded;
mod block;
mod capabilities;
mod fast;
pub(crate) mod grid;
pub(crate) mod mass;
pub(crate) mod modal;
pub(crate) mod path;
pub(crate) mod stretched;
pub(crate) mod string_array;
pub(crate) mod string_explicit;
pub(crate) mod string_implicit;
pub(crate) mod surface;
mod tuning;

pub use block::{Block, StepValues};
pub use capabilities::{Capabilities, Deflect, Deflection, Kick, Shape, Throw, Tighten, VaryingMobility};
pub use fast::{Audit, ClonedBody, FastResonator};
pub use tuning::Tuning;

/// A body with ports: the physics of one step. Lengths in m, forces in N, energies in J, velocities in m/s.
pub trait Resonator: Debug + Send + Sync {
    /// Number of ports.
    fn port_count(&self) -> usize;

    /// Length of the state slice, scratch included.
    fn state_len(&self) -> usize;

    /// Writes the initial state: at rest, unless the body says otherwise.
    fn reset(&self, state: &mut [f64]) {
        state.fill(0.0);
    }

    /// Writes the force-free mean velocities v̄° of the step at `ports` and leaves what [`advance`](Self::advance) needs in scratch.
    fn free_velocities(&self, state: &mut [f64], ports: &[usize], out: &mut [f64]);

    /// Y_pq, m/s per N: mean velocity at `p` per force at `q` over one step, symmetric.
    fn mobility(&self, p: usize, q: usize) -> f64;

    /// Advances one step under `forces` at `ports`; returns the energy dissipated, or 0 when not `audited`.
    fn advance(&self, state: &mut [f64], ports: &[usize], forces: &[f64], audited: bool) -> f64;

    /// Stored energy.
    fn energy(&self, state: &[f64]) -> f64;

    /// Displacement of a port now.
    fn displacement(&self, state: &[f64], port: usize) -> f64;

    /// Velocity of a port: at n in the midpoint scheme, at n − ½ in leapfrog.
    fn velocity(&self, state: &[f64], port: usize) -> f64;

    /// The body as one whose mobility changes while it moves, if it is one.
    fn varying(&self) -> Option<&dyn VaryingMobility> {
        None
    }

    /// Gestures and views that this body offers beyond forces at its ports.
    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities::default()
    }
}
