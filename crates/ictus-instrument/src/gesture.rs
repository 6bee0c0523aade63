//! Gestures: the table of kinds. Each kind has a file with its table as written and the way to the action.

mod force;
mod onset;
mod pluck;
mod scatter;
mod strike;
mod throw;
mod velocity;

pub use onset::OnsetValue;
pub use pluck::{Pluck, Shape};
pub use strike::Strike;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::force::ForceTable;
use self::pluck::PluckTable;
use self::scatter::ScatterTable;
use self::strike::StrikeTable;
use self::throw::ThrowTable;
use self::velocity::VelocityTable;
use crate::error::{Error, listed};
use crate::number::{NonNegative, Positive, Times, UnitInterval};
use crate::path::{Seg, trail};
use crate::resolve::Resolver;
use crate::spec::PortRef;

/// The verbs of a gesture.
pub(crate) const VERBS: [&str; 6] = ["throw", "pluck", "strike", "force", "velocity", "scatter"];

/// Something the player does: exactly one of throw, pluck, strike, force, velocity, scatter.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename = "Gesture", deny_unknown_fields)]
#[schemars(extend("oneOf" = [
    { "required": ["throw"] }, { "required": ["pluck"] }, { "required": ["strike"] },
    { "required": ["force"] }, { "required": ["velocity"] }, { "required": ["scatter"] },
]))]
pub(crate) struct GestureTable {
    /// Name; the verb if not given.
    #[serde(rename = "id")]
    pub _id: Option<String>,
    /// When it starts; 0 if not given.
    pub at_s: Option<NonNegative>,
    /// Gives a mass a velocity.
    pub throw: Option<ThrowTable>,
    /// Pulls a port and lets go.
    pub pluck: Option<PluckTable>,
    /// A short force pulse.
    pub strike: Option<StrikeTable>,
    /// A force over time.
    pub force: Option<ForceTable>,
    /// A prescribed velocity over time.
    pub velocity: Option<VelocityTable>,
    /// Throws masses at random moments, many times.
    pub scatter: Option<ScatterTable>,
    /// Do it again at intervals.
    pub repeat: Option<RepeatTable>,
}

/// Repetition of a gesture.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename = "Repeat", deny_unknown_fields)]
pub(crate) struct RepeatTable {
    /// How often in all.
    pub times: Times,
    /// Interval.
    pub every_s: Positive,
    /// Relative random spread of the amplitude; 0 if not given.
    pub vary: Option<UnitInterval>,
    /// Random shift of each start, less than `every_s`; 0 if not given.
    pub jitter_s: Option<NonNegative>,
}

/// Something the player does.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Gesture {
    /// Given, or the verb: `throw`, `throw#2`.
    pub id: String,
    /// Start, ≥ 0.
    pub at_s: f64,
    /// What is done.
    pub action: Action,
    /// Done again at intervals.
    pub repeat: Option<Repeat>,
}

/// What a gesture does.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Gives a mass a velocity, and a position if stated.
    Throw {
        /// Index into [`Spec::resonators`](crate::Spec::resonators); always a mass.
        resonator: usize,
        /// New velocity.
        velocity_m_s: f64,
        /// New displacement, if any.
        position_m: Option<f64>,
    },
    /// Pulls a port and lets go.
    Pluck {
        /// Where.
        port: PortRef,
        /// By force or by displacement.
        how: Pluck,
    },
    /// A short force pulse.
    Strike {
        /// Where.
        port: PortRef,
        /// Length of the pulse > 0.
        duration_s: f64,
        /// Peak force or impulse.
        amount: Strike,
    },
    /// A force over time, piecewise linear.
    Force {
        /// Where.
        port: PortRef,
        /// `(s after at_s, N)`, times ≥ 0 and strictly increasing; at least 1 point.
        curve: Vec<(f64, f64)>,
    },
    /// A prescribed velocity over time, piecewise linear.
    Velocity {
        /// Where.
        port: PortRef,
        /// `(s after at_s, m/s)`, times ≥ 0 and strictly increasing; at least 2 points.
        curve: Vec<(f64, f64)>,
    },
    /// Throws masses at random moments, many times.
    Scatter {
        /// Indices into [`Spec::resonators`](crate::Spec::resonators); masses, at least 1.
        masses: Vec<usize>,
        /// `(s after at_s, events per second)`, at least 2 points; none after the last.
        rate: Vec<(f64, f64)>,
        /// Slowest and fastest, of one sign.
        velocity_m_s: (f64, f64),
        /// Energies are distributed as E^−exponent.
        exponent: f64,
    },
}

