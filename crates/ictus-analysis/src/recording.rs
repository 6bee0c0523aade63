//! Recordings in the formats that people have: WAV, FLAC and Ogg Vorbis, told apart by their first bytes, not by their names.

use crate::wav::{self, Audio, WavError};
use claxon::FlacReader;
use lewton::inside_ogg::OggStreamReader;
use std::io::{Cursor, Read};
use std::path::Path;

/// The formats, for messages.
pub const ACCEPTED: &str = "WAV (8 to 32-bit integers or 32-bit floats), FLAC or Ogg Vorbis";
/// Longest sound that is decoded, samples of all channels together: an hour of stereo at 96 kHz, 2.8 GB.
const MOST_SAMPLES: usize = 2 * 96_000 * 3600;

/// Reads a recording: WAV, FLAC or Ogg Vorbis.
pub fn read_file(path: &Path) -> Result<Audio, WavError> {
    let bytes = std::fs::read(path).map_err(|error| WavError::from(error).at(path))?;
    read(&bytes).map_err(|error| error.at(path))
}

/// Reads a recording from the bytes of its file.
pub fn read(bytes: &[u8]) -> Result<Audio, WavError> {
    match bytes {
        [b'R', b'I', b'F', b'F' | b'X', ..] => wav::read(Cursor::new(bytes)),
        [b'f', b'L', b'a', b'C', ..] => flac(Cursor::new(bytes)),
        [b'O', b'g', b'g', b'S', ..] => vorbis(bytes),
        _ => Err(WavError::Unknown(format!("{}: recordings are {ACCEPTED}", kind(bytes)))),
    }
}

/// What a file that is none of the accepted ones looks like.
fn kind(bytes: &[u8]) -> &'static str {
    match bytes {
        [] => "it is empty",
        [b'I', b'D', b'3', ..] | [0xFF, 0xE0..=0xFF, ..] => "it looks like MP3",
        [b'F', b'O', b'R', b'M', ..] => "it looks like AIFF",
        [_, _, _, _, b'f', b't', b'y', b'p', ..] => "it looks like MP4 or M4A",
        _ => "it is no sound of a known kind",
    }
}

fn flac(from: impl Read) -> Result<Audio, WavError> {
    let broken = |error: claxon::Error| WavError::Unknown(format!("not a readable FLAC file: {error}"));
    let mut reader = FlacReader::new(from).map_err(broken)?;
    let info = reader.streaminfo();
    let full_scale = (1u64 << (info.bits_per_sample.clamp(1, 32) - 1)) as f64;
    let mut samples = Vec::new();
    for sample in reader.samples() {
        samples.push((f64::from(sample.map_err(broken)?) / full_scale) as f32);
        within_limits(samples.len())?;
    }
    Ok(Audio { samples, channels: info.channels as usize, sample_rate: info.sample_rate })
}

fn vorbis(bytes: &[u8]) -> Result<Audio, WavError> {
    let broken = |error: lewton::VorbisError| {
        WavError::Unknown(format!("not a readable Ogg Vorbis file: {error} (Opus and FLAC in Ogg are not read)"))
    };
    let mut reader = OggStreamReader::new(Cursor::new(bytes)).map_err(broken)?;
    let channels = usize::from(reader.ident_hdr.audio_channels);
    let sample_rate = reader.ident_hdr.audio_sample_rate;
    let mut samples = Vec::new();
    while let Some(packet) = reader.read_dec_packet_generic::<Vec<Vec<f32>>>().map_err(broken)? {
        let frames = packet.iter().map(Vec::len).min().unwrap_or(0);
        samples.extend((0..frames).flat_map(|n| packet.iter().map(move |channel| channel[n])));
        within_limits(samples.len())?;
        // streams may be chained with other formats; the first one is the recording
        if usize::from(reader.ident_hdr.audio_channels) != channels || reader.ident_hdr.audio_sample_rate != sample_rate
        {
            break;
        }
    }
    Ok(Audio { samples, channels, sample_rate })
}

fn within_limits(samples: usize) -> Result<(), WavError> {
    if samples > MOST_SAMPLES {
        return Err(WavError::Unknown(format!("it holds more than {MOST_SAMPLES} samples: cut it")));
    }
    Ok(())
}
