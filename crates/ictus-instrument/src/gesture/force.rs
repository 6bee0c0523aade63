//! Forces over time: as written, and the way to the action.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Action, curve_at};
use crate::error::Error;
use crate::number::{Finite, NonNegative};
use crate::path::Seg;
use crate::resolve::Resolver;

/// A force over time, piecewise linear.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename = "ForceCurve", deny_unknown_fields)]
pub(crate) struct ForceTable {
    /// Which port.
    pub what: String,
    /// [[seconds after the start, newton], …], at least one point.
    pub curve: Vec<(NonNegative, Finite)>,
}

impl Resolver<'_> {
    pub(super) fn force(&self, raw: &ForceTable, at: &[Seg]) -> Result<Action, Error> {
        let curve = raw.curve.iter().map(|(time, force)| (time.0, force.0)).collect();
        Ok(Action::Force { port: self.what(&raw.what, at)?, curve: self.curve(curve, 1, &curve_at(at))? })
    }
}
