//! Inputs: what a player moves while the instrument sounds. As written, resolved, and the way between.
//!
//! A file offers standard inputs without asking (`input/standard.rs` lists them). `[[input]]` gives one of them a name, a range and a ramp, and
//! asks for those that need preparation: a place that stands still in the file must be built so that it can move. With a `curve` the file itself moves it.

mod standard;

pub(crate) use standard::LawInputs;

use std::collections::{BTreeMap, HashMap};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) use self::standard::{Offer, offers};
use crate::coefficient::Coefficient;
use crate::context::Context;
use crate::error::{Error, suggest};
use crate::gesture::{Action, OnsetValue};
use crate::law::{Interaction, Law};
use crate::modulator::{Envelope, Modulator, Wave};
use crate::names::SECTIONS;
use crate::number::{NonNegative, RampTime, Scalar};
use crate::path::{Seg, trail};
use crate::quantity::Dimension;
use crate::resolve::curve;
use crate::spec::{PortRef, ResonatorKind, Spec};

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
    /// What the file does with it over time, [[s, value], ...], straight between points, ends held.
    pub curve: Option<Vec<(NonNegative, Scalar)>>,
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
    /// A coefficient of a law.
    Law {
        /// Index into [`Spec::interactions`].
        interaction: usize,
        /// Which.
        coefficient: Coefficient,
    },
    /// A coefficient of a body.
    Body {
        /// Index into [`Spec::resonators`].
        resonator: usize,
        /// Which.
        coefficient: Coefficient,
    },
    /// What a gesture of the file reads when it begins.
    Onset {
        /// Index into [`Spec::gestures`].
        gesture: usize,
        /// Which value.
        value: OnsetValue,
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
    /// Turns per second of a modulator, Hz.
    ModulatorRate {
        /// Index into [`Spec::modulators`].
        modulator: usize,
    },
    /// How far a modulator moves its target, in the unit of the target.
    ModulatorDepth {
        /// Index into [`Spec::modulators`].
        modulator: usize,
    },
    /// Opens an envelope, ½ and more, or closes it.
    ModulatorGate {
        /// Index into [`Spec::modulators`]; always an envelope.
        modulator: usize,
    },
}

impl InputKind {
    /// What it measures; `None` for a plain number, and for the depth of a modulator, which measures what its target does.
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
            Self::Law { coefficient, .. } | Self::Body { coefficient, .. } => coefficient.key(),
            Self::Onset { value, .. } => value.key(),
            Self::ModulatorRate { .. } => "_hz",
            Self::ModulatorDepth { .. } | Self::ModulatorGate { .. } => return None,
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
    /// What the file does with it over time, (s, value), within the limits of the input; empty if it gives no curve here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub curve: Vec<(f64, f64)>,
}

