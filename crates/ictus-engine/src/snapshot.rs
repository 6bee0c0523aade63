//! Snapshots: the state of a player, to return to; in memory or as bytes.
//!
//! Bytes are little-endian: a magic number, the version of the format, the sample rate, a fingerprint of the instrument, the length of the state, the state, a checksum of all before.
//! The state is every field of the voice, in the order of the list that its clones are made from ([`Persist`]). The checksum finds accidents; it is no protection against forgery.

use crate::patch::Patch;
use crate::voice::Voice;
use ictus_core::{Damage, Persist, Source};
use std::fmt::{self, Write};
use std::sync::Arc;

/// First bytes of a snapshot.
const MAGIC: [u8; 8] = *b"ictusnap";
/// Version of the format that is written and read. Raise it when the fields of a voice or of a state change.
const VERSION: u32 = 2;
/// Bytes before the state: magic, version, sample rate, fingerprint, length.
const HEADER: usize = 8 + 4 + 4 + 8 + 8;
/// Bytes behind the state.
const CHECKSUM: usize = 8;

/// A state of a [`Player`](crate::Player): bodies, contacts, inputs, strokes under way and filters.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub(crate) patch: Patch,
    pub(crate) voice: Voice,
}

/// Why bytes are not a snapshot of a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SnapshotError {
    /// They are something else.
    NoSnapshot,
    /// They were written by a version of the format that this one does not read.
    Version {
        /// What they say.
        found: u32,
        /// What is read.
        expected: u32,
    },
    /// They end too early.
    CutOff {
        /// Number of bytes.
        found: usize,
        /// Number of bytes that there should be.
        expected: usize,
    },
    /// Some of them changed, or others follow.
    Damaged,
    /// They were taken at another sample rate, Hz.
    SampleRate {
        /// Theirs.
        found: u32,
        /// That of the patch.
        expected: u32,
    },
    /// They were taken of another instrument, or of the same one with other settings or knobs.
    OtherInstrument,
}

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSnapshot => write!(f, "these bytes are not a snapshot"),
            Self::Version { found, expected } => write!(
                f,
                "the snapshot has version {found}, expected {expected}: take it anew with this version of the engine"
            ),
            Self::CutOff { found, expected } => write!(f, "the snapshot is cut off: {found} of {expected} bytes"),
            Self::Damaged => write!(f, "the snapshot is damaged: its checksum does not fit"),
            Self::SampleRate { found, expected } => {
                write!(f, "the snapshot was taken at {found} Hz, but the patch plays at {expected} Hz")
            }
            Self::OtherInstrument => {
                write!(f, "the snapshot is of another instrument, or of this one with other settings")
            }
        }
    }
}

impl std::error::Error for SnapshotError {}

impl Snapshot {
    /// True if it was taken of a player of that patch. Any thread; does not allocate.
    pub fn is_of(&self, patch: &Patch) -> bool {
        Arc::ptr_eq(&self.patch.0, &patch.0)
    }

    /// The snapshot as bytes, to keep in a file or to send. Any thread but the audio thread; allocates.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        VERSION.write(&mut bytes);
        self.patch.sample_rate().write(&mut bytes);
        self.patch.0.fingerprint.write(&mut bytes);
        let length = bytes.len();
        0u64.write(&mut bytes);
        self.voice.write(&mut bytes);
        let state = (bytes.len() - HEADER) as u64;
        bytes[length..HEADER].copy_from_slice(&state.to_le_bytes());
        let sum = checksum(&bytes);
        sum.write(&mut bytes);
        bytes
    }

    /// The snapshot of a player of `patch` from its bytes. The patch may be another one than that of the player, of the same file at the same sample rate. Any thread but the audio
    /// thread; allocates.
    ///
    /// # Errors
    /// If they are not the bytes of such a snapshot.
    pub fn from_bytes(patch: &Patch, bytes: &[u8]) -> Result<Self, SnapshotError> {
        let mut source = Source::new(state_of(patch, bytes)?);
        let mut voice = patch.0.initial().clone();
        match voice.read(&mut source) {
            Ok(()) if source.is_empty() => Ok(Self { patch: patch.clone(), voice }),
            // whole, of the same file, and yet of another layout: another version of the engine wrote it
            Ok(()) | Err(Damage::CutOff | Damage::Mismatch) => Err(SnapshotError::OtherInstrument),
        }
    }
}

/// The bytes of the state, once everything around it has been checked.
fn state_of<'a>(patch: &Patch, bytes: &'a [u8]) -> Result<&'a [u8], SnapshotError> {
    let begins = bytes.iter().zip(MAGIC).all(|(byte, magic)| *byte == magic);
    if !begins {
        return Err(SnapshotError::NoSnapshot);
    }
    let cut_off = |expected: usize| SnapshotError::CutOff { found: bytes.len(), expected };
    let short = |_| cut_off(HEADER + CHECKSUM);
    let mut header = Source::new(bytes);
    header.take::<8>().map_err(short)?;
    let mut numbers = [0u32; 2];
    numbers.read(&mut header).map_err(short)?;
    let [version, sample_rate] = numbers;
    if version != VERSION {
        return Err(SnapshotError::Version { found: version, expected: VERSION });
    }
    let fingerprint = header.number().map_err(short)?;
    let length = usize::try_from(header.number().map_err(short)?).unwrap_or(usize::MAX);
    let end = HEADER.saturating_add(length);
    let state = bytes.get(HEADER..end).ok_or(cut_off(end.saturating_add(CHECKSUM)))?;
    let sum = bytes[end..].first_chunk().ok_or(cut_off(end.saturating_add(CHECKSUM)))?;
    if u64::from_le_bytes(*sum) != checksum(&bytes[..end]) || bytes.len() != end + CHECKSUM {
        return Err(SnapshotError::Damaged);
    }
    if sample_rate != patch.sample_rate() {
        return Err(SnapshotError::SampleRate { found: sample_rate, expected: patch.sample_rate() });
    }
    if fingerprint != patch.0.fingerprint {
        return Err(SnapshotError::OtherInstrument);
    }
    Ok(state)
}

/// FNV-1a: every byte changes it, whatever the others are.
struct Fnv(u64);

impl Fnv {
    const EMPTY: Self = Self(0xcbf2_9ce4_8422_2325);

    fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

impl Write for Fnv {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.add(text.as_bytes());
        Ok(())
    }
}

fn checksum(bytes: &[u8]) -> u64 {
    let mut sum = Fnv::EMPTY;
    sum.add(bytes);
    sum.0
}

/// A number that tells instruments apart: of everything that the file, its knobs and settings came to, at a sample rate.
pub(crate) fn fingerprint(spec: &ictus_instrument::Spec, sample_rate: u32) -> u64 {
    let mut sum = Fnv::EMPTY;
    // hashing cannot fail
    let _ = write!(sum, "{sample_rate} {spec:?}");
    sum.0
}
