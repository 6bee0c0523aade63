//! Friction: the table as written, and the way to the law.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::surface::{POLES_PER_DECADE, Roughness, TextureTable};
use super::{Bow, Hair, Interaction, Law, Rub, Surfaces};
use crate::error::{Error, suggest};
use crate::input::LawInputs;
use crate::number::{
    BelowOne, BowPoints, ConstantOrCurve, Factor, Finite, NewtonSteps, NonNegative, Positive, PositiveFactor,
    UnitInterval,
};
use crate::path::{Seg, trail};
use crate::resolve::Resolver;

/// Share of the sliding force up to which bristles only bend, where the file gives none. [handbook §5]
const BREAKAWAY: f64 = 0.7;
/// Points of a bow that has a width, where the file gives none.
const BOW_POINTS: usize = 4;
/// Roughness where the file gives none: the grain of a skin or of rosin, waves from 5 mm down to 0.1 mm, 1/f.
const GRAIN: Roughness = Roughness {
    height_m: 1.0,
    beta: 1.0,
    coarsest_m: 5e-3,
    finest_m: 1e-4,
    poles_per_decade: POLES_PER_DECADE,
    seed: None,
};

/// Dry friction between two surfaces that slide along each other; give `normal_n` or `pressed_by`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename = "Friction", deny_unknown_fields)]
#[schemars(extend(
    "oneOf" = [{ "required": ["normal_n"] }, { "required": ["pressed_by"] }],
    "anyOf" = [
        { "required": ["sticking", "sliding", "stribeck_m_s", "stiffness_n_m"] },
        { "required": ["model", "sharpness_s2_m2"], "properties": { "model": { "const": "bow_curve", "description": "A curve without bristles." } } },
    ],
))]
pub(crate) struct FrictionTable {
    /// Name; made from the two ends if not given.
    #[serde(rename = "id")]
    pub _id: Option<String>,
    /// The two ends: ports, or one port and "wall", which here is whatever the player moves: a bow, a belt, a finger.
    pub between: [String; 2],
    /// Force that presses the surfaces together, or [[s, N], …], straight between points, ends held.
    pub normal_n: Option<ConstantOrCurve<NonNegative>>,
    /// Collision or felt, further up in the file, whose force presses them together.
    pub pressed_by: Option<String>,
    /// Speed at which the second surface is moved along the first, or [[s, m/s], …]; 0 if not given.
    pub speed_m_s: Option<ConstantOrCurve<Finite>>,
    /// Where it touches the first end, or [[s, place], …]: a fraction of the length of a string, the first coordinate of a shape; the port's own place if not given.
    pub position: Option<ConstantOrCurve<Factor>>,
    /// Width of the bow along a string; it touches at one point if not given.
    pub width_m: Option<Positive>,
    /// Points over that width, each with its share of the force; 4 if not given.
    pub points: Option<BowPoints>,
    /// Hair that gives, between the string and the player's hand.
    pub hair: Option<HairTable>,
    /// Most the surfaces hold, over the normal force; of a `bow_curve` its top, 1 if not given.
    pub sticking: Option<PositiveFactor>,
    /// What remains when they slide fast, over the normal force; not of a `bow_curve`.
    pub sliding: Option<PositiveFactor>,
    /// Speed at which most of the difference is lost; not of a `bow_curve`.
    pub stribeck_m_s: Option<Positive>,
    /// Stiffness of the bristles; not of a `bow_curve`.
    pub stiffness_n_m: Option<Positive>,
    /// How narrow a `bow_curve` is, s²/m²: its top lies at 1/√(2 sharpness) m/s.
    pub sharpness_s2_m2: Option<PositiveFactor>,
    /// Damping of the bristles; 0 if not given.
    pub damping_n_s_m: Option<NonNegative>,
    /// Viscous drag; 0 if not given.
    pub viscosity_n_s_m: Option<NonNegative>,
    /// Share of the sliding force up to which bristles bend without creeping, 0 to below 1; 0.7 if not given.
    pub breakaway: Option<BelowOne>,
    /// What the bristles do.
    #[serde(default)]
    pub model: FrictionModel,
    /// How their damping enters.
    #[serde(default)]
    pub form: FrictionForm,
    /// Newton's steps per step of time, a fixed number at a fixed cost; as many as it takes if not given.
    pub newton_steps: Option<NewtonSteps>,
    /// Share of the normal force by which roughness varies it (rms), 0 to 1; 0 if not given.
    pub roughness: Option<UnitInterval>,
    /// Force from outside along the motion that varies as roughness passes, as a share of the normal force (rms), 0 to 1; 0 if not given.
    pub noise: Option<UnitInterval>,
    /// What the roughness is like; its height does not matter.
    pub texture: Option<TextureTable>,
}

/// Hair between a string and the stick, which the player moves.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename = "Hair", deny_unknown_fields)]
pub(crate) struct HairTable {
    /// Stiffness along the stick.
    pub stiffness_n_m: Positive,
    /// Mass that moves with the string.
    pub mass_kg: Positive,
    /// Damping; 0 if not given.
    pub damping_n_s_m: Option<NonNegative>,
}

/// What the bristles between two surfaces do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FrictionModel {
    /// Bend, creep, slide.
    #[default]
    ElastoPlastic,
    /// Creep at any load.
    Lugre,
    /// As `lugre`, undamped and without a falling curve.
    Dahl,
    /// No bristles: stick, or slide on the Stribeck curve.
    Stribeck,
    /// No bristles and no stick: a smooth curve of the sliding speed that rises to its top and falls to zero.
    BowCurve,
}

