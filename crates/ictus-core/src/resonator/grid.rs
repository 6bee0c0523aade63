//! The grid of a string: parameters, spacing, differences, interpolation.
//!
//! ρ ü = T u_xx − EI u_xxxx − 2ρσ0 u̇ + 2ρσ1 u̇_xx + η(T u̇_xx − EI u̇_xxxx) + Σ δ(x − x_p) f_p. [D21 §VI; CW14 eq. 37 for η]
//!
//! N intervals of h = L/N, M = N − 1 moving points of mass ρh. Arrays hold M + 4 values: two ghosts, M points, two ghosts, so
//! that `u[1] = u[M+2] = 0` are the ends. Supported ends mirror oddly beyond the end, fixed (clamped) ends evenly.

use super::banded::Banded;
use crate::error::{BuildError, require};
use ictus_kernels::string::{Stores, energy_flexible, energy_stiff, power_flexible};
use ictus_kernels::sum_of_squares;

/// Ghost cells at each end.
pub(crate) const PAD: usize = 2;
/// Relative slack of the stability limit, for rounding in a grid exactly at the limit. The highest mode of N intervals lies
/// (π/2N)² below the limit, which is more than this for every grid allowed.
const LIMIT_SLACK: f64 = 1e-10;
/// A position this close to a grid point, in intervals, counts as on it: fractions i/N are rounded.
const ON_GRID: f64 = 1e-9;
/// Largest number of intervals.
pub(crate) const MAX_INTERVALS: usize = 100_000;

/// Boundary condition at both ends. Without bending stiffness both are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// Displacement and curvature vanish.
    Supported,
    /// Displacement and slope vanish (clamped).
    Fixed,
}

/// Time stepping of a string on a grid: it decides cost, stability and dispersion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stepping {
    /// Computes each point from its neighbours: [`ExplicitString`](crate::ExplicitString).
    Explicit,
    /// Solves for all points together: [`ImplicitString`](crate::ImplicitString).
    Implicit,
}

/// A string in physical units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StringParameters {
    /// L, m.
    pub length: f64,
    /// ρ, mass per length, kg/m.
    pub density: f64,
    /// T, N.
    pub tension: f64,
    /// EI, N m².
    pub stiffness: f64,
    /// σ0, 1/s: the same decay for all partials.
    pub damping: f64,
    /// σ1, m²/s: decay growing with the square of the frequency.
    pub diffusion: f64,
    /// η, s: Kelvin–Voigt loss of the restoring force; midpoint scheme only.
    pub kelvin_voigt: f64,
    /// Boundary conditions.
    pub ends: Ends,
}

/// The spatial grid of a string.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// N.
    pub intervals: usize,
    /// h, m.
    pub spacing: f64,
}

impl StringParameters {
    pub(crate) fn check(&self) -> Result<(), BuildError> {
        let positive = |x: f64| x > 0.0 && x.is_finite();
        let loss = |x: f64| x >= 0.0 && x.is_finite();
        require(positive(self.length), "length", self.length, "a positive length")?;
        require(positive(self.density), "density", self.density, "a positive density")?;
        require(loss(self.tension), "tension", self.tension, "a tension of at least 0")?;
        require(loss(self.stiffness), "stiffness", self.stiffness, "a stiffness of at least 0")?;
        require(
            self.tension > 0.0 || self.stiffness > 0.0,
            "tension",
            self.tension,
            "a positive tension, or a positive bending stiffness",
        )?;
        require(loss(self.damping), "damping", self.damping, "a damping of at least 0")?;
        require(loss(self.diffusion), "diffusion", self.diffusion, "a loss of at least 0")?;
        require(loss(self.kelvin_voigt), "kelvin_voigt", self.kelvin_voigt, "a time of at least 0")
    }

    /// True if these parameters are valid and stable for an explicit string on `grid` that had the `former` ones: its length and its ends stay. Does not allocate.
    pub(super) fn may_follow(&self, former: &Self, grid: &Grid, dt: f64) -> bool {
        let Self { length, density, tension, stiffness, damping, diffusion, ends, .. } = *self;
        let loss = |x: f64| x >= 0.0 && x.is_finite();
        (length, ends) == (former.length, former.ends)
            && density > 0.0
            && density.is_finite()
            && [tension, stiffness, damping, diffusion].into_iter().all(loss)
            && (tension > 0.0 || stiffness > 0.0)
            && grid.allows_explicit(self, dt)
    }

    /// The smallest spacing at which the explicit scheme is stable, m. [handbook §3]
    pub fn spacing_limit(&self, dt: f64) -> f64 {
        let x = self.tension / self.density * dt * dt + 4.0 * self.diffusion * dt;
        let bending = self.stiffness / self.density * dt * dt;
        (0.5 * (x + (x * x + 16.0 * bending).sqrt())).sqrt()
    }

    /// The finest grid on which the explicit scheme is stable; also a good grid for the implicit one.
    pub fn finest(&self, dt: f64) -> Result<Grid, BuildError> {
        let intervals = (self.length / self.spacing_limit(dt) * (1.0 + LIMIT_SLACK)).floor();
        require(
            (3.0..=MAX_INTERVALS as f64).contains(&intervals),
            "number of grid intervals",
            intervals,
            "3 to 100000: the string is too short, or too long, for this sample rate",
        )?;
        Ok(self.grid(intervals as usize))
    }

