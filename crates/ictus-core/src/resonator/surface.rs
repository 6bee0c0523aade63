//! Membranes and plates by explicit finite differences, in both schemes. [D21 §V–VI, handbook §2–3]
//!
//! ρ ü = T Δu − D ΔΔu − 2ρσ0 u̇ + 2ρσ1 Δu̇ + Σ δ(x − x_p) f_p on a rectangle or a disc.
//!
//! Scheme, per point of mass m = ρh², h² = h_x h_y, with L = h²Δ: v̄ = v + Y(T Lũ − D/h² LLũ + 2ρσ1 Lv − 2ρσ0 h² v + f), Y = 1/(2m/k + 2mσ0), where
//! ũ is the shape at the time of the force: u in leapfrog, half a step ahead, u + k/2·v, in the midpoint scheme. Either way ũ ← ũ + k v; the
//! [explicit string](super::string_explicit) explains why this holds in both schemes.
//! Balance, exact: ΔH = k Σ f v̄ − k(2ρσ0 h² Σ v̄² + 2ρσ1 Σ h²|∇v̄|²), with
//! H = ½m Σ v² + ½ũᵀS ũ⁻ − ½ρσ1 k Σ h²|∇v|², ũ⁻ = ũ − k v the shape one step earlier.
//! Limits: with Q = 4/h_x² + 4/h_y², the largest −Δ of the grid, ¼k²(TQ + DQ²)/ρ + σ1 k Q ≤ 1; for h_x = h_y = h that is
//! h² ≥ ½(X + √(X² + 64 D k²/ρ)), X = 2T k²/ρ + 8σ1 k.
//!
//! The weights of S contain the boundary condition, see [`domain`].

pub(crate) mod air;
mod body;
mod domain;
pub(crate) mod drum;
mod elliptic;
mod port;
mod rim;

pub use body::Surface;
use domain::turn;

use crate::error::{BuildError, require};

/// Relative slack of the stability limit, for rounding in a grid exactly at the limit. The highest mode of n intervals lies (π/2n)² below the limit, which is more
/// than this for every grid allowed.
const LIMIT_SLACK: f64 = 1e-10;
/// Fewest intervals from edge to edge: with fewer not even the lowest mode is accurate.
const FEWEST: usize = 4;
/// Most intervals from edge to edge: more take too long to step.
const MOST: usize = 1000;

/// Outline of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outline {
    /// Sides in x and y, m. Ports are fractions of the sides, from one corner.
    Rectangle([f64; 2]),
    /// Radius, m. Ports are fractions of the radius, from the centre.
    Disc(f64),
}

/// Boundary condition at the rim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// Displacement vanishes; the slope of a plate is free. For membranes the same as clamped.
    Supported,
    /// Displacement and slope vanish.
    Clamped,
    /// Free on all sides; plates without tension only.
    Free,
}

/// A membrane or plate in physical units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceParameters {
    /// Outline.
    pub outline: Outline,
    /// ρ, kg/m².
    pub density: f64,
    /// T, N/m: tension per length of rim.
    pub tension: f64,
    /// D, N m: bending rigidity, E·thickness³/12(1 − ν²).
    pub rigidity: f64,
    /// ν; has an effect at free edges only.
    pub poisson: f64,
    /// σ0, 1/s: the same decay for all modes.
    pub damping: f64,
    /// σ1, m²/s: decay growing with −Δ, that is with the square of a membrane's frequency and with a plate's frequency.
    pub diffusion: f64,
    /// Boundary condition at the rim.
    pub edge: Edge,
}

/// The grid of a surface: intervals from edge to edge in x and y. A disc has equal numbers of both, across its diameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SurfaceGrid {
    /// In x.
    pub columns: usize,
    /// In y.
    pub rows: usize,
}

/// The current shape of a surface: rows of displacements, m.
#[derive(Clone, Copy, Debug)]
pub struct SurfaceShape<'a> {
    /// Displacements, `stride` per row; 0 beyond the rim.
    pub values: &'a [f64],
    /// Greater than 0 at moving points, else 0.
    pub mask: &'a [f64],
    /// Values per row.
    pub stride: usize,
    /// Rows run along y.
    turned: bool,
    /// Column and row of the origin of ports.
    origin: [f64; 2],
    /// Columns and rows per unit of a port's coordinates.
    unit: [f64; 2],
}

impl SurfaceShape<'_> {
    /// Position of a port on the grid in x and in y, in intervals from the first column and row.
    pub fn place(&self, position: [f64; 2]) -> [f64; 2] {
        let (origin, unit) = (turn(self.turned, self.origin), turn(self.turned, self.unit));
        [0, 1].map(|axis| origin[axis] + unit[axis] * position[axis])
    }

    /// Displacement at a port's position, m; 0 beyond the rim.
    pub fn read(&self, position: [f64; 2]) -> f64 {
        let [x, y] = turn(self.turned, self.place(position));
        let rows = self.values.len() / self.stride;
        // the rim to the left may be the last column of the row above
        if !(x >= -1.0 && y >= 1.0) || x > (self.stride - 1) as f64 || y as usize + 2 >= rows {
            return 0.0;
        }
        let first = (y as usize * self.stride).wrapping_add_signed(x.floor() as isize);
        let (x, y) = (x - x.floor(), y - y.floor());
        let at = |i: usize| self.values[first + i];
        (1.0 - y) * ((1.0 - x) * at(0) + x * at(1)) + y * ((1.0 - x) * at(self.stride) + x * at(self.stride + 1))
    }
}

