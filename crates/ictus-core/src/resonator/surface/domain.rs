//! The lattice of a surface: which points move, and the weights that express the boundary condition.
//!
//! Held edges: u = 0 on and beyond the rim, S = T·(−L) + D/h²·L B L. B is 1 at moving points. At the points just outside, where Lu is the value of
//! the neighbour inside, it is 0 for a supported rim (Δu = 0 there), 2 for a clamped one: half a cell with the mirrored curvature 2u.
//!
//! Free edges: D/2 ∫ (u_xx² + u_yy² + 2ν u_xx u_yy + 2(1 − ν) u_xy²), point by point with the share of each cell that belongs to the plate. Where
//! the neighbour to one side is missing the moment across the edge vanishes, u_nn = −ν u_tt, which leaves (1 − ν²) u_tt². Edge points weigh ½, corners ¼.
//!
//! Held discs are staircases. Their pitch depends on the effective radius of the staircase, so the spacing is chosen such that the lowest eigenvalue of the
//! staircase is that of the disc. Free discs have cells cut by the circle, see [`rim`](super::rim).

use super::elliptic::{self, Elastic};
use super::rim::Rim;
use super::{Edge, LIMIT_SLACK, Outline, SurfaceGrid, SurfaceParameters, SurfaceShape};
use ictus_kernels::free_plate::Weights;
use ictus_kernels::surface::{Lattice, Plan};
use ictus_kernels::{Aligned, LANES, spaced};

/// Rows without moving points above and below the grid.
const ROW_PAD: usize = 2;

/// The lowest root of J0, which gives the lowest mode of a round membrane.
const MEMBRANE_ROOT: f64 = 2.404_825_557_695_773;
/// The lowest root of J0 I1 + I0 J1, which gives the lowest mode of a clamped disc.
const CLAMPED_ROOT: f64 = 3.196_220_616_582_541;

/// Most cells across a disc for which the lowest eigenvalue is computed; larger discs use the next two constants.
const COMPUTED: usize = 64;
/// Distance of a membrane's effective rim from the circle inscribed in the grid, in cells. Scatters by 0.03 beyond `COMPUTED`, a cent or two of pitch.
const MEMBRANE_RIM: f64 = 0.31;
/// As [`MEMBRANE_RIM`], of a clamped plate.
const CLAMPED_RIM: f64 = 0.68;

/// The points of a surface and their weights. Rows run along the longer side: along y if a rectangle has more intervals there. A row is a whole number of
/// cache lines; if the rim neither moves nor bends, the rim point to the right of a row is also the one to the left of the next.
#[derive(Clone, Debug)]
pub(super) struct Domain {
    pub lattice: Lattice,
    /// Order in which a step visits the points.
    pub plan: Plan,
    /// h_x, h_y, m.
    pub spacing: [f64; 2],
    /// Length of every array.
    pub len: usize,
    /// 1 over the share of a point's cell that belongs to the surface; 0 at points that do not move.
    pub lightness: Aligned,
    /// B; empty without bending or with free edges.
    pub bent: Aligned,
    pub free: Option<FreeWeights>,
    /// Upper bound of the largest bending eigenvalue over that of an uncut lattice, at least 1.
    steepness: f64,
    /// Rows run along y.
    turned: bool,
    /// Intervals in a row, and number of such rows.
    intervals: [usize; 2],
    /// Column of the left rim: −1 if it is the last column of the row above.
    left: isize,
    /// Column and row of the origin of ports.
    origin: [f64; 2],
    /// Columns and rows per unit of a port's coordinates.
    unit: [f64; 2],
}

/// Weights of a plate with free edges, as in [`Weights`].
#[derive(Clone, Debug)]
pub(super) struct FreeWeights {
    across: Aligned,
    along: Aligned,
    poisson: Aligned,
    twist: Aligned,
    right: Aligned,
    below: Aligned,
    area: Aligned,
}

/// Number of scratch arrays in the state: curvature of a plate with a held edge, three moments of a free one.
pub(super) fn scratch_arrays(parameters: &SurfaceParameters) -> usize {
    match parameters.edge {
        Edge::Free => 3,
        _ => usize::from(parameters.rigidity > 0.0),
    }
}

