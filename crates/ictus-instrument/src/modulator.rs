//! Modulators: what moves inputs by itself. As written, resolved, and the way between.
//!
//! A modulated input has the value base + Σ depth · w, kept within the limits of the input. The base is what the file and events do with the input; w is the wave of a modulator, −1 to 1
//! for those that swing (sine, triangle, square, random walk) and 0 to 1 for those that rise (envelope, sequence). `depth` adds to the base; `range` sets the base too, so that the input
//! goes from one end to the other.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::error::{Error, suggest};
use crate::input::{InputKind, InputTable, Offer, limited, offers, range_of};
use crate::number::{Factor, ModulatorPeriod, ModulatorRate, NonNegative, RampTime, Scalar, UnitInterval};
use crate::path::trail;
use crate::spec::Spec;

/// Most turns per second: faster ones would be tones of their own.
pub(crate) const FASTEST_HZ: f64 = 1000.0;
/// Most steps of a sequence.
const MAX_STEPS: usize = 1000;

/// Something that moves an input by itself: by its `range` or around what the file and events do with it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename = "Modulator", rename_all = "snake_case")]
#[schemars(tag = "kind")]
pub(crate) enum ModulatorTable {
    /// Swings as a pendulum does.
    Sine(Oscillator),
    /// Swings in straight lines.
    Triangle(Oscillator),
    /// Jumps between two values.
    Square(Oscillator),
    /// Wanders from one random value to the next.
    RandomWalk(RandomWalk),
    /// Rises when its gate opens and falls when it closes.
    Envelope(EnvelopeTable),
    /// Goes through a list of values, again and again.
    Sequence(Sequence),
}

/// A modulator that swings.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Oscillator {
    /// Name, by which paths call its inputs.
    pub id: String,
    /// Path or id of the input that it moves.
    pub to: String,
    /// Lowest and highest value.
    pub range: Option<[Scalar; 2]>,
    /// How far it goes to both sides of the input's own value, instead of `range`.
    pub depth: Option<Scalar>,
    /// Turns per second.
    pub rate_hz: Option<ModulatorRate>,
    /// Duration of a turn, instead of `rate_hz`.
    pub period_s: Option<ModulatorPeriod>,
    /// Where it begins, in turns; 0 if not given.
    pub phase: Option<Factor>,
}

/// A modulator that wanders.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RandomWalk {
    /// Name, by which paths call its inputs.
    pub id: String,
    /// Path or id of the input that it moves.
    pub to: String,
    /// Lowest and highest value.
    pub range: Option<[Scalar; 2]>,
    /// How far it goes to both sides of the input's own value, instead of `range`.
    pub depth: Option<Scalar>,
    /// Random values per second.
    pub rate_hz: Option<ModulatorRate>,
    /// Time from one random value to the next, instead of `rate_hz`.
    pub period_s: Option<ModulatorPeriod>,
    /// Where it begins, in values; 0 if not given.
    pub phase: Option<Factor>,
    /// Another walk; the file's seed and the modulator's id if not given.
    pub seed: Option<u64>,
}

/// A modulator that rises and falls with a gate.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename = "Envelope", deny_unknown_fields)]
pub(crate) struct EnvelopeTable {
    /// Name, by which paths call its inputs.
    pub id: String,
    /// Path or id of the input that it moves.
    pub to: String,
    /// Value while it is closed, and at the top.
    pub range: Option<[Scalar; 2]>,
    /// How far the top is above the input's own value, instead of `range`.
    pub depth: Option<Scalar>,
    /// From the opening of the gate to the top.
    pub attack_s: RampTime,
    /// From the top to `sustain`; 0 if not given.
    pub decay_s: Option<RampTime>,
    /// Share of the top that it keeps until the gate closes; 1 if not given.
    pub sustain: Option<UnitInterval>,
    /// From the closing of the gate to the bottom.
    pub release_s: RampTime,
    /// When the file itself opens the gate; never if not given.
    pub at_s: Option<NonNegative>,
}

