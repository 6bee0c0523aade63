//! Small dense complex matrices: what the subspace method needs and no more.
//!
//! Matrices are row-major. Orders stay below a few dozen (eigenvalues) or a hundred (products), so plain loops serve. The crate `nalgebra` finds the same poles, but an extraction takes 1.4 to 1.7
//! times as long with its products and decompositions of complex matrices, which are not blocked, and a clean build 22 s more.

use ictus_transform::Complex64;

/// A sweep of Jacobi rotations squares the off-diagonal part in the end; a dozen is plenty for small orders.
const JACOBI_SWEEPS: usize = 12;
/// QR steps per eigenvalue before a stuck block is accepted as it is.
const QR_STEPS: usize = 60;

/// A matrix, row-major.
#[derive(Clone, Debug)]
pub struct Matrix {
    pub rows: usize,
    pub cols: usize,
    pub data: Vec<Complex64>,
}

impl Matrix {
    pub fn zeros(rows: usize, cols: usize) -> Self {
        Self { rows, cols, data: vec![Complex64::ZERO; rows * cols] }
    }

    pub fn at(&self, i: usize, j: usize) -> Complex64 {
        self.data[i * self.cols + j]
    }

    pub fn set(&mut self, i: usize, j: usize, value: Complex64) {
        self.data[i * self.cols + j] = value;
    }

    pub fn row(&self, i: usize) -> &[Complex64] {
        &self.data[i * self.cols..(i + 1) * self.cols]
    }

    /// A·B.
    pub fn times(&self, other: &Self) -> Self {
        let mut product = Self::zeros(self.rows, other.cols);
        for i in 0..self.rows {
            let into = &mut product.data[i * other.cols..(i + 1) * other.cols];
            for (k, &a) in self.row(i).iter().enumerate() {
                for (p, &b) in into.iter_mut().zip(other.row(k)) {
                    *p += a * b;
                }
            }
        }
        product
    }

    /// Aᴴ·B.
    pub fn adjoint_times(&self, other: &Self) -> Self {
        let mut product = Self::zeros(self.cols, other.cols);
        for k in 0..self.rows {
            for (i, a) in self.row(k).iter().enumerate() {
                let a = a.conj();
                for (p, &b) in product.data[i * other.cols..(i + 1) * other.cols].iter_mut().zip(other.row(k)) {
                    *p += a * b;
                }
            }
        }
        product
    }

    /// A·Bᵀ, row by row.
    pub fn times_transposed(&self, other: &Self) -> Self {
        let mut product = Self::zeros(self.rows, other.rows);
        for i in 0..self.rows {
            for j in 0..other.rows {
                product.set(i, j, self.row(i).iter().zip(other.row(j)).map(|(a, b)| a * b).sum());
            }
        }
        product
    }

    /// Orthonormal rows with the same span, by Gram–Schmidt done twice; rows that vanish stay zero.
    pub fn orthonormalise_rows(&mut self) {
        let n = self.cols;
        for j in 0..self.rows {
            let (done, rest) = self.data.split_at_mut(j * n);
            let row = &mut rest[..n];
            for _ in 0..2 {
                for other in done.chunks_exact(n) {
                    let dot: Complex64 = other.iter().zip(row.iter()).map(|(a, b)| a.conj() * b).sum();
                    row.iter_mut().zip(other).for_each(|(x, a)| *x -= dot * a);
                }
                let norm = row.iter().map(Complex64::norm_sqr).sum::<f64>().sqrt();
                let scale = if norm > f64::MIN_POSITIVE { 1.0 / norm } else { 0.0 };
                row.iter_mut().for_each(|x| *x *= scale);
            }
        }
    }
}

/// Eigenvalues (falling) and eigenvectors (columns) of a Hermitian matrix, by Jacobi rotations.
pub fn hermitian(mut a: Matrix) -> (Vec<f64>, Matrix) {
    let n = a.rows;
    let mut v = Matrix::zeros(n, n);
    for i in 0..n {
        v.set(i, i, Complex64::ONE);
    }
    let total: f64 = a.data.iter().map(Complex64::norm_sqr).sum();
    for _ in 0..JACOBI_SWEEPS {
        let off: f64 = (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| a.at(i, j).norm_sqr()).sum();
        if off <= 1e-30 * total {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                rotate(&mut a, &mut v, p, q);
            }
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| a.at(j, j).re.total_cmp(&a.at(i, i).re));
    let mut vectors = Matrix::zeros(n, n);
    for (to, &from) in order.iter().enumerate() {
        for i in 0..n {
            vectors.set(i, to, v.at(i, from));
        }
    }
    (order.iter().map(|&i| a.at(i, i).re).collect(), vectors)
}

