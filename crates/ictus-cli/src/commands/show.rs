//! `ictus show`: the text of a preset.

use crate::cli::Show;
use crate::commands::list::knobs;
use crate::failure::Failure;
use crate::source;
use std::io::Write;
use std::process::ExitCode;

/// Prints the file, byte for byte, and on standard error the knobs it has.
pub fn run(options: &Show) -> Result<ExitCode, Failure> {
    let found = source::preset(&options.preset)?;
    let loaded = ictus_instrument::load(&found.name, &found.text, &[])?;
    std::io::stdout().write_all(found.text.as_bytes()).map_err(|_| Failure::Hangup)?;
    if !options.quiet {
        found.note_choice();
        eprintln!("  knobs: {}", knobs(&loaded));
    }
    Ok(ExitCode::SUCCESS)
}
