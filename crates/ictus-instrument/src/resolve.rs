//! From the decoded file to the resolved [`Spec`]: defaults, references to indices, and the rules that span keys. Here is what concerns the
//! file as a whole and serves all kinds; the rest is with the kinds.

use std::collections::BTreeMap;

use crate::body;
use crate::context::Context;
use crate::control::Control;
use crate::error::{Error, listed, suggest};
use crate::input::{self, InputTable};
use crate::law::LawTable;
use crate::modulator;
use crate::names::SECTIONS;
use crate::number::ConstantOrCurve;
use crate::path::{Seg, trail};
use crate::raw::{self, Quantity};
use crate::spec::{PortRef, Preset, Resonator, ResonatorKind, Spec, Tap, TapSource};

/// A preset browser has room for this many characters.
const MAX_PRESET_NAME: usize = 28;

/// What references are looked up in.
pub(crate) struct Resolver<'a> {
    pub(crate) context: &'a Context,
    pub(crate) resonators: &'a [Resonator],
    /// Port index by resonator and port name.
    ports: BTreeMap<(usize, &'a str), usize>,
}

/// Resolves a decoded file.
pub(crate) fn resolve(context: &Context, file: raw::File, controls: Vec<Control>) -> Result<Spec, Error> {
    for (section, empty) in [("resonator", file.resonator.is_empty()), ("tap", file.tap.is_empty())] {
        if empty {
            let message = format!("the file has no `[[{section}]]`, expected at least one");
            return Err(context.error(&[], "instrument::missing_key", message, ""));
        }
    }
    let preset = file.preset.map(|preset| resolve_preset(context, preset)).transpose()?;
    let resonators = body::resolve(context, file.resonator, file.scheme)?;
    let mut ports = BTreeMap::new();
    for (index, resonator) in resonators.iter().enumerate() {
        ports.extend(resonator.port_names().enumerate().map(|(port, name)| ((index, name), port)));
    }
    let resolver = Resolver { context, resonators: &resonators, ports };
    let presses: Vec<bool> = file.interaction.iter().map(LawTable::presses).collect();
    let interactions = each(file.interaction, |i, raw| resolver.interaction(i, raw, &presses[..i]))?;
    let barriers = resolver.barriers(file.barrier)?;
    let wires = each(file.wires, |i, raw| resolver.wires(i, &raw))?;
    let fingers = each(file.finger, |i, raw| resolver.finger(i, &raw))?;
    let gestures = each(file.gesture, |i, raw| resolver.gesture(i, &raw))?;
    let taps = each(file.tap, |i, raw| resolver.tap(i, &raw))?;
    let mut spec = Spec {
        title: file.title,
        scheme: file.scheme,
        oversampling: file.oversampling.map_or(1, |n| n.0),
        seed: file.seed.unwrap_or(1),
        seconds: file.seconds.map_or(4.0, |x| x.0),
        fade_s: file.fade_s.map_or(0.0, |x| x.0),
        gravity_m_s2: file.gravity_m_s2.map_or(0.0, |x| x.0),
        preset,
        interactions,
        barriers,
        wires,
        fingers,
        gestures,
        taps,
        named_inputs: Vec::new(),
        modulators: Vec::new(),
        controls,
        resonators,
    };
    // last, because every other part of the file offers inputs; modulators move them, and offer some of their own
    let is_of_modulator = |input: &InputTable| input::is_of_modulator(context, input);
    input::resolve(context, &file.input, |input| !is_of_modulator(input), &mut spec)?;
    modulator::resolve(context, &file.modulator, &file.input, &mut spec)?;
    input::resolve(context, &file.input, is_of_modulator, &mut spec)?;
    Ok(spec)
}

/// Resolves one element after the other, up to the first that is wrong.
pub(crate) fn each<R, T>(raw: Vec<R>, mut one: impl FnMut(usize, R) -> Result<T, Error>) -> Result<Vec<T>, Error> {
    raw.into_iter().enumerate().map(|(index, raw)| one(index, raw)).collect()
}

