//! Inputs: what a player moves while the instrument sounds. As written, resolved, and the way between.
//!
//! A file offers standard inputs without asking (`input/standard.rs` lists them). `[[input]]` gives one of them a name, a range and a ramp, and
//! asks for those that need preparation: a place that stands still in the file must be built so that it can move.

mod standard;

pub(crate) use standard::LawInputs;

use std::collections::{BTreeMap, HashMap};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::standard::{Offer, offers};
use crate::context::Context;
use crate::error::{Error, suggest};
use crate::number::{RampTime, Scalar};
use crate::path::trail;
use crate::quantity::Dimension;
use crate::spec::{PortRef, Spec};

/// Ramp where the file gives none, s: no click at the end of it, and no delay that a hand feels.
const RAMP_S: f64 = 5e-3;

/// Something the player moves while the instrument sounds.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename = "Input", deny_unknown_fields)]
pub(crate) struct InputTable {
    /// Name by which players call it.
    pub id: String,
    /// Path of what it moves: "bow.speed_m_s", "left.gain", "bar.strike.force_n".
    pub to: String,
    /// Lowest and highest value that a surface offers; made from the file if not given.
    pub range: Option<[Scalar; 2]>,
    /// How long a change takes, 0 to 3600 s; 5 ms if not given.
    pub ramp_s: Option<RampTime>,
}

/// What an input moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum InputKind {
    /// Normal force of a friction, N.
    Normal {
        /// Index into [`Spec::interactions`].
        interaction: usize,
    },
    /// Sliding speed of a friction, or speed at which the texture of a collision passes, m/s.
    Speed {
        /// Index into [`Spec::interactions`].
        interaction: usize,
    },
    /// Place of a friction or an adherence on its first end: a fraction of a string, the first coordinate of a shape, turns of a closed rim.
    Position {
        /// Index into [`Spec::interactions`].
        interaction: usize,
    },
    /// How firmly an adherence holds, 0 to 1.
    Weight {
        /// Index into [`Spec::interactions`].
        interaction: usize,
    },
    /// Height added to the surface of a collision or a felt, m.
    Lift {
        /// Index into [`Spec::interactions`].
        interaction: usize,
    },
    /// Height added to a barrier, m.
    BarrierLift {
        /// Index into [`Spec::barriers`].
        barrier: usize,
    },
    /// Height added to wires, m.
    WiresLift {
        /// Index into [`Spec::wires`].
        wires: usize,
    },
    /// Place of a finger, a fraction of its string.
    FingerPosition {
        /// Index into [`Spec::fingers`].
        finger: usize,
    },
    /// Force of a finger towards its string, N.
    FingerForce {
        /// Index into [`Spec::fingers`].
        finger: usize,
    },
    /// Pitch of a head as a share of the highest pitch of its pedal, or of its own without one, above 0 and at most 1.
    Pedal {
        /// Index into [`Spec::resonators`]; always a drum.
        resonator: usize,
        /// Which head of it.
        head: usize,
    },
    /// Velocity imposed on a port that a gesture of the file imposes one on, m/s.
    Velocity {
        /// Where.
        port: PortRef,
    },
    /// How firmly that velocity is imposed, 0 to 1.
    Grip {
        /// Where.
        port: PortRef,
    },
    /// External force on a port, N, beside those of gestures.
    Force {
        /// Where.
        port: PortRef,
    },
    /// Factor of a tap.
    TapGain {
        /// Index into [`Spec::taps`].
        tap: usize,
    },
    /// Pan of a tap, −1 left to 1 right.
    TapPan {
        /// Index into [`Spec::taps`].
        tap: usize,
    },
}

impl InputKind {
    /// What it measures; `None` for a plain number.
    #[must_use]
    pub fn dimension(self) -> Option<Dimension> {
        let suffix = match self {
            Self::Normal { .. } | Self::FingerForce { .. } | Self::Force { .. } => "_n",
            Self::Speed { .. } | Self::Velocity { .. } => "_m_s",
            Self::Lift { .. } | Self::BarrierLift { .. } | Self::WiresLift { .. } => "_m",
            Self::Position { .. } | Self::Weight { .. } | Self::FingerPosition { .. } | Self::Grip { .. } => {
                return None;
            }
            Self::Pedal { .. } | Self::TapGain { .. } | Self::TapPan { .. } => return None,
        };
        Dimension::of_key(suffix)
    }
}

/// An input that a file offers.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    /// What players call it: the id of its `[[input]]`, or its path. Unique in the file.
    pub id: String,
    /// Path as the file writes it: `bow.normal_n`. Unique in the file.
    pub path: String,
    /// What it moves.
    pub kind: InputKind,
    /// SI unit; empty for a plain number.
    pub unit: &'static str,
    /// What a surface offers, the lower value first and within `limits`.
    pub range: (f64, f64),
    /// Values outside are refused; both ends are allowed.
    pub limits: (f64, f64),
    /// How long a change takes unless the event says otherwise, s; 0 to 3600.
    pub ramp_s: f64,
    /// Value at time zero as the file says.
    pub start: f64,
}

