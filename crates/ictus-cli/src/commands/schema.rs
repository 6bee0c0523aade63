//! `ictus schema`: the JSON schema of the instrument file.

use crate::failure::Failure;
use std::io::Write;
use std::process::ExitCode;

pub fn run() -> Result<ExitCode, Failure> {
    let text = serde_json::to_string_pretty(&ictus_instrument::schema()).unwrap_or_default();
    writeln!(std::io::stdout(), "{text}").map_err(|_| Failure::Hangup)?;
    Ok(ExitCode::SUCCESS)
}
