//! Adherence as published: one force F drives the string so that the velocity of the point vanishes over all orders together. [RB14 eq. 9]
//!
//! The velocity after the step is a polynomial in F of the degree of the series, because u₁ = ũ₁ + B₀eF is linear in F and the sources are powers of it.
//! The root nearest to zero is taken. [RB14 Fig. 4]
//!
//! Limits: F cancels v₁ + v₃ but drives u₁, so that u₃ feeds back into u₁, which it should not: the motion diverges when it is large [handbook §6].

use super::polynomial::Polynomial;
use super::series::{Series, stretch};

/// Which root of the polynomial is the force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    /// The nearest to zero, as published.
    Smallest,
    /// The farthest from zero.
    Largest,
}

impl Series {
    /// The velocity at a point as a polynomial in a force there, from X̃ on. [RB14 eq. 8]
    pub(super) fn velocity_polynomial(&self, shape: &[f64]) -> Polynomial {
        let kernel = self.kernel();
        let (first, by) = (&self.orders[0].u, kernel.displaced(shape));
        let mut velocity = Polynomial::new(&[self.velocity(shape), kernel.velocity_by(shape, shape)]);
        if self.orders.len() == 1 {
            return velocity;
        }
        // velocity by a source γ_k x_k
        let heard = |x: &[f64]| {
            let forces: Vec<f64> = kernel.weights.iter().zip(x).map(|(weight, x)| weight * x).collect();
            kernel.velocity_by(shape, &forces)
        };
        let linear = Polynomial::new(&[heard(first), heard(&by)]);
        let squares = |p: &[f64], q: &[f64]| stretch(kernel, p, q);
        let s11 = Polynomial::new(&[squares(first, first), 2.0 * squares(first, &by), squares(&by, &by)]);
        velocity = velocity + linear * s11;
        let Some(third) = self.orders.get(2).map(|_| &self.orders[1].u) else { return velocity };
        // u₃ = ũ₃ + r u₁ S₁₁ with r_k = B₀ γ_k
        let response: Vec<f64> = kernel.weights.iter().enumerate().map(|(k, w)| w * kernel.displacing(k)).collect();
        let times = |x: &[f64]| -> Vec<f64> { response.iter().zip(x).map(|(r, x)| r * x).collect() };
        let (held, moved) = (times(first), times(&by));
        let s13 = Polynomial::new(&[squares(first, third), squares(&by, third)])
            + s11
                * Polynomial::new(&[
                    squares(first, &held),
                    squares(first, &moved) + squares(&by, &held),
                    squares(&by, &moved),
                ]);
        let third = Polynomial::new(&[heard(third)]) + s11 * Polynomial::new(&[heard(&held), heard(&moved)]);
        velocity + third * s11 + linear * s13 * Polynomial::new(&[2.0])
    }

    /// A step in which the point of `shape` adheres; `None` where no force can stop it, which happens only where numbers overflow.
    pub(super) fn adhere(&mut self, shape: &[f64], root: Root) -> Option<f64> {
        let roots = self.velocity_polynomial(shape).roots();
        let force = match root {
            Root::Smallest => roots.smallest(),
            Root::Largest => roots.largest(),
        }?;
        self.push(shape, force);
        self.drive_all();
        Some(force)
    }

    /// Velocities at two points if forces act there, from X̃ on. [RB14 §IV.C]
    pub(super) fn velocities_under(&self, shapes: &[Vec<f64>], forces: &[f64; 2]) -> [f64; 2] {
        let mut trial = self.clone();
        for (shape, force) in shapes.iter().zip(forces) {
            trial.push(shape, *force);
        }
        trial.drive_all();
        [0, 1].map(|i| trial.velocity(&shapes[i]))
    }
}

#[cfg(test)]
mod tests {
    use super::super::kernel::Kernel;
    use super::super::series::Order;
    use super::super::wire::Wire;
    use super::*;

    #[test]
    fn the_polynomial_is_what_a_step_gives() {
        let wire = Wire::steel(12);
        let (shape, pushed) = (wire.shape(0.72), wire.shape(0.3));
        for order in Order::ALL {
            let mut series = Series::new(Kernel::new(&wire).unwrap(), order);
            for at in 0..300 {
                series.free_run();
                series.push(&pushed, if at < 40 { 900.0 } else { 0.0 });
                series.drive_all();
            }
            series.free_run();
            let polynomial = series.velocity_polynomial(&shape);
            for force in [-4e5, -3e3, 0.0, 1.0, 2e4, 9e5] {
                let shapes = [shape.clone(), shape.clone()];
                let (direct, fast) = (series.velocities_under(&shapes, &[force, 0.0])[0], polynomial.at(force));
                assert!((direct - fast).abs() < 1e-11 * (1.0 + direct.abs()), "{order:?} {force}: {direct} {fast}");
            }
            let force = series.adhere(&shape, Root::Smallest).unwrap();
            assert!(force.abs() > 0.1 && series.velocity(&shape).abs() < 1e-12, "{order:?}");
        }
    }
}
