//! Sweeps into folders.

mod common;
mod labels;
mod refused;
mod resume;