    /// A grid of `intervals`.
    pub fn grid(&self, intervals: usize) -> Grid {
        Grid { intervals, spacing: self.length / intervals as f64 }
    }

    /// Frequency (Hz) of partial `n` of a supported, lossless string on this grid, with the dispersion of the scheme.
    pub fn grid_frequency(&self, stepping: Stepping, dt: f64, grid: Grid, n: usize) -> f64 {
        let half = libm::sin(0.5 * std::f64::consts::PI * n as f64 / grid.intervals as f64);
        let wave = 4.0 * half * half / (grid.spacing * grid.spacing);
        let omega = ((self.tension * wave + self.stiffness * wave * wave) / self.density).sqrt();
        let x = 0.5 * omega * dt;
        let angle = match stepping {
            Stepping::Explicit => libm::asin(x.min(1.0)),
            Stepping::Implicit => libm::atan(x),
        };
        2.0 * angle / (std::f64::consts::TAU * dt)
    }

    /// The tension (N) at which the fundamental of a supported, lossless string on this grid is exactly `frequency` (Hz).
    /// None if bending stiffness by itself makes it higher.
    pub fn tuned_tension(&self, stepping: Stepping, dt: f64, grid: Grid, frequency: f64) -> Option<f64> {
        let half = libm::sin(0.5 * std::f64::consts::PI / grid.intervals as f64);
        let wave = 4.0 * half * half / (grid.spacing * grid.spacing);
        let angle = std::f64::consts::PI * frequency * dt;
        let x = match stepping {
            Stepping::Explicit => libm::sin(angle),
            Stepping::Implicit => libm::tan(angle),
        };
        let omega = 2.0 * x / dt;
        let tension = (self.density * omega * omega - self.stiffness * wave * wave) / wave;
        (tension > 0.0).then_some(tension)
    }
}

impl StringParameters {
    /// Writes the static shape under a point force at `port`, scaled to `displacement` (m) there, into the padded array `u`.
    pub(super) fn deflect(&self, u: &mut [f64], grid: Grid, port: Weights, displacement: f64) {
        u.fill(0.0);
        for (i, weight) in port.iter() {
            u[i] = weight;
        }
        let h = grid.spacing;
        let matrix = Banded::new(grid.points(), 0.0, self.tension / h, self.stiffness / (h * h * h), self.ends);
        matrix.factorise().solve(&mut u[PAD..PAD + grid.points()]);
        let scale = displacement / port.read(u);
        for u in u.iter_mut() {
            *u *= scale;
        }
        clear_ends(u);
    }
}

impl Grid {
    /// M, the number of moving points.
    pub(crate) fn points(&self) -> usize {
        self.intervals - 1
    }

    /// Length of an array with its ghosts.
    pub(crate) fn len(&self) -> usize {
        self.points() + 2 * PAD
    }

    pub(crate) fn check(&self, parameters: &StringParameters, stepping: Stepping, dt: f64) -> Result<(), BuildError> {
        require(
            (3..=MAX_INTERVALS).contains(&self.intervals),
            "number of grid intervals",
            self.intervals as f64,
            "3 to 100000",
        )?;
        if stepping == Stepping::Explicit {
            let limit = self.limit(parameters, dt);
            require(
                self.intervals as f64 <= limit,
                "number of grid intervals",
                self.intervals as f64,
                format_args!("at most {limit}, the stability limit of the explicit scheme"),
            )?;
        }
        Ok(())
    }

    /// Most intervals at which the explicit scheme is stable.
    fn limit(&self, parameters: &StringParameters, dt: f64) -> f64 {
        (parameters.length / parameters.spacing_limit(dt) * (1.0 + LIMIT_SLACK)).floor()
    }

    /// True if the explicit scheme is stable on this grid and has all losses of the string.
    pub fn allows_explicit(&self, parameters: &StringParameters, dt: f64) -> bool {
        parameters.kelvin_voigt == 0.0 && self.intervals as f64 <= self.limit(parameters, dt)
    }

    /// Weights of linear interpolation at `position`, between 0 and 1. The transpose distributes a force.
    pub(crate) fn interpolate(&self, position: f64) -> Result<Weights, BuildError> {
        require(
            position > 0.0 && position < 1.0,
            "port position",
            position,
            "a fraction of the length between 0 and 1",
        )?;
        Ok(self.spread(position))
    }

    /// As [`interpolate`](Self::interpolate), for positions from 0 to 1, unchecked. At an end all weights are 0.
    pub(crate) fn spread(&self, position: f64) -> Weights {
        let mut cell = position * self.intervals as f64;
        if (cell - cell.round()).abs() < ON_GRID {
            cell = cell.round();
        }
        let node = (cell.floor() as usize).min(self.intervals - 1);
        let fraction = cell - node as f64;
        // the ends do not move
        let share = |node: usize, share: f64| if node >= 1 && node < self.intervals { share } else { 0.0 };
        let at = [node, node + 1].map(|node| (node + PAD - 1).min(self.intervals + PAD - 1));
        Weights { at, share: [share(node, 1.0 - fraction), share(node + 1, fraction)] }
    }
}

