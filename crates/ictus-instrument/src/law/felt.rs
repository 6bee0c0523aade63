//! Felt: as written, and the way to the law.

use schemars::JsonSchema;
use serde::Deserialize;

use super::Law;
use crate::input::LawInputs;
use crate::number::{BelowOne, Exponent, Finite, Positive, PositiveFactor};

/// Power of felt where the file gives none: the middle of what is measured on piano hammers, 1.5 to 3.5. [SO8 §8.3.1]
const PIANO_FELT: f64 = 2.5;

/// Felt after Stulov: a one-sided power law that softens while it is pressed and recovers by itself.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename = "Felt", deny_unknown_fields)]
pub(crate) struct FeltTable {
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

/// What players move: the gap.
pub(super) fn offer_inputs(mut inputs: LawInputs) {
    inputs.lift();
}

pub(super) fn felt(raw: &FeltTable) -> Law {
    Law::Felt {
        stiffness: raw.stiffness.0,
        exponent: raw.exponent.map_or(PIANO_FELT, |x| x.0),
        hysteresis: raw.hysteresis.0,
        relaxation_s: raw.relaxation_s.0,
        gap_m: raw.gap_m.map_or(0.0, |x| x.0),
    }
}
