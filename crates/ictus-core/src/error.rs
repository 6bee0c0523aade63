//! Errors of a model, detected when it is built.

use std::fmt;

/// A model that cannot be built. Names are those of its bodies and contacts.
#[derive(Clone, Debug, PartialEq)]
pub enum BuildError {
    /// A number outside the valid range of an element.
    Parameter {
        /// The parameter, in words.
        what: &'static str,
        /// The invalid value.
        value: f64,
        /// The valid range, in words.
        expected: String,
    },
    /// Both ends of a contact are the wall: nothing can move.
    WallAgainstWall {
        /// The contact.
        contact: String,
    },
    /// A contact names a port its body does not have.
    NoSuchPort {
        /// The contact.
        contact: String,
        /// The body.
        body: String,
        /// The invalid port index.
        port: usize,
    },
    /// An imposed velocity on a point that no force can move.
    ImmovableConstraint {
        /// The contact.
        contact: String,
    },
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parameter { what, value, expected } => write!(f, "{what} is {value}, expected {expected}"),
            Self::WallAgainstWall { contact } => {
                write!(f, "`{contact}` joins the wall to the wall")
            }
            Self::NoSuchPort { contact, body, port } => {
                write!(f, "`{contact}` touches port {port} of `{body}`, which does not exist")
            }
            Self::ImmovableConstraint { contact } => {
                write!(f, "`{contact}` imposes a velocity on a point that no force can move")
            }
        }
    }
}

impl std::error::Error for BuildError {}

/// Returns an error unless `ok`; allocates only then.
pub(crate) fn require(ok: bool, what: &'static str, value: f64, expected: impl fmt::Display) -> Result<(), BuildError> {
    if ok { Ok(()) } else { Err(BuildError::Parameter { what, value, expected: expected.to_string() }) }
}
