//! The path of a movable port of a bank: mode shapes along a line.

use crate::error::{BuildError, require};
use std::ops::Range;
use std::sync::Arc;

/// Mode shapes along a line, as functions of a position from 0 to 1.
#[derive(Clone, Debug)]
pub enum Path {
    /// Along a string: the modes in each range are a factor times sin(πnx), n = 1, 2, …; all others are 0. One range per plane of
    /// vibration, and one for torsion.
    String(Vec<(Range<usize>, f64)>),
    /// Shapes at equal distances, one vector per position, interpolated linearly.
    Table(Arc<[Vec<f64>]>),
    /// As [`Path::Table`], closed: position 1 is position 0 again, as round a rim. The table does not repeat its first row.
    Round(Arc<[Vec<f64>]>),
}

impl Path {
    pub(crate) fn check(&self, modes: usize) -> Result<(), BuildError> {
        match self {
            Self::String(ranges) => {
                let end = ranges.iter().map(|(range, _)| range.end).max().unwrap_or(0);
                require(end <= modes, "modes along a path", end as f64, "at most the modes of the body")?;
                let wrong = ranges.iter().filter(|(_, factor)| !factor.is_finite()).count();
                require(wrong == 0, "number of factors of a path that are not finite", wrong as f64, "0")
            }
            Self::Table(shapes) | Self::Round(shapes) => {
                require(shapes.len() >= 2, "positions along a path", shapes.len() as f64, "at least 2")?;
                let valid = |shape: &Vec<f64>| shape.len() == modes && shape.iter().all(|x| x.is_finite());
                let wrong = shapes.iter().filter(|shape| !valid(shape)).count();
                require(wrong == 0, "invalid shapes along a path", wrong as f64, "0: one finite value per mode")
            }
        }
    }

    /// Writes the shapes at a position. Beyond the ends of an open path they are those of the end.
    pub(crate) fn shape(&self, position: f64, out: &mut [f64]) {
        match self {
            Self::String(ranges) => {
                out.fill(0.0);
                for (range, factor) in ranges {
                    sines(position.clamp(0.0, 1.0), *factor, &mut out[range.clone()]);
                }
            }
            Self::Table(shapes) => {
                let at = position.clamp(0.0, 1.0) * (shapes.len() - 1) as f64;
                let cell = (at as usize).min(shapes.len() - 2);
                interpolate(&shapes[cell], &shapes[cell + 1], at - cell as f64, out);
            }
            Self::Round(shapes) => {
                let at = (position - position.floor()) * shapes.len() as f64;
                let cell = (at as usize).min(shapes.len() - 1);
                interpolate(&shapes[cell], &shapes[(cell + 1) % shapes.len()], at - cell as f64, out);
            }
        }
    }
}

/// Interpolates linearly between two shapes.
fn interpolate(one: &[f64], other: &[f64], fraction: f64, out: &mut [f64]) {
    for ((out, &one), &other) in out.iter_mut().zip(one).zip(other) {
        *out = one + fraction * (other - one);
    }
}

/// Writes factor · sin(πnx), n = 1, 2, …, by rotating a unit vector. A restart every 16 partials keeps the rounding error small.
fn sines(x: f64, factor: f64, out: &mut [f64]) {
    const RESTART: usize = 16;
    let angle = std::f64::consts::PI * x;
    let (step_sin, step_cos) = libm::sincos(angle);
    for (block, chunk) in out.chunks_mut(RESTART).enumerate() {
        let (mut sin, mut cos) = libm::sincos(angle * (block * RESTART + 1) as f64);
        for out in chunk {
            *out = factor * sin;
            (sin, cos) = (sin * step_cos + cos * step_sin, cos * step_cos - sin * step_sin);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_along_a_string_are_sines() {
        let path = Path::String(vec![(2..102, 1.0), (102..202, -0.5)]);
        let mut shape = vec![1.0; 203];
        for position in [0.0, 0.1, 0.372, 0.999, 1.0] {
            path.shape(position, &mut shape);
            assert_eq!((shape[0], shape[1], shape[202]), (0.0, 0.0, 0.0));
            for n in 1..=100 {
                let exact = libm::sin(std::f64::consts::PI * n as f64 * position);
                assert!((shape[n + 1] - exact).abs() < 1e-13, "partial {n} at {position}");
                assert!((shape[n + 101] + 0.5 * exact).abs() < 1e-13, "partial {n} of the second range at {position}");
            }
        }
    }

    #[test]
    fn tables_interpolate_linearly_and_round_paths_close() {
        let rows: Arc<[Vec<f64>]> = vec![vec![0.0], vec![1.0], vec![4.0]].into();
        let mut out = [0.0];
        for (position, expected) in [(-1.0, 0.0), (0.25, 0.5), (0.75, 2.5), (1.0, 4.0), (9.0, 4.0)] {
            Path::Table(rows.clone()).shape(position, &mut out);
            assert_eq!(out[0], expected);
        }
        for (position, expected) in [(0.0, 0.0), (0.5, 2.5), (5.0 / 6.0, 2.0), (1.0, 0.0), (-0.5, 2.5)] {
            Path::Round(rows.clone()).shape(position, &mut out);
            assert!((out[0] - expected).abs() < 1e-12, "{position}");
        }
    }
}
