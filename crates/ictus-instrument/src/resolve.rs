//! From the decoded file to the resolved [`Spec`]: defaults, references to indices, and the rules that span keys.

mod gesture;
mod interaction;
mod resonator;

use std::collections::BTreeMap;

use crate::context::Context;
use crate::control::Control;
use crate::error::{Error, listed, suggest};
use crate::names::SECTIONS;
use crate::path::{Seg, trail};
use crate::raw::{self, Quantity};
use crate::spec::{PortRef, Preset, Resonator, ResonatorKind, Spec, Tap, TapSource};

/// A preset browser has room for this many characters.
const MAX_PRESET_NAME: usize = 28;

/// What references are looked up in.
pub(crate) struct Resolver<'a> {
    context: &'a Context,
    resonators: &'a [Resonator],
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
    let resonators = resonator::resolve(context, file.resonator, file.scheme)?;
    let mut ports = BTreeMap::new();
    for (index, resonator) in resonators.iter().enumerate() {
        ports.extend(resonator.port_names().enumerate().map(|(port, name)| ((index, name), port)));
    }
    let resolver = Resolver { context, resonators: &resonators, ports };
    let interactions = each(file.interaction, |i, raw| resolver.interaction(i, raw))?;
    let gestures = each(file.gesture, |i, raw| resolver.gesture(i, &raw))?;
    let taps = each(file.tap, |i, raw| resolver.tap(i, &raw))?;
    Ok(Spec {
        title: file.title,
        scheme: file.scheme,
        oversampling: file.oversampling.map_or(1, |n| n.0),
        seed: file.seed.unwrap_or(1),
        seconds: file.seconds.map_or(4.0, |x| x.0),
        gravity_m_s2: file.gravity_m_s2.map_or(0.0, |x| x.0),
        preset,
        interactions,
        gestures,
        taps,
        controls,
        resonators,
    })
}

fn each<R, T>(raw: Vec<R>, mut one: impl FnMut(usize, R) -> Result<T, Error>) -> Result<Vec<T>, Error> {
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
    fn id(&self, section: &str, index: usize) -> String {
        let section = SECTIONS.iter().position(|s| *s == section).unwrap_or(0);
        self.context.names.label(section, index).to_owned()
    }

    /// The resonator of that id.
    fn resonator(&self, id: &str) -> Option<usize> {
        self.context.names.get(id).filter(|(section, _)| SECTIONS[*section] == "resonator").map(|(_, index)| index)
    }

    /// The port a text such as `bar.strike` refers to; `at` is where the text stands.
    fn port(&self, text: &str, at: &[Seg]) -> Result<PortRef, Error> {
        let (id, name) = text.split_once('.').unwrap_or((text, ""));
        let fail = |why: String, help: Option<String>| {
            let message = format!("{}, but {why}", self.context.state(at));
            Err(self.context.error(at, "instrument::unknown_reference", message, "no such port").maybe_help(help))
        };
        let Some(resonator) = self.resonator(id) else {
            let names = self.context.names.section(0);
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
        let interaction = self.context.names.get(&raw.from).filter(|(section, _)| SECTIONS[*section] == "interaction");
        let source = match (raw.quantity, interaction) {
            (Quantity::Force, Some((_, interaction))) => TapSource::Interaction(interaction),
            (Quantity::Force, None) => {
                let names = self.context.names.section(1);
                let message = format!("{}, but a force is heard at an interaction", self.context.state(&from));
                return Err((self.context)
                    .error(&from, "instrument::unknown_reference", message, "no such interaction")
                    .maybe_help(suggest(&raw.from, names, "interactions")));
            }
            (_, Some(_)) => {
                let message = format!("{}, an interaction, which has only a force", self.context.state(&from));
                return Err((self.context)
                    .error(&from, "instrument::unknown_reference", message, "an interaction")
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

    fn conflict(&self, at: &[Seg], message: String, label: &str) -> Error {
        self.context.error(at, "instrument::conflict", message, label)
    }
}