impl Domain {
    /// The lattice of a surface on `grid`.
    pub fn new(parameters: &SurfaceParameters, grid: SurfaceGrid) -> Self {
        let mut domain =
            if parameters.edge == Edge::Free { Self::free(parameters, grid) } else { Self::held(parameters, grid) };
        // points that move or bend, and the rim to the left and above, where the sums of losses begin
        let moves = |i: usize| domain.lightness[i] > 0.0;
        let stride = domain.lattice.stride;
        let matters = |i: usize| {
            moves(i) || moves(i + 1) || moves(i + stride) || domain.bent.get(i).is_some_and(|bent| *bent > 0.0)
        };
        domain.plan = Plan::new(domain.len, stride, matters)
            .with_whole(|i| domain.lightness[i] == 1.0 && domain.bent.get(i).is_none_or(|weight| *weight == 1.0));
        domain
    }

    /// The lattice of `grid` with its padding, without moving points.
    fn empty(parameters: &SurfaceParameters, grid: SurfaceGrid) -> Self {
        let (sides, disc) = match parameters.outline {
            Outline::Rectangle(sides) => (sides, false),
            Outline::Disc(radius) => ([2.0 * radius; 2], true),
        };
        let spacing = [sides[0] / grid.columns as f64, sides[1] / grid.rows as f64];
        let turned = grid.rows > grid.columns;
        let intervals = turn(turned, [grid.columns, grid.rows]);
        let [in_row, between] = turn(turned, spacing);
        let [columns, rows] = intervals;
        let (left, points) = match parameters.edge {
            Edge::Free => (0, columns + 2),
            Edge::Clamped => (0, columns + 1),
            Edge::Supported => (-1, columns),
        };
        let stride = points.next_multiple_of(LANES);
        let arrays = 3 + scratch_arrays(parameters);
        let len = spaced(stride * (rows + 1 + 2 * ROW_PAD), arrays);
        let first = [f64::from(left), ROW_PAD as f64];
        Self {
            lattice: Lattice { stride, across: between / in_row, along: in_row / between },
            plan: Plan::new(0, stride, |_| false),
            spacing,
            len,
            lightness: Aligned::new(0.0, len),
            bent: Aligned::default(),
            free: None,
            steepness: 1.0,
            turned,
            intervals,
            left: left as isize,
            origin: [0, 1].map(|axis| first[axis] + if disc { 0.5 * intervals[axis] as f64 } else { 0.0 }),
            unit: intervals.map(|n| if disc { 0.5 * n as f64 } else { n as f64 }),
        }
    }

    /// Index of the point `column` and `row` intervals from the rim.
    fn index(&self, column: usize, row: usize) -> usize {
        ((row + ROW_PAD) * self.lattice.stride + column).wrapping_add_signed(self.left)
    }

    /// A surface with a supported or clamped edge.
    fn held(parameters: &SurfaceParameters, grid: SurfaceGrid) -> Self {
        let mut domain = Self::empty(parameters, grid);
        let stride = domain.lattice.stride;
        let [columns, rows] = domain.intervals;
        for row in 1..rows {
            for column in 1..columns {
                let inside = match parameters.outline {
                    Outline::Rectangle(_) => true,
                    Outline::Disc(_) => within(grid, column as f64, row as f64),
                };
                if inside {
                    let at = domain.index(column, row);
                    domain.lightness[at] = 1.0;
                }
            }
        }
        if parameters.rigidity > 0.0 {
            domain.bent = domain.lightness.clone();
            if parameters.edge == Edge::Clamped {
                // on a staircase the rim lies between the points, and a whole cell of u, not half a cell of 2u, preserves the stability limit
                let rim = if matches!(parameters.outline, Outline::Disc(_)) { 1.0 } else { 2.0 };
                for i in stride..domain.len - stride {
                    let near = [i - 1, i + 1, i - stride, i + stride];
                    if domain.lightness[i] == 0.0 && near.iter().any(|&j| domain.lightness[j] > 0.0) {
                        domain.bent[i] = rim;
                    }
                }
            }
        }
        if let Outline::Disc(radius) = parameters.outline {
            domain.calibrate(parameters, radius, grid.columns);
        }
        domain
    }

