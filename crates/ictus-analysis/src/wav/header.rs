//! The bytes before the samples of a WAV file.
//!
//! Plain `fmt` for 16 bits and up to two channels, as everything reads it; otherwise the extensible one, as the format
//! asks. Floats also carry a `fact` chunk with their number of frames. The length does not depend on the number of
//! frames, so a header can be written first and corrected at the end.

use super::{Encoding, Format, WavError};

const TAG_INTEGER: u16 = 1;
const TAG_FLOAT: u16 = 3;
const TAG_EXTENSIBLE: u16 = 0xFFFE;
/// The part of a sub-format GUID after its two bytes of tag.
const GUID_REST: [u8; 14] = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71];

/// Bytes of audio for a number of samples; an error where the header's 32 bits cannot say it.
pub(super) fn data_bytes(format: Format, samples: u64) -> Result<u32, WavError> {
    let bytes = samples.saturating_mul(u64::from(format.encoding.bits() / 8));
    // The margin leaves room for the header and the padding in the total length.
    u32::try_from(bytes).ok().filter(|&b| b < u32::MAX - 128).ok_or(WavError::TooLong { bytes })
}

pub(super) fn header(format: Format, samples: u64) -> Result<Vec<u8>, WavError> {
    let Format { channels, sample_rate, encoding } = format;
    let bad = WavError::BadFormat { channels, sample_rate };
    let bytes_per_sample = encoding.bits() / 8;
    let Some(frame_bytes) = channels.checked_mul(bytes_per_sample).filter(|&b| b > 0 && sample_rate > 0) else {
        return Err(bad);
    };
    let Some(bytes_per_second) = sample_rate.checked_mul(u32::from(frame_bytes)) else {
        return Err(bad);
    };
    let data = data_bytes(format, samples)?;
    let tag = if encoding == Encoding::Float32 { TAG_FLOAT } else { TAG_INTEGER };
    let extensible = encoding != Encoding::Pcm16 || channels > 2;

    let mut fmt = Vec::new();
    fmt.extend(if extensible { TAG_EXTENSIBLE } else { tag }.to_le_bytes());
    fmt.extend(channels.to_le_bytes());
    fmt.extend(sample_rate.to_le_bytes());
    fmt.extend(bytes_per_second.to_le_bytes());
    fmt.extend(frame_bytes.to_le_bytes());
    fmt.extend(encoding.bits().to_le_bytes());
    if extensible {
        // Loudspeakers: centre, left and right, or none in particular.
        let speakers: u32 = [0, 0b100, 0b011].get(usize::from(channels)).copied().unwrap_or(0);
        fmt.extend(22u16.to_le_bytes());
        fmt.extend(encoding.bits().to_le_bytes());
        fmt.extend(speakers.to_le_bytes());
        fmt.extend(tag.to_le_bytes());
        fmt.extend(GUID_REST);
    }

    let mut body = Vec::from(*b"WAVE");
    chunk(&mut body, b"fmt ", &fmt);
    if encoding == Encoding::Float32 {
        chunk(&mut body, b"fact", &(data / u32::from(frame_bytes)).to_le_bytes());
    }
    body.extend(b"data");
    body.extend(data.to_le_bytes());

    let mut bytes = Vec::from(*b"RIFF");
    let padding = data % 2;
    bytes.extend((body.len() as u32 + data + padding).to_le_bytes());
    bytes.extend(body);
    Ok(bytes)
}

fn chunk(to: &mut Vec<u8>, name: &[u8; 4], content: &[u8]) {
    to.extend(name);
    to.extend((content.len() as u32).to_le_bytes());
    to.extend(content);
}
