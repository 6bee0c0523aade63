//! Coefficients of laws and bodies that a player can change while the instrument sounds.

use serde::Serialize;

use crate::law::{Law, Surfaces};
use crate::spec::ResonatorKind;

/// Largest and smallest stiffness, N/m^α: far beyond any contact, and far from overflow.
const STIFFNESSES: (f64, f64) = (1e-3, 1e16);
/// Masses, kg.
const MASSES: (f64, f64) = (1e-9, 1e6);
/// Losses and dampers in their units.
const LOSSES: (f64, f64) = (0.0, 1e6);
/// Factors of a loss rate.
const FACTORS: (f64, f64) = (0.0, 1e4);
/// Friction coefficients.
const FRICTIONS: (f64, f64) = (1e-4, 100.0);
/// Times and speeds that divide something.
const POSITIVE: (f64, f64) = (1e-6, 1e3);

/// A coefficient, named by its key in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Coefficient {
    /// K of a collision, a felt or a nonlinear spring, N/m^α.
    Stiffness,
    /// α of these.
    Exponent,
    /// Hunt–Crossley damping of a collision, s/m.
    DampingSM,
    /// ε of a felt.
    Hysteresis,
    /// τ of a felt, s.
    RelaxationS,
    /// Of a spring, of bristles, or of the spring that holds a mass, N/m.
    StiffnessNM,
    /// Of a spring, of bristles, or of the damper of a mass, N s/m.
    DampingNSM,
    /// Static friction.
    Sticking,
    /// Kinetic friction.
    Sliding,
    /// Speed at which friction has fallen, m/s.
    StribeckMS,
    /// Viscous friction, N s/m.
    ViscosityNSM,
    /// Of a point mass, kg.
    MassKg,
    /// Factor of the loss rates of all modes of a body: 4 divides their decay times by 4.
    Damping,
    /// Pitch of a body above its own, cents.
    PitchCents,
}

impl Coefficient {
    /// Key in the file, or the name of what only a player moves.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Stiffness => "stiffness",
            Self::Exponent => "exponent",
            Self::DampingSM => "damping_s_m",
            Self::Hysteresis => "hysteresis",
            Self::RelaxationS => "relaxation_s",
            Self::StiffnessNM => "stiffness_n_m",
            Self::DampingNSM => "damping_n_s_m",
            Self::Sticking => "sticking",
            Self::Sliding => "sliding",
            Self::StribeckMS => "stribeck_m_s",
            Self::ViscosityNSM => "viscosity_n_s_m",
            Self::MassKg => "mass_kg",
            Self::Damping => "damping",
            Self::PitchCents => "pitch_cents",
        }
    }

    /// Values that an event may ask for, where the file has `start`.
    #[must_use]
    pub fn limits(self, start: f64) -> (f64, f64) {
        let (low, high) = self.widest();
        // a spring that the file does not have may be none
        (low.min(start), high.max(start))
    }

    fn widest(self) -> (f64, f64) {
        match self {
            Self::Stiffness | Self::StiffnessNM => STIFFNESSES,
            Self::Exponent => (1.0, 5.0),
            Self::DampingSM | Self::DampingNSM | Self::ViscosityNSM => LOSSES,
            Self::Hysteresis => (0.0, 0.99),
            Self::RelaxationS | Self::StribeckMS => POSITIVE,
            Self::Sticking | Self::Sliding => FRICTIONS,
            Self::MassKg => MASSES,
            Self::Damping => FACTORS,
            Self::PitchCents => (-9600.0, 9600.0),
        }
    }

    /// What a surface offers around the value of the file: two octaves up and down, or as far as losses can go.
    #[must_use]
    pub fn range(self, start: f64) -> (f64, f64) {
        match self {
            Self::Exponent => (1.0, (start + 1.0).max(2.5)),
            Self::Hysteresis => (0.0, 0.9),
            Self::DampingSM | Self::DampingNSM | Self::ViscosityNSM => (0.0, (4.0 * start).max(1.0)),
            Self::PitchCents => (0.0, 0.0),
            Self::Damping => (0.25, 16.0),
            Self::StiffnessNM if start == 0.0 => (0.0, 1e3),
            _ => (0.25 * start, 4.0 * start),
        }
    }
}