/// Interpolation weights of a port: the two grid points around it, as indices into a padded array, and their shares.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weights {
    at: [usize; 2],
    share: [f64; 2],
}

impl Weights {
    /// Points with a share other than 0.
    pub fn iter(&self) -> impl Iterator<Item = (usize, f64)> {
        self.at.into_iter().zip(self.share).filter(|(_, share)| *share != 0.0)
    }

    /// Interpolated value of a padded array.
    pub fn read(&self, values: &[f64]) -> f64 {
        self.share[0] * values[self.at[0]] + self.share[1] * values[self.at[1]]
    }

    /// Interpolated value of the sum of two padded arrays.
    pub fn read_sum(&self, one: &[f64], other: &[f64]) -> f64 {
        let [left, right] = self.at.map(|at| one[at] + other[at]);
        self.share[0] * left + self.share[1] * right
    }

    /// The two points that it reads, counted from 1, with their shares.
    pub fn points(&self) -> [(usize, f64); 2] {
        [0, 1].map(|i| (self.at[i] - (PAD - 1), self.share[i]))
    }

    /// Index of the grid point that the port is on; None between points.
    pub fn node(&self) -> Option<usize> {
        (self.share == [1.0, 0.0]).then_some(self.at[0])
    }

    /// Σ of products of shares in common points.
    pub fn overlap(&self, other: &Weights) -> f64 {
        self.iter().flat_map(|(i, w)| other.iter().map(move |(j, x)| if i == j { w * x } else { 0.0 })).sum()
    }
}

/// A ghost's value over that of its mirror point inside the end.
pub(crate) fn mirrored(ends: Ends) -> f64 {
    match ends {
        Ends::Supported => -1.0,
        Ends::Fixed => 1.0,
    }
}

/// Fills the ghosts, so that the difference operators satisfy the boundary conditions.
pub(crate) fn mirror(u: &mut [f64], ends: Ends) {
    let last = u.len() - 1;
    let sign = mirrored(ends);
    u[0] = sign * u[2];
    u[1] = 0.0;
    u[last - 1] = 0.0;
    u[last] = sign * u[last - 2];
}

/// ½(m Σv² + T/h Σ Δu Δu⁻ + EI/h³ Σ δ²u δ²u⁻ − ρσ1k/h Σ(Δv)²) with u⁻ = u − back·v.
pub(crate) fn energy(u: &[f64], v: &[f64], stores: Stores, ends: Ends) -> f64 {
    let n = u.len() - 2 * PAD;
    // the kernels sum n of the n + 1 intervals; the one after the last point is added here
    let last = stores.interval(-u[n + 1], -v[n + 1]);
    if stores.bending == 0.0 {
        return 0.5 * (energy_flexible(u, v, stores) + last);
    }
    // δ²u at an end is 0, or 2u of the neighbour in a half cell
    let clamped = match ends {
        Ends::Supported => 0.0,
        Ends::Fixed => 2.0,
    };
    let bent = |end: usize, next: usize| {
        let curve = u[next] - 2.0 * u[end];
        stores.bending * (clamped * u[end] - curve) * (u[end] - stores.back * v[end])
    };
    let first = stores.mass * v[PAD] * v[PAD] + stores.interval(u[PAD], v[PAD]) + bent(PAD, PAD + 1);
    0.5 * (energy_stiff(u, v, stores) + first + (last + bent(n + 1, n)))
}

/// uniform Σ v̄² + spread Σ (Δv̄)² + bending Σ (δ²v̄)², W.
pub(crate) fn power(mean: &[f64], uniform: f64, spread: f64, bending: f64, ends: Ends) -> f64 {
    if spread == 0.0 && bending == 0.0 {
        return uniform * sum_of_squares(&mean[PAD..mean.len() - PAD]);
    }
    if bending == 0.0 {
        // the interval after the last point is not in the kernel's sum
        let last = mean[mean.len() - PAD - 1];
        return power_flexible(mean, uniform, spread) + spread * last * last;
    }
    let (mass, tension, bending) = (2.0 * uniform, 2.0 * spread, 2.0 * bending);
    energy(mean, mean, Stores { mass, tension, bending, diffusion: 0.0, back: 0.0 }, ends)
}

/// Writes amplitude · sin(πx) on the padded grid: the lowest mode of a supported string.
pub(crate) fn half_sine(u: &mut [f64], amplitude: f64) {
    let intervals = (u.len() - 2 * PAD + 1) as f64;
    for (i, u) in u.iter_mut().enumerate() {
        *u = amplitude * libm::sin(std::f64::consts::PI * (i as f64 - 1.0) / intervals);
    }
    clear_ends(u);
}

fn clear_ends(u: &mut [f64]) {
    let last = u.len() - 1;
    (u[0], u[1], u[last - 1], u[last]) = (0.0, 0.0, 0.0, 0.0);
}
