//! Surfaces that rub, resolved: what they are like, where they touch, what the player does.

use serde::Serialize;

use super::friction::{FrictionForm, FrictionModel};
use super::{End, Roughness};
use crate::body::ResonatorKind;
use crate::error::Error;
use crate::path::trail;
use crate::resolve::Resolver;

/// What two surfaces that rub are like.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Surfaces {
    /// μ_s ≥ μ_d.
    pub sticking: f64,
    /// μ_d > 0.
    pub sliding: f64,
    /// v_s > 0.
    pub stribeck_m_s: f64,
    /// σ0 > 0.
    pub stiffness_n_m: f64,
    /// σ1 ≥ 0.
    pub damping_n_s_m: f64,
    /// σ2 ≥ 0.
    pub viscosity_n_s_m: f64,
    /// c in [0, 1).
    pub breakaway: f64,
    /// a > 0, s²/m², of a bow curve; 0 for other models. Then μ_s = μ_d is its top and v_s the speed there.
    pub sharpness_s2_m2: f64,
    /// What the bristles do.
    pub model: FrictionModel,
    /// How their damping enters.
    pub form: FrictionForm,
    /// Newton's steps per step of time, 1 to 16, where their number is fixed.
    pub newton_steps: Option<u32>,
    /// How it reaches the first end.
    pub bow: Bow,
    /// Index of the interaction whose force presses them together, always an earlier one.
    pub pressed_by: Option<usize>,
}

/// What is drawn along a surface.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bow {
    /// Points that touch, at least 1; more than 1 only on a string.
    pub points: usize,
    /// Over this width, m.
    pub width_m: f64,
    /// Between the points and the player's hand; then the second end is the wall.
    pub hair: Option<Hair>,
}

/// Hair of a bow.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Hair {
    /// > 0.
    pub stiffness_n_m: f64,
    /// > 0.
    pub mass_kg: f64,
    /// ≥ 0.
    pub damping_n_s_m: f64,
}

/// What the player does with a friction. Empty for other laws.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Rub {
    /// Normal force, `(s, N)`, ends held; empty where a collision presses.
    pub normal: Vec<(f64, f64)>,
    /// Speed, `(s, m/s)`, ends held; may be empty.
    pub speed: Vec<(f64, f64)>,
    /// Place on the first end, `(s, place)`, ends held; empty for that of its port.
    pub position: Vec<(f64, f64)>,
    /// How firmly an adherence holds, `(s, 0 to 1)`, ends held; empty for frictions.
    pub weight: Vec<(f64, f64)>,
    /// Share of the normal force and what varies it, with a height of 1.
    pub roughness: Option<(f64, Roughness)>,
    /// Share of the normal force that pushes along the motion, and what varies it, with a height of 1.
    pub noise: Option<(f64, Roughness)>,
}

impl Resolver<'_> {
    /// A hand for the hair, and a place.
    pub(crate) fn bow_fits(&self, index: usize, surfaces: &Surfaces, rub: &Rub, ends: &[End; 2]) -> Result<(), Error> {
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
    pub(crate) fn place_fits(&self, index: usize, width_m: f64, rub: &Rub, ends: &[End; 2]) -> Result<(), Error> {
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
