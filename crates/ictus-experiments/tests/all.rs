//! The figures of papers.
//!
//! One program, which is built in a fraction of the time that one for every file takes.

mod figures;
mod files;
mod rb14;
mod registry;
