//! Linear springs and dampers: as written, and the way to the law.

use schemars::JsonSchema;
use serde::Deserialize;

use super::Law;
use crate::error::Error;
use crate::number::NonNegative;
use crate::path::trail;
use crate::resolve::Resolver;

/// A linear spring and damper between two ports.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename = "Spring", deny_unknown_fields)]
pub(crate) struct SpringTable {
    /// Name; made from the two ends if not given.
    #[serde(rename = "id")]
    pub _id: Option<String>,
    /// The two ends: ports, or one port and "wall".
    pub between: [String; 2],
    /// Spring constant.
    pub stiffness_n_m: Option<NonNegative>,
    /// Damper; 0 if not given.
    pub damping_n_s_m: Option<NonNegative>,
}

impl Resolver<'_> {
    pub(super) fn spring(&self, index: usize, id: &str, raw: &SpringTable) -> Result<Law, Error> {
        let stiffness_n_m = raw.stiffness_n_m.map_or(0.0, |x| x.0);
        let damping_n_s_m = raw.damping_n_s_m.map_or(0.0, |x| x.0);
        if stiffness_n_m == 0.0 && damping_n_s_m == 0.0 {
            let message = format!("`{id}` has no stiffness and no damping, expected one of them above zero");
            let at = trail!["interaction", index];
            return Err(self.context.error(&at, "instrument::out_of_range", message, "does nothing"));
        }
        Ok(Law::Spring { stiffness_n_m, damping_n_s_m })
    }
}
