//! Listed modes: as written, resolved, and the way between.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Body, plain_port_names};
use crate::context::Context;
use crate::error::Error;
use crate::number::{Factor, Named, NonNegative, OneOrMany, Positive, PositiveOrInfinite, UnitInterval};
use crate::path::{Seg, trail};

/// Modes of one bank.
const MAX_MODES: usize = 100_000;

/// A bank of modes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename = "Modes", deny_unknown_fields)]
pub(crate) struct ModesTable {
    /// Name by which the rest of the file refers to it.
    pub id: String,
    /// One frequency per mode.
    pub frequency_hz: Vec<NonNegative>,
    /// Decay time T60, one for all or one per mode; `inf` for undamped.
    pub decay_s: OneOrMany<PositiveOrInfinite>,
    /// Modal mass, one for all or one per mode.
    pub mass_kg: OneOrMany<Positive>,
    /// Where it can be touched or heard: name and signed mode shapes, one value per mode.
    #[serde(default)]
    pub ports: Named<Vec<Factor>>,
    /// How a mode is stepped.
    #[serde(default)]
    pub discretisation: Discretisation,
    /// Random change of the mode shapes at the ports, larger for higher modes, 0 to 1; 0 if not given.
    pub weight_spread: Option<UnitInterval>,
    /// Another draw of them; the file's seed if not given.
    pub weight_seed: Option<u64>,
}

/// How a mode is stepped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Discretisation {
    /// Frequency and decay exact at any sample rate.
    #[default]
    Exact,
    /// Plain midpoint rule, with its frequency warping.
    Bilinear,
}

/// A bank of modes; all lists have the length of `frequency_hz`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Modes {
    /// Each ≥ 0; 1 to 100 000 of them.
    pub frequency_hz: Vec<f64>,
    /// T60, each > 0, `inf` for undamped.
    pub decay_s: Vec<f64>,
    /// Modal mass, each > 0.
    pub mass_kg: Vec<f64>,
    /// In file order.
    pub ports: Vec<ModePort>,
    /// How a mode is stepped.
    pub discretisation: Discretisation,
    /// Random change of the mode shapes at the ports.
    pub weights: Option<Weights>,
}

/// Where a modal bank can be touched or heard.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ModePort {
    /// Name within the resonator.
    pub name: String,
    /// Signed mode-shape values, one per mode.
    pub shape: Vec<f64>,
}

/// Random change of mode shapes at ports.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Weights {
    /// Standard deviation of the phase of the lowest mode, radians, above 0 and at most 1; that of a mode grows as its frequency.
    pub spread: f64,
    /// Which draw; `None` for one of the file's seed.
    pub seed: Option<u64>,
}

impl Body for Modes {
    fn port_names(&self) -> Vec<&str> {
        self.ports.iter().map(|port| port.name.as_str()).collect()
    }

    fn free_mobility(&self, port: &str) -> f64 {
        let Some(port) = self.ports.iter().find(|known| known.name == port) else { return 0.0 };
        let rigid = self.frequency_hz.iter().zip(&self.mass_kg).zip(&port.shape).filter(|((f, _), _)| **f == 0.0);
        rigid.map(|((_, mass), shape)| shape * shape / mass).sum()
    }

    fn shape_values(&self) -> usize {
        self.frequency_hz.len() * self.ports.len()
    }
}

pub(super) fn modes(context: &Context, base: &[Seg], raw: ModesTable) -> Result<Modes, Error> {
    let count = raw.frequency_hz.len();
    let frequencies = [base, &trail!["frequency_hz"]].concat();
    if count == 0 || count > MAX_MODES {
        let expected = format!("1 to {MAX_MODES} frequencies");
        return Err(context.unexpected(&frequencies, "instrument::length", &expected));
    }
    let same_length = |len: usize, below: &[Seg]| {
        if len == count {
            return Ok(());
        }
        let at = [base, below].concat();
        let (name, other) = (context.names.show(&at), context.names.show(&frequencies));
        let message = format!("`{name}` has {len} values, but `{other}` has {count}");
        Err(context.error(&at, "instrument::length", message, format!("expected {count} values")))
    };
    let decay_s = match raw.decay_s {
        OneOrMany::One(x) => vec![x.0; count],
        OneOrMany::Many(list) => list.into_iter().map(|x| x.0).collect(),
    };
    let mass_kg = match raw.mass_kg {
        OneOrMany::One(x) => vec![x.0; count],
        OneOrMany::Many(list) => list.into_iter().map(|x| x.0).collect(),
    };
    same_length(decay_s.len(), &trail!["decay_s"])?;
    same_length(mass_kg.len(), &trail!["mass_kg"])?;
    plain_port_names(context, base, &raw.ports)?;
    let mut ports = Vec::with_capacity(raw.ports.0.len());
    for (name, shape) in raw.ports.0 {
        same_length(shape.len(), &trail!["ports", name.as_str()])?;
        ports.push(ModePort { name, shape: shape.into_iter().map(|x| x.0).collect() });
    }
    let frequency_hz = raw.frequency_hz.into_iter().map(|x| x.0).collect();
    let weights = weights(raw.weight_spread, raw.weight_seed);
    Ok(Modes { frequency_hz, decay_s, mass_kg, ports, discretisation: raw.discretisation, weights })
}

/// A spread of zero changes nothing.
pub(crate) fn weights(spread: Option<UnitInterval>, seed: Option<u64>) -> Option<Weights> {
    spread.filter(|spread| spread.0 > 0.0).map(|spread| Weights { spread: spread.0, seed })
}
