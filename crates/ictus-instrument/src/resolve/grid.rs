//! Membranes and plates on a grid, drums, and the wires over them.

use ictus_objects::Shape;

use super::interaction::HERTZ;
use super::object;
use super::resonator::plain_port_names;
use super::{Resolver, each};
use crate::context::Context;
use crate::error::{Error, suggest};
use crate::names::{PLAIN, is_plain};
use crate::number::Positive;
use crate::path::{Seg, trail};
use crate::raw::{self, Side};
use crate::spec::{BarrierStiffness, Drum, Grid, GridPort, Head, ResonatorKind, Wires};

/// Wires and their spread where the file says nothing: half of a common strainer.
const COUNT: usize = 10;
const SPREAD: f64 = 0.04;

pub(super) fn grid(context: &Context, base: &[Seg], raw: raw::Grid) -> Result<Grid, Error> {
    let at = |key: &str| [base, &trail![key]].concat();
    plain_port_names(context, base, &raw.ports)?;
    let shape = object::shape(&raw.shape);
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
    if plate && raw.frequency_hz.is_some() {
        let message = format!(
            "`{}` is given, but a plate sounds as its thickness makes it",
            context.names.show(&at("frequency_hz"))
        );
        return Err(context
            .error(&at("frequency_hz"), "instrument::conflict", message, "goes with a membrane")
            .help("change its thickness, or use `kind = \"modes\"`, which can be tuned"));
    }
    let ports = raw.ports.0.into_iter().map(|(name, [x, y])| GridPort { name, head: 0, at: [x.0, y.0] });
    Ok(Grid {
        shape,
        material: object::material(context, &at("material"), raw.material)?,
        frequency_hz: raw.frequency_hz.map(|x| x.0),
        decay: decay(context, &at("decay"), raw.decay)?,
        points: raw.points.map(|n| n.0 as usize),
        ports: ports.collect(),
    })
}

/// Decay of a resonance of the air where the file gives none, s: a shell with a vent.
const AIR_DECAY_S: f64 = 0.05;

pub(super) fn drum(context: &Context, base: &[Seg], raw: raw::Drum) -> Result<Drum, Error> {
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
    let mut ports = Vec::new();
    for (name, (head, x, y)) in raw.ports.0 {
        let Some(index) = heads.iter().position(|other| other.name == head) else {
            let here = [base, &trail!["ports", name.as_str(), 0]].concat();
            let message = format!("{}, but the drum has no such head", context.state(&here));
            let names = heads.iter().map(|head| head.name.as_str());
            return Err(context
                .error(&here, "instrument::unknown_reference", message, "no such head")
                .maybe_help(suggest(&head, names, "heads")));
        };
        ports.push(GridPort { name, head: index, at: [x.0, y.0] });
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

fn head(context: &Context, base: &[Seg], raw: raw::Head) -> Result<Head, Error> {
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
        super::curve(context, points, 1, &at("pedal"))
    });
    Ok(Head {
        name: raw.name,
        thickness_m: raw.thickness_m.0,
        tension_n_m: raw.tension_n_m.map(|x| x.0),
        frequency_hz: raw.frequency_hz.map(|x| x.0),
        material: object::material(context, &at("material"), raw.material)?,
        decay: decay(context, &at("decay"), raw.decay)?,
        points: raw.points.map(|n| n.0 as usize),
        pedal: pedal.transpose()?.unwrap_or_default(),
    })
}

/// Two decay times, the lower frequency first and no shorter.
fn decay(
    context: &Context,
    at: &[Seg],
    raw: Option<[(Positive, Positive); 2]>,
) -> Result<Option<[(f64, f64); 2]>, Error> {
    let Some(raw) = raw else { return Ok(None) };
    super::resonator::two_decays(context, at, raw).map(Some)
}

impl Resolver<'_> {
    pub(super) fn wires(&self, index: usize, raw: &raw::Wires) -> Result<Wires, Error> {
        let at = |key: &str| trail!["wires", index, key];
        let id = self.id("wires", index);
        let (surface, head) = self.surface_of(&raw.on, &at("on"))?;
        let ends = [raw.from, raw.to].map(|point| point.map(|x| x.0));
        if ends[0] == ends[1] {
            let message = format!("`{id}` begins and ends at the same point, expected two different points");
            return Err(self.context.error(&at("to"), "instrument::out_of_range", message, "the same point"));
        }
        let stiffness = match (raw.stiffness, raw.density) {
            (Some(stiffness), None) => BarrierStiffness::PerPoint(stiffness.0),
            (None, Some(density)) => BarrierStiffness::Density(density.0),
            (Some(_), Some(_)) => {
                let message = format!("`{id}` has both `stiffness` and `density`, expected one of them");
                return Err(self.conflict(&at("density"), message, "one too many"));
            }
            (None, None) => {
                let message = format!("`{id}` has neither `stiffness` nor `density`, expected one of them");
                let base = trail!["wires", index];
                return Err(self.context.error(&base, "instrument::missing_key", message, "this needs `density`"));
            }
        };
        let damping_s_m = raw.damping_s_m.map_or(0.0, |x| x.0);
        self.damping_fits(damping_s_m, raw.method, &at("damping_s_m"))?;
        let lift = raw.lift.as_ref().map(|lift| {
            let lift = lift.iter().map(|(time, height)| (time.0, height.0)).collect();
            self.curve(lift, 1, &at("lift"))
        });
        Ok(Wires {
            id,
            surface,
            head,
            count: raw.count.map_or(COUNT, |n| n.0 as usize),
            ends,
            spread_m: raw.spread_m.map_or(SPREAD, |x| x.0),
            side: raw.side.unwrap_or(Side::Below),
            gap_m: raw.gap_m.map_or(0.0, |x| x.0),
            density_kg_m: raw.density_kg_m.0,
            tension_n: raw.tension_n.0,
            sigma0_1_s: raw.damping_1_s.map_or(0.0, |x| x.0),
            sigma1_m2_s: raw.damping_m2_s.map_or(0.0, |x| x.0),
            stiffness,
            exponent: raw.exponent.map_or(HERTZ, |x| x.0),
            damping_s_m,
            method: raw.method,
            lift: lift.transpose()?.unwrap_or_default(),
            snap: raw.snap.unwrap_or(true),
        })
    }

    /// The surface a text such as `head` or `drum.snare` refers to, and which head it is.
    fn surface_of(&self, text: &str, at: &[Seg]) -> Result<(usize, usize), Error> {
        let (id, name) = text.split_once('.').unwrap_or((text, ""));
        let mut known = Vec::new();
        for (index, resonator) in self.resonators.iter().enumerate() {
            match &resonator.kind {
                ResonatorKind::Grid(_) => {
                    if resonator.id == id && name.is_empty() {
                        return Ok((index, 0));
                    }
                    known.push(resonator.id.clone());
                }
                ResonatorKind::Drum(drum) => {
                    let head = drum.heads.iter().position(|head| head.name == name);
                    if let (true, Some(head)) = (resonator.id == id, head) {
                        return Ok((index, head));
                    }
                    known.extend(drum.heads.iter().map(|head| format!("{}.{}", resonator.id, head.name)));
                }
                _ => {}
            }
        }
        let message = format!("{}, but there is no such surface on a grid", self.context.state(at));
        Err((self.context)
            .error(at, "instrument::unknown_reference", message, "expected a `grid` or a head of a `drum`")
            .maybe_help(suggest(text, known.iter().map(String::as_str), "surfaces")))
    }
}
