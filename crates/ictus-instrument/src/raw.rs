//! The file as written: one struct per table, unknown keys refused. The JSON schema comes from these types,
//! so their comments are what an editor shows.
//!
//! A tagged table (`kind = …`) is declared as an enum; the decoder reads the tag from the table itself.

mod barrier;
mod friction;
mod grid;
mod object;
mod scatter;
mod surface;

pub(crate) use scatter::Scatter;
pub(crate) use surface::Texture;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::number::{
    ConstantOrCurve, Exponent, Factor, Finite, Format, Fraction, Length, ModeCount, Named, NonNegative, OneOrMany,
    Oversampling, Pan, Points, Positive, PositiveFactor, PositiveOrInfinite, Scalar, Times, UnitInterval,
};

pub(crate) mod adhere;
pub(crate) mod felt;

pub use barrier::Side;
pub(crate) use barrier::{Barrier, Finger, Frets, Profile};
pub(crate) use friction::Friction;
pub use friction::{FrictionForm, FrictionModel};
pub(crate) use grid::{Drum, Grid, Head, Wires};
pub(crate) use object::{BarEnds, CircularEdge, Material, Morph, Object, ObjectShape, RectangularEdges, TubeEnds};

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
    /// Pull on every mass towards negative displacement.
    pub gravity_m_s2: Option<Finite>,
    /// How a preset browser shows the file.
    pub preset: Option<Preset>,
    /// Things that store energy and can be touched.
    #[serde(default)]
    pub resonator: Vec<Resonator>,
    /// Contacts and couplings.
    #[serde(default)]
    pub interaction: Vec<Interaction>,
    /// Obstacles along strings.
    #[serde(default)]
    pub barrier: Vec<Barrier>,
    /// Wires over membranes and plates.
    #[serde(default)]
    pub wires: Vec<Wires>,
    /// Soft fingertips on strings.
    #[serde(default)]
    pub finger: Vec<Finger>,
    /// What the player does.
    #[serde(default)]
    pub gesture: Vec<Gesture>,
    /// Listening points.
    #[serde(default)]
    pub tap: Vec<Tap>,
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

/// Something that stores energy and can be touched at its ports.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(tag = "kind")]
pub(crate) enum Resonator {
    /// A point mass.
    Mass(Mass),
    /// A bank of modes.
    Modes(Modes),
    /// A bank of modes, from a shape and a material.
    #[schemars(rename = "modes")]
    Object(Box<Object>),
    /// A stiff string.
    String(StiffString),
    /// A membrane or plate on a grid.
    Grid(Box<Grid>),
    /// Heads on a shell with air between them.
    Drum(Box<Drum>),
}

/// The kinds of resonator. Modes from a shape are told from listed ones by their keys.
pub(crate) const KINDS: [&str; 5] = ["mass", "modes", "string", "grid", "drum"];
/// Keys only modes from a shape have.
pub(crate) const OBJECT_KEYS: [&str; 3] = ["shape", "material", "morph"];

/// A point mass, optionally on a damped spring to ground. Its one port is its id.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Mass {
    /// Name by which the rest of the file refers to it.
    pub id: String,
    /// Mass.
    pub mass_kg: Positive,
    /// Spring to ground; 0 if not given.
    pub stiffness_n_m: Option<NonNegative>,
    /// Damper to ground; 0 if not given.
    pub damping_n_s_m: Option<NonNegative>,
    /// Displacement at time 0; 0 if not given.
    pub position_m: Option<Finite>,
    /// Velocity at time 0; 0 if not given.
    pub velocity_m_s: Option<Finite>,
}

/// A bank of modes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Modes {
    /// Name by which the rest of the file refers to it.
    pub id: String,
    /// One frequency per mode.
    pub frequency_hz: Vec<NonNegative>,
    /// Decay time T60, one for all or one per mode; `inf` for undamped.
    pub decay_s: OneOrMany<PositiveOrInfinite>,
    /// Modal mass, one for all or one per mode.
    pub mass_kg: OneOrMany<Positive>,
    /// Where it can be touched or heard: name and signed mode shapes, one value per mode.
    #[serde(default)]
    pub ports: Named<Vec<Factor>>,
    /// How a mode is stepped.
    #[serde(default)]
    pub discretisation: Discretisation,
}

/// How a mode is stepped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Discretisation {
    /// Frequency and decay exact at any sample rate.
    #[default]
    Exact,
    /// Plain midpoint rule, with its frequency warping.
    Bilinear,
}

