//! WAV files: 16- and 24-bit integers or 32-bit floats, written whole or as they come, read back as `f32`.
//!
//! Integers are rounded to nearest without dither, so the same samples are always the same bytes. Full scale is 2¹⁵
//! or 2²³: reading divides by it, so a file that is read and written again does not change. Samples beyond full scale
//! are clipped in the integer formats, and counted.
//!
//! Files appear when they are complete; a render that fails leaves the old file as it was.

mod error;
mod header;
mod writer;

pub use error::WavError;
pub use writer::{FileWriter, PipeWriter, Writer};

use hound::{SampleFormat, WavReader};
use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek, Write};
use std::path::Path;

/// How a sample is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// 16-bit integers.
    Pcm16,
    /// 24-bit integers.
    #[default]
    Pcm24,
    /// 32-bit floats, not clipped.
    Float32,
}

impl Encoding {
    /// Bits per sample.
    pub fn bits(self) -> u16 {
        match self {
            Self::Pcm16 => 16,
            Self::Pcm24 => 24,
            Self::Float32 => 32,
        }
    }

    /// As the command line spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pcm16 => "16",
            Self::Pcm24 => "24",
            Self::Float32 => "32f",
        }
    }

    /// The integer of an amplitude of 1; floats have none and keep it.
    pub(crate) fn full_scale(self) -> f64 {
        match self {
            Self::Pcm16 => 32_768.0,
            Self::Pcm24 => 8_388_608.0,
            Self::Float32 => 1.0,
        }
    }
}

/// Channels, rate and encoding of a WAV file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Number of interleaved channels.
    pub channels: u16,
    /// Frames per second.
    pub sample_rate: u32,
    /// How a sample is stored.
    pub encoding: Encoding,
}

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Frames, that is samples per channel.
    pub frames: u64,
    /// Samples beyond full scale that an integer format had to clip.
    pub clipped: u64,
}

/// A sound read from a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Audio {
    /// Interleaved samples.
    pub samples: Vec<f32>,
    /// Number of channels.
    pub channels: usize,
    /// Frames per second.
    pub sample_rate: u32,
}

/// The integer nearest to a sample, and whether it had to be clipped.
pub(crate) fn to_integer(x: f32, full_scale: f64) -> (i32, bool) {
    let exact = (f64::from(x) * full_scale).round();
    let kept = exact.clamp(-full_scale, full_scale - 1.0);
    // A sample of exactly 1 is one step too high for the format, which does not count as clipping.
    (kept as i32, exact < kept || exact > full_scale)
}

/// Writes a whole sound to a file, which appears complete or not at all.
pub fn write_file(path: &Path, format: Format, interleaved: &[f32]) -> Result<Written, WavError> {
    let mut writer = FileWriter::create(path, format)?;
    writer.write(interleaved)?;
    writer.finish()
}

/// Writes a whole sound to anything that can be written and rewound.
pub fn write_to<W: Write + Seek>(to: W, format: Format, interleaved: &[f32]) -> Result<Written, WavError> {
    let mut writer = Writer::new(to, format)?;
    writer.write(interleaved)?;
    writer.finish().map(|(written, _)| written)
}

/// A whole sound as the bytes of a WAV file.
pub fn to_bytes(format: Format, interleaved: &[f32]) -> Result<Vec<u8>, WavError> {
    let mut writer = Writer::new(Cursor::new(Vec::new()), format)?;
    writer.write(interleaved)?;
    writer.finish().map(|(_, cursor)| cursor.into_inner())
}

/// Reads a WAV file of 8 to 32-bit integers or 32-bit floats.
pub fn read_file(path: &Path) -> Result<Audio, WavError> {
    let file = File::open(path).map_err(|e| WavError::from(e).at(path))?;
    read(BufReader::new(file)).map_err(|e| e.at(path))
}

/// Reads a WAV from anything that can be read.
pub fn read<R: Read>(from: R) -> Result<Audio, WavError> {
    let mut reader = WavReader::new(from)?;
    let spec = reader.spec();
    let samples: Result<Vec<f32>, hound::Error> = match spec.sample_format {
        SampleFormat::Float => reader.samples::<f32>().collect(),
        SampleFormat::Int => {
            let full_scale = (1u64 << (spec.bits_per_sample - 1)) as f64;
            reader.samples::<i32>().map(|s| s.map(|i| (f64::from(i) / full_scale) as f32)).collect()
        }
    };
    Ok(Audio { samples: samples?, channels: usize::from(spec.channels), sample_rate: spec.sample_rate })
}

#[cfg(test)]
mod tests;
