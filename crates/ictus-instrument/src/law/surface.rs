//! Surfaces of collisions and textures of frictions: as written, resolved, and the way between.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::collision::CollisionTable;
use crate::body::{Resonator, ResonatorKind};
use crate::error::{Error, suggest};
use crate::number::{ConstantOrCurve, Finite, NonNegative, OneOrMany, PoleDensity, Positive, Slope};
use crate::path::{Seg, trail};
use crate::resolve::Resolver;

/// Ratio of the coarsest to the finest wavelength: what one profile holds, eight of the coarsest in its period.
const MAX_SPAN: f64 = 4096.0;
/// Nothing is rougher below the size of an atom, m.
const ATOM: f64 = 1e-9;
/// Waves per turn of a body that is out of round.
const MAX_HARMONICS: usize = 32;
/// Where the file gives none: the spectrum follows its slope within 0.2 dB for `beta` up to 2.
pub(super) const POLES_PER_DECADE: u32 = 4;
/// Where the file gives none: the profile of a random walk, as of broken or worn surfaces.
const BROWNIAN: f64 = 2.0;

/// A rough surface, a round body, or both.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename = "Texture", deny_unknown_fields)]
pub(crate) struct TextureTable {
    /// Rms roughness; 0 if not given.
    pub height_m: Option<NonNegative>,
    /// How fast the spectrum of the heights falls, 1/k^beta, 0 to 4; 2 if not given.
    pub beta: Option<Slope>,
    /// Longest wavelength of the roughness, at most 4096 times the finest.
    pub coarsest_m: Option<Positive>,
    /// Shortest wavelength of the roughness.
    pub finest_m: Option<Positive>,
    /// Poles per decade of the filter that shapes the noise, 1 to 32: more follow the slope with less ripple; 4 if not given.
    pub poles_per_decade: Option<PoleDensity>,
    /// Radius of the body that rolls or slides over it; a point if not given.
    pub radius_m: Option<Positive>,
    /// How much the body is out of round: 1, 2, 3 … times per turn.
    pub eccentricity_m: Option<OneOrMany<Finite>>,
    /// Another surface of the same kind; the file's seed and the interaction's place if not given.
    pub seed: Option<u64>,
}

/// How the gap of a collision moves. With all parts empty it does not.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Surface {
    /// Height added over time, `(s, m)`, ends held.
    pub lift: Vec<(f64, f64)>,
    /// What passes under the point.
    pub texture: Option<Texture>,
    /// Speed at which it passes, `(s, m/s)`, ends held; empty without a texture and where a mass carries the point.
    pub speed: Vec<(f64, f64)>,
    /// Mass that carries the point along, an index into [`Spec::resonators`](crate::Spec::resonators).
    pub carried_by: Option<usize>,
}

/// A rough surface, a round body, or both.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Texture {
    /// The surface; `None` if it is smooth.
    pub roughness: Option<Roughness>,
    /// Radius of the body, m; `None` for a point.
    pub radius_m: Option<f64>,
    /// Amplitudes of 1, 2, 3 … waves per turn, m; empty without a radius.
    pub eccentricity_m: Vec<f64>,
}

/// Statistics of a rough surface.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Roughness {
    /// Rms, m, above 0.
    pub height_m: f64,
    /// β in [0, 4].
    pub beta: f64,
    /// Longest wavelength, m.
    pub coarsest_m: f64,
    /// Shortest wavelength, m, from a nanometre on.
    pub finest_m: f64,
    /// Poles per decade of the filter that shapes the noise, 1 to 32.
    pub poles_per_decade: u32,
    /// Which surface; `None` for one of the file's seed.
    pub seed: Option<u64>,
}