    /// Scales the staircase so that its lowest eigenvalue is that of the disc.
    fn calibrate(&mut self, parameters: &SurfaceParameters, radius: f64, cells: usize) {
        let clamped = parameters.rigidity > 0.0 && parameters.edge == Edge::Clamped && parameters.tension == 0.0;
        if cells > COMPUTED {
            let rim = if clamped { CLAMPED_RIM } else { MEMBRANE_RIM };
            return self.rescale(radius / (0.5 * cells as f64 + rim), radius);
        }
        // in intervals: λ of −L, or of L B L
        let unit =
            if clamped { Elastic { tension: 0.0, bending: 1.0 } } else { Elastic { tension: 1.0, bending: 0.0 } };
        let mut shape = self.bump();
        let lowest = elliptic::lowest(self, unit, &mut shape);
        let spacing =
            if clamped { lowest.sqrt().sqrt() * radius / CLAMPED_ROOT } else { lowest.sqrt() * radius / MEMBRANE_ROOT };
        self.rescale(spacing, radius);
    }

    fn rescale(&mut self, spacing: f64, radius: f64) {
        self.spacing = [spacing; 2];
        self.unit = [radius / spacing; 2];
    }

    /// A shape of one sign that vanishes at the rim: the initial guess of the lowest mode.
    pub fn bump(&self) -> Vec<f64> {
        let [columns, rows] = self.intervals;
        let half = |i: usize, n: usize| libm::sin(std::f64::consts::PI * i as f64 / n as f64);
        let mut bump = vec![0.0; self.len];
        for row in 1..rows {
            for column in 1..columns {
                let at = self.index(column, row);
                if self.lightness[at] > 0.0 {
                    bump[at] = half(column, columns) * half(row, rows);
                }
            }
        }
        bump
    }

    /// A round plate with a free edge.
    fn cut(parameters: &SurfaceParameters, grid: SurfaceGrid) -> Self {
        let mut domain = Self::empty(parameters, grid);
        let rim = Rim::new(grid.columns, parameters.poisson);
        let mut weights = FreeWeights::new(domain.len);
        let points = grid.columns + 1;
        for from in 0..points * points {
            let at = domain.index(from % points, from / points);
            weights.across[at] = rim.across[from];
            weights.along[at] = rim.along[from];
            weights.poisson[at] = parameters.poisson * rim.both[from];
            weights.twist[at] = 2.0 * (1.0 - parameters.poisson) * rim.twist[from];
            weights.area[at] = rim.mass[from];
            domain.lightness[at] = if rim.mass[from] > 0.0 { 1.0 / rim.mass[from] } else { 0.0 };
        }
        // the smaller area of two neighbours: then the largest eigenvalue of the loss does not exceed that of an uncut lattice
        for i in 0..domain.len - domain.lattice.stride {
            weights.right[i] = weights.area[i].min(weights.area[i + 1]);
            weights.below[i] = weights.area[i].min(weights.area[i + domain.lattice.stride]);
        }
        domain.steepness = rim.steepness;
        domain.free = Some(weights);
        domain
    }

    /// A plate with free edges.
    fn free(parameters: &SurfaceParameters, grid: SurfaceGrid) -> Self {
        if matches!(parameters.outline, Outline::Disc(_)) {
            return Self::cut(parameters, grid);
        }
        let mut domain = Self::empty(parameters, grid);
        let stride = domain.lattice.stride;
        // a cell has the index of its upper left point
        let mut cells = vec![false; domain.len];
        let [columns, rows] = domain.intervals;
        for row in 0..rows {
            for column in 0..columns {
                cells[domain.index(column, row)] = true;
            }
        }
        let Lattice { across, along, .. } = domain.lattice;
        let share = |cells: &[bool], which: &[usize]| which.iter().filter(|&&i| cells[i]).count() as f64;
        let mut weights = FreeWeights::new(domain.len);
        let nu = parameters.poisson;
        for i in stride + 1..domain.len - stride - 1 {
            let area = 0.25 * share(&cells, &[i, i - 1, i - stride, i - stride - 1]);
            weights.area[i] = area;
            weights.right[i] = 0.5 * across * share(&cells, &[i, i - stride]);
            weights.below[i] = 0.5 * along * share(&cells, &[i, i - 1]);
            weights.twist[i] = if cells[i] { 2.0 * (1.0 - nu) } else { 0.0 };
            domain.lightness[i] = if area > 0.0 { 1.0 / area } else { 0.0 };
        }
        for i in stride + 1..domain.len - stride - 1 {
            let area = weights.area[i];
            let exists = |j: usize| weights.area[j] > 0.0;
            let (x, y) = (exists(i - 1) && exists(i + 1), exists(i - stride) && exists(i + stride));
            let at_edge = 1.0 - nu * nu;
            weights.across[i] = if x { area * across * across * if y { 1.0 } else { at_edge } } else { 0.0 };
            weights.along[i] = if y { area * along * along * if x { 1.0 } else { at_edge } } else { 0.0 };
            weights.poisson[i] = if x && y { area * nu } else { 0.0 };
        }
        domain.free = Some(weights);
        domain
    }

