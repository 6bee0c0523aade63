//! Circular plate, D ∇⁴w + ρh ẅ = 0 (Kirchhoff), W = [J_n(λr) + B I_n(λr)] cos nθ.
//!
//! f = λ²/(2πa²) √(D/ρh). At the rim r = 1, with G = 1 − ν: [Leissa 1969 §2.1]
//! clamped: J I' − I J' = 0; supported: W = 0 and M = 0; free: M = 0 and V = 0, where for Z = J, I and sign −, +:
//! M = −Gλ Z' + (G n² ± λ²) Z,  V = ±λ³ Z' − G n² (λ Z' − Z).
//! Coordinates: x, y in the unit disc, centre (0, 0). Label (n, s): nodal diameters and circles, the rim not counted.
//! Limits: thin; flat (a cymbal's or gong's curvature raises the low modes); rigid motion of the free plate is left out.

use super::disc::{DiscShape, Rim, Roots};
use super::{Family, Request, plate_stiffness, wave};
use crate::error::{ObjectError, require_length};
use crate::material::Material;
use crate::maths::lattice::lowest;

/// How the rim of a circular plate is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CircularEdge {
    /// Free, as a cymbal hung at its middle.
    Free,
    /// Neither moves nor turns.
    Clamped,
    /// Does not move, turns freely.
    Supported,
}

/// Bending moment of the J part and of the I part at the rim.
fn moments(rim: &Rim, n: u32, lambda: f64, poisson: f64) -> (f64, f64) {
    let (g, n2) = (1.0 - poisson, f64::from(n) * f64::from(n));
    (
        -g * lambda * rim.dj + (g * n2 - lambda * lambda) * rim.j,
        -g * lambda * rim.di + (g * n2 + lambda * lambda) * rim.i,
    )
}

/// The function whose roots are the λ of order n.
fn condition(edge: CircularEdge, poisson: f64, n: u32, lambda: f64) -> f64 {
    let rim = Rim::new(n, lambda);
    let (mj, mi) = moments(&rim, n, lambda, poisson);
    match edge {
        CircularEdge::Clamped => rim.j * rim.di - rim.i * rim.dj,
        CircularEdge::Supported => rim.j * mi - rim.i * mj,
        CircularEdge::Free => {
            let (gn2, cube) = ((1.0 - poisson) * f64::from(n) * f64::from(n), lambda * lambda * lambda);
            let vj = -cube * rim.dj - gn2 * (lambda * rim.dj - rim.j);
            let vi = cube * rim.di - gn2 * (lambda * rim.di - rim.i);
            mj * vi - mi * vj
        }
    }
}

/// The lowest λ_ns as ([n, s], λ); rigid motions of the free plate, λ = 0, among them.
pub(super) fn eigenvalues(edge: CircularEdge, poisson: f64, limit: f64, count: usize) -> Vec<([u32; 2], f64)> {
    // every root lies above n but the lowest of a free plate, a wave along the rim a little slower than in the open
    let start: fn(u32) -> f64 = match edge {
        CircularEdge::Free => |n| (0.7 * f64::from(n)).max(0.5),
        _ => |n| f64::from(n).max(0.5),
    };
    let mut roots = Roots::new(start, move |n, lambda| condition(edge, poisson, n, lambda));
    lowest([0, 0], limit, count, |[n, s]| match (edge, n, s) {
        (CircularEdge::Free, 0 | 1, 0) => 0.0,
        (CircularEdge::Free, 0 | 1, _) => roots.get(n, s as usize - 1),
        _ => roots.get(n, s as usize),
    })
}

pub(super) fn modes(
    radius: f64,
    thickness: f64,
    edge: CircularEdge,
    material: &Material,
    request: Request,
) -> Result<Family, ObjectError> {
    require_length("radius_m", radius)?;
    require_length("thickness_m", thickness)?;
    super::require_thin(thickness, radius, "the radius")?;
    let stiffness = plate_stiffness(thickness, material);
    let surface_density = material.density_kg_m3 * thickness;
    let mut family = Family::new(surface_density * std::f64::consts::PI * radius * radius);
    let limit = radius * (std::f64::consts::TAU * request.max_hz / stiffness).sqrt();
    if let Some(&(_, first)) = eigenvalues(edge, material.poisson, f64::MAX, 3).iter().find(|found| found.1 > 0.0) {
        family.lowest = wave(first / radius, stiffness);
    }
    for ([n, s], lambda) in eigenvalues(edge, material.poisson, limit, request.count + 2) {
        if lambda == 0.0 {
            continue;
        }
        let rim = Rim::new(n, lambda);
        let hyperbolic = match edge {
            CircularEdge::Free => {
                let (mj, mi) = moments(&rim, n, lambda, material.poisson);
                -mj / mi
            }
            _ => -rim.j / rim.i,
        };
        let shape = DiscShape::new(n, lambda, hyperbolic);
        let mass = surface_density * radius * radius * shape.norm();
        family.push_disc(request, (n, s), wave(lambda / radius, stiffness), mass, material, shape);
    }
    Ok(family)
}
