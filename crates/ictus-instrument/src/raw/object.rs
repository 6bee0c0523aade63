//! Modes from a shape and a material, as written.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{MapAccess, Visitor, value::MapAccessDeserializer};
use serde::{Deserialize, Deserializer};

use super::Discretisation;
use crate::number::{
    Factor, Named, NonNegative, NonNegativeFactor, ObjectModeCount, OneOrMany, Positive, PositiveFactor, UnitInterval,
};

/// A bank of modes computed from a shape and a material.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Object {
    /// Name by which the rest of the file refers to it.
    pub id: String,
    /// What it looks like: one shape with its dimensions.
    pub shape: ObjectShape,
    /// What it is made of: a name of the table, or a table of its own; not for air.
    pub material: Option<Material>,
    /// Where the ratio 1 of `tuning` sounds, by default the first partial; if not given it sounds as its dimensions make it.
    pub frequency_hz: Option<Positive>,
    /// Frequencies of the first partials as multiples of the pitch, rising; higher ones follow the last.
    #[schemars(length(min = 1, max = 64))]
    pub tuning: Option<Vec<PositiveFactor>>,
    /// Factor on all decay times; 1 if not given.
    pub decay_scale: Option<PositiveFactor>,
    /// Highest frequency of a mode; 20 kHz if not given.
    pub max_hz: Option<Positive>,
    /// Most modes, 1 to 4096, the lowest first; 100 if not given.
    pub max_modes: Option<ObjectModeCount>,
    /// A second object and how far the way to it has been gone.
    pub morph: Option<Morph>,
    /// Where it can be touched or heard: name and point, one to three coordinates of the shape.
    #[serde(default)]
    pub ports: Named<OneOrMany<Factor>>,
    /// How much tighter a string, membrane or plate pulls when it is bent, as a multiple of what its material does; 0 if not given.
    pub stretching: Option<NonNegativeFactor>,
    /// How a mode is stepped.
    #[serde(default)]
    pub discretisation: Discretisation,
}

/// The way from one object to another.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Morph {
    /// What the second looks like; as the first if not given.
    pub shape: Option<ObjectShape>,
    /// What the second is made of; as the first if not given.
    pub material: Option<Material>,
    /// Pitch of the second; as the first if not given.
    pub frequency_hz: Option<Positive>,
    /// Ratios of the second; as the first if not given and the shape is the same.
    #[schemars(length(min = 1, max = 64))]
    pub tuning: Option<Vec<PositiveFactor>>,
    /// Factor on the second's decay times; as the first if not given.
    pub decay_scale: Option<PositiveFactor>,
    /// 0 for the first object, 1 for the second.
    pub amount: UnitInterval,
    /// Points of the second object where they differ from the first's.
    #[serde(default)]
    pub ports: Named<OneOrMany<Factor>>,
}

/// A shape and its dimensions.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ObjectShape {
    /// Bar in bending; x along it.
    Bar(Bar),
    /// Stiff string between supports; x along it.
    String(ObjectString),
    /// Membrane on a frame; x, y from 0 to 1.
    RectangularMembrane(RectangularMembrane),
    /// Membrane on a hoop; x, y in the unit disc.
    CircularMembrane(CircularMembrane),
    /// Rectangular plate; x, y from 0 to 1.
    RectangularPlate(RectangularPlate),
    /// Circular plate; x, y in the unit disc.
    CircularPlate(CircularPlate),
    /// Ring bending in its plane; x once around.
    Ring(Ring),
    /// Wine glass, bowl or bell; x once around, y from foot to rim.
    Glass(Glass),
    /// Air in a box; x, y, z from 0 to 1.
    BoxCavity(BoxCavity),
    /// Air in a narrow tube; x along it.
    Tube(Tube),
    /// Masses in a row; x = i/(n - 1) is mass i.
    Chain(Chain),
}

/// Bar in bending.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Bar {
    /// Length.
    pub length_m: Positive,
    /// Width; matters to the mass only.
    pub width_m: Positive,
    /// Thickness in the direction of motion.
    pub thickness_m: Positive,
    /// How it is held.
    #[serde(default)]
    pub ends: BarEnds,
}

/// How the ends of a bar are held.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum BarEnds {
    /// Both free.
    #[default]
    FreeFree,
    /// Clamped at x = 0.
    ClampedFree,
    /// Both simply supported.
    Supported,
}

/// Stiff string between supports.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ObjectString {
    /// Speaking length.
    pub length_m: Positive,
    /// Diameter.
    pub diameter_m: Positive,
    /// Tension.
    pub tension_n: Positive,
}

/// Membrane on a frame.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RectangularMembrane {
    /// Side in x.
    pub length_m: Positive,
    /// Side in y.
    pub width_m: Positive,
    /// Thickness.
    pub thickness_m: Positive,
    /// Tension per length of rim.
    pub tension_n_m: Positive,
}