impl Resolver<'_> {
    pub(crate) fn surface(&self, index: usize, raw: &CollisionTable) -> Result<Surface, Error> {
        let at = |key: &str| trail!["interaction", index, key];
        let lift = match &raw.lift {
            None => Vec::new(),
            Some(lift) => self.curve(lift.iter().map(|(t, h)| (t.0, h.0)).collect(), 1, &at("lift"))?,
        };
        let speed = match &raw.speed_m_s {
            None => Vec::new(),
            Some(ConstantOrCurve::Constant(v)) => vec![(0.0, v.0)],
            Some(ConstantOrCurve::Curve(curve)) => {
                self.curve(curve.iter().map(|(t, v)| (t.0, v.0)).collect(), 1, &at("speed_m_s"))?
            }
        };
        let id = self.id("interaction", index);
        let carried_by = match &raw.carried_by {
            None => None,
            Some(name) => Some(self.carrier(index, name)?),
        };
        if carried_by.is_some() && !speed.is_empty() {
            let message = format!("`{id}` has both `speed_m_s` and `carried_by`, expected one of them");
            return Err(self.conflict(&at("carried_by"), message, "one too many"));
        }
        if carried_by.is_some() && raw.texture.is_none() {
            let message = format!("`{id}` has a `carried_by`, expected a `texture` beside it");
            return Err(self.context.error(&at("carried_by"), "instrument::missing_key", message, "needs `texture`"));
        }
        match (&raw.texture, speed.is_empty() && carried_by.is_none()) {
            (Some(_), true) => {
                let message = format!("`{id}` has a `texture` that never moves, expected a `speed_m_s`");
                let error = self.context.error(&at("texture"), "instrument::missing_key", message, "stands still");
                return Err(error.help(
                    "write `speed_m_s = 0.5`, or a curve `[[s, m/s], …]`, or `carried_by` with the id of a mass",
                ));
            }
            (None, false) => {
                let message = format!("`{id}` has a `speed_m_s`, expected a `texture` beside it");
                let error = self.context.error(&at("speed_m_s"), "instrument::missing_key", message, "needs `texture`");
                return Err(error
                    .help("write `texture = { height_m = \"20 µm\", coarsest_m = \"2 cm\", finest_m = \"0.2 mm\" }`"));
            }
            _ => {}
        }
        let texture = raw.texture.as_ref().map(|raw| self.texture(raw, &at("texture"))).transpose()?;
        Ok(Surface { lift, texture, speed, carried_by })
    }

    /// The mass that carries a point along a surface.
    fn carrier(&self, index: usize, name: &str) -> Result<usize, Error> {
        let is_mass = |resonator: &Resonator| matches!(resonator.kind, ResonatorKind::Mass(_));
        self.resonator(name).filter(|&i| is_mass(&self.resonators[i])).ok_or_else(|| {
            let at = trail!["interaction", index, "carried_by"];
            let message = format!("{}, expected the id of a mass", self.context.state(&at));
            let masses = self.resonators.iter().filter(|r| is_mass(r)).map(|r| r.id.as_str());
            let error = self.context.error(&at, "instrument::unknown_reference", message, "no such mass");
            error.maybe_help(suggest(name, masses, "masses"))
        })
    }

    fn texture(&self, raw: &TextureTable, at: &[Seg]) -> Result<Texture, Error> {
        let below = |key: &str| [at, &trail![key]].concat();
        let eccentricity_m: Vec<f64> = match &raw.eccentricity_m {
            None => Vec::new(),
            Some(OneOrMany::One(x)) => vec![x.0],
            Some(OneOrMany::Many(list)) => list.iter().map(|x| x.0).collect(),
        };
        if eccentricity_m.len() > MAX_HARMONICS {
            let expected = format!("at most {MAX_HARMONICS} values");
            return Err(self.context.unexpected(&below("eccentricity_m"), "instrument::length", &expected));
        }
        if !eccentricity_m.is_empty() && raw.radius_m.is_none() {
            let message =
                format!("{}, but only a body with a `radius_m` turns", self.context.state(&below("eccentricity_m")));
            return Err(self.context.error(
                &below("eccentricity_m"),
                "instrument::missing_key",
                message,
                "needs `radius_m`",
            ));
        }
        Ok(Texture { roughness: self.roughness(raw, at)?, radius_m: raw.radius_m.map(|x| x.0), eccentricity_m })
    }

    fn roughness(&self, raw: &TextureTable, at: &[Seg]) -> Result<Option<Roughness>, Error> {
        self.roughness_of(raw, raw.height_m.map_or(0.0, |x| x.0), at)
    }

    /// The roughness of a texture, of a given height.
    pub(crate) fn roughness_of(
        &self,
        raw: &TextureTable,
        height_m: f64,
        at: &[Seg],
    ) -> Result<Option<Roughness>, Error> {
        let below = |key: &str| [at, &trail![key]].concat();
        let (coarsest_m, finest_m) = match (raw.coarsest_m, raw.finest_m) {
            (Some(coarsest), Some(finest)) => (coarsest.0, finest.0),
            (None, None) if height_m == 0.0 => return Ok(None),
            (coarsest, _) => {
                let missing = if coarsest.is_none() { "coarsest_m" } else { "finest_m" };
                let message = format!(
                    "`{}` is missing: roughness needs its longest and shortest wavelength",
                    self.context.names.show(&below(missing))
                );
                let error = self.context.error(at, "instrument::missing_key", message, "this needs both");
                return Err(error.help("write `coarsest_m = \"2 cm\", finest_m = \"0.2 mm\"`"));
            }
        };
        let refuse =
            |key: &str, expected: &str| Err(self.context.unexpected(&below(key), "instrument::out_of_range", expected));
        if finest_m < ATOM {
            return refuse("finest_m", "at least 1e-9, the size of an atom");
        }
        if coarsest_m < finest_m {
            return refuse("coarsest_m", &format!("at least `finest_m`, {finest_m}"));
        }
        if coarsest_m > MAX_SPAN * finest_m {
            return refuse("coarsest_m", &format!("at most {MAX_SPAN} times `finest_m`, {}", MAX_SPAN * finest_m));
        }
        if height_m == 0.0 {
            return Ok(None);
        }
        let beta = raw.beta.map_or(BROWNIAN, |x| x.0);
        let poles_per_decade = raw.poles_per_decade.map_or(POLES_PER_DECADE, |n| n.0);
        Ok(Some(Roughness { height_m, beta, coarsest_m, finest_m, poles_per_decade, seed: raw.seed }))
    }
}
