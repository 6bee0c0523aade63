//! What can go wrong with a WAV file.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why a WAV could not be written or read.
#[derive(Debug)]
pub enum WavError {
    /// Reading or writing failed.
    Io(io::Error),
    /// The bytes are no WAV, or one of a kind that is not supported.
    Unreadable(String),
    /// The bytes are no recording of an accepted format; what they are instead.
    Unknown(String),
    /// The sound does not fit the kind of file.
    Unencodable(String),
    /// No channels or no sample rate, or more channels than a frame can hold.
    BadFormat {
        /// Channels asked for.
        channels: u16,
        /// Sample rate asked for, Hz.
        sample_rate: u32,
    },
    /// A sample is NaN or infinite.
    NotFinite {
        /// Frame of the sample, from the start of the file.
        frame: u64,
        /// Channel of the sample.
        channel: u16,
        /// The sample.
        value: f32,
    },
    /// The sound ends in the middle of a frame.
    IncompleteFrame {
        /// Samples given.
        samples: u64,
        /// Channels per frame.
        channels: u16,
    },
    /// More bytes than the 32-bit lengths of a WAV can say.
    TooLong {
        /// Bytes of audio.
        bytes: u64,
    },
    /// A pipe got another number of frames than was announced.
    WrongLength {
        /// Frames announced.
        announced: u64,
        /// Frames written.
        written: u64,
    },
    /// One of the above, with the file it happened to.
    InFile {
        /// The file.
        path: PathBuf,
        /// What happened.
        error: Box<WavError>,
    },
}

impl WavError {
    pub(crate) fn at(self, path: &Path) -> Self {
        Self::InFile { path: path.to_owned(), error: Box::new(self) }
    }
}

impl fmt::Display for WavError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "{error}"),
            Self::Unreadable(why) => write!(f, "not a readable WAV file: {why}"),
            Self::Unknown(why) | Self::Unencodable(why) => write!(f, "{why}"),
            Self::BadFormat { channels, sample_rate } => {
                write!(f, "{channels} channels at {sample_rate} Hz do not fit a WAV file")
            }
            Self::NotFinite { frame, channel, value } => {
                write!(f, "the sample at frame {frame}, channel {channel} is {value}, expected a finite number")
            }
            Self::IncompleteFrame { samples, channels } => {
                write!(f, "{samples} samples do not fill whole frames of {channels} channels")
            }
            Self::TooLong { bytes } => {
                write!(f, "{bytes} bytes of audio do not fit into a WAV file (4 GiB); render less or with fewer bits")
            }
            Self::WrongLength { announced, written } => {
                write!(f, "{announced} frames were announced, but {written} written")
            }
            Self::InFile { path, error } => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for WavError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::InFile { error, .. } => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for WavError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<hound::Error> for WavError {
    fn from(error: hound::Error) -> Self {
        match error {
            hound::Error::IoError(error) => Self::Io(error),
            other => Self::Unreadable(other.to_string()),
        }
    }
}
