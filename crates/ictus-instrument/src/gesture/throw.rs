//! Throws: as written, and the way to the action.

use schemars::JsonSchema;
use serde::Deserialize;

use super::Action;
use crate::body::ResonatorKind;
use crate::error::{Error, suggest};
use crate::number::Finite;
use crate::path::{Seg, trail};
use crate::resolve::Resolver;

/// Gives a mass a velocity.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename = "Throw", deny_unknown_fields)]
pub(crate) struct ThrowTable {
    /// Which mass.
    pub what: String,
    /// New velocity.
    pub velocity_m_s: Finite,
    /// New displacement, if it should change.
    pub position_m: Option<Finite>,
}

impl Resolver<'_> {
    pub(super) fn throw(&self, raw: &ThrowTable, at: &[Seg]) -> Result<Action, Error> {
        let resonator = self.mass(&raw.what, &[at, &trail!["what"]].concat())?;
        Ok(Action::Throw { resonator, velocity_m_s: raw.velocity_m_s.0, position_m: raw.position_m.map(|x| x.0) })
    }

    /// The mass of that id; `at` is where the text stands.
    pub(super) fn mass(&self, id: &str, at: &[Seg]) -> Result<usize, Error> {
        let is_mass = |index: &usize| matches!(self.resonators[*index].kind, ResonatorKind::Mass(_));
        let found = self.resonator(id);
        found.filter(is_mass).ok_or_else(|| {
            let why = if found.is_some() { "only a mass can be thrown" } else { "there is no such mass" };
            let message = format!("{}, but {why}", self.context.state(at));
            let all = self.resonators.iter().filter(|r| matches!(r.kind, ResonatorKind::Mass(_)));
            (self.context).error(at, "instrument::unknown_reference", message, "expected a mass").maybe_help(suggest(
                id,
                all.map(|r| r.id.as_str()),
                "masses",
            ))
        })
    }
}