/// A modulator that goes through a list.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sequence {
    /// Name, by which paths call its inputs.
    pub id: String,
    /// Path or id of the input that it moves.
    pub to: String,
    /// Values of the steps 0 and 1.
    pub range: Option<[Scalar; 2]>,
    /// What a step of 1 adds to the input's own value, instead of `range`.
    pub depth: Option<Scalar>,
    /// Times per second that it goes through the whole list.
    pub rate_hz: Option<ModulatorRate>,
    /// How long the whole list takes, instead of `rate_hz`.
    pub period_s: Option<ModulatorPeriod>,
    /// Where it begins, in turns; 0 if not given.
    pub phase: Option<Factor>,
    /// Values from 0 to 1, at most 1000, each as long as the others.
    pub steps: Vec<UnitInterval>,
    /// Share of a step in which it slides there from the one before; 0 if not given: it jumps.
    #[serde(rename = "glide")]
    pub slide: Option<UnitInterval>,
}

/// What moves an input by itself.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Modulator {
    /// Unique in the file.
    pub id: String,
    /// What it moves: not a grip, nor the rate or gate of a modulator; the depth of one only further down in the file.
    pub target: InputKind,
    /// How.
    pub wave: Wave,
    /// Turns per second, in (0, 1000]; of an envelope 0.
    pub rate_hz: f64,
    /// Where it begins, in turns; finite.
    pub phase: f64,
    /// What the wave is multiplied by, in the unit of the target.
    pub depth: f64,
    /// What the file does with the target instead of what it says elsewhere: from `range`.
    pub base: Option<f64>,
}

/// How a modulator goes over time. One turn is one period.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Wave {
    /// −1 to 1, 0 and rising at phase 0.
    Sine,
    /// −1 to 1, 0 and rising at phase 0.
    Triangle,
    /// 1 in the first half of a turn, −1 in the second.
    Square,
    /// −1 to 1: smooth between independent random values at whole turns.
    RandomWalk {
        /// Which walk; `None` for that of the file's seed and of the id.
        seed: Option<u64>,
    },
    /// 0 to 1.
    Envelope(Envelope),
    /// 0 to 1.
    Sequence {
        /// 1 to 1000 values from 0 to 1, which share a turn.
        steps: Vec<f64>,
        /// Share of a step in which it slides there from the one before, 0 to 1.
        slide: f64,
    },
}

/// Times of an envelope, each 0 to 3600 s. Every stage is a straight line and takes its time, whatever value it begins from.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Envelope {
    /// From the opening of the gate to 1.
    pub attack_s: f64,
    /// From there to `sustain`.
    pub decay_s: f64,
    /// 0 to 1.
    pub sustain: f64,
    /// From the closing of the gate to 0.
    pub release_s: f64,
    /// When the file opens the gate, if it does.
    pub at_s: Option<f64>,
}

impl Wave {
    /// Lowest and highest value.
    #[must_use]
    pub fn ends(&self) -> (f64, f64) {
        match self {
            Self::Sine | Self::Triangle | Self::Square | Self::RandomWalk { .. } => (-1.0, 1.0),
            Self::Envelope(_) | Self::Sequence { .. } => (0.0, 1.0),
        }
    }
}

/// What all kinds have.
struct Common<'a> {
    id: &'a str,
    to: &'a str,
    range: Option<&'a [Scalar; 2]>,
    depth: Option<&'a Scalar>,
    /// None for an envelope.
    turns: Option<Turns>,
}

/// Rate, period and phase.
type Turns = (Option<f64>, Option<f64>, Option<f64>);

macro_rules! common {
    ($raw:expr, $turns:expr) => {
        Common { id: &$raw.id, to: &$raw.to, range: $raw.range.as_ref(), depth: $raw.depth.as_ref(), turns: $turns }
    };
    ($raw:expr) => {
        common!($raw, Some(($raw.rate_hz.map(|x| x.0), $raw.period_s.map(|x| x.0), $raw.phase.map(|x| x.0))))
    };
}

impl ModulatorTable {
    fn common(&self) -> Common<'_> {
        match self {
            Self::Sine(raw) | Self::Triangle(raw) | Self::Square(raw) => common!(raw),
            Self::RandomWalk(raw) => common!(raw),
            Self::Sequence(raw) => common!(raw),
            Self::Envelope(raw) => common!(raw, None),
        }
    }

    fn wave(&self, context: &Context, index: usize) -> Result<Wave, Error> {
        Ok(match self {
            Self::Sine(_) => Wave::Sine,
            Self::Triangle(_) => Wave::Triangle,
            Self::Square(_) => Wave::Square,
            Self::RandomWalk(raw) => Wave::RandomWalk { seed: raw.seed },
            Self::Envelope(raw) => Wave::Envelope(Envelope {
                attack_s: raw.attack_s.0,
                decay_s: raw.decay_s.map_or(0.0, |x| x.0),
                sustain: raw.sustain.map_or(1.0, |x| x.0),
                release_s: raw.release_s.0,
                at_s: raw.at_s.map(|x| x.0),
            }),
            Self::Sequence(raw) => {
                if !(1..=MAX_STEPS).contains(&raw.steps.len()) {
                    let expected = format!("1 to {MAX_STEPS} values from 0 to 1");
                    return Err(context.unexpected(
                        &trail!["modulator", index, "steps"],
                        "instrument::length",
                        &expected,
                    ));
                }
                let steps = raw.steps.iter().map(|x| x.0).collect();
                Wave::Sequence { steps, slide: raw.slide.map_or(0.0, |x| x.0) }
            }
        })
    }
}

