//! The way from one object to another: as written, resolved, and the way between.

use ictus_objects as objects;
use ictus_objects::{Description, Point};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::material::{self, MaterialChoice, fit};
use super::object::{PointPort, point, ratios};
use super::shape::{ObjectShape, shape};
use crate::context::Context;
use crate::error::{Error, nearest};
use crate::number::{Factor, Named, OneOrMany, Positive, PositiveFactor, UnitInterval};
use crate::path::{Seg, trail};

/// The way from one object to another.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename = "Morph", deny_unknown_fields)]
pub(crate) struct MorphTable {
    /// What the second looks like; as the first if not given.
    pub shape: Option<ObjectShape>,
    /// What the second is made of; as the first if not given.
    pub material: Option<MaterialChoice>,
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

/// The way from one object to another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Morph {
    /// Where the way leads.
    pub description: Description,
    /// 0 for the first object, 1 for the second.
    pub amount: f64,
    /// Points of the second object, one per port.
    pub points: Vec<Point>,
}

/// Resolves the way from `first` with these `ports`; `own` is its material.
pub(super) fn morph(
    context: &Context,
    base: &[Seg],
    raw: MorphTable,
    first: &Description,
    own: Option<objects::Material>,
    ports: &[PointPort],
) -> Result<Morph, Error> {
    let at = |key: &str| [base, &trail![key]].concat();
    let reshaped = raw.shape.is_some();
    let shape = raw.shape.as_ref().map_or_else(|| first.shape.clone(), shape);
    let material = match raw.material {
        Some(raw) => Some(material::material(context, &at("material"), raw)?),
        // air in the second place takes nothing over
        None => own.filter(|_| !shape.is_air()),
    };
    let ratios = match raw.tuning {
        None if !reshaped => first.ratios.clone(),
        tuning => ratios(context, &at("tuning"), tuning)?,
    };
    let description = Description {
        material: fit(context, base, &shape, material)?,
        shape,
        pitch_hz: raw.frequency_hz.map(|x| x.0).or(first.pitch_hz),
        ratios,
        decay_scale: raw.decay_scale.map_or(first.decay_scale, |x| x.0),
        support: first.support,
    };
    let mut own_points: Vec<Point> = ports.iter().map(|port| port.point).collect();
    for (name, place) in raw.ports.0 {
        let here = [&at("ports"), &trail![name.as_str()][..]].concat();
        let Some(port) = ports.iter().position(|port| port.name == name) else {
            let message = format!("`{}` has no port of that name in the first object", context.names.show(&here));
            let help = nearest(&name, ports.iter().map(|port| port.name.as_str()));
            return Err(context
                .error(&here, "instrument::unknown_reference", message, "no such port")
                .maybe_help(help.map(|name| format!("did you mean `{name}`?"))));
        };
        own_points[port] = point(context, &here, place)?;
    }
    Ok(Morph { description, amount: raw.amount.0, points: own_points })
}
