//! Shared by the integration tests.

use ictus_instrument::{Error, Loaded, load};

/// The example of the design, with one knob.
pub const BAR: &str = include_str!("../files/bar.toml");
/// Every key of the format.
pub const EVERYTHING: &str = include_str!("../files/everything.toml");
/// Barriers and fingers on strings.
pub const TANPURA: &str = include_str!("../files/tanpura.toml");
/// Modes from shapes and materials.
pub const OBJECTS: &str = include_str!("../files/objects.toml");

/// Rough and moving surfaces, scattered throws.
pub const SURFACES: &str = include_str!("../files/surfaces.toml");

/// Membranes and plates on grids, a drum, wires.
pub const GRIDS: &str = include_str!("../files/grids.toml");

/// Every kind of input.
pub const INPUTS: &str = include_str!("../files/inputs.toml");

/// Loads the bar with settings.
pub fn bar_with(settings: &[(&str, &str)]) -> Result<Loaded, Error> {
    let settings: Vec<(String, String)> = settings.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect();
    load("bar.toml", BAR, &settings)
}
