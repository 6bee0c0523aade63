//! Rectangles with closed forms: membrane on a frame, plate on simple supports.
//!
//! Membrane: f_mn = ½√(T/ρh) √((m/a)² + (n/b)²). Supported plate: f_mn = (π/2)√(D/ρh) ((m/a)² + (n/b)²).
//! [Fletcher & Rossing eq. 3.12, 3.20; Leissa 1969 §4.1] Shape sin mπx sin nπy, modal mass M/4.
//! Coordinates: x, y in 0..1. Label (m, n), both from 1.
//! Limits: no air load and, for the membrane, no stiffness; the membrane decays by the material's law, which for
//! drumheads is that of a mounted head.

use super::free_plate::Basis;
use super::{Family, Raw, Request, free_plate, plate_stiffness, wave};
use crate::error::{ObjectError, require, require_length};
use crate::material::Material;
use crate::maths::lattice::lowest;
use crate::object::Field;

/// How the rim of a rectangular plate is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RectangularEdges {
    /// Simply supported on all four sides.
    Supported,
    /// Free on all four sides.
    Free,
    /// Neither moves nor turns on all four sides.
    Clamped,
}

pub(super) fn membrane(
    [a, b, thickness]: [f64; 3],
    tension: f64,
    material: &Material,
    request: Request,
) -> Result<Family, ObjectError> {
    check([a, b, thickness])?;
    require("tension_n_m", tension, 1e-6, 1e9, "N/m")?;
    let speed = (tension / (material.density_kg_m3 * thickness)).sqrt();
    Ok(sines([a, b, thickness], material, request, |k| 0.5 * speed * k))
}

pub(super) fn plate(
    sides: [f64; 3],
    edges: RectangularEdges,
    material: &Material,
    request: Request,
) -> Result<Family, ObjectError> {
    check(sides)?;
    super::require_thin(sides[2], sides[0].min(sides[1]), "the shorter side")?;
    let stiffness = plate_stiffness(sides[2], material);
    match edges {
        RectangularEdges::Supported => {
            Ok(sines(sides, material, request, |k| wave(std::f64::consts::PI * k, stiffness)))
        }
        RectangularEdges::Free => free_plate::modes(sides, Basis::Free, material, request),
        RectangularEdges::Clamped => free_plate::modes(sides, Basis::Clamped, material, request),
    }
}

fn check([a, b, thickness]: [f64; 3]) -> Result<(), ObjectError> {
    require_length("length_m", a)?;
    require_length("width_m", b)?;
    require_length("thickness_m", thickness)
}

/// Modes sin mπx sin nπy, whose frequency is a rising function of √((m/a)² + (n/b)²).
fn sines([a, b, thickness]: [f64; 3], material: &Material, request: Request, hz: impl Fn(f64) -> f64) -> Family {
    let mass = material.density_kg_m3 * a * b * thickness;
    let mut family = Family::new(mass);
    let frequency = |[m, n]: [u32; 2]| hz(libm::hypot(f64::from(m) / a, f64::from(n) / b));
    family.lowest = hz(libm::hypot(1.0 / a, 1.0 / b));
    for ([m, n], frequency) in lowest([1, 1], request.max_hz, request.count, frequency) {
        let rate = material.damping.rate(frequency);
        family.push(request, Raw { frequency, rate, mass: 0.25 * mass, label: (m, n), field: Field::Sines([m, n]) });
    }
    family
}
