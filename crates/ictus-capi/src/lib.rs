//! The player for C: [`IctusPatch`], [`IctusPlayer`] and [`IctusEvent`] over those of `ictus-engine`.
//!
//! `include/ictus.h` is made from this crate by cbindgen; a test compares it (`ICTUS_BLESS=1` writes it). `examples/play.c` is a whole program.
//!
//! **Handles** are null or come from this library and are not freed yet; C guarantees it, so they arrive as `Option<&T>`, `Option<&mut T>` and `Option<Box<T>>`, which have the layout of a
//! pointer. A null handle does nothing and returns null, 0, false or silence.
//!
//! **Buffers** of samples are copied, never borrowed: they may overlap each other and the inputs, and need not be initialised.
//!
//! **Panics** do not cross the boundary. What loads and allocates catches them; playing has none.

mod error;
mod event;
mod meter;
mod patch;
mod plan;
mod player;
mod scene;
mod snapshot;
mod take;
mod text;

pub use error::{IctusError, ictus_error_free, ictus_error_message};
pub use event::{IctusEvent, IctusEventCounts, IctusEventKind};
pub use meter::*;
pub use patch::*;
pub use plan::*;
pub use player::*;
pub use scene::*;
pub use snapshot::*;
pub use take::*;
