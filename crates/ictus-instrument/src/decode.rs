//! From the tree of values to the types of [`crate::raw`], by serde, with the place and the path of every fault.
//!
//! Three liberties over plain serde: a number may be text with the unit of its key, an enum of tables reads its
//! variant from the table's own `kind`, and modes with a shape are a variant of their own.

use serde::Deserialize;
use serde::de::{self, DeserializeSeed, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

use crate::body::{KINDS, OBJECT_KEYS};
use crate::document::{Entry, Location, Node, Origin, Value};
use crate::path::{Seg, Units};

/// The enums whose variant is the table's `kind`.
const TAGGED: [&str; 3] = ["Resonator", "Interaction", "Modulator"];
/// The enums whose variant is the one key of a table.
const NESTED: [&str; 1] = ["ObjectShape"];

/// Decodes a node that stands where `units` hold.
pub(crate) fn decode<'a, T: Deserialize<'a>>(node: &'a Node, units: Units) -> Result<T, Fault> {
    T::deserialize(Decoder { node, units, tagged: false }).map_err(|fault| fault.at(node))
}

/// What is wrong, where, and with which value.
#[derive(Debug)]
pub(crate) struct Fault(Box<FaultParts>);

#[derive(Debug)]
struct FaultParts {
    kind: FaultKind,
    place: Option<(Location, String)>,
    /// Innermost step first.
    path: Vec<Seg>,
}

/// What is wrong.
#[derive(Debug)]
pub(crate) enum FaultKind {
    UnknownKey { key: String, known: &'static [&'static str] },
    MissingKey(&'static str),
    UnknownValue { known: &'static [&'static str] },
    WrongType(String),
    WrongUnit(String),
    OutOfRange(String),
    Other(String),
}

impl Fault {
    fn new(kind: FaultKind) -> Self {
        Self(Box::new(FaultParts { kind, place: None, path: Vec::new() }))
    }

    /// The innermost place wins, because the call that knows it best comes first.
    fn at(mut self, node: &Node) -> Self {
        self.0.place.get_or_insert_with(|| (node.place.clone(), node.to_string()));
        self
    }

    fn within(mut self, node: &Node, seg: impl FnOnce() -> Seg) -> Self {
        self = self.at(node);
        self.0.path.push(seg());
        self
    }

    /// Kind, place with the value there, and path from the decoded node.
    pub fn into_parts(self) -> (FaultKind, Option<(Location, String)>, Vec<Seg>) {
        let mut parts = *self.0;
        parts.path.reverse();
        (parts.kind, parts.place, parts.path)
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{:?}", self.0.kind)
    }
}

impl std::error::Error for Fault {}

impl de::Error for Fault {
    fn custom<T: std::fmt::Display>(message: T) -> Self {
        Self::new(FaultKind::Other(message.to_string()))
    }
    fn invalid_type(_: de::Unexpected, expected: &dyn de::Expected) -> Self {
        Self::new(FaultKind::WrongType(expected.to_string()))
    }
    fn invalid_value(_: de::Unexpected, expected: &dyn de::Expected) -> Self {
        Self::new(FaultKind::OutOfRange(expected.to_string()))
    }
    fn invalid_length(_: usize, expected: &dyn de::Expected) -> Self {
        Self::new(FaultKind::WrongType(expected.to_string()))
    }
    fn unknown_variant(_: &str, known: &'static [&'static str]) -> Self {
        Self::new(FaultKind::UnknownValue { known })
    }
    fn unknown_field(key: &str, known: &'static [&'static str]) -> Self {
        Self::new(FaultKind::UnknownKey { key: key.to_owned(), known })
    }
    fn missing_field(key: &'static str) -> Self {
        Self::new(FaultKind::MissingKey(key))
    }
}

#[derive(Clone, Copy)]
struct Decoder<'a> {
    node: &'a Node,
    units: Units,
    /// The table's `kind` has been read and is no key of its struct.
    tagged: bool,
}

impl<'a> Decoder<'a> {
    fn wrong_type<T>(&self, expected: impl Into<String>) -> Result<T, Fault> {
        Err(Fault::new(FaultKind::WrongType(expected.into())).at(self.node))
    }

