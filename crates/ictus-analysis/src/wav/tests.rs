use super::*;
use crate::file::scratch::Folder;

const ALL: [Encoding; 3] = [Encoding::Pcm16, Encoding::Pcm24, Encoding::Float32];

fn format(channels: u16, encoding: Encoding) -> Format {
    Format { channels, sample_rate: 48_000, encoding }
}

fn wave(samples: usize) -> Vec<f32> {
    (0..samples).map(|n| (0.9 * libm::sin(0.07 * n as f64 + 0.3)) as f32).collect()
}

#[test]
fn what_is_written_is_read_back_to_half_a_step() {
    // An odd number of bytes in all (24 bits, three samples) needs the padding byte.
    for (channels, samples) in [(1, 1001), (1, 3), (2, 1000), (6, 600), (2, 0)] {
        for (encoding, step) in ALL.into_iter().zip([1.0 / 32_768.0, 1.0 / 8_388_608.0, 0.0]) {
            let original = wave(samples);
            let bytes = to_bytes(format(channels, encoding), &original).unwrap();
            assert!(bytes.len().is_multiple_of(2));
            let said = u32::from_le_bytes(bytes[4..8].try_into().unwrap()) as usize;
            assert_eq!(said, bytes.len() - 8);
            let audio = read(bytes.as_slice()).unwrap();
            assert_eq!((audio.channels, audio.sample_rate), (usize::from(channels), 48_000));
            assert_eq!(audio.samples.len(), samples);
            let worst = original.iter().zip(&audio.samples).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(f64::from(worst) <= 0.5 * step + 1e-7 * step, "{encoding:?}: {worst:e}");
        }
    }
}

#[test]
fn reading_and_writing_again_changes_nothing() {
    for encoding in ALL {
        let first = to_bytes(format(2, encoding), &wave(2000)).unwrap();
        let again = to_bytes(format(2, encoding), &read(first.as_slice()).unwrap().samples).unwrap();
        assert_eq!(first, again);
    }
}

#[test]
fn samples_beyond_full_scale_are_clipped_and_counted() {
    let bytes = to_bytes(format(1, Encoding::Pcm16), &[1.0, -1.0, 1.5, -7.0, 0.0]).unwrap();
    let read_back = read(bytes.as_slice()).unwrap().samples;
    assert_eq!(read_back, [32_767.0 / 32_768.0, -1.0, 32_767.0 / 32_768.0, -1.0, 0.0]);
    let written = write_to(Cursor::new(Vec::new()), format(1, Encoding::Pcm24), &[1.0, 1.5, -1.5]).unwrap();
    assert_eq!(written, Written { frames: 3, clipped: 2 });
    let written = write_to(Cursor::new(Vec::new()), format(1, Encoding::Float32), &[1.5]).unwrap();
    assert_eq!(written.clipped, 0);
}

#[test]
fn a_file_streamed_in_pieces_is_the_file_written_at_once() {
    let folder = Folder::new("pieces");
    let (whole, pieces) = (folder.path().join("whole.wav"), folder.path().join("pieces.wav"));
    let samples = wave(30_000);
    write_file(&whole, format(2, Encoding::Pcm24), &samples).unwrap();
    let mut writer = FileWriter::create(&pieces, format(2, Encoding::Pcm24)).unwrap();
    for piece in samples.chunks(777) {
        writer.write(piece).unwrap();
        assert!(!pieces.exists());
    }
    assert_eq!(writer.finish().unwrap(), Written { frames: 15_000, clipped: 0 });
    let bytes = std::fs::read(&whole).unwrap();
    assert_eq!(bytes, std::fs::read(&pieces).unwrap());
    assert_eq!(read_file(&pieces).unwrap().samples.len(), 30_000);

    let mut pipe = Vec::new();
    let mut writer = PipeWriter::new(&mut pipe, format(2, Encoding::Pcm24), 15_000).unwrap();
    writer.write(&samples).unwrap();
    writer.finish().unwrap();
    assert_eq!(pipe, bytes);
}

#[test]
fn a_failed_render_leaves_the_old_file_and_nothing_else() {
    let folder = Folder::new("failed");
    let path = folder.path().join("a.wav");
    write_file(&path, format(2, Encoding::Pcm16), &wave(100)).unwrap();
    let old = std::fs::read(&path).unwrap();

    let error = write_file(&path, format(2, Encoding::Pcm16), &[0.0, 0.0, 0.0, f32::NAN]).unwrap_err();
    assert!(error.to_string().ends_with("a.wav: the sample at frame 1, channel 1 is NaN, expected a finite number"));
    let error = write_file(&path, format(2, Encoding::Pcm16), &wave(3)).unwrap_err();
    assert!(error.to_string().ends_with("3 samples do not fill whole frames of 2 channels"), "{error}");
    drop(FileWriter::create(&path, format(1, Encoding::Float32)).unwrap());
    let none = Format { channels: 0, sample_rate: 48_000, encoding: Encoding::Pcm16 };
    assert!(matches!(write_file(&path, none, &[]), Err(WavError::InFile { .. })));

    assert_eq!(std::fs::read(&path).unwrap(), old);
    assert_eq!(folder.names(), ["a.wav"]);
}

#[test]
fn impossible_lengths_are_told_before_they_are_written() {
    let error = PipeWriter::new(Vec::new(), format(2, Encoding::Float32), 1 << 30).err().unwrap();
    assert!(matches!(error, WavError::TooLong { bytes } if bytes == 8 << 30));
    let mut writer = PipeWriter::new(Vec::new(), format(1, Encoding::Pcm16), 10).unwrap();
    writer.write(&[0.0; 9]).unwrap();
    assert!(matches!(writer.finish(), Err(WavError::WrongLength { announced: 10, written: 9 })));
}

#[test]
fn what_is_no_wav_is_told() {
    assert!(matches!(read(b"no sound at all, only words".as_slice()), Err(WavError::Unreadable(_))));
    let error = read_file(Path::new("no/such/file.wav")).unwrap_err();
    assert!(error.to_string().starts_with("no/such/file.wav: "), "{error}");
}
