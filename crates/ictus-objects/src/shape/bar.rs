//! Bar in bending, EI w'''' + ρA ẅ = 0, thin (Euler–Bernoulli).
//!
//! f = β²/(2πL²) √(E h²/12ρ); β: cos β cosh β = 1 (free–free), = −1 (clamped–free), β = kπ (supported).
//! [Fletcher & Rossing eq. 2.62–2.64] Modal mass M/4 (free ends swing twice the root-mean-square), M/2 supported.
//! Coordinates: x along the bar 0..1, clamped at 0. Label (k, 0), k = 1 the lowest.
//! Limits: no shear or rotary inertia: high modes of thick bars come out sharp (1 % where the half wave is ~ 9 thicknesses);
//! no torsion; rigid motion is left out, as of a bar on soft supports.

use super::{Family, Raw, Request, wave};
use crate::error::{ObjectError, require_length};
use crate::material::Material;
use crate::maths::search::{bisect, sin_pi};
use crate::object::Field;

/// How the ends of a bar are held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BarEnds {
    /// Both free: xylophone, glockenspiel, chime.
    FreeFree,
    /// Clamped at x = 0, free at 1: tine, ruler, kalimba.
    ClampedFree,
    /// Both simply supported.
    Supported,
}

/// The k-th root β, k ≥ 1.
pub(crate) fn root(ends: BarEnds, k: u32) -> f64 {
    let pi = std::f64::consts::PI;
    // the root lies this close to the zero of the cosine; bracket it within a quarter turn
    let (centre, sign) = match ends {
        BarEnds::Supported => return f64::from(k) * pi,
        BarEnds::FreeFree => ((f64::from(k) + 0.5) * pi, 1.0),
        BarEnds::ClampedFree => ((f64::from(k) - 0.5) * pi, -1.0),
    };
    bisect(centre - 0.5, centre + 0.5, |beta| libm::cos(beta) - sign / libm::cosh(beta))
}

/// Shape of a bar mode, largest value 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BeamShape {
    ends: BarEnds,
    k: u32,
    beta: f64,
}

impl BeamShape {
    pub(crate) fn new(ends: BarEnds, k: u32) -> Self {
        Self { ends, k, beta: root(ends, k) }
    }

    pub(crate) fn at(&self, x: f64) -> f64 {
        match self.ends {
            BarEnds::Supported => sin_pi(f64::from(self.k) * x),
            BarEnds::ClampedFree => self.rising_from_left(x, -1.0),
            BarEnds::FreeFree => {
                // one half and its mirror image, so that symmetry is exact
                let mirror = if self.k % 2 == 1 { 1.0 } else { -1.0 };
                if x < 0.5 {
                    self.rising_from_left(x, 1.0)
                } else if x > 0.5 {
                    mirror * self.rising_from_left(1.0 - x, 1.0)
                } else if mirror > 0.0 {
                    self.rising_from_left(0.5, 1.0)
                } else {
                    0.0
                }
            }
        }
    }

    /// ½[cosh βx ± cos βx − s (sinh βx ± sin βx)], + for a free end at 0 and − for a clamped one, without large terms.
    fn rising_from_left(&self, x: f64, sign: f64) -> f64 {
        let b = self.beta;
        let (sin, cos, fade) = (libm::sin(b), libm::cos(b), libm::exp(-b));
        // s = (cosh β − g cos β)/(sinh β − g sin β) with g = ±1; (1 − s) e^β stays of order one
        let below = 0.5 * (1.0 - fade * fade) - sign * sin * fade;
        let above = 0.5 * (1.0 + fade * fade) - sign * cos * fade;
        let s = above / below;
        let rest = (sign * (cos - sin) - fade) / below; // (1 − s) e^β
        let near = 0.5 * (1.0 + s) * libm::exp(-b * x);
        let far = 0.5 * rest * libm::exp(-b * (1.0 - x));
        0.5 * (near + far + sign * (libm::cos(b * x) - s * libm::sin(b * x)))
    }
}

pub(super) fn modes(
    [length, width, thickness]: [f64; 3],
    ends: BarEnds,
    material: &Material,
    request: Request,
) -> Result<Family, ObjectError> {
    require_length("length_m", length)?;
    require_length("width_m", width)?;
    require_length("thickness_m", thickness)?;
    super::require_thin(thickness, length, "the length")?;
    let mass = material.density_kg_m3 * length * width * thickness;
    let stiffness = (material.young_pa / (12.0 * material.density_kg_m3)).sqrt() * thickness; // √(EI/ρA), m²/s
    let share = if ends == BarEnds::Supported { 0.5 } else { 0.25 };
    let mut family = Family::new(mass);
    for k in 1..=request.count as u32 {
        let frequency = wave(root(ends, k) / length, stiffness);
        if !family.push(
            request,
            Raw {
                frequency,
                rate: material.damping.rate(frequency),
                mass: share * mass,
                label: (k, 0),
                field: Field::Beam(BeamShape::new(ends, k)),
            },
        ) {
            break;
        }
    }
    Ok(family)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_of_the_textbooks() {
        let free = [4.730_040_744_862_704, 7.853_204_624_095_838, 10.995_607_838_001_67, 14.137_165_491_257_46];
        let clamped = [1.875_104_068_711_961, 4.694_091_132_974_175, 7.854_757_438_237_613, 10.995_540_734_875_47];
        for k in 1..=4 {
            assert!((root(BarEnds::FreeFree, k) - free[k as usize - 1]).abs() < 1e-12);
            assert!((root(BarEnds::ClampedFree, k) - clamped[k as usize - 1]).abs() < 1e-12);
        }
        // the defining equation itself, where cosh does not yet swallow the digits
        for k in 1..=6 {
            let b = root(BarEnds::FreeFree, k);
            assert!((libm::cos(b) * libm::cosh(b) - 1.0).abs() < 1e-15 * libm::cosh(b) * b);
            let b = root(BarEnds::ClampedFree, k);
            assert!((libm::cos(b) * libm::cosh(b) + 1.0).abs() < 1e-15 * libm::cosh(b) * b);
        }
    }

    #[test]
    fn shapes_obey_their_ends() {
        for k in [1, 2, 3, 30, 400] {
            let shape = BeamShape::new(BarEnds::FreeFree, k);
            assert!((shape.at(0.0) - 1.0).abs() < 1e-12);
            assert_eq!(shape.at(1.0), if k % 2 == 1 { shape.at(0.0) } else { -shape.at(0.0) });
            let shape = BeamShape::new(BarEnds::ClampedFree, k);
            assert!(shape.at(0.0).abs() < 1e-12 && (shape.at(1.0).abs() - 1.0).abs() < 1e-12, "{k}: {}", shape.at(1.0));
            assert!(shape.at(1e-6).abs() < 1e-4);
        }
        assert_eq!(BeamShape::new(BarEnds::FreeFree, 2).at(0.5), 0.0);
        // nodes of the lowest mode of a free bar at 0.2242 L
        assert!(BeamShape::new(BarEnds::FreeFree, 1).at(0.224_157_5).abs() < 1e-6);
    }
}
