//! Shapes of objects and grids: as written, and the way to those of `ictus-objects`.

use ictus_objects as objects;
use ictus_objects::Shape;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::number::{NonNegative, Positive, UnitInterval};

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
    /// Membrane on a kettle with its air; x, y in the unit disc, or x, y, z in the air above.
    Kettledrum(Kettledrum),
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

/// Membrane on a kettle, with the air above and below it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Kettledrum {
    /// Radius.
    pub radius_m: Positive,
    /// Thickness.
    pub thickness_m: Positive,
    /// Tension per length of rim.
    pub tension_n_m: Positive,
    /// Volume of the kettle over the area of the head.
    pub depth_m: Positive,
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
    /// Neither moves nor turns on all sides.
    Clamped,
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

/// Masses in a row with springs and dampers between them.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Chain {
    /// The n masses.
    #[schemars(length(min = 1, max = 1024))]
    pub masses_kg: Vec<Positive>,
    /// The n + 1 springs: wall to first, between neighbours, last to wall; 0 for none.
    #[schemars(length(min = 2, max = 1025))]
    pub springs_n_m: Vec<NonNegative>,
    /// The n + 1 dampers beside them; none if not given. With dampers the material may be left out.
    #[schemars(length(min = 2, max = 1025))]
    pub dampers_n_s_m: Option<Vec<NonNegative>>,
}

pub(crate) fn shape(raw: &ObjectShape) -> Shape {
    match raw {
        ObjectShape::Bar(raw) => Shape::Bar {
            length_m: raw.length_m.0,
            width_m: raw.width_m.0,
            thickness_m: raw.thickness_m.0,
            ends: match raw.ends {
                BarEnds::FreeFree => objects::BarEnds::FreeFree,
                BarEnds::ClampedFree => objects::BarEnds::ClampedFree,
                BarEnds::Supported => objects::BarEnds::Supported,
            },
        },
        ObjectShape::String(raw) => {
            Shape::String { length_m: raw.length_m.0, diameter_m: raw.diameter_m.0, tension_n: raw.tension_n.0 }
        }
        ObjectShape::RectangularMembrane(raw) => Shape::RectangularMembrane {
            length_m: raw.length_m.0,
            width_m: raw.width_m.0,
            thickness_m: raw.thickness_m.0,
            tension_n_m: raw.tension_n_m.0,
        },
        ObjectShape::CircularMembrane(raw) => Shape::CircularMembrane {
            radius_m: raw.radius_m.0,
            thickness_m: raw.thickness_m.0,
            tension_n_m: raw.tension_n_m.0,
        },
        ObjectShape::Kettledrum(raw) => Shape::Kettledrum {
            radius_m: raw.radius_m.0,
            thickness_m: raw.thickness_m.0,
            tension_n_m: raw.tension_n_m.0,
            depth_m: raw.depth_m.0,
        },
        ObjectShape::RectangularPlate(raw) => Shape::RectangularPlate {
            length_m: raw.length_m.0,
            width_m: raw.width_m.0,
            thickness_m: raw.thickness_m.0,
            edges: match raw.edges {
                RectangularEdges::Free => objects::RectangularEdges::Free,
                RectangularEdges::Supported => objects::RectangularEdges::Supported,
                RectangularEdges::Clamped => objects::RectangularEdges::Clamped,
            },
        },
        ObjectShape::CircularPlate(raw) => Shape::CircularPlate {
            radius_m: raw.radius_m.0,
            thickness_m: raw.thickness_m.0,
            edge: match raw.edge {
                CircularEdge::Free => objects::CircularEdge::Free,
                CircularEdge::Clamped => objects::CircularEdge::Clamped,
                CircularEdge::Supported => objects::CircularEdge::Supported,
            },
        },
        ObjectShape::Ring(raw) => {
            Shape::Ring { radius_m: raw.radius_m.0, thickness_m: raw.thickness_m.0, width_m: raw.width_m.0 }
        }
        ObjectShape::Glass(raw) => {
            Shape::Glass { radius_m: raw.radius_m.0, height_m: raw.height_m.0, thickness_m: raw.thickness_m.0 }
        }
        ObjectShape::BoxCavity(raw) => Shape::BoxCavity {
            length_m: raw.length_m.0,
            width_m: raw.width_m.0,
            height_m: raw.height_m.0,
            absorption: raw.absorption.map_or(0.0, |x| x.0),
        },
        ObjectShape::Tube(raw) => Shape::Tube {
            length_m: raw.length_m.0,
            radius_m: raw.radius_m.0,
            ends: match raw.ends {
                TubeEnds::OpenOpen => objects::TubeEnds::OpenOpen,
                TubeEnds::OpenClosed => objects::TubeEnds::OpenClosed,
                TubeEnds::ClosedClosed => objects::TubeEnds::ClosedClosed,
            },
        },
        ObjectShape::Chain(raw) => Shape::Chain {
            masses_kg: raw.masses_kg.iter().map(|x| x.0).collect(),
            dampers_n_s_m: raw.dampers_n_s_m.iter().flatten().map(|x| x.0).collect(),
            springs_n_m: raw.springs_n_m.iter().map(|x| x.0).collect(),
        },
    }
}
