//! Friction, as written.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::surface::Texture;
use crate::number::{
    BelowOne, BowPoints, ConstantOrCurve, Factor, Finite, NewtonSteps, NonNegative, Positive, PositiveFactor,
    UnitInterval,
};

/// Dry friction between two surfaces that slide along each other; give `normal_n` or `pressed_by`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [{ "required": ["normal_n"] }, { "required": ["pressed_by"] }]))]
pub(crate) struct Friction {
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
    pub hair: Option<Hair>,
    /// Most the surfaces hold, over the normal force.
    pub sticking: PositiveFactor,
    /// What remains when they slide fast, over the normal force.
    pub sliding: PositiveFactor,
    /// Speed at which most of the difference is lost.
    pub stribeck_m_s: Positive,
    /// Stiffness of the bristles.
    pub stiffness_n_m: Positive,
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
    pub texture: Option<Texture>,
}

/// Hair between a string and the stick, which the player moves.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Hair {
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
