//! Level lines of a function of two variables, by marching squares.

/// Segments of the line f = `level` on a square grid over [−1, 1]², one after another with gaps (not-a-number) between; cells with a corner
/// where `f` is `None` are left out.
pub fn level_line(cells: usize, level: f64, f: impl Fn(f64, f64) -> Option<f64>) -> Vec<(f64, f64)> {
    let at = |i: usize| 2.0 * i as f64 / cells as f64 - 1.0;
    let mut line = Vec::new();
    for row in 0..cells {
        for column in 0..cells {
            let corners = [(column, row), (column + 1, row), (column + 1, row + 1), (column, row + 1)];
            let Some(values) = corners
                .map(|(i, j)| f(at(i), at(j)).map(|value| (at(i), at(j), value - level)))
                .into_iter()
                .collect::<Option<Vec<_>>>()
            else {
                continue;
            };
            let crossings: Vec<(f64, f64)> = (0..4)
                .filter_map(|k| {
                    let ((xa, ya, a), (xb, yb, b)) = (values[k], values[(k + 1) % 4]);
                    ((a < 0.0) != (b < 0.0)).then(|| {
                        let share = a / (a - b);
                        (xa + share * (xb - xa), ya + share * (yb - ya))
                    })
                })
                .collect();
            for pair in crossings.chunks_exact(2) {
                line.extend_from_slice(pair);
                line.push(GAP);
            }
        }
    }
    line
}

/// Interrupts a curve.
pub const GAP: (f64, f64) = (f64::NAN, f64::NAN);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circle_is_found() {
        let line = level_line(50, 0.25, |x, y| Some(x * x + y * y));
        let points: Vec<_> = line.iter().filter(|p| p.0.is_finite()).collect();
        assert!(points.len() > 100);
        assert!(points.iter().all(|(x, y)| (libm::hypot(*x, *y) - 0.5).abs() < 1e-3));
    }
}
