//! Surfaces of collisions.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::number::{Finite, NonNegative, OneOrMany, Positive, Slope};

/// A rough surface, a round body, or both.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Texture {
    /// Rms roughness; 0 if not given.
    pub height_m: Option<NonNegative>,
    /// How fast the spectrum of the heights falls, 1/k^beta, 0 to 4; 2 if not given.
    pub beta: Option<Slope>,
    /// Longest wavelength of the roughness, at most 4096 times the finest.
    pub coarsest_m: Option<Positive>,
    /// Shortest wavelength of the roughness.
    pub finest_m: Option<Positive>,
    /// Radius of the body that rolls or slides over it; a point if not given.
    pub radius_m: Option<Positive>,
    /// How much the body is out of round: 1, 2, 3 … times per turn.
    pub eccentricity_m: Option<OneOrMany<Finite>>,
    /// Another surface of the same kind; the file's seed and the interaction's place if not given.
    pub seed: Option<u64>,
}
