//! How fast ictus is, as ratios measured in one run: against plain loops, against the machine's own limits, against Faust.
//!
//! 1. [`cases`] lists what can be measured.
//! 2. [`measure()`] measures them and gives [`Line`]s.
//! 3. [`table`] sets them for people.
//!
//! Nanoseconds differ from machine to machine and from minute to minute; ratios of what ran alternately on a core of its own do not.

mod cases;
mod disturbance;
mod faust;
mod line;
pub mod measure;
pub mod plain;
mod probe;
pub mod scene;
mod scratch;
mod table;

pub use cases::{Case, beginnings, cases, measure};
pub use disturbance::disturbed_share;
pub use line::Line;
pub use measure::Meter;
pub use probe::vectors;
pub use table::table;
