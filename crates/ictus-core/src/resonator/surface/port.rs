//! Bilinear interpolation between the four points around a port; its transpose spreads a force.

use super::domain::Domain;
use super::{Edge, Outline, SurfaceParameters};
use crate::error::{BuildError, require};
use ictus_kernels::surface::block::Spot;

/// A position this close to a grid point, in intervals, is on it.
const ON_GRID: f64 = 1e-9;

/// The four points around a port and their shares.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corners {
    pub at: [usize; 4],
    pub share: [f64; 4],
}

impl Corners {
    pub fn new(domain: &Domain, parameters: &SurfaceParameters, position: [f64; 2]) -> Result<Self, BuildError> {
        let inside = match parameters.outline {
            Outline::Rectangle(_) => position.iter().all(|x| (0.0..=1.0).contains(x)),
            Outline::Disc(_) => position[0] * position[0] + position[1] * position[1] <= 1.0,
        };
        let out = if position[0].abs() > position[1].abs() { position[0] } else { position[1] };
        let expected = match parameters.outline {
            Outline::Rectangle(_) => "fractions of the sides, 0 to 1",
            Outline::Disc(_) => "a point of the unit disc",
        };
        require(inside, "port position", out, expected)?;
        let [(column, x), (row, y)] = domain.place(position).map(|place| {
            let place = if (place - place.round()).abs() < ON_GRID { place.round() } else { place };
            (place.floor() as isize, place - place.floor())
        });
        let (first, [in_x, in_y]) = domain.node([column, row]);
        let at = [first, first + in_x, first + in_y, first + in_x + in_y].map(|i| i.min(domain.len - 1));
        let mut share = [(1.0 - x) * (1.0 - y), x * (1.0 - y), (1.0 - x) * y, x * y];
        // what is held does not move
        for (share, &i) in share.iter_mut().zip(&at) {
            *share *= if domain.lightness[i] > 0.0 { 1.0 } else { 0.0 };
        }
        let total: f64 = share.iter().sum();
        require(total > 0.0, "port position", out, "a point inside the rim, by more than a cell of the grid")?;
        if parameters.edge == Edge::Free {
            // a port over the rim of a staircase moves with the plate all the same
            share.iter_mut().for_each(|share| *share /= total);
        }
        Ok(Self { at, share })
    }

    pub fn iter(&self) -> impl Iterator<Item = (usize, f64)> {
        self.at.into_iter().zip(self.share).filter(|(_, share)| *share != 0.0)
    }

    pub fn read(&self, values: &[f64]) -> f64 {
        let [a, b, c, d] = [0, 1, 2, 3].map(|i| self.share[i] * values[self.at[i]]);
        (a + b) + (c + d)
    }

    /// The same for blocks of steps.
    pub fn spot(&self) -> Spot {
        Spot { at: self.at, share: self.share }
    }

    /// The node it is on, if it is on one.
    pub fn node(&self) -> Option<usize> {
        (self.share == [1.0, 0.0, 0.0, 0.0]).then_some(self.at[0])
    }

    /// Σ of the shares.
    pub fn total(&self) -> f64 {
        let [a, b, c, d] = self.share;
        (a + b) + (c + d)
    }

    /// Σ of products of shares in common points, each times the point's lightness.
    pub fn overlap(&self, other: &Self, lightness: &[f64]) -> f64 {
        let common = self
            .iter()
            .flat_map(|(i, a)| other.iter().map(move |(j, b)| if i == j { a * b * lightness[i] } else { 0.0 }));
        common.sum()
    }
}
