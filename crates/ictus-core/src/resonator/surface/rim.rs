//! The round plate with a free edge: weights of a square lattice cut by a circle.
//!
//! Model: D/2 ∫ (u_xx² + u_yy² + 2ν u_xx u_yy + 2(1 − ν) u_xy²) over the disc. Every term is a sum over sites (points; cells for the twist), each weighted by the area that its unit square has in
//! common with the disc. Points move up to [`REACH`] beyond the circle, so that nearly every site has its whole stencil; the area of a site without one goes to the nearest site with one.
//! The stiffness is a sum of squares, so it is symmetric and positive semidefinite for all weights; the free edge is its natural boundary condition.
//!
//! Mass: the same areas at the points. Points beyond the circle would be so light that only they limit the time step. Each gets at least its row sum of |K| over 64·[`ROW_SUM`], taken from its neighbours
//! inside such that total and first moments do not change: a correction of third order.
//! Limit: λ of M⁻¹K is at most the Perron root of M⁻¹|K|, which max (M⁻¹|K|d)/d bounds from above for every d > 0 [Collatz 1942]; a few power iterations bring this to within 3 % of 64.
//! Error: second order in the spacing. ν = 0.3, 34 cells: the lowest pair −4.0 and −3.5 cents, the next modes −7 cents.

/// Largest distance of a moving point beyond the circle, in cells. Below 1, so that the lattice needs no further columns.
const REACH: f64 = 0.9;
/// Largest row sum of M⁻¹|K| before iteration, as a multiple of that in the interior.
const ROW_SUM: f64 = 1.5;
/// Donors of mass to a light point lie at most this much farther than the nearest one, in cells.
const DONOR_RANGE: f64 = 2.2;
/// Steps of power iteration.
const ITERATIONS: usize = 24;
/// Row sum of |K| in the interior: that of the biharmonic stencil.
const WHOLE: f64 = 64.0;
/// Distances that differ by less, in cells, count as equal.
const SAME: f64 = 1e-9;

/// A lattice of `columns` × `columns` points around a circle of `columns − 1` cells across.
pub(super) struct Rim {
    columns: usize,
    radius: f64,
    poisson: f64,
    /// True where a point moves.
    moves: Vec<bool>,
    /// Weights of δxx² at the points.
    pub across: Vec<f64>,
    /// Weights of δyy² at the points.
    pub along: Vec<f64>,
    /// Weights of δxx δyy at the points.
    pub both: Vec<f64>,
    /// Weights of (δxδy)² in the cell to the lower right of each point.
    pub twist: Vec<f64>,
    /// Masses of the points, that of a whole cell being 1.
    pub mass: Vec<f64>,
    /// Upper bound of the largest eigenvalue of M⁻¹K over that of an uncut lattice.
    pub steepness: f64,
}

/// Offsets in x and y, and coefficients, of a difference operator.
type Stencil = [([isize; 2], f64)];

const ACROSS: [([isize; 2], f64); 3] = [([-1, 0], 1.0), ([0, 0], -2.0), ([1, 0], 1.0)];
const ALONG: [([isize; 2], f64); 3] = [([0, -1], 1.0), ([0, 0], -2.0), ([0, 1], 1.0)];
const TWIST: [([isize; 2], f64); 4] = [([0, 0], 1.0), ([1, 0], -1.0), ([0, 1], -1.0), ([1, 1], 1.0)];

impl Rim {
    /// The weights of a disc `cells` across, for Poisson's ratio `poisson`.
    pub fn new(cells: usize, poisson: f64) -> Self {
        let columns = cells + 1;
        let len = columns * columns;
        let mut rim = Self {
            columns,
            radius: 0.5 * cells as f64,
            poisson,
            moves: vec![false; len],
            across: Vec::new(),
            along: Vec::new(),
            both: Vec::new(),
            twist: Vec::new(),
            mass: Vec::new(),
            steepness: 1.0,
        };
        rim.moves = (0..len).map(|i| length(rim.position(i)) <= rim.radius + REACH).collect();
        rim.mass = rim.weights(0.0, &[&[([0, 0], 1.0)]]);
        rim.across = rim.weights(0.0, &[&ACROSS]);
        rim.along = rim.weights(0.0, &[&ALONG]);
        rim.both = rim.weights(0.0, &[&ACROSS, &ALONG]);
        rim.twist = rim.weights(0.5, &[&TWIST]);
        // keeps the energy from becoming negative at sites with more weight of the mixed term than of the others: ν²·both² ≤ across·along
        for ((both, across), along) in rim.both.iter_mut().zip(&rim.across).zip(&rim.along) {
            *both = both.min((across * along).sqrt() / poisson.max(SAME));
        }
        let stiffness = rim.absolute_stiffness();
        rim.balance(&stiffness);
        rim.steepness = rim.bound(&stiffness);
        rim
    }

