//! What the player does.

use super::Resolver;
use crate::error::{Error, listed};
use crate::names::VERBS;
use crate::path::{Seg, trail};
use crate::raw;
use crate::spec::{Action, Gesture, Pluck, Repeat, Strike};

impl Resolver<'_> {
    pub(super) fn gesture(&self, index: usize, raw: &raw::Gesture) -> Result<Gesture, Error> {
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
        } else if let Some(raw::ForceCurve { what, curve }) = &raw.force {
            let curve = curve.iter().map(|(time, force)| (time.0, force.0)).collect();
            Action::Force { port: self.what(what, &at)?, curve: self.curve(curve, 1, &curve_at(&at))? }
        } else if let Some(raw::VelocityCurve { what, curve }) = &raw.velocity {
            let curve = curve.iter().map(|(time, velocity)| (time.0, velocity.0)).collect();
            Action::Velocity { port: self.what(what, &at)?, curve: self.curve(curve, 2, &curve_at(&at))? }
        } else if let Some(scatter) = &raw.scatter {
            self.scatter(scatter, &at, raw.repeat.as_ref().map_or(1, |repeat| repeat.times.0))?
        } else {
            // One of the six is given: `verbs` has one entry.
            return Err(self.conflict(&base, format!("`{id}` does nothing"), "needs a verb"));
        };
        let repeat = raw.repeat.as_ref().map(|repeat| self.repeat(repeat, index)).transpose()?;
        Ok(Gesture { id, at_s: raw.at_s.map_or(0.0, |x| x.0), action, repeat })
    }

    fn what(&self, text: &str, at: &[Seg]) -> Result<crate::spec::PortRef, Error> {
        self.port(text, &[at, &trail!["what"]].concat())
    }

    fn throw(&self, raw: &raw::Throw, at: &[Seg]) -> Result<Action, Error> {
        let resonator = self.mass(&raw.what, &[at, &trail!["what"]].concat())?;
        Ok(Action::Throw { resonator, velocity_m_s: raw.velocity_m_s.0, position_m: raw.position_m.map(|x| x.0) })
    }

    fn pluck(&self, raw: &raw::Pluck, at: &[Seg], id: &str) -> Result<Action, Error> {
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

    fn strike(&self, raw: &raw::Strike, at: &[Seg], id: &str) -> Result<Action, Error> {
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

    fn repeat(&self, raw: &raw::Repeat, index: usize) -> Result<Repeat, Error> {
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
