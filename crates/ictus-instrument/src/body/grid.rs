//! Membranes and plates on a grid: as written, resolved, and the way between.

use ictus_objects::{CircularEdge, Material, Shape};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::material::{self, MaterialChoice};
use super::shape::{ObjectShape, shape};
use super::{Body, plain_port_names, two_decays};
use crate::context::Context;
use crate::error::Error;
use crate::number::{Factor, GridCells, Named, Positive};
use crate::path::{Seg, trail};

/// A membrane or plate of a material, point by point instead of mode by mode.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename = "Grid", deny_unknown_fields)]
pub(crate) struct GridTable {
    /// Name by which the rest of the file refers to it.
    pub id: String,
    /// A membrane or a plate with its dimensions.
    pub shape: ObjectShape,
    /// What it is made of: a name of the table, or a table of its own.
    pub material: MaterialChoice,
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

/// A membrane or plate on a grid.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Grid {
    /// A membrane or a plate.
    pub shape: Shape,
    /// What it is made of.
    pub material: Material,
    /// Where a membrane's lowest mode sounds.
    pub frequency_hz: Option<f64>,
    /// T60 at two frequencies, `(hz, s)`, the lower first; the material's where not given.
    pub decay: Option<[(f64, f64); 2]>,
    /// Cells across the longer side, 4 to 1000.
    pub points: Option<usize>,
    /// In file order.
    pub ports: Vec<GridPort>,
}

/// Where a surface can be touched or heard.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GridPort {
    /// Name within the resonator.
    pub name: String,
    /// Which head of a drum; 0 for other surfaces.
    pub head: usize,
    /// In the coordinates of the shape; `None` for the mean of the surface.
    pub at: Option<[f64; 2]>,
}

impl Body for Grid {
    fn port_names(&self) -> Vec<&str> {
        self.ports.iter().map(|port| port.name.as_str()).collect()
    }
}

pub(crate) fn grid(context: &Context, base: &[Seg], raw: GridTable) -> Result<Grid, Error> {
    let at = |key: &str| [base, &trail![key]].concat();
    plain_port_names(context, base, &raw.ports)?;
    let shape = shape(&raw.shape);
    let membrane = matches!(shape, Shape::RectangularMembrane { .. } | Shape::CircularMembrane { .. });
    let plate = matches!(shape, Shape::RectangularPlate { .. } | Shape::CircularPlate { .. });
    if !membrane && !plate {
        let message = format!(
            "`{}` is neither a membrane nor a plate, which only modes compute",
            context.names.show(&at("shape"))
        );
        return Err(context
            .error(&at("shape"), "instrument::conflict", message, "expected a membrane or a plate")
            .help("`kind = \"modes\"` takes every shape"));
    }
    if matches!(shape, Shape::CircularPlate { edge: CircularEdge::Supported, .. }) {
        let at = [base, &trail!["shape", "circular_plate", "edge"]].concat();
        let message = format!("{}, which a round plate on a grid cannot have", context.state(&at));
        return Err(context
            .error(&at, "instrument::conflict", message, "expected \"free\" or \"clamped\"")
            .help("`kind = \"modes\"` computes round plates with a supported edge"));
    }
    if plate && raw.frequency_hz.is_some() {
        let message = format!(
            "`{}` is given, but a plate sounds as its thickness makes it",
            context.names.show(&at("frequency_hz"))
        );
        return Err(context
            .error(&at("frequency_hz"), "instrument::conflict", message, "goes with a membrane")
            .help("change its thickness, or use `kind = \"modes\"`, which can be tuned"));
    }
    let ports = raw.ports.0.into_iter().map(|(name, [x, y])| GridPort { name, head: 0, at: Some([x.0, y.0]) });
    Ok(Grid {
        shape,
        material: material::material(context, &at("material"), raw.material)?,
        frequency_hz: raw.frequency_hz.map(|x| x.0),
        decay: decay(context, &at("decay"), raw.decay)?,
        points: raw.points.map(|n| n.0 as usize),
        ports: ports.collect(),
    })
}

/// Two decay times, the lower frequency first and no shorter.
pub(super) fn decay(
    context: &Context,
    at: &[Seg],
    raw: Option<[(Positive, Positive); 2]>,
) -> Result<Option<[(f64, f64); 2]>, Error> {
    let Some(raw) = raw else { return Ok(None) };
    two_decays(context, at, raw).map(Some)
}
