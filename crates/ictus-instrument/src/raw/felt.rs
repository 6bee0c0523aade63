//! Felt, as written.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::number::{BelowOne, Exponent, Finite, Positive, PositiveFactor};

/// Felt after Stulov: a one-sided power law that softens while it is pressed and recovers by itself.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Felt {
    /// Name; made from the two ends if not given.
    #[serde(rename = "id")]
    pub _id: Option<String>,
    /// The two ends: ports, or one port and "wall". Compression is u_A - u_B - gap.
    pub between: [String; 2],
    /// Stiffness of fresh felt in N/m^exponent.
    pub stiffness: PositiveFactor,
    /// Power of the compression, 1 to 5; 2.5 if not given.
    pub exponent: Option<Exponent>,
    /// Share of the force that a steady load loses in time, 0 to below 1.
    pub hysteresis: BelowOne,
    /// Time in which it does so.
    pub relaxation_s: Positive,
    /// Separation at rest; 0 if not given.
    pub gap_m: Option<Finite>,
}
