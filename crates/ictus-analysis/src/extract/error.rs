//! Why no modes came out of a recording.

use std::fmt;

/// Why no modes could be found, with what to do about it.
#[derive(Clone, Debug, PartialEq)]
pub enum ExtractError {
    /// No recording was given.
    Nothing,
    /// A recording is empty or all zeros.
    Silent {
        /// Which recording, from 0.
        hit: usize,
    },
    /// Too little sound after the onset.
    TooShort {
        /// Seconds there are.
        seconds: f64,
        /// Seconds needed.
        needed: f64,
    },
    /// Recordings differ in sample rate or channels.
    Different {
        /// The first that differs from recording 0.
        hit: usize,
    },
    /// No decaying sinusoids stand out.
    NoModes {
        /// Share of the energy that modes explain.
        explained: f64,
    },
    /// A limit makes no sense.
    Options {
        /// Lowest frequency asked for, Hz.
        min_hz: f64,
        /// Highest frequency asked for or possible, Hz.
        max_hz: f64,
    },
}

impl ExtractError {
    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Nothing => "give the WAV file of a struck object",
            Self::Silent { .. } => "check the recording's level and that it is the right file",
            Self::TooShort { .. } => "give a longer recording, or more with --seconds",
            Self::Different { .. } => "record all hits with the same microphones and sample rate",
            Self::NoModes { .. } => "record one stroke of a ringing object, closer and with less noise",
            Self::Options { .. } => "give 0 <= --min-hz < --max-hz, at least one mode and a positive time",
        }
    }
}

impl fmt::Display for ExtractError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => write!(f, "there is no recording"),
            Self::Silent { hit } => write!(f, "recording {} is silent", hit + 1),
            Self::TooShort { seconds, needed } => {
                write!(
                    f,
                    "only {:.1} ms of sound after the onset, at least {:.0} ms are needed",
                    seconds * 1e3,
                    needed * 1e3
                )
            }
            Self::Different { hit } => {
                write!(f, "recording {} has another sample rate or number of channels than the first", hit + 1)
            }
            Self::NoModes { explained } => write!(
                f,
                "no ringing modes stand out: decaying sinusoids explain {:.0} % of the energy",
                (explained * 100.0).max(0.0)
            ),
            Self::Options { min_hz, max_hz } => {
                write!(f, "nothing to look for between {min_hz} Hz and {max_hz} Hz")
            }
        }
    }
}

impl std::error::Error for ExtractError {}