impl Spec {
    /// The inputs of the file: interactions, barriers, wires, fingers, pedals, ports, taps and modulators, each in file order. Allocates; not for the audio thread.
    ///
    /// A place that stands still in the file is among them only where an `[[input]]` asks for it.
    #[must_use]
    pub fn inputs(&self) -> Vec<Input> {
        let named: HashMap<InputKind, &NamedInput> =
            self.named_inputs.iter().map(|input| (input.kind, input)).collect();
        let merge = |Offer { mut input, standard, .. }: Offer| {
            let given = named.get(&input.kind);
            if given.is_none() && !standard {
                return None;
            }
            if let InputKind::FingerPosition { .. } = input.kind {
                // a finger touches only where contacts are built
                let (low, high) = given.map_or(input.range, |named| named.range);
                input.limits = (low.min(input.range.0), high.max(input.range.1));
            }
            let bends = matches!(input.kind, InputKind::Body { coefficient: Coefficient::PitchCents, .. });
            if let Some(named) = given.filter(|_| bends) {
                // a bank is built for its highest pitch
                input.limits = named.range;
            }
            if let Some(named) = given {
                input.id.clone_from(&named.id);
                (input.range, input.ramp_s) = (named.range, named.ramp_s);
            }
            if let Some(start) = self.moved_from(input.kind) {
                input.start = start;
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

impl Spec {
    /// What the file does with an input, (s, value), where it says so by an `[[input]]` or by the range of a modulator; it then replaces what the element itself says.
    #[must_use]
    pub fn given_curve(&self, kind: InputKind) -> Option<Vec<(f64, f64)>> {
        let base = self.modulators.iter().find(|modulator| modulator.target == kind && modulator.base.is_some());
        if let Some(base) = base.and_then(|modulator| modulator.base) {
            return Some(vec![(0.0, base)]);
        }
        let named = self.named_inputs.iter().find(|input| input.kind == kind)?;
        (!named.curve.is_empty()).then(|| named.curve.clone())
    }

    /// Its value at time zero.
    fn moved_from(&self, kind: InputKind) -> Option<f64> {
        self.given_curve(kind)?.first().map(|&(_, value)| value)
    }

    /// The curve of the element that an input moves, where its own table can have one.
    fn own_curve(&mut self, kind: InputKind) -> Option<&mut Vec<(f64, f64)>> {
        Some(match kind {
            InputKind::Normal { interaction } => &mut self.interactions[interaction].rub.normal,
            InputKind::Speed { interaction } => {
                let Interaction { law, rub, surface, .. } = &mut self.interactions[interaction];
                if let Law::Collision { .. } = law { &mut surface.speed } else { &mut rub.speed }
            }
            InputKind::Position { interaction } => &mut self.interactions[interaction].rub.position,
            InputKind::Weight { interaction } => &mut self.interactions[interaction].rub.weight,
            InputKind::Lift { interaction } => &mut self.interactions[interaction].surface.lift,
            InputKind::BarrierLift { barrier } => &mut self.barriers[barrier].lift,
            InputKind::WiresLift { wires } => &mut self.wires[wires].lift,
            InputKind::FingerPosition { finger } => &mut self.fingers[finger].position,
            InputKind::FingerForce { finger } => &mut self.fingers[finger].force,
            InputKind::Pedal { resonator, head } => match &mut self.resonators[resonator].kind {
                ResonatorKind::Drum(drum) => &mut drum.heads[head].pedal,
                _ => return None,
            },
            _ => return None,
        })
    }

    /// Lowest and highest value that the file gives an input, without modulators; none if it has no curve.
    pub(crate) fn own_span(&mut self, kind: InputKind) -> Option<(f64, f64)> {
        let given = self.given_curve(kind);
        let curve = given.as_ref().or(self.own_curve(kind).map(|curve| &*curve))?;
        let first = curve.first()?.1;
        let (low, high) = curve.iter().fold((first, first), |(low, high), &(_, x)| (low.min(x), high.max(x)));
        // factors, where the input is a share of the highest
        let unit = if given.is_none() && matches!(kind, InputKind::Pedal { .. }) { high } else { 1.0 };
        Some((low / unit, high / unit))
    }

    /// The id of what moves an input in the course of the file, if anything does: its element, a gesture or an `[[input]]`.
    pub(crate) fn mover(&mut self, kind: InputKind) -> Option<String> {
        if let Some(named) = self.named_inputs.iter().find(|input| input.kind == kind && moves(&input.curve)) {
            return Some(named.id.clone());
        }
        if let InputKind::Velocity { port } | InputKind::Grip { port } = kind {
            let imposes = |action: &Action| matches!(action, Action::Velocity { port: at, .. } if *at == port);
            return self.gestures.iter().find(|gesture| imposes(&gesture.action)).map(|gesture| gesture.id.clone());
        }
        let gate = match kind {
            InputKind::ModulatorGate { modulator } => Some(&self.modulators[modulator]),
            _ => None,
        };
        if let Some(Modulator { id, wave: Wave::Envelope(Envelope { at_s: Some(_), .. }), .. }) = gate {
            return Some(format!("{id}.at_s"));
        }
        let moved = self.own_curve(kind).is_some_and(|curve| moves(curve));
        moved.then(|| self.owner_of(kind))
    }

    /// The curve replaces what the element itself says: what is built of the element is then built for it.
    pub(crate) fn give_curve(&mut self, kind: InputKind, curve: &[(f64, f64)]) {
        // a pedal is written as factors, and its curve here in shares of the highest
        if let InputKind::Pedal { .. } = kind {
            return;
        }
        if let Some(own) = self.own_curve(kind) {
            own.clear();
            own.extend_from_slice(curve);
        }
    }

    /// The id of the element whose input it is.
    fn owner_of(&self, kind: InputKind) -> String {
        let offers = offers(self);
        let path = offers.iter().find(|offer| offer.input.kind == kind).map_or("", |offer| &offer.input.path);
        path.rsplit_once('.').map_or(path, |(owner, _)| owner).to_owned()
    }
}

/// True for an `[[input]]` that moves a modulator.
pub(crate) fn is_of_modulator(context: &Context, raw: &InputTable) -> bool {
    let id = raw.to.split('.').next().unwrap_or_default();
    context.names.get(id).is_some_and(|(section, _)| SECTIONS[section] == "modulator")
}

/// Resolves the `wanted` of the `[[input]]` tables against what the rest of the file offers.
pub(crate) fn resolve(
    context: &Context,
    raw: &[InputTable],
    wanted: impl Fn(&InputTable) -> bool,
    spec: &mut Spec,
) -> Result<(), Error> {
    let wanted: Vec<(usize, &InputTable)> = raw.iter().enumerate().filter(|(_, raw)| wanted(raw)).collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let offers = offers(spec);
    let by_path: BTreeMap<&str, &Offer> = offers.iter().map(|offer| (offer.input.path.as_str(), offer)).collect();
    let mut taken: HashMap<InputKind, &str> = HashMap::new();
    for (index, raw) in wanted {
        let at = trail!["input", index, "to"];
        let Some(offer) = by_path.get(raw.to.as_str()) else {
            let message = format!("{}, but the file has no such input", context.state(&at));
            return Err(context
                .error(&at, "instrument::unknown_reference", message, "no such input")
                .maybe_help(suggest(&raw.to, by_path.keys().copied(), "inputs")));
        };
        let kind = offer.input.kind;
        if let Some(other) = taken.insert(kind, &raw.id) {
            let message = format!("{}, which `{other}` moves already, expected one input for it", context.state(&at));
            return Err(context.error(&at, "instrument::conflict", message, "moved before"));
        }
        let curve = raw.curve.as_deref().map_or(Ok(Vec::new()), |curve| curve_of(context, index, curve, offer))?;
        if let Some(mover) = spec.mover(kind).filter(|_| !curve.is_empty()) {
            let at = trail!["input", index, "curve"];
            let message = format!("`{}.curve` moves `{}`, which `{mover}` moves already", raw.id, raw.to);
            let error = context.error(&at, "instrument::conflict", message, "moved elsewhere");
            return Err(error.help("leave out one of the two"));
        }
        let range = match &raw.range {
            Some(range) => range_of(context, &trail!["input", index, "range"], range, offer)?,
            None if offer.needs_range() && !moves(&curve) => {
                let message = format!(
                    "`{}.range` is missing, and `{}` stands still in the file, so that nothing else says how far it moves",
                    raw.id, raw.to
                );
                let error =
                    context.error(&trail!["input", index], "instrument::missing_key", message, "this needs `range`");
                return Err(error.help("add `range = [0.2, 0.5]`, fractions of the string"));
            }
            None => curve.iter().fold(offer.input.range, |(low, high), &(_, x)| (low.min(x), high.max(x))),
        };
        let ramp_s = raw.ramp_s.map_or(offer.input.ramp_s, |x| x.0);
        if !curve.is_empty() {
            spec.give_curve(kind, &curve);
        }
        spec.named_inputs.push(NamedInput { id: raw.id.clone(), kind, range, ramp_s, curve });
    }
    // those of modulators come later, and stand where the file has them
    let place = |input: &NamedInput| raw.iter().position(|raw| raw.id == input.id);
    spec.named_inputs.sort_by_key(place);
    Ok(())
}

/// A curve as written: times that increase, values within the limits.
fn curve_of(
    context: &Context,
    index: usize,
    raw: &[(NonNegative, Scalar)],
    offer: &Offer,
) -> Result<Vec<(f64, f64)>, Error> {
    let at = trail!["input", index, "curve"];
    let mut points = Vec::with_capacity(raw.len());
    for (point, (time, value)) in raw.iter().enumerate() {
        let at = trail!["input", index, "curve", point, 1];
        points.push((time.0, limited(context, &at, value, offer)?));
    }
    curve(context, points, 1, &at)
}

/// A value as written: finite and within the limits of an input.
pub(crate) fn limited(context: &Context, at: &[Seg], raw: &Scalar, offer: &Offer) -> Result<f64, Error> {
    let value = context.scalar(at, raw, offer.dimension)?;
    let (low, high) = offer.input.limits;
    if (low..=high).contains(&value) {
        return Ok(value);
    }
    let unit = offer.spaced_unit();
    let expected = if value < low { format!("at least {low}{unit}") } else { format!("at most {high}{unit}") };
    Err(context.unexpected(at, "instrument::out_of_range", &expected))
}

/// A range as written: finite, ordered and within the limits.
pub(crate) fn range_of(context: &Context, at: &[Seg], raw: &[Scalar; 2], offer: &Offer) -> Result<(f64, f64), Error> {
    let mut ends = [0.0; 2];
    for (side, end) in ends.iter_mut().enumerate() {
        *end = limited(context, &[at, &trail![side]].concat(), &raw[side], offer)?;
    }
    let [low, high] = ends;
    if low < high {
        return Ok((low, high));
    }
    let unit = offer.spaced_unit();
    let message = format!(
        "`{}` goes from {low}{unit} to {high}{unit}, expected the lower value first and a higher one after it",
        context.names.show(at)
    );
    Err(context.error(at, "instrument::out_of_range", message, "not in order"))
}

/// True for a curve that goes somewhere.
pub(crate) fn moves(curve: &[(f64, f64)]) -> bool {
    curve.iter().any(|point| point.1 != curve[0].1)
}
