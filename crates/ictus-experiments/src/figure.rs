//! A figure: what it is called, which numbers it depends on, and how it is run.

use crate::outcome::Outcome;
use ictus_core::BuildError;
use std::fmt;

/// A number a figure depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// Name on the command line.
    pub name: &'static str,
    /// Value in the published figure, or our choice where the paper gives none.
    pub default: f64,
    /// Unit; empty for a pure number.
    pub unit: &'static str,
    /// What it is.
    pub meaning: &'static str,
    /// Smallest and largest value with a meaning.
    pub range: (f64, f64),
}

/// A parameter that may be any positive number.
pub const fn positive(name: &'static str, default: f64, unit: &'static str, meaning: &'static str) -> Parameter {
    within(name, default, unit, meaning, (f64::MIN_POSITIVE, f64::MAX))
}

/// A parameter with a range.
pub const fn within(
    name: &'static str,
    default: f64,
    unit: &'static str,
    meaning: &'static str,
    range: (f64, f64),
) -> Parameter {
    Parameter { name, default, unit, meaning, range }
}

/// A published figure.
#[derive(Debug)]
pub struct Figure {
    /// Such as `d21-1`.
    pub id: &'static str,
    /// `cw14`, `d21`, `so8`, or `handbook` for figures of our own.
    pub paper: &'static str,
    /// One line.
    pub title: &'static str,
    /// What it depends on.
    pub parameters: &'static [Parameter],
    /// Choices made where the paper is silent, and its misprints.
    pub notes: &'static [&'static str],
    pub(crate) run: fn(&Values) -> Result<Outcome, BuildError>,
}

/// A value for each parameter of a figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Values {
    values: Vec<(Parameter, f64)>,
}

/// Why a figure could not be run.
#[derive(Debug)]
pub enum Error {
    /// The figure has no such parameter.
    UnknownParameter {
        /// The figure.
        figure: &'static str,
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<Parameter>,
    },
    /// The value is no number, or outside the parameter's range.
    BadValue {
        /// The figure.
        figure: &'static str,
        /// The parameter.
        parameter: Parameter,
        /// What was given.
        value: String,
    },
    /// The parameters describe something the engine refuses.
    Build {
        /// The figure.
        figure: &'static str,
        /// Its reason.
        error: BuildError,
    },
    /// The parameters make an instrument file that is refused.
    File {
        /// The figure.
        figure: &'static str,
        /// Its reason.
        error: ictus_instrument::Error,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownParameter { figure, name, known } => {
                let names: Vec<&str> = known.iter().map(|p| p.name).collect();
                write!(f, "{figure} has no parameter `{name}`; it has {}", names.join(", "))
            }
            Self::BadValue { figure, parameter, value } => {
                let (low, high) = parameter.range;
                let range = match (low, high) {
                    (f64::MIN_POSITIVE, f64::MAX) => "a positive number".to_owned(),
                    (low, f64::MAX) => format!("a number of at least {low}"),
                    (low, high) => format!("a number from {low} to {high}"),
                };
                let Parameter { name, unit, meaning, .. } = parameter;
                let unit = if unit.is_empty() { String::new() } else { format!(" in {unit}") };
                write!(f, "{figure}: `{name}` is `{value}`, expected {range}{unit} ({meaning})")
            }
            Self::Build { figure, error } => write!(f, "{figure}: {error}"),
            Self::File { figure, error } => write!(f, "{figure}: {error}"),
        }
    }
}

impl std::error::Error for Error {}

impl Figure {
    /// The published values.
    pub fn defaults(&self) -> Values {
        Values::defaults(self.parameters)
    }

    /// The published values with some replaced, as `(name, number)`.
    pub fn values(&self, settings: &[(String, String)]) -> Result<Values, Error> {
        self.defaults().with(self.id, settings)
    }

    /// Runs the simulations behind the figure. References that belong to the published values are not judged if one of
    /// them was changed.
    pub fn run(&self, values: &Values) -> Result<Outcome, Error> {
        let mut outcome = (self.run)(values).map_err(|error| Error::Build { figure: self.id, error })?;
        if values.changed().next().is_some() {
            outcome.metrics.iter_mut().filter(|metric| !metric.law).for_each(|metric| metric.pass = None);
        }
        Ok(outcome)
    }
}

impl Values {
    pub(crate) fn defaults(parameters: &[Parameter]) -> Self {
        Self { values: parameters.iter().map(|p| (*p, p.default)).collect() }
    }

    /// The same with some replaced, as `(name, number)`; `figure` is who complains.
    pub(crate) fn with(mut self, figure: &'static str, settings: &[(String, String)]) -> Result<Self, Error> {
        for (name, text) in settings {
            let Some((parameter, value)) = self.values.iter_mut().find(|(p, _)| p.name == name) else {
                let known = self.values.iter().map(|(p, _)| *p).collect();
                return Err(Error::UnknownParameter { figure, name: name.clone(), known });
            };
            *value = text
                .parse()
                .ok()
                .filter(|x| (parameter.range.0..=parameter.range.1).contains(x))
                .ok_or_else(|| Error::BadValue { figure, parameter: *parameter, value: text.clone() })?;
        }
        Ok(self)
    }

    /// Value of a parameter.
    ///
    /// # Panics
    /// If the figure does not declare it: a mistake in the figure, not in the input.
    pub fn get(&self, name: &str) -> f64 {
        let found = self.values.iter().find(|(p, _)| p.name == name);
        found.unwrap_or_else(|| panic!("the figure declares no parameter `{name}`")).1
    }

    /// A parameter that counts something.
    pub fn count(&self, name: &str) -> usize {
        self.get(name).round() as usize
    }

    /// Parameters with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&Parameter, f64)> {
        self.values.iter().map(|(p, x)| (p, *x))
    }

    /// Those that differ from the published ones.
    pub fn changed(&self) -> impl Iterator<Item = (&Parameter, f64)> {
        self.iter().filter(|(p, x)| p.default != *x)
    }
}
