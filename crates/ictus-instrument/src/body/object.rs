//! Modes from a shape and a material: as written, resolved, and the way between.

use ictus_objects as objects;
use ictus_objects::{Description, Microphone, Point, Shape};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::material::{self, MaterialChoice, fit};
use super::modes::{Discretisation, Weights, weights};
use super::morph::{Morph, MorphTable, morph};
use super::shape::{ObjectShape, shape};
use super::{Body, new_port_name, plain_port_names};
use crate::context::Context;
use crate::error::Error;
use crate::number::{
    Factor, Named, NonNegativeFactor, ObjectModeCount, OneOrMany, Positive, PositiveFactor, UnitInterval,
};
use crate::path::{Seg, trail};

/// What one hears.
const MAX_HZ: f64 = 20e3;
const MAX_MODES: u32 = 100;
/// Why other objects have no microphones.
const RADIATING: &str = "sound in the air is computed for round membranes and plates without `morph`";

/// A bank of modes computed from a shape and a material.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename = "Object", deny_unknown_fields)]
pub(crate) struct ObjectTable {
    /// Name by which the rest of the file refers to it.
    pub id: String,
    /// What it looks like: one shape with its dimensions.
    pub shape: ObjectShape,
    /// What it is made of: a name of the table, or a table of its own; not for air.
    pub material: Option<MaterialChoice>,
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
    pub morph: Option<MorphTable>,
    /// Where it can be touched or heard: name and point, one to three coordinates of the shape.
    #[serde(default)]
    pub ports: Named<OneOrMany<Factor>>,
    /// Microphones in the air over a round membrane or plate: name and [x, y, height in m], x and y in the coordinates of the shape.
    #[serde(default)]
    pub microphones: Named<(Factor, Factor, PositiveFactor)>,
    /// Let the modes of a round membrane or plate lose what they radiate into the air; false if not given.
    pub radiates: Option<bool>,
    /// How much tighter a string, membrane or plate pulls when it is bent, as a multiple of what its material does; 0 if not given.
    pub stretching: Option<NonNegativeFactor>,
    /// How a bar, plate or ring with free edges is held as a whole; fixed if not given.
    pub support: Option<Support>,
    /// How a mode is stepped.
    #[serde(default)]
    pub discretisation: Discretisation,
    /// Random change of the mode shapes at the ports, larger for higher modes, 0 to 1; 0 if not given.
    pub weight_spread: Option<UnitInterval>,
    /// Another draw of them; the file's seed if not given.
    pub weight_seed: Option<u64>,
}

/// How a body with free edges is held as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Support {
    /// It vibrates but does not move as a whole.
    Fixed,
    /// On soft cords: it recoils and comes back.
    Cords,
    /// Held by nothing: it recoils and flies away.
    Free,
}

/// A bank of modes computed from a shape and a material.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Object {
    /// Shape, material and tuning.
    pub description: Description,
    /// Highest frequency of a mode > 0, Hz.
    pub max_hz: f64,
    /// Most modes, 1 to 4096.
    pub max_modes: usize,
    /// A second object.
    pub morph: Option<Morph>,
    /// In file order.
    pub ports: Vec<PointPort>,
    /// Multiple ≥ 0 of what the material does by which it pulls tighter when bent; above 0 only for strings, membranes and plates without `morph`.
    pub stretching: f64,
    /// Its modes lose what they radiate; of round membranes and plates without `morph` only.
    pub radiates: bool,
    /// How a mode is stepped.
    pub discretisation: Discretisation,
    /// Random change of the mode shapes at the ports.
    pub weights: Option<Weights>,
}

/// Where an object can be touched or heard.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PointPort {
    /// Name within the resonator.
    pub name: String,
    /// In the coordinates of the shape; finite.
    pub point: Point,
    /// Heard by a microphone in the air instead of at the point.
    pub microphone: Option<Microphone>,
}

impl Body for Object {
    fn port_names(&self) -> Vec<&str> {
        self.ports.iter().map(|port| port.name.as_str()).collect()
    }

    fn free_mobility(&self, port: &str) -> f64 {
        match &self.description.shape {
            Shape::Chain { masses_kg, springs_n_m, .. }
                if springs_n_m.first() == Some(&0.0) && springs_n_m.last() == Some(&0.0) =>
            {
                1.0 / masses_kg.iter().sum::<f64>()
            }
            shape if self.description.support != objects::Support::Fixed => {
                let port = self.ports.iter().find(|known| known.name == port);
                port.map_or(0.0, |port| shape.rigid_mobility(&self.description.material, port.point))
            }
            _ => 0.0,
        }
    }