impl Law {
    /// The coefficients that can change, with the values of the file.
    #[must_use]
    pub fn coefficients(&self) -> Vec<(Coefficient, f64)> {
        use Coefficient as C;
        match *self {
            // the quadratised methods are for figures, and a bow curve has coefficients of its own
            Self::Collision { method, .. } if method != crate::Method::Gradient => Vec::new(),
            Self::Collision { stiffness, exponent, damping_s_m, .. } => {
                vec![(C::Stiffness, stiffness), (C::Exponent, exponent), (C::DampingSM, damping_s_m)]
            }
            Self::Felt { stiffness, exponent, hysteresis, relaxation_s, .. } => vec![
                (C::Stiffness, stiffness),
                (C::Exponent, exponent),
                (C::Hysteresis, hysteresis),
                (C::RelaxationS, relaxation_s),
            ],
            Self::Friction(Surfaces { sharpness_s2_m2, .. }) if sharpness_s2_m2 > 0.0 => Vec::new(),
            Self::Friction(surfaces) => vec![
                (C::Sticking, surfaces.sticking),
                (C::Sliding, surfaces.sliding),
                (C::StribeckMS, surfaces.stribeck_m_s),
                (C::StiffnessNM, surfaces.stiffness_n_m),
                (C::DampingNSM, surfaces.damping_n_s_m),
                (C::ViscosityNSM, surfaces.viscosity_n_s_m),
            ],
            Self::Adhere { .. } => Vec::new(),
            Self::Spring { stiffness_n_m, damping_n_s_m } => {
                vec![(C::StiffnessNM, stiffness_n_m), (C::DampingNSM, damping_n_s_m)]
            }
            Self::NonlinearSpring { stiffness, exponent } => vec![(C::Stiffness, stiffness), (C::Exponent, exponent)],
        }
    }

    /// The law with another value of one coefficient; the same law if it has no such one.
    #[must_use]
    pub fn with(mut self, coefficient: Coefficient, value: f64) -> Self {
        use Coefficient as C;
        let target = match (&mut self, coefficient) {
            (Self::Collision { stiffness, .. }, C::Stiffness)
            | (Self::Felt { stiffness, .. }, C::Stiffness)
            | (Self::NonlinearSpring { stiffness, .. }, C::Stiffness) => stiffness,
            (Self::Collision { exponent, .. }, C::Exponent)
            | (Self::Felt { exponent, .. }, C::Exponent)
            | (Self::NonlinearSpring { exponent, .. }, C::Exponent) => exponent,
            (Self::Collision { damping_s_m, .. }, C::DampingSM) => damping_s_m,
            (Self::Felt { hysteresis, .. }, C::Hysteresis) => hysteresis,
            (Self::Felt { relaxation_s, .. }, C::RelaxationS) => relaxation_s,
            (Self::Spring { stiffness_n_m, .. }, C::StiffnessNM) => stiffness_n_m,
            (Self::Spring { damping_n_s_m, .. }, C::DampingNSM) => damping_n_s_m,
            (Self::Friction(surfaces), C::Sticking) => &mut surfaces.sticking,
            (Self::Friction(surfaces), C::Sliding) => &mut surfaces.sliding,
            (Self::Friction(surfaces), C::StribeckMS) => &mut surfaces.stribeck_m_s,
            (Self::Friction(surfaces), C::StiffnessNM) => &mut surfaces.stiffness_n_m,
            (Self::Friction(surfaces), C::DampingNSM) => &mut surfaces.damping_n_s_m,
            (Self::Friction(surfaces), C::ViscosityNSM) => &mut surfaces.viscosity_n_s_m,
            _ => return self,
        };
        *target = value;
        self
    }
}

impl ResonatorKind {
    /// The coefficients that can change, with the values of the file.
    #[must_use]
    pub fn coefficients(&self) -> Vec<(Coefficient, f64)> {
        use Coefficient as C;
        match self {
            Self::Mass(mass) => vec![
                (C::MassKg, mass.mass_kg),
                (C::StiffnessNM, mass.stiffness_n_m),
                (C::DampingNSM, mass.damping_n_s_m),
            ],
            Self::Modes(_) | Self::Object(_) => vec![(C::Damping, 1.0), (C::PitchCents, 0.0)],
            Self::String(_) | Self::Grid(_) | Self::Drum(_) => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_coefficient_is_set_and_read_back() {
        let laws = [
            Law::Collision {
                stiffness: 1e6,
                exponent: 1.5,
                gap_m: 0.0,
                damping_s_m: 0.1,
                method: crate::Method::Gradient,
            },
            Law::Felt { stiffness: 1e9, exponent: 2.5, hysteresis: 0.5, relaxation_s: 1e-4, gap_m: 0.0 },
            Law::Spring { stiffness_n_m: 100.0, damping_n_s_m: 0.1 },
            Law::NonlinearSpring { stiffness: 1e5, exponent: 1.3 },
        ];
        for law in laws {
            for (coefficient, start) in law.coefficients() {
                let (low, high) = coefficient.range(start);
                let limits = coefficient.limits(start);
                assert!(low < high && limits.0 < limits.1 && start >= limits.0 && start <= limits.1, "{coefficient:?}");
                let moved = law.with(coefficient, high);
                let now: Vec<_> = moved.coefficients();
                assert!(now.contains(&(coefficient, high)), "{coefficient:?} of {law:?}");
                assert_eq!(moved.with(coefficient, start), law);
            }
        }
    }
}
