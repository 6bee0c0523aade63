//! The way from text to [`Spec`]: parse, ids, settings, knobs, decode, resolve.

use crate::context::Context;
use crate::control::Control;
use crate::document;
use crate::error::{Error, Source};
use crate::knobs::{self, ControlValue};
use crate::names::Names;
use crate::path::{Seg, Units, find, trail};
use crate::plausible;
use crate::quantity::Dimension;
use crate::raw;
use crate::resolve::resolve;
use crate::settings::Settings;
use crate::spec::{Action, End, InputKind, Interaction, Resonator, ResonatorKind, Spec, TapSource};

/// The only format there is so far.
const SUPPORTED: i128 = 1;

/// A loaded instrument.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The instrument, knobs and settings applied.
    pub spec: Spec,
    /// The knobs and what they drove, in file order.
    pub controls: Vec<ControlValue>,
    /// What is odd but allowed.
    pub warnings: Vec<Error>,
    context: Context,
}

/// A parsed file, to be loaded any number of times with other settings.
#[derive(Debug, Clone)]
pub struct Document(Context);

impl Document {
    /// Parses the text of a file. `name` is what diagnostics call it.
    ///
    /// # Errors
    /// Text that is no TOML, another format, ids that clash.
    pub fn parse(name: &str, text: &str) -> Result<Self, Error> {
        let source = Source { name: name.to_owned(), text: text.into() };
        let root = document::parse(&source)?;
        let names = Names::of(&root, &source)?;
        let context = Context { source, settings: Vec::new(), root, names };
        check_format(&context)?;
        Ok(Self(context))
    }

    /// Loads the instrument; `settings` as in [`load`].
    ///
    /// # Errors
    /// The first fault found, with its place.
    pub fn load(&self, settings: &[(String, String)]) -> Result<Loaded, Error> {
        let mut context = self.0.clone();
        let texts = settings.iter().map(|(k, v)| Source { name: "--set".into(), text: format!("{k}={v}").into() });
        context.settings = texts.collect();
        match turn_and_resolve(&mut context, settings) {
            Ok((spec, controls, warnings)) => Ok(Loaded { spec, controls, warnings, context }),
            Err(error) => Err(self.root_cause(error)),
        }
    }

    /// What is measured at `path` (`mallet.mass_kg`); `None` for plain numbers, words, controls and unknown paths.
    #[must_use]
    pub fn dimension(&self, path: &str) -> Option<Dimension> {
        Units::along(&self.0.read_path(path).ok()?).dimension()
    }

    /// The fault of the file itself, where it has one, rather than what knobs and settings stumbled over because of it:
    /// a misspelt end of an interaction changes the id made from it, and a map then names nothing.
    fn root_cause(&self, error: Error) -> Error {
        let Err(cause) = decode_and_resolve(&self.0, Vec::new()) else {
            return error;
        };
        // These two a knob or a setting may have been about to mend.
        let mendable = ["instrument::missing_key", "instrument::out_of_range"].contains(&cause.code());
        if mendable { error } else { cause }
    }
}

/// Loads an instrument from the text of its file.
///
/// `name` is what diagnostics call the file. `settings` are the `key=value` pairs of `--set`: a path
/// (`mallet.mass_kg`, `bar.decay_s[1]`, `seed`) and a value (`0.03`, `30 g`), or a control and its position.
///
/// # Errors
/// The first fault found, with its place.
pub fn load(name: &str, text: &str, settings: &[(String, String)]) -> Result<Loaded, Error> {
    Document::parse(name, text)?.load(settings)
}

/// Applies settings and knobs, then decodes and resolves.
fn turn_and_resolve(
    context: &mut Context,
    settings: &[(String, String)],
) -> Result<(Spec, Vec<ControlValue>, Vec<Error>), Error> {
    let settings = Settings::read(context, settings)?;
    settings.apply(context)?;
    let mut warnings = Vec::new();
    let (controls, values) = knobs::apply(context, &settings, &mut warnings)?;
    let spec = decode_and_resolve(context, controls)?;
    find_oddities(context, &spec, &mut warnings);
    plausible::check(context, &mut warnings);
    Ok((spec, values, warnings))
}

fn decode_and_resolve(context: &Context, controls: Vec<Control>) -> Result<Spec, Error> {
    match context.decode::<raw::File>(&[])? {
        Some(file) => resolve(context, file, controls),
        None => Err(Error::new("instrument::syntax", "the file is empty", &context.source)),
    }
}

impl Loaded {
    /// What diagnostics call the file.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.context.source.name
    }

    /// The text of the file.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.context.source.text
    }

    /// The settings it was loaded with, as given to [`load`].
    #[must_use]
    pub fn settings(&self) -> Vec<(String, String)> {
        let pairs = self.context.settings.iter().filter_map(|setting| setting.text.split_once('='));
        pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
    }

    /// An error found after loading, pointing at `path` (`bar`, `mallet-bar.strike.stiffness`, `scheme`) in the
    /// file, or at the nearest thing around it. An unknown path gives an error without a place.
    pub fn error_at(
        &self,
        path: &str,
        code: impl Into<std::borrow::Cow<'static, str>>,
        message: impl Into<String>,
        label: impl Into<String>,
        help: Option<String>,
    ) -> Error {
        let segs = self.context.read_path(path).unwrap_or_default();
        self.context.error(&segs, code, message, label).maybe_help(help)
    }

    /// The key of the table at `path`, where it has exactly one: the name of a shape.
    #[must_use]
    pub fn only_key(&self, path: &str) -> Option<&str> {
        let segs = self.context.read_path(path).ok()?;
        match find(&self.context.root, &segs)?.entries() {
            [entry] => Some(&entry.key),
            _ => None,
        }
    }

    /// As [`Loaded::error_at`], as a warning.
    pub fn warning_at(
        &self,
        path: &str,
        code: impl Into<std::borrow::Cow<'static, str>>,
        message: impl Into<String>,
        label: impl Into<String>,
        help: Option<String>,
    ) -> Error {
        self.error_at(path, code, message, label, help).warning()
    }
}