/// A stiff, damped string; give `tension_n` or `frequency_hz`, and either the two damping keys or `decay`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend(
    "oneOf" = [{ "required": ["tension_n"] }, { "required": ["frequency_hz"] }],
    "not" = { "required": ["points", "modes"] },
))]
pub(crate) struct StiffString {
    /// Name by which the rest of the file refers to it.
    pub id: String,
    /// Length.
    pub length_m: Positive,
    /// Mass per length.
    pub density_kg_m: Positive,
    /// Tension; instead of `frequency_hz`.
    pub tension_n: Option<Positive>,
    /// Pitch of the string; instead of `tension_n`. The tension is set so that the fundamental sounds there.
    pub frequency_hz: Option<Positive>,
    /// Bending stiffness EI; 0 if not given.
    pub stiffness_n_m2: Option<NonNegative>,
    /// Loss at all frequencies, sigma 0; 0 if not given.
    pub damping_1_s: Option<NonNegative>,
    /// Loss growing with frequency, sigma 1; 0 if not given.
    pub damping_m2_s: Option<NonNegative>,
    /// Decay times T60 at two frequencies, [[hz, s], [hz, s]]; instead of the two damping keys.
    pub decay: Option<[(Positive, Positive); 2]>,
    /// Kelvin–Voigt relaxation time, only with the midpoint scheme; 0 if not given.
    pub kelvin_voigt_s: Option<NonNegative>,
    /// Boundary condition at both ends.
    #[serde(default)]
    pub ends: StringEnds,
    /// Number of grid intervals; chosen by the engine if not given.
    pub points: Option<Points>,
    /// Compute the string by this many modes; instead of a grid of `points`.
    pub modes: Option<ModeCount>,
    /// The string also turns under a bow; only with `modes`.
    pub torsion: Option<Torsion>,
    /// Axial stiffness EA, by which the string pulls tighter the further it is bent; 0 if not given.
    pub axial_stiffness_n: Option<NonNegative>,
    /// Where it can be touched or heard: name and fraction of the length.
    #[serde(default)]
    pub ports: Named<Fraction>,
    /// Direction of ports around the string, degrees, 0 for those not named; with it the string moves in two planes. Needs `modes`.
    pub angle_deg: Option<Named<Factor>>,
}

/// Twisting of a string, which what rubs it sets in motion too.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Torsion {
    /// Speed of torsional waves over that of transverse ones; 5.2 if not given.
    pub speed_ratio: Option<PositiveFactor>,
    /// Their impedance at the surface over that of transverse ones; 3.3 if not given.
    pub impedance_ratio: Option<PositiveFactor>,
    /// Their quality factor; 34 if not given.
    pub q: Option<PositiveFactor>,
}

/// Boundary condition at both ends of a string.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StringEnds {
    /// No displacement, free to turn.
    #[default]
    Supported,
    /// No displacement, no slope.
    Fixed,
}

/// A law between two ports, or a port and the wall.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(tag = "kind")]
pub(crate) enum Interaction {
    /// A one-sided contact.
    Collision(Box<Collision>),
    /// A one-sided contact that remembers.
    Felt(felt::Felt),
    /// Surfaces that slide along each other.
    Friction(Box<Friction>),
    /// Two ends that move as one.
    Adhere(adhere::Adhere),
    /// A linear spring and damper.
    Spring(Spring),
    /// A two-sided power law.
    NonlinearSpring(NonlinearSpring),
}

/// A one-sided contact with a power law; give `stiffness` or `contact_time_s`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [{ "required": ["stiffness"] }, { "required": ["contact_time_s"] }]))]
pub(crate) struct Collision {
    /// Name; made from the two ends if not given.
    #[serde(rename = "id")]
    pub _id: Option<String>,
    /// The two ends: ports, or one port and "wall". Compression is u_A - u_B - gap.
    pub between: [String; 2],
    /// Stiffness in N/m^exponent; instead of `contact_time_s`.
    pub stiffness: Option<PositiveFactor>,
    /// How long the contact lasts when a mass arrives at `at_m_s`; instead of `stiffness`.
    pub contact_time_s: Option<Positive>,
    /// Speed of arrival `contact_time_s` holds for; 1 m/s if not given.
    pub at_m_s: Option<Positive>,
    /// Power of the compression, 1 to 5; 1.5 if not given.
    pub exponent: Option<Exponent>,
    /// Separation at rest; 0 if not given.
    pub gap_m: Option<Finite>,
    /// Hunt–Crossley damping; 0 if not given.
    pub damping_s_m: Option<NonNegative>,
    /// How the contact is solved.
    #[serde(default)]
    pub method: Method,
    /// Height added to the surface over time, [[s, m], …], straight between points, ends held: the gap shrinks by it.
    #[schemars(length(min = 1))]
    pub lift: Option<Vec<(NonNegative, Finite)>>,
    /// A rough surface or a body out of round that passes under the point.
    pub texture: Option<Texture>,
    /// Speed at which it passes, m/s, or [[s, m/s], …], straight between points, ends held.
    pub speed_m_s: Option<ConstantOrCurve<Finite>>,
}