    /// Weights for the kernels of free plates; None for held edges.
    pub fn weights(&self) -> Option<Weights<'_>> {
        let free = self.free.as_ref()?;
        Some(Weights {
            across: &free.across,
            along: &free.along,
            poisson: &free.poisson,
            twist: &free.twist,
            right: &free.right,
            below: &free.below,
            area: &free.area,
            lightness: &self.lightness,
        })
    }

    /// h_x h_y, m².
    pub fn cell(&self) -> f64 {
        self.spacing[0] * self.spacing[1]
    }

    pub fn is_stable(&self, parameters: &SurfaceParameters, dt: f64) -> bool {
        self.load(parameters, dt) <= 1.0 + LIMIT_SLACK
    }

    /// Used share of the stability limit: stable up to 1.
    pub fn load(&self, parameters: &SurfaceParameters, dt: f64) -> f64 {
        let steepest: f64 = self.spacing.iter().map(|h| 4.0 / (h * h)).sum();
        let SurfaceParameters { density, tension, rigidity, diffusion, .. } = *parameters;
        let elastic = (tension * steepest + self.steepness * rigidity * steepest * steepest) / density;
        0.25 * dt * dt * elastic + diffusion * dt * steepest
    }

    /// Position of a port in x and in y, in intervals from the first column and row of the arrays.
    pub fn place(&self, position: [f64; 2]) -> [f64; 2] {
        self.surface_shape(&[]).place(position)
    }

    /// Index of the point at the whole numbers `at` of a [`place`](Self::place), and the index distances of neighbours in x and in y.
    pub fn node(&self, at: [isize; 2]) -> (usize, [usize; 2]) {
        let steps = turn(self.turned, [1, self.lattice.stride]);
        let [column, row] = turn(self.turned, at);
        ((row * self.lattice.stride as isize + column) as usize, steps)
    }

    /// The grid point nearest to a port's position, in the coordinates of ports.
    pub fn nearest_node(&self, position: [f64; 2]) -> [f64; 2] {
        let (at, origin, unit) = (self.place(position), turn(self.turned, self.origin), turn(self.turned, self.unit));
        [0, 1].map(|axis| (at[axis].round() - origin[axis]) / unit[axis])
    }

    /// The shape of displacements `values`, m.
    pub fn surface_shape<'a>(&'a self, values: &'a [f64]) -> SurfaceShape<'a> {
        SurfaceShape {
            values: &values[..self.len.min(values.len())],
            mask: &self.lightness,
            stride: self.lattice.stride,
            turned: self.turned,
            origin: self.origin,
            unit: self.unit,
        }
    }
}

impl FreeWeights {
    fn new(len: usize) -> Self {
        let zero = || Aligned::new(0.0, len);
        Self {
            across: zero(),
            along: zero(),
            poisson: zero(),
            twist: zero(),
            right: zero(),
            below: zero(),
            area: zero(),
        }
    }
}

/// Exchanges a pair if rows run along y.
pub(super) fn turn<T>(turned: bool, [a, b]: [T; 2]) -> [T; 2] {
    if turned { [b, a] } else { [a, b] }
}

/// True inside the circle inscribed in the grid.
fn within(grid: SurfaceGrid, column: f64, row: f64) -> bool {
    let half = 0.5 * grid.columns as f64;
    let (x, y) = (column - half, row - half);
    x * x + y * y < half * half
}
