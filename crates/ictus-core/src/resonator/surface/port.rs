//! Ports of a surface: bilinear interpolation between the four points around a position, whose transpose distributes a force; or the mean
//! over the whole surface, whose transpose is a uniform pressure.
//!
//! The mean gives the sound in the far field, on the axis of a surface in a baffle: the pressure is ρ₀A/(2πr) times the mean acceleration (Rayleigh).

use super::domain::Domain;
use super::{Edge, Outline, SurfaceParameters};
use crate::error::{BuildError, require};
use ictus_kernels::dot;
use std::sync::Arc;

/// A position this close to a grid point, in intervals, counts as on it: positions are rounded.
const ON_GRID: f64 = 1e-9;

/// A port of a surface.
#[derive(Clone, Debug)]
pub(super) enum Port {
    /// A position.
    Interpolated(Corners),
    /// The mean over the whole surface.
    Mean {
        /// Area of each point as a share of the whole area; 0 beyond the rim.
        share: Arc<[f64]>,
        /// Number of moving points, each weighted by its share of a whole cell.
        points: f64,
    },
}

impl Port {
    /// The port at a position, or the mean over the surface for `None`.
    pub fn new(domain: &Domain, parameters: &SurfaceParameters, at: Option<[f64; 2]>) -> Result<Self, BuildError> {
        let Some(position) = at else {
            let area = |lightness: &f64| if *lightness > 0.0 { 1.0 / lightness } else { 0.0 };
            let points: f64 = domain.lightness.iter().map(area).sum();
            let share = domain.lightness.iter().map(|lightness| area(lightness) / points).collect();
            return Ok(Self::Mean { share, points });
        };
        Corners::new(domain, parameters, position).map(Self::Interpolated)
    }

    /// Calls `take` with the index and the share of every point whose share is not 0.
    pub fn each(&self, mut take: impl FnMut(usize, f64)) {
        match self {
            Self::Interpolated(corners) => corners.iter().for_each(|(i, share)| take(i, share)),
            Self::Mean { share, .. } => {
                share.iter().enumerate().filter(|(_, share)| **share > 0.0).for_each(|(i, &share)| take(i, share));
            }
        }
    }

    /// Interpolated value, or mean, of an array.
    pub fn read(&self, values: &[f64]) -> f64 {
        match self {
            Self::Interpolated(corners) => corners.read(values),
            Self::Mean { share, .. } => dot(share, &values[..share.len()]),
        }
    }

    /// Index of the grid point that the port is on; None between points.
    pub fn node(&self) -> Option<usize> {
        match self {
            Self::Interpolated(corners) => (corners.share == [1.0, 0.0, 0.0, 0.0]).then_some(corners.at[0]),
            Self::Mean { .. } => None,
        }
    }

    /// Sum of the shares.
    pub fn total(&self) -> f64 {
        match self {
            Self::Interpolated(corners) => corners.total(),
            Self::Mean { .. } => 1.0,
        }
    }

    /// Σ of products of shares in common points, each times the point's lightness. Lightness times area is 1, so the overlap of a mean with a port is the sum of the port's shares
    /// over the number of points.
    pub fn overlap(&self, other: &Self, lightness: &[f64]) -> f64 {
        match (self, other) {
            (Self::Interpolated(a), Self::Interpolated(b)) => a.overlap(b, lightness),
            (Self::Mean { points, .. }, port) | (port, Self::Mean { points, .. }) => port.total() / points,
        }
    }
}

/// Bilinear interpolation: the four points around a position and their shares.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corners {
    at: [usize; 4],
    share: [f64; 4],
}

