//! Writing a WAV as the samples come; memory does not grow with its length.

use super::header::{data_bytes, header};
use super::{Encoding, Format, WavError, Written, to_integer};
use crate::file::AtomicFile;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Samples that are encoded at a time.
const PIECE: usize = 4096;

/// Turns samples into bytes and counts them.
struct Encoder {
    format: Format,
    samples: u64,
    clipped: u64,
    bytes: Vec<u8>,
}

impl Encoder {
    fn new(format: Format) -> Self {
        Self { format, samples: 0, clipped: 0, bytes: Vec::new() }
    }

    fn write(&mut self, interleaved: &[f32], to: &mut impl Write) -> Result<(), WavError> {
        data_bytes(self.format, self.samples + interleaved.len() as u64)?;
        for piece in interleaved.chunks(PIECE) {
            self.bytes.clear();
            for &x in piece {
                self.encode(x)?;
            }
            to.write_all(&self.bytes)?;
        }
        Ok(())
    }

    fn encode(&mut self, x: f32) -> Result<(), WavError> {
        if !x.is_finite() {
            let channels = u64::from(self.format.channels);
            let (frame, channel) = (self.samples / channels, (self.samples % channels) as u16);
            return Err(WavError::NotFinite { frame, channel, value: x });
        }
        match self.format.encoding {
            Encoding::Float32 => self.bytes.extend(x.to_le_bytes()),
            encoding => {
                let (integer, clipped) = to_integer(x, encoding.full_scale());
                self.clipped += u64::from(clipped);
                self.bytes.extend(&integer.to_le_bytes()[..usize::from(encoding.bits() / 8)]);
            }
        }
        self.samples += 1;
        Ok(())
    }

    /// Ends the data chunk, whose length must be even in the file.
    fn finish(&self, to: &mut impl Write) -> Result<Written, WavError> {
        let channels = self.format.channels;
        if !self.samples.is_multiple_of(u64::from(channels)) {
            return Err(WavError::IncompleteFrame { samples: self.samples, channels });
        }
        if !data_bytes(self.format, self.samples)?.is_multiple_of(2) {
            to.write_all(&[0])?;
        }
        Ok(Written { frames: self.samples / u64::from(channels), clipped: self.clipped })
    }
}

/// Writes a WAV to anything that can be written and rewound.
pub struct Writer<W> {
    to: W,
    start: u64,
    encoder: Encoder,
}

impl<W: Write + Seek> Writer<W> {
    /// Starts a WAV at the current position.
    pub fn new(mut to: W, format: Format) -> Result<Self, WavError> {
        let head = header(format, 0)?;
        let start = to.stream_position()?;
        to.write_all(&head)?;
        Ok(Self { to, start, encoder: Encoder::new(format) })
    }

    /// Appends interleaved samples. A sample that is not finite is an error: no file should carry it to a loudspeaker.
    pub fn write(&mut self, interleaved: &[f32]) -> Result<(), WavError> {
        self.encoder.write(interleaved, &mut self.to)
    }

    /// Completes the header and hands back what was written to. An incomplete last frame is an error.
    pub fn finish(mut self) -> Result<(Written, W), WavError> {
        let written = self.encoder.finish(&mut self.to)?;
        let end = self.to.stream_position()?;
        self.to.seek(SeekFrom::Start(self.start))?;
        self.to.write_all(&header(self.encoder.format, self.encoder.samples)?)?;
        self.to.seek(SeekFrom::Start(end))?;
        self.to.flush()?;
        Ok((written, self.to))
    }
}

/// Writes a WAV file. It appears on [`finish`](Self::finish); until then, and if the writer is dropped instead,
/// whatever was there before stays.
pub struct FileWriter {
    inner: Writer<AtomicFile>,
    path: PathBuf,
}

impl FileWriter {
    /// Starts a file.
    pub fn create(path: &Path, format: Format) -> Result<Self, WavError> {
        let file = AtomicFile::create(path).map_err(|e| WavError::from(e).at(path))?;
        let inner = Writer::new(file, format).map_err(|e| e.at(path))?;
        Ok(Self { inner, path: path.to_owned() })
    }

    /// Appends interleaved samples, like [`Writer::write`].
    pub fn write(&mut self, interleaved: &[f32]) -> Result<(), WavError> {
        self.inner.write(interleaved).map_err(|e| e.at(&self.path))
    }

    /// Completes the file and gives it its name.
    pub fn finish(self) -> Result<Written, WavError> {
        let done = self.inner.finish().and_then(|(written, file)| {
            file.commit()?;
            Ok(written)
        });
        done.map_err(|e| e.at(&self.path))
    }
}

/// Writes a WAV to something that cannot be rewound, such as standard output: the length is announced first.
pub struct PipeWriter<W> {
    to: W,
    announced: u64,
    encoder: Encoder,
}

impl<W: Write> PipeWriter<W> {
    /// Starts a WAV of a known number of frames.
    pub fn new(mut to: W, format: Format, frames: u64) -> Result<Self, WavError> {
        to.write_all(&header(format, frames.saturating_mul(u64::from(format.channels)))?)?;
        Ok(Self { to, announced: frames, encoder: Encoder::new(format) })
    }

    /// Appends interleaved samples, like [`Writer::write`].
    pub fn write(&mut self, interleaved: &[f32]) -> Result<(), WavError> {
        self.encoder.write(interleaved, &mut self.to)
    }

    /// Ends the WAV; an error if the number of frames is not the announced one.
    pub fn finish(mut self) -> Result<Written, WavError> {
        let written = self.encoder.finish(&mut self.to)?;
        self.to.flush()?;
        if written.frames != self.announced {
            return Err(WavError::WrongLength { announced: self.announced, written: written.frames });
        }
        Ok(written)
    }
}
