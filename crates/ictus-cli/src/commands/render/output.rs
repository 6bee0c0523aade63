//! Where samples go: WAV or FLAC files, or a WAV on standard output.

use crate::cli::Render;
use crate::failure::Failure;
use crate::session::Session;
use ictus_analysis::flac;
use ictus_analysis::wav::{Encoding, FileWriter, Format, PipeWriter, Written};
use std::io::Stdout;
use std::path::{Path, PathBuf};

/// Kinds of sound file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    Wav,
    Flac,
}

impl Container {
    /// By the name of the file; standard output and devices get a WAV.
    pub fn of(path: &Path, encoding: Encoding) -> Result<Self, Failure> {
        let device = std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir());
        if path.as_os_str() == "-" || device {
            return Ok(Self::Wav);
        }
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        match (extension.as_str(), encoding) {
            ("wav", _) => Ok(Self::Wav),
            ("flac", Encoding::Float32) => Err(Failure::new(
                "FLAC cannot store floating-point samples",
                "use --format 24 or --format 16, or write a .wav",
            )),
            ("flac", _) => Ok(Self::Flac),
            _ => Err(Failure::new(
                format!("{} is not a sound file that ictus can write", path.display()),
                "end its name in .wav or .flac",
            )),
        }
    }

    pub fn extension(self) -> &'static str {
        match self {
            Self::Wav => "wav",
            Self::Flac => "flac",
        }
    }
}

/// Takes the samples of one sound.
pub enum Sink {
    File(Box<FileWriter>),
    Pipe(PipeWriter<Stdout>),
    /// Encoded whole at the end.
    Flac {
        path: PathBuf,
        format: Format,
        samples: Vec<f32>,
    },
}

impl Sink {
    /// Starts a sound of `frames`, which only standard output needs to know.
    pub fn open(path: &Path, container: Container, format: Format, frames: u64) -> Result<Self, Failure> {
        if path.as_os_str() == "-" {
            let pipe = PipeWriter::new(std::io::stdout(), format, frames).map_err(|_| Failure::Hangup)?;
            return Ok(Self::Pipe(pipe));
        }
        Ok(match container {
            Container::Wav => Self::File(Box::new(FileWriter::create(path, format)?)),
            Container::Flac => Self::Flac { path: path.to_owned(), format, samples: Vec::new() },
        })
    }

    pub fn write(&mut self, interleaved: &[f32]) -> Result<(), Failure> {
        match self {
            Self::File(file) => Ok(file.write(interleaved)?),
            Self::Pipe(pipe) => pipe.write(interleaved).map_err(|_| Failure::Hangup),
            Self::Flac { samples, .. } => {
                samples.extend_from_slice(interleaved);
                Ok(())
            }
        }
    }

    pub fn finish(self) -> Result<Written, Failure> {
        match self {
            Self::File(file) => Ok(file.finish()?),
            Self::Pipe(pipe) => pipe.finish().map_err(|_| Failure::Hangup),
            Self::Flac { path, format, samples } => Ok(flac::write_file(&path, format, &samples)?),
        }
    }
}

/// Where a render goes: the sound, and with `--stems` one file per tap.
pub struct Target {
    pub path: PathBuf,
    pub format: Format,
    pub stems: Vec<PathBuf>,
    container: Container,
}

impl Target {
    /// Reads the options.
    pub fn new(options: &Render, session: &Session) -> Result<Self, Failure> {
        let path = options.output.clone().unwrap_or_else(|| PathBuf::from(format!("{}.wav", session.stem)));
        if path.as_os_str() == "-" && (options.play.json || options.stems) {
            return Err(Failure::new(
                "standard output cannot carry the sound and --json or --stems at once",
                "write the sound to a file with -o",
            ));
        }
        let encoding = options.format.into();
        let container = Container::of(&path, encoding)?;
        let stems = if options.stems { stem_paths(session, &path, container) } else { Vec::new() };
        let channels = if options.mono { 1 } else { 2 };
        let format = Format { channels, sample_rate: options.play.sample_rate, encoding };
        Ok(Self { path, format, stems, container })
    }

    pub fn is_stdout(&self) -> bool {
        self.path.as_os_str() == "-"
    }

    pub fn has_stems(&self) -> bool {
        !self.stems.is_empty()
    }

    /// Starts a sound of `frames`, which only standard output needs to know.
    pub fn open(&self, frames: u64) -> Result<Sinks, Failure> {
        let mono = Format { channels: 1, ..self.format };
        let stems = self.stems.iter().map(|path| Sink::open(path, self.container, mono, frames));
        Ok(Sinks {
            sound: Sink::open(&self.path, self.container, self.format, frames)?,
            stems: stems.collect::<Result<_, _>>()?,
        })
    }
}

/// The sinks of a sound and of its stems.
pub struct Sinks {
    pub sound: Sink,
    pub stems: Vec<Sink>,
}

impl Sinks {
    /// Ends all files; returns what was written of the sound.
    pub fn finish(self) -> Result<Written, Failure> {
        let written = self.sound.finish()?;
        for stem in self.stems {
            stem.finish()?;
        }
        Ok(written)
    }
}

/// Paths of the stems, one per tap, beside the output: OUT.TAP.wav.
fn stem_paths(session: &Session, output: &Path, container: Container) -> Vec<PathBuf> {
    let safe = |tap: &str| -> String {
        tap.chars().map(|c| if c.is_alphanumeric() || "-_".contains(c) { c } else { '-' }).collect()
    };
    let path = |tap: &str| output.with_extension(format!("{}.{}", safe(tap), container.extension()));
    session.patch.tap_names().map(path).collect()
}
