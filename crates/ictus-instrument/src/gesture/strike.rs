//! Strikes: as written, resolved, and the way between.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Action;
use crate::error::Error;
use crate::number::{Finite, Positive};
use crate::path::Seg;
use crate::resolve::Resolver;

/// A short force pulse: `duration_s` with one of `force_n` and `impulse_n_s`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename = "Strike", deny_unknown_fields)]
pub(crate) struct StrikeTable {
    /// Which port.
    pub what: String,
    /// Length of the pulse.
    pub duration_s: Positive,
    /// Peak force.
    pub force_n: Option<Finite>,
    /// Integral of the force.
    pub impulse_n_s: Option<Finite>,
}

/// How strong a strike is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Strike {
    /// Peak force, N.
    ForceN(f64),
    /// Integral of the force, N s.
    ImpulseNS(f64),
}

impl Resolver<'_> {
    pub(super) fn strike(&self, raw: &StrikeTable, at: &[Seg], id: &str) -> Result<Action, Error> {
        let port = self.what(&raw.what, at)?;
        let amount = match (raw.force_n, raw.impulse_n_s) {
            (Some(force), None) => Strike::ForceN(force.0),
            (None, Some(impulse)) => Strike::ImpulseNS(impulse.0),
            (both, _) => {
                let word = if both.is_some() { "both" } else { "neither" };
                let message = format!("`{id}` has {word} of `force_n` and `impulse_n_s`, expected exactly one");
                return Err(self.conflict(at, message, "expected exactly one"));
            }
        };
        Ok(Action::Strike { port, duration_s: raw.duration_s.0, amount })
    }
}
