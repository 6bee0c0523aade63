//! Air at 20 °C and 1 atm. [Fletcher & Rossing §6.1, §8.2; Kuttruff]

/// Density ρ, kg/m³.
pub(super) const DENSITY: f64 = 1.204;
/// Speed of sound c, m/s.
pub(super) const SPEED: f64 = 343.2;
/// Kinematic viscosity ν, m²/s.
pub(super) const VISCOSITY: f64 = 1.51e-5;
/// Ratio of specific heats less one, γ − 1.
pub(super) const HEAT: f64 = 0.402;
/// Prandtl number Pr.
pub(super) const PRANDTL: f64 = 0.71;
