//! Modes from shapes and materials, computed for the rate at hand.
//!
//! `ictus-objects` gives natural frequencies; a bank is told where a mode sounds, √(ω² − σ²)/2π.

use ictus_instrument as file;
use ictus_instrument::{Error, Loaded};
use ictus_objects::{Bank, Description, ObjectError, Point, morph};

/// The modes of an object below `limit` Hz, as a list.
pub(super) fn modes(loaded: &Loaded, id: &str, object: &file::Object, limit: f64) -> Result<file::Modes, Error> {
    let max_hz = object.max_hz.min(limit);
    let points: Vec<Point> = object.ports.iter().map(|port| port.point).collect();
    let build = |description: &Description, points: &[Point], below: &str| -> Result<Bank, Error> {
        let built = description.build(max_hz, object.max_modes);
        Ok(built.map_err(|error| refuse(loaded, id, below, description, &error))?.bank(points))
    };
    let first = build(&object.description, &points, "")?;
    let bank = match &object.morph {
        None => first,
        Some(way) => {
            let second = build(&way.description, &way.points, ".morph")?;
            let kind = |description: &Description| std::mem::discriminant(&description.shape);
            morph(&first, &second, way.amount, kind(&object.description) == kind(&way.description))
        }
    };
    let names = object.ports.iter().map(|port| port.name.clone());
    Ok(file::Modes {
        frequency_hz: bank.modes.iter().map(|mode| mode.sounding_hz()).collect(),
        decay_s: bank.modes.iter().map(|mode| mode.decay_s).collect(),
        mass_kg: bank.modes.iter().map(|mode| mode.mass_kg).collect(),
        ports: names.zip(bank.ports).map(|(name, shape)| file::ModePort { name, shape }).collect(),
        discretisation: object.discretisation,
    })
}

/// What the physics of shapes refuses, pointing at the key it came from. `below` is where the description stands in the resonator.
fn refuse(loaded: &Loaded, id: &str, below: &str, description: &Description, error: &ObjectError) -> Error {
    let what = match error {
        ObjectError::Parameter { what, .. } => what.trim_start_matches("number of "),
        ObjectError::NoModes { .. } | ObjectError::NoConvergence => "shape",
    };
    let key = match what {
        "density_kg_m3" | "young_pa" | "poisson" | "damping_1_s" | "loss_factor" | "viscous_s" => {
            format!("material.{what}")
        }
        "tuning ratios" => "tuning".to_owned(),
        "max_hz" | "max_modes" | "frequency_hz" | "tuning" | "decay_scale" | "shape" => what.to_owned(),
        _ => format!("shape.{}.{what}", name_of(loaded, id, below)),
    };
    let path = match key.as_str() {
        "max_hz" | "max_modes" => format!("{id}.{key}"),
        _ => format!("{id}{below}.{key}"),
    };
    let air = description.shape.is_air();
    let made_of = if air { "air" } else { description.material.name };
    loaded.error_at(&path, "engine::object", format!("`{id}{below}` of {made_of}: {error}"), "here", None)
}

/// The shape's name in the file.
fn name_of<'a>(loaded: &'a Loaded, id: &str, below: &str) -> &'a str {
    loaded.only_key(&format!("{id}{below}.shape")).unwrap_or("bar")
}
