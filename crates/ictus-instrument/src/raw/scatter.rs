//! Many small throws at random.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::number::{EnergyPower, Finite, NonNegative};

/// Throws masses at random moments, many times.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Scatter {
    /// Which masses; every event takes one of them, from where it started.
    #[schemars(length(min = 1, max = 1000))]
    pub what: Vec<String>,
    /// Mean number of events per second over time, [[seconds after the start, 1/s], …]; ends with its last point.
    #[schemars(length(min = 2))]
    pub rate_hz: Vec<(NonNegative, NonNegative)>,
    /// Slowest and fastest, of one sign.
    pub velocity_m_s: [Finite; 2],
    /// Energies between those are distributed as E^-exponent, 0 to 5; 1.5 if not given.
    pub exponent: Option<EnergyPower>,
}
