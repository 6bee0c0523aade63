//! Many small throws at random: as written, and the way to the action.

use schemars::JsonSchema;
use serde::Deserialize;

use super::Action;
use crate::error::Error;
use crate::number::{EnergyPower, Finite, NonNegative};
use crate::path::{Seg, trail};
use crate::resolve::Resolver;

/// Events that may be expected of one gesture, all repetitions together.
const MAX_EVENTS: f64 = 100_000.0;
const MAX_MASSES: usize = 1000;
/// Where the file gives none: between the 1.3 and 1.6 measured on crumpled paper. [Houle 1996]
const CRUMPLED: f64 = 1.5;

/// Throws masses at random moments, many times.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename = "Scatter", deny_unknown_fields)]
pub(crate) struct ScatterTable {
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

impl Resolver<'_> {
    pub(super) fn scatter(&self, raw: &ScatterTable, at: &[Seg], times: u32) -> Result<Action, Error> {
        let below = |key: &str| [at, &trail![key]].concat();
        if !(1..=MAX_MASSES).contains(&raw.what.len()) {
            let expected = format!("1 to {MAX_MASSES} masses");
            return Err(self.context.unexpected(&below("what"), "instrument::length", &expected));
        }
        let mut masses = Vec::new();
        for (i, what) in raw.what.iter().enumerate() {
            masses.push(self.mass(what, &[at, &trail!["what", i]].concat())?);
        }
        let rate = raw.rate_hz.iter().map(|(t, rate)| (t.0, rate.0)).collect();
        let rate = self.curve(rate, 2, &below("rate_hz"))?;
        let expected: f64 = rate.windows(2).map(|p| 0.5 * (p[1].0 - p[0].0) * (p[0].1 + p[1].1)).sum();
        if expected * f64::from(times) > MAX_EVENTS {
            let message = format!(
                "`{}` makes {expected:.0} events{}, expected at most {MAX_EVENTS:.0}",
                self.context.names.show(&below("rate_hz")),
                if times > 1 { format!(" {times} times") } else { String::new() }
            );
            return Err(self.context.error(&below("rate_hz"), "instrument::limit", message, "too many"));
        }
        let [slowest, fastest] = raw.velocity_m_s.map(|v| v.0);
        // one sign, not zero, and in order
        if slowest == 0.0 || fastest / slowest < 1.0 || !(fastest / slowest).is_finite() {
            let expected = "two velocities of one sign, neither zero, the slower first";
            return Err(self.context.unexpected(&below("velocity_m_s"), "instrument::out_of_range", expected));
        }
        let exponent = raw.exponent.map_or(CRUMPLED, |x| x.0);
        Ok(Action::Scatter { masses, rate, velocity_m_s: (slowest, fastest), exponent })
    }
}
