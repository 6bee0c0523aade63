//! Sounding objects from dimensions and a material: natural frequencies, decays, modal masses and signed mode shapes.
//!
//! 1. Choose a [`Material`]: [`find`] one by name, or write your own.
//! 2. Choose a [`Shape`] and compute its modes with [`modes`]; a [`Description`] also tunes them.
//! 3. Read [`Object::modes`], and [`Object::shapes`] at every point where something touches or listens, or both as [`PortModes`].
//! 4. Go from one bank to another with [`morph`].
//!
//! A mode obeys m(q̈ + 2σq̇ + ω²q) = Σ φ(point) f, and the object moves by Σ φ(point) q, with max |φ| = 1 over the object.
//!
//! ```
//! use ictus_objects::{Shape, find, modes};
//!
//! let drum = Shape::CircularMembrane { radius_m: 0.3, thickness_m: 0.25e-3, tension_n_m: 3000.0 };
//! let object = modes(&drum, find("mylar").unwrap(), 2000.0, 20)?;
//! assert_eq!(object.modes.len(), 20);
//! assert_eq!(object.shape(1, [0.0, 0.0]), 0.0); // the centre does not move in an antisymmetric mode
//! # Ok::<(), ictus_objects::ObjectError>(())
//! ```

mod bank;
mod catalogue;
mod description;
mod error;
mod material;
mod maths;
mod object;
mod radiation;
mod shape;
mod stretch;
mod support;

pub use bank::{PortModes, morph};
pub use catalogue::{Entry, Key, shapes};
pub use description::{Description, MAX_RATIOS};
pub use error::ObjectError;
pub use material::{DampingLaw, Material, find, materials};
pub use object::{Object, ObjectMode, Point};
pub use radiation::Microphone;
pub use shape::{BarEnds, CircularEdge, MAX_MODES, RectangularEdges, Shape, TubeEnds, modes};
pub use stretch::Stretching;
pub use support::{CORDS_DECAY_S, CORDS_HZ, Support};