/// One Jacobi rotation that empties (p, q): a phase makes the entry real, then the usual plane rotation.
fn rotate(a: &mut Matrix, v: &mut Matrix, p: usize, q: usize) {
    let n = a.rows;
    let off = a.at(p, q);
    let size = off.norm_sqr().sqrt();
    if size <= f64::MIN_POSITIVE {
        return;
    }
    let phase = off / size;
    let theta = (a.at(q, q).re - a.at(p, p).re) / (2.0 * size);
    let t = theta.signum() / (theta.abs() + (1.0 + theta * theta).sqrt());
    let t = if theta == 0.0 { 1.0 } else { t };
    let c = 1.0 / (1.0 + t * t).sqrt();
    let s = t * c;
    for k in 0..n {
        let (x, y) = (a.at(k, p), a.at(k, q) * phase.conj());
        a.set(k, p, x * c - y * s);
        a.set(k, q, x * s + y * c);
        let (x, y) = (v.at(k, p), v.at(k, q) * phase.conj());
        v.set(k, p, x * c - y * s);
        v.set(k, q, x * s + y * c);
    }
    for k in 0..n {
        let (x, y) = (a.at(p, k), a.at(q, k) * phase);
        a.set(p, k, x * c - y * s);
        a.set(q, k, x * s + y * c);
    }
}

/// Solves A X = B by elimination with pivoting; singular directions are left out.
pub fn solve(mut a: Matrix, mut b: Matrix) -> Matrix {
    let n = a.rows;
    for col in 0..n {
        let pivot = (col..n).max_by(|&i, &j| a.at(i, col).norm_sqr().total_cmp(&a.at(j, col).norm_sqr()));
        let pivot = pivot.unwrap_or(col);
        if a.at(pivot, col).norm_sqr() < 1e-40 {
            continue;
        }
        for j in 0..n {
            a.data.swap(col * n + j, pivot * n + j);
        }
        for j in 0..b.cols {
            b.data.swap(col * b.cols + j, pivot * b.cols + j);
        }
        let inverse = Complex64::ONE / a.at(col, col);
        for i in (0..n).filter(|&i| i != col) {
            let factor = a.at(i, col) * inverse;
            for j in col..n {
                let value = a.at(i, j) - factor * a.at(col, j);
                a.set(i, j, value);
            }
            for j in 0..b.cols {
                let value = b.at(i, j) - factor * b.at(col, j);
                b.set(i, j, value);
            }
        }
    }
    for i in 0..n {
        let d = a.at(i, i);
        let inverse = if d.norm_sqr() < 1e-40 { Complex64::ZERO } else { Complex64::ONE / d };
        for j in 0..b.cols {
            let value = b.at(i, j) * inverse;
            b.set(i, j, value);
        }
    }
    b
}

/// Eigenvalues of a general matrix: reduction to Hessenberg form, then QR steps with Wilkinson's shift.
pub fn eigenvalues(mut a: Matrix) -> Vec<Complex64> {
    hessenberg(&mut a);
    let mut values = Vec::with_capacity(a.rows);
    let mut end = a.rows;
    let mut steps = 0;
    while end > 0 {
        let last = end - 1;
        let small = |k: usize| {
            let beside = a.at(k, k).norm_sqr().sqrt() + a.at(k - 1, k - 1).norm_sqr().sqrt();
            a.at(k, k - 1).norm_sqr().sqrt() <= 1e-15 * beside
        };
        let start = (1..end).rev().find(|&k| small(k)).unwrap_or(0);
        if start == last || steps > QR_STEPS {
            values.push(a.at(last, last));
            end = last;
            steps = 0;
            continue;
        }
        steps += 1;
        // a stalled iteration gets an odd shift once in a while
        let shift = if steps % 11 == 10 { a.at(last, last - 1) + a.at(last, last) } else { wilkinson(&a, last) };
        qr_step(&mut a, start, end, shift);
    }
    values
}

fn hessenberg(a: &mut Matrix) {
    let n = a.rows;
    for col in 0..n.saturating_sub(2) {
        for row in (col + 2..n).rev() {
            let (c, s) = givens(a.at(row - 1, col), a.at(row, col));
            turn_rows(a, row - 1, c, s, 0);
            turn_cols(a, row - 1, c, s, n);
        }
    }
}

