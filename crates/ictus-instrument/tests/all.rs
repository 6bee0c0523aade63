//! The file format.
//!
//! One program, which is built in a fraction of the time that one for every file takes.

mod broken;
mod common;
mod felt;
mod friction;
mod grids;
mod hostile;
mod inputs;
mod load;
mod modulators;
mod objects;
mod schema;
mod settings;
