//! Air in a box with hard walls.
//!
//! f = (c/2) √((l/a)² + (m/b)² + (n/d)²), pressure cos lπx cos mπy cos nπz. [Kuttruff, Room Acoustics, eq. 3.16]
//! Ports speak acoustics in mechanical units: a volume velocity U is the force ρcU, the velocity read is p/(ρc). The power
//! fv = pU is the true one, and the modal mass is ρV times the mean square of the shape (½ per direction with waves).
//! Decay: viscosity and heat in the boundary layers, depths δ_v = √(2ν/ω), δ_h = δ_v/√Pr: per wall the power
//! ¼ρωδ_v|u_t|² + ¼(γ − 1)ωδ_h|p|²/ρc², integrated exactly [Landau & Lifshitz, Fluid Mechanics §79 with problems]; and by
//! the walls' absorption α after Sabine, cSα/8V.
//! Coordinates: x, y, z in 0..1. Label (l, m). Limits: no opening; the pressure that is the same everywhere is left out.

use super::{Family, Raw, Request, air};
use crate::error::{ObjectError, require, require_length};
use crate::maths::lattice::lowest;
use crate::object::Field;

pub(super) fn modes(sides: [f64; 3], absorption: f64, request: Request) -> Result<Family, ObjectError> {
    for (what, side) in ["length_m", "width_m", "height_m"].into_iter().zip(sides) {
        require_length(what, side)?;
    }
    require("absorption", absorption, 0.0, 1.0, "")?;
    let mass = air::DENSITY * sides[0] * sides[1] * sides[2];
    let mut family = Family::new(mass);
    let hz = |k: [u32; 3]| {
        let [x, y, z] = [0, 1, 2].map(|i| f64::from(k[i]) / sides[i]);
        0.5 * air::SPEED * (x * x + y * y + z * z).sqrt()
    };
    family.lowest = hz([1, 0, 0]).min(hz([0, 1, 0])).min(hz([0, 0, 1]));
    let area = 2.0 * (sides[0] * sides[1] + sides[1] * sides[2] + sides[2] * sides[0]);
    let sabine = 0.125 * air::SPEED * area * absorption / (mass / air::DENSITY);
    // the first found is the uniform pressure, at 0 Hz
    for (k, frequency) in lowest([0, 0, 0], request.max_hz, request.count + 1, hz).into_iter().skip(1) {
        let share: f64 = k.iter().map(|&k| if k == 0 { 1.0 } else { 0.5 }).product();
        family.push(
            request,
            Raw {
                frequency,
                rate: wall_rate(k, sides, frequency) + sabine,
                mass: share * mass,
                label: (k[0], k[1]),
                field: Field::Cosines(k),
            },
        );
    }
    Ok(family)
}

/// Decay rate by the boundary layers, 1/s: power lost over twice the energy, both for unit pressure.
fn wall_rate(k: [u32; 3], sides: [f64; 3], frequency: f64) -> f64 {
    let omega = std::f64::consts::TAU * frequency;
    let total = omega / air::SPEED; // wave number
    let layer = (2.0 * air::VISCOSITY / omega).sqrt();
    let mut sum = 0.0;
    for i in 0..3 {
        let along = std::f64::consts::PI * f64::from(k[i]) / sides[i];
        let tangential = ((total * total - along * along) / (total * total)).max(0.0); // |u_t|² (ρc)²/|p|²
        // two walls across direction i, where the square is not halved in that direction
        let walls = 2.0 / sides[i] * if k[i] == 0 { 1.0 } else { 2.0 };
        sum += walls * (tangential + air::HEAT / air::PRANDTL.sqrt());
    }
    0.25 * omega * layer * sum
}
