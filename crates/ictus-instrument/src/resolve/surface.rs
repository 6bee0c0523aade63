//! Surfaces of collisions.

use super::Resolver;
use crate::error::Error;
use crate::number::{ConstantOrCurve, OneOrMany};
use crate::path::{Seg, trail};
use crate::raw;
use crate::spec::{Roughness, Surface, Texture};

/// Ratio of the coarsest to the finest wavelength: what one profile holds, eight of the coarsest in its period.
const MAX_SPAN: f64 = 4096.0;
/// Nothing is rougher below the size of an atom, m.
const ATOM: f64 = 1e-9;
/// Waves per turn of a body that is out of round.
const MAX_HARMONICS: usize = 32;
/// Where the file gives none: the profile of a random walk, as of broken or worn surfaces.
const BROWNIAN: f64 = 2.0;

impl Resolver<'_> {
    pub(super) fn surface(&self, index: usize, raw: &raw::Collision) -> Result<Surface, Error> {
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
        match (&raw.texture, speed.is_empty()) {
            (Some(_), true) => {
                let message = format!("`{id}` has a `texture` that never moves, expected a `speed_m_s`");
                let error = self.context.error(&at("texture"), "instrument::missing_key", message, "stands still");
                return Err(error.help("write `speed_m_s = 0.5`, or a curve `[[s, m/s], …]`"));
            }
            (None, false) => {
                let message = format!("`{id}` has a `speed_m_s` but nothing that passes, expected a `texture`");
                let error = self.context.error(&at("speed_m_s"), "instrument::missing_key", message, "of what?");
                return Err(error
                    .help("write `texture = { height_m = \"20 µm\", coarsest_m = \"2 cm\", finest_m = \"0.2 mm\" }`"));
            }
            _ => {}
        }
        let texture = raw.texture.as_ref().map(|raw| self.texture(raw, &at("texture"))).transpose()?;
        Ok(Surface { lift, texture, speed })
    }

    fn texture(&self, raw: &raw::Texture, at: &[Seg]) -> Result<Texture, Error> {
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
                "of what radius?",
            ));
        }
        Ok(Texture { roughness: self.roughness(raw, at)?, radius_m: raw.radius_m.map(|x| x.0), eccentricity_m })
    }

    fn roughness(&self, raw: &raw::Texture, at: &[Seg]) -> Result<Option<Roughness>, Error> {
        self.roughness_of(raw, raw.height_m.map_or(0.0, |x| x.0), at)
    }

    /// The roughness of a texture, of a given height.
    pub(super) fn roughness_of(
        &self,
        raw: &raw::Texture,
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
        Ok(Some(Roughness { height_m, beta, coarsest_m, finest_m, seed: raw.seed }))
    }
}
