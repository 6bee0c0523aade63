//! The command, from outside.

mod bench;
mod broken;
mod commands;
mod common;
mod documents;
mod extract;
mod extract_files;
mod finish;
mod first_minutes;
mod functions;
mod objects;
mod sweep;
mod vocabulary;
