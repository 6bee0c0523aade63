//! Where a friction or an adherence touches: what its first end must be for that.

use super::Resolver;
use crate::error::Error;
use crate::path::trail;
use crate::spec::{End, ResonatorKind, Rub, Surfaces};

impl Resolver<'_> {
    /// A hand for the hair, and a place.
    pub(super) fn bow_fits(&self, index: usize, surfaces: &Surfaces, rub: &Rub, ends: &[End; 2]) -> Result<(), Error> {
        if surfaces.bow.hair.is_some() && ends[1] != End::Wall {
            let why = "hair is held by the player, so the second end must be \"wall\"";
            return Err(self.misplaced(index, "hair", why, "between what?"));
        }
        self.place_fits(index, surfaces.bow.width_m, rub, ends)
    }

    fn misplaced(&self, index: usize, key: &str, why: &str, label: &str) -> Error {
        let message = format!("`{}.{key}`: {why}", self.id("interaction", index));
        self.conflict(&trail!["interaction", index, key], message, label)
    }

    /// A place to move along, with room for `width_m`.
    pub(super) fn place_fits(&self, index: usize, width_m: f64, rub: &Rub, ends: &[End; 2]) -> Result<(), Error> {
        let refuse = |key: &str, why: &str, label: &str| Err(self.misplaced(index, key, why, label));
        let (wide, placed) = (width_m > 0.0, !rub.position.is_empty());
        if !wide && !placed {
            return Ok(());
        }
        let End::Port(port) = ends[0] else {
            let key = if placed { "position" } else { "width_m" };
            return refuse(key, "the first end is the wall, expected a string or a shape", "on what?");
        };
        let body = &self.resonators[port.resonator];
        let string = match &body.kind {
            ResonatorKind::String(string) => Some(string),
            _ if wide => {
                return refuse("width_m", &format!("`{}` is not a string", body.id), "has no length to lie along");
            }
            ResonatorKind::Object(_) => None,
            _ => {
                let why = format!("`{}` has no places to move between, expected a string or a shape", body.id);
                return refuse("position", &why, "on what?");
            }
        };
        let Some(string) = string else { return Ok(()) };
        let half = 0.5 * width_m / string.length_m;
        let own = [(0.0, string.ports[port.port].position)];
        let curve = if placed { rub.position.as_slice() } else { &own };
        match curve.iter().find(|(_, x)| !(x - half > 0.0 && x + half < 1.0)) {
            None => Ok(()),
            Some((_, x)) if half > 0.0 => {
                let why = format!("a bow of {width_m} m at {x} reaches over the end of `{}`", body.id);
                refuse("width_m", &why, "too wide for this place")
            }
            Some((_, x)) => refuse(
                "position",
                &format!("{x} is not on `{}`, expected a place strictly between 0 and 1", body.id),
                "off the string",
            ),
        }
    }
}