    fn number(&self) -> Result<f64, Fault> {
        match (&self.node.value, self.units.dimension()) {
            #[expect(clippy::cast_precision_loss, reason = "a whole number meant as a quantity")]
            (Value::Integer(n), _) => Ok(*n as f64),
            (Value::Float(x), _) => Ok(*x),
            (Value::Text(text), Some(dimension)) => {
                (dimension.parse(text)).map_err(|expected| Fault::new(FaultKind::WrongUnit(expected)).at(self.node))
            }
            (_, Some(d)) => self.wrong_type(format!("a number in {}, or text such as \"{}\"", d.unit, d.example)),
            (_, None) => self.wrong_type("a number"),
        }
    }

    fn whole(&self) -> Result<u64, Fault> {
        match self.node.value {
            Value::Integer(n) => u64::try_from(n).map_err(|_| {
                let expected = "a whole number from 0 to 18446744073709551615".to_owned();
                Fault::new(FaultKind::OutOfRange(expected)).at(self.node)
            }),
            // A knob travels continuously; whole parameters follow it to the nearest value.
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates, then is checked")]
            Value::Float(x) if matches!(self.node.place.origin, Origin::Control(_)) && x >= 0.0 => Ok(x.round() as u64),
            _ => self.wrong_type("a whole number"),
        }
    }

    fn items(&self) -> Result<Items<'a>, Fault> {
        match &self.node.value {
            Value::List(items) => Ok(Items { items: items.iter().enumerate(), units: self.units }),
            _ => self.wrong_type("a list"),
        }
    }

    fn table(&self) -> Result<Entries<'a>, Fault> {
        match &self.node.value {
            Value::Table(entries) => {
                Ok(Entries { entries: entries.iter(), current: None, units: self.units, tagged: self.tagged })
            }
            _ => self.wrong_type("a table"),
        }
    }

    /// Which variant a tagged table is.
    fn tag(&self, name: &str, variants: &'static [&'static str]) -> Result<&'a str, Fault> {
        let variants = if name == "Resonator" { &KINDS } else { variants };
        let Value::Table(_) = self.node.value else {
            return self.wrong_type("a table");
        };
        let Some(kind) = self.node.get("kind") else {
            return Err(Fault::new(FaultKind::MissingKey("kind")).at(self.node));
        };
        match kind.text() {
            Some("modes") if OBJECT_KEYS.iter().any(|key| self.node.get(key).is_some()) => Ok("object"),
            Some(tag) if variants.contains(&tag) => Ok(tag),
            _ => Err(Fault::new(FaultKind::UnknownValue { known: variants }).within(kind, || Seg::from("kind"))),
        }
    }
}

impl<'a> Decoder<'a> {
    /// A table whose one key is the variant.
    fn nested<V: Visitor<'a>>(self, variants: &'static [&'static str], visitor: V) -> Result<V::Value, Fault> {
        match self.node.entries() {
            [Entry { key, node, .. }] if variants.contains(&key.as_str()) => {
                let table = Decoder { node, units: self.units.below_key(key), tagged: false };
                let tagged = Tagged { tag: key, table };
                visitor.visit_enum(tagged).map_err(|fault| fault.within(node, || Seg::from(key.as_str())))
            }
            [Entry { key, place, node }] => {
                let mut fault = Fault::new(FaultKind::UnknownKey { key: key.clone(), known: variants });
                fault.0.place = Some((place.clone(), node.to_string()));
                Err(fault)
            }
            _ => {
                let names: Vec<String> = variants.iter().map(|name| format!("`{name}`")).collect();
                self.wrong_type(format!("a table with one of {}", names.join(", ")))
            }
        }
    }
}

