//! Numbers that carry their range, so that a value out of it fails where it is written.
//!
//! The word "number" in the expectation is replaced by the key's own noun ("mass", "time") when the error is made.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, SeqAccess, Unexpected, Visitor, value::F64Deserializer};
use serde::{Deserialize, Deserializer, de::IntoDeserializer};

/// Writes one newtype per range; the list below is the table of ranges of the format.
macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident $expected:literal, $holds:expr, $schema:tt;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub(crate) struct $name(pub f64);

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                let x = f64::deserialize(d)?;
                let holds: fn(f64) -> bool = $holds;
                if holds(x) {
                    return Ok(Self(x));
                }
                let endless = x.is_infinite() && !holds(f64::INFINITY);
                let expected = if endless { "a finite number" } else { $expected };
                Err(D::Error::invalid_value(Unexpected::Float(x), &expected))
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    )*};
}

numbers! {
    /// Any finite quantity.
    Finite "a finite number", f64::is_finite,
        { "anyOf": [{ "type": "number" }, { "type": "string" }] };
    /// Above zero.
    Positive "a positive number", |x| x > 0.0 && x.is_finite(),
        { "anyOf": [{ "type": "number", "exclusiveMinimum": 0 }, { "type": "string" }] };
    /// Above zero, infinity included.
    PositiveOrInfinite "a positive number", |x| x > 0.0,
        { "anyOf": [{ "type": "number", "exclusiveMinimum": 0 }, { "type": "string" }] };
    /// Zero or above.
    NonNegative "a number of zero or more", |x| x >= 0.0 && x.is_finite(),
        { "anyOf": [{ "type": "number", "minimum": 0 }, { "type": "string" }] };
    /// A render length: long enough to exist, short enough to finish.
    Length "a positive number of at most 3600 s", |x| x > 0.0 && x <= 3600.0,
        { "anyOf": [{ "type": "number", "exclusiveMinimum": 0, "maximum": 3600 }, { "type": "string" }] };
    /// Turns of a modulator per second: slower than what is heard as a tone of its own.
    ModulatorRate "a positive number of at most 1000 Hz", |x| x > 0.0 && x <= 1000.0,
        { "anyOf": [{ "type": "number", "exclusiveMinimum": 0, "maximum": 1000 }, { "type": "string" }] };
    /// How long one turn of a modulator takes.
    ModulatorPeriod "a number from 0.001 to 3600 s", |x| (1e-3..=3600.0).contains(&x),
        { "anyOf": [{ "type": "number", "minimum": 0.001, "maximum": 3600 }, { "type": "string" }] };
    /// How long a change takes.
    RampTime "a number from 0 to 3600 s", |x| (0.0..=3600.0).contains(&x),
        { "anyOf": [{ "type": "number", "minimum": 0, "maximum": 3600 }, { "type": "string" }] };
    /// A plain finite factor.
    Factor "a finite number", f64::is_finite, { "type": "number" };
    /// A plain factor above zero.
    PositiveFactor "a positive number", |x| x > 0.0 && x.is_finite(), { "type": "number", "exclusiveMinimum": 0 };
    /// How far a pedal moves a pitch.
    PedalFactor "a number from 0.1 to 10", |x| (0.1..=10.0).contains(&x), { "type": "number", "minimum": 0.1, "maximum": 10 };
    /// A plain factor of zero or more.
    NonNegativeFactor "a number of zero or more", |x| x >= 0.0 && x.is_finite(), { "type": "number", "minimum": 0 };
    /// A knob position or a share.
    UnitInterval "a number from 0 to 1", |x| (0.0..=1.0).contains(&x), { "type": "number", "minimum": 0, "maximum": 1 };
    /// A share that leaves something.
    BelowOne "a number from 0 to below 1", |x| (0.0..1.0).contains(&x),
        { "type": "number", "minimum": 0, "exclusiveMaximum": 1 };
    /// A place inside a string: its ends do not move.
    Fraction "a number strictly between 0 and 1", |x| x > 0.0 && x < 1.0,
        { "type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1 };
    /// Left to right.
    Pan "a number from -1 to 1", |x| (-1.0..=1.0).contains(&x), { "type": "number", "minimum": -1, "maximum": 1 };
    /// The slope of a spectrum of heights.
    Slope "a number from 0 to 4", |x| (0.0..=4.0).contains(&x), { "type": "number", "minimum": 0, "maximum": 4 };
    /// The power of a distribution of energies.
    EnergyPower "a number from 0 to 5", |x| (0.0..=5.0).contains(&x), { "type": "number", "minimum": 0, "maximum": 5 };
    /// The power of a contact law.
    Exponent "a number from 1 to 5", |x| (1.0..=5.0).contains(&x), { "type": "number", "minimum": 1, "maximum": 5 };
}

/// As `numbers!`, for whole ones.
macro_rules! integers {
    ($($(#[$doc:meta])* $name:ident $expected:literal, $holds:expr, $schema:tt;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub(crate) struct $name(pub u32);

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                let n = u64::deserialize(d)?;
                let holds: fn(u64) -> bool = $holds;
                match u32::try_from(n) {
                    Ok(small) if holds(n) => Ok(Self(small)),
                    _ => Err(D::Error::invalid_value(Unexpected::Unsigned(n), &$expected)),
                }
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    )*};
}

integers! {
    /// The one format there is.
    Format "1", |n| n == 1, { "const": 1 };
    /// Steps per sample.
    Oversampling "1, 2, 4 or 8", |n| matches!(n, 1 | 2 | 4 | 8), { "enum": [1, 2, 4, 8] };
    /// Grid intervals of a string.
    Points "a whole number from 3 to 100000", |n| (3..=100_000).contains(&n),
        { "type": "integer", "minimum": 3, "maximum": 100_000 };
    /// Modes of a string.
    ModeCount "a whole number from 1 to 100000", |n| (1..=100_000).contains(&n),
        { "type": "integer", "minimum": 1, "maximum": 100_000 };
    /// Modes of a shape: what `ictus-objects` computes at most.
    ObjectModeCount "a whole number from 1 to 4096", |n| (1..=4096).contains(&n),
        { "type": "integer", "minimum": 1, "maximum": 4096 };
    /// Cells of a surface from edge to edge.
    GridCells "a whole number from 4 to 1000", |n| (4..=1000).contains(&n),
        { "type": "integer", "minimum": 4, "maximum": 1000 };
    /// Slices of the air in a drum.
    AirCells "a whole number from 1 to 64", |n| (1..=64).contains(&n),
        { "type": "integer", "minimum": 1, "maximum": 64 };
    /// Wires over a surface.
    WireCount "a whole number from 1 to 64", |n| (1..=64).contains(&n),
        { "type": "integer", "minimum": 1, "maximum": 64 };
    /// Frets of a barrier.
    FretCount "a whole number from 1 to 48", |n| (1..=48).contains(&n),
        { "type": "integer", "minimum": 1, "maximum": 48 };
    /// Points at which a bow touches.
    BowPoints "a whole number from 1 to 32", |n| (1..=32).contains(&n),
        { "type": "integer", "minimum": 1, "maximum": 32 };
    /// Newton's steps of a friction.
    NewtonSteps "a whole number from 1 to 16", |n| (1..=16).contains(&n),
        { "type": "integer", "minimum": 1, "maximum": 16 };
    /// Poles of a filter per decade.
    PoleDensity "a whole number from 1 to 32", |n| (1..=32).contains(&n),
        { "type": "integer", "minimum": 1, "maximum": 32 };
    /// Repetitions.
    Times "a whole number from 1 to 100000", |n| (1..=100_000).contains(&n),
        { "type": "integer", "minimum": 1, "maximum": 100_000 };
}

/// One value for all modes, or one per mode.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum OneOrMany<T> {
    /// The same for all.
    One(T),
    /// One each.
    Many(Vec<T>),
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OneOrMany<T> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(OneOrManyVisitor(std::marker::PhantomData))
    }
}