/// Resolves the `[[modulator]]` tables, one after the other: each may move the depth of those above it.
pub(crate) fn resolve(
    context: &Context,
    raw: &[ModulatorTable],
    inputs: &[InputTable],
    spec: &mut Spec,
) -> Result<(), Error> {
    for (index, raw) in raw.iter().enumerate() {
        let common = raw.common();
        let offer = target(context, index, common.to, inputs, spec)?;
        let wave = raw.wave(context, index)?;
        let (rate_hz, phase) = common.turns.map_or(Ok((0.0, 0.0)), |turns| rate(context, index, turns))?;
        let (depth, base) = reach(context, index, (&common, &wave), (&offer, spec))?;
        let target = offer.input.kind;
        if let Some(base) = base {
            spec.give_curve(target, &[(0.0, base)]);
        }
        spec.modulators.push(Modulator { id: common.id.to_owned(), target, wave, rate_hz, phase, depth, base });
        check_limits(context, index, &offer, spec)?;
    }
    Ok(())
}

/// What `to` names.
fn target(context: &Context, index: usize, to: &str, inputs: &[InputTable], spec: &Spec) -> Result<Offer, Error> {
    let at = trail!["modulator", index, "to"];
    let path = inputs.iter().find(|input| input.id == to).map_or(to, |input| input.to.as_str());
    let refuse = |code: &'static str, why: &str, label: &str| {
        context.error(&at, code, format!("{}, {why}", context.state(&at)), label)
    };
    let mut offers = offers(spec);
    let Some(found) = offers.iter().position(|offer| offer.input.path == path) else {
        let ids = inputs.iter().map(|input| input.id.as_str());
        let paths = offers.iter().map(|offer| offer.input.path.as_str());
        let help = suggest(to, ids.chain(paths), "inputs");
        // one that is further down offers nothing yet
        let (id, key) = path.split_once('.').unwrap_or((path, ""));
        let below = context.names.of_sections(&["modulator"]).any(|known| known == id);
        let why = if below && ["depth", "rate_hz", "gate"].contains(&key) {
            "but only the depths of modulators further up in the file can be moved"
        } else {
            "but the file has no such input"
        };
        return Err(refuse("instrument::unknown_reference", why, "no such input").maybe_help(help));
    };
    // only the kinds of inputs that the file offers now have limits that are final
    let offer = offers.swap_remove(found);
    match offer.input.kind {
        InputKind::ModulatorRate { .. } | InputKind::ModulatorGate { .. } => {
            let error = refuse("instrument::conflict", "which only events and curves move", "no modulator moves this");
            Err(error.help("move the `depth` of that modulator instead"))
        }
        InputKind::Grip { .. } => {
            Err(refuse("instrument::conflict", "which gestures and events decide", "no modulator moves this"))
        }
        kind => match spec.inputs().into_iter().find(|input| input.kind == kind) {
            Some(input) => Ok(Offer { input, ..offer }),
            None => {
                let error =
                    refuse("instrument::unknown_reference", "which stands still in the file", "must be movable");
                Err(error.help(format!("add an `[[input]]` with `to = \"{path}\"` and the `range` that it needs")))
            }
        },
    }
}

/// Turns per second and where they begin.
fn rate(context: &Context, index: usize, (rate, period, phase): Turns) -> Result<(f64, f64), Error> {
    let at = trail!["modulator", index];
    let name = context.names.show(&at);
    let rate = match (rate, period) {
        (Some(rate), None) => rate,
        (None, Some(period)) => 1.0 / period,
        (Some(_), Some(_)) => {
            let message = format!("`{name}` has `rate_hz` and `period_s`, expected one of them");
            let at = trail!["modulator", index, "period_s"];
            return Err(context.error(&at, "instrument::conflict", message, "one too many"));
        }
        (None, None) => {
            let message = format!("`{name}.rate_hz` is missing");
            let error = context.error(&at, "instrument::missing_key", message, "this needs `rate_hz`");
            return Err(error.help("add `rate_hz = 5` or `period_s = \"200 ms\"`"));
        }
    };
    Ok((rate, phase.unwrap_or(0.0)))
}

