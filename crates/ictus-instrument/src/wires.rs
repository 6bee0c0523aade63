//! Wires over membranes and plates: as written, resolved, and the way between.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::barrier::{BarrierStiffness, Side};
use crate::body::ResonatorKind;
use crate::error::{Error, suggest};
use crate::law::{HERTZ, Method};
use crate::number::{Exponent, Factor, Finite, NonNegative, Positive, PositiveFactor, WireCount};
use crate::path::{Seg, trail};
use crate::resolve::Resolver;

/// Wires and their spread where the file says nothing: half of a common strainer.
const COUNT: usize = 10;
const SPREAD: f64 = 0.04;

/// Wires that lie side by side over a membrane or plate and collide with it all along: `stiffness` or `density`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename = "Wires", deny_unknown_fields)]
#[schemars(extend("oneOf" = [{ "required": ["stiffness"] }, { "required": ["density"] }]))]
pub(crate) struct WiresTable {
    /// Name; "wires" if not given.
    #[serde(rename = "id")]
    pub _id: Option<String>,
    /// A resonator on a grid, or a head of a drum: "drum.snare".
    pub on: String,
    /// How many, 1 to 64; 10 if not given.
    pub count: Option<WireCount>,
    /// Where the middle one begins, in the coordinates of the surface.
    pub from: [Factor; 2],
    /// Where the middle one ends.
    pub to: [Factor; 2],
    /// Distance between the outermost; 40 mm if not given.
    pub spread_m: Option<NonNegative>,
    /// On which side of the surface they lie; below if not given.
    pub side: Option<Side>,
    /// Distance from the surface at rest; 0 if not given, below 0 pressed on it.
    pub gap_m: Option<Finite>,
    /// Mass per length of one wire.
    pub density_kg_m: Positive,
    /// Tension of one wire.
    pub tension_n: Positive,
    /// Loss at all frequencies, sigma 0; 0 if not given.
    pub damping_1_s: Option<NonNegative>,
    /// Loss growing with frequency, sigma 1; 0 if not given.
    pub damping_m2_s: Option<NonNegative>,
    /// Stiffness of each point of contact in N/m^exponent; instead of `density`.
    pub stiffness: Option<PositiveFactor>,
    /// Stiffness per metre of wire in N/m^(exponent + 1); instead of `stiffness`.
    pub density: Option<PositiveFactor>,
    /// Power of the compression, 1 to 5; 1.5 if not given.
    pub exponent: Option<Exponent>,
    /// Hunt–Crossley damping; 0 if not given.
    pub damping_s_m: Option<NonNegative>,
    /// How the contact is solved.
    #[serde(default)]
    pub method: Method,
    /// Height added to the wires over time, [[s, m], …], straight between points, ends held: the strainer.
    #[schemars(length(min = 1))]
    pub lift: Option<Vec<(NonNegative, Finite)>>,
    /// Lay the wires along rows of the surface's grid, where every point of contact is solved by itself; true if not given.
    pub snap: Option<bool>,
}

/// Wires over a surface.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Wires {
    /// Given, or `wires`, `wires#2`.
    pub id: String,
    /// Index into [`Spec::resonators`](crate::Spec::resonators); a surface on a grid or a drum.
    pub surface: usize,
    /// Which head of a drum; 0 for other surfaces.
    pub head: usize,
    /// 1 to 64.
    pub count: usize,
    /// Where the middle one begins and ends, in the coordinates of the surface; two different points.
    pub ends: [[f64; 2]; 2],
    /// Distance between the outermost ≥ 0.
    pub spread_m: f64,
    /// On which side they lie.
    pub side: Side,
    /// Distance from the surface at rest.
    pub gap_m: f64,
    /// Mass per length of one > 0.
    pub density_kg_m: f64,
    /// Tension of one > 0.
    pub tension_n: f64,
    /// σ₀ ≥ 0, 1/s.
    pub sigma0_1_s: f64,
    /// σ₁ ≥ 0, m²/s.
    pub sigma1_m2_s: f64,
    /// How hard they are.
    pub stiffness: BarrierStiffness,
    /// α in [1, 5].
    pub exponent: f64,
    /// Hunt–Crossley μ ≥ 0; 0 with the quadratised methods.
    pub damping_s_m: f64,
    /// How each contact is solved.
    pub method: Method,
    /// `(s, m)` added to the height of the wires; empty for none.
    pub lift: Vec<(f64, f64)>,
    /// Laid along rows of the surface's grid.
    pub snap: bool,
}

impl Resolver<'_> {
    pub(crate) fn wires(&self, index: usize, raw: &WiresTable) -> Result<Wires, Error> {
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