impl Corners {
    fn new(domain: &Domain, parameters: &SurfaceParameters, position: [f64; 2]) -> Result<Self, BuildError> {
        let inside = match parameters.outline {
            Outline::Rectangle(_) => position.iter().all(|x| (0.0..=1.0).contains(x)),
            Outline::Disc(_) => position[0] * position[0] + position[1] * position[1] <= 1.0,
        };
        let reported = if position[0].abs() > position[1].abs() { position[0] } else { position[1] };
        let expected = match parameters.outline {
            Outline::Rectangle(_) => "fractions of the sides, 0 to 1",
            Outline::Disc(_) => "a point of the unit disc",
        };
        require(inside, "port position", reported, expected)?;
        let [(column, x), (row, y)] = domain.place(position).map(|at| {
            let at = if (at - at.round()).abs() < ON_GRID { at.round() } else { at };
            (at.floor() as isize, at - at.floor())
        });
        let (first, [in_x, in_y]) = domain.node([column, row]);
        let at = [first, first + in_x, first + in_y, first + in_x + in_y].map(|i| i.min(domain.len - 1));
        let mut share = [(1.0 - x) * (1.0 - y), x * (1.0 - y), (1.0 - x) * y, x * y];
        // points on or beyond a held rim do not move
        for (share, &i) in share.iter_mut().zip(&at) {
            *share *= if domain.lightness[i] > 0.0 { 1.0 } else { 0.0 };
        }
        let total: f64 = share.iter().sum();
        require(total > 0.0, "port position", reported, "a point inside the rim, by more than a cell of the grid")?;
        if parameters.edge == Edge::Free {
            // a port in a cell that the free rim cuts moves with the points of the plate
            share.iter_mut().for_each(|share| *share /= total);
        }
        Ok(Self { at, share })
    }

    fn iter(&self) -> impl Iterator<Item = (usize, f64)> {
        self.at.into_iter().zip(self.share).filter(|(_, share)| *share != 0.0)
    }

    fn read(&self, values: &[f64]) -> f64 {
        let [a, b, c, d] = [0, 1, 2, 3].map(|i| self.share[i] * values[self.at[i]]);
        (a + b) + (c + d)
    }

    /// Sum of the shares; below 1 in a cell at a held rim.
    fn total(&self) -> f64 {
        let [a, b, c, d] = self.share;
        (a + b) + (c + d)
    }

    fn overlap(&self, other: &Self, lightness: &[f64]) -> f64 {
        let common = self
            .iter()
            .flat_map(|(i, a)| other.iter().map(move |(j, b)| if i == j { a * b * lightness[i] } else { 0.0 }));
        common.sum()
    }
}

#[cfg(test)]
mod tests {
    use crate::clock::{Clock, Scheme};
    use crate::resonator::Resonator;
    use crate::resonator::surface::{Edge, Outline, Surface, SurfaceGrid, SurfaceParameters};

    /// A force on the mean is a uniform pressure: velocities follow from the mobility, the mobility is symmetric, and the energy balance holds.
    #[test]
    fn mean_port_is_reciprocal_and_balances_energy() {
        let clock = Clock::new(Scheme::Leapfrog, 1.0 / 48_000.0);
        let held = SurfaceParameters {
            outline: Outline::Disc(0.16),
            density: 0.3,
            tension: 2000.0,
            rigidity: 0.0,
            poisson: 0.3,
            damping: 3.0,
            diffusion: 1e-3,
            edge: Edge::Supported,
        };
        let free = SurfaceParameters { tension: 0.0, rigidity: 30.0, density: 10.0, edge: Edge::Free, ..held };
        for parameters in [held, free] {
            let grid = SurfaceGrid { columns: 20, rows: 20 };
            let surface = Surface::new(clock, parameters, grid, &[]).unwrap();
            let surface = surface.with_places(&[Some([0.31, -0.2]), None]).unwrap();
            assert_eq!(surface.mobility(0, 1), surface.mobility(1, 0));
            for pushed in [0, 1] {
                let mut state = vec![0.0; surface.state_len()];
                surface.reset(&mut state);
                let mut balance = 0.0;
                let mut most = 0.0f64;
                for n in 0..200 {
                    let force = if n < 20 { 2.0 } else { 0.0 };
                    let before = surface.energy(&state);
                    let mut free = [0.0; 2];
                    surface.free_velocities(&mut state, &[0, 1], &mut free);
                    let moved = [0, 1].map(|port| free[port] + surface.mobility(port, pushed) * force);
                    let was = [0, 1].map(|port| surface.velocity(&state, port));
                    let lost = surface.advance(&mut state, &[pushed], &[force], true);
                    for port in [0, 1] {
                        let mean = 0.5 * (was[port] + surface.velocity(&state, port));
                        assert!((mean - moved[port]).abs() < 1e-12, "step {n}, port {port}: {mean} {}", moved[port]);
                    }
                    balance += surface.energy(&state) - before - clock.dt * force * moved[pushed] + lost;
                    most = most.max(surface.energy(&state));
                }
                assert!(most > 0.0 && balance.abs() < 1e-11 * most, "{balance} of {most}");
            }
        }
    }
}
