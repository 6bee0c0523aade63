//! Knobs from 0 to 1 and the curves by which they drive physical parameters.

use serde::Serialize;

/// A knob of the instrument.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Control {
    /// Unique over the whole file.
    pub id: String,
    /// What a panel shows; the id if the file gives no name.
    pub name: String,
    /// Position at start, 0 to 1.
    pub default: f64,
    /// What it drives.
    pub map: Vec<Map>,
}

/// One parameter a knob drives.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Map {
    /// Path of the parameter, as the file writes it.
    pub to: String,
    /// From knob position to value (or factor).
    pub curve: Curve,
    /// The value multiplies what the file gives instead of replacing it.
    pub scale: bool,
    /// What the file gives, in SI, where it is one number that the value multiplies.
    #[serde(skip)]
    pub base: Option<f64>,
    /// Nothing else drives or sets the parameter.
    #[serde(skip)]
    pub alone: bool,
}

impl Map {
    /// The parameter at knob position `x`, if it is one number that follows from the knob alone: the very number that loading the file with that position gives.
    #[must_use]
    pub fn value(&self, x: f64) -> Option<f64> {
        let value = self.curve.at(x);
        let number = if self.scale { self.base? * value } else { value };
        self.alone.then_some(number)
    }
}

/// From knob position to value.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Curve {
    /// Straight from the first to the second value.
    Linear([f64; 2]),
    /// In equal ratios; both ends non-zero and of the same sign.
    Exponential([f64; 2]),
    /// Through `(knob, value)` points, the first at 0 and the last at 1.
    Table(Vec<(f64, f64)>),
}

impl Curve {
    /// Value at knob position `x`; positions outside 0 to 1 give the ends.
    #[must_use]
    pub fn at(&self, x: f64) -> f64 {
        let x = x.clamp(0.0, 1.0);
        match self {
            Curve::Linear(ends) => mix(*ends, x),
            Curve::Exponential([lo, hi]) if x == 0.0 || x == 1.0 || lo == hi => mix([*lo, *hi], x),
            Curve::Exponential([lo, hi]) => {
                // In logarithms, because hi / lo may overflow.
                let size = libm::exp(mix([libm::log(lo.abs()), libm::log(hi.abs())], x));
                size.copysign(*lo)
            }
            Curve::Table(points) => {
                let after = points.partition_point(|p| p.0 <= x);
                match (after.checked_sub(1).and_then(|i| points.get(i)), points.get(after)) {
                    (Some(a), Some(b)) => mix([a.1, b.1], (x - a.0) / (b.0 - a.0)),
                    (Some(end), None) | (None, Some(end)) => end.1,
                    (None, None) => 0.0,
                }
            }
        }
    }
}

/// Exact at both ends and without overflow between them.
fn mix([lo, hi]: [f64; 2], x: f64) -> f64 {
    (1.0 - x) * lo + x * hi
}
