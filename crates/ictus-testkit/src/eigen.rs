//! Frequencies of a body on a grid, from the matrix of its own step: an independent check of the step.

use ictus_core::{Clock, FastResonator};

/// The lowest `count` frequencies (Hz) at which a lossless surface sounds, as its method has them.
///
/// One step from rest at u changes v by −2A u, so that sin²(ωk/2) = kμ/2 for every eigenvalue μ of A.
pub fn frequencies(body: &dyn FastResonator, clock: Clock, count: usize) -> Vec<f64> {
    let mut state = vec![0.0; body.state_len()];
    let (moving, len) = {
        let shape = body.capabilities().shape.and_then(|body| body.surface_shape(&state, 0));
        let surface_shape = shape.expect("a body on a grid in two dimensions");
        let moving: Vec<(usize, f64)> =
            surface_shape.mask.iter().enumerate().filter(|(_, x)| **x > 0.0).map(|(i, x)| (i, *x)).collect();
        (moving, surface_shape.values.len())
    };
    let n = moving.len();
    let mut matrix = vec![0.0; n * n];
    for (column, &(j, light_j)) in moving.iter().enumerate() {
        state.fill(0.0);
        state[j] = 1.0;
        body.free_velocities(&mut state, &[], &mut []);
        for (row, &(i, light_i)) in moving.iter().enumerate() {
            // symmetric in coordinates in which every point weighs the same
            matrix[row * n + column] = -state[2 * len + i] * (light_j / light_i).sqrt();
        }
    }
    let lowest = lowest(matrix, n, count);
    lowest
        .iter()
        .map(|mu| libm::asin((0.5 * clock.dt * mu.max(0.0)).sqrt().min(1.0)) / (std::f64::consts::PI * clock.dt))
        .collect()
}

/// The lowest eigenvalues of a symmetric matrix: reflected to three diagonals, then bisected by counting sign changes.
fn lowest(mut a: Vec<f64>, n: usize, count: usize) -> Vec<f64> {
    let (mut diagonal, mut off) = (vec![0.0; n], vec![0.0; n]);
    let mut p = vec![0.0; n];
    for k in (1..n).rev() {
        let x: Vec<f64> = a[k * n..k * n + k].to_vec();
        let norm = x.iter().map(|x| x * x).sum::<f64>().sqrt();
        diagonal[k] = a[k * n + k];
        off[k] = norm;
        if norm == 0.0 {
            continue;
        }
        let mut w = x;
        let last = w[k - 1];
        w[k - 1] += if last < 0.0 { -norm } else { norm };
        off[k] = if last < 0.0 { norm } else { -norm };
        let scale = 2.0 / w.iter().map(|w| w * w).sum::<f64>();
        for i in 0..k {
            p[i] = scale * a[i * n..i * n + k].iter().zip(&w).map(|(a, w)| a * w).sum::<f64>();
        }
        let half = 0.5 * scale * p[..k].iter().zip(&w).map(|(p, w)| p * w).sum::<f64>();
        for (p, w) in p.iter_mut().zip(&w) {
            *p -= half * w;
        }
        for i in 0..k {
            for j in 0..k {
                a[i * n + j] -= w[i] * p[j] + p[i] * w[j];
            }
        }
    }
    diagonal[0] = a[0];
    let below = |x: f64| {
        let mut d = 1.0;
        (0..n)
            .filter(|&i| {
                let coupling = if i == 0 { 0.0 } else { off[i] * off[i] / d };
                d = diagonal[i] - x - coupling;
                if d == 0.0 {
                    d = 1e-300;
                }
                d < 0.0
            })
            .count()
    };
    let bound =
        (0..n).map(|i| diagonal[i].abs() + off[i].abs() + off.get(i + 1).map_or(0.0, |x| x.abs())).fold(0.0, f64::max);
    (0..count.min(n))
        .map(|which| {
            let (mut low, mut high) = (-bound, bound);
            for _ in 0..90 {
                let middle = 0.5 * (low + high);
                if below(middle) > which { high = middle } else { low = middle }
            }
            0.5 * (low + high)
        })
        .collect()
}
