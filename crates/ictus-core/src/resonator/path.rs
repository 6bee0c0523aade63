//! Where a port of a bank can go: its mode shapes along a line.

use crate::error::{BuildError, require};
use std::ops::Range;
use std::sync::Arc;

/// Mode shapes along a line, from place 0 to place 1.
#[derive(Clone, Debug)]
pub enum Path {
    /// Along a string: the modes in each range are a factor times sin(πnx), n = 1, 2, …; all others do not move. One range for a plane, two for a
    /// string that moves in two planes or also turns.
    String(Vec<(Range<usize>, f64)>),
    /// Shapes at even distances, one vector per place, with straight lines between.
    Table(Arc<[Vec<f64>]>),
    /// As [`Path::Table`], where place 1 is place 0 again: round a rim. The table does not repeat its first row.
    Round(Arc<[Vec<f64>]>),
}

impl Path {
    pub(crate) fn check(&self, modes: usize) -> Result<(), BuildError> {
        match self {
            Self::String(ranges) => {
                let end = ranges.iter().map(|(range, _)| range.end).max().unwrap_or(0);
                require(end <= modes, "modes along a path", end as f64, "at most the modes of the body")?;
                let wrong = ranges.iter().filter(|(_, factor)| !factor.is_finite()).count();
                require(wrong == 0, "factors of a path that are no numbers", wrong as f64, "0")
            }
            Self::Table(shapes) | Self::Round(shapes) => {
                require(shapes.len() >= 2, "places along a path", shapes.len() as f64, "at least 2")?;
                let sound = |shape: &Vec<f64>| shape.len() == modes && shape.iter().all(|x| x.is_finite());
                let wrong = shapes.iter().filter(|shape| !sound(shape)).count();
                require(wrong == 0, "places along a path with wrong shapes", wrong as f64, "one finite value per mode")
            }
        }
    }

    /// Writes the shapes at `place`. Beyond the ends of a line they are those of the end.
    pub(crate) fn shape(&self, place: f64, out: &mut [f64]) {
        match self {
            Self::String(ranges) => {
                out.fill(0.0);
                for (range, factor) in ranges {
                    sines(place.clamp(0.0, 1.0), *factor, &mut out[range.clone()]);
                }
            }
            Self::Table(shapes) => {
                let at = place.clamp(0.0, 1.0) * (shapes.len() - 1) as f64;
                let cell = (at as usize).min(shapes.len() - 2);
                between(&shapes[cell], &shapes[cell + 1], at - cell as f64, out);
            }
            Self::Round(shapes) => {
                let at = (place - place.floor()) * shapes.len() as f64;
                let cell = (at as usize).min(shapes.len() - 1);
                between(&shapes[cell], &shapes[(cell + 1) % shapes.len()], at - cell as f64, out);
            }
        }
    }
}

fn between(one: &[f64], other: &[f64], fraction: f64, out: &mut [f64]) {
    for ((out, &one), &other) in out.iter_mut().zip(one).zip(other) {
        *out = one + fraction * (other - one);
    }
}

/// factor · sin(πnx) for n = 1, 2, … by turning a unit vector; a fresh start every 16 partials keeps rounding small.
fn sines(x: f64, factor: f64, out: &mut [f64]) {
    const FRESH: usize = 16;
    let angle = std::f64::consts::PI * x;
    let (turn_sin, turn_cos) = libm::sincos(angle);
    for (block, chunk) in out.chunks_mut(FRESH).enumerate() {
        let (mut sin, mut cos) = libm::sincos(angle * (block * FRESH + 1) as f64);
        for out in chunk {
            *out = factor * sin;
            (sin, cos) = (sin * turn_cos + cos * turn_sin, cos * turn_cos - sin * turn_sin);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_path_gives_its_sines() {
        let path = Path::String(vec![(2..102, 1.0), (102..202, -0.5)]);
        let mut shape = vec![1.0; 203];
        for place in [0.0, 0.1, 0.372, 0.999, 1.0] {
            path.shape(place, &mut shape);
            assert_eq!((shape[0], shape[1], shape[202]), (0.0, 0.0, 0.0));
            for n in 1..=100 {
                let exact = libm::sin(std::f64::consts::PI * n as f64 * place);
                assert!((shape[n + 1] - exact).abs() < 1e-13, "partial {n} at {place}");
                assert!((shape[n + 101] + 0.5 * exact).abs() < 1e-13, "partial {n} of the second range at {place}");
            }
        }
    }

    #[test]
    fn tables_are_straight_between_places_and_rims_close() {
        let rows: Arc<[Vec<f64>]> = vec![vec![0.0], vec![1.0], vec![4.0]].into();
        let mut out = [0.0];
        for (place, expected) in [(-1.0, 0.0), (0.25, 0.5), (0.75, 2.5), (1.0, 4.0), (9.0, 4.0)] {
            Path::Table(rows.clone()).shape(place, &mut out);
            assert_eq!(out[0], expected);
        }
        for (place, expected) in [(0.0, 0.0), (0.5, 2.5), (5.0 / 6.0, 2.0), (1.0, 0.0), (-0.5, 2.5)] {
            Path::Round(rows.clone()).shape(place, &mut out);
            assert!((out[0] - expected).abs() < 1e-12, "{place}");
        }
    }
}
