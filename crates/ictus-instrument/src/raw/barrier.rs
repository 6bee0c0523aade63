//! Barriers and fingers on strings, as written.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Method;
use crate::number::{
    ConstantOrCurve, Exponent, Finite, Fraction, FretCount, NonNegative, OneOrMany, Positive, PositiveFactor,
    UnitInterval,
};

/// An obstacle along a string: one shape, and either `stiffness` or `density`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("allOf" = [
    { "oneOf": [
        { "required": ["flat"] }, { "required": ["profile"] }, { "required": ["frets"] }, { "required": ["points"] },
    ] },
    { "oneOf": [{ "required": ["stiffness"] }, { "required": ["density"] }] },
]))]
pub(crate) struct Barrier {
    /// Name; "barrier" if not given.
    #[serde(rename = "id")]
    pub _id: Option<String>,
    /// Which string.
    pub on: String,
    /// On which side of the string it stands; below if not given, where it stops negative displacement.
    pub side: Option<Side>,
    /// The same height everywhere.
    pub flat: Option<Flat>,
    /// A height that changes along the string.
    pub profile: Option<Profile>,
    /// Frets in equal temperament, counted from the nut at the start of the string.
    pub frets: Option<Frets>,
    /// Single points, [[fraction of the length, height], …], in order along the string.
    #[schemars(length(min = 1, max = 2000))]
    pub points: Option<Vec<(Fraction, Finite)>>,
    /// Where it begins, a fraction of the length, for `flat` and `profile`; 0 if not given.
    pub from: Option<UnitInterval>,
    /// Where it ends, a fraction of the length, for `flat` and `profile`; 1 if not given.
    pub to: Option<UnitInterval>,
    /// Stiffness of each point of contact in N/m^exponent; instead of `density`.
    pub stiffness: Option<PositiveFactor>,
    /// Stiffness per metre of string in N/m^(exponent + 1), for `flat` and `profile`; instead of `stiffness`.
    pub density: Option<PositiveFactor>,
    /// Power of the compression, 1 to 5; 1.5 if not given.
    pub exponent: Option<Exponent>,
    /// Hunt–Crossley damping; 0 if not given.
    pub damping_s_m: Option<NonNegative>,
    /// How the contact is solved.
    #[serde(default)]
    pub method: Method,
    /// Height added to the whole barrier over time, [[s, m], …], straight between points, ends held.
    #[schemars(length(min = 1))]
    pub lift: Option<Vec<(NonNegative, Finite)>>,
}

/// A side of a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// Where displacement is negative.
    Below,
    /// Where displacement is positive.
    Above,
}

/// A barrier of one height.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Flat {
    /// Height over the string at rest.
    pub height_m: Finite,
}

/// A barrier whose height is a polynomial.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Profile {
    /// Coefficients, lowest power first, of the height over the distance in metres from the start of the barrier.
    #[schemars(length(min = 1, max = 8))]
    pub height_m: Vec<Finite>,
}

/// Frets: number n stands at the fraction 1 - 2^(-n/12) of the length.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Frets {
    /// How many, 1 to 48.
    pub count: FretCount,
    /// Height over the string at rest, one for all or one per fret.
    pub height_m: OneOrMany<Finite>,
}

/// A soft fingertip that presses on a string and may travel along it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Finger {
    /// Name; "finger" if not given.
    #[serde(rename = "id")]
    pub _id: Option<String>,
    /// Which string.
    pub on: String,
    /// Where it presses, a fraction of the length, or [[s, fraction], …], straight between points, ends held.
    pub position: ConstantOrCurve<Fraction>,
    /// Force towards the string over time, [[s, N], …], straight between points, ends held; none if not given.
    #[schemars(length(min = 1))]
    pub force: Option<Vec<(NonNegative, NonNegative)>>,
    /// From which side it presses; above if not given, towards negative displacement.
    pub side: Option<Side>,
    /// Moving mass; 10 g if not given.
    pub mass_kg: Option<Positive>,
    /// Damper of that mass; 5 N s/m if not given.
    pub damping_n_s_m: Option<NonNegative>,
    /// Stiffness of the flesh in N/m^exponent; 1e6 if not given.
    pub stiffness: Option<PositiveFactor>,
    /// Power of the compression, 1 to 5; 1.5 if not given.
    pub exponent: Option<Exponent>,
    /// Hunt–Crossley damping of the flesh; 0.1 if not given.
    pub damping_s_m: Option<NonNegative>,
    /// Radius of curvature along the string; 10 mm if not given.
    pub radius_m: Option<Positive>,
    /// Length of the contact patch along the string; 12 mm if not given.
    pub width_m: Option<Positive>,
    /// Distance from the string where it waits; 10 mm if not given.
    pub height_m: Option<Finite>,
    /// Weak spring that holds it there; 20 N/m if not given.
    pub hold_n_m: Option<Positive>,
}
