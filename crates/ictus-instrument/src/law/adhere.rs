//! Adherences: as written, and the way to the law.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Law, Rub};
use crate::error::Error;
use crate::input::LawInputs;
use crate::number::{ConstantOrCurve, Factor, Finite, Positive, UnitInterval};
use crate::path::trail;
use crate::resolve::Resolver;

/// Time in which what is held returns to its place where the file gives none: quick, yet no blow.
const RETURN_S: f64 = 5e-3;

/// Two ends that move as one: a finger or a slide on a string, a clamp.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename = "Adhere", deny_unknown_fields)]
pub(crate) struct AdhereTable {
    /// Name; made from the two ends if not given.
    #[serde(rename = "id")]
    pub _id: Option<String>,
    /// The two ends: ports, or one port and "wall", which holds it still.
    pub between: [String; 2],
    /// Where it touches the first end, or [[s, place], …]: a fraction of the length of a string, the first coordinate of a shape; the port's own place if not given.
    pub position: Option<ConstantOrCurve<Factor>>,
    /// How firmly, from 0 (not at all) over a light touch to 1 (rigidly), or [[s, weight], …], straight between points, ends held; 1 if not given.
    pub weight: Option<ConstantOrCurve<UnitInterval>>,
    /// Distance u_A - u_B to which the ends return while they are held; if not given they stay where they meet and may drift.
    pub height_m: Option<Finite>,
    /// Time in which they return by a factor of e; 5 ms if not given.
    pub return_s: Option<Positive>,
}

/// What players move: how firmly it is held, and where.
pub(super) fn offer_inputs(mut inputs: LawInputs) {
    inputs.weight();
    inputs.position(0.0);
}

impl Resolver<'_> {
    pub(super) fn adherence(&self, index: usize, raw: &AdhereTable) -> Result<(Law, Rub), Error> {
        let at = |key: &str| trail!["interaction", index, key];
        let rub = Rub {
            position: self.over_time(raw.position.as_ref(), |x| x.0, &at("position"))?,
            weight: match &raw.weight {
                None => vec![(0.0, 1.0)],
                weight => self.over_time(weight.as_ref(), |x| x.0, &at("weight"))?,
            },
            ..Rub::default()
        };
        let law = Law::Adhere { height_m: raw.height_m.map(|x| x.0), return_s: raw.return_s.map_or(RETURN_S, |x| x.0) };
        Ok((law, rub))
    }
}
