//! Soft fingertips on strings: as written, resolved, and the way between.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::barrier::Side;
use crate::error::Error;
use crate::law::HERTZ;
use crate::number::{ConstantOrCurve, Exponent, Finite, Fraction, NonNegative, Positive, PositiveFactor};
use crate::path::trail;
use crate::resolve::Resolver;

// A left hand's fingertip, in SI, where the file says nothing.
const MASS: f64 = 0.01;
const DAMPING: f64 = 5.0;
const STIFFNESS: f64 = 1e6;
const FLESH_DAMPING: f64 = 0.1;
const RADIUS: f64 = 0.01;
const WIDTH: f64 = 0.012;
const HEIGHT: f64 = 0.01;
const HOLD: f64 = 20.0;

/// A soft fingertip that presses on a string and may travel along it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename = "Finger", deny_unknown_fields)]
pub(crate) struct FingerTable {
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

/// A soft fingertip: a damped mass that presses on a string.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finger {
    /// Given, or `finger`, `finger#2`.
    pub id: String,
    /// Index into [`Spec::resonators`](crate::Spec::resonators); always a string.
    pub string: usize,
    /// m > 0.
    pub mass_kg: f64,
    /// r ≥ 0, damper of the mass.
    pub damping_n_s_m: f64,
    /// K > 0, N/m^α.
    pub stiffness: f64,
    /// α in [1, 5].
    pub exponent: f64,
    /// Hunt–Crossley μ ≥ 0.
    pub damping_s_m: f64,
    /// Radius of curvature along the string > 0.
    pub radius_m: f64,
    /// Length of the contact patch along the string > 0.
    pub width_m: f64,
    /// Distance from the string, towards `side`, where it waits; finite, any sign.
    pub height_m: f64,
    /// k > 0, the weak spring that holds it there.
    pub hold_n_m: f64,
    /// From where it presses: above it presses towards negative displacement.
    pub side: Side,
    /// `(s, fraction of the length)`, at least 1 point, a single one at 0 s if constant; times ≥ 0 and strictly
    /// increasing, fractions strictly between 0 and 1, linear between points and held beyond.
    pub position: Vec<(f64, f64)>,
    /// `(s, N)`, forces ≥ 0 towards the string, times ≥ 0 and strictly increasing, linear between points and held
    /// beyond; empty for none.
    pub force: Vec<(f64, f64)>,
}

impl Resolver<'_> {
    pub(crate) fn finger(&self, index: usize, raw: &FingerTable) -> Result<Finger, Error> {
        let at = |key: &str| trail!["finger", index, key];
        let string = self.string(&raw.on, &at("on"), "only a string can be pressed")?;
        let position = match &raw.position {
            ConstantOrCurve::Constant(x) => vec![(0.0, x.0)],
            ConstantOrCurve::Curve(curve) => curve.iter().map(|(time, x)| (time.0, x.0)).collect(),
        };
        let force = raw.force.as_ref().map(|force| {
            let force = force.iter().map(|(time, force)| (time.0, force.0)).collect();
            self.curve(force, 1, &at("force"))
        });
        Ok(Finger {
            id: self.id("finger", index),
            string,
            mass_kg: raw.mass_kg.map_or(MASS, |x| x.0),
            damping_n_s_m: raw.damping_n_s_m.map_or(DAMPING, |x| x.0),
            stiffness: raw.stiffness.map_or(STIFFNESS, |x| x.0),
            exponent: raw.exponent.map_or(HERTZ, |x| x.0),
            damping_s_m: raw.damping_s_m.map_or(FLESH_DAMPING, |x| x.0),
            radius_m: raw.radius_m.map_or(RADIUS, |x| x.0),
            width_m: raw.width_m.map_or(WIDTH, |x| x.0),
            height_m: raw.height_m.map_or(HEIGHT, |x| x.0),
            hold_n_m: raw.hold_n_m.map_or(HOLD, |x| x.0),
            side: raw.side.unwrap_or(Side::Above),
            position: self.curve(position, 1, &at("position"))?,
            force: force.transpose()?.unwrap_or_default(),
        })
    }
}
