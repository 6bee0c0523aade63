//! Stiff string between simple supports, T w'' − EI w'''' = ρA ẅ.
//!
//! f_k = k/(2L) √(T/ρA) √(1 + B k²), B = π² EI/(T L²), I = πd⁴/64. [Fletcher & Rossing eq. 2.67] Modal mass M/2.
//! Decay: friction of the air on the cylinder, σ = πf (ρ_a/ρ)(2√2 M + 1)/M² with M = (d/4)√(2πf/ν_a) [Fletcher & Rossing
//! §2.12, after Stokes], plus the constant part a of the material's law, plus its other parts times the share of the
//! energy that is bending, B k²/(1 + B k²): tension stores energy without loss.
//! Coordinates: x along the string. Label (k, 0). Limits: losses into the bridge are not here; they belong to the body.

use super::{Family, Raw, Request, air};
use crate::error::{ObjectError, require, require_length};
use crate::material::Material;
use crate::object::Field;

pub(super) fn modes(
    length: f64,
    diameter: f64,
    tension: f64,
    material: &Material,
    request: Request,
) -> Result<Family, ObjectError> {
    require_length("length_m", length)?;
    require_length("diameter_m", diameter)?;
    require("tension_n", tension, 1e-6, 1e9, "N")?;
    if diameter > length {
        let expected = format!("at most the length, {length} m");
        return Err(ObjectError::Parameter { what: "diameter_m", value: diameter, expected });
    }
    let pi = std::f64::consts::PI;
    let line_density = material.density_kg_m3 * 0.25 * pi * diameter * diameter; // kg/m
    let bending = material.young_pa * pi * diameter * diameter * diameter * diameter / 64.0; // EI, N m²
    let stiffness = pi * pi * bending / (tension * length * length); // B
    let base = 0.5 / length * (tension / line_density).sqrt();
    let mass = line_density * length;
    let mut family = Family::new(mass);
    for k in 1..=request.count as u32 {
        let order = f64::from(k);
        let stiff = stiffness * order * order;
        let frequency = order * base * (1.0 + stiff).sqrt();
        let law = material.damping;
        let internal = law.rate(frequency) - law.a;
        let rate = law.a + air_rate(frequency, diameter, material) + internal * stiff / (1.0 + stiff);
        if !family.push(request, Raw { frequency, rate, mass: 0.5 * mass, label: (k, 0), field: Field::Sines([k, 0]) })
        {
            break;
        }
    }
    Ok(family)
}

/// Decay rate by the viscosity of the air, 1/s.
fn air_rate(frequency: f64, diameter: f64, material: &Material) -> f64 {
    let m = 0.25 * diameter * (std::f64::consts::TAU * frequency / air::VISCOSITY).sqrt();
    let loss = air::DENSITY / material.density_kg_m3 * (2.0 * std::f64::consts::SQRT_2 * m + 1.0) / (m * m); // η
    std::f64::consts::PI * frequency * loss
}
