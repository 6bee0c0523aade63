//! Prescribed velocities: as written, and the way to the action.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Action, curve_at};
use crate::error::Error;
use crate::number::{Finite, NonNegative};
use crate::path::Seg;
use crate::resolve::Resolver;

/// A prescribed velocity over time, piecewise linear.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename = "VelocityCurve", deny_unknown_fields)]
pub(crate) struct VelocityTable {
    /// Which port.
    pub what: String,
    /// [[seconds after the start, m/s], …], at least two points.
    pub curve: Vec<(NonNegative, Finite)>,
}

impl Resolver<'_> {
    pub(super) fn velocity(&self, raw: &VelocityTable, at: &[Seg]) -> Result<Action, Error> {
        let curve = raw.curve.iter().map(|(time, velocity)| (time.0, velocity.0)).collect();
        Ok(Action::Velocity { port: self.what(&raw.what, at)?, curve: self.curve(curve, 2, &curve_at(at))? })
    }
}
