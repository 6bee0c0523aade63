//! Drums: as written, resolved, and the way between.

use ictus_objects::Material;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::grid::{GridPort, decay};
use super::material::{self, MaterialChoice};
use super::{Body, new_port_name, plain_port_names};
use crate::context::Context;
use crate::error::{Error, suggest};
use crate::names::{PLAIN, is_plain};
use crate::number::{AirCells, Factor, GridCells, Named, NonNegative, PedalFactor, Positive};
use crate::path::{Seg, trail};
use crate::resolve::{curve, each};

/// Decay of a resonance of the air where the file gives none, s: a shell with a vent.
const AIR_DECAY_S: f64 = 0.05;

/// One or two membranes on a shell with the air between them.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename = "Drum", deny_unknown_fields)]
pub(crate) struct DrumTable {
    /// Name by which the rest of the file refers to it.
    pub id: String,
    /// Radius of the heads.
    pub radius_m: Positive,
    /// Depth of the shell, which with the radius gives the volume of air.
    pub depth_m: Positive,
    /// Slices of the air between the heads, 1 to 64: 1 is a spring, more have resonances.
    pub air_cells: Option<AirCells>,
    /// Time in which a resonance of the air dies away by 60 dB.
    pub air_decay_s: Option<Positive>,
    /// One head, or two: the second is the lower one.
    #[schemars(length(min = 1, max = 2))]
    pub heads: Vec<HeadTable>,
    /// Where it can be touched or heard: name and [head, x, y], the point in the unit disc.
    #[serde(default)]
    pub ports: Named<(String, Factor, Factor)>,
    /// Ports that move as the mean of a head, which is what is heard far away on its axis: name and head.
    #[serde(default)]
    pub mean: Named<String>,
}

/// A head of a drum; give `tension_n_m` or `frequency_hz`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename = "Head", deny_unknown_fields)]
#[schemars(extend("oneOf" = [{ "required": ["tension_n_m"] }, { "required": ["frequency_hz"] }]))]
pub(crate) struct HeadTable {
    /// Name by which ports and wires refer to it.
    pub name: String,
    /// Thickness.
    pub thickness_m: Positive,
    /// What it is made of.
    pub material: MaterialChoice,
    /// Tension per length of rim; instead of `frequency_hz`.
    pub tension_n_m: Option<Positive>,
    /// Where its lowest mode would sound without the air; instead of `tension_n_m`.
    pub frequency_hz: Option<Positive>,
    /// Decay times T60 at two frequencies, [[hz, s], [hz, s]]; instead of the material's.
    pub decay: Option<[(Positive, Positive); 2]>,
    /// Cells across the diameter, 4 to 1000; the finest grid that is stable if not given.
    pub points: Option<GridCells>,
    /// Pitch over time as a factor, [[s, 0.1 to 10], …], straight between points, ends held: the foot on the pedal.
    #[schemars(length(min = 1))]
    pub pedal: Option<Vec<(NonNegative, PedalFactor)>>,
}

/// Heads on a shell with air between them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Drum {
    /// Radius of the heads > 0.
    pub radius_m: f64,
    /// Depth of the shell > 0.
    pub depth_m: f64,
    /// Slices of the air, 1 to 64.
    pub air_cells: usize,
    /// Time in which a resonance of the air dies away by 60 dB > 0.
    pub air_decay_s: f64,
    /// One or two.
    pub heads: Vec<Head>,
    /// In file order.
    pub ports: Vec<GridPort>,
}

/// A head of a drum.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Head {
    /// Name.
    pub name: String,
    /// Thickness > 0.
    pub thickness_m: f64,
    /// Tension per length > 0, where the file gives it.
    pub tension_n_m: Option<f64>,
    /// Pitch without air > 0, where the file gives that instead.
    pub frequency_hz: Option<f64>,
    /// What it is made of.
    pub material: Material,
    /// T60 at two frequencies, `(hz, s)`, the lower first; the material's where not given.
    pub decay: Option<[(f64, f64); 2]>,
    /// Cells across the diameter, 4 to 1000.
    pub points: Option<usize>,
    /// `(s, 0.1 to 10)`, a factor of the pitch; empty where it does not move.
    pub pedal: Vec<(f64, f64)>,
}

