//! The instrument file of ictus: TOML text to a typed, validated [`Spec`].
//!
//! A file names resonators, the interactions between their ports, barriers and fingers on strings, gestures, listening points, inputs, modulators and knobs.
//! Units are SI and stand in the key names; a value may also be typed with its unit (`"3 mm"`, `"A4"`).
//! Unknown keys are errors, and every error says what it met, what it expected and where.
//!
//! ```
//! let text = r#"
//!     format = 1
//!     title = "Steel bar, felt mallet"
//!
//!     [[resonator]]
//!     id = "mallet"
//!     kind = "mass"
//!     mass_kg = "20 g"
//!
//!     [[resonator]]
//!     id = "bar"
//!     kind = "modes"
//!     frequency_hz = ["A4", 1212.9, 2377.7]
//!     decay_s = [1.8, 0.7, 0.3]
//!     mass_kg = 0.11
//!     ports = { strike = [1.0, -0.6, 0.3], air = [0.8, 0.5, 0.2] }
//!
//!     [[interaction]]
//!     kind = "collision"
//!     between = ["mallet", "bar.strike"]
//!     stiffness = 4.0e8
//!     exponent = 2.3
//!     gap_m = "1 mm"
//!
//!     [[gesture]]
//!     throw = { what = "mallet", velocity_m_s = 1.5 }
//!
//!     [[tap]]
//!     from = "bar.air"
//!
//!     [[control]]
//!     id = "hardness"
//!     map = [{ to = "mallet-bar.strike.stiffness", curve = "exponential", range = [1e7, 1e9] }]
//! "#;
//! let settings = [("throw.velocity_m_s".to_owned(), "2 m/s".to_owned()), ("hardness".to_owned(), "1".to_owned())];
//! let loaded = ictus_instrument::load("bar.toml", text, &settings)?;
//! assert_eq!(loaded.spec.interactions[0].id, "mallet-bar.strike");
//! assert_eq!(loaded.controls[0].mapped[0].value, 1e9);
//!
//! let error = ictus_instrument::load("bar.toml", &text.replace("0.7", "-0.7"), &[]).unwrap_err();
//! assert_eq!(error.to_string(), "`bar.decay_s[1]` is -0.7, expected a positive time");
//! assert_eq!(error.line_column(), Some((14, 21)));
//! # Ok::<(), ictus_instrument::Error>(())
//! ```
//!
//! # From text to `Spec`
//!
//! 1. Parse to a tree whose every value knows its place (`document`), refusing what is too large or too deep.
//! 2. Collect ids and make the missing ones (`names`): `mallet-bar.strike`, `throw`, `barrier`, `tap`, then `throw#2`.
//! 3. Write the settings over the tree (`settings`).
//! 4. Turn the knobs and write what they drive (`knobs`), then the settings again: a setting wins over a knob, with a warning
//!    if that knob was set too. What knobs replace is decoded for its own sake, so that a fault under a knob is found.
//! 5. Decode by serde into the tables of the file (`raw` and the kinds, by `decode`); ranges and units are checked here.
//! 6. Resolve references and the rules that span keys (`resolve` and the kinds).
//!
//! Each kind of resonator (`body`), interaction (`law`) and gesture (`gesture`), and each of `barrier`, `wires`, `finger`, `input` and `modulator`, has one file with
//! its table as written, its resolved type and the way between.
//!
//! Ports keep the order of the file. Where knobs or settings fail because the file itself is wrong, the file's own
//! fault is reported.
//!
//! # Codes of errors
//!
//! | code | meaning |
//! |---|---|
//! | `instrument::syntax` | not TOML |
//! | `instrument::format` | a format this version does not read |
//! | `instrument::unknown_key`, `missing_key` | a key too many or too few |
//! | `instrument::wrong_type` | text for a number, a number for a list, a list of the wrong fixed length |
//! | `instrument::unit` | text that is no quantity of the key's kind |
//! | `instrument::unknown_value` | a word that is none of the choices |
//! | `instrument::out_of_range` | a number outside its range |
//! | `instrument::length` | lists that do not agree, or are too short or too long |
//! | `instrument::conflict` | keys that exclude each other |
//! | `instrument::unknown_reference` | a port, interaction, mass, string or path that is not there |
//! | `instrument::duplicate_id`, `bad_name` | an id or port name that cannot be used |
//! | `instrument::setting` | a `--set` that fits nothing in the file |
//! | `instrument::limit` | larger or deeper than is allowed |
//! | `instrument::unused`, `too_late`, `two_controls`, `overridden`, `not_played` | warnings |

mod barrier;
mod body;
mod coefficient;
mod context;
pub mod control;
mod decode;
mod document;
mod error;
mod finger;
mod gesture;
mod input;
mod knobs;
mod law;
mod load;
mod modulator;
mod names;
mod number;
mod path;
mod plausible;
mod quantity;
mod raw;
mod resolve;
mod schema;
mod settings;
pub mod spec;
mod wires;

pub use coefficient::Coefficient;
pub use control::{Control, Curve, Map};
pub use error::Error;
pub use knobs::{ControlValue, Mapped};
pub use load::{Document, Loaded, load};
pub use quantity::Dimension;
pub use raw::{Category, CurveKind, Quantity, Scheme};
pub use schema::schema;
pub use spec::*;
