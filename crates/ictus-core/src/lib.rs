//! The physics of ictus: bodies with ports, laws between them, the solver that couples them, and the ledger that
//! audits the result. No input or output, no `unsafe`, `f64` throughout.
//!
//! Life of a simulation:
//!
//! 1. Build [`Resonator`]s and laws for one [`Clock`] (time step and scheme).
//! 2. Connect them in a [`ModelBuilder`]; [`ModelBuilder::build`] finds the islands and rejects degenerate cases.
//! 3. Create a [`State`] of the [`Model`] and set its initial conditions ([`State::throw`], [`State::deflect`]).
//! 4. Call [`step`] once per sample; read displacements, velocities, forces and the [`Ledger`].
//!
//! ```
//! use ictus_core::{Clock, Collision, Contact, End, Scheme, Law, Mass, ModelBuilder, PowerLaw, State, step};
//!
//! let clock = Clock::new(Scheme::Midpoint, 1.0 / 48_000.0);
//! let mut builder = ModelBuilder::new(clock);
//! let ball = builder.body("ball", Mass::new(clock, 0.01, 0.0, 0.0)?);
//! let law = Collision::new(clock, PowerLaw::new(1e7, 1.5), 0.0);
//! builder.contact(Contact::new("floor", [End::port(ball, 0), End::Wall], Law::from(law)).with_gap(0.001));
//! let model = builder.build()?;
//!
//! let mut state = State::new(&model);
//! state.throw(&model, ball, 2.0, None);
//! for _ in 0..200 {
//!     step(&model, &mut state);
//! }
//! assert!(state.velocity(&model, ball, 0) < -1.99, "the ball came back");
//! assert_eq!(state.contact_statistics[0].count, 1, "having touched the floor once");
//! assert!(state.ledger.max_residual_rel() < 1e-13, "and no energy appeared or vanished");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[macro_use]
mod persist;
#[macro_use]
mod clone_in_place;
mod awake;
mod boundary;
mod clock;
mod contact;
mod contact_statistics;
mod error;
mod free_run;
mod impact;
mod interaction;
mod ledger;
mod mobility;
mod model;
mod paths;
mod power_law;
mod resonator;
pub mod retune;
mod root;
mod solver;
mod state;
mod step;
mod texture;

pub use boundary::Balance;
pub use clock::{Clock, Scheme};
pub use clone_in_place::Reserved;
pub use contact::{BodyId, Contact, ContactId, End, Law};
pub use contact_statistics::ContactStatistics;
pub use error::BuildError;
pub use free_run::{BLOCK, FreeRun, LONG_BLOCK};
pub use ictus_kernels::{dot, sum_of_squares};
pub use impact::WallImpact;
pub use interaction::bow::Bow;
pub use interaction::collision::Collision;
pub use interaction::felt::Felt;
pub use interaction::friction::{Bristles, Damping, Friction, FrictionParameters};
pub use interaction::nonlinear_spring::NonlinearSpring;
pub use interaction::quadratised::{Gradient, Quadratised};
pub use interaction::spring::Spring;
pub use interaction::{ClonedLaw, EndPotential, Gap, Interaction, Resolved, Rubbing};
pub use ledger::{Entry, Ledger, Sum};
pub use model::{Model, ModelBuilder, Redundant};
#[cfg(feature = "paths")]
pub use paths::{Special, close_path, path_count};
pub use persist::{Damage, Persist, Source};
pub use power_law::PowerLaw;
pub use resonator::grid::{Ends, Grid, Stepping, StringParameters};
pub use resonator::mass::Mass;
pub use resonator::modal::{Discretisation, ModalBank, Mode};
pub use resonator::path::Path;
pub use resonator::stretched::{Stretch, Stretched, StretchedBank, StretchedString, Stretching};
pub use resonator::string_array::StringArray;
pub use resonator::string_explicit::ExplicitString;
pub use resonator::string_implicit::ImplicitString;
pub use resonator::surface::air::Air;
pub use resonator::surface::drum::Drum;
pub use resonator::surface::{Edge, Outline, Surface, SurfaceGrid, SurfaceParameters, SurfaceShape};
pub use resonator::{
    Audit, Block, Capabilities, ClonedBody, Deflect, Deflection, FastResonator, Kick, Resonator, Shape, StepValues,
    Throw, Tighten, Tuning, VaryingMobility,
};
pub use solver::SolverCounts;
pub use state::State;
pub use step::step;
pub use texture::{FractalFilter, FractalNoise, Profile, Roughness, White};