    /// Position of a point relative to the centre, in cells.
    fn position(&self, i: usize) -> [f64; 2] {
        [(i % self.columns) as f64 - self.radius, (i / self.columns) as f64 - self.radius]
    }

    fn neighbour(&self, i: usize, [x, y]: [isize; 2]) -> Option<usize> {
        let n = self.columns as isize;
        let (column, row) = ((i % self.columns) as isize + x, (i / self.columns) as isize + y);
        ((0..n).contains(&column) && (0..n).contains(&row)).then_some((row * n + column) as usize)
    }

    /// Points of the square of side 2·`reach` around point `i`, itself included.
    fn around(&self, i: usize, reach: isize) -> impl Iterator<Item = usize> {
        let steps = move || -reach..=reach;
        steps().flat_map(move |y| steps().filter_map(move |x| self.neighbour(i, [x, y])))
    }

    /// Areas in common with the disc of the sites, displaced by `shift` cells from the points; sites that lack a point of `stencils` pass theirs to the nearest that do not.
    fn weights(&self, shift: f64, stencils: &[&Stencil]) -> Vec<f64> {
        let moves = |i: usize, by| self.neighbour(i, by).is_some_and(|j| self.moves[j]);
        let has = |i: usize| stencils.iter().all(|stencil| stencil.iter().all(|(by, _)| moves(i, *by)));
        let whole: Vec<bool> = (0..self.moves.len()).map(has).collect();
        let mut weights = vec![0.0; self.moves.len()];
        for i in 0..self.moves.len() {
            let area = common_area(self.radius, self.position(i).map(|x| x + shift));
            if area == 0.0 {
                continue;
            }
            if whole[i] {
                weights[i] += area;
                continue;
            }
            let near: Vec<usize> = self.around(i, 4).filter(|&j| whole[j]).collect();
            let far = |j: usize| distance(self.position(i), self.position(j));
            let least = near.iter().map(|&j| far(j)).fold(f64::INFINITY, f64::min);
            let nearest: Vec<usize> = near.into_iter().filter(|&j| far(j) <= least + SAME).collect();
            for &j in &nearest {
                weights[j] += area / nearest.len() as f64;
            }
        }
        weights
    }

    /// Rows of |K|, each over 5 × 5 neighbours.
    fn absolute_stiffness(&self) -> Vec<[f64; 25]> {
        let mut rows = vec![[0.0; 25]; self.moves.len()];
        let mut add = |i: usize, weight: f64, first: &Stencil, second: &Stencil| {
            for (from, a) in first {
                let Some(row) = self.neighbour(i, *from) else { continue };
                for (to, b) in second {
                    rows[row][((to[1] - from[1] + 2) * 5 + to[0] - from[0] + 2) as usize] += weight * a * b;
                }
            }
        };
        for i in (0..self.moves.len()).filter(|&i| self.moves[i]) {
            add(i, self.across[i], &ACROSS, &ACROSS);
            add(i, self.along[i], &ALONG, &ALONG);
            add(i, self.poisson * self.both[i], &ACROSS, &ALONG);
            add(i, self.poisson * self.both[i], &ALONG, &ACROSS);
            add(i, 2.0 * (1.0 - self.poisson) * self.twist[i], &TWIST, &TWIST);
        }
        rows.iter_mut().flatten().for_each(|entry| *entry = entry.abs());
        rows
    }

    /// Moves mass to light points from their neighbours inside, with the same total and first moments.
    fn balance(&mut self, stiffness: &[[f64; 25]]) {
        let mut moved = vec![0.0; self.mass.len()];
        for i in (0..self.mass.len()).filter(|&i| self.moves[i]) {
            let deficit = stiffness[i].iter().sum::<f64>() / (WHOLE * ROW_SUM) - self.mass[i];
            if deficit <= 0.0 {
                continue;
            }
            let here = self.position(i);
            let inside = |j: &usize| length(self.position(*j)) <= self.radius + SAME;
            let donors: Vec<usize> = self.around(i, 4).filter(inside).collect();
            let far = |j: usize| distance(here, self.position(j));
            let nearest = donors.iter().map(|&j| far(j)).fold(f64::INFINITY, f64::min);
            let donors: Vec<usize> = donors.into_iter().filter(|&j| far(j) <= nearest + DONOR_RANGE + SAME).collect();
            let offsets: Vec<[f64; 2]> =
                donors.iter().map(|&j| [0, 1].map(|axis| self.position(j)[axis] - here[axis])).collect();
            let Some(shares) = shares(&offsets) else { continue };
            moved[i] += deficit;
            for (j, share) in donors.iter().zip(shares) {
                moved[*j] -= deficit * share;
            }
        }
        self.mass.iter_mut().zip(&moved).for_each(|(mass, moved)| *mass += moved);
    }

