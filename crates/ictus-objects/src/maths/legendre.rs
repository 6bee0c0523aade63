//! Orthonormal Legendre polynomials p_i = √((2i+1)/2) P_i on −1..1, and Gauss quadrature.

/// p_0 … p_degree at x with first and second derivatives, as three rows.
pub(crate) fn orthonormal(degree: usize, x: f64) -> [Vec<f64>; 3] {
    let mut rows = [vec![0.0; degree + 1], vec![0.0; degree + 1], vec![0.0; degree + 1]];
    rows[0][0] = 1.0;
    if degree > 0 {
        rows[0][1] = x;
        rows[1][1] = 1.0;
    }
    for i in 1..degree {
        let (k, two) = (i as f64, (2 * i + 1) as f64);
        // (i+1) P_{i+1} = (2i+1) x P_i − i P_{i−1};  P'_{i+1} = P'_{i−1} + (2i+1) P_i, and its derivative
        rows[0][i + 1] = (two * x * rows[0][i] - k * rows[0][i - 1]) / (k + 1.0);
        rows[1][i + 1] = rows[1][i - 1] + two * rows[0][i];
        rows[2][i + 1] = rows[2][i - 1] + two * rows[1][i];
    }
    for row in &mut rows {
        for (i, value) in row.iter_mut().enumerate() {
            *value *= (i as f64 + 0.5).sqrt();
        }
    }
    rows
}

/// p_0 … p_degree at x.
pub(crate) fn values(degree: usize, x: f64) -> Vec<f64> {
    let [values, _, _] = orthonormal(degree, x);
    values
}

/// Nodes and weights of Gauss quadrature on −1..1, exact for polynomials up to degree 2n − 1.
pub(crate) fn gauss(n: usize) -> Vec<(f64, f64)> {
    let scale = 1.0 / (n as f64 + 0.5).sqrt(); // back to P_n
    (0..n)
        .map(|i| {
            // Newton from the asymptotic place of the root [Abramowitz & Stegun 22.16.6]; it converges in a few steps
            let mut x = libm::cos(std::f64::consts::PI * (i as f64 + 0.75) / (n as f64 + 0.5));
            let mut slope = 1.0;
            for _ in 0..8 {
                let rows = orthonormal(n, x);
                slope = rows[1][n] * scale;
                x -= rows[0][n] * scale / slope;
            }
            (x, 2.0 / ((1.0 - x * x) * slope * slope))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_are_orthonormal_under_gauss() {
        let nodes = gauss(34);
        for i in 0..33 {
            for j in 0..33 {
                let product: f64 = nodes.iter().map(|&(x, w)| w * values(32, x)[i] * values(32, x)[j]).sum();
                assert!((product - f64::from(u8::from(i == j))).abs() < 1e-12, "{i} {j}: {product}");
            }
        }
    }

    #[test]
    fn derivatives_match_differences() {
        let (x, h) = (0.37, 1e-5);
        let [_, first, second] = orthonormal(12, x);
        let (up, down) = (orthonormal(12, x + h), orthonormal(12, x - h));
        for i in 0..=12 {
            assert!((first[i] - (up[0][i] - down[0][i]) / (2.0 * h)).abs() < 1e-5);
            assert!((second[i] - (up[1][i] - down[1][i]) / (2.0 * h)).abs() < 1e-4);
        }
    }
}
