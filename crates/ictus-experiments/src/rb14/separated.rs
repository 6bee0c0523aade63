//! Adherence order by order: every order has forces of its own that stop its own motion at the points. [handbook §6]
//!
//! F₁ = −A⁻¹E ṽ₁ drives u₁ only; then f₃ from u₁, and F₃ = −A⁻¹E(ṽ₃ + b₂f₃) drives u₃ only; order 5 alike. A_ab = Σ b₂ e_k(a) e_k(b): any number of
//! points, linear solves. A sum of motions that rest at the points rests there too.
//!
//! It is what the series means: F = F₁ + F₃ + … is expanded as u is. Each order is a linear string that is held and driven by lower orders, so that it
//! cannot diverge.

use super::kernel::dot;
use super::series::Series;

/// A point whose mobility, less what other points explain, is below this share of it adds nothing: it lies on another.
const REDUNDANT: f64 = 1e-11;

impl Series {
    /// A step in which all points of `shapes` adhere; gives the forces, summed over the orders.
    pub(super) fn adhere_separately(&mut self, shapes: &[Vec<f64>]) -> Vec<f64> {
        let factor = Factor::new(shapes, |a, b| self.kernel().velocity_by(a, b));
        let mut total = vec![0.0; shapes.len()];
        for index in 0..self.orders.len() {
            if index > 0 {
                self.drive(index);
            }
            let mut forces: Vec<f64> = shapes.iter().map(|shape| -dot(&self.orders[index].v, shape)).collect();
            factor.solve(&mut forces);
            for ((shape, force), total) in shapes.iter().zip(&forces).zip(&mut total) {
                self.push_order(index, shape, *force);
                *total += force;
            }
        }
        total
    }
}

/// Cholesky factor of A, row by row.
struct Factor(Vec<Vec<f64>>);

impl Factor {
    fn new(shapes: &[Vec<f64>], mobility: impl Fn(&[f64], &[f64]) -> f64) -> Self {
        let mut rows: Vec<Vec<f64>> = Vec::with_capacity(shapes.len());
        for (i, shape) in shapes.iter().enumerate() {
            let mut row = vec![0.0; i + 1];
            for j in 0..i {
                let known = dot(&row[..j], &rows[j][..j]);
                let pivot = rows[j][j];
                row[j] = if pivot > 0.0 { (mobility(shape, &shapes[j]) - known) / pivot } else { 0.0 };
            }
            let own = mobility(shape, shape);
            let rest = own - dot(&row[..i], &row[..i]);
            row[i] = if rest > REDUNDANT * own { rest.sqrt() } else { 0.0 };
            rows.push(row);
        }
        Self(rows)
    }

    fn solve(&self, x: &mut [f64]) {
        let n = x.len();
        let divided = |value: f64, pivot: f64| if pivot > 0.0 { value / pivot } else { 0.0 };
        for i in 0..n {
            x[i] = divided(x[i] - dot(&self.0[i][..i], &x[..i]), self.0[i][i]);
        }
        for i in (0..n).rev() {
            let above: f64 = (i + 1..n).map(|j| self.0[j][i] * x[j]).sum();
            x[i] = divided(x[i] - above, self.0[i][i]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::kernel::Kernel;
    use super::super::series::Order;
    use super::super::wire::Wire;
    use super::*;

    #[test]
    fn every_order_rests_at_every_point_also_where_two_are_one() {
        let wire = Wire::steel(30);
        let shapes: Vec<Vec<f64>> = [0.2, 0.36, 0.72, 0.72, 0.91].iter().map(|&place| wire.shape(place)).collect();
        let pushed = wire.shape(0.3);
        let mut series = Series::new(Kernel::new(&wire).unwrap(), Order::Fifth);
        for at in 0..2000 {
            series.free_run();
            series.push(&pushed, if at < 88 { 1000.0 } else { 0.0 });
            if at < 100 {
                series.drive_all();
                continue;
            }
            let forces = series.adhere_separately(&shapes);
            assert!(forces.iter().all(|force| force.is_finite()));
            for order in Order::ALL {
                let motion = series.motion(order).unwrap();
                let fastest = motion.v.iter().fold(0.0f64, |fastest, v| fastest.max(v.abs()));
                for shape in &shapes {
                    assert!(motion.velocity(shape).abs() < 1e-11 * (1.0 + fastest), "{order:?} sample {at}");
                }
            }
        }
        assert!(series.energy() > 0.0);
    }
}