/// Depth, and the base if `range` sets it.
fn reach(
    context: &Context,
    index: usize,
    (common, wave): (&Common, &Wave),
    (offer, spec): (&Offer, &mut Spec),
) -> Result<(f64, Option<f64>), Error> {
    let Common { id, .. } = common;
    match (common.range, common.depth) {
        (Some(range), None) => {
            let at = trail!["modulator", index, "range"];
            let (low, high) = range_of(context, &at, range, offer)?;
            let kind = offer.input.kind;
            let other = spec.modulators.iter().find(|other| other.target == kind && other.base.is_some());
            let mover = other.map(|other| other.id.clone()).or_else(|| spec.mover(kind));
            if let Some(mover) = mover {
                let message =
                    format!("`{id}.range` says where `{}` is, which `{mover}` says already", offer.input.path);
                let error = context.error(&at, "instrument::conflict", message, "said elsewhere");
                return Err(error.help("give `depth`, which adds to it"));
            }
            let (bottom, top) = wave.ends();
            let depth = (high - low) / (top - bottom);
            Ok((depth, Some(low - bottom * depth)))
        }
        (None, Some(depth)) => {
            let at = trail!["modulator", index, "depth"];
            let whole = offer.input.limits.1 - offer.input.limits.0;
            let mut reach = Offer { input: offer.input.clone(), ..*offer };
            reach.input.limits = (-whole, whole);
            Ok((limited(context, &at, depth, &reach)?, None))
        }
        (Some(_), Some(_)) => {
            let message = format!("`{id}` has `range` and `depth`, expected one of them");
            let at = trail!["modulator", index, "depth"];
            Err(context.error(&at, "instrument::conflict", message, "one too many"))
        }
        (None, None) => {
            let message = format!("`{id}.range` is missing");
            let at = trail!["modulator", index];
            let error = context.error(&at, "instrument::missing_key", message, "this needs `range` or `depth`");
            Err(error.help("add `range = [lowest, highest]`, or `depth` to move around the input's own value"))
        }
    }
}

/// The file itself must not ask for more than the input allows.
fn check_limits(context: &Context, index: usize, offer: &Offer, spec: &mut Spec) -> Result<(), Error> {
    let kind = offer.input.kind;
    let (from, to) = spec.extent(kind, offer.input.start);
    let (low, high) = offer.input.limits;
    // rounding of a sum of a few terms
    let slack = 1e-12 * (high - low).min(from.abs().max(to.abs()));
    if from >= low - slack && to <= high + slack {
        return Ok(());
    }
    let movers: Vec<String> =
        spec.modulators.iter().filter(|other| other.target == kind).map(|other| format!("`{}`", other.id)).collect();
    let unit = offer.spaced_unit();
    let message = format!(
        "`{}` is moved from {from}{unit} to {to}{unit} by {}, expected {low}{unit} to {high}{unit}",
        offer.input.path,
        movers.join(" and ")
    );
    let key = if spec.modulators[index].base.is_some() { "range" } else { "depth" };
    let at = trail!["modulator", index, key];
    let error = context.error(&at, "instrument::out_of_range", message, "too far");
    Err(error.help("move it less far, or begin from a value further inside"))
}

impl Spec {
    /// Lowest and highest value that the file itself gives an input which starts at `start`, modulators and all.
    fn extent(&mut self, kind: InputKind, start: f64) -> (f64, f64) {
        let base = self.own_span(kind).unwrap_or((start, start));
        let movers: Vec<(usize, f64, (f64, f64))> = (self.modulators.iter().enumerate())
            .filter(|(_, modulator)| modulator.target == kind)
            .map(|(index, modulator)| (index, modulator.depth, modulator.wave.ends()))
            .collect();
        movers.into_iter().fold(base, |(low, high), (modulator, depth, (bottom, top))| {
            let (a, b) = self.extent(InputKind::ModulatorDepth { modulator }, depth);
            let ends = [a * bottom, a * top, b * bottom, b * top];
            let lowest = ends.iter().copied().fold(f64::INFINITY, f64::min);
            let highest = ends.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            (low + lowest, high + highest)
        })
    }
}