/// How the damping of bristles enters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FrictionForm {
    /// Never gives energy.
    #[default]
    Passive,
    /// As published, for comparison.
    Printed,
}

/// Friction over sliding speed.
struct StaticCurve {
    sticking: f64,
    sliding: f64,
    stribeck_m_s: f64,
    stiffness_n_m: f64,
    sharpness_s2_m2: f64,
}

/// What players move: the normal force unless a collision exerts it, the speed, and the position.
pub(super) fn offer_inputs(known: &Interaction, surfaces: &Surfaces, mut inputs: LawInputs) {
    inputs.normal();
    inputs.speed(&known.rub.speed);
    inputs.position(surfaces.bow.width_m);
}

impl Resolver<'_> {
    /// `presses` states which of the interactions so far may press others.
    pub(crate) fn friction(&self, index: usize, raw: &FrictionTable, presses: &[bool]) -> Result<(Law, Rub), Error> {
        let at = |key: &str| trail!["interaction", index, key];
        let curve = self.static_curve(index, raw)?;
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
            sticking: if dahl { curve.sliding } else { curve.sticking },
            sliding: curve.sliding,
            stribeck_m_s: curve.stribeck_m_s,
            stiffness_n_m: curve.stiffness_n_m,
            sharpness_s2_m2: curve.sharpness_s2_m2,
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

    /// The keys that say how friction depends on speed: those of bristles or of the Stribeck curve, or those of a bow curve.
    fn static_curve(&self, index: usize, raw: &FrictionTable) -> Result<StaticCurve, Error> {
        let at = |key: &str| trail!["interaction", index, key];
        let missing = |key: &str| {
            let message = format!("`{}` is missing", self.context.names.show(&at(key)));
            let label = format!("this needs `{key}`");
            self.context.error(&trail!["interaction", index], "instrument::missing_key", message, label)
        };
        if raw.model == FrictionModel::BowCurve {
            for (key, given) in [
                ("sliding", raw.sliding.is_some()),
                ("stribeck_m_s", raw.stribeck_m_s.is_some()),
                ("stiffness_n_m", raw.stiffness_n_m.is_some()),
                ("damping_n_s_m", raw.damping_n_s_m.is_some()),
                ("viscosity_n_s_m", raw.viscosity_n_s_m.is_some()),
                ("breakaway", raw.breakaway.is_some()),
                ("newton_steps", raw.newton_steps.is_some()),
            ] {
                if given {
                    let message = format!("{}, but a `bow_curve` has no bristles", self.context.state(&at(key)));
                    let error = self.conflict(&at(key), message, "not with this model");
                    return Err(error.help("a `bow_curve` takes `sharpness_s2_m2` and `sticking`, its top"));
                }
            }
            let a = raw.sharpness_s2_m2.ok_or_else(|| missing("sharpness_s2_m2"))?.0;
            let top = raw.sticking.map_or(1.0, |x| x.0);
            let stribeck_m_s = 1.0 / (2.0 * a).sqrt();
            // bristles have no part in it
            return Ok(StaticCurve {
                sticking: top,
                sliding: top,
                stribeck_m_s,
                stiffness_n_m: 1.0,
                sharpness_s2_m2: a,
            });
        }
        if raw.sharpness_s2_m2.is_some() {
            let message = format!("{}, which only a `bow_curve` has", self.context.state(&at("sharpness_s2_m2")));
            return Err(self.conflict(&at("sharpness_s2_m2"), message, "needs `model = \"bow_curve\"`"));
        }
        let curve = StaticCurve {
            sticking: raw.sticking.ok_or_else(|| missing("sticking"))?.0,
            sliding: raw.sliding.ok_or_else(|| missing("sliding"))?.0,
            stribeck_m_s: raw.stribeck_m_s.ok_or_else(|| missing("stribeck_m_s"))?.0,
            stiffness_n_m: raw.stiffness_n_m.ok_or_else(|| missing("stiffness_n_m"))?.0,
            sharpness_s2_m2: 0.0,
        };
        if curve.sticking < curve.sliding {
            let expected = format!("at least `sliding`, {}", curve.sliding);
            return Err(self.context.unexpected(&at("sticking"), "instrument::out_of_range", &expected));
        }
        Ok(curve)
    }

    fn bow(&self, index: usize, raw: &FrictionTable) -> Result<Bow, Error> {
        let hair = raw.hair.as_ref().map(|hair| Hair {
            stiffness_n_m: hair.stiffness_n_m.0,
            mass_kg: hair.mass_kg.0,
            damping_n_s_m: hair.damping_n_s_m.map_or(0.0, |x| x.0),
        });
        let points = match (raw.width_m, raw.points) {
            (None, Some(points)) if points.0 > 1 => {
                let at = trail!["interaction", index, "points"];
                let message = format!("{}, but the bow has no `width_m`", self.context.state(&at));
                return Err(self.conflict(&at, message, "needs `width_m`"));
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

    fn grain(&self, raw: &FrictionTable, share: Option<f64>, at: &[Seg]) -> Result<Option<(f64, Roughness)>, Error> {
        let share = share.unwrap_or(0.0);
        let texture = raw.texture.as_ref().map(|texture| self.roughness_of(texture, 1.0, at)).transpose()?.flatten();
        Ok((share > 0.0).then_some((share, texture.unwrap_or(GRAIN))))
    }
}
