//! The command, from outside.

mod bench;
mod broken;
mod commands;
mod common;
mod extract;
mod objects;
mod sweep;
