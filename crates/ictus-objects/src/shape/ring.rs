//! Rings and glasses: bending around a circle without stretching it.
//!
//! Ring in its plane: ω² = (E h²/12ρR⁴) n²(n² − 1)²/(n² + 1), n ≥ 2. [Love §293; Fletcher & Rossing §21.1] Radial motion
//! cos nθ goes with −(1/n) sin nθ along the circle, so the modal mass is ½M(1 + 1/n²). Pairs cos, sin.
//! Glass: Rayleigh's quotient of a cylinder held at its foot that moves as (z/H)² cos nθ, bending around and upwards:
//! ω² = ω²_ring [1 + 20 (R/H)⁴/(n² − 1)²]; the wall's share of mass is a fifth. [the energy method of
//! French 1983, Am. J. Phys. 51; the factor is derived here]
//! Coordinates: x once around; glass: y from the foot 0 to the rim 1. Label (n, 0).
//! Limits: thin; radial motion only; a glass with a round or tapering wall or with wine in it is lower.

use super::{Family, Raw, Request};
use crate::error::{ObjectError, require_length};
use crate::material::Material;
use crate::object::Field;

pub(super) fn ring(
    [radius, thickness, width]: [f64; 3],
    material: &Material,
    request: Request,
) -> Result<Family, ObjectError> {
    check([radius, thickness, width], "width_m")?;
    Ok(modes([radius, thickness, width], material, request, None))
}

pub(super) fn glass(
    [radius, thickness, height]: [f64; 3],
    material: &Material,
    request: Request,
) -> Result<Family, ObjectError> {
    check([radius, thickness, height], "height_m")?;
    let slender = radius / height;
    Ok(modes([radius, thickness, height], material, request, Some(20.0 * slender * slender * slender * slender)))
}

fn check([radius, thickness, along]: [f64; 3], name: &'static str) -> Result<(), ObjectError> {
    require_length("radius_m", radius)?;
    require_length("thickness_m", thickness)?;
    require_length(name, along)?;
    super::require_thin(thickness, radius, "the radius")
}

/// `foot`: 20 (R/H)⁴ of a glass.
fn modes([radius, thickness, along]: [f64; 3], material: &Material, request: Request, foot: Option<f64>) -> Family {
    let mass = material.density_kg_m3 * std::f64::consts::TAU * radius * thickness * along;
    let base = thickness * (material.young_pa / (12.0 * material.density_kg_m3)).sqrt()
        / (std::f64::consts::TAU * radius * radius);
    let share = if foot.is_some() { 0.1 } else { 0.5 };
    let mut family = Family::new(mass);
    for n in 2..2 + request.count as u32 {
        let square = f64::from(n) * f64::from(n);
        let bending = (square - 1.0) * (square - 1.0) + foot.unwrap_or(0.0);
        let frequency = base * (square / (square + 1.0) * bending).sqrt();
        let more = [false, true].map(|sine| {
            family.push(
                request,
                Raw {
                    frequency,
                    rate: material.damping.rate(frequency),
                    mass: share * mass * (1.0 + 1.0 / square),
                    label: (n, 0),
                    field: Field::Ring { n, sine, grows: foot.is_some() },
                },
            )
        });
        if more.contains(&false) {
            break;
        }
    }
    family
}