    fn can_be_touched(&self, port: usize) -> bool {
        let PointPort { point, microphone, .. } = &self.ports[port];
        let in_air = matches!(self.description.shape, Shape::Kettledrum { .. }) && point.z > 0.0;
        microphone.is_none() && !in_air
    }

    fn shape_values(&self) -> usize {
        (1 + usize::from(self.morph.is_some())) * self.max_modes * self.ports.len()
    }
}

/// Farthest coordinate of a place in the air, in radii.
const FARTHEST: f64 = 100.0;

/// Resolves an object.
pub(super) fn object(context: &Context, base: &[Seg], raw: ObjectTable) -> Result<Object, Error> {
    let at = |key: &str| [base, &trail![key]].concat();
    plain_port_names(context, base, &raw.ports)?;
    let mut points = points(context, &at("ports"), raw.ports)?;
    let shape = shape(&raw.shape);
    let material = match raw.material {
        Some(raw) => Some(material::material(context, &at("material"), raw)?),
        None => None,
    };
    let description = Description {
        material: fit(context, base, &shape, material.clone())?,
        shape,
        pitch_hz: raw.frequency_hz.map(|x| x.0),
        ratios: ratios(context, &at("tuning"), raw.tuning)?,
        decay_scale: raw.decay_scale.map_or(1.0, |x| x.0),
        support: support(raw.support),
    };
    description_fits(context, base, &description)?;
    near_enough(context, &at("ports"), &description, &points)?;
    let can_radiate = description.shape.can_radiate() && raw.morph.is_none();
    microphones(context, &at("microphones"), raw.microphones, can_radiate, &mut points)?;
    let radiates = raw.radiates.unwrap_or(false);
    if radiates && !can_radiate {
        let message = format!("{}, but {RADIATING}", context.state(&at("radiates")));
        return Err(context.error(&at("radiates"), "instrument::conflict", message, "not of this shape"));
    }
    let morph = match raw.morph {
        Some(raw) => Some(morph(context, &at("morph"), raw, &description, material, &points)?),
        None => None,
    };
    let stretching = raw.stretching.map_or(0.0, |x| x.0);
    if stretching > 0.0 {
        stretching_fits(context, base, &description, morph.is_some(), raw.discretisation)?;
    }
    Ok(Object {
        description,
        max_hz: raw.max_hz.map_or(MAX_HZ, |x| x.0),
        max_modes: raw.max_modes.map_or(MAX_MODES, |n| n.0) as usize,
        morph,
        ports: points,
        stretching,
        radiates,
        discretisation: raw.discretisation,
        weights: weights(raw.weight_spread, raw.weight_seed),
    })
}

/// Places in the air over a kettledrum lie within [`FARTHEST`]: the field takes longer to compute the farther away it is.
fn near_enough(context: &Context, ports: &[Seg], description: &Description, points: &[PointPort]) -> Result<(), Error> {
    let far = |port: &&PointPort| [port.point.x, port.point.y, port.point.z].iter().any(|x| x.abs() > FARTHEST);
    match points.iter().find(far) {
        Some(port) if matches!(description.shape, Shape::Kettledrum { .. }) => {
            let here = [ports, &trail![port.name.as_str()][..]].concat();
            Err(context.unexpected(&here, "instrument::out_of_range", "a place within 100 radii of the centre"))
        }
        _ => Ok(()),
    }
}

/// Support and tuning go with the shape.
fn description_fits(context: &Context, base: &[Seg], description: &Description) -> Result<(), Error> {
    let at = |key: &str| [base, &trail![key]].concat();
    if description.support != objects::Support::Fixed && !description.shape.can_be_loose() {
        let message = format!("{}, but this shape is held and does not move as a whole", context.state(&at("support")));
        return Err(context
            .error(&at("support"), "instrument::conflict", message, "goes with free edges")
            .help("bars with `ends = \"free_free\"`, plates with free edges and rings can be loose"));
    }
    if matches!(description.shape, Shape::Kettledrum { .. }) && !description.ratios.is_empty() {
        let message = format!(
            "`{}` is given, but the air puts the partials of a kettledrum where they are",
            context.names.show(&at("tuning"))
        );
        return Err(context
            .error(&at("tuning"), "instrument::conflict", message, "not of this shape")
            .help("change `radius_m`, `thickness_m` or `depth_m`; `frequency_hz` sets the tension"));
    }
    Ok(())
}

