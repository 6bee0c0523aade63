//! Materials: as written, and the way to those of `ictus-objects`.

use std::borrow::Cow;

use ictus_objects as objects;
use ictus_objects::{DampingLaw, Shape};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{MapAccess, Visitor, value::MapAccessDeserializer};
use serde::{Deserialize, Deserializer};

use crate::context::Context;
use crate::error::{Error, nearest};
use crate::number::{Factor, NonNegative, Positive};
use crate::path::{Seg, trail};

/// Of a material that has no base: an unremarkable solid.
const POISSON: f64 = 0.3;
const DAMPING_1_S: f64 = 0.5;
const LOSS_FACTOR: f64 = 1e-3;

/// A name of the table of materials, or a table.
#[derive(Debug)]
pub(crate) enum MaterialChoice {
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

impl<'de> Deserialize<'de> for MaterialChoice {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(MaterialVisitor)
    }
}

struct MaterialVisitor;

impl<'de> Visitor<'de> for MaterialVisitor {
    type Value = MaterialChoice;

    fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("the name of a material, or a table")
    }
    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<MaterialChoice, E> {
        Ok(MaterialChoice::Named(name.to_owned()))
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<MaterialChoice, A::Error> {
        MaterialTable::deserialize(MapAccessDeserializer::new(map)).map(MaterialChoice::Table)
    }
}

impl JsonSchema for MaterialChoice {
    fn schema_name() -> Cow<'static, str> {
        "Material".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let table = generator.subschema_for::<MaterialTable>();
        let names: Vec<&str> = ictus_objects::materials().map(|material| material.name).collect();
        json_schema!({ "anyOf": [{ "enum": names }, table] })
    }
}

/// The material of a shape: needed by solids, refused by air.
pub(super) fn fit(
    context: &Context,
    base: &[Seg],
    shape: &Shape,
    material: Option<objects::Material>,
) -> Result<objects::Material, Error> {
    let at = [base, &trail!["material"]].concat();
    let name = context.names.show(base);
    match (shape.is_air(), material) {
        (false, Some(material)) => Ok(material),
        (true, None) => Ok(AIR),
        (false, None) if matches!(shape, Shape::Chain { dampers_n_s_m, .. } if !dampers_n_s_m.is_empty()) => {
            Ok(LOSSLESS)
        }
        (true, Some(_)) => {
            let message = format!("`{name}` is air, which has no material, but `material` is given");
            Err(context.error(&at, "instrument::conflict", message, "one too many"))
        }
        (false, None) => {
            let message = format!("`{}` is missing", context.names.show(&at));
            Err(context
                .error(base, "instrument::missing_key", message, "this needs `material`")
                .help("add `material = \"steel\"`; `ictus list --materials` shows all"))
        }
    }
}

/// Stands where a solid has its material; no number of it is used.
const AIR: objects::Material = objects::Material {
    name: "air",
    density_kg_m3: 1.2,
    young_pa: 1e5,
    poisson: 0.0,
    damping: DampingLaw { a: 0.0, b: 0.0, c: 0.0 },
};

/// Of a chain that has its own dampers and no material.
const LOSSLESS: objects::Material = objects::Material { name: "no material", ..AIR };

pub(crate) fn material(context: &Context, at: &[Seg], raw: MaterialChoice) -> Result<objects::Material, Error> {
    let table = match raw {
        MaterialChoice::Named(name) => return find(context, at, &name),
        MaterialChoice::Table(table) => table,
    };
    let below = |key: &str| [at, &trail![key]].concat();
    let mut material = match &table.base {
        Some(name) => find(context, &below("base"), name)?,
        None => {
            for (key, given) in
                [("density_kg_m3", table.density_kg_m3.is_some()), ("young_pa", table.young_pa.is_some())]
            {
                if !given {
                    let message = format!("`{}` is missing", context.names.show(&below(key)));
                    return Err(context
                        .error(at, "instrument::missing_key", message, format!("this needs `{key}`"))
                        .help("give it, or a `base` such as \"steel\" to take it from"));
                }
            }
            let damping = DampingLaw { a: DAMPING_1_S, b: LOSS_FACTOR * std::f64::consts::PI, c: 0.0 };
            objects::Material { name: "own", density_kg_m3: 0.0, young_pa: 0.0, poisson: POISSON, damping }
        }
    };
    let set = |target: &mut f64, value: Option<f64>| {
        if let Some(value) = value {
            *target = value;
        }
    };
    set(&mut material.density_kg_m3, table.density_kg_m3.map(|x| x.0));
    set(&mut material.young_pa, table.young_pa.map(|x| x.0));
    set(&mut material.poisson, table.poisson.map(|x| x.0));
    set(&mut material.damping.a, table.damping_1_s.map(|x| x.0));
    set(&mut material.damping.b, table.loss_factor.map(|x| x.0 * std::f64::consts::PI));
    set(&mut material.damping.c, table.viscous_s.map(|x| x.0));
    Ok(material)
}

fn find(context: &Context, at: &[Seg], name: &str) -> Result<objects::Material, Error> {
    if let Some(material) = objects::find(name) {
        return Ok(material.clone());
    }
    let message = format!("{}, but there is no such material", context.state(at));
    let near = nearest(name, objects::materials().map(|material| material.name));
    let near = near.map_or(String::new(), |name| format!("did you mean `{name}`? "));
    Err(context
        .error(at, "instrument::unknown_value", message, "no such material")
        .help(format!("{near}`ictus list --materials` shows all")))
}