struct OneOrManyVisitor<T>(std::marker::PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for OneOrManyVisitor<T> {
    type Value = OneOrMany<T>;

    fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("a number or a list of numbers")
    }

    fn visit_f64<E: Error>(self, x: f64) -> Result<Self::Value, E> {
        let number: F64Deserializer<E> = x.into_deserializer();
        T::deserialize(number).map(OneOrMany::One)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut all = Vec::new();
        while let Some(x) = seq.next_element()? {
            all.push(x);
        }
        Ok(OneOrMany::Many(all))
    }
}

impl<T: JsonSchema> JsonSchema for OneOrMany<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("OneOrMany_{}", T::schema_name()).into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<T>();
        json_schema!({ "anyOf": [one, { "type": "array", "items": one }] })
    }
}

/// One value for all time, or a curve through `(s, value)` points.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ConstantOrCurve<T> {
    /// The same at all times.
    Constant(T),
    /// Straight between points.
    Curve(Vec<(NonNegative, T)>),
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for ConstantOrCurve<T> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(ConstantOrCurveVisitor(std::marker::PhantomData))
    }
}

struct ConstantOrCurveVisitor<T>(std::marker::PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ConstantOrCurveVisitor<T> {
    type Value = ConstantOrCurve<T>;

    fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("a number or a curve [[s, number], …]")
    }

    fn visit_f64<E: Error>(self, x: f64) -> Result<Self::Value, E> {
        let number: F64Deserializer<E> = x.into_deserializer();
        T::deserialize(number).map(ConstantOrCurve::Constant)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut all = Vec::new();
        while let Some(point) = seq.next_element()? {
            all.push(point);
        }
        Ok(ConstantOrCurve::Curve(all))
    }
}

impl<T: JsonSchema> JsonSchema for ConstantOrCurve<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("ConstantOrCurve_{}", T::schema_name()).into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<T>();
        let point = generator.subschema_for::<(NonNegative, T)>();
        json_schema!({ "anyOf": [one, { "type": "array", "items": point, "minItems": 1 }] })
    }
}

/// A number, or text whose unit depends on another key.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Scalar {
    /// In SI.
    Number(f64),
    /// With a unit or a note name.
    Text(String),
}

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(ScalarVisitor)
    }
}

struct ScalarVisitor;

impl Visitor<'_> for ScalarVisitor {
    type Value = Scalar;

    fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("a number, or text with a unit")
    }
    fn visit_f64<E: Error>(self, x: f64) -> Result<Scalar, E> {
        Ok(Scalar::Number(x))
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<Scalar, E> {
        Ok(Scalar::Text(text.to_owned()))
    }
}

impl JsonSchema for Scalar {
    fn schema_name() -> Cow<'static, str> {
        "Scalar".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [{ "type": "number" }, { "type": "string" }] })
    }
}

/// A table from names to values that keeps the order of the file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Named<T>(pub Vec<(String, T)>);

impl<T> Default for Named<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_map(NamedVisitor(std::marker::PhantomData))
    }
}

struct NamedVisitor<T>(std::marker::PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for NamedVisitor<T> {
    type Value = Named<T>;

    fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("a table of names")
    }

    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut all = Vec::new();
        while let Some(entry) = map.next_entry()? {
            all.push(entry);
        }
        Ok(Named(all))
    }
}

impl<T: JsonSchema> JsonSchema for Named<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("Named_{}", T::schema_name()).into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let value = generator.subschema_for::<T>();
        json_schema!({ "type": "object", "additionalProperties": value })
    }
}
