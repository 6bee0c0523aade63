//! Resonators of the file to resonators of the core: the table of kinds.
//!
//! What touches a body may add ports to it, so a body is planned first, then given its ports, then built.

mod drum;
mod grid;
mod mass;
mod modes;
mod object;
mod string;
mod weights;

pub(super) use self::grid::SurfacePlan;
pub(super) use self::string::StringPlan;

use self::mass::MassPlan;
use self::modes::ModesPlan;
use self::object::ObjectPlan;
use super::inputs::Inputs;
use super::{BankView, Site};
use crate::drive::Drive;
use ictus_core::{BodyId, BuildError, FastResonator};
use ictus_instrument as file;
use ictus_instrument::{Error, Loaded};

/// A resonator before it is built.
pub(super) trait BodyPlan {
    /// The body, with a port for every place that was asked for.
    fn build(&self, site: Site, found: &mut Findings) -> Result<Box<dyn FastResonator>, Error>;

    /// A new port like port `like` of the file, but at a place of its own, where something rubs or holds the body; returns its index.
    fn add_place(&mut self, like: usize, _place: f64, _moves: bool) -> usize {
        unreachable!("the file's rules allow places on strings and shapes only, not at port {like} of another body")
    }

    /// What the player does with the body itself, which is that resonator of the file and that body of the model.
    fn drives(&self, _inputs: &Inputs, _built: (usize, BodyId)) -> Vec<Box<dyn Drive>> {
        Vec::new()
    }

    /// The string, if it is one.
    fn as_string(&mut self) -> Option<&mut StringPlan> {
        None
    }

    /// The surface on a grid, if it is one.
    fn as_surface(&mut self) -> Option<&mut SurfacePlan> {
        None
    }
}

/// What building a body brings to light.
#[derive(Default)]
pub(super) struct Findings {
    pub banks: Vec<BankView>,
    pub warnings: Vec<Error>,
}

/// The plan of a resonator: one line per kind.
pub(super) fn plan<'a>(
    site: Site<'a>,
    resonator: &'a file::Resonator,
    warnings: &mut Vec<Error>,
) -> Result<Box<dyn BodyPlan + 'a>, Error> {
    use file::ResonatorKind as Kind;
    let id = resonator.id.as_str();
    Ok(match &resonator.kind {
        Kind::Mass(mass) => Box::new(MassPlan { id, mass }),
        Kind::Modes(modes) => Box::new(ModesPlan { id, modes }),
        Kind::Object(object) => Box::new(ObjectPlan::new(id, object)),
        Kind::String(string) => Box::new(StringPlan::new(site.loaded, site.clock, id, string, warnings)?),
        Kind::Grid(grid) => Box::new(SurfacePlan::of_grid(site, id, grid)?),
        Kind::Drum(drum) => Box::new(drum::plan(site, id, drum)?),
    })
}

/// A parameter the physics refuses, pointing at the key it came from.
pub(super) fn refuse(loaded: &Loaded, id: &str, error: &BuildError) -> Error {
    let key = match error {
        BuildError::Parameter { what, .. } => match *what {
            "stiffness" => "stiffness_n_m",
            "number of grid intervals" => "points",
            "kelvin_voigt" => "kelvin_voigt_s",
            "frequency" => "frequency_hz",
            _ => "",
        },
        _ => "",
    };
    let path = if key.is_empty() { id.to_owned() } else { format!("{id}.{key}") };
    let leapfrog = loaded.spec.scheme == file::Scheme::Leapfrog;
    let help = leapfrog.then(|| "`scheme = \"midpoint\"` has no stability limit; `oversampling` raises it".to_owned());
    loaded.error_at(&path, "engine::unstable", format!("`{id}`: {error}"), "here", help)
}
