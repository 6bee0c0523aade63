//! Friction, resolved.

use serde::Serialize;

use super::surface::Roughness;
use crate::raw::{FrictionForm, FrictionModel};

/// What two surfaces that rub are like.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Surfaces {
    /// μ_s ≥ μ_d.
    pub sticking: f64,
    /// μ_d > 0.
    pub sliding: f64,
    /// v_s > 0.
    pub stribeck_m_s: f64,
    /// σ0 > 0.
    pub stiffness_n_m: f64,
    /// σ1 ≥ 0.
    pub damping_n_s_m: f64,
    /// σ2 ≥ 0.
    pub viscosity_n_s_m: f64,
    /// c in [0, 1).
    pub breakaway: f64,
    /// What the bristles do.
    pub model: FrictionModel,
    /// How their damping enters.
    pub form: FrictionForm,
    /// Newton's steps per step of time, 1 to 16, where their number is fixed.
    pub newton_steps: Option<u32>,
    /// How it reaches the first end.
    pub bow: Bow,
    /// Index of the interaction whose force presses them together, always an earlier one.
    pub pressed_by: Option<usize>,
}

/// What is drawn along a surface.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bow {
    /// Points that touch, at least 1; more than 1 only on a string.
    pub points: usize,
    /// Over this width, m.
    pub width_m: f64,
    /// Between the points and the player's hand; then the second end is the wall.
    pub hair: Option<Hair>,
}

/// Hair of a bow.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Hair {
    /// > 0.
    pub stiffness_n_m: f64,
    /// > 0.
    pub mass_kg: f64,
    /// ≥ 0.
    pub damping_n_s_m: f64,
}

/// What the player does with a friction. Empty for other laws.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Rub {
    /// Normal force, `(s, N)`, ends held; empty where a collision presses.
    pub normal: Vec<(f64, f64)>,
    /// Speed, `(s, m/s)`, ends held; may be empty.
    pub speed: Vec<(f64, f64)>,
    /// Place on the first end, `(s, place)`, ends held; empty for that of its port.
    pub position: Vec<(f64, f64)>,
    /// How firmly an adherence holds, `(s, 0 to 1)`, ends held; empty for frictions.
    pub weight: Vec<(f64, f64)>,
    /// Share of the normal force and what varies it, with a height of 1.
    pub roughness: Option<(f64, Roughness)>,
    /// Share of the normal force that pushes along the motion, and what varies it, with a height of 1.
    pub noise: Option<(f64, Roughness)>,
}
