//! One file per verb.

pub mod audit;
pub mod check;
pub mod extract;
pub mod film;
pub mod list;
pub mod render;
pub mod repro;
pub mod schema;
pub mod show;
