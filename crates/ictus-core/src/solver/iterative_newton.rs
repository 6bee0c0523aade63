//! Iterative Newton: many closed collisions, by Newton on their approach velocities as in [`small_newton`](super::small_newton), with conjugate gradients for its linear step.
//!
//! G = w − w0 + W f, (W + diag 1/F') δf = −G, δw = δf/F'. A step costs a few products with W, n² each, where a factor costs n³/3. The linear step is only solved as far as the
//! quadratic convergence of Newton warrants. A solution is accepted by the residual of the general solver; if the iteration does not converge quickly it yields none, and
//! [`general_newton`](super::general_newton) starts over.

use super::conjugate_gradients::{ConjugateGradients, System};
use super::general_newton::{Outcome, RIGID, Scratch, is_responsive};
use super::small_newton::{Collisions, follow};
use crate::clone_in_place::Reserved;
use crate::interaction::Resolved;
use crate::interaction::collision::point::{Point, Start};
use crate::paths::{Special, takes};
use crate::persist::{Damage, Persist, Source};
use ictus_kernels::symmetric::{product, product_and_scale};
use ictus_kernels::{Aligned, LANES};

/// Evaluations before the general solver takes over.
const EVALUATIONS: u32 = 12;
/// Required reduction of the residual per evaluation.
const MIN_REDUCTION: f64 = 0.5;
/// Error of the linear step relative to that of Newton's.
const MARGIN: f64 = 0.1;
/// Attempts with the contacts that the forces of the last one close.
const ATTEMPTS: usize = 3;

/// Arrays of the solve. Allocated once, for islands that can need it.
#[derive(Debug, Default)]
pub(crate) struct Many {
    /// Closed contacts; the first `count` are valid.
    indices: Vec<usize>,
    next: Vec<usize>,
    /// The contacts whose W `matrix` holds, with padded rows.
    gathered: Reserved<usize>,
    matrix: Aligned,
    starts: Vec<Start>,
    /// It was closed in the last step and is closed now; and its expected approach velocity, m/s.
    goes_on: Vec<bool>,
    expected: Vec<f64>,
    points: Vec<Point>,
    solutions: Vec<Resolved>,
    free: Aligned,
    force: Aligned,
    response: Aligned,
    residual: Aligned,
    scale: Aligned,
    /// 1/F' of the contacts that respond, otherwise 0.
    yielding: Aligned,
    active: Vec<bool>,
    step: Aligned,
    gradients: ConjugateGradients,
}

/// A solve begins anew in every step: a copy has memory of its own and nothing in it.
impl Clone for Many {
    fn clone(&self) -> Self {
        Self::new(self.indices.len())
    }

    fn clone_from(&mut self, _source: &Self) {}
}

impl Persist for Many {
    fn write(&self, _out: &mut Vec<u8>) {}

    fn read(&mut self, _from: &mut Source) -> Result<(), Damage> {
        Ok(())
    }
}

impl Many {
    /// For up to `m` contacts.
    pub fn new(m: usize) -> Self {
        let stride = m.next_multiple_of(LANES);
        let vector = || Aligned::new(0.0, stride);
        Self {
            indices: vec![0; m],
            next: vec![0; m],
            gathered: Reserved::new(m),
            matrix: Aligned::new(0.0, m * stride),
            starts: vec![Start::default(); m],
            goes_on: vec![false; m],
            expected: vec![0.0; m],
            points: vec![Point::default(); m],
            solutions: vec![Resolved::default(); m],
            free: vector(),
            force: vector(),
            response: vector(),
            residual: vector(),
            scale: vector(),
            yielding: vector(),
            active: vec![false; m],
            step: vector(),
            gradients: ConjugateGradients::new(m),
        }
    }
}

/// Solves w = free − W f, f = F(w) for all laws; `None` if it does not converge.
pub(crate) fn solve(laws: &Collisions, w: &[f64], tolerance: f64, all: &mut Scratch) -> Option<Outcome> {
    if !takes(Special::IterativeNewton, 1) {
        return None;
    }
    let mut many = std::mem::take(&mut all.many);
    let outcome = many.solve(laws, w, tolerance, all);
    all.many = many;
    outcome
}

impl Many {
    fn solve(&mut self, laws: &Collisions, w: &[f64], tolerance: f64, all: &mut Scratch) -> Option<Outcome> {
        let m = all.len;
        let mut count = 0;
        for a in 0..m {
            self.indices[count] = a;
            count += usize::from(laws.meets(a, all.free[a]));
        }
        for _ in 0..ATTEMPTS {
            self.gather(laws, w, count, all);
            let iterations =
                Closed { laws, many: self, count, stride: count.next_multiple_of(LANES) }.solve(tolerance)?;
            let (chosen, solutions) = (&self.indices[..count], &self.solutions[..count]);
            let (mut members, mut more) = (0, 0);
            for a in 0..m {
                let solved = chosen.get(members) == Some(&a);
                members += usize::from(solved);
                self.next[more] = a;
                let closes = || {
                    laws.meets(
                        a,
                        all.free[a] - super::small_newton::response(&w[a * m..(a + 1) * m], chosen, solutions),
                    )
                };
                more += usize::from(solved || closes());
            }
            if more == count {
                return Some(Outcome { iterations, ..follow(laws, chosen, solutions, w, all) });
            }
            std::mem::swap(&mut self.indices, &mut self.next);
            count = more;
        }
        None
    }

    /// Forgets W, which has changed.
    pub fn forget(&mut self) {
        self.gathered.clear();
    }

