//! Laws that every element must obey, scenes to try them in, and the measurements both need.
//!
//! A development dependency of the other crates; nothing here runs in a product.

pub mod bodies;
pub mod draw;
pub mod eigen;
pub mod interaction;
pub mod kick;
pub mod resonator;
pub mod scene;
pub mod signal;

pub use draw::{Draw, draws};
pub use scene::{ContactMethod, Report, Scene};
