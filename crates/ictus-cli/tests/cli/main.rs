//! The command, from outside.

mod broken;
mod commands;
mod common;
mod extract;
mod objects;
mod sweep;
