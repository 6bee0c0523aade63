//! Modes from shapes and materials, computed for the rate at hand.
//!
//! `ictus-objects` gives natural frequencies; a bank takes the frequency at which a mode sounds, √(ω² − σ²)/2π.

use super::modes::{Change, highest, modal};
use super::string::ROOM;
use super::{BodyPlan, Findings};
use crate::compile::Site;
use crate::compile::coefficients::top_pitch;
use ictus_core::{FastResonator, Path};
use ictus_instrument as file;
use ictus_instrument::{Error, Loaded};
use ictus_objects::{Description, Object, ObjectError, Point, Shape, Stretching, morph};
use serde::{Deserialize, Serialize};

/// Places at which the shapes along a path are computed: straight lines between them are off by 0.3 % of a mode with twelve waves.
const STATIONS: usize = 512;

/// An object before it is built.
pub(super) struct ObjectPlan<'a> {
    id: &'a str,
    object: &'a file::Object,
    /// Ports beside those of the file: the places of frictions and adherences that have one of their own.
    tracks: Vec<Track>,
}

/// A port that is like another one of its body but for its first coordinate.
#[derive(Serialize)]
struct Track {
    /// Index of that port.
    like: usize,
    /// Where it begins.
    start: f64,
    moves: bool,
}

impl<'a> ObjectPlan<'a> {
    pub fn new(id: &'a str, object: &'a file::Object) -> Self {
        Self { id, object, tracks: Vec::new() }
    }

    /// The numbers of the bank with the names of its ports.
    fn modes(&self, solved: Solved) -> (file::Modes, Change) {
        let own = (0..self.tracks.len()).map(|i| format!("place {}", i + 1));
        let names = self.object.ports.iter().map(|port| port.name.clone()).chain(own);
        let modes = file::Modes {
            frequency_hz: solved.frequency_hz,
            decay_s: solved.decay_s,
            mass_kg: solved.mass_kg,
            ports: names.zip(solved.shapes).map(|(name, shape)| file::ModePort { name, shape }).collect(),
            discretisation: self.object.discretisation,
            weights: None,
        };
        let path = |table: Vec<Vec<f64>>| {
            let table = table.into();
            if is_round(self.object) { Path::Round(table) } else { Path::Table(table) }
        };
        let change = Change {
            stretching: solved.stretching.map(|(modulus, slopes)| Stretching { modulus, slopes }),
            paths: solved.paths.into_iter().map(|(port, table)| (port, path(table))).collect(),
        };
        (modes, change)
    }
}

/// What a shape and a material come to: numbers for the bank, and no names.
#[derive(Serialize, Deserialize)]
struct Solved {
    frequency_hz: Vec<f64>,
    decay_s: Vec<f64>,
    mass_kg: Vec<f64>,
    /// Per port.
    shapes: Vec<Vec<f64>>,
    /// Modulus, and slopes of the modes.
    stretching: Option<(f64, Vec<f64>)>,
    /// Ports that move, with the shapes at all stations of their way.
    paths: Vec<(usize, Vec<Vec<f64>>)>,
}

impl BodyPlan for ObjectPlan<'_> {
    fn build(&self, site: Site, found: &mut Findings) -> Result<Box<dyn FastResonator>, Error> {
        let limit = highest(site.clock, self.object.discretisation) / top_pitch(site, self.id);
        let limit = if self.object.stretching > 0.0 { limit / ROOM.sqrt() } else { limit };
        let seed = self.object.weights.map(|_| site.loaded.spec.seed);
        let from = (self.object, &self.tracks, limit, seed.map(|seed| (seed, self.id)));
        let solved = site.result("modes", &from, || solve(site.loaded, self.id, self.object, &self.tracks, limit))?;
        let (modes, change) = self.modes(solved);
        modal(site, self.id, &modes, change, found)
    }

    fn add_place(&mut self, like: usize, place: f64, moves: bool) -> usize {
        self.tracks.push(Track { like, start: place, moves });
        self.object.ports.len() + self.tracks.len() - 1
    }
}

/// The modes of an object below `limit` Hz, with a port for every track after those of the file, and the paths of the ports that move.
fn solve(loaded: &Loaded, id: &str, object: &file::Object, tracks: &[Track], limit: f64) -> Result<Solved, Error> {
    let max_hz = object.max_hz.min(limit);
    let round = is_round(object);
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
    let mut own = build(&object.description, "")?;
    if object.radiates {
        object.description.radiate(&mut own);
    }
    let mut stretching = None;
    if object.stretching > 0.0 {
        let found = object.description.stretching(&own);
        stretching = found.map_err(|error| refused("", &object.description, &error))?;
    }
    if let Some(stretching) = &mut stretching {
        stretching.modulus *= object.stretching;
    }
    let mut first = own.bank(&points);
    for (port, shape) in object.ports.iter().zip(&mut first.ports) {
        if let Some(microphone) = port.microphone {
            *shape = object.description.heard(&own, microphone);
        }
    }
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
    let paths = moving.map(|i| (declared.len() + i, tables.drain(..STATIONS).collect())).collect();
    if let Some(weights) = &object.weights {
        let frequencies: Vec<f64> = bank.modes.iter().map(|mode| mode.frequency_hz).collect();
        // a microphone is no place that one may miss; microphones stand last
        let places = object.ports.iter().filter(|port| port.microphone.is_none()).count();
        super::weights::randomise(weights, (loaded.spec.seed, id), &frequencies, &mut shapes[..places]);
    }
    Ok(Solved {
        frequency_hz: bank.modes.iter().map(|mode| mode.sounding_hz()).collect(),
        decay_s: bank.modes.iter().map(|mode| mode.decay_s).collect(),
        mass_kg: bank.modes.iter().map(|mode| mode.mass_kg).collect(),
        shapes,
        stretching: stretching.map(|Stretching { modulus, slopes }| (modulus, slopes)),
        paths,
    })
}

/// True if the way along it is closed.
fn is_round(object: &file::Object) -> bool {
    matches!(object.description.shape, Shape::Ring { .. } | Shape::Glass { .. })
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