fn resolve_preset(context: &Context, preset: raw::Preset) -> Result<Preset, Error> {
    let length = preset.name.chars().count();
    if length == 0 || length > MAX_PRESET_NAME {
        let expected = format!("1 to {MAX_PRESET_NAME} characters");
        let message = format!("`preset.name` has {length} characters, expected {expected}");
        let at = trail!["preset", "name"];
        return Err(context.error(&at, "instrument::out_of_range", message, format!("expected {expected}")));
    }
    Ok(Preset {
        name: preset.name,
        category: preset.category,
        tags: preset.tags,
        how_to_play: preset.how_to_play,
        listen_for: preset.listen_for,
        range: preset.range,
        author: preset.author,
        licence: preset.licence,
    })
}

impl Resolver<'_> {
    pub(crate) fn id(&self, section: &str, index: usize) -> String {
        let section = SECTIONS.iter().position(|s| *s == section).unwrap_or(0);
        self.context.names.label(section, index).to_owned()
    }

    /// The resonator of that id.
    pub(crate) fn resonator(&self, id: &str) -> Option<usize> {
        self.context.names.get(id).filter(|(section, _)| SECTIONS[*section] == "resonator").map(|(_, index)| index)
    }

    /// The string of that id; `at` is where the text stands, `why` why nothing else will do.
    pub(crate) fn string(&self, id: &str, at: &[Seg], why: &str) -> Result<usize, Error> {
        let is_string = |resonator: &Resonator| matches!(resonator.kind, ResonatorKind::String(_));
        let found = self.resonator(id);
        if let Some(index) = found.filter(|index| is_string(&self.resonators[*index])) {
            return Ok(index);
        }
        let why = if found.is_some() { why } else { "there is no such string" };
        let message = format!("{}, but {why}", self.context.state(at));
        let strings = self.resonators.iter().filter(|resonator| is_string(resonator)).map(|r| r.id.as_str());
        Err((self.context)
            .error(at, "instrument::unknown_reference", message, "expected a string")
            .maybe_help(suggest(id, strings, "strings")))
    }

    /// A curve over time: enough points, times strictly increasing; `at` is where it stands.
    pub(crate) fn curve(&self, points: Vec<(f64, f64)>, least: usize, at: &[Seg]) -> Result<Vec<(f64, f64)>, Error> {
        curve(self.context, points, least, at)
    }

    /// A constant or curve as points; none for nothing.
    pub(crate) fn over_time<T: Copy>(
        &self,
        raw: Option<&ConstantOrCurve<T>>,
        value: impl Fn(T) -> f64,
        at: &[Seg],
    ) -> Result<Vec<(f64, f64)>, Error> {
        match raw {
            None => Ok(Vec::new()),
            Some(ConstantOrCurve::Constant(x)) => Ok(vec![(0.0, value(*x))]),
            Some(ConstantOrCurve::Curve(curve)) => {
                self.curve(curve.iter().map(|(t, x)| (t.0, value(*x))).collect(), 1, at)
            }
        }
    }

    /// The first column strictly increases; `expected` says what may follow a value.
    pub(crate) fn rising(
        &self,
        points: &[(f64, f64)],
        at: &[Seg],
        expected: impl Fn(f64) -> String,
    ) -> Result<(), Error> {
        rising(self.context, points, at, expected)
    }

    /// The port a text such as `bar.strike` refers to; `at` is where the text stands.
    pub(crate) fn port(&self, text: &str, at: &[Seg]) -> Result<PortRef, Error> {
        let (id, name) = text.split_once('.').unwrap_or((text, ""));
        let fail = |why: String, help: Option<String>| {
            let message = format!("{}, but {why}", self.context.state(at));
            Err(self.context.error(at, "instrument::unknown_reference", message, "no such port").maybe_help(help))
        };
        let Some(resonator) = self.resonator(id) else {
            let names = self.context.names.of_sections(&["resonator"]);
            return fail(format!("there is no resonator `{id}`"), suggest(id, names, "resonators"));
        };
        if let Some(port) = self.ports.get(&(resonator, name)) {
            return Ok(PortRef { resonator, port: *port });
        }
        let body = &self.resonators[resonator];
        if let ResonatorKind::Mass(_) = body.kind {
            return fail(format!("`{id}` is a mass with one port"), Some(format!("write `{id}`")));
        }
        let full: Vec<String> = body.port_names().take(13).map(|port| format!("{id}.{port}")).collect();
        let full: Vec<&str> = full.iter().map(String::as_str).collect();
        match (name, full.as_slice()) {
            (_, []) => fail(format!("`{id}` has no ports"), Some(format!("give `{id}` a table `ports`"))),
            ("", [one]) => fail(format!("`{id}` needs a port"), Some(format!("write `{one}`"))),
            ("", _) if full.len() <= 12 => {
                fail(format!("`{id}` needs a port"), Some(format!("write one of {}", listed(&full))))
            }
            _ => {
                let help = suggest(name, body.port_names(), &format!("ports of `{id}`"));
                fail(format!("`{id}` has no port `{name}`"), help)
            }
        }
    }

    fn tap(&self, index: usize, raw: &raw::Tap) -> Result<Tap, Error> {
        let from = trail!["tap", index, "from"];
        let contact = self.context.names.get(&raw.from).and_then(|(section, index)| match SECTIONS[section] {
            "interaction" => Some((TapSource::Interaction(index), "an interaction")),
            "barrier" => Some((TapSource::Barrier(index), "a barrier")),
            "wires" => Some((TapSource::Wires(index), "wires")),
            "finger" => Some((TapSource::Finger(index), "a finger")),
            _ => None,
        });
        let source = match (raw.quantity, contact) {
            (Quantity::Force, Some((contact, _))) => contact,
            (Quantity::Force, None) => {
                let names = self.context.names.of_sections(&["interaction", "barrier", "wires", "finger"]);
                let message =
                    format!("{}, but only interactions, barriers and fingers have a force", self.context.state(&from));
                return Err((self.context)
                    .error(&from, "instrument::unknown_reference", message, "has no force")
                    .maybe_help(suggest(&raw.from, names, "contacts")));
            }
            (_, Some((_, what))) => {
                let message = format!("{}, {what}, which has only a force", self.context.state(&from));
                return Err((self.context)
                    .error(&from, "instrument::unknown_reference", message, what)
                    .help("write `quantity = \"force\"`, or listen to a port"));
            }
            (_, None) => TapSource::Port(self.port(&raw.from, &from)?),
        };
        Ok(Tap {
            id: self.id("tap", index),
            from: source,
            quantity: raw.quantity,
            gain: raw.gain.map_or(1.0, |x| x.0),
            pan: raw.pan.map_or(0.0, |x| x.0),
        })
    }

    pub(crate) fn conflict(&self, at: &[Seg], message: String, label: &str) -> Error {
        self.context.error(at, "instrument::conflict", message, label)
    }
}

/// See [`Resolver::curve`].
pub(crate) fn curve(
    context: &Context,
    points: Vec<(f64, f64)>,
    least: usize,
    at: &[Seg],
) -> Result<Vec<(f64, f64)>, Error> {
    if points.len() < least {
        let expected = format!("at least {least} {}", if least == 1 { "point" } else { "points" });
        return Err(context.unexpected(at, "instrument::length", &expected));
    }
    rising(context, &points, at, |before| format!("a time after {before} s"))?;
    Ok(points)
}

/// See [`Resolver::rising`].
fn rising(context: &Context, points: &[(f64, f64)], at: &[Seg], expected: impl Fn(f64) -> String) -> Result<(), Error> {
    match points.windows(2).position(|pair| pair[0].0 >= pair[1].0) {
        None => Ok(()),
        Some(index) => {
            let at = [at, &trail![index + 1, 0]].concat();
            Err(context.unexpected(&at, "instrument::out_of_range", &expected(points[index].0)))
        }
    }
}
