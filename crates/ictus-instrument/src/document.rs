//! The file as a tree of values, each of which knows where it came from.
//!
//! Settings and knobs replace nodes of this tree before it is decoded, so that one validation covers them all
//! and an error can still say who wrote the value.

use std::fmt;
use std::ops::Range;

use toml::de::{DeTable, DeValue};
use toml_parser::lexer::TokenKind;

use crate::error::{Error, Source, floor_boundary};

/// Larger files are refused before parsing.
const MAX_BYTES: usize = 16 << 20;
/// Brackets deeper than this are refused: the format needs five, and dropping a tree recurses.
const MAX_DEPTH: usize = 32;
/// A dotted key longer than this is refused, for the same reason; the format needs three.
const MAX_DOTS: usize = 8;

/// Who wrote a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The file; the span points into it.
    File,
    /// A setting, by index; the span points into its text `key=value`.
    Setting(u32),
    /// A knob, by index; the span points at the map's entry in the file.
    Control(u32),
}

/// Where a value stands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Location {
    pub origin: Origin,
    pub span: Range<usize>,
}

/// A value and its place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub value: Value,
    pub place: Location,
}

/// A TOML value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Bool(bool),
    /// Wide enough for every `u64` seed.
    Integer(i128),
    Float(f64),
    Text(String),
    /// No key takes one, but the text is needed to say so.
    Date(String),
    List(Vec<Node>),
    Table(Vec<Entry>),
}

/// One key of a table, in file order.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub key: String,
    pub place: Location,
    pub node: Node,
}

impl Node {
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entries().iter().find(|entry| entry.key == key).map(|entry| &entry.node)
    }

    pub fn is_table(&self) -> bool {
        matches!(self.value, Value::Table(_))
    }

    pub fn entries(&self) -> &[Entry] {
        match &self.value {
            Value::Table(entries) => entries,
            _ => &[],
        }
    }

    pub fn items(&self) -> &[Node] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// The value as a message shows it: short, on one line.
impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match &self.value {
            Value::Bool(x) => write!(f, "{x}"),
            Value::Integer(x) => write!(f, "{x}"),
            Value::Float(x) => write!(f, "{}", show_float(*x)),
            Value::Text(text) if text.chars().count() > 60 => {
                let head: String = text.chars().take(57).collect();
                write!(f, "{:?}", format!("{head}..."))
            }
            Value::Text(text) => write!(f, "{text:?}"),
            Value::Date(text) => write!(f, "{text}"),
            Value::List(items) => write!(f, "a list of {}", items.len()),
            Value::Table(_) => write!(f, "a table"),
        }
    }
}

/// Plain digits for everyday sizes, powers of ten beyond.
pub(crate) fn show_float(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 || !x.is_finite() || (1e-4..1e7).contains(&size) { format!("{x}") } else { format!("{x:e}") }
}

/// Parses a whole file.
pub(crate) fn parse(source: &Source) -> Result<Node, Error> {
    let text: &str = &source.text;
    if text.len() > MAX_BYTES {
        let message = format!("the file has {} bytes, expected at most {MAX_BYTES}", text.len());
        return Err(Error::new("instrument::limit", message, source));
    }
    guard(text).map_err(|(span, what)| {
        Error::new("instrument::limit", format!("the file has {what}"), source).at(span, "too deep")
    })?;
    match DeTable::parse(text) {
        Ok(table) => Ok(Node {
            value: table_value(table.into_inner(), Origin::File),
            place: Location { origin: Origin::File, span: 0..0 },
        }),
        Err(fault) => {
            let message = fault.message().trim().replace('\n', ", ");
            let span = fault.span().unwrap_or(0..0);
            let shown = floor_boundary(text, span.start);
            let line = text[..shown].matches('\n').count() + 1;
            Err(Error::new("instrument::syntax", format!("line {line} is not valid TOML: {message}"), source)
                .at(span, "here"))
        }
    }
}

/// The value of a setting: TOML where it is TOML, a number where it is one, else text.
pub(crate) fn parse_setting(text: &str, origin: Origin, offset: usize) -> Node {
    let trimmed = text.trim();
    let place = Location { origin, span: offset..offset + text.len() };
    let parsed = (text.len() <= MAX_BYTES && guard(trimmed).is_ok())
        .then(|| DeValue::parse(trimmed).ok())
        .flatten()
        .map(|value| convert(value.into_inner(), origin));
    let mut value = match (parsed, trimmed.parse::<f64>()) {
        (Some(value), _) => value,
        (None, Ok(x)) => Value::Float(x),
        (None, Err(_)) => Value::Text(trimmed.to_owned()),
    };
    point(&mut value, &place);
    Node { value, place }
}

/// All parts of a setting share its place.
fn point(value: &mut Value, place: &Location) {
    match value {
        Value::List(items) => {
            for node in items {
                node.place = place.clone();
                point(&mut node.value, place);
            }
        }
        Value::Table(entries) => {
            for entry in entries {
                entry.place = place.clone();
                entry.node.place = place.clone();
                point(&mut entry.node.value, place);
            }
        }
        _ => {}
    }
}

/// Refuses nesting that would make recursion deep, on the tokens the parser itself will see.
fn guard(text: &str) -> Result<(), (Range<usize>, String)> {
    let (mut depth, mut dots) = (0usize, 0usize);
    for token in toml_parser::Source::new(text).lex() {
        match token.kind() {
            TokenKind::LeftSquareBracket | TokenKind::LeftCurlyBracket => (depth, dots) = (depth + 1, 0),
            TokenKind::RightSquareBracket | TokenKind::RightCurlyBracket => {
                (depth, dots) = (depth.saturating_sub(1), 0);
            }
            TokenKind::Dot => dots += 1,
            TokenKind::Equals | TokenKind::Comma | TokenKind::Newline => dots = 0,
            _ => {}
        }
        let span = token.span().start()..token.span().end();
        if depth > MAX_DEPTH {
            return Err((span, format!("brackets nested deeper than {MAX_DEPTH}")));
        }
        if dots > MAX_DOTS {
            return Err((span, format!("a dotted key of more than {MAX_DOTS} dots")));
        }
    }
    Ok(())
}

fn table_value(table: DeTable<'_>, origin: Origin) -> Value {
    let mut entries: Vec<Entry> = (table.into_iter())
        .map(|(key, value)| {
            let span = value.span();
            Entry {
                place: Location { origin, span: key.span() },
                key: key.into_inner().into_owned(),
                node: Node { value: convert(value.into_inner(), origin), place: Location { origin, span } },
            }
        })
        .collect();
    // The parser's table may be sorted by name or not, depending on its build; the spans know the file's order.
    entries.sort_by_key(|entry| entry.place.span.start);
    Value::Table(entries)
}

fn convert(value: DeValue<'_>, origin: Origin) -> Value {
    match value {
        DeValue::Boolean(x) => Value::Bool(x),
        DeValue::Integer(x) => match i128::from_str_radix(x.as_str(), x.radix()) {
            Ok(n) => Value::Integer(n),
            Err(_) => Value::Float(x.as_str().parse().unwrap_or(f64::NAN)),
        },
        DeValue::Float(x) => Value::Float(x.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::String(text) => Value::Text(text.into_owned()),
        DeValue::Datetime(date) => Value::Date(date.to_string()),
        DeValue::Array(array) => Value::List(
            (array.into_iter())
                .map(|item| {
                    let span = item.span();
                    Node { value: convert(item.into_inner(), origin), place: Location { origin, span } }
                })
                .collect(),
        ),
        DeValue::Table(table) => table_value(table, origin),
    }
}
