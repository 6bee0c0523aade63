//! Membrane on a hoop, T ∇²w = ρh ẅ, w = 0 at the rim.
//!
//! f_ns = j_ns/(2πa) √(T/ρh), j_ns the s-th zero of J_n. [Fletcher & Rossing eq. 3.14] Shape J_n(j r) cos nθ and, for n > 0,
//! sin nθ; modal mass ρh ∫φ².
//! Coordinates: x, y in the unit disc, centre (0, 0), rim at x² + y² = 1. Label (n, s): nodal diameters and circles, the rim counted.
//! Limits: in vacuum, no stiffness: a kettledrum's air load lowers the low modes by up to a third; decay as the material's law.

use super::disc::{DiscShape, Roots};
use super::{Family, Raw, Request};
use crate::error::{ObjectError, require, require_length};
use crate::material::Material;
use crate::maths::bessel::j;
use crate::maths::lattice::lowest;
use crate::object::Field;

/// The lowest zeros j_ns, as ([n, s], zero), s from 1.
pub(super) fn zeros(limit: f64, count: usize) -> Vec<([u32; 2], f64)> {
    // no zero of J_n lies below n
    let mut roots = Roots::new(|n| f64::from(n).max(0.5), j);
    lowest([0, 1], limit, count, |[n, s]| roots.get(n, s as usize - 1))
}

pub(super) fn modes(
    radius: f64,
    thickness: f64,
    tension: f64,
    material: &Material,
    request: Request,
) -> Result<Family, ObjectError> {
    require_length("radius_m", radius)?;
    require_length("thickness_m", thickness)?;
    require("tension_n_m", tension, 1e-6, 1e9, "N/m")?;
    let surface_density = material.density_kg_m3 * thickness;
    let hz = (tension / surface_density).sqrt() / (std::f64::consts::TAU * radius);
    let mut family = Family::new(surface_density * std::f64::consts::PI * radius * radius);
    family.lowest = hz * 2.404_825_557_695_773; // j_01
    for ([n, s], zero) in zeros(request.max_hz / hz, request.count) {
        let shape = DiscShape::new(n, zero, 0.0);
        let mass = surface_density * radius * radius * shape.norm();
        family.push_disc(request, (n, s), hz * zero, mass, material, shape);
    }
    Ok(family)
}

impl Family {
    /// A mode of a disc, and its turned twin when it has nodal diameters.
    pub(super) fn push_disc(
        &mut self,
        request: Request,
        label: (u32, u32),
        frequency: f64,
        mass: f64,
        material: &Material,
        shape: DiscShape,
    ) {
        let rate = material.damping.rate(frequency);
        self.push(request, Raw { frequency, rate, mass, label, field: Field::Disc(shape) });
        if label.0 > 0 {
            self.push(request, Raw { frequency, rate, mass, label, field: Field::Disc(shape.turned()) });
        }
    }
}