/// Microphones are ports too.
fn microphones(
    context: &Context,
    at: &[Seg],
    raw: Named<(Factor, Factor, PositiveFactor)>,
    can_radiate: bool,
    points: &mut Vec<PointPort>,
) -> Result<(), Error> {
    for (name, (x, y, height)) in raw.0 {
        let here = [at, &trail![name.as_str()][..]].concat();
        new_port_name(context, &here, &name, points.iter().map(|port| port.name.as_str()))?;
        if !can_radiate {
            let message = format!("{}, but {RADIATING}", context.state(&here));
            return Err(context
                .error(&here, "instrument::conflict", message, "not of this shape")
                .help("listen to the `acceleration` of a port"));
        }
        if !(0.01..=100.0).contains(&height.0) {
            return Err(context.unexpected(&here, "instrument::out_of_range", "a height of 1 cm to 100 m"));
        }
        let microphone = Some(Microphone { x: x.0, y: y.0, height_m: height.0 });
        points.push(PointPort { point: Point::from([x.0, y.0]), name, microphone });
    }
    Ok(())
}

/// A body that pulls tighter is one object that can, of exact modes.
fn stretching_fits(
    context: &Context,
    base: &[Seg],
    description: &Description,
    morphs: bool,
    discretisation: Discretisation,
) -> Result<(), Error> {
    let at = |key: &str| [base, &trail![key]].concat();
    if morphs {
        let message = format!(
            "`{}` has a `morph`, and what lies between two objects cannot be stretched",
            context.names.show(base)
        );
        return Err(context.error(&at("stretching"), "instrument::conflict", message, "not with `morph`"));
    }
    if !description.can_stretch() {
        let message =
            format!("{}, but only strings, membranes and plates pull tighter", context.state(&at("stretching")));
        return Err(context.error(&at("stretching"), "instrument::conflict", message, "not of this shape"));
    }
    if discretisation == Discretisation::Bilinear {
        let message = format!("{}, which needs `discretisation = \"exact\"`", context.state(&at("stretching")));
        return Err(context.error(&at("discretisation"), "instrument::conflict", message, "expected \"exact\""));
    }
    Ok(())
}

fn support(raw: Option<Support>) -> objects::Support {
    match raw {
        None | Some(Support::Fixed) => objects::Support::Fixed,
        Some(Support::Cords) => objects::Support::Cords,
        Some(Support::Free) => objects::Support::Free,
    }
}

fn points(context: &Context, base: &[Seg], raw: Named<OneOrMany<Factor>>) -> Result<Vec<PointPort>, Error> {
    let mut ports = Vec::with_capacity(raw.0.len());
    for (name, value) in raw.0 {
        let at = [base, &trail![name.as_str()][..]].concat();
        ports.push(PointPort { point: point(context, &at, value)?, name, microphone: None });
    }
    Ok(ports)
}

pub(super) fn point(context: &Context, at: &[Seg], raw: OneOrMany<Factor>) -> Result<Point, Error> {
    let list = match raw {
        OneOrMany::One(x) => return Ok(Point::from(x.0)),
        OneOrMany::Many(list) => list,
    };
    match list.as_slice() {
        [x] => Ok(Point::from(x.0)),
        [x, y] => Ok(Point::from([x.0, y.0])),
        [x, y, z] => Ok(Point::from([x.0, y.0, z.0])),
        _ => Err(context
            .unexpected(at, "instrument::length", "a point of 1 to 3 coordinates")
            .help("with a `shape` a port is a point; its mode shapes are computed")),
    }
}

pub(super) fn ratios(context: &Context, at: &[Seg], raw: Option<Vec<PositiveFactor>>) -> Result<Vec<f64>, Error> {
    let ratios: Vec<f64> = match raw {
        None => return Ok(Vec::new()),
        Some(list) => list.into_iter().map(|x| x.0).collect(),
    };
    if ratios.is_empty() || ratios.len() > objects::MAX_RATIOS {
        let expected = format!("1 to {} ratios", objects::MAX_RATIOS);
        return Err(context.unexpected(at, "instrument::length", &expected));
    }
    match ratios.windows(2).position(|pair| pair[0] >= pair[1]) {
        None => Ok(ratios),
        Some(i) => {
            let at = [at, &trail![i + 1]].concat();
            let expected = format!("a ratio above {}, the one before", ratios[i]);
            Err(context.unexpected(&at, "instrument::out_of_range", &expected))
        }
    }
}
