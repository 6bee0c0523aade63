//! One file per verb.

pub mod audit;
pub mod bench;
mod catalogue;
pub mod check;
pub mod extract;
pub mod film;
pub mod list;
pub mod map;
mod modes;
mod parameters;
pub mod render;
pub mod repro;
pub mod schema;
pub mod show;
pub mod sweep;
