//! Sounding objects.
//!
//! One program, which is built in a fraction of the time that one for every file takes.

mod description;
mod frequencies;
mod kettledrum;
mod robustness;
mod shapes;
mod support;
