//! Eigenvalues and vectors of real symmetric matrices.
//!
//! Method: Householder reduction to tridiagonal form, then implicit QL with Wilkinson's shift. [Wilkinson & Reinsch,
//! Handbook for Automatic Computation II/2 and II/4] Plain loops in a fixed order: the same bits on every machine, which
//! kernels that choose fused instructions by processor do not give.
//! Limits: absolute error ~ rounding × largest eigenvalue; matrices graded from small at the top keep their small ones better.

/// Eigenvalues in rising order, each with its unit vector.
pub(crate) type Pairs = Vec<(f64, Vec<f64>)>;

const MAX_SWEEPS: usize = 80; // per eigenvalue; two or three are usual

/// Of a dense symmetric matrix given as full rows. `None` if the iteration does not end.
pub(crate) fn symmetric(mut a: Vec<Vec<f64>>) -> Option<Pairs> {
    let n = a.len();
    let mut reflectors: Vec<(f64, Vec<f64>)> = Vec::new(); // (2/vᵀv, v) acting on rows k+1…
    let mut off = vec![0.0; n];
    for k in 0..n.saturating_sub(1) {
        let mut v: Vec<f64> = (k + 1..n).map(|i| a[i][k]).collect();
        let norm = dot(&v, &v).sqrt();
        let tail = v[1..].iter().any(|&x| x != 0.0);
        if !tail {
            off[k] = v[0];
            reflectors.push((0.0, v));
            continue;
        }
        let alpha = if v[0] > 0.0 { -norm } else { norm };
        off[k] = alpha;
        v[0] -= alpha;
        let beta = 2.0 / dot(&v, &v);
        let mut w: Vec<f64> = (k + 1..n).map(|i| beta * dot(&a[i][k + 1..], &v)).collect();
        let half = 0.5 * beta * dot(&w, &v);
        for (w, v) in w.iter_mut().zip(&v) {
            *w -= half * v;
        }
        for i in k + 1..n {
            let (vi, wi) = (v[i - k - 1], w[i - k - 1]);
            for ((x, v), w) in a[i][k + 1..].iter_mut().zip(&v).zip(&w) {
                *x -= vi * w + wi * v;
            }
        }
        reflectors.push((beta, v));
    }
    let diagonal = (0..n).map(|i| a[i][i]).collect();
    // rows of q are the columns of the product of reflectors
    let mut q = identity(n);
    for (k, (beta, v)) in reflectors.iter().enumerate().rev() {
        for row in &mut q[k + 1..] {
            let share = beta * dot(&row[k + 1..], v);
            for (x, v) in row[k + 1..].iter_mut().zip(v) {
                *x -= share * v;
            }
        }
    }
    // q now holds H_0 H_1 … transposed row by row: column j of the product is row j
    implicit_ql(diagonal, off, q)
}

/// Of a symmetric tridiagonal matrix: `off[i]` couples i and i+1.
pub(crate) fn tridiagonal(diagonal: Vec<f64>, mut off: Vec<f64>) -> Option<Pairs> {
    let n = diagonal.len();
    off.resize(n, 0.0);
    implicit_ql(diagonal, off, identity(n))
}

/// Eigenvalues λ of K v = λ M v in rising order, each with its v, vᵀMv = 1; K symmetric, M symmetric and positive. `None` if M is not, or the iteration does not end.
pub(crate) fn generalised(k: &[Vec<f64>], m: &[Vec<f64>]) -> Option<Pairs> {
    let n = m.len();
    // M = LLᵀ
    let mut l = vec![vec![0.0; n]; n];
    for i in 0..n {
        for j in 0..=i {
            let rest = m[i][j] - dot(&l[i][..j], &l[j][..j]);
            if i == j {
                if !(rest > 0.0 && rest.is_finite()) {
                    return None;
                }
                l[i][i] = rest.sqrt();
            } else {
                l[i][j] = rest / l[j][j];
            }
        }
    }
    let forward = |x: &mut [f64]| {
        for i in 0..n {
            x[i] = (x[i] - dot(&l[i][..i], &x[..i])) / l[i][i];
        }
    };
    // L⁻¹K, then its transpose by L⁻¹ again
    let mut columns: Vec<Vec<f64>> = k.to_vec();
    columns.iter_mut().for_each(|column| forward(column));
    let mut a: Vec<Vec<f64>> = (0..n).map(|i| columns.iter().map(|column| column[i]).collect()).collect();
    a.iter_mut().for_each(|row| forward(row));
    let mut pairs = symmetric(a)?;
    for (_, v) in &mut pairs {
        for i in (0..n).rev() {
            let below: f64 = (i + 1..n).map(|j| l[j][i] * v[j]).sum();
            v[i] = (v[i] - below) / l[i][i];
        }
    }
    Some(pairs)
}

