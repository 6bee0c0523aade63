//! Modes from a shape and a material, resolved: a description the engine computes at its own rate.

use ictus_objects::{Description, Point};
use serde::Serialize;

use crate::raw::Discretisation;

/// A bank of modes computed from a shape and a material.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Object {
    /// Shape, material and tuning.
    pub description: Description,
    /// Highest frequency of a mode > 0, Hz.
    pub max_hz: f64,
    /// Most modes, 1 to 4096.
    pub max_modes: usize,
    /// A second object.
    pub morph: Option<Morph>,
    /// In file order.
    pub ports: Vec<PointPort>,
    /// Multiple ≥ 0 of what the material does by which it pulls tighter when bent; above 0 only for strings, membranes and plates without `morph`.
    pub stretching: f64,
    /// How a mode is stepped.
    pub discretisation: Discretisation,
}

/// The way from one object to another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Morph {
    /// Where the way leads.
    pub description: Description,
    /// 0 for the first object, 1 for the second.
    pub amount: f64,
    /// Points of the second object, one per port.
    pub points: Vec<Point>,
}

/// Where an object can be touched or heard.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PointPort {
    /// Name within the resonator.
    pub name: String,
    /// In the coordinates of the shape; finite.
    pub point: Point,
}
