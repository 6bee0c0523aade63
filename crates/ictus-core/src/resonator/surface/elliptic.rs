//! Static shapes and lowest modes of surfaces with held edges: S u = f by conjugate gradients, the lowest eigenvalue by inverse iteration. For building and
//! deflecting a body, never in a step.

use super::domain::Domain;
use ictus_kernels::surface::{Point, curvature, flexible, stiff};
use ictus_kernels::{dot, sum_of_squares};

/// Relative residual of a static shape.
const SOLVED: f64 = 1e-13;
/// Relative change of the lowest eigenvalue at which the iteration ends.
const SETTLED: f64 = 1e-12;
/// Most steps of conjugate gradients: a plate of 100 cells across needs some ten thousand.
const MOST_STEPS: usize = 40_000;
/// Most inverse iterations: the two lowest eigenvalues differ by a factor of 2 or more, so fewer suffice.
const MOST_ROUNDS: usize = 60;

/// S = tension·(−L) + bending·L B L.
#[derive(Clone, Copy, Debug)]
pub(super) struct Elastic {
    pub tension: f64,
    pub bending: f64,
}

impl Elastic {
    /// Writes S u at the moving points to `work.image`.
    fn apply(self, domain: &Domain, u: &[f64], work: &mut Work) {
        let Work { still, bent, image } = work;
        let point = Point { tension: -self.tension, bending: -self.bending, diffusion: 0.0, drag: 0.0 };
        if self.bending == 0.0 {
            return flexible(u, still, &domain.lightness, domain.lattice, point, image);
        }
        curvature(u, &domain.bent, domain.lattice, bent);
        stiff(bent, still, &domain.lightness, domain.lattice, point, image);
    }
}

/// Scratch arrays of [`Elastic::apply`].
struct Work {
    /// Zero velocities.
    still: Vec<f64>,
    bent: Vec<f64>,
    /// S u.
    image: Vec<f64>,
}

/// Solves S u = load, starting from `u`.
pub(super) fn solve(domain: &Domain, elastic: Elastic, load: &[f64], u: &mut [f64]) {
    let [still, bent, image] = [(); 3].map(|()| vec![0.0; domain.len]);
    let mut work = Work { still, bent, image };
    elastic.apply(domain, u, &mut work);
    let mut residual: Vec<f64> = load.iter().zip(&work.image).map(|(f, s)| f - s).collect();
    let mut direction = residual.clone();
    let goal = SOLVED * SOLVED * sum_of_squares(load);
    let mut size = sum_of_squares(&residual);
    for _ in 0..MOST_STEPS {
        if size <= goal {
            break;
        }
        elastic.apply(domain, &direction, &mut work);
        let step = size / dot(&direction, &work.image);
        for (u, d) in u.iter_mut().zip(&direction) {
            *u += step * d;
        }
        for (r, s) in residual.iter_mut().zip(&work.image) {
            *r -= step * s;
        }
        let next = sum_of_squares(&residual);
        let ratio = next / size;
        size = next;
        for (d, r) in direction.iter_mut().zip(&residual) {
            *d = r + ratio * *d;
        }
    }
}

/// Returns the lowest eigenvalue of S. `shape` is the initial guess on entry and the mode on return, with the largest absolute value 1.
pub(super) fn lowest(domain: &Domain, elastic: Elastic, shape: &mut [f64]) -> f64 {
    let mut eigenvalue = f64::INFINITY;
    for _ in 0..MOST_ROUNDS {
        let size = sum_of_squares(shape).sqrt();
        shape.iter_mut().for_each(|x| *x /= size);
        let load = shape.to_vec();
        if eigenvalue.is_finite() {
            shape.iter_mut().for_each(|x| *x /= eigenvalue);
        }
        solve(domain, elastic, &load, shape);
        let found = 1.0 / dot(shape, &load);
        let done = (found / eigenvalue - 1.0).abs() < SETTLED;
        eigenvalue = found;
        if done {
            break;
        }
    }
    let largest = shape.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    shape.iter_mut().for_each(|x| *x /= largest);
    eigenvalue
}
