//! Square real matrices for the normal equations: Cholesky and what follows from it.

/// A square matrix, row-major.
#[derive(Clone, Debug)]
pub struct Square {
    size: usize,
    data: Vec<f64>,
}

impl Square {
    pub fn zeros(size: usize) -> Self {
        Self { size, data: vec![0.0; size * size] }
    }

    pub fn at(&self, i: usize, j: usize) -> f64 {
        self.data[i * self.size + j]
    }

    pub fn set_both(&mut self, i: usize, j: usize, value: f64) {
        self.data[i * self.size + j] = value;
        self.data[j * self.size + i] = value;
    }

    pub fn add_both(&mut self, i: usize, j: usize, value: f64) {
        self.data[i * self.size + j] += value;
        if i != j {
            self.data[j * self.size + i] += value;
        }
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.data[i * self.size..(i + 1) * self.size]
    }

    pub fn times(&self, x: &[f64]) -> Vec<f64> {
        (0..self.size).map(|i| dot(self.row(i), x)).collect()
    }

    pub fn minus(mut self, other: &Self) -> Self {
        self.data.iter_mut().zip(&other.data).for_each(|(a, b)| *a -= b);
        self
    }

    /// The diagonal grown by a share of itself.
    pub fn damped(mut self, share: f64) -> Self {
        for i in 0..self.size {
            self.data[i * self.size + i] *= 1.0 + share;
        }
        self
    }

    /// L with L Lᵀ = self; pivots are kept above `ridge` of the diagonal.
    pub fn cholesky(&self, ridge: f64) -> Self {
        let n = self.size;
        let mut l = Self::zeros(n);
        for i in 0..n {
            for j in 0..=i {
                let rest = self.at(i, j) - dot(&l.row(i)[..j], &l.row(j)[..j]);
                l.data[i * n + j] = if i == j {
                    rest.max(ridge * self.at(i, i)).max(f64::MIN_POSITIVE).sqrt()
                } else {
                    rest / l.at(j, j)
                };
            }
        }
        l
    }

    /// L⁻¹ B, transposed, so that products of its columns are products of rows.
    pub fn half_solve(&self, b: &Self) -> Self {
        let n = self.size;
        let mut out = Self::zeros(n);
        for col in 0..n {
            for i in 0..n {
                let rest = b.at(i, col) - dot(&self.row(i)[..i], &out.row(col)[..i]);
                out.data[col * n + i] = rest / self.at(i, i);
            }
        }
        out
    }

    /// All products of two rows.
    pub fn gram(&self) -> Self {
        let mut out = Self::zeros(self.size);
        for i in 0..self.size {
            for j in 0..=i {
                out.set_both(i, j, dot(self.row(i), self.row(j)));
            }
        }
        out
    }

    /// x with L Lᵀ x = b.
    pub fn solve_cholesky(&self, b: &[f64]) -> Vec<f64> {
        let n = self.size;
        let mut x = b.to_vec();
        for i in 0..n {
            x[i] = (x[i] - dot(&self.row(i)[..i], &x[..i])) / self.at(i, i);
        }
        for i in (0..n).rev() {
            x[i] /= self.at(i, i);
            let value = x[i];
            for (target, l) in x[..i].iter_mut().zip(self.row(i)) {
                *target -= l * value;
            }
        }
        x
    }

    /// (L Lᵀ)⁻¹.
    pub fn inverse_from_cholesky(&self) -> Self {
        let mut identity = Self::zeros(self.size);
        (0..self.size).for_each(|i| identity.set_both(i, i, 1.0));
        self.half_solve(&identity).gram()
    }
}

/// Running sums of a product: many of them, so that no addition waits for the one before.
const SUMS: usize = 16;

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let length = a.len().min(b.len());
    let ((a, a_tail), (b, b_tail)) = (a[..length].as_chunks::<SUMS>(), b[..length].as_chunks::<SUMS>());
    let mut sums = [0.0; SUMS];
    for (x, y) in a.iter().zip(b) {
        for k in 0..SUMS {
            sums[k] += x[k] * y[k];
        }
    }
    let tail: f64 = a_tail.iter().zip(b_tail).map(|(x, y)| x * y).sum();
    sums.iter().sum::<f64>() + tail
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inverse_times_its_matrix_is_one() {
        let n = 9;
        let mut a = Square::zeros(n);
        for i in 0..n {
            for j in 0..=i {
                a.set_both(i, j, if i == j { 5.0 + i as f64 } else { 1.0 / (1.0 + (i + 2 * j) as f64) });
            }
        }
        let l = a.cholesky(0.0);
        let inverse = l.inverse_from_cholesky();
        for j in 0..n {
            let column: Vec<f64> = (0..n).map(|i| inverse.at(i, j)).collect();
            for (i, x) in a.times(&column).iter().enumerate() {
                assert!((x - f64::from(u8::from(i == j))).abs() < 1e-14);
            }
            assert!((l.solve_cholesky(a.row(j))[j] - 1.0).abs() < 1e-14);
        }
    }
}