impl SurfaceParameters {
    pub(crate) fn check(&self) -> Result<(), BuildError> {
        let positive = |x: f64| x > 0.0 && x.is_finite();
        let loss = |x: f64| x >= 0.0 && x.is_finite();
        let (what, size) = match self.outline {
            Outline::Rectangle([x, y]) => ("side", x.min(y)),
            Outline::Disc(radius) => ("radius", radius),
        };
        require(positive(size), what, size, "a positive length")?;
        require(positive(self.density), "density", self.density, "a positive density")?;
        require(loss(self.tension), "tension", self.tension, "a tension of at least 0")?;
        require(loss(self.rigidity), "rigidity", self.rigidity, "a rigidity of at least 0")?;
        let restored = self.tension > 0.0 || self.rigidity > 0.0;
        require(restored, "tension", self.tension, "a positive tension, or a positive rigidity")?;
        require(loss(self.damping), "damping", self.damping, "a damping of at least 0")?;
        require(loss(self.diffusion), "diffusion", self.diffusion, "a loss of at least 0")?;
        let free = self.edge == Edge::Free;
        require(!free || self.tension == 0.0, "tension", self.tension, "0 for a surface with free edges")?;
        require(
            !free || (0.0..=0.5).contains(&self.poisson),
            "Poisson's ratio",
            self.poisson,
            "0 to 0.5 for a plate with free edges",
        )?;
        // on a staircase Δu = 0 is not the boundary condition of a round plate
        let round = matches!(self.outline, Outline::Disc(_)) && self.rigidity > 0.0;
        require(
            !(round && self.edge == Edge::Supported),
            "edge of a round plate",
            0.0,
            "clamped or free; a supported round plate is available as a modal bank only",
        )
    }

    /// The smallest square cell at which the scheme is stable, m. [handbook §3]
    pub fn spacing_limit(&self, dt: f64) -> f64 {
        let x = 2.0 * self.tension / self.density * dt * dt + 8.0 * self.diffusion * dt;
        let bending = self.rigidity / self.density * dt * dt;
        (0.5 * (x + (x * x + 64.0 * bending).sqrt())).sqrt()
    }

    fn require_stable(&self, stable: bool, grid: SurfaceGrid, dt: f64) -> Result<(), BuildError> {
        require(
            stable,
            "number of grid intervals",
            grid.columns.max(grid.rows) as f64,
            format_args!("cells of at least {:.3} mm, the stability limit", 1e3 * self.spacing_limit(dt)),
        )
    }

    /// The finest grid that is stable.
    pub fn finest(&self, dt: f64) -> Result<SurfaceGrid, BuildError> {
        self.check()?;
        let limit = self.spacing_limit(dt);
        let fits = |length: f64| {
            let intervals = (length / limit * (1.0 + LIMIT_SLACK)).floor();
            require(
                (FEWEST as f64..=MOST as f64).contains(&intervals),
                "number of grid intervals",
                intervals,
                "4 to 1000 from edge to edge: the surface is too small, or too large, for this sample rate",
            )?;
            Ok(intervals as usize)
        };
        match self.outline {
            Outline::Rectangle([x, y]) => Ok(SurfaceGrid { columns: fits(x)?, rows: fits(y)? }),
            Outline::Disc(radius) => {
                // the staircase determines the spacing, which differs a little from the diameter over the intervals
                let first = fits(2.0 * radius)?;
                let stable =
                    |n: usize| domain::Domain::new(self, SurfaceGrid { columns: n, rows: n }).is_stable(self, dt);
                let found = (FEWEST..=first + 2).rev().find(|&n| stable(n));
                let n = found.unwrap_or(FEWEST);
                Ok(SurfaceGrid { columns: n, rows: n })
            }
        }
    }

    /// Frequency (Hz) of mode (m, n) of a supported, lossless rectangle on `grid`, with the dispersion of the scheme. None for other surfaces.
    pub fn grid_frequency(&self, dt: f64, grid: SurfaceGrid, mode: [usize; 2]) -> Option<f64> {
        let Outline::Rectangle(sides) = self.outline else { return None };
        if self.edge != Edge::Supported && self.rigidity > 0.0 {
            return None;
        }
        let wave: f64 = [(mode[0], grid.columns, sides[0]), (mode[1], grid.rows, sides[1])]
            .map(|(m, intervals, side)| {
                let half = libm::sin(0.5 * std::f64::consts::PI * m as f64 / intervals as f64);
                let spacing = side / intervals as f64;
                4.0 * half * half / (spacing * spacing)
            })
            .iter()
            .sum();
        let omega = ((self.tension * wave + self.rigidity * wave * wave) / self.density).sqrt();
        Some(libm::asin((0.5 * omega * dt).min(1.0)) / (std::f64::consts::PI * dt))
    }
}

impl SurfaceGrid {
    fn check(&self, parameters: &SurfaceParameters, dt: f64) -> Result<(), BuildError> {
        for n in [self.columns, self.rows] {
            require((FEWEST..=MOST).contains(&n), "number of grid intervals", n as f64, "4 to 1000 from edge to edge")?;
        }
        let round = matches!(parameters.outline, Outline::Disc(_));
        require(
            !round || self.columns == self.rows,
            "number of grid intervals",
            self.rows as f64,
            format_args!("{}, as many as in x: the surface is round", self.columns),
        )?;
        // rejects grids far beyond the limit before they are built: the cells of a staircase differ from their nominal size by less than a third
        let sides = match parameters.outline {
            Outline::Rectangle(sides) => sides,
            Outline::Disc(radius) => [2.0 * radius; 2],
        };
        let spacing = (sides[0] / self.columns as f64).max(sides[1] / self.rows as f64);
        parameters.require_stable(1.5 * spacing >= parameters.spacing_limit(dt), *self, dt)
    }
}
