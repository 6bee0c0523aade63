//! Air in a narrow tube, plane waves.
//!
//! Open–open and closed–closed: f_k = kc/2L'; open–closed: f_k = (2k − 1)c/4L'. An open end adds 0.6133 a to the length.
//! [Levine & Schwinger 1948; Fletcher & Rossing §8.2–8.3] The shape is the motion of the air along the tube: largest at open
//! ends, none at closed ones; a port is a piston of the whole bore, its force pS. Modal mass ρSL'/2.
//! Decay: boundary layers at the wall, σ = (1/a)√(ων/2)(1 + (γ − 1)/√Pr) [Kirchhoff], and sound radiated by each
//! open end without flange, σ = c(ka)²/4L'.
//! Coordinates: x along the tube, open–closed with the open end at 0. Label (k, 0).
//! Limits: below the first cross mode, ka < 1.84; modes above it are left out. The closed tube's end plates lose nothing.

use super::{Family, Raw, Request, air};
use crate::error::{ObjectError, require_length};
use crate::object::Field;

/// Which ends of a tube are open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TubeEnds {
    /// Both: a flute, a drain pipe.
    OpenOpen,
    /// Open at x = 0, closed at x = 1: a pan pipe, the resonator of a marimba.
    OpenClosed,
    /// Neither.
    ClosedClosed,
}

const END_CORRECTION: f64 = 0.6133; // radii, open end without flange at low frequency
const CROSS_MODE: f64 = 1.841_183_781_340_659_3; // first zero of J₁', ka of the first cross mode

pub(super) fn modes(length: f64, radius: f64, ends: TubeEnds, request: Request) -> Result<Family, ObjectError> {
    require_length("length_m", length)?;
    require_length("radius_m", radius)?;
    let (open, offset) = match ends {
        TubeEnds::OpenOpen => (2.0, 0.0),
        TubeEnds::OpenClosed => (1.0, 0.5),
        TubeEnds::ClosedClosed => (0.0, 0.0),
    };
    let start = if open > 0.0 { END_CORRECTION * radius } else { 0.0 };
    let acoustic = length + open * END_CORRECTION * radius; // L'
    let mass = air::DENSITY * std::f64::consts::PI * radius * radius * length;
    let mut family = Family::new(mass);
    for k in 1..=request.count as u32 {
        let half_waves = f64::from(k) - offset;
        let frequency = 0.5 * half_waves * air::SPEED / acoustic;
        let omega = std::f64::consts::TAU * frequency;
        let ka = omega / air::SPEED * radius;
        if ka >= CROSS_MODE {
            family.lowest = family.lowest.min(frequency);
            break;
        }
        let wall = (0.5 * omega * air::VISCOSITY).sqrt() / radius * (1.0 + air::HEAT / air::PRANDTL.sqrt());
        let radiated = open * air::SPEED * ka * ka / (4.0 * acoustic);
        let from_open = open > 0.0;
        let more = family.push(
            request,
            Raw {
                frequency,
                rate: wall + radiated,
                mass: 0.5 * mass * acoustic / length,
                label: (k, 0),
                field: Field::Tube { half_waves, from_open, start: start / acoustic, span: length / acoustic },
            },
        );
        if !more {
            break;
        }
    }
    Ok(family)
}