    /// Upper bound of the largest eigenvalue of M⁻¹K, relative to 64.
    fn bound(&self, stiffness: &[[f64; 25]]) -> f64 {
        let mut trial: Vec<f64> = self.moves.iter().map(|&moves| if moves { 1.0 } else { 0.0 }).collect();
        let mut bound = f64::INFINITY;
        for _ in 0..ITERATIONS {
            let mut next = vec![0.0; trial.len()];
            let mut largest = 0.0_f64;
            for i in (0..trial.len()).filter(|&i| self.moves[i]) {
                let mut sum = 0.0;
                for (k, entry) in stiffness[i].iter().enumerate().filter(|(_, entry)| **entry > 0.0) {
                    let by = [k as isize % 5 - 2, k as isize / 5 - 2];
                    sum += entry * self.neighbour(i, by).map_or(0.0, |j| trial[j]);
                }
                next[i] = sum / (self.mass[i] * WHOLE);
                largest = largest.max(next[i] / trial[i]);
            }
            bound = bound.min(largest);
            trial = next;
        }
        bound
    }
}

fn length([x, y]: [f64; 2]) -> f64 {
    (x * x + y * y).sqrt()
}

fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    length([a[0] - b[0], a[1] - b[1]])
}

/// Shares of positions with these offsets, of least square sum, whose sum is 1 and whose centroid is 0; None if the positions are collinear.
fn shares(offsets: &[[f64; 2]]) -> Option<Vec<f64>> {
    let sum = |f: fn(f64, f64) -> f64| offsets.iter().map(|&[x, y]| f(x, y)).sum::<f64>();
    let count = offsets.len() as f64;
    let (x, y) = (sum(|x, _| x), sum(|_, y| y));
    let (xx, xy, yy) = (sum(|x, _| x * x), sum(|x, y| x * y), sum(|_, y| y * y));
    // the first column of the inverse of Σ (1, x, y)(1, x, y)ᵀ
    let column = [xx * yy - xy * xy, xy * y - x * yy, x * xy - xx * y];
    let determinant = count * column[0] + x * column[1] + y * column[2];
    (determinant > 0.5)
        .then(|| offsets.iter().map(|&[x, y]| (column[0] + column[1] * x + column[2] * y) / determinant).collect())
}

/// Common area of the unit square around `centre` and the disc of `radius` around 0, in cells.
fn common_area(radius: f64, centre: [f64; 2]) -> f64 {
    // by symmetry, the centre is in the first quadrant; the square may still cross an axis
    let [x, y] = centre.map(f64::abs);
    if length([x + 0.5, y + 0.5]) <= radius {
        return 1.0;
    }
    let half = |x: f64| (radius * radius - x * x).max(0.0).sqrt();
    let (left, right) = ((x - 0.5).max(-radius), (x + 0.5).min(radius));
    let mut ends = vec![left, right];
    for height in [y - 0.5, y + 0.5] {
        let crossing = half(height);
        ends.extend(
            [-crossing, crossing].into_iter().filter(|end| height.abs() < radius && *end > left && *end < right),
        );
    }
    ends.sort_by(f64::total_cmp);
    // ∫ √(R² − x²) dx
    let arc = |x: f64| 0.5 * (x * half(x) + radius * radius * libm::asin((x / radius).clamp(-1.0, 1.0)));
    let mut area = 0.0;
    for pair in ends.windows(2) {
        let [from, to] = [pair[0], pair[1]];
        let middle = half(0.5 * (from + to));
        let (low, high) = ((y - 0.5).max(-middle), (y + 0.5).min(middle));
        if to <= from || high <= low {
            continue;
        }
        let under_arc = arc(to) - arc(from);
        let top = if high < middle { (y + 0.5) * (to - from) } else { under_arc };
        let bottom = if low > -middle { (y - 0.5) * (to - from) } else { -under_arc };
        area += top - bottom;
    }
    area.max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_sum_to_the_area_of_the_disc() {
        for cells in [4, 5, 9, 20, 33, 34, 64] {
            let rim = Rim::new(cells, 0.3);
            let disc = std::f64::consts::PI * rim.radius * rim.radius;
            for (name, weights) in [
                ("mass", &rim.mass),
                ("δxx", &rim.across),
                ("δyy", &rim.along),
                ("twist", &rim.twist),
                ("mixed", &rim.both),
            ] {
                let sum: f64 = weights.iter().sum();
                assert!((sum / disc - 1.0).abs() < 1e-12, "{cells} cells, {name}: {sum} of {disc}");
                assert!(weights.iter().all(|weight| *weight >= 0.0), "{cells} cells, {name}");
            }
            let moving = rim.mass.iter().zip(&rim.moves).filter(|(_, moves)| **moves);
            let lightest = moving.map(|(mass, _)| *mass).fold(1.0, f64::min);
            assert!(lightest > 0.01, "{cells} cells: {lightest}");
            assert!((1.0..1.1).contains(&rim.steepness), "{cells} cells: {}", rim.steepness);
        }
    }
}
