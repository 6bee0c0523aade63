//! A modal object: a list of modes and where each of them moves.

use std::sync::Arc;

use crate::maths::legendre;
use crate::maths::search::{cos_pi, sin_pi};
use crate::shape::bar::BeamShape;
use crate::shape::disc::DiscShape;
use crate::shape::kettledrum::KettleShape;

/// One mode of an object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ObjectMode {
    /// Natural frequency without losses, Hz. The sounding one is lower by half of (σ/ω)², one part in 10⁵ for a Q of 110.
    pub frequency_hz: f64,
    /// Time to fall by 60 dB, s; infinite for rigid motion that nothing holds.
    pub decay_s: f64,
    /// Modal mass for a shape with a largest value of 1, kg.
    pub mass_kg: f64,
    /// The numbers (m, n) the textbooks give the mode; each [`crate::Shape`] says what it counts.
    pub label: (u32, u32),
}

impl ObjectMode {
    /// Decay rate σ, 1/s.
    pub fn rate(&self) -> f64 {
        3.0 * std::f64::consts::LN_10 / self.decay_s
    }

    /// Frequency at which the mode is heard, √(ω² − σ²)/2π, Hz; 0 beyond critical damping.
    pub fn sounding_hz(&self) -> f64 {
        let sigma = self.rate() / std::f64::consts::TAU;
        ((self.frequency_hz - sigma) * (self.frequency_hz + sigma)).max(0.0).sqrt()
    }
}

/// A point of an object, in the coordinates of its [`crate::Shape`]. Unused coordinates are ignored.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Point {
    /// First coordinate.
    pub x: f64,
    /// Second coordinate.
    pub y: f64,
    /// Third coordinate, of an air cavity, and of a place above a kettledrum.
    pub z: f64,
}

impl From<f64> for Point {
    fn from(x: f64) -> Self {
        Self { x, y: 0.0, z: 0.0 }
    }
}

impl From<[f64; 2]> for Point {
    fn from([x, y]: [f64; 2]) -> Self {
        Self { x, y, z: 0.0 }
    }
}

impl From<[f64; 3]> for Point {
    fn from([x, y, z]: [f64; 3]) -> Self {
        Self { x, y, z }
    }
}

/// The modes of a shape of a material, in rising order of frequency.
#[derive(Clone, Debug)]
pub struct Object {
    /// Frequencies, decays and masses.
    pub modes: Vec<ObjectMode>,
    /// Mass of the whole object, kg.
    pub mass_kg: f64,
    /// How many of the first modes are motions as a whole that its [support](crate::Support) allows.
    pub(crate) rigid: usize,
    pub(crate) fields: Vec<Field>,
}

impl Object {
    /// Signed shape of a mode at a point, at most 1 in size. A point outside the object is moved to its border; a mode that
    /// is not there does not move; coordinates that are not numbers give not-a-number.
    pub fn shape(&self, mode: usize, at: impl Into<Point>) -> f64 {
        self.fields.get(mode).map_or(0.0, |field| field.at(at.into()))
    }

    /// The shapes of all modes at a point: what a port of a modal bank needs.
    pub fn shapes(&self, at: impl Into<Point>) -> Vec<f64> {
        let at = at.into();
        self.fields.iter().map(|field| field.at(at)).collect()
    }
}

/// Where a mode moves.
#[derive(Clone, Debug)]
pub(crate) enum Field {
    /// Π sin kπx over the coordinates with k > 0.
    Sines([u32; 2]),
    /// Π cos kπx.
    Cosines([u32; 3]),
    /// sin or cos of (2k − 1)πx/2, or of kπx: the displacement in a tube, stretched over the open ends.
    Tube { half_waves: f64, from_open: bool, start: f64, span: f64 },
    /// A beam.
    Beam(BeamShape),
    /// Radial function times cos nθ or sin nθ.
    Disc(DiscShape),
    /// The head of a kettledrum, and the far field above it.
    Kettle(Arc<KettleShape>),
    /// cos or sin nθ around a ring, θ = 2πx, times y² for a glass.
    Ring { n: u32, sine: bool, grows: bool },
    /// Σ c_ij p_i(2x−1) p_j(2y−1), coefficients row by row.
    Polynomial { degrees: (usize, usize), coefficients: Arc<[f64]> },
    /// Values at equally spaced places, straight between them.
    Points(Vec<f64>),
    /// 2x − 1 along an axis of a rectangle, x along one of the unit disc: rotation as a whole.
    Tilt { axis: usize, round: bool },
}

impl Field {
    pub(crate) fn at(&self, point: Point) -> f64 {
        let unit = |t: f64| t.clamp(0.0, 1.0);
        match self {
            Self::Sines([m, n]) => {
                let factor = |k: u32, t: f64| if k == 0 { 1.0 } else { sin_pi(f64::from(k) * unit(t)) };
                factor(*m, point.x) * factor(*n, point.y)
            }
            Self::Cosines(k) => {
                let factor = |k: u32, t: f64| if k == 0 { 1.0 } else { cos_pi(f64::from(k) * unit(t)) };
                factor(k[0], point.x) * factor(k[1], point.y) * factor(k[2], point.z)
            }
            Self::Tube { half_waves, from_open, start, span } => {
                let phase = half_waves * (start + span * unit(point.x));
                if *from_open { cos_pi(phase) } else { sin_pi(phase) }
            }
            Self::Beam(beam) => beam.at(unit(point.x)),
            Self::Disc(disc) => disc.at(point.x, point.y),
            Self::Kettle(kettle) => kettle.at(point),
            Self::Ring { n, sine, grows } => {
                let turn = 2.0 * f64::from(*n) * point.x;
                let around = if *sine { sin_pi(turn) } else { cos_pi(turn) };
                around * if *grows { unit(point.y) * unit(point.y) } else { 1.0 }
            }
            Self::Polynomial { degrees, coefficients } => {
                let across = legendre::values(degrees.0, 2.0 * unit(point.x) - 1.0);
                let along = legendre::values(degrees.1, 2.0 * unit(point.y) - 1.0);
                let rows = coefficients.chunks_exact(degrees.1 + 1);
                across
                    .iter()
                    .zip(rows)
                    .map(|(p, row)| p * row.iter().zip(&along).map(|(c, q)| c * q).sum::<f64>())
                    .sum()
            }
            Self::Tilt { axis, round: false } => 2.0 * unit([point.x, point.y][*axis]) - 1.0,
            Self::Tilt { axis, round: true } => [point.x, point.y][*axis] / libm::hypot(point.x, point.y).max(1.0),
            Self::Points(values) => {
                let place = unit(point.x) * (values.len() - 1) as f64;
                let left = (place as usize).min(values.len() - 1);
                let right = (left + 1).min(values.len() - 1);
                values[left] + (place - left as f64) * (values[right] - values[left])
            }
        }
    }
}
