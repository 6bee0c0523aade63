//! Shapes and materials.

use ictus_objects as objects;
use ictus_objects::{DampingLaw, Description, Point, Shape};

use super::resonator::plain_port_names;
use crate::context::Context;
use crate::error::{Error, nearest};
use crate::number::{Factor, Named, OneOrMany, PositiveFactor};
use crate::path::{Seg, trail};
use crate::raw::{self, BarEnds, CircularEdge, ObjectShape, RectangularEdges, TubeEnds};
use crate::spec::{Morph, Object, PointPort};

/// What one hears.
const MAX_HZ: f64 = 20e3;
const MAX_MODES: u32 = 100;

/// Of a material that has no base: an unremarkable solid.
const POISSON: f64 = 0.3;
const DAMPING_1_S: f64 = 0.5;
const LOSS_FACTOR: f64 = 1e-3;

pub(super) fn object(context: &Context, base: &[Seg], raw: raw::Object) -> Result<Object, Error> {
    let at = |key: &str| [base, &trail![key]].concat();
    plain_port_names(context, base, &raw.ports)?;
    let points = points(context, &at("ports"), raw.ports)?;
    let shape = shape(&raw.shape);
    let material = match raw.material {
        Some(raw) => Some(material(context, &at("material"), raw)?),
        None => None,
    };
    let description = Description {
        material: fit(context, base, &shape, material.clone())?,
        shape,
        pitch_hz: raw.frequency_hz.map(|x| x.0),
        ratios: ratios(context, &at("tuning"), raw.tuning)?,
        decay_scale: raw.decay_scale.map_or(1.0, |x| x.0),
    };
    let morph = match raw.morph {
        Some(raw) => Some(morph(context, &at("morph"), raw, &description, material, &points)?),
        None => None,
    };
    let stretching = raw.stretching.map_or(0.0, |x| x.0);
    if stretching > 0.0 && morph.is_some() {
        let message = format!(
            "`{}` has a `morph`, and what lies between two objects cannot be stretched",
            context.names.show(base)
        );
        return Err(context.error(&at("stretching"), "instrument::conflict", message, "not with `morph`"));
    }
    if stretching > 0.0 && !description.can_stretch() {
        let message =
            format!("{}, but only strings, membranes and plates pull tighter", context.state(&at("stretching")));
        return Err(context.error(&at("stretching"), "instrument::conflict", message, "not of this shape"));
    }
    if stretching > 0.0 && raw.discretisation == raw::Discretisation::Bilinear {
        let message = format!("{}, which needs `discretisation = \"exact\"`", context.state(&at("stretching")));
        return Err(context.error(&at("discretisation"), "instrument::conflict", message, "expected \"exact\""));
    }
    Ok(Object {
        description,
        max_hz: raw.max_hz.map_or(MAX_HZ, |x| x.0),
        max_modes: raw.max_modes.map_or(MAX_MODES, |n| n.0) as usize,
        morph,
        ports: points,
        stretching,
        discretisation: raw.discretisation,
    })
}

fn morph(
    context: &Context,
    base: &[Seg],
    raw: raw::Morph,
    first: &Description,
    own: Option<objects::Material>,
    ports: &[PointPort],
) -> Result<Morph, Error> {
    let at = |key: &str| [base, &trail![key]].concat();
    let reshaped = raw.shape.is_some();
    let shape = raw.shape.as_ref().map_or_else(|| first.shape.clone(), shape);
    let material = match raw.material {
        Some(raw) => Some(material(context, &at("material"), raw)?),
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
    };
    let mut own_points: Vec<Point> = ports.iter().map(|port| port.point).collect();
    for (name, point) in raw.ports.0 {
        let here = [&at("ports"), &trail![name.as_str()][..]].concat();
        let Some(port) = ports.iter().position(|port| port.name == name) else {
            let message = format!("`{}` has no port of that name in the first object", context.names.show(&here));
            let help = nearest(&name, ports.iter().map(|port| port.name.as_str()));
            return Err(context
                .error(&here, "instrument::unknown_reference", message, "no such port")
                .maybe_help(help.map(|name| format!("did you mean `{name}`?"))));
        };
        own_points[port] = self::point(context, &here, point)?;
    }
    Ok(Morph { description, amount: raw.amount.0, points: own_points })
}

fn points(context: &Context, base: &[Seg], raw: Named<OneOrMany<Factor>>) -> Result<Vec<PointPort>, Error> {
    let mut ports = Vec::with_capacity(raw.0.len());
    for (name, value) in raw.0 {
        let at = [base, &trail![name.as_str()][..]].concat();
        ports.push(PointPort { point: point(context, &at, value)?, name });
    }
    Ok(ports)
}

fn point(context: &Context, at: &[Seg], raw: OneOrMany<Factor>) -> Result<Point, Error> {
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

fn ratios(context: &Context, at: &[Seg], raw: Option<Vec<PositiveFactor>>) -> Result<Vec<f64>, Error> {
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

/// The material of a shape: needed by solids, refused by air.
fn fit(
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

pub(super) fn material(context: &Context, at: &[Seg], raw: raw::Material) -> Result<objects::Material, Error> {
    let table = match raw {
        raw::Material::Named(name) => return find(context, at, &name),
        raw::Material::Table(table) => table,
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

pub(super) fn shape(raw: &ObjectShape) -> Shape {
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
        ObjectShape::RectangularPlate(raw) => Shape::RectangularPlate {
            length_m: raw.length_m.0,
            width_m: raw.width_m.0,
            thickness_m: raw.thickness_m.0,
            edges: match raw.edges {
                RectangularEdges::Free => objects::RectangularEdges::Free,
                RectangularEdges::Supported => objects::RectangularEdges::Supported,
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
            springs_n_m: raw.springs_n_m.iter().map(|x| x.0).collect(),
        },
    }
}
