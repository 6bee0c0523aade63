//! Point masses: as written, resolved, and the way between.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Body;
use crate::number::{Finite, NonNegative, Positive};

/// A point mass, optionally on a damped spring to ground. Its one port is its id.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename = "Mass", deny_unknown_fields)]
pub(crate) struct MassTable {
    /// Name by which the rest of the file refers to it.
    pub id: String,
    /// Mass.
    pub mass_kg: Positive,
    /// Spring to ground; 0 if not given.
    pub stiffness_n_m: Option<NonNegative>,
    /// Damper to ground; 0 if not given.
    pub damping_n_s_m: Option<NonNegative>,
    /// Displacement at time 0; 0 if not given.
    pub position_m: Option<Finite>,
    /// Velocity at time 0; 0 if not given.
    pub velocity_m_s: Option<Finite>,
}

/// A point mass, optionally on a damped spring to ground.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Mass {
    /// m > 0.
    pub mass_kg: f64,
    /// k ≥ 0, spring to ground.
    pub stiffness_n_m: f64,
    /// r ≥ 0, damper to ground.
    pub damping_n_s_m: f64,
    /// Displacement at time 0.
    pub position_m: f64,
    /// Velocity at time 0.
    pub velocity_m_s: f64,
}

impl Body for Mass {
    fn port_names(&self) -> Vec<&str> {
        vec![""]
    }

    fn free_mobility(&self, _: &str) -> f64 {
        1.0 / self.mass_kg
    }
}

pub(super) fn mass(raw: &MassTable) -> Mass {
    Mass {
        mass_kg: raw.mass_kg.0,
        stiffness_n_m: raw.stiffness_n_m.map_or(0.0, |x| x.0),
        damping_n_s_m: raw.damping_n_s_m.map_or(0.0, |x| x.0),
        position_m: raw.position_m.map_or(0.0, |x| x.0),
        velocity_m_s: raw.velocity_m_s.map_or(0.0, |x| x.0),
    }
}
