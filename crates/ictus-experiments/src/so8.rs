//! SO8 §8.2–8.4.1: modal objects, impacts and fractal surfaces of *The Sounding Object*, chapter 8.
//!
//! The impact force as printed, taken point by point in time and solved by Newton's method (the K method of the chapter's
//! appendix), stands beside the core's passive form as a control ([`control`]). Where the scan lost a parameter, our choice is
//! in the figure's notes.

pub mod blow;
pub mod control;
pub mod fractal;
pub mod hardness;
pub mod hunt_crossley;
pub mod membrane;
pub mod oscillating;
pub mod portrait;
pub mod stribeck;
pub mod table;

/// The hammer of Fig. 8.3: mass, kg.
const MASS: f64 = 1e-2;
/// k, N/m^α.
const STIFFNESS: f64 = 1.5e11;
/// μ, s/m.
const LOSS: f64 = 0.6;
/// α.
const EXPONENT: f64 = 2.8;
