//! Plucks: as written, resolved, and the way between.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Action;
use crate::error::Error;
use crate::number::{Finite, Positive};
use crate::path::Seg;
use crate::resolve::Resolver;

/// Pulls a port and lets go: `force_n` with `duration_s`, or `displacement_m`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename = "Pluck", deny_unknown_fields)]
pub(crate) struct PluckTable {
    /// Which port.
    pub what: String,
    /// Force at release.
    pub force_n: Option<Finite>,
    /// Time to release.
    pub duration_s: Option<Positive>,
    /// Displacement at release.
    pub displacement_m: Option<Finite>,
    /// Shape of the displaced body; static if not given.
    pub shape: Option<Shape>,
}

/// Shape a body takes when a port of it is displaced.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// The shape under a constant force at the port.
    #[default]
    Static,
    /// The lowest mode alone.
    Sine,
}

/// How a pluck is given.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Pluck {
    /// A force that grows and is released.
    Force {
        /// Force at release.
        force_n: f64,
        /// Time to release > 0.
        duration_s: f64,
    },
    /// An initial displacement.
    Displacement {
        /// Displacement of the port at release.
        displacement_m: f64,
        /// Which shape takes that displacement.
        shape: Shape,
    },
}

impl Resolver<'_> {
    pub(super) fn pluck(&self, raw: &PluckTable, at: &[Seg], id: &str) -> Result<Action, Error> {
        let port = self.what(&raw.what, at)?;
        let how = match (raw.force_n, raw.duration_s, raw.displacement_m, raw.shape) {
            (Some(force), Some(duration), None, None) => Pluck::Force { force_n: force.0, duration_s: duration.0 },
            (None, None, Some(displacement), shape) => {
                Pluck::Displacement { displacement_m: displacement.0, shape: shape.unwrap_or_default() }
            }
            _ => {
                let expected = "either `force_n` with `duration_s`, or `displacement_m` with an optional `shape`";
                let message = format!("`{id}` is not a clear pluck, expected {expected}");
                return Err(self.conflict(at, message, "expected one way to pluck"));
            }
        };
        Ok(Action::Pluck { port, how })
    }
}