/// Before anything else, because another format may mean something else by everything else.
fn check_format(context: &Context) -> Result<(), Error> {
    let at = trail!["format"];
    match find(&context.root, &at).map(|node| &node.value) {
        Some(document::Value::Integer(SUPPORTED)) => Ok(()),
        Some(_) => Err(context.unexpected(&at, "instrument::format", "1, the only format this version reads")),
        None if context.source.text.trim().is_empty() => {
            Err(Error::new("instrument::syntax", "the file is empty, expected an instrument", &context.source))
        }
        None => Err(context
            .error(&[], "instrument::missing_key", "`format` is missing, expected `format = 1`", "")
            .help("write `format = 1` as the first line")),
    }
}

/// Things that are allowed but hardly meant.
fn find_oddities(context: &Context, spec: &Spec, warnings: &mut Vec<Error>) {
    if !is_played(spec) {
        let message = "nothing plays this instrument: it has no gesture, and nothing else moves it";
        let help = "add a `[[gesture]]`, such as `throw`, `pluck` or `strike`";
        warnings.push(context.error(&[], "instrument::not_played", message, "").warning().help(help));
    }
    let mut warn = |segs: &[Seg], code: &'static str, message: String, label: &str| {
        warnings.push(context.error(segs, code, message, label).warning());
    };
    let mut used = vec![false; spec.resonators.len()];
    let mut mark = |resonator: usize| used[resonator] = true;
    for end in spec.interactions.iter().flat_map(|interaction| interaction.between) {
        if let End::Port(port) = end {
            mark(port.resonator);
        }
    }
    let strings = spec.barriers.iter().map(|barrier| barrier.string).chain(spec.fingers.iter().map(|f| f.string));
    for string in strings {
        mark(string);
    }
    for tap in &spec.taps {
        if let TapSource::Port(port) = tap.from {
            mark(port.resonator);
        }
    }
    for (index, (resonator, used)) in spec.resonators.iter().zip(used).enumerate() {
        if !used {
            let message = format!("`{}` touches nothing and is not listened to", resonator.id);
            warn(&trail!["resonator", index], "instrument::unused", message, "never heard");
        }
    }
    for (index, gesture) in spec.gestures.iter().enumerate() {
        if gesture.at_s >= spec.seconds {
            let message =
                format!("`{}` starts at {} s, after the suggested end at {} s", gesture.id, gesture.at_s, spec.seconds);
            warn(&trail!["gesture", index, "at_s"], "instrument::too_late", message, "after the end");
        }
    }
    for (index, control) in spec.controls.iter().enumerate() {
        if control.map.is_empty() {
            let message = format!("the control `{}` drives nothing", control.id);
            warn(&trail!["control", index], "instrument::unused", message, "has no `map`");
        }
    }
    let moves = |action: &Action| !matches!(action, Action::Throw { velocity_m_s: 0.0, position_m: None, .. });
    for (index, gesture) in spec.gestures.iter().enumerate() {
        if !moves(&gesture.action) {
            let message = format!("`{}` throws at velocity 0", gesture.id);
            warn(&trail!["gesture", index], "instrument::unused", message, "moves nothing");
        }
    }
}

/// True if something moves the instrument: a gesture, weight, a rubbing or moving surface, a finger, or a mass away from rest.
fn is_played(spec: &Spec) -> bool {
    let springs = spec.interactions.iter().any(|interaction| interaction.law.restores());
    let starts = |resonator: &Resonator| match &resonator.kind {
        ResonatorKind::Mass(mass) => {
            let pulled = mass.position_m != 0.0 && (springs || mass.stiffness_n_m > 0.0);
            spec.gravity_m_s2 != 0.0 || mass.velocity_m_s != 0.0 || pulled
        }
        _ => false,
    };
    let moves = |interaction: &Interaction| {
        let pressed = interaction.law.gap_m().is_some_and(|gap| gap < 0.0);
        let (surface, rub) = (&interaction.surface, &interaction.rub);
        let curves = [&surface.lift, &surface.speed, &rub.speed, &rub.weight];
        pressed || curves.iter().any(|curve| !curve.is_empty())
    };
    let moves_itself = |kind: InputKind| !matches!(kind, InputKind::TapGain { .. } | InputKind::TapPan { .. });
    let modulated = spec.modulators.iter().any(|modulator| moves_itself(modulator.target));
    let curved = spec.named_inputs.iter().any(|input| !input.curve.is_empty() && moves_itself(input.kind));
    !spec.gestures.is_empty()
        || modulated
        || curved
        || spec.resonators.iter().any(starts)
        || spec.interactions.iter().any(moves)
        || spec.fingers.iter().any(|finger| !finger.force.is_empty())
        || spec.barriers.iter().any(|barrier| !barrier.lift.is_empty())
}