impl Body for Drum {
    fn port_names(&self) -> Vec<&str> {
        self.ports.iter().map(|port| port.name.as_str()).collect()
    }
}

pub(crate) fn drum(context: &Context, base: &[Seg], raw: DrumTable) -> Result<Drum, Error> {
    let at = |key: &str| [base, &trail![key]].concat();
    if !(1..=2).contains(&raw.heads.len()) {
        return Err(context.unexpected(&at("heads"), "instrument::length", "one head or two"));
    }
    let heads = each(raw.heads, |index, raw| head(context, &[&at("heads")[..], &trail![index]].concat(), raw))?;
    if let [one, two] = heads.as_slice()
        && one.name == two.name
    {
        let at = [&at("heads")[..], &trail![1, "name"]].concat();
        let message = format!("both heads are called `{}`, expected different names", one.name);
        return Err(context.error(&at, "instrument::duplicate_id", message, "used before"));
    }
    plain_port_names(context, base, &raw.ports)?;
    let index_of = |head: &str, here: Vec<Seg>| {
        heads.iter().position(|other| other.name == head).ok_or_else(|| {
            let message = format!("{}, but the drum has no such head", context.state(&here));
            let names = heads.iter().map(|head| head.name.as_str());
            (context.error(&here, "instrument::unknown_reference", message, "no such head"))
                .maybe_help(suggest(head, names, "heads"))
        })
    };
    let mut ports: Vec<GridPort> = Vec::new();
    for (name, (head, x, y)) in raw.ports.0 {
        let head = index_of(&head, [base, &trail!["ports", name.as_str(), 0]].concat())?;
        ports.push(GridPort { name, head, at: Some([x.0, y.0]) });
    }
    for (name, head) in raw.mean.0 {
        let here = [base, &trail!["mean", name.as_str()]].concat();
        new_port_name(context, &here, &name, ports.iter().map(|port| port.name.as_str()))?;
        let head = index_of(&head, here)?;
        ports.push(GridPort { name, head, at: None });
    }
    Ok(Drum {
        radius_m: raw.radius_m.0,
        depth_m: raw.depth_m.0,
        air_cells: raw.air_cells.map_or(1, |n| n.0 as usize),
        air_decay_s: raw.air_decay_s.map_or(AIR_DECAY_S, |t| t.0),
        heads,
        ports,
    })
}

fn head(context: &Context, base: &[Seg], raw: HeadTable) -> Result<Head, Error> {
    let at = |key: &str| [base, &trail![key]].concat();
    if !is_plain(&raw.name) {
        let expected = format!("expected {PLAIN}");
        let message = format!("the name {:?} is not usable, {expected}", raw.name);
        return Err(context.error(&at("name"), "instrument::bad_name", message, expected));
    }
    let shown = context.names.show(base);
    match (raw.tension_n_m, raw.frequency_hz) {
        (Some(_), Some(_)) => {
            let message = format!("`{shown}` has both `tension_n_m` and `frequency_hz`, expected one of them");
            return Err(context.error(&at("frequency_hz"), "instrument::conflict", message, "one too many"));
        }
        (None, None) => {
            let message = format!("`{shown}` has neither `tension_n_m` nor `frequency_hz`, expected one of them");
            return Err(context.error(base, "instrument::missing_key", message, "this needs `tension_n_m`"));
        }
        _ => {}
    }
    let pedal = raw.pedal.map(|points| {
        let points = points.iter().map(|(time, factor)| (time.0, factor.0)).collect();
        curve(context, points, 1, &at("pedal"))
    });
    Ok(Head {
        name: raw.name,
        thickness_m: raw.thickness_m.0,
        tension_n_m: raw.tension_n_m.map(|x| x.0),
        frequency_hz: raw.frequency_hz.map(|x| x.0),
        material: material::material(context, &at("material"), raw.material)?,
        decay: decay(context, &at("decay"), raw.decay)?,
        points: raw.points.map(|n| n.0 as usize),
        pedal: pedal.transpose()?.unwrap_or_default(),
    })
}
