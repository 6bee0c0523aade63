//! Membranes and plates on a grid, drums and wires, resolved.

use ictus_objects::{Material, Shape};
use serde::Serialize;

use super::BarrierStiffness;
use crate::raw::{Method, Side};

/// A membrane or plate on a grid.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Grid {
    /// A membrane or a plate.
    pub shape: Shape,
    /// What it is made of.
    pub material: Material,
    /// Where a membrane's lowest mode sounds.
    pub frequency_hz: Option<f64>,
    /// T60 at two frequencies, `(hz, s)`, the lower first; the material's where not given.
    pub decay: Option<[(f64, f64); 2]>,
    /// Cells across the longer side, 4 to 1000.
    pub points: Option<usize>,
    /// In file order.
    pub ports: Vec<GridPort>,
}

/// Where a surface can be touched or heard.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GridPort {
    /// Name within the resonator.
    pub name: String,
    /// Which head of a drum; 0 for other surfaces.
    pub head: usize,
    /// In the coordinates of the shape.
    pub at: [f64; 2],
}

/// Heads on a shell with air between them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Drum {
    /// Radius of the heads > 0.
    pub radius_m: f64,
    /// Depth of the shell > 0.
    pub depth_m: f64,
    /// Slices of the air, 1 to 64.
    pub air_cells: usize,
    /// Time in which a resonance of the air dies away by 60 dB > 0.
    pub air_decay_s: f64,
    /// One or two.
    pub heads: Vec<Head>,
    /// In file order.
    pub ports: Vec<GridPort>,
}

/// A head of a drum.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Head {
    /// Name.
    pub name: String,
    /// Thickness > 0.
    pub thickness_m: f64,
    /// Tension per length > 0, where the file gives it.
    pub tension_n_m: Option<f64>,
    /// Pitch without air > 0, where the file gives that instead.
    pub frequency_hz: Option<f64>,
    /// What it is made of.
    pub material: Material,
    /// T60 at two frequencies, `(hz, s)`, the lower first; the material's where not given.
    pub decay: Option<[(f64, f64); 2]>,
    /// Cells across the diameter, 4 to 1000.
    pub points: Option<usize>,
    /// `(s, 0.1 to 10)`, a factor of the pitch; empty where it does not move.
    pub pedal: Vec<(f64, f64)>,
}

/// Wires over a surface.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Wires {
    /// Given, or `wires`, `wires#2`.
    pub id: String,
    /// Index into [`Spec::resonators`](super::Spec::resonators); a surface on a grid or a drum.
    pub surface: usize,
    /// Which head of a drum; 0 for other surfaces.
    pub head: usize,
    /// 1 to 64.
    pub count: usize,
    /// Where the middle one begins and ends, in the coordinates of the surface; two different points.
    pub ends: [[f64; 2]; 2],
    /// Distance between the outermost ≥ 0.
    pub spread_m: f64,
    /// On which side they lie.
    pub side: Side,
    /// Distance from the surface at rest.
    pub gap_m: f64,
    /// Mass per length of one > 0.
    pub density_kg_m: f64,
    /// Tension of one > 0.
    pub tension_n: f64,
    /// σ₀ ≥ 0, 1/s.
    pub sigma0_1_s: f64,
    /// σ₁ ≥ 0, m²/s.
    pub sigma1_m2_s: f64,
    /// How hard they are.
    pub stiffness: BarrierStiffness,
    /// α in [1, 5].
    pub exponent: f64,
    /// Hunt–Crossley μ ≥ 0; 0 with the quadratised methods.
    pub damping_s_m: f64,
    /// How each contact is solved.
    pub method: Method,
    /// `(s, m)` added to the height of the wires; empty for none.
    pub lift: Vec<(f64, f64)>,
    /// Laid along rows of the surface's grid.
    pub snap: bool,
}
