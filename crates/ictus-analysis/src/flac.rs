//! FLAC files: what a WAV of 16- or 24-bit integers holds, without loss in about half the space.
//!
//! Rounding and clipping are those of [`wav`](crate::wav): both kinds of file hold the same integers. A sound is encoded whole.

use crate::file;
use crate::wav::{Encoding, Format, WavError, Written, to_integer};
use flacenc::bitsink::ByteSink;
use flacenc::component::BitRepr;
use flacenc::config;
use flacenc::error::Verify;
use flacenc::source::MemSource;
use std::path::Path;

/// Shorter blocks are not part of the format.
const LEAST_FRAMES: usize = 16;

/// Writes a whole sound to a file, which appears complete or not at all. Floats do not exist in FLAC and are an error.
pub fn write_file(path: &Path, format: Format, interleaved: &[f32]) -> Result<Written, WavError> {
    let done = to_bytes(format, interleaved).and_then(|(bytes, written)| {
        file::write(path, &bytes)?;
        Ok(written)
    });
    done.map_err(|error| error.at(path))
}

/// A whole sound as the bytes of a FLAC file.
pub fn to_bytes(format: Format, interleaved: &[f32]) -> Result<(Vec<u8>, Written), WavError> {
    let Format { channels, sample_rate, encoding } = format;
    if encoding == Encoding::Float32 || channels == 0 {
        return Err(WavError::Unencodable("FLAC holds integers of 16 or 24 bits".into()));
    }
    let width = usize::from(channels);
    if interleaved.len() < LEAST_FRAMES * width {
        return Err(WavError::Unencodable(format!("a FLAC file holds at least {LEAST_FRAMES} frames")));
    }
    if !interleaved.len().is_multiple_of(width) {
        return Err(WavError::IncompleteFrame { samples: interleaved.len() as u64, channels });
    }
    let mut written = Written { frames: (interleaved.len() / width) as u64, clipped: 0 };
    let mut integers = Vec::with_capacity(interleaved.len());
    for (n, &value) in interleaved.iter().enumerate() {
        if !value.is_finite() {
            return Err(WavError::NotFinite { frame: (n / width) as u64, channel: (n % width) as u16, value });
        }
        let (integer, clipped) = to_integer(value, encoding.full_scale());
        integers.push(integer);
        written.clipped += u64::from(clipped);
    }
    let refused = |error: &dyn std::fmt::Debug| WavError::Unencodable(format!("{error:?}"));
    let config = config::Encoder::default().into_verified().map_err(|(_, error)| refused(&error))?;
    let source = MemSource::from_samples(&integers, width, usize::from(encoding.bits()), sample_rate as usize);
    let stream = flacenc::encode_with_fixed_block_size(&config, source, config.block_size);
    let stream = stream.map_err(|error| refused(&error))?;
    let mut sink = ByteSink::new();
    stream.write(&mut sink).map_err(|error| refused(&error))?;
    let mut bytes = sink.into_inner();
    // the shortest block of the header does not count the last one: all others are as long as the longest
    bytes.copy_within(10..12, 8);
    Ok((bytes, written))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8]) -> (claxon::metadata::StreamInfo, Vec<i32>) {
        let mut reader = claxon::FlacReader::new(bytes).expect("a FLAC stream");
        let samples = reader.samples().collect::<Result<_, _>>().expect("samples");
        (reader.streaminfo(), samples)
    }

    #[test]
    fn another_decoder_reads_the_integers_of_the_wav() {
        for (encoding, full_scale) in [(Encoding::Pcm16, 32_768.0f32), (Encoding::Pcm24, 8_388_608.0)] {
            for frames in [16usize, 100, 4096, 4097, 10_000] {
                let format = Format { channels: 2, sample_rate: 48_000, encoding };
                let wave = |n: usize| (1.2 * libm::sin(0.011 * n as f64) * libm::exp(-1e-4 * n as f64)) as f32;
                let samples: Vec<f32> = (0..2 * frames).map(wave).collect();
                let (bytes, written) = to_bytes(format, &samples).unwrap();
                let (info, integers) = decoded(&bytes);
                assert_eq!(
                    (info.channels, info.sample_rate, info.bits_per_sample),
                    (2, 48_000, encoding.bits().into())
                );
                let wav = crate::wav::to_bytes(format, &samples).unwrap();
                let expected = crate::wav::read(wav.as_slice()).unwrap().samples;
                assert_eq!(integers.len(), expected.len());
                assert!(integers.iter().zip(&expected).all(|(&i, x)| i as f32 / full_scale == *x));
                assert_eq!(written.frames, frames as u64);
                assert_eq!(written.clipped > 0, frames > 16, "the wave grows to 1.2");
                assert!(frames < 4096 || bytes.len() < wav.len() * 3 / 4, "{} of {}", bytes.len(), wav.len());
            }
        }
    }

    #[test]
    fn what_flac_cannot_hold_is_an_error() {
        let format = |encoding| Format { channels: 2, sample_rate: 48_000, encoding };
        assert!(matches!(to_bytes(format(Encoding::Float32), &[0.0; 64]), Err(WavError::Unencodable(_))));
        assert!(matches!(to_bytes(format(Encoding::Pcm16), &[0.0; 65]), Err(WavError::IncompleteFrame { .. })));
        assert!(matches!(to_bytes(format(Encoding::Pcm24), &[0.0; 30]), Err(WavError::Unencodable(_))));
        let mut broken = [0.0; 64];
        broken[3] = f32::NAN;
        let error = to_bytes(format(Encoding::Pcm24), &broken).unwrap_err();
        assert!(matches!(error, WavError::NotFinite { frame: 1, channel: 1, .. }));
    }
}