/// How a contact is solved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Discrete gradient, by iteration.
    #[default]
    Gradient,
    /// Quadratised energy: fixed cost, no iteration.
    Quadratised,
    /// Quadratised, with a predictor that corrects the gradient.
    QuadratisedCorrected,
}

/// A linear spring and damper between two ports.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Spring {
    /// Name; made from the two ends if not given.
    #[serde(rename = "id")]
    pub _id: Option<String>,
    /// The two ends: ports, or one port and "wall".
    pub between: [String; 2],
    /// Spring constant.
    pub stiffness_n_m: Option<NonNegative>,
    /// Damper; 0 if not given.
    pub damping_n_s_m: Option<NonNegative>,
}

/// A two-sided spring with a power law.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NonlinearSpring {
    /// Name; made from the two ends if not given.
    #[serde(rename = "id")]
    pub _id: Option<String>,
    /// The two ends: ports, or one port and "wall".
    pub between: [String; 2],
    /// Stiffness in N/m^exponent.
    pub stiffness: PositiveFactor,
    /// Power of the elongation, 1 to 5.
    pub exponent: Exponent,
}

/// Something the player does: exactly one of throw, pluck, strike, force, velocity, scatter.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [
    { "required": ["throw"] }, { "required": ["pluck"] }, { "required": ["strike"] },
    { "required": ["force"] }, { "required": ["velocity"] }, { "required": ["scatter"] },
]))]
pub(crate) struct Gesture {
    /// Name; the verb if not given.
    #[serde(rename = "id")]
    pub _id: Option<String>,
    /// When it starts; 0 if not given.
    pub at_s: Option<NonNegative>,
    /// Gives a mass a velocity.
    pub throw: Option<Throw>,
    /// Pulls a port and lets go.
    pub pluck: Option<Pluck>,
    /// A short force pulse.
    pub strike: Option<Strike>,
    /// A force over time.
    pub force: Option<ForceCurve>,
    /// A prescribed velocity over time.
    pub velocity: Option<VelocityCurve>,
    /// Throws masses at random moments, many times.
    pub scatter: Option<Scatter>,
    /// Do it again at intervals.
    pub repeat: Option<Repeat>,
}

/// Gives a mass a velocity.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Throw {
    /// Which mass.
    pub what: String,
    /// New velocity.
    pub velocity_m_s: Finite,
    /// New displacement, if it should change.
    pub position_m: Option<Finite>,
}

/// Pulls a port and lets go: `force_n` with `duration_s`, or `displacement_m`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pluck {
    /// Which port.
    pub what: String,
    /// Force at release.
    pub force_n: Option<Finite>,
    /// Time to release.
    pub duration_s: Option<Positive>,
    /// Displacement at release.
    pub displacement_m: Option<Finite>,
    /// Shape of the displaced body; static if not given.
    pub shape: Option<Shape>,
}

/// Shape a body takes when a port of it is displaced.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// The shape under a constant force at the port.
    #[default]
    Static,
    /// The lowest mode alone.
    Sine,
}

/// A short force pulse: `duration_s` with one of `force_n` and `impulse_n_s`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Strike {
    /// Which port.
    pub what: String,
    /// Length of the pulse.
    pub duration_s: Positive,
    /// Peak force.
    pub force_n: Option<Finite>,
    /// Integral of the force.
    pub impulse_n_s: Option<Finite>,
}

/// A force over time, piecewise linear.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ForceCurve {
    /// Which port.
    pub what: String,
    /// [[seconds after the start, newton], …], at least one point.
    pub curve: Vec<(NonNegative, Finite)>,
}

/// A prescribed velocity over time, piecewise linear.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VelocityCurve {
    /// Which port.
    pub what: String,
    /// [[seconds after the start, m/s], …], at least two points.
    pub curve: Vec<(NonNegative, Finite)>,
}

/// Repetition of a gesture.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Repeat {
    /// How often in all.
    pub times: Times,
    /// Interval.
    pub every_s: Positive,
    /// Relative random spread of the amplitude; 0 if not given.
    pub vary: Option<UnitInterval>,
    /// Random shift of each start, less than `every_s`; 0 if not given.
    pub jitter_s: Option<NonNegative>,
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
