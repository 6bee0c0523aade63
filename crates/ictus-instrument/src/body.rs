//! Resonators: the table of kinds. Each kind has a file with its table as written, its resolved type and the way between.

mod drum;
mod grid;
mod mass;
mod material;
mod modes;
mod morph;
mod object;
mod shape;
mod string;

pub use drum::{Drum, Head};
pub use grid::{Grid, GridPort};
pub use mass::Mass;
pub use modes::{Discretisation, ModePort, Modes, Weights};
pub use morph::Morph;
pub use object::{Object, PointPort};
pub use string::{StiffString, StringDamping, StringEnds, StringPort, Torsion};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::drum::DrumTable;
use self::grid::GridTable;
use self::mass::MassTable;
use self::modes::ModesTable;
use self::object::ObjectTable;
use self::string::StringTable;
use crate::context::Context;
use crate::error::Error;
use crate::names::{PLAIN, is_plain};
use crate::number::{Named, Positive};
use crate::path::{Seg, trail};
use crate::raw::Scheme;
use crate::resolve::each;

/// Mode-shape values of the whole file: 400 MB, more than any instrument needs and less than breaks a machine.
const MAX_SHAPE_VALUES: usize = 50_000_000;

/// Something that stores energy and can be touched at its ports.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename = "Resonator", rename_all = "snake_case")]
#[schemars(tag = "kind")]
pub(crate) enum BodyTable {
    /// A point mass.
    Mass(MassTable),
    /// A bank of modes.
    Modes(ModesTable),
    /// A bank of modes, from a shape and a material.
    #[schemars(rename = "modes")]
    Object(Box<ObjectTable>),
    /// A stiff string.
    String(StringTable),
    /// A membrane or plate on a grid.
    Grid(Box<GridTable>),
    /// Heads on a shell with air between them.
    Drum(Box<DrumTable>),
}

/// The kinds of resonator. Modes from a shape and listed modes differ by their keys.
pub(crate) const KINDS: [&str; 5] = ["mass", "modes", "string", "grid", "drum"];
/// Keys only modes from a shape have.
pub(crate) const OBJECT_KEYS: [&str; 3] = ["shape", "material", "morph"];

/// Something that stores energy.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Resonator {
    /// Unique over the whole file.
    pub id: String,
    /// What it is.
    pub kind: ResonatorKind,
}

impl Resonator {
    /// Port names in file order; a mass has the one port `""`.
    pub fn port_names(&self) -> impl Iterator<Item = &str> {
        self.kind.body().port_names().into_iter()
    }
}

/// The kinds of resonator.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ResonatorKind {
    /// A point mass.
    Mass(Mass),
    /// A bank of modes.
    Modes(Modes),
    /// A bank of modes, from a shape and a material.
    Object(Box<Object>),
    /// A stiff string in space and time.
    String(StiffString),
    /// A membrane or plate on a grid.
    Grid(Box<Grid>),
    /// Heads on a shell with air between them.
    Drum(Box<Drum>),
}

impl ResonatorKind {
    pub(crate) fn body(&self) -> &dyn Body {
        match self {
            Self::Mass(body) => body,
            Self::Modes(body) => body,
            Self::Object(body) => &**body,
            Self::String(body) => body,
            Self::Grid(body) => &**body,
            Self::Drum(body) => &**body,
        }
    }
}

/// What the rest of the file may ask of a resonator.
pub(crate) trait Body {
    /// In file order.
    fn port_names(&self) -> Vec<&str>;

    /// What a force at a port does to what moves freely there, 1/kg. Strings, surfaces and vibrations count as immovable: they give way only in the
    /// time of their own periods.
    fn free_mobility(&self, _port: &str) -> f64 {
        0.0
    }

    /// False for a port that only listens, such as a microphone.
    fn can_be_touched(&self, _port: usize) -> bool {
        true
    }

    /// Mode-shape values it stores.
    fn shape_values(&self) -> usize {
        0
    }
}

/// Resolves the resonators of a file: one line per kind.
pub(crate) fn resolve(context: &Context, raw: Vec<BodyTable>, scheme: Scheme) -> Result<Vec<Resonator>, Error> {
    let mut values = 0;
    each(raw, |index, raw| {
        let base = trail!["resonator", index];
        let (id, kind) = match raw {
            BodyTable::Mass(raw) => (raw.id.clone(), ResonatorKind::Mass(mass::mass(&raw))),
            BodyTable::Modes(raw) => (raw.id.clone(), ResonatorKind::Modes(modes::modes(context, &base, raw)?)),
            BodyTable::Object(raw) => {
                (raw.id.clone(), ResonatorKind::Object(Box::new(object::object(context, &base, *raw)?)))
            }
            BodyTable::String(raw) => {
                (raw.id.clone(), ResonatorKind::String(string::string(context, &base, &raw, scheme)?))
            }
            BodyTable::Grid(raw) => (raw.id.clone(), ResonatorKind::Grid(Box::new(grid::grid(context, &base, *raw)?))),
            BodyTable::Drum(raw) => (raw.id.clone(), ResonatorKind::Drum(Box::new(drum::drum(context, &base, *raw)?))),
        };
        values += kind.body().shape_values();
        if values > MAX_SHAPE_VALUES {
            let message = format!("the file has more than {MAX_SHAPE_VALUES} mode-shape values");
            return Err(context.error(&base, "instrument::limit", message, "from here on"));
        }
        Ok(Resonator { id, kind })
    })
}

/// Decay times at two frequencies, the lower one first and no shorter; `at` is where they stand.
fn two_decays(context: &Context, at: &[Seg], raw: [(Positive, Positive); 2]) -> Result<[(f64, f64); 2], Error> {
    let name = context.names.show(at);
    let mut decay = raw.map(|(hz, s)| (hz.0, s.0));
    decay.sort_by(|a, b| a.0.total_cmp(&b.0));
    let [(low, slow), (high, fast)] = decay;
    if low == high {
        let message = format!("`{name}` gives {low} Hz twice, expected two different frequencies");
        return Err(context.error(at, "instrument::out_of_range", message, "the same frequency"));
    }
    if fast > slow {
        let message = format!(
            "`{name}` gives {slow} s at {low} Hz and {fast} s at {high} Hz, \
             expected the higher frequency to decay no slower"
        );
        return Err(context.error(at, "instrument::out_of_range", message, "would need negative damping"));
    }
    Ok(decay)
}

/// A port beside those of `ports`: its name is usable and not yet taken.
fn new_port_name<'a>(
    context: &Context,
    at: &[Seg],
    name: &str,
    mut taken: impl Iterator<Item = &'a str>,
) -> Result<(), Error> {
    if !is_plain(name) {
        let expected = format!("expected {PLAIN}");
        let message = format!("`{}` has the name {name:?}, {expected}", context.names.show(at));
        return Err(context.error(at, "instrument::bad_name", message, expected));
    }
    if taken.any(|other| other == name) {
        let message = format!("`{}` is called like another port, expected a name of its own", context.names.show(at));
        return Err(context.error(at, "instrument::duplicate_id", message, "used before"));
    }
    Ok(())
}

fn plain_port_names<T>(context: &Context, base: &[Seg], ports: &Named<T>) -> Result<(), Error> {
    match ports.0.iter().find(|(name, _)| !is_plain(name)) {
        None => Ok(()),
        Some((name, _)) => {
            let at = [base, &trail!["ports", name.as_str()]].concat();
            let expected = format!("expected {PLAIN}");
            let message = format!("`{}.ports` has the name {name:?}, {expected}", context.names.show(base));
            Err(context.error(&at, "instrument::bad_name", message, expected))
        }
    }
}
