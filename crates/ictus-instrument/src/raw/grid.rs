//! Membranes and plates on a grid, drums, and the wires that lie over them, as written.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Material, Method, ObjectShape, Side};
use crate::number::{
    AirCells, Exponent, Factor, Finite, GridCells, Named, NonNegative, PedalFactor, Positive, PositiveFactor, WireCount,
};

/// A membrane or plate of a material, point by point instead of mode by mode.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Grid {
    /// Name by which the rest of the file refers to it.
    pub id: String,
    /// A membrane or a plate with its dimensions.
    pub shape: ObjectShape,
    /// What it is made of: a name of the table, or a table of its own.
    pub material: Material,
    /// Where a membrane's lowest mode sounds; instead of the pitch its tension gives it.
    pub frequency_hz: Option<Positive>,
    /// Decay times T60 at two frequencies, [[hz, s], [hz, s]]; instead of the material's.
    pub decay: Option<[(Positive, Positive); 2]>,
    /// Cells across the longer side, 4 to 1000; the finest grid that is stable if not given.
    pub points: Option<GridCells>,
    /// Where it can be touched or heard: name and point, in the coordinates of the shape.
    #[serde(default)]
    pub ports: Named<[Factor; 2]>,
}

/// One or two membranes on a shell with the air between them.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Drum {
    /// Name by which the rest of the file refers to it.
    pub id: String,
    /// Radius of the heads.
    pub radius_m: Positive,
    /// Depth of the shell, which with the radius gives the volume of air.
    pub depth_m: Positive,
    /// Slices of the air between the heads, 1 to 64: 1 is a spring, more have resonances.
    pub air_cells: Option<AirCells>,
    /// Time in which a resonance of the air dies away by 60 dB.
    pub air_decay_s: Option<Positive>,
    /// One head, or two: the second is the lower one.
    #[schemars(length(min = 1, max = 2))]
    pub heads: Vec<Head>,
    /// Where it can be touched or heard: name and [head, x, y], the point in the unit disc.
    #[serde(default)]
    pub ports: Named<(String, Factor, Factor)>,
}

/// A head of a drum; give `tension_n_m` or `frequency_hz`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [{ "required": ["tension_n_m"] }, { "required": ["frequency_hz"] }]))]
pub(crate) struct Head {
    /// Name by which ports and wires refer to it.
    pub name: String,
    /// Thickness.
    pub thickness_m: Positive,
    /// What it is made of.
    pub material: Material,
    /// Tension per length of rim; instead of `frequency_hz`.
    pub tension_n_m: Option<Positive>,
    /// Where its lowest mode would sound without the air; instead of `tension_n_m`.
    pub frequency_hz: Option<Positive>,
    /// Decay times T60 at two frequencies, [[hz, s], [hz, s]]; instead of the material's.
    pub decay: Option<[(Positive, Positive); 2]>,
    /// Cells across the diameter, 4 to 1000; the finest grid that is stable if not given.
    pub points: Option<GridCells>,
    /// Pitch over time as a factor, [[s, 0.1 to 10], …], straight between points, ends held: the foot on the pedal.
    #[schemars(length(min = 1))]
    pub pedal: Option<Vec<(NonNegative, PedalFactor)>>,
}

/// Wires that lie side by side over a membrane or plate and collide with it all along: `stiffness` or `density`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [{ "required": ["stiffness"] }, { "required": ["density"] }]))]
pub(crate) struct Wires {
    /// Name; "wires" if not given.
    #[serde(rename = "id")]
    pub _id: Option<String>,
    /// A resonator on a grid, or a head of a drum: "drum.snare".
    pub on: String,
    /// How many, 1 to 64; 10 if not given.
    pub count: Option<WireCount>,
    /// Where the middle one begins, in the coordinates of the surface.
    pub from: [Factor; 2],
    /// Where the middle one ends.
    pub to: [Factor; 2],
    /// Distance between the outermost; 40 mm if not given.
    pub spread_m: Option<NonNegative>,
    /// On which side of the surface they lie; below if not given.
    pub side: Option<Side>,
    /// Distance from the surface at rest; 0 if not given, below 0 pressed on it.
    pub gap_m: Option<Finite>,
    /// Mass per length of one wire.
    pub density_kg_m: Positive,
    /// Tension of one wire.
    pub tension_n: Positive,
    /// Loss at all frequencies, sigma 0; 0 if not given.
    pub damping_1_s: Option<NonNegative>,
    /// Loss growing with frequency, sigma 1; 0 if not given.
    pub damping_m2_s: Option<NonNegative>,
    /// Stiffness of each point of contact in N/m^exponent; instead of `density`.
    pub stiffness: Option<PositiveFactor>,
    /// Stiffness per metre of wire in N/m^(exponent + 1); instead of `stiffness`.
    pub density: Option<PositiveFactor>,
    /// Power of the compression, 1 to 5; 1.5 if not given.
    pub exponent: Option<Exponent>,
    /// Hunt–Crossley damping; 0 if not given.
    pub damping_s_m: Option<NonNegative>,
    /// How the contact is solved.
    #[serde(default)]
    pub method: Method,
    /// Height added to the wires over time, [[s, m], …], straight between points, ends held: the strainer.
    #[schemars(length(min = 1))]
    pub lift: Option<Vec<(NonNegative, Finite)>>,
    /// Lay the wires along rows of the surface's grid, where every point of contact is solved by itself; true if not given.
    pub snap: Option<bool>,
}
