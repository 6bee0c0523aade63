//! What can go wrong in the command, and its exit codes: 1 a check failed, 2 bad usage or input, 3 a body was quarantined.

use ictus_analysis::plot::PlotError;
use ictus_analysis::wav::WavError;
use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme};
use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;

/// Exit code when a check failed.
pub const CHECK_FAILED: u8 = 1;
/// Exit code when the engine had to stop a body or mute samples.
pub const QUARANTINED: u8 = 3;
/// What shells expect after Ctrl-C.
const INTERRUPTED: u8 = 130;

/// Why a command ended early.
#[derive(Debug)]
pub enum Failure {
    /// A fault in the instrument file, with its place.
    Instrument(Box<ictus_instrument::Error>),
    /// Anything else a person can mend: what happened and what to do.
    Plain { message: String, help: Option<String> },
    /// The reader of our output went away: not our fault and not worth a word.
    Hangup,
    /// Ctrl-C.
    Interrupted,
    /// Ctrl-C of something that can be resumed: how to resume it.
    Paused(String),
}

impl Failure {
    /// A failure with a way out.
    pub fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Plain { message: message.into(), help: Some(help.into()) }
    }

    /// A file that could not be read or written.
    pub fn file(path: &Path, verb: &str, error: &std::io::Error) -> Self {
        Self::Plain { message: format!("cannot {verb} {}: {error}", path.display()), help: None }
    }

    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::Instrument(_) | Self::Plain { .. } => ExitCode::from(2),
            Self::Hangup => ExitCode::SUCCESS,
            Self::Interrupted | Self::Paused(_) => ExitCode::from(INTERRUPTED),
        }
    }

    pub fn print(&self) {
        match self {
            Self::Instrument(error) => eprint!("{}", rendered(&**error)),
            Self::Plain { message, help } => {
                eprintln!("error: {message}");
                if let Some(help) = help {
                    eprintln!("  help: {help}");
                }
            }
            Self::Hangup => {}
            Self::Paused(words) => eprintln!("{words}"),
            Self::Interrupted => eprintln!("interrupted: nothing was written"),
        }
    }
}

impl From<ictus_instrument::Error> for Failure {
    fn from(error: ictus_instrument::Error) -> Self {
        Self::Instrument(Box::new(error))
    }
}

impl From<WavError> for Failure {
    fn from(error: WavError) -> Self {
        Self::Plain { message: format!("cannot write {error}"), help: None }
    }
}

impl From<PlotError> for Failure {
    fn from(error: PlotError) -> Self {
        Self::Plain { message: format!("cannot draw {error}"), help: None }
    }
}

/// A diagnostic with its place in the file, coloured on a terminal only.
pub fn rendered(diagnostic: &dyn Diagnostic) -> String {
    let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let theme = if colour { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let mut text = String::new();
    let handler = GraphicalReportHandler::new_themed(theme).with_width(100).with_links(false);
    match handler.render_report(&mut text, diagnostic) {
        Ok(()) => text,
        Err(_) => format!("error: {diagnostic}\n"),
    }
}