/// Membrane on a hoop.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CircularMembrane {
    /// Radius.
    pub radius_m: Positive,
    /// Thickness.
    pub thickness_m: Positive,
    /// Tension per length of rim.
    pub tension_n_m: Positive,
}

/// Rectangular plate.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RectangularPlate {
    /// Side in x.
    pub length_m: Positive,
    /// Side in y.
    pub width_m: Positive,
    /// Thickness.
    pub thickness_m: Positive,
    /// How the rim is held.
    #[serde(default)]
    pub edges: RectangularEdges,
}

/// How the rim of a rectangular plate is held.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RectangularEdges {
    /// Free on all sides.
    #[default]
    Free,
    /// Simply supported on all sides.
    Supported,
}

/// Circular plate.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CircularPlate {
    /// Radius.
    pub radius_m: Positive,
    /// Thickness.
    pub thickness_m: Positive,
    /// How the rim is held.
    #[serde(default)]
    pub edge: CircularEdge,
}

/// How the rim of a circular plate is held.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CircularEdge {
    /// Free.
    #[default]
    Free,
    /// Neither moves nor turns.
    Clamped,
    /// Does not move, turns freely.
    Supported,
}

/// Ring bending in its plane.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ring {
    /// Mean radius.
    pub radius_m: Positive,
    /// Thickness along the radius.
    pub thickness_m: Positive,
    /// Width along the axis; matters to the mass only.
    pub width_m: Positive,
}

/// Wine glass, bowl or bell.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Glass {
    /// Radius.
    pub radius_m: Positive,
    /// Height of the wall.
    pub height_m: Positive,
    /// Thickness of the wall.
    pub thickness_m: Positive,
}

/// Air in a box.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BoxCavity {
    /// Side in x.
    pub length_m: Positive,
    /// Side in y.
    pub width_m: Positive,
    /// Side in z.
    pub height_m: Positive,
    /// Share of sound the walls absorb; 0 if not given.
    pub absorption: Option<UnitInterval>,
}

/// Air in a narrow tube.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tube {
    /// Length.
    pub length_m: Positive,
    /// Radius.
    pub radius_m: Positive,
    /// Which ends are open.
    #[serde(default)]
    pub ends: TubeEnds,
}

/// Which ends of a tube are open.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TubeEnds {
    /// Both.
    OpenOpen,
    /// Open at x = 0, closed at x = 1.
    #[default]
    OpenClosed,
    /// Neither.
    ClosedClosed,
}

/// Masses in a row with springs between them.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Chain {
    /// The n masses.
    #[schemars(length(min = 1, max = 1024))]
    pub masses_kg: Vec<Positive>,
    /// The n + 1 springs: wall to first, between neighbours, last to wall; 0 for none.
    #[schemars(length(min = 2, max = 1025))]
    pub springs_n_m: Vec<NonNegative>,
}

/// A name of the table of materials, or a table.
#[derive(Debug)]
pub(crate) enum Material {
    /// By name.
    Named(String),
    /// With its own numbers.
    Table(MaterialTable),
}

/// A material in numbers, from scratch or from one of the table.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MaterialTable {
    /// Name of the material the other keys change; none if not given.
    pub base: Option<String>,
    /// Density.
    pub density_kg_m3: Option<Positive>,
    /// Young's modulus.
    pub young_pa: Option<Positive>,
    /// Poisson's ratio; 0.3 if not given.
    pub poisson: Option<Factor>,
    /// Decay rate at all frequencies; 0.5 1/s if not given.
    pub damping_1_s: Option<NonNegative>,
    /// Internal loss factor, whose decay rate is pi times it times the frequency; 0.001 if not given.
    pub loss_factor: Option<NonNegative>,
    /// Loss that grows with the square of the frequency, decay rate per Hz²; 0 if not given.
    pub viscous_s: Option<NonNegative>,
}

impl<'de> Deserialize<'de> for Material {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(MaterialVisitor)
    }
}

struct MaterialVisitor;

impl<'de> Visitor<'de> for MaterialVisitor {
    type Value = Material;

    fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("the name of a material, or a table")
    }
    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<Material, E> {
        Ok(Material::Named(name.to_owned()))
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Material, A::Error> {
        MaterialTable::deserialize(MapAccessDeserializer::new(map)).map(Material::Table)
    }
}

impl JsonSchema for Material {
    fn schema_name() -> Cow<'static, str> {
        "Material".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let table = generator.subschema_for::<MaterialTable>();
        let names: Vec<&str> = ictus_objects::materials().map(|material| material.name).collect();
        json_schema!({ "anyOf": [{ "enum": names }, table] })
    }
}
