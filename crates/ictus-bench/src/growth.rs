//! Cost as curves: how many things of a kind, and what a sample of all of them takes.

use crate::line::Line;
use crate::scene::RATE;

/// The time of a sample, µs: what takes longer is not real time.
pub const REAL_TIME: f64 = 1e6 / RATE;

/// The cost of a growing number of things.
#[derive(Clone, Debug, PartialEq)]
pub struct Growth {
    /// What grows.
    pub label: &'static str,
    /// How many, and µs per sample, in rising order.
    pub points: Vec<(f64, f64)>,
}

impl Growth {
    /// The exponent between the points at two numbers: 1 where twice as many cost twice as much.
    pub(crate) fn exponent(few: (usize, f64), many: (usize, f64)) -> f64 {
        libm::log(many.1 / few.1) / libm::log(many.0 as f64 / few.0 as f64)
    }
}

/// The curves that measured lines are points of, in the order of the lines.
pub fn growths(lines: &[Line]) -> Vec<Growth> {
    let mut all: Vec<Growth> = Vec::new();
    for line in lines {
        let Some(point) = line.point else { continue };
        let point_of = (point.count as f64, 1e-3 * line.value);
        match all.iter_mut().find(|growth| growth.label == point.curve) {
            // several lines of one measurement are one point
            Some(growth) if growth.points.iter().any(|(count, _)| *count == point_of.0) => {}
            Some(growth) => growth.points.push(point_of),
            None => all.push(Growth { label: point.curve, points: vec![point_of] }),
        }
    }
    for growth in &mut all {
        growth.points.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_make_curves() {
        let line = |curve, count, ns| Line::new("x", ns, "ns").at(curve, count);
        let lines = [
            line("bars", 10, 2000.0),
            Line::new("clock", 3.0, "GHz"),
            line("voices", 1, 50.0),
            line("bars", 1, 300.0),
            line("bars", 10, 2000.0).against("another", 1.0),
        ];
        let expected = [
            Growth { label: "bars", points: vec![(1.0, 0.3), (10.0, 2.0)] },
            Growth { label: "voices", points: vec![(1.0, 0.05)] },
        ];
        let curves = growths(&lines);
        assert_eq!(curves.len(), 2);
        for (curve, expected) in curves.iter().zip(&expected) {
            assert_eq!(curve.label, expected.label);
            let near = |(a, b): (&(f64, f64), &(f64, f64))| a.0 == b.0 && (a.1 - b.1).abs() < 1e-12;
            assert!(curve.points.len() == expected.points.len() && curve.points.iter().zip(&expected.points).all(near));
        }
    }

    #[test]
    fn exponents_are_slopes_on_logarithmic_axes() {
        assert!((Growth::exponent((20, 100.0), (200, 1000.0)) - 1.0).abs() < 1e-12);
        assert!((Growth::exponent((8, 3.0), (64, 192.0)) - 2.0).abs() < 1e-12);
    }
}
