//! Two points that are to adhere: both velocities over both forces, and where they vanish together. [RB14 §IV.C]

use super::kernel::Kernel;
use super::published::Root;
use super::series::{Order, Series};
use super::take::Volterra;
use super::wire::Scene;
use crate::contour::level_line;
use ictus_core::BuildError;

/// Guesses along each force from which crossings are sought.
const SEEDS: usize = 13;
/// Newton needs a handful of rounds; a guess that has not arrived by then leads nowhere.
const MAX_ROUNDS: usize = 60;

/// The first sample of adherence of a scene with two fingers, in the published order.
pub(super) struct Pair {
    pub(super) series: Series, // X̃
    pub(super) shapes: Vec<Vec<f64>>,
    /// Beyond the outer roots of each point alone.
    pub(super) reach: f64,
}

/// Velocities on a square grid of forces.
pub(super) struct Sampled {
    cells: usize,
    reach: f64,
    velocities: Vec<[f64; 2]>,
}

impl Pair {
    pub(super) fn new(scene: &Scene) -> Result<Self, BuildError> {
        let series = Series::new(Kernel::new(&scene.wire)?, Order::Third);
        let mut player = Volterra::new(scene, series, Some(Root::Smallest));
        for at in 0..scene.hold.start {
            player.prepare(scene, at);
            player.finish(false);
        }
        let (series, shapes) = player.prepare(scene, scene.hold.start);
        let alone = shapes.iter().filter_map(|shape| series.velocity_polynomial(shape).roots().largest());
        let reach = 1.4 * alone.fold(0.0f64, |most, root| most.max(root.abs()));
        Ok(Self { series: series.clone(), shapes: shapes.to_vec(), reach })
    }

    /// Both velocities under both forces.
    pub(super) fn velocities(&self, forces: [f64; 2]) -> [f64; 2] {
        self.series.velocities_under(&self.shapes, &forces)
    }

    /// On a grid of forces from −reach to reach.
    pub(super) fn sampled(&self, cells: usize, reach: f64) -> Sampled {
        let at = |i: usize| reach * (2.0 * i as f64 / cells as f64 - 1.0);
        let places = (0..=cells).flat_map(|j| (0..=cells).map(move |i| (i, j)));
        let velocities = places.map(|(i, j)| self.velocities([at(i), at(j)])).collect();
        Sampled { cells, reach, velocities }
    }

    /// A crossing near a guess, by Newton's method with differences for slopes.
    fn crossing(&self, guess: [f64; 2]) -> Option<[f64; 2]> {
        let small = 1e-5 * self.reach;
        let mut x = guess;
        for _ in 0..MAX_ROUNDS {
            let value = self.velocities(x);
            let slope = |by: [f64; 2]| {
                let (up, down) =
                    (self.velocities([x[0] + by[0], x[1] + by[1]]), self.velocities([x[0] - by[0], x[1] - by[1]]));
                [0, 1].map(|i| (up[i] - down[i]) / (2.0 * small))
            };
            let (a, b) = (slope([small, 0.0]), slope([0.0, small]));
            let determinant = a[0] * b[1] - b[0] * a[1];
            if determinant == 0.0 {
                return None;
            }
            let change =
                [(value[0] * b[1] - b[0] * value[1]) / determinant, (a[0] * value[1] - value[0] * a[1]) / determinant];
            x = [x[0] - change[0], x[1] - change[1]];
            if change[0].abs().max(change[1].abs()) <= 1e-15 * self.reach {
                return Some(x);
            }
        }
        None
    }

    /// All crossings in sight, the nearest to zero first.
    pub(super) fn crossings(&self) -> Vec<[f64; 2]> {
        let at = |i: usize| self.reach * (2.0 * i as f64 / (SEEDS - 1) as f64 - 1.0);
        let mut found: Vec<[f64; 2]> = Vec::new();
        for (i, j) in (0..SEEDS).flat_map(|i| (0..SEEDS).map(move |j| (i, j))) {
            let Some(x) = self.crossing([at(i), at(j)]) else { continue };
            let inside = x.iter().all(|x| x.abs() <= self.reach);
            let near = |y: &[f64; 2]| (y[0] - x[0]).abs().max((y[1] - x[1]).abs()) < 1e-6 * self.reach;
            if inside && !found.iter().any(near) {
                found.push(x);
            }
        }
        found.sort_by(|a, b| libm::hypot(a[0], a[1]).total_cmp(&libm::hypot(b[0], b[1])));
        found
    }
}

impl Sampled {
    /// Line of equal velocity of one point.
    pub(super) fn level(&self, point: usize, level: f64) -> Vec<(f64, f64)> {
        let index = |x: f64| (0.5 * (x + 1.0) * self.cells as f64).round() as usize;
        let value = |x: f64, y: f64| self.velocities[index(y) * (self.cells + 1) + index(x)][point];
        let line = level_line(self.cells, level, |x, y| Some(value(x, y)));
        line.into_iter().map(|(x, y)| (x * self.reach, y * self.reach)).collect()
    }

    /// Largest |velocity| of one point.
    pub(super) fn most(&self, point: usize) -> f64 {
        self.velocities.iter().fold(0.0, |most, v| f64::max(most, v[point].abs()))
    }
}