/// An `[[input]]` of the file, resolved.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NamedInput {
    /// Unique in the file.
    pub id: String,
    /// What it moves; no two move the same.
    pub kind: InputKind,
    /// Finite, the lower value first. For a place: what must be built.
    pub range: (f64, f64),
    /// 0 to 3600.
    pub ramp_s: f64,
}

impl Spec {
    /// The inputs of the file: interactions, barriers, wires, fingers, pedals, ports and taps, each in file order. Allocates; not for the audio thread.
    ///
    /// A place that stands still in the file is among them only where an `[[input]]` asks for it.
    #[must_use]
    pub fn inputs(&self) -> Vec<Input> {
        let named: HashMap<InputKind, &NamedInput> =
            self.named_inputs.iter().map(|input| (input.kind, input)).collect();
        let merge = |Offer { mut input, standard }: Offer| {
            let given = named.get(&input.kind);
            if given.is_none() && !standard {
                return None;
            }
            if let InputKind::FingerPosition { .. } = input.kind {
                // a finger touches only where contacts are built
                let (low, high) = given.map_or(input.range, |named| named.range);
                input.limits = (low.min(input.range.0), high.max(input.range.1));
            }
            if let Some(named) = given {
                input.id.clone_from(&named.id);
                (input.range, input.ramp_s) = (named.range, named.ramp_s);
            }
            Some(input)
        };
        offers(self).into_iter().filter_map(merge).collect()
    }

    /// The `[[input]]` that moves `kind`, if the file has one: the engine makes that place movable over its range.
    #[must_use]
    pub fn named_input(&self, kind: InputKind) -> Option<&NamedInput> {
        self.named_inputs.iter().find(|input| input.kind == kind)
    }
}

/// Resolves the `[[input]]` tables against what the rest of the file offers.
pub(crate) fn resolve(context: &Context, raw: Vec<InputTable>, spec: &Spec) -> Result<Vec<NamedInput>, Error> {
    if raw.is_empty() {
        return Ok(Vec::new());
    }
    let offers = offers(spec);
    let by_path: BTreeMap<&str, &Offer> = offers.iter().map(|offer| (offer.input.path.as_str(), offer)).collect();
    let mut resolved: Vec<NamedInput> = Vec::with_capacity(raw.len());
    let mut taken: HashMap<InputKind, usize> = HashMap::new();
    for (index, raw) in raw.into_iter().enumerate() {
        let at = trail!["input", index, "to"];
        let Some(offer) = by_path.get(raw.to.as_str()) else {
            let message = format!("{}, but the file has no such input", context.state(&at));
            return Err(context
                .error(&at, "instrument::unknown_reference", message, "no such input")
                .maybe_help(suggest(&raw.to, by_path.keys().copied(), "inputs")));
        };
        if let Some(other) = taken.insert(offer.input.kind, index) {
            let message = format!(
                "{}, which `{}` moves already, expected one input for it",
                context.state(&at),
                resolved[other].id
            );
            return Err(context.error(&at, "instrument::conflict", message, "moved before"));
        }
        let range = match &raw.range {
            Some(range) => range_of(context, index, range, &offer.input)?,
            None if offer.needs_range() => {
                let message = format!(
                    "`{}.range` is missing, and `{}` stands still in the file, so that nothing else says how far it moves",
                    raw.id, raw.to
                );
                let error =
                    context.error(&trail!["input", index], "instrument::missing_key", message, "this needs `range`");
                return Err(error.help("add `range = [0.2, 0.5]`, fractions of the string"));
            }
            None => offer.input.range,
        };
        let ramp_s = raw.ramp_s.map_or(RAMP_S, |x| x.0);
        resolved.push(NamedInput { id: raw.id, kind: offer.input.kind, range, ramp_s });
    }
    Ok(resolved)
}

/// A range as written: finite, ordered and within the limits.
fn range_of(context: &Context, index: usize, raw: &[Scalar; 2], input: &Input) -> Result<(f64, f64), Error> {
    let dimension = input.kind.dimension();
    let unit = if input.unit.is_empty() { String::new() } else { format!(" {}", input.unit) };
    let mut ends = [0.0; 2];
    for (side, end) in ends.iter_mut().enumerate() {
        let at = trail!["input", index, "range", side];
        *end = context.scalar(&at, &raw[side], dimension)?;
        let (low, high) = input.limits;
        if !(low..=high).contains(end) {
            let expected = if *end < low { format!("at least {low}{unit}") } else { format!("at most {high}{unit}") };
            return Err(context.unexpected(&at, "instrument::out_of_range", &expected));
        }
    }
    let [low, high] = ends;
    if low < high {
        return Ok((low, high));
    }
    let at = trail!["input", index, "range"];
    let message = format!(
        "`{}` goes from {low}{unit} to {high}{unit}, expected the lower value first and a higher one after it",
        context.names.show(&at)
    );
    Err(context.error(&at, "instrument::out_of_range", message, "not in order"))
}
