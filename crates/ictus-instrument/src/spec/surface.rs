//! Surfaces that move under a point.

use serde::Serialize;

/// How the gap of a collision moves. With all parts empty it does not.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Surface {
    /// Height added over time, `(s, m)`, ends held.
    pub lift: Vec<(f64, f64)>,
    /// What passes under the point.
    pub texture: Option<Texture>,
    /// Speed at which it passes, `(s, m/s)`, ends held; empty without a texture.
    pub speed: Vec<(f64, f64)>,
}

/// A rough surface, a round body, or both.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Texture {
    /// The surface; `None` if it is smooth.
    pub roughness: Option<Roughness>,
    /// Radius of the body, m; `None` for a point.
    pub radius_m: Option<f64>,
    /// Amplitudes of 1, 2, 3 … waves per turn, m; empty without a radius.
    pub eccentricity_m: Vec<f64>,
}

/// Statistics of a rough surface.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Roughness {
    /// Rms, m, above 0.
    pub height_m: f64,
    /// β in [0, 4].
    pub beta: f64,
    /// Longest wavelength, m.
    pub coarsest_m: f64,
    /// Shortest wavelength, m, from a nanometre on.
    pub finest_m: f64,
    /// Which surface; `None` for one of the file's seed.
    pub seed: Option<u64>,
}
