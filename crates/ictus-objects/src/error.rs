//! What can be wrong with an object, found when its modes are computed.

use std::fmt;

/// An object that cannot be built, with the value at fault and a way out.
#[derive(Clone, Debug, PartialEq)]
pub enum ObjectError {
    /// A number outside the range where the shape is defined.
    Parameter {
        /// Which parameter, by its key in files.
        what: &'static str,
        /// The value given.
        value: f64,
        /// What would be right.
        expected: String,
    },
    /// Every mode lies above the highest frequency asked for, or is too damped to oscillate.
    NoModes {
        /// The lowest natural frequency of the shape, Hz.
        lowest_hz: f64,
        /// The limit that was given, Hz.
        max_hz: f64,
    },
    /// The eigenvalue iteration did not end: the masses, springs or proportions span too many orders of magnitude.
    NoConvergence,
}

impl fmt::Display for ObjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parameter { what, value, expected } => write!(f, "`{what}` is {value}, expected {expected}"),
            Self::NoModes { lowest_hz, max_hz } => write!(
                f,
                "no mode that sounds below {max_hz} Hz: the lowest natural frequency is {lowest_hz} Hz; \
                 make the object larger, thinner, slacker or less damped"
            ),
            Self::NoConvergence => {
                write!(f, "the modes could not be computed: make the masses, springs or proportions less extreme")
            }
        }
    }
}

impl std::error::Error for ObjectError {}

/// A number within `low..=high`, or an error that says so. Not-a-number is outside every range.
pub(crate) fn require(what: &'static str, value: f64, low: f64, high: f64, unit: &str) -> Result<(), ObjectError> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    let expected = format!("from {low} to {high}{}{unit}", if unit.is_empty() { "" } else { " " });
    Err(ObjectError::Parameter { what, value, expected })
}

/// A length a sounding object can have, 1 µm to 10 km.
pub(crate) fn require_length(what: &'static str, value: f64) -> Result<(), ObjectError> {
    require(what, value, 1e-6, 1e4, "m")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn not_a_number_is_refused_with_its_name() {
        let error = require_length("length_m", f64::NAN).unwrap_err();
        assert_eq!(error.to_string(), "`length_m` is NaN, expected from 0.000001 to 10000 m");
        assert!(require_length("length_m", 0.0).is_err());
        assert!(require_length("length_m", f64::INFINITY).is_err());
    }
}
