//! Friction.

use super::Resolver;
use crate::error::{Error, suggest};
use crate::number::ConstantOrCurve;
use crate::path::{Seg, trail};
use crate::raw::{self, FrictionModel};
use crate::spec::{Bow, Hair, Law, Roughness, Rub, Surfaces};

/// Share of the sliding force up to which bristles only bend, where the file gives none. [handbook §5]
const BREAKAWAY: f64 = 0.7;
/// Points of a bow that has a width, where the file gives none.
const BOW_POINTS: usize = 4;
/// Roughness where the file gives none: the grain of a skin or of rosin, waves from 5 mm down to 0.1 mm, 1/f.
const GRAIN: Roughness = Roughness { height_m: 1.0, beta: 1.0, coarsest_m: 5e-3, finest_m: 1e-4, seed: None };

impl Resolver<'_> {
    /// `presses` tells which of the interactions so far may press others.
    pub(super) fn friction(&self, index: usize, raw: &raw::Friction, presses: &[bool]) -> Result<(Law, Rub), Error> {
        let at = |key: &str| trail!["interaction", index, key];
        if raw.sticking.0 < raw.sliding.0 {
            let expected = format!("at least `sliding`, {}", raw.sliding.0);
            return Err(self.context.unexpected(&at("sticking"), "instrument::out_of_range", &expected));
        }
        let id = self.id("interaction", index);
        let pressed_by = match (&raw.normal_n, &raw.pressed_by) {
            (Some(_), None) => None,
            (None, Some(name)) => Some(self.pressing(index, name, presses)?),
            (both, _) => {
                let (message, label) = match both {
                    None => (format!("`{id}` is not pressed, expected `normal_n` or `pressed_by`"), "by what?"),
                    Some(_) => (format!("`{id}` has both `normal_n` and `pressed_by`, expected one"), "one too many"),
                };
                let whole = trail!["interaction", index];
                let place = if both.is_none() { whole.to_vec() } else { at("pressed_by").to_vec() };
                let error = self.context.error(&place, "instrument::missing_key", message, label);
                return Err(error.help("write `normal_n = 1.0`, or the id of a collision: `pressed_by = \"hit\"`"));
            }
        };
        // Dahl's bristles are undamped and know no difference between sticking and sliding
        let dahl = raw.model == FrictionModel::Dahl;
        let unless_dahl = |x: f64| if dahl { 0.0 } else { x };
        let surfaces = Surfaces {
            sticking: if dahl { raw.sliding.0 } else { raw.sticking.0 },
            sliding: raw.sliding.0,
            stribeck_m_s: raw.stribeck_m_s.0,
            stiffness_n_m: raw.stiffness_n_m.0,
            damping_n_s_m: unless_dahl(raw.damping_n_s_m.map_or(0.0, |x| x.0)),
            viscosity_n_s_m: unless_dahl(raw.viscosity_n_s_m.map_or(0.0, |x| x.0)),
            breakaway: raw.breakaway.map_or(BREAKAWAY, |x| x.0),
            model: raw.model,
            form: raw.form,
            newton_steps: raw.newton_steps.map(|n| n.0),
            bow: self.bow(index, raw)?,
            pressed_by,
        };
        let rub = Rub {
            normal: self.over_time(raw.normal_n.as_ref(), |x| x.0, &at("normal_n"))?,
            speed: self.over_time(raw.speed_m_s.as_ref(), |x| x.0, &at("speed_m_s"))?,
            position: self.over_time(raw.position.as_ref(), |x| x.0, &at("position"))?,
            weight: Vec::new(),
            roughness: self.grain(raw, raw.roughness.map(|x| x.0), &at("texture"))?,
            noise: self.grain(raw, raw.noise.map(|x| x.0), &at("texture"))?,
        };
        if rub.noise.is_some() && rub.normal.is_empty() {
            let message = format!("{}, but noise is a share of `normal_n`", self.context.state(&at("noise")));
            return Err(self.conflict(&at("noise"), message, "needs `normal_n`"));
        }
        Ok((Law::Friction(surfaces), rub))
    }

    fn bow(&self, index: usize, raw: &raw::Friction) -> Result<Bow, Error> {
        let hair = raw.hair.as_ref().map(|hair| Hair {
            stiffness_n_m: hair.stiffness_n_m.0,
            mass_kg: hair.mass_kg.0,
            damping_n_s_m: hair.damping_n_s_m.map_or(0.0, |x| x.0),
        });
        let points = match (raw.width_m, raw.points) {
            (None, Some(points)) if points.0 > 1 => {
                let at = trail!["interaction", index, "points"];
                let message = format!("{}, but the bow has no `width_m`", self.context.state(&at));
                return Err(self.conflict(&at, message, "points over which width?"));
            }
            (None, _) => 1,
            (Some(_), points) => points.map_or(BOW_POINTS, |n| n.0 as usize),
        };
        Ok(Bow { points, width_m: raw.width_m.map_or(0.0, |x| x.0), hair })
    }

    /// The collision that presses.
    fn pressing(&self, index: usize, name: &str, presses: &[bool]) -> Result<usize, Error> {
        let found = (0..presses.len()).find(|&i| presses[i] && self.id("interaction", i) == name);
        found.ok_or_else(|| {
            let at = trail!["interaction", index, "pressed_by"];
            let message = format!("{}, expected a collision or felt further up in the file", self.context.state(&at));
            let names: Vec<String> =
                (0..presses.len()).filter(|&i| presses[i]).map(|i| self.id("interaction", i)).collect();
            let error = self.context.error(&at, "instrument::unknown_reference", message, "presses nothing");
            error.maybe_help(suggest(name, names.iter().map(String::as_str), "collisions above"))
        })
    }

    /// A constant or curve as points; none for nothing.
    pub(super) fn over_time<T: Copy>(
        &self,
        raw: Option<&ConstantOrCurve<T>>,
        value: impl Fn(T) -> f64,
        at: &[Seg],
    ) -> Result<Vec<(f64, f64)>, Error> {
        match raw {
            None => Ok(Vec::new()),
            Some(ConstantOrCurve::Constant(x)) => Ok(vec![(0.0, value(*x))]),
            Some(ConstantOrCurve::Curve(curve)) => {
                self.curve(curve.iter().map(|(t, x)| (t.0, value(*x))).collect(), 1, at)
            }
        }
    }

    fn grain(&self, raw: &raw::Friction, share: Option<f64>, at: &[Seg]) -> Result<Option<(f64, Roughness)>, Error> {
        let share = share.unwrap_or(0.0);
        let texture = raw.texture.as_ref().map(|texture| self.roughness_of(texture, 1.0, at)).transpose()?.flatten();
        Ok((share > 0.0).then_some((share, texture.unwrap_or(GRAIN))))
    }
}
