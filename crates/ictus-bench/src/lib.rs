//! How fast ictus is, as ratios measured in one run: against plain loops, against the machine's own limits, against loops in C++ and Faust.
//!
//! 1. [`cases`] lists what can be measured.
//! 2. [`measure()`] measures them and gives [`Line`]s.
//! 3. [`table`] sets them for people.
//!
//! Nanoseconds differ from machine to machine and from minute to minute; ratios of what ran alternately on a core of its own do not.

mod cases;
mod disturbance;
mod faust;
mod growth;
mod line;
pub mod measure;
mod native;
pub mod plain;
mod probe;
mod programs;
pub mod scene;
mod scratch;
mod table;

pub use cases::{Case, beginnings, cases, load_summary, measure};
pub use disturbance::disturbed_share;
pub use growth::{Growth, REAL_TIME, growths};
pub use line::Line;
pub use measure::Meter;
pub use probe::vectors;
pub use table::table;