impl Action {
    /// How long it lasts, s.
    #[must_use]
    pub fn length_s(&self) -> f64 {
        match self {
            Self::Force { curve, .. } | Self::Velocity { curve, .. } => curve.last().map_or(0.0, |point| point.0),
            Self::Scatter { rate, .. } => rate.last().map_or(0.0, |point| point.0),
            Self::Strike { duration_s, .. } | Self::Pluck { how: Pluck::Force { duration_s, .. }, .. } => *duration_s,
            Self::Pluck { .. } | Self::Throw { .. } => 0.0,
        }
    }
}

/// Repetition of a gesture.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Repeat {
    /// How often in all, 1 to 100 000.
    pub times: u32,
    /// Interval > 0.
    pub every_s: f64,
    /// Relative random spread of the amplitude, 0 to 1.
    pub vary: f64,
    /// Random shift of each start, ≥ 0 and below `every_s`.
    pub jitter_s: f64,
}

impl Resolver<'_> {
    /// Resolves a gesture: one line per kind in each of the two lists.
    pub(crate) fn gesture(&self, index: usize, raw: &GestureTable) -> Result<Gesture, Error> {
        let id = self.id("gesture", index);
        let base = trail!["gesture", index];
        let given = [
            raw.throw.is_some(),
            raw.pluck.is_some(),
            raw.strike.is_some(),
            raw.force.is_some(),
            raw.velocity.is_some(),
            raw.scatter.is_some(),
        ];
        let verbs: Vec<&str> = VERBS.into_iter().zip(given).filter(|(_, given)| *given).map(|(verb, _)| verb).collect();
        let [verb] = verbs.as_slice() else {
            let all = listed(&VERBS);
            return Err(if verbs.is_empty() {
                let message = format!("`{id}` does nothing, expected one of {all}");
                self.context.error(&base, "instrument::missing_key", message, "needs a verb")
            } else {
                let message = format!("`{id}` has {}, expected exactly one of {all}", listed(&verbs));
                self.conflict(&base, message, "more than one verb")
            });
        };
        let at = trail!["gesture", index, *verb];
        let action = if let Some(throw) = &raw.throw {
            self.throw(throw, &at)?
        } else if let Some(pluck) = &raw.pluck {
            self.pluck(pluck, &at, &id)?
        } else if let Some(strike) = &raw.strike {
            self.strike(strike, &at, &id)?
        } else if let Some(force) = &raw.force {
            self.force(force, &at)?
        } else if let Some(velocity) = &raw.velocity {
            self.velocity(velocity, &at)?
        } else if let Some(scatter) = &raw.scatter {
            self.scatter(scatter, &at, raw.repeat.as_ref().map_or(1, |repeat| repeat.times.0))?
        } else {
            // One of the six is given: `verbs` has one entry.
            return Err(self.conflict(&base, format!("`{id}` does nothing"), "needs a verb"));
        };
        let repeat = raw.repeat.as_ref().map(|repeat| self.repeat(repeat, index)).transpose()?;
        Ok(Gesture { id, at_s: raw.at_s.map_or(0.0, |x| x.0), action, repeat })
    }

    fn what(&self, text: &str, at: &[Seg]) -> Result<PortRef, Error> {
        self.port(text, &[at, &trail!["what"]].concat())
    }

    fn repeat(&self, raw: &RepeatTable, index: usize) -> Result<Repeat, Error> {
        let jitter_s = raw.jitter_s.map_or(0.0, |x| x.0);
        if jitter_s >= raw.every_s.0 {
            let at = trail!["gesture", index, "repeat", "jitter_s"];
            let expected = format!("less than `every_s`, {}", raw.every_s.0);
            return Err(self.context.unexpected(&at, "instrument::out_of_range", &expected));
        }
        let vary = raw.vary.map_or(0.0, |x| x.0);
        Ok(Repeat { times: raw.times.0, every_s: raw.every_s.0, vary, jitter_s })
    }
}

fn curve_at(verb: &[Seg]) -> Vec<Seg> {
    [verb, &trail!["curve"]].concat()
}
