//! Symmetric positive definite matrices with two off-diagonals: build, factorise (L D Lᵀ), solve in O(N).

use super::grid::Ends;

/// A body whose step solves one banded system, A v̄ = …, so that barriers along it are solved in O(N).
pub trait BandedBody: std::fmt::Debug {
    /// Number of moving points.
    fn points(&self) -> usize;
    /// A, in N s/m.
    fn matrix(&self) -> &Banded;
    /// The factors of A.
    fn factor(&self) -> &Factor;
    /// The grid point of a port; None if the port lies between points.
    fn grid_point(&self, port: usize) -> Option<usize>;
    /// Adds `force` (N) at `port` to a load over the points.
    fn load(&self, port: usize, force: f64, load: &mut [f64]);
    /// Interpolates values over the points at `port`.
    fn read(&self, port: usize, values: &[f64]) -> f64;
}

/// A pentadiagonal symmetric matrix.
#[derive(Clone, Debug)]
pub struct Banded {
    diagonal: Vec<f64>,
    first: Vec<f64>,  // A[i][i+1]
    second: Vec<f64>, // A[i][i+2]
}

impl Banded {
    /// identity·I + laplacian·(−D2) + biharmonic·D4, with D4 for these `ends`.
    pub fn new(n: usize, identity: f64, laplacian: f64, biharmonic: f64, ends: Ends) -> Self {
        let mut matrix = Self {
            diagonal: vec![identity + 2.0 * laplacian + 6.0 * biharmonic; n],
            first: vec![-laplacian - 4.0 * biharmonic; n],
            second: vec![biharmonic; n],
        };
        let corner = match ends {
            Ends::Supported => -biharmonic,
            Ends::Fixed => biharmonic,
        };
        matrix.diagonal[0] += corner;
        matrix.diagonal[n - 1] += corner;
        matrix
    }

    /// L D Lᵀ in new memory.
    pub fn factorise(&self) -> Factor {
        let n = self.diagonal.len();
        let mut factor = Factor { inverse: vec![0.0; n], first: vec![0.0; n], second: vec![0.0; n] };
        self.factorise_into(None, &mut factor);
        factor
    }

    /// Factorises A + diag(extra) into an existing factor. Does not allocate.
    pub fn factorise_into(&self, extra: Option<&[f64]>, factor: &mut Factor) {
        let Factor { inverse, first, second } = factor;
        // D of the two rows above; only their inverses are stored
        let (mut one, mut two) = (0.0, 0.0);
        for i in 0..self.diagonal.len() {
            let mut pivot = self.diagonal[i] + extra.map_or(0.0, |extra| extra[i]);
            if i >= 2 {
                second[i] = self.second[i - 2] * inverse[i - 2];
                pivot -= second[i] * second[i] * two;
            }
            if i >= 1 {
                let mut entry = self.first[i - 1];
                if i >= 2 {
                    entry -= second[i] * two * first[i - 1];
                }
                first[i] = entry * inverse[i - 1];
                pivot -= first[i] * first[i] * one;
            }
            inverse[i] = 1.0 / pivot;
            two = one;
            one = pivot;
        }
    }

    /// Row `i` of A x.
    pub fn row(&self, i: usize, x: &[f64]) -> f64 {
        let mut value = self.diagonal[i] * x[i];
        if i >= 1 {
            value += self.first[i - 1] * x[i - 1];
        }
        if i >= 2 {
            value += self.second[i - 2] * x[i - 2];
        }
        if i + 1 < x.len() {
            value += self.first[i] * x[i + 1];
        }
        if i + 2 < x.len() {
            value += self.second[i] * x[i + 2];
        }
        value
    }
}

/// L D Lᵀ of a [`Banded`] matrix.
#[derive(Clone, Debug, Default)]
pub struct Factor {
    inverse: Vec<f64>, // 1/D
    first: Vec<f64>,   // L[i][i-1]
    second: Vec<f64>,  // L[i][i-2]
}

persist!(Factor { inverse, first, second });

impl Factor {
    /// x ← A⁻¹ x.
    pub fn solve(&self, x: &mut [f64]) {
        let n = self.inverse.len();
        let (x, first, second, inverse) = (&mut x[..n], &self.first[..n], &self.second[..n], &self.inverse[..n]);
        let (mut one, mut two) = (0.0, 0.0);
        for i in 0..n {
            // the term without the nearest neighbour first: this shortens the dependency chain
            let value = (x[i] - second[i] * two) - first[i] * one;
            two = one;
            one = value;
            x[i] = value;
        }
        let (mut one, mut two) = (0.0, 0.0);
        let (mut first_above, mut second_above, mut second_next) = (0.0, 0.0, 0.0);
        for i in (0..n).rev() {
            let value = (x[i] * inverse[i] - second_above * two) - first_above * one;
            two = one;
            one = value;
            x[i] = value;
            first_above = first[i];
            second_above = second_next;
            second_next = second[i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solving_inverts_multiplication() {
        for (n, ends) in [(2, Ends::Fixed), (3, Ends::Supported), (17, Ends::Supported), (40, Ends::Fixed)] {
            let matrix = Banded::new(n, 0.7, 1.9, 3.1, ends);
            let x: Vec<f64> = (0..n).map(|i| libm::sin(1.0 + i as f64)).collect();
            let at = |i: isize| {
                if (0..n as isize).contains(&i) { x[i as usize] } else { 0.0 }
            };
            let mut b: Vec<f64> = (0..n as isize)
                .map(|i| {
                    let band = |i: isize, j: isize, v: &[f64]| {
                        if i.min(j) >= 0 { v[i.min(j) as usize] } else { 0.0 }
                    };
                    matrix.diagonal[i as usize] * at(i)
                        + band(i, i - 1, &matrix.first) * at(i - 1)
                        + band(i, i + 1, &matrix.first) * at(i + 1)
                        + band(i, i - 2, &matrix.second) * at(i - 2)
                        + band(i, i + 2, &matrix.second) * at(i + 2)
                })
                .collect();
            matrix.factorise().solve(&mut b);
            for (b, x) in b.iter().zip(&x) {
                assert!((b - x).abs() < 1e-13, "{b} against {x}");
            }
        }
    }
}