    /// Copies the data of the closed contacts.
    fn gather(&mut self, laws: &Collisions, w: &[f64], count: usize, all: &Scratch) {
        let (m, stride) = (all.len, count.next_multiple_of(LANES));
        let indices = &self.indices[..count];
        for (k, &a) in indices.iter().enumerate() {
            self.starts[k] = laws.start(a);
            self.free[k] = all.free[a];
            let (last, before) = (&all.before[a], &all.resolved[a]);
            self.goes_on[k] = self.starts[k].gap > 0.0 && last.force != 0.0;
            self.expected[k] = if before.force == 0.0 { last.approach } else { 2.0 * last.approach - before.approach };
        }
        if **self.gathered == *indices {
            return;
        }
        for (row, &a) in self.matrix.chunks_exact_mut(stride).zip(indices) {
            let from = &w[a * m..(a + 1) * m];
            for (to, &b) in row.iter_mut().zip(indices) {
                *to = from[b];
            }
            row[count..].fill(0.0);
        }
        self.gathered.clear();
        self.gathered.extend_from_slice(indices);
    }
}

/// The closed contacts being solved.
struct Closed<'a> {
    laws: &'a Collisions<'a>,
    many: &'a mut Many,
    count: usize,
    stride: usize,
}

impl Closed<'_> {
    /// Fills the solutions; returns the number of steps beyond the first.
    fn solve(mut self, tolerance: f64) -> Option<u32> {
        self.begin();
        let mut last = f64::INFINITY;
        for io in 0..EVALUATIONS {
            let misfit = self.misfit();
            // false for NaN
            let gains = misfit <= MIN_REDUCTION * last;
            if misfit <= tolerance || !gains && self.is_rounding(tolerance) {
                for k in 0..self.count {
                    let law = &self.laws.members[self.many.indices[k]].law;
                    self.many.solutions[k] = law.resolved_at(self.many.starts[k], &self.many.points[k]);
                }
                return Some(io.saturating_sub(1));
            }
            if !gains {
                return None;
            }
            self.step(MARGIN * misfit.min(1.0).max(tolerance / misfit));
            last = misfit;
        }
        None
    }

    /// First points: contacts that were closed go on as in the last step; then one after the other those that enter.
    fn begin(&mut self) {
        let Self { laws, many, count, stride } = self;
        let Many { indices, matrix, starts, goes_on, expected, points, free, force, response, .. } = &mut **many;
        let (count, stride) = (*count, *stride);
        for k in 0..count {
            force[k] = 0.0;
            if goes_on[k] {
                let law = &laws.members[indices[k]].law;
                points[k] = law.at_approach(starts[k], expected[k]);
                force[k] = points[k].force;
            }
        }
        product(matrix, stride, &force[..count], response);
        for k in (0..count).filter(|&k| !goes_on[k]) {
            let (law, state) = (&laws.members[indices[k]].law, laws.state(indices[k]));
            let row = &matrix[k * stride..][..count];
            points[k] = law.first(state, starts[k], free[k] - response[k], row[k]);
            if points[k].force != 0.0 {
                response.iter_mut().zip(row).for_each(|(response, w)| *response += w * points[k].force);
            }
        }
    }

    /// Computes G and returns its largest entry relative to its terms.
    fn misfit(&mut self) -> f64 {
        let Many { matrix, points, free, force, residual, scale, .. } = &mut *self.many;
        let count = self.count;
        for k in 0..count {
            force[k] = points[k].force;
        }
        product_and_scale(matrix, self.stride, &force[..count], residual, scale);
        let mut fastest: f64 = 0.0;
        for k in 0..count {
            let approach = points[k].approach;
            residual[k] += approach - free[k];
            scale[k] += approach.abs() + free[k].abs();
            fastest = fastest.max(scale[k]);
        }
        let mut worst: f64 = 0.0;
        for k in 0..count {
            scale[k] += f64::EPSILON * fastest;
            let relative = residual[k].abs() / scale[k];
            if relative.is_nan() {
                return f64::NAN;
            }
            worst = worst.max(relative);
        }
        worst
    }

    /// True if G is within `tolerance` of its terms and of the rounding they inherit from their neighbours.
    fn is_rounding(&mut self, tolerance: f64) -> bool {
        let Many { matrix, points, residual, scale, force, .. } = &*self.many;
        let (count, stride) = (self.count, self.stride);
        let inherited = |j: usize| {
            let slope = points[j].slope;
            scale[j] * slope / (1.0 + matrix[j * stride + j] * slope)
        };
        (0..count).all(|k| {
            let others = (0..count).filter(|&j| j != k && force[j] != 0.0);
            let scale = scale[k] + others.map(|j| matrix[k * stride + j].abs() * inherited(j)).sum::<f64>();
            residual[k].abs() <= tolerance * scale
        })
    }

    /// A Newton step whose linear part is accurate to `share`, and the laws at its end.
    fn step(&mut self, share: f64) {
        let Self { laws, many, count, stride } = self;
        let Many { indices, matrix, starts, points, residual, response, yielding, active, step, gradients, .. } =
            &mut **many;
        let (count, stride) = (*count, *stride);
        let mut all_active = true;
        for k in 0..count {
            let (slope, own) = (points[k].slope, matrix[k * stride + k]);
            active[k] = is_responsive(slope, own);
            all_active &= active[k];
            yielding[k] = if active[k] { (1.0 / slope).max(RIGID * own) } else { 0.0 };
            step[k] = if active[k] { -residual[k] } else { 0.0 };
        }
        let system = System { matrix, stride, yielding, active: &active[..count] };
        gradients.solve(system, share, &mut step[..count]);
        if !all_active {
            product(matrix, stride, &step[..count], response);
        }
        for k in 0..count {
            let by = if active[k] { step[k] * yielding[k] } else { -residual[k] - response[k] };
            points[k] = laws.members[indices[k]].law.evaluate(starts[k], &points[k], by);
        }
    }
}
