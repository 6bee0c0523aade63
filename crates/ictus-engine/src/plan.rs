//! Plans: an instrument with all the expensive results of its compilation, as bytes that can be kept or sent elsewhere.
//!
//! Compiling has two stages. The first computes modes of shapes, radiation and rough profiles: up to half a second. The second, linking, builds the model from
//! them: about a millisecond. A browser compiles in a worker and links in the audio worklet; a host keeps the plan in its project. Both stages run the same code, so
//! a linked patch has the bits of a compiled one.
//!
//! The bytes: a magic word, the version of this layout, the version of the engine, a checksum, then the content. Another version of the engine may compute other
//! numbers, so a plan is for the version that made it; the text in it can be read from any ([`Plan::text_in`]).

use crate::patch::Patch;
use crate::results::{Entry, Results};
use ictus_instrument::{Error, Loaded, load};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// An instrument at one sample rate, with the expensive results of its compilation.
///
/// ```
/// use ictus_engine::{Plan, Player, presets};
///
/// let preset = presets::find("marimba-bar").expect("it exists");
/// let loaded = ictus_instrument::load(preset.stem, preset.text, &[])?;
/// let plan = Plan::compile(&loaded, 48_000)?; // a worker
/// let bytes = plan.to_bytes(); // to another thread, another machine, a file
/// let patch = Plan::from_bytes(&bytes).expect("made by this version").link()?;
/// let player = Player::new(&patch);
/// # Ok::<(), ictus_instrument::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Plan {
    source: Source,
    results: Vec<Entry>,
}

/// What is compiled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Source {
    name: String,
    text: String,
    settings: Vec<(String, String)>,
    sample_rate: u32,
}

/// Why bytes are no plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanError {
    /// They do not begin as a plan does.
    NotAPlan,
    /// Another version of the engine made them.
    OtherVersion {
        /// Layout and engine that made them.
        made_by: String,
    },
    /// They are cut off or changed.
    Damaged,
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::NotAPlan => f.write_str("these bytes are not a plan"),
            Self::OtherVersion { made_by } => {
                write!(f, "this plan was made by {made_by}, expected {}: compile its text again", version())
            }
            Self::Damaged => f.write_str("this plan is cut off or damaged: compile its text again"),
        }
    }
}

impl std::error::Error for PlanError {}

const MAGIC: [u8; 8] = *b"ictusPLN";
/// Version of the layout and of what results mean. Raise it when a result or the numbers that it depends on change.
const LAYOUT: u32 = 1;

/// Layout and engine.
fn version() -> String {
    format!("ictus {} (plan {LAYOUT})", env!("CARGO_PKG_VERSION"))
}

impl Plan {
    /// Compiles a loaded file. Allocates and takes its time: not for the audio thread.
    ///
    /// # Errors
    /// As [`Patch::compile`].
    pub fn compile(loaded: &Loaded, sample_rate: u32) -> Result<Self, Error> {
        let results = Results::new(usize::MAX);
        Patch::compile_with(loaded, sample_rate, &results)?;
        let source = Source {
            name: loaded.name().to_owned(),
            text: loaded.text().to_owned(),
            settings: loaded.settings(),
            sample_rate,
        };
        Ok(Self { source, results: results.entries() })
    }

    /// The patch. Allocates, but takes a millisecond or two; nothing expensive is computed.
    ///
    /// # Errors
    /// None for a plan that this version of the engine has compiled.
    pub fn link(&self) -> Result<Patch, Error> {
        let Source { name, text, settings, sample_rate } = &self.source;
        let loaded = load(name, text, settings)?;
        let results = Results::complete(self.results.iter().cloned());
        Patch::compile_with(&loaded, *sample_rate, &results)
    }

    /// Output sample rate of the patch, Hz.
    pub fn sample_rate(&self) -> u32 {
        self.source.sample_rate
    }

    /// The text of the instrument file.
    pub fn text(&self) -> &str {
        &self.source.text
    }

    /// As bytes that [`from_bytes`](Self::from_bytes) reads on any machine.
    pub fn to_bytes(&self) -> Vec<u8> {
        let list: Vec<(&[u8], &[u8])> = self.results.iter().map(|(key, value)| (&key[..], &value[..])).collect();
        let content = [encoded(&self.source), encoded(&list)].concat();
        let header = (LAYOUT, version(), checksum(&content));
        [&MAGIC[..], &encoded(&header), &content].concat()
    }

    /// The plan in these bytes.
    ///
    /// # Errors
    /// Bytes that are no plan, of another version, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, PlanError> {
        let (header, content) = header(bytes)?;
        if (header.0, header.1.as_str()) != (LAYOUT, version().as_str()) {
            return Err(PlanError::OtherVersion { made_by: header.1 });
        }
        if header.2 != checksum(content) {
            return Err(PlanError::Damaged);
        }
        let (source, rest) = decoded::<Source>(content)?;
        let (list, _) = decoded::<Vec<(&[u8], &[u8])>>(rest)?;
        let results = list.into_iter().map(|(key, value)| (key.to_vec(), Arc::from(value))).collect();
        Ok(Self { source, results })
    }

    /// The text of the instrument file in bytes of any version with this layout.
    ///
    /// # Errors
    /// Bytes that are no plan, of another layout, or damaged.
    pub fn text_in(bytes: &[u8]) -> Result<String, PlanError> {
        let (header, content) = header(bytes)?;
        if header.0 != LAYOUT {
            return Err(PlanError::OtherVersion { made_by: header.1 });
        }
        Ok(decoded::<Source>(content)?.0.text)
    }
}

/// Layout, version and checksum; and the content.
type Header = (u32, String, u64);

fn header(bytes: &[u8]) -> Result<(Header, &[u8]), PlanError> {
    let rest = bytes.strip_prefix(&MAGIC).ok_or(PlanError::NotAPlan)?;
    decoded(rest)
}

fn decoded<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<(T, &'a [u8]), PlanError> {
    postcard::take_from_bytes(bytes).map_err(|_| PlanError::Damaged)
}

fn encoded(value: &impl Serialize) -> Vec<u8> {
    postcard::to_allocvec(value).expect("lists, texts and numbers can be written to memory")
}

/// FNV-1a over words of eight bytes: against accidents, not against intent.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(0xcbf2_9ce4_8422_2325 ^ bytes.len() as u64, |hash, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23)
    })
}