fn identity(n: usize) -> Vec<Vec<f64>> {
    (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// `z[i]` is carried along as the i-th basis vector.
fn implicit_ql(mut d: Vec<f64>, mut e: Vec<f64>, mut z: Vec<Vec<f64>>) -> Option<Pairs> {
    let n = d.len();
    for l in 0..n {
        let mut sweeps = 0;
        loop {
            let m = (l..n - 1).find(|&m| e[m].abs() <= f64::EPSILON * (d[m].abs() + d[m + 1].abs())).unwrap_or(n - 1);
            if m == l {
                break;
            }
            sweeps += 1;
            if sweeps > MAX_SWEEPS || !d[l].is_finite() {
                return None;
            }
            let ratio = (d[l + 1] - d[l]) / (2.0 * e[l]);
            let root = libm::hypot(ratio, 1.0);
            let mut g = d[m] - d[l] + e[l] / (ratio + root.copysign(ratio));
            let (mut s, mut c, mut shift) = (1.0, 1.0, 0.0);
            let mut split = false;
            for i in (l..m).rev() {
                let (f, b) = (s * e[i], c * e[i]);
                let r = libm::hypot(f, g);
                e[i + 1] = r;
                if r == 0.0 {
                    d[i + 1] -= shift;
                    e[m] = 0.0;
                    split = true;
                    break;
                }
                (s, c) = (f / r, g / r);
                g = d[i + 1] - shift;
                let t = (d[i] - g) * s + 2.0 * c * b;
                shift = s * t;
                d[i + 1] = g + shift;
                g = c * t - b;
                let (left, right) = z.split_at_mut(i + 1);
                for (x, y) in left[i].iter_mut().zip(&mut right[0]) {
                    (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
                }
            }
            if !split {
                d[l] -= shift;
                e[l] = g;
                e[m] = 0.0;
            }
        }
    }
    let mut pairs: Pairs = d.into_iter().zip(z).collect();
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    Some(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ictus_testkit::Draw;

    fn check(a: &[Vec<f64>], pairs: &Pairs) {
        let scale = pairs.iter().map(|p| p.0.abs()).fold(1e-300, f64::max);
        for (i, (value, vector)) in pairs.iter().enumerate() {
            for (row, x) in a.iter().zip(vector) {
                assert!((dot(row, vector) - value * x).abs() < 1e-13 * scale, "residual of pair {i}");
            }
            for (j, (_, other)) in pairs.iter().enumerate() {
                assert!((dot(vector, other) - f64::from(u8::from(i == j))).abs() < 1e-12, "{i} {j}");
            }
        }
    }

    #[test]
    fn dense_matrices_are_diagonalised() {
        let mut draw = Draw::new(1);
        for n in [1, 2, 3, 7, 40] {
            let half: Vec<Vec<f64>> = (0..n).map(|_| (0..n).map(|_| draw.uniform(-1.0, 1.0)).collect()).collect();
            let a: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| half[i][j] + half[j][i]).collect()).collect();
            check(&a, &symmetric(a.clone()).unwrap());
        }
        check(&identity(5), &symmetric(identity(5)).unwrap());
        assert!(symmetric(Vec::new()).unwrap().is_empty());
    }

    #[test]
    fn the_second_difference_has_its_closed_form() {
        let n = 50;
        let pairs = tridiagonal(vec![2.0; n], vec![-1.0; n - 1]).unwrap();
        for (i, pair) in pairs.iter().enumerate() {
            let half = 0.5 * std::f64::consts::PI * (i + 1) as f64 / (n + 1) as f64;
            assert!((pair.0 - 4.0 * libm::sin(half) * libm::sin(half)).abs() < 1e-14);
        }
    }

    #[test]
    fn two_masses_on_springs() {
        // 2 kg and 1 kg, wall–3–2–1–wall
        let k = vec![vec![5.0, -2.0], vec![-2.0, 3.0]];
        let m = vec![vec![2.0, 0.0], vec![0.0, 1.0]];
        let pairs = generalised(&k, &m).unwrap();
        // 2λ² − 11λ + 11 = 0
        for ((value, v), sign) in pairs.iter().zip([-1.0, 1.0]) {
            assert!((value - 0.25 * (11.0 + sign * 33f64.sqrt())).abs() < 1e-14);
            assert!((2.0 * v[0] * v[0] + v[1] * v[1] - 1.0).abs() < 1e-14);
        }
        assert!(generalised(&k, &[vec![1.0, 2.0], vec![2.0, 1.0]]).is_none());
    }

    #[test]
    fn nonsense_ends() {
        assert!(tridiagonal(vec![f64::NAN; 3], vec![1.0; 2]).is_none_or(|p| p.len() == 3));
        assert!(symmetric(vec![vec![f64::INFINITY; 3]; 3]).is_none_or(|p| p.len() == 3));
    }
}
