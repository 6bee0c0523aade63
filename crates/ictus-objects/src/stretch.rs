//! How much tighter an object pulls when it is bent. [Kirchhoff for strings; H. M. Berger, J. Appl. Mech. 22, 1955, for plates]
//!
//! The stretch S = ∫|∇u|² raises the tension everywhere alike; stored are M/4·S². For a string M = EA/(2L), for a sheet of thickness h and area A
//! M = Eh/(2(1 − ν²)A), its rim held in its plane. Per mode κ = ∫|∇φ|² = k² ∫φ², k the wave number, ∫φ² = m over the mass per length or area.
//! From one mode to the next k² grows as ω² where tension rules and as ω where bending does; the lowest untuned mode fixes the scale. Exact for ideal strings, membranes and supported plates; for plates
//! clamped or free at the rim the shapes differ near it, and κ is an estimate.

use crate::description::Description;
use crate::error::ObjectError;
use crate::object::Object;
use crate::shape::{Shape, modes};
use std::f64::consts::{PI, TAU};

/// Frequency to search to for the lowest mode, Hz.
const EVERYTHING: f64 = 1e9;

/// What a bank needs to pull tighter when it is bent.
#[derive(Clone, Debug, PartialEq)]
pub struct Stretching {
    /// M: N/m² for a string, N/m³ for a sheet.
    pub modulus: f64,
    /// κ of every mode: 1/m for a string, plain for a sheet.
    pub slopes: Vec<f64>,
}

/// Which force brings it back.
enum Restoring {
    /// N, or N/m.
    Tension(f64),
    /// N m.
    Bending(f64),
}

impl Description {
    /// True for shapes that pull tighter when they are bent.
    pub fn can_stretch(&self) -> bool {
        self.kind().is_some()
    }

    /// Modulus, mass per length or area, restoring force.
    fn kind(&self) -> Option<(f64, f64, Restoring)> {
        let material = &self.material;
        let sheet = |thickness: f64, area: f64| {
            let plane = material.young_pa * thickness / (1.0 - material.poisson * material.poisson);
            (plane / (2.0 * area), material.density_kg_m3 * thickness, plane * thickness * thickness / 12.0)
        };
        Some(match self.shape {
            Shape::String { length_m, diameter_m, tension_n } => {
                let section = 0.25 * PI * diameter_m * diameter_m;
                let modulus = material.young_pa * section / (2.0 * length_m);
                (modulus, material.density_kg_m3 * section, Restoring::Tension(tension_n))
            }
            Shape::RectangularMembrane { length_m, width_m, thickness_m, tension_n_m } => {
                let (modulus, density, _) = sheet(thickness_m, length_m * width_m);
                (modulus, density, Restoring::Tension(tension_n_m))
            }
            Shape::CircularMembrane { radius_m, thickness_m, tension_n_m } => {
                let (modulus, density, _) = sheet(thickness_m, PI * radius_m * radius_m);
                (modulus, density, Restoring::Tension(tension_n_m))
            }
            Shape::RectangularPlate { length_m, width_m, thickness_m, .. } => {
                let (modulus, density, rigidity) = sheet(thickness_m, length_m * width_m);
                (modulus, density, Restoring::Bending(rigidity))
            }
            Shape::CircularPlate { radius_m, thickness_m, .. } => {
                let (modulus, density, rigidity) = sheet(thickness_m, PI * radius_m * radius_m);
                (modulus, density, Restoring::Bending(rigidity))
            }
            _ => return None,
        })
    }

    /// How the modes of `object`, built from this description, share one tension; `None` for shapes that do not.
    ///
    /// # Errors
    /// A parameter out of its range.
    pub fn stretching(&self, object: &Object) -> Result<Option<Stretching>, ObjectError> {
        let Some((modulus, density, restoring)) = self.kind() else { return Ok(None) };
        let untuned = TAU * modes(&self.shape, &self.material, EVERYTHING, 1)?.modes[0].frequency_hz;
        let bending = &object.modes[object.rigid..];
        let lowest = bending.iter().map(|mode| mode.frequency_hz).fold(f64::INFINITY, f64::min);
        let wave_squared = |frequency: f64| {
            let ratio = frequency / lowest;
            match restoring {
                Restoring::Tension(tension) => untuned * untuned * density / tension * ratio * ratio,
                Restoring::Bending(rigidity) => untuned * (density / rigidity).sqrt() * ratio,
            }
        };
        // a body that moves as a whole is not stretched
        let mut slopes = vec![0.0; object.rigid];
        slopes.extend(bending.iter().map(|mode| wave_squared(mode.frequency_hz) * mode.mass_kg / density));
        Ok(Some(Stretching { modulus, slopes }))
    }
}
