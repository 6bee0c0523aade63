//! The instrument file: TOML text to a validated [`Spec`].

pub mod control;
mod number;
mod raw;
pub mod spec;

pub use control::{Control, Curve, Map};
pub use raw::{Category, CurveKind, Discretisation, Method, Quantity, Scheme, Shape, StringEnds};
pub use spec::*;
mod document;
mod error;
mod quantity;
pub use error::Error;
pub use quantity::Dimension;
