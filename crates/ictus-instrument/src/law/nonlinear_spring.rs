//! Two-sided springs with a power law: as written, and the way to the law.

use schemars::JsonSchema;
use serde::Deserialize;

use super::Law;
use crate::number::{Exponent, PositiveFactor};

/// A two-sided spring with a power law.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename = "NonlinearSpring", deny_unknown_fields)]
pub(crate) struct NonlinearSpringTable {
    /// Name; made from the two ends if not given.
    #[serde(rename = "id")]
    pub _id: Option<String>,
    /// The two ends: ports, or one port and "wall".
    pub between: [String; 2],
    /// Stiffness in N/m^exponent.
    pub stiffness: PositiveFactor,
    /// Power of the elongation, 1 to 5.
    pub exponent: Exponent,
}

pub(super) fn nonlinear_spring(raw: &NonlinearSpringTable) -> Law {
    Law::NonlinearSpring { stiffness: raw.stiffness.0, exponent: raw.exponent.0 }
}
