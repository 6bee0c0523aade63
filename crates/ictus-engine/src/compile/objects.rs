//! Modes from shapes and materials, computed for the rate at hand.
//!
//! `ictus-objects` gives natural frequencies; a bank is told where a mode sounds, √(ω² − σ²)/2π.

use super::bodies::{Change, Track};
use ictus_core::Path;
use ictus_instrument as file;
use ictus_instrument::{Error, Loaded};
use ictus_objects::{Description, Object, ObjectError, Point, Shape, morph};

/// Places at which the shapes along a path are computed: straight lines between them are off by 0.3 % of a mode with twelve waves.
const STATIONS: usize = 512;

/// The modes of an object below `limit` Hz, as a list with a port for every track after those of the file, and the paths of the ports that move.
pub(super) fn modes(
    loaded: &Loaded,
    id: &str,
    object: &file::Object,
    tracks: &[Track],
    limit: f64,
) -> Result<(file::Modes, Change), Error> {
    let max_hz = object.max_hz.min(limit);
    let round = matches!(object.description.shape, Shape::Ring { .. } | Shape::Glass { .. });
    // a line has both its ends, a rim is closed
    let station = |i: usize| i as f64 / (STATIONS - usize::from(!round)) as f64;
    let with_tracks = |declared: &[Point]| {
        let mut points = declared.to_vec();
        points.extend(tracks.iter().map(|track| Point { x: track.start, ..declared[track.like] }));
        for track in tracks.iter().filter(|track| track.moves) {
            points.extend((0..STATIONS).map(|i| Point { x: station(i), ..declared[track.like] }));
        }
        points
    };
    let declared: Vec<Point> = object.ports.iter().map(|port| port.point).collect();
    let points = with_tracks(&declared);
    let refused =
        |below: &str, description: &Description, error: &ObjectError| refuse(loaded, id, below, description, error);
    let build = |description: &Description, below: &str| -> Result<Object, Error> {
        description.build(max_hz, object.max_modes).map_err(|error| refused(below, description, &error))
    };
    let own = build(&object.description, "")?;
    let mut stretching = None;
    if object.stretching > 0.0 {
        let found = object.description.stretching(&own);
        stretching = found.map_err(|error| refused("", &object.description, &error))?;
    }
    if let Some(stretching) = &mut stretching {
        stretching.modulus *= object.stretching;
    }
    let first = own.bank(&points);
    let bank = match &object.morph {
        None => first,
        Some(way) => {
            let second = build(&way.description, ".morph")?.bank(&with_tracks(&way.points));
            let kind = |description: &Description| std::mem::discriminant(&description.shape);
            morph(&first, &second, way.amount, kind(&object.description) == kind(&way.description))
        }
    };
    let mut shapes = bank.ports;
    let mut tables = shapes.split_off(declared.len() + tracks.len());
    let moving = (0..tracks.len()).filter(|&i| tracks[i].moves);
    let paths = moving.map(|i| {
        let table = tables.drain(..STATIONS).collect();
        (declared.len() + i, if round { Path::Round(table) } else { Path::Table(table) })
    });
    let paths = paths.collect();
    let own = (0..tracks.len()).map(|i| format!("place {}", i + 1));
    let names = object.ports.iter().map(|port| port.name.clone()).chain(own);
    let modes = file::Modes {
        frequency_hz: bank.modes.iter().map(|mode| mode.sounding_hz()).collect(),
        decay_s: bank.modes.iter().map(|mode| mode.decay_s).collect(),
        mass_kg: bank.modes.iter().map(|mode| mode.mass_kg).collect(),
        ports: names.zip(shapes).map(|(name, shape)| file::ModePort { name, shape }).collect(),
        discretisation: object.discretisation,
    };
    Ok((modes, Change { stretching, paths }))
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
