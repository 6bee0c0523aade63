//! Which points of the lattice move, and how the edge enters.
//!
//! Held edges: u = 0 on and beyond the rim, S = T·(−L) + D/h²·L B L. B is 1 at moving points. At the points just outside, where Lu is the value of
//! the neighbour inside, it is 0 if the rim turns freely (Δu = 0 there), 2 if it is clamped: half a cell with the mirrored curvature 2u.
//!
//! Free edges: D/2 ∫ (u_xx² + u_yy² + 2ν u_xx u_yy + 2(1 − ν) u_xy²), point by point with the share of each cell that belongs to the plate. Where
//! the neighbour to one side is missing the moment across the edge vanishes, u_nn = −ν u_tt, which leaves (1 − ν²) u_tt². Edge points weigh ½, corners ¼.
//!
//! Discs are staircases. What decides their pitch is where the rim is in effect, so the spacing is chosen such that the lowest eigenvalue of the held
//! staircase is that of the disc; with free edges, such that its area is that of the disc.

use super::elliptic::{self, Elastic};
use super::{Edge, LIMIT_SLACK, Outline, Sheet, SurfaceGrid, SurfaceParameters};
use ictus_kernels::free_plate::Weights;
use ictus_kernels::surface::{Lattice, Plan};
use ictus_kernels::{Aligned, LANES, spaced};

/// Rows above and below that belong to no moving point.
const ROW_PAD: usize = 2;

/// The lowest root of J0, which gives the lowest mode of a round membrane.
const MEMBRANE_ROOT: f64 = 2.404_825_557_695_773;
/// The lowest root of J0 I1 + I0 J1, which gives the lowest mode of a clamped disc.
const CLAMPED_ROOT: f64 = 3.196_220_616_582_541;

/// Cells across a disc up to which the lowest eigenvalue is computed. Beyond, the rim lies in effect this far outside the circle that the points fill, in
/// cells, of a membrane and of a clamped plate: it scatters by 0.03 there, a cent or two of pitch.
const COMPUTED: usize = 64;
const MEMBRANE_RIM: f64 = 0.31;
const CLAMPED_RIM: f64 = 0.68;

/// The points of a surface and their weights. Rows run along the longer side: along y where a rectangle has more intervals there. They are a whole number of
/// cache lines, and where the rim neither moves nor bends the one to the right of a row is the one to the left of the next.
#[derive(Clone, Debug)]
pub(super) struct Domain {
    pub lattice: Lattice,
    /// The order of a step.
    pub plan: Plan,
    /// h_x, h_y, m.
    pub spacing: [f64; 2],
    /// Length of every array.
    pub len: usize,
    /// 1 over a point's share of its cell; 0 where nothing moves.
    pub lightness: Aligned,
    /// B; empty without bending or with free edges.
    pub bent: Aligned,
    pub free: Option<FreeWeights>,
    /// Rows run along y.
    turned: bool,
    /// Intervals in a row, and rows of them.
    intervals: [usize; 2],
    /// Column of the left rim: −1 where it is the last one of the row above.
    left: isize,
    /// Column and row of the origin of ports.
    origin: [f64; 2],
    /// Columns and rows per unit of a port's coordinates.
    unit: [f64; 2],
}

/// Weights of a plate with free edges.
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

/// Arrays of the state behind ũ, v and v̄: curvature of a plate with a held edge, three moments of a free one.
pub(super) fn scratch_arrays(parameters: &SurfaceParameters) -> usize {
    match parameters.edge {
        Edge::Free => 3,
        _ => usize::from(parameters.rigidity > 0.0),
    }
}

impl Domain {
    pub fn new(parameters: &SurfaceParameters, grid: SurfaceGrid) -> Self {
        let mut domain =
            if parameters.edge == Edge::Free { Self::free(parameters, grid) } else { Self::held(parameters, grid) };
        // what moves or bends, and the rim to the left and above, where losses begin
        let moves = |i: usize| domain.lightness[i] > 0.0;
        let stride = domain.lattice.stride;
        let matters = |i: usize| {
            moves(i) || moves(i + 1) || moves(i + stride) || domain.bent.get(i).is_some_and(|bent| *bent > 0.0)
        };
        let plan = Plan::new(domain.len, stride, matters)
            .with_whole(|i| domain.lightness[i] == 1.0 && domain.bent.get(i).is_none_or(|weight| *weight == 1.0));
        domain.plan = if domain.free.is_none() { plan.with_bands(&domain.lightness, &domain.bent) } else { plan };
        domain
    }

