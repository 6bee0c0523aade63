//! Adherence, as written.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::number::{ConstantOrCurve, Factor, Finite, Positive, UnitInterval};

/// Two ends that move as one: a finger or a slide on a string, a clamp.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Adhere {
    /// Name; made from the two ends if not given.
    #[serde(rename = "id")]
    pub _id: Option<String>,
    /// The two ends: ports, or one port and "wall", which holds it still.
    pub between: [String; 2],
    /// Where it touches the first end, or [[s, place], …]: a fraction of the length of a string, the first coordinate of a shape; the port's own place if not given.
    pub position: Option<ConstantOrCurve<Factor>>,
    /// How firmly, from 0 (not at all) over a light touch to 1 (rigidly), or [[s, weight], …], straight between points, ends held; 1 if not given.
    pub weight: Option<ConstantOrCurve<UnitInterval>>,
    /// Distance u_A - u_B to which the ends return while they are held; if not given they stay where they meet and may drift.
    pub height_m: Option<Finite>,
    /// Time in which they return by a factor of e; 5 ms if not given.
    pub return_s: Option<Positive>,
}
