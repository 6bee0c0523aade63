//! Masses in a row with springs and dampers between them [SO8 §8.2.1].
//!
//! M^{−½} K M^{−½} is symmetric and tridiagonal; its eigenvectors times M^{−½} are the shapes φ, scaled to a largest value of 1,
//! and the modal mass is Σ m φ². The decay rate is the material's at each frequency plus that of the dampers, φᵀCφ/(2 φᵀMφ).
//!
//! The dampers' rates are exact where the modes diagonalise C too (C M⁻¹ K = K M⁻¹ C: dampers in proportion to springs or masses);
//! otherwise they are Rayleigh's approximation, which leaves out the coupling of the modes by the dampers, of second order in C.
//! Coordinates: x = i/(n − 1) is mass i, straight between masses. Label (k, 0), k = 1 the lowest.
//! Limits: 1024 masses. Rigid motion of a chain held at neither end is a mode of 0 Hz that does not decay, since a chain
//! without it would not move freely; `max_hz` does not remove it.

use super::{Family, Raw, Request};
use crate::error::{ObjectError, require};
use crate::material::Material;
use crate::maths::eigen::tridiagonal;
use crate::object::Field;

const MAX_MASSES: usize = 1024;

pub(super) fn modes(
    masses: &[f64],
    springs: &[f64],
    dampers: &[f64],
    material: &Material,
    request: Request,
) -> Result<Family, ObjectError> {
    require("number of masses_kg", masses.len() as f64, 1.0, MAX_MASSES as f64, "")?;
    for &mass in masses {
        require("masses_kg", mass, 1e-9, 1e9, "kg")?;
    }
    let count = (masses.len() + 1) as f64;
    require("number of springs_n_m", springs.len() as f64, count, count, "(one more than masses)")?;
    for &spring in springs {
        require("springs_n_m", spring, 0.0, 1e15, "N/m")?;
    }
    if !dampers.is_empty() {
        require("number of dampers_n_s_m", dampers.len() as f64, count, count, "(one more than masses)")?;
    }
    for &damper in dampers {
        require("dampers_n_s_m", damper, 0.0, 1e12, "N s/m")?;
    }
    let diagonal: Vec<f64> = masses.iter().zip(springs.windows(2)).map(|(m, k)| (k[0] + k[1]) / m).collect();
    let off = masses.windows(2).zip(&springs[1..]).map(|(m, k)| -k / (m[0] * m[1]).sqrt()).collect();
    let largest = diagonal.iter().copied().fold(0.0, f64::max);
    let rounding = largest * f64::EPSILON * 4.0 * masses.len() as f64;
    let pairs = tridiagonal(diagonal, off).ok_or(ObjectError::NoConvergence)?;
    let mut family = Family::new(masses.iter().sum());
    for (i, (square, vector)) in pairs.into_iter().enumerate() {
        let frequency = if square > rounding { square.sqrt() / std::f64::consts::TAU } else { 0.0 };
        let mut shape: Vec<f64> = vector.iter().zip(masses).map(|(v, m)| v / m.sqrt()).collect();
        let top = shape.iter().copied().fold(0.0, |top: f64, v| if v.abs() > top.abs() { v } else { top });
        for value in &mut shape {
            *value /= top;
        }
        let mass: f64 = shape.iter().zip(masses).map(|(s, m)| m * s * s).sum();
        let damped = 0.5 * resistance(dampers, &shape) / mass;
        let rate = if frequency == 0.0 {
            // a mode of 0 Hz is rigid motion, which a bank of modes carries without loss only
            if dampers.first().is_some_and(|c| *c > 0.0) || dampers.last().is_some_and(|c| *c > 0.0) {
                let expected = "0 at both walls, since no spring holds the chain there".to_owned();
                let value = dampers[0].max(dampers[dampers.len() - 1]);
                return Err(ObjectError::Parameter { what: "dampers_n_s_m", value, expected });
            }
            0.0
        } else {
            material.damping.rate(frequency) + damped
        };
        let label = (i as u32 + 1, 0);
        if !family.push(request, Raw { frequency, rate, mass, label, field: Field::Points(shape) }) {
            break;
        }
    }
    Ok(family)
}

/// φᵀCφ, N s/m: what the dampers between neighbours, and to the walls, resist to a motion.
fn resistance(dampers: &[f64], shape: &[f64]) -> f64 {
    let place = |i: usize| if i == 0 { 0.0 } else { shape.get(i - 1).copied().unwrap_or(0.0) };
    let squares = dampers.iter().enumerate().map(|(i, c)| c * (place(i + 1) - place(i)) * (place(i + 1) - place(i)));
    squares.sum()
}