    /// All intervals of `grid` and its pads, nothing moving yet.
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
            turned,
            intervals,
            left: left as isize,
            origin: [0, 1].map(|axis| first[axis] + if disc { 0.5 * intervals[axis] as f64 } else { 0.0 }),
            unit: intervals.map(|n| if disc { 0.5 * n as f64 } else { n as f64 }),
        }
    }

    /// Where the point lies that is `column` and `row` intervals from the rim.
    fn index(&self, column: usize, row: usize) -> usize {
        ((row + ROW_PAD) * self.lattice.stride + column).wrapping_add_signed(self.left)
    }

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
                // on a staircase the rim lies between the points, and a whole cell of u, not half a cell of 2u, keeps the limit of stability
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

    /// Scales the staircase until its lowest eigenvalue is that of the disc.
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

    /// A shape with one sign that vanishes at the rim: where the search for the lowest mode begins.
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

    fn free(parameters: &SurfaceParameters, grid: SurfaceGrid) -> Self {
        let mut domain = Self::empty(parameters, grid);
        let stride = domain.lattice.stride;
        // cells are named by their upper left point
        let mut cells = vec![false; domain.len];
        let [columns, rows] = domain.intervals;
        for row in 0..rows {
            for column in 0..columns {
                let inside = match parameters.outline {
                    Outline::Rectangle(_) => true,
                    Outline::Disc(_) => within(grid, column as f64 + 0.5, row as f64 + 0.5),
                };
                cells[domain.index(column, row)] = inside;
            }
        }
        if let Outline::Disc(radius) = parameters.outline {
            let count = cells.iter().filter(|&&inside| inside).count() as f64;
            domain.rescale((std::f64::consts::PI * radius * radius / count).sqrt(), radius);
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
            let lies = |j: usize| weights.area[j] > 0.0;
            let (x, y) = (lies(i - 1) && lies(i + 1), lies(i - stride) && lies(i + stride));
            let alone = 1.0 - nu * nu;
            weights.across[i] = if x { area * across * across * if y { 1.0 } else { alone } } else { 0.0 };
            weights.along[i] = if y { area * along * along * if x { 1.0 } else { alone } } else { 0.0 };
            weights.poisson[i] = if x && y { area * nu } else { 0.0 };
        }
        domain.free = Some(weights);
        domain
    }

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

    /// How much of the stability limit is used.
    pub fn load(&self, parameters: &SurfaceParameters, dt: f64) -> f64 {
        let steepest: f64 = self.spacing.iter().map(|h| 4.0 / (h * h)).sum();
        let SurfaceParameters { density, tension, rigidity, diffusion, .. } = *parameters;
        let elastic = (tension * steepest + rigidity * steepest * steepest) / density;
        0.25 * dt * dt * elastic + diffusion * dt * steepest
    }

    /// Where a port lies in x and in y, in intervals from the first column and row of the arrays.
    pub fn place(&self, position: [f64; 2]) -> [f64; 2] {
        self.sheet(&[]).place(position)
    }

    /// How far apart neighbours in x and in y lie in the arrays, and the point at the whole numbers `column` and `row` of a [`place`](Self::place).
    pub fn node(&self, at: [isize; 2]) -> (usize, [usize; 2]) {
        let steps = turn(self.turned, [1, self.lattice.stride]);
        let [column, row] = turn(self.turned, at);
        ((row * self.lattice.stride as isize + column) as usize, steps)
    }

    /// The node next to a port's position, as such a position.
    pub fn nearest_node(&self, position: [f64; 2]) -> [f64; 2] {
        let (place, origin, unit) =
            (self.place(position), turn(self.turned, self.origin), turn(self.turned, self.unit));
        [0, 1].map(|axis| (place[axis].round() - origin[axis]) / unit[axis])
    }

    pub fn sheet<'a>(&'a self, values: &'a [f64]) -> Sheet<'a> {
        Sheet {
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

/// The other way round where rows run along y.
pub(super) fn turn<T>(turned: bool, [a, b]: [T; 2]) -> [T; 2] {
    if turned { [b, a] } else { [a, b] }
}

/// True inside the circle that touches the sides of the grid.
fn within(grid: SurfaceGrid, column: f64, row: f64) -> bool {
    let half = 0.5 * grid.columns as f64;
    let (x, y) = (column - half, row - half);
    x * x + y * y < half * half
}
