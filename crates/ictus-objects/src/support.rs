//! How a loose body is held, and the rigid motions that it then has.
//!
//! A bar, plate or ring with free edges can move as a whole. Translation has the modal mass M. Rotation of a bar and of a rectangular plate, φ = 2x − 1, has M/3; of a
//! disc, φ = x, M/4; a ring moves radially by cos θ or sin θ when it translates, with mass M.
//! `Free` gives these motions the frequency 0 and no loss. `Cords` holds them by soft springs: all of them sound at [`CORDS_HZ`] and lose 60 dB in [`CORDS_DECAY_S`]. One frequency serves
//! translation and rotation: for a bar on cords at its nodes, 0.276 L from the centre, that of rotation is 0.276·√12 = 0.96 of that of translation.
//! Limits: bending modes do not feel the cords; rotation about a bar's own axis and motion in a plate's plane are not here, since no port moves with them.

use crate::material::{Material, decay_s};
use crate::object::{Field, Object, ObjectMode};
use crate::shape::{BarEnds, CircularEdge, RectangularEdges, Shape};

/// Frequency of a body on cords, Hz: well below what one hears and above what makes a bar sway.
pub const CORDS_HZ: f64 = 5.0;
/// Time in which a body on cords comes to rest, −60 dB, s: a quarter of critical damping.
pub const CORDS_DECAY_S: f64 = 0.8;

/// How a body with free edges is held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Support {
    /// It does not move as a whole, as if its centre were held without touching its vibrations.
    #[default]
    Fixed,
    /// It lies or hangs on soft cords: it recoils and comes back.
    Cords,
    /// Nothing holds it: it recoils and flies away.
    Free,
}

/// A motion as a whole: modal mass, label and where it moves.
struct Rigid {
    mass: f64,
    label: (u32, u32),
    field: Field,
}

impl Shape {
    /// True for bodies whose edges are free, which can move as a whole.
    pub fn can_be_loose(&self) -> bool {
        match self {
            Self::Bar { ends, .. } => *ends == BarEnds::FreeFree,
            Self::RectangularPlate { edges, .. } => *edges == RectangularEdges::Free,
            Self::CircularPlate { edge, .. } => *edge == CircularEdge::Free,
            Self::Ring { .. } => true,
            _ => false,
        }
    }

    fn rigid_motions(&self, mass: f64) -> Vec<Rigid> {
        let motion = |share: f64, label, field| Rigid { mass: share * mass, label, field };
        let whole = || motion(1.0, (0, 0), Field::Cosines([0; 3]));
        match self {
            _ if !self.can_be_loose() => Vec::new(),
            Self::Bar { .. } => vec![whole(), motion(1.0 / 3.0, (0, 1), Field::Tilt { axis: 0, round: false })],
            Self::RectangularPlate { .. } => vec![
                whole(),
                motion(1.0 / 3.0, (1, 0), Field::Tilt { axis: 0, round: false }),
                motion(1.0 / 3.0, (0, 1), Field::Tilt { axis: 1, round: false }),
            ],
            Self::CircularPlate { .. } => vec![
                whole(),
                motion(0.25, (1, 0), Field::Tilt { axis: 0, round: true }),
                motion(0.25, (1, 0), Field::Tilt { axis: 1, round: true }),
            ],
            Self::Ring { .. } => {
                [false, true].map(|sine| motion(1.0, (1, 0), Field::Ring { n: 1, sine, grows: false })).into()
            }
            _ => Vec::new(),
        }
    }

    /// Mass of a body that can be loose, kg; 0 for others.
    fn loose_mass(&self, material: &Material) -> f64 {
        let volume = match *self {
            Self::Bar { length_m, width_m, thickness_m, .. }
            | Self::RectangularPlate { length_m, width_m, thickness_m, .. } => length_m * width_m * thickness_m,
            Self::CircularPlate { radius_m, thickness_m, .. } => {
                std::f64::consts::PI * radius_m * radius_m * thickness_m
            }
            Self::Ring { radius_m, thickness_m, width_m } => std::f64::consts::TAU * radius_m * thickness_m * width_m,
            _ => 0.0,
        };
        material.density_kg_m3 * volume
    }

    /// What a force at a point does to the motion of a loose body as a whole, Σ φ²/m, 1/kg; 0 for bodies that are held.
    pub fn rigid_mobility(&self, material: &Material, at: crate::Point) -> f64 {
        let motions = self.rigid_motions(self.loose_mass(material));
        motions.iter().map(|motion| motion.field.at(at) * motion.field.at(at) / motion.mass).sum()
    }
}

impl Support {
    /// Puts the rigid motions of `shape` before the modes of `object`.
    pub(crate) fn add_to(self, object: &mut Object, shape: &Shape) {
        // natural frequency and rate: the body on cords swings at CORDS_HZ
        let (frequency_hz, decay_s) = match self {
            Self::Fixed => return,
            Self::Cords => {
                let sigma = 3.0 * std::f64::consts::LN_10 / CORDS_DECAY_S / std::f64::consts::TAU;
                (libm::hypot(CORDS_HZ, sigma), CORDS_DECAY_S)
            }
            Self::Free => (0.0, decay_s(0.0)),
        };
        let motions = shape.rigid_motions(object.mass_kg);
        object.rigid = motions.len();
        for (place, Rigid { mass, label, field }) in motions.into_iter().enumerate() {
            object.modes.insert(place, ObjectMode { frequency_hz, decay_s, mass_kg: mass, label });
            object.fields.insert(place, field);
        }
    }
}
