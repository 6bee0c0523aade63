//! The file as written: one struct per table, unknown keys refused. The JSON schema comes from these types,
//! so their comments are what an editor shows. Here are the tables of the file itself; those of resonators, interactions, gestures and of
//! what lies along strings and surfaces are with their kinds.
//!
//! A tagged table (`kind = …`) is declared as an enum; the decoder reads the tag from the table itself.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::barrier::BarrierTable;
use crate::body::BodyTable;
use crate::finger::FingerTable;
use crate::gesture::GestureTable;
use crate::input::InputTable;
use crate::law::LawTable;
use crate::modulator::ModulatorTable;
use crate::number::{Factor, Finite, Format, Length, NonNegative, Oversampling, Pan, Scalar, UnitInterval};
use crate::wires::WiresTable;

/// An ictus instrument, format 1: resonators, the contacts between them, gestures and listening points.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("required" = ["format", "resonator", "tap"]))]
pub(crate) struct File {
    /// Version of the file format.
    #[expect(dead_code, reason = "checked before decoding")]
    pub format: Format,
    /// Title of the instrument.
    #[serde(default)]
    pub title: String,
    /// Time-stepping scheme.
    #[serde(default)]
    pub scheme: Scheme,
    /// Steps per output sample: 1, 2, 4 or 8.
    pub oversampling: Option<Oversampling>,
    /// Seed of every random choice.
    pub seed: Option<u64>,
    /// Suggested render length in seconds.
    pub seconds: Option<Length>,
    /// Fade-out at the end of the sound, in seconds.
    pub fade_s: Option<NonNegative>,
    /// Pull on every mass towards negative displacement.
    pub gravity_m_s2: Option<Finite>,
    /// How a preset browser shows the file.
    pub preset: Option<Preset>,
    /// Things that store energy and can be touched.
    #[serde(default)]
    pub resonator: Vec<BodyTable>,
    /// Contacts and couplings.
    #[serde(default)]
    pub interaction: Vec<LawTable>,
    /// Obstacles along strings.
    #[serde(default)]
    pub barrier: Vec<BarrierTable>,
    /// Wires over membranes and plates.
    #[serde(default)]
    pub wires: Vec<WiresTable>,
    /// Soft fingertips on strings.
    #[serde(default)]
    pub finger: Vec<FingerTable>,
    /// What the player does.
    #[serde(default)]
    pub gesture: Vec<GestureTable>,
    /// Listening points.
    #[serde(default)]
    pub tap: Vec<Tap>,
    /// What the player moves while it sounds.
    #[serde(default)]
    pub input: Vec<InputTable>,
    /// What moves inputs by itself.
    #[serde(default)]
    pub modulator: Vec<ModulatorTable>,
    /// Knobs from 0 to 1.
    #[serde(default)]
    #[expect(dead_code, reason = "decoded earlier, because knobs change the other values")]
    pub control: Vec<Control>,
}

/// Time-stepping scheme of an instrument.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scheme {
    /// Implicit midpoint rule: stable at any stiffness.
    #[default]
    Midpoint,
    /// Explicit leapfrog: cheap, with a stability limit.
    Leapfrog,
}

/// How a preset browser shows the file.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Preset {
    /// Thing, then touch, in Title Case, at most 28 characters: "Wine Glass, Wet Finger".
    #[schemars(length(max = 28))]
    pub name: String,
    /// The touch that makes the sound.
    pub category: Category,
    /// Free words for searching.
    #[serde(default)]
    pub tags: Vec<String>,
    /// One line for the player.
    pub how_to_play: Option<String>,
    /// One line for the listener.
    pub listen_for: Option<String>,
    /// Playable range, in words.
    pub range: Option<String>,
    /// Who made it.
    pub author: Option<String>,
    /// Under which licence.
    pub licence: Option<String>,
}

/// The touch that makes the sound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Category {
    /// By a mallet, hammer or stick.
    Struck,
    /// Pulled and let go.
    Plucked,
    /// Rubbed by a bow or a wet finger.
    Bowed,
    /// Dragged over a rough surface.
    Scraped,
    /// Rolling on a surface.
    Rolled,
    /// Many small contacts.
    Rattled,
    /// With objects added to the body.
    Prepared,
}

/// A listening point.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tap {
    /// Name, also of the stem; "tap" if not given.
    #[serde(rename = "id")]
    pub _id: Option<String>,
    /// A port, or an interaction, barrier or finger when the quantity is force.
    pub from: String,
    /// What to listen to.
    #[serde(default)]
    pub quantity: Quantity,
    /// Factor; 1 if not given.
    pub gain: Option<Factor>,
    /// -1 left to 1 right; 0 if not given.
    pub pan: Option<Pan>,
}

/// What a tap reads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// Of a port, m/s.
    #[default]
    Velocity,
    /// Of a port, m.
    Displacement,
    /// Of a port, m/s².
    Acceleration,
    /// Of an interaction, or all contacts of a barrier or finger together, N.
    Force,
}

/// A knob from 0 to 1.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Control {
    /// Name by which `--set` and MIDI refer to it.
    pub id: String,
    /// Name on the panel; the id if not given.
    pub name: Option<String>,
    /// Position at start; 0.5 if not given.
    pub default: Option<UnitInterval>,
    /// What it drives.
    #[serde(default)]
    pub map: Vec<Map>,
}

/// One parameter a knob drives: `range` for the linear and exponential curves, `table` for the table.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Map {
    /// Path of the parameter: "mallet.mass_kg", "bar.decay_s[1]", "throw.velocity_m_s".
    pub to: String,
    /// How the knob travels.
    #[serde(default)]
    pub curve: CurveKind,
    /// Values at 0 and 1.
    pub range: Option<[Scalar; 2]>,
    /// [[knob, value], …], knob strictly increasing from 0 to 1.
    pub table: Option<Vec<(UnitInterval, Scalar)>>,
    /// Multiply what the file gives instead of replacing it: every number of a list, the second column of a curve.
    #[serde(default)]
    pub scale: bool,
}

/// How a knob travels between its ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CurveKind {
    /// In a straight line.
    #[default]
    Linear,
    /// In equal ratios; both ends non-zero and of the same sign.
    Exponential,
    /// Through given points, straight between them.
    Table,
}