impl<'a> de::Deserializer<'a> for Decoder<'a> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
        match &self.node.value {
            Value::Bool(x) => visitor.visit_bool(*x),
            Value::Integer(_) | Value::Float(_) => visitor.visit_f64(self.number()?),
            Value::Text(_) if self.units.dimension().is_some() => visitor.visit_f64(self.number()?),
            Value::Text(text) => visitor.visit_str(text),
            Value::Date(_) => self.wrong_type("a number, text, a list or a table"),
            Value::List(_) => visitor.visit_seq(self.items()?),
            Value::Table(_) => visitor.visit_map(self.table()?),
        }
    }

    fn deserialize_f64<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_f64(self.number()?)
    }

    fn deserialize_u64<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_u64(self.whole()?)
    }

    fn deserialize_bool<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.node.value {
            Value::Bool(x) => visitor.visit_bool(x),
            _ => self.wrong_type("true or false"),
        }
    }

    fn deserialize_string<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.node.text() {
            Some(text) => visitor.visit_str(text),
            None => self.wrong_type("text in quotes"),
        }
    }

    fn deserialize_option<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_some(self)
    }

    fn deserialize_seq<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_seq(self.items()?)
    }

    fn deserialize_tuple<V: Visitor<'a>>(self, len: usize, visitor: V) -> Result<V::Value, Fault> {
        if self.node.items().len() != len {
            return self.wrong_type(format!("a list of {len}"));
        }
        visitor.visit_seq(self.items()?)
    }

    fn deserialize_map<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_map(self.table()?)
    }

    fn deserialize_struct<V: Visitor<'a>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_map(self.table()?)
    }

    fn deserialize_enum<V: Visitor<'a>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        if TAGGED.contains(&name) {
            let tag = self.tag(name, variants)?;
            return visitor.visit_enum(Tagged { tag, table: Decoder { tagged: true, ..self } });
        }
        if NESTED.contains(&name) {
            return self.nested(variants, visitor);
        }
        match self.node.text() {
            Some(text) if variants.contains(&text) => visitor.visit_enum(text.into_deserializer()),
            Some(_) => Err(Fault::new(FaultKind::UnknownValue { known: variants }).at(self.node)),
            None => self.wrong_type("text in quotes"),
        }
    }

    forward_to_deserialize_any! {
        <V: Visitor<'a>>
        i8 i16 i32 i64 i128 u8 u16 u32 u128 f32 char str bytes byte_buf unit unit_struct newtype_struct
        tuple_struct identifier ignored_any
    }
}

struct Items<'a> {
    items: std::iter::Enumerate<std::slice::Iter<'a, Node>>,
    units: Units,
}

impl<'a> de::SeqAccess<'a> for Items<'a> {
    type Error = Fault;

    fn next_element_seed<T: DeserializeSeed<'a>>(&mut self, seed: T) -> Result<Option<T::Value>, Fault> {
        let Some((index, node)) = self.items.next() else {
            return Ok(None);
        };
        let decoder = Decoder { node, units: self.units.below_index(index), tagged: false };
        seed.deserialize(decoder).map(Some).map_err(|fault| fault.within(node, || Seg::Index(index)))
    }
}

struct Entries<'a> {
    entries: std::slice::Iter<'a, Entry>,
    current: Option<&'a Entry>,
    units: Units,
    tagged: bool,
}

impl<'a> de::MapAccess<'a> for Entries<'a> {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'a>>(&mut self, seed: K) -> Result<Option<K::Value>, Fault> {
        self.current = self.entries.find(|entry| !(self.tagged && entry.key == "kind"));
        let Some(entry) = self.current else {
            return Ok(None);
        };
        let key: de::value::StrDeserializer<Fault> = entry.key.as_str().into_deserializer();
        seed.deserialize(key).map(Some).map_err(|mut fault| {
            fault.0.place = Some((entry.place.clone(), entry.node.to_string()));
            fault
        })
    }

    fn next_value_seed<V: DeserializeSeed<'a>>(&mut self, seed: V) -> Result<V::Value, Fault> {
        let Some(Entry { key, node, .. }) = self.current.take() else {
            return Err(de::Error::custom("a value without a key"));
        };
        let decoder = Decoder { node, units: self.units.below_key(key), tagged: false };
        seed.deserialize(decoder).map_err(|fault| fault.within(node, || Seg::from(key.as_str())))
    }
}

struct Tagged<'a> {
    tag: &'a str,
    table: Decoder<'a>,
}

impl<'a> de::EnumAccess<'a> for Tagged<'a> {
    type Error = Fault;
    type Variant = Decoder<'a>;

    fn variant_seed<V: DeserializeSeed<'a>>(self, seed: V) -> Result<(V::Value, Decoder<'a>), Fault> {
        let tag: de::value::StrDeserializer<Fault> = self.tag.into_deserializer();
        Ok((seed.deserialize(tag)?, self.table))
    }
}

impl<'a> de::VariantAccess<'a> for Decoder<'a> {
    type Error = Fault;

    fn unit_variant(self) -> Result<(), Fault> {
        Ok(())
    }
    fn newtype_variant_seed<T: DeserializeSeed<'a>>(self, seed: T) -> Result<T::Value, Fault> {
        seed.deserialize(self)
    }
    fn tuple_variant<V: Visitor<'a>>(self, len: usize, visitor: V) -> Result<V::Value, Fault> {
        de::Deserializer::deserialize_tuple(self, len, visitor)
    }
    fn struct_variant<V: Visitor<'a>>(self, _: &'static [&'static str], visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_map(self.table()?)
    }
}
