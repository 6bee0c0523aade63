//! What can go wrong with a sweep.

use std::fmt;
use std::io;
use std::path::Path;

/// Why a sweep could not be begun or went no further.
#[derive(Debug)]
pub enum Error {
    /// A fault of the instrument itself, with its place.
    Instrument(Box<ictus_instrument::Error>),
    /// Anything else: what happened and the way out.
    Plain {
        /// What happened.
        message: String,
        /// What to do about it.
        help: String,
    },
    /// Stopped from outside; the same sweep goes on from here.
    Interrupted {
        /// Rows in the table.
        done: u64,
    },
}

impl Error {
    pub(crate) fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Plain { message: message.into(), help: help.into() }
    }

    /// A file or folder that could not be used.
    pub(crate) fn file(path: &Path, verb: &str, error: &io::Error) -> Self {
        Self::new(format!("cannot {verb} {}: {error}", path.display()), GOES_ON)
    }
}

/// What disk trouble leaves behind is whole.
pub(crate) const GOES_ON: &str = "run the same command again to resume";

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Instrument(error) => write!(f, "{error}"),
            Self::Plain { message, .. } => f.write_str(message),
            Self::Interrupted { done } => write!(f, "interrupted after {done} samples"),
        }
    }
}

impl std::error::Error for Error {}

impl From<ictus_instrument::Error> for Error {
    fn from(error: ictus_instrument::Error) -> Self {
        Self::Instrument(Box::new(error))
    }
}
