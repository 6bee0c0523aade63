//! `ictus show`: the text of a preset.

use crate::cli::Show;
use crate::failure::Failure;
use crate::source;
use std::io::Write;
use std::process::ExitCode;

pub fn run(options: &Show) -> Result<ExitCode, Failure> {
    let preset = source::preset(&options.preset)?;
    std::io::stdout().write_all(preset.text.as_bytes()).map_err(|_| Failure::Hangup)?;
    Ok(ExitCode::SUCCESS)
}
