//! The Green–Volterra series of orders 1, 3 and 5: a bank of the same linear modes for each order. [RB14 Fig. 3]
//!
//! Order n is driven by f_n = γ_k Σ_{p+q+r=n} Σ_ℓ ℓ² u_{p,ℓ} u_{q,ℓ} u_{r,k}, which needs lower orders only:
//! f_3 = −b λ u₁ S₁₁ and f_5 = −b λ (u₃ S₁₁ + 2 u₁ S₁₃), S_pq = Σ λ u_p u_q. Order 2 and 4 vanish.
//!
//! Limits: a shift of frequency appears as a term that grows with time, so that orders 3 and 5 hold only while the phase Δω t is well below 1 rad.

use super::kernel::{Kernel, Motion};
use std::sync::Arc;

/// Highest order of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Order {
    /// The linear string.
    First,
    /// As simulated in the paper.
    Third,
    /// One order more.
    Fifth,
}

impl Order {
    /// All orders.
    pub const ALL: [Self; 3] = [Self::First, Self::Third, Self::Fifth];

    /// The number.
    pub fn number(self) -> usize {
        2 * self as usize + 1
    }
}

/// The motion, order by order.
#[derive(Clone, Debug)]
pub struct Series {
    kernel: Arc<Kernel>,
    /// Motions of orders 1, 3, 5.
    pub(super) orders: Vec<Motion>,
    forces: Vec<f64>,
}

impl Series {
    /// A string at rest.
    pub fn new(kernel: Kernel, order: Order) -> Self {
        let modes = kernel.slopes.len();
        Self {
            kernel: Arc::new(kernel),
            orders: vec![Motion::rest(modes); order as usize + 1],
            forces: vec![0.0; modes],
        }
    }

    /// The same, bent in its lowest mode by q of the orthonormal modes.
    pub fn bent(mut self, q: f64) -> Self {
        self.orders[0].u[0] = q;
        self
    }

    /// One step of everything.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Motion of one order; nothing if the series ends before.
    pub fn motion(&self, order: Order) -> Option<&Motion> {
        self.orders.get(order as usize)
    }

    /// All orders to X̃.
    pub(super) fn free_run(&mut self) {
        for motion in &mut self.orders {
            self.kernel.free_run(motion);
        }
    }

    /// A force at a point drives order 1.
    pub(super) fn push(&mut self, shape: &[f64], force: f64) {
        self.push_order(0, shape, force);
    }

    /// A force at a point drives one order alone.
    pub(super) fn push_order(&mut self, index: usize, shape: &[f64], force: f64) {
        self.kernel.push(&mut self.orders[index], shape, force);
    }

    /// Drives an order by what the orders below it give.
    pub(super) fn drive(&mut self, index: usize) {
        source(&self.kernel, &self.orders[..index], &mut self.forces);
        self.kernel.drive(&mut self.orders[index], &self.forces);
    }

    /// Drives all orders above the first.
    pub(super) fn drive_all(&mut self) {
        (1..self.orders.len()).for_each(|index| self.drive(index));
    }

    /// A step without forces.
    pub fn step_free(&mut self) {
        self.free_run();
        self.drive_all();
    }

    /// Velocity at a point, all orders together.
    pub fn velocity(&self, shape: &[f64]) -> f64 {
        self.orders.iter().map(|motion| motion.velocity(shape)).sum()
    }

    /// Energy of small vibrations, of the sum of all orders.
    pub(super) fn energy(&self) -> f64 {
        let sum = |k: usize, of: fn(&Motion) -> &[f64]| -> f64 { self.orders.iter().map(|motion| of(motion)[k]).sum() };
        let modes = 0..self.forces.len();
        modes.map(|k| self.kernel.energy(k, sum(k, |motion| &motion.u), sum(k, |motion| &motion.v))).sum()
    }
}

/// f_3 from order 1, or f_5 from orders 1 and 3.
pub(super) fn source(kernel: &Kernel, lower: &[Motion], forces: &mut [f64]) {
    let first = &lower[0].u;
    let stretch = stretch(kernel, first, first);
    match lower.get(1) {
        None => {
            for ((force, weight), u) in forces.iter_mut().zip(&kernel.weights).zip(first) {
                *force = weight * u * stretch;
            }
        }
        Some(third) => {
            let mixed = 2.0 * self::stretch(kernel, first, &third.u);
            for (((force, weight), u), third) in forces.iter_mut().zip(&kernel.weights).zip(first).zip(&third.u) {
                *force = weight * (third * stretch + u * mixed);
            }
        }
    }
}

/// S_pq.
pub(super) fn stretch(kernel: &Kernel, p: &[f64], q: &[f64]) -> f64 {
    kernel.slopes.iter().zip(p).zip(q).map(|((slope, p), q)| slope * p * q).sum()
}