/// The eigenvalue of the last 2×2 block that is nearer to its corner.
fn wilkinson(a: &Matrix, last: usize) -> Complex64 {
    let (p, q) = (a.at(last - 1, last - 1), a.at(last - 1, last));
    let (r, s) = (a.at(last, last - 1), a.at(last, last));
    let half = (p - s) * 0.5;
    let root = square_root(half * half + q * r);
    let far = if (half + root).norm_sqr() > (half - root).norm_sqr() { half + root } else { half - root };
    if far.norm_sqr() == 0.0 { s } else { s - q * r / far }
}

fn square_root(z: Complex64) -> Complex64 {
    let size = libm::hypot(z.re, z.im);
    let re = (0.5 * (size + z.re)).max(0.0).sqrt();
    let im = (0.5 * (size - z.re)).max(0.0).sqrt();
    Complex64::new(re, if z.im < 0.0 { -im } else { im })
}

fn qr_step(a: &mut Matrix, start: usize, end: usize, shift: Complex64) {
    for i in start..end {
        let value = a.at(i, i) - shift;
        a.set(i, i, value);
    }
    let mut turns = Vec::with_capacity(end - start);
    for k in start..end - 1 {
        let (c, s) = givens(a.at(k, k), a.at(k + 1, k));
        turn_rows(a, k, c, s, k);
        turns.push((c, s));
    }
    for (k, (c, s)) in (start..).zip(turns) {
        turn_cols(a, k, c, s, end.min(k + 3));
    }
    for i in start..end {
        let value = a.at(i, i) + shift;
        a.set(i, i, value);
    }
}

/// c (real) and s with [c s; −s̄ c]·(x, y) = (r, 0).
fn givens(x: Complex64, y: Complex64) -> (f64, Complex64) {
    let size = (x.norm_sqr() + y.norm_sqr()).sqrt();
    let first = x.norm_sqr().sqrt();
    if size <= f64::MIN_POSITIVE {
        return (1.0, Complex64::ZERO);
    }
    if first <= f64::MIN_POSITIVE {
        return (0.0, y.conj() / size);
    }
    (first / size, x / first * y.conj() / size)
}

fn turn_rows(a: &mut Matrix, k: usize, c: f64, s: Complex64, from: usize) {
    for j in from..a.cols {
        let (x, y) = (a.at(k, j), a.at(k + 1, j));
        a.set(k, j, x * c + s * y);
        a.set(k + 1, j, y * c - s.conj() * x);
    }
}

fn turn_cols(a: &mut Matrix, k: usize, c: f64, s: Complex64, to: usize) {
    for i in 0..to {
        let (x, y) = (a.at(i, k), a.at(i, k + 1));
        a.set(i, k, x * c + y * s.conj());
        a.set(i, k + 1, y * c - x * s);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(n: usize, seed: u64) -> Matrix {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        Matrix { rows: n, cols: n, data: (0..n * n).map(|_| Complex64::new(next(), next())).collect() }
    }

    #[test]
    fn eigenvalues_of_a_known_similarity_come_back() {
        let n = 17;
        let base = random(n, 3);
        let known: Vec<Complex64> = (0..n).map(|k| Complex64::new(k as f64 * 0.1, 1.0 - 0.05 * k as f64)).collect();
        let mut scaled = base.clone();
        for (i, _) in known.iter().enumerate() {
            for (j, z) in known.iter().enumerate() {
                scaled.set(i, j, base.at(i, j) * z);
            }
        }
        // A = X Λ X⁻¹  ⇔  Aᵀ solves Xᵀ Aᵀ = (X Λ)ᵀ
        let transpose = |m: &Matrix| {
            let mut t = Matrix::zeros(m.cols, m.rows);
            (0..n).for_each(|i| (0..n).for_each(|j| t.set(j, i, m.at(i, j))));
            t
        };
        let a = solve(transpose(&base), transpose(&scaled));
        let found = eigenvalues(a);
        for z in known {
            let nearest = found.iter().map(|f| (f - z).norm_sqr().sqrt()).fold(f64::INFINITY, f64::min);
            assert!(nearest < 1e-10, "{z}: {nearest:e}");
        }
    }

    #[test]
    fn hermitian_vectors_diagonalise() {
        let b = random(12, 5);
        let a = b.adjoint_times(&b);
        let (values, v) = hermitian(a.clone());
        let av = a.times(&v);
        for (j, &value) in values.iter().enumerate() {
            for i in 0..12 {
                assert!((av.at(i, j) - v.at(i, j) * value).norm_sqr() < 1e-24);
            }
        }
        assert!(values.windows(2).all(|w| w[0] >= w[1]));
    }
}
