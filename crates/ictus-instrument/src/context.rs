//! Everything needed to say what is wrong and where: the text, the tree, the ids and the settings.

use std::borrow::Cow;

use serde::Deserialize;

use crate::decode::{self, Fault, FaultKind};
use crate::document::{Location, Node, Origin};
use crate::error::{Error, Source, listed, suggest};
use crate::names::{Names, SECTIONS, TOP_LEVEL};
use crate::number::Scalar;
use crate::path::{self, Seg, Units};
use crate::quantity::Dimension;

/// The file under examination.
#[derive(Debug, Clone)]
pub(crate) struct Context {
    pub source: Source,
    /// One per setting, its text `key=value`.
    pub settings: Vec<Source>,
    pub root: Node,
    pub names: Names,
}

impl Context {
    /// Decodes what stands at `segs`, if anything does.
    pub fn decode<'a, T: Deserialize<'a>>(&'a self, segs: &[Seg]) -> Result<Option<T>, Error> {
        let Some(node) = path::find(&self.root, segs) else {
            return Ok(None);
        };
        decode::decode(node, Units::along(segs)).map(Some).map_err(|fault| self.fault(segs, fault))
    }

    /// An error at a path: marks the value there, or the nearest thing around it.
    pub fn error(
        &self,
        segs: &[Seg],
        code: impl Into<Cow<'static, str>>,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> Error {
        let mut node = &self.root;
        for seg in segs {
            match path::step(node, seg) {
                Some(below) => node = below,
                None => break,
            }
        }
        self.error_in(&node.place, code, message, label)
    }

    fn error_in(
        &self,
        place: &Location,
        code: impl Into<Cow<'static, str>>,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> Error {
        let source = match place.origin {
            Origin::Setting(index) => self.settings.get(index as usize).unwrap_or(&self.source),
            Origin::File | Origin::Control(_) => &self.source,
        };
        let error = Error::new(code, message, source);
        // The root has no place of its own to mark.
        if place.span.is_empty() && place.origin == Origin::File { error } else { error.at(place.span.clone(), label) }
    }

    /// "`bar.decay_s[1]` is -0.7", or who set it.
    pub fn state(&self, segs: &[Seg]) -> String {
        let name = self.names.show(segs);
        match path::find(&self.root, segs) {
            None => format!("`{name}` is missing"),
            Some(node) => self.state_of(&name, &node.place, &node.to_string()),
        }
    }

    fn state_of(&self, name: &str, place: &Location, value: &str) -> String {
        match self.author(place) {
            None => format!("`{name}` is {value}"),
            Some(author) => format!("`{name}` was set to {value} by {author}"),
        }
    }

    /// Who wrote a value that is not the file's own.
    fn author(&self, place: &Location) -> Option<String> {
        match place.origin {
            Origin::File => None,
            Origin::Setting(_) => Some("--set".to_owned()),
            Origin::Control(index) => {
                Some(format!("control `{}`", self.names.label(SECTIONS.len() - 1, index as usize)))
            }
        }
    }

    /// "`x` is 3, expected …"
    pub fn unexpected(&self, segs: &[Seg], code: &'static str, expected: &str) -> Error {
        self.error(segs, code, format!("{}, expected {expected}", self.state(segs)), format!("expected {expected}"))
    }

    /// Puts a decoding fault into words.
    fn fault(&self, base: &[Seg], fault: Fault) -> Error {
        let (kind, place, below) = fault.into_parts();
        let segs: Vec<Seg> = base.iter().cloned().chain(below).collect();
        let (place, value) = place.unwrap_or_else(|| (self.root.place.clone(), String::new()));
        let name = self.names.show(&segs);
        let unexpected = |code: &'static str, expected: &str| {
            let message = format!("{}, expected {expected}", self.state_of(&name, &place, &value));
            self.error_in(&place, code, message, format!("expected {expected}"))
        };
        match kind {
            FaultKind::UnknownKey { key, known } => {
                let owner = if segs.is_empty() { "the top level".to_owned() } else { format!("`{name}`") };
                let author = self.author(&place).map(|who| format!(", set by {who}")).unwrap_or_default();
                let message = format!("{owner} has no key `{key}`{author}");
                self.error_in(&place, "instrument::unknown_key", message, "unknown key").maybe_help(suggest(
                    &key,
                    known.iter().copied(),
                    "keys",
                ))
            }
            FaultKind::MissingKey(key) => {
                let segs: Vec<Seg> = segs.into_iter().chain([Seg::from(key)]).collect();
                let message = format!("`{}` is missing", self.names.show(&segs));
                let example = Units::along(&segs).dimension().map(|d| format!("{key} = \"{}\"", d.example));
                self.error_in(&place, "instrument::missing_key", message, format!("this needs `{key}`"))
                    .help(format!("add `{}`", example.unwrap_or(format!("{key} = …"))))
            }
            FaultKind::UnknownValue { known } => {
                unexpected("instrument::unknown_value", &format!("one of {}", listed(known))).maybe_help(
                    crate::error::nearest(&value, known.iter().copied()).map(|n| format!("did you mean `{n}`?")),
                )
            }
            FaultKind::WrongType(expected) => {
                let error = unexpected("instrument::wrong_type", &expected);
                match segs.as_slice() {
                    [Seg::Key(section)] if SECTIONS.contains(&section.as_str()) => {
                        error.help(format!("write `[[{section}]]` with two brackets on each side"))
                    }
                    _ => error,
                }
            }
            FaultKind::WrongUnit(expected) => unexpected("instrument::unit", &expected),
            FaultKind::OutOfRange(expected) => {
                let noun = Units::along(&segs).dimension().map_or("number", |d| d.noun);
                unexpected("instrument::out_of_range", &expected.replace("number", noun))
            }
            FaultKind::Other(message) => {
                self.error_in(&place, "instrument::wrong_type", format!("`{name}`: {message}"), "here")
            }
        }
    }

    /// A finite number, or text in the unit of `dimension`, which another key decides.
    pub fn scalar(&self, at: &[Seg], scalar: &Scalar, dimension: Option<Dimension>) -> Result<f64, Error> {
        let read = match (scalar, dimension) {
            (Scalar::Number(x), _) => Some(*x),
            (Scalar::Text(text), Some(dimension)) => {
                Some((dimension.parse(text)).map_err(|expected| self.unexpected(at, "instrument::unit", &expected))?)
            }
            (Scalar::Text(_), None) => None,
        };
        read.filter(|x| x.is_finite()).ok_or_else(|| self.unexpected(at, "instrument::out_of_range", "a finite number"))
    }

    /// Reads a path such as `mallet.mass_kg`, or says what is wrong with it.
    pub fn read_path(&self, text: &str) -> Result<Vec<Seg>, (String, Option<String>)> {
        if let Some(segs) = self.names.read(&self.root, text) {
            return Ok(segs);
        }
        let head = text.split(['.', '[']).next().unwrap_or_default();
        if self.names.get(head).is_some() || TOP_LEVEL.contains(&head) {
            return Err((format!("`{text}` is not a path"), Some("write paths like `bar.decay_s[1]`".to_owned())));
        }
        // A made id contains dots: all but the key is the id that was meant.
        let head = if head.contains('-') { text.rsplit_once('.').map_or(head, |(id, _)| id) } else { head };
        let known = self.names.all().chain(TOP_LEVEL);
        Err((format!("`{text}` names no element: there is no `{head}`"), suggest(head, known, "known")))
    }
}
