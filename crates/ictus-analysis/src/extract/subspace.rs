//! Poles of a short complex signal by ESPRIT.
//!
//! Model: xₙ = Σ aᵢ zᵢⁿ + noise. Stacks of M neighbouring samples lie in the span of the vectors (1, zᵢ, zᵢ², …); that
//! span is the dominant eigenspace U of their covariance. A step in time is a rotation inside it, so the eigenvalues
//! of Φ = U₁⁺ U₂ (U without its last and without its first row) are the poles. [Roy and Kailath 1989]
//!
//! The covariance sums over all microphones and hits: they share the poles. The eigenspace comes from orthogonal
//! iteration: the noise is flat, so what stands above it converges within a few products.

use super::eigen::{Matrix, eigenvalues, hermitian, solve};
use ictus_transform::Complex64;

/// Samples in a stack. At 2.5 × 160 Hz this is a quarter of a second: a pair 2 Hz apart is half a turn apart.
const STACK: usize = 100;
/// Most poles of one band.
const MOST: usize = 26;
/// Products of the orthogonal iteration.
const PRODUCTS: usize = 7;
/// An eigenvalue this much above the mean of the noise is signal; the spread of a finite sample stays below.
const ABOVE_NOISE: f64 = 5.0;

/// A pole and the energy that it explains.
pub type Found = (Complex64, f64);

/// Poles of signals that share them, each with the energy it explains if that stands above the noise of the band;
/// fewer than 8 samples have none.
pub fn poles(signals: &[Vec<Complex64>]) -> Vec<Found> {
    let length = signals.iter().map(Vec::len).min().unwrap_or(0);
    if length < 8 {
        return Vec::new();
    }
    let stack = STACK.min(length / 2);
    let covariance = covariance(signals, stack, length);
    let trace: f64 = (0..stack).map(|i| covariance.at(i, i).re).sum();
    if trace.is_nan() || trace <= f64::MIN_POSITIVE {
        return Vec::new();
    }
    let most = MOST.min(stack / 2);
    let (values, space) = dominant(&covariance, most);
    let noise = ((trace - values.iter().sum::<f64>()) / (stack - most) as f64).max(1e-15 * trace);
    let order = values.iter().take_while(|&&v| v > ABOVE_NOISE * noise).count();
    if order == 0 {
        return Vec::new();
    }
    let rows = |from: usize| {
        let mut part = Matrix::zeros(stack - 1, order);
        for i in 0..stack - 1 {
            for j in 0..order {
                part.set(i, j, space.at(i + from, j));
            }
        }
        part
    };
    let (first, second) = (rows(0), rows(1));
    let all = eigenvalues(solve(first.adjoint_times(&first), first.adjoint_times(&second)));
    believable(all, signals, length)
}

/// Poles that explain more energy in a joint fit to the band than noise would.
fn believable(mut poles: Vec<Complex64>, signals: &[Vec<Complex64>], length: usize) -> Vec<Found> {
    poles.retain(|z| z.norm_sqr() < 1.1 && z.norm_sqr() > 1e-3);
    let count = poles.len();
    let mut basis = Matrix::zeros(length, count);
    let mut powers = vec![Complex64::ONE; count];
    for row in basis.data.chunks_exact_mut(count.max(1)) {
        row.copy_from_slice(&powers);
        powers.iter_mut().zip(&poles).for_each(|(p, z)| *p *= z);
    }
    let mut gram = basis.adjoint_times(&basis);
    let mut one = Matrix::zeros(count, count);
    for i in 0..count {
        let ridged = gram.at(i, i) * (1.0 + 1e-10);
        gram.set(i, i, ridged);
        one.set(i, i, Complex64::ONE);
    }
    let inverse = solve(gram, one);
    let mut worth = vec![0.0; count];
    let mut residual = 0.0;
    for signal in signals {
        let x = Matrix { rows: length, cols: 1, data: signal[..length].to_vec() };
        let amplitudes = inverse.times(&basis.adjoint_times(&x));
        let model = basis.times(&amplitudes);
        residual += x.data.iter().zip(&model.data).map(|(x, m)| (x - m).norm_sqr()).sum::<f64>();
        for (i, worth) in worth.iter_mut().enumerate() {
            *worth += amplitudes.at(i, 0).norm_sqr() / inverse.at(i, i).re.max(f64::MIN_POSITIVE);
        }
    }
    let noise = residual / (length - count.min(length / 2)) as f64;
    let needed = noise * (libm::log(length as f64) + 3.0);
    poles.into_iter().zip(worth).filter(|(_, worth)| *worth > needed).collect()
}

/// Σ over stacks of x xᴴ; each diagonal is a running sum, so the cost is that of one row.
fn covariance(signals: &[Vec<Complex64>], stack: usize, length: usize) -> Matrix {
    let count = length - stack + 1;
    let mut sum = Matrix::zeros(stack, stack);
    for x in signals {
        for j in 0..stack {
            let mut value: Complex64 = (0..count).map(|n| x[n] * x[n + j].conj()).sum();
            for i in 0..stack - j {
                let (row, col) = (i, i + j);
                sum.data[row * stack + col] += value;
                if j > 0 {
                    sum.data[col * stack + row] += value.conj();
                }
                if col + 1 < stack {
                    value += x[count + row] * x[count + col].conj() - x[row] * x[col].conj();
                }
            }
        }
    }
    sum
}

/// The `most` largest eigenvalues, falling, with their vectors as columns.
fn dominant(covariance: &Matrix, most: usize) -> (Vec<f64>, Matrix) {
    let n = covariance.rows;
    // rows are the vectors, so that they lie together in memory
    let mut space = Matrix::zeros(most, n);
    // any start that is not special will do; this one is the same every time
    let mut state = 1u64;
    for value in &mut space.data {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *value = Complex64::new((state >> 33) as f64 / 2e9 - 0.5, (state >> 13 & 0xffff) as f64 / 65e3 - 0.5);
    }
    for _ in 0..PRODUCTS {
        space.orthonormalise_rows();
        space = space.times_transposed(covariance);
    }
    space.orthonormalise_rows();
    let turned = space.times_transposed(covariance);
    let mut small = Matrix::zeros(most, most);
    let mut columns = Matrix::zeros(n, most);
    for i in 0..most {
        for j in 0..most {
            small.set(i, j, space.row(i).iter().zip(turned.row(j)).map(|(a, b)| a.conj() * b).sum());
        }
        for (k, &value) in space.row(i).iter().enumerate() {
            columns.set(k, i, value);
        }
    }
    let (values, vectors) = hermitian(small);
    (values, columns.times(&vectors))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_close_pair_is_two_poles() {
        let pole = |rate: f64, turn: f64| {
            let (s, c) = libm::sincos(turn);
            Complex64::new(c, s) * libm::exp(-rate)
        };
        let known = [pole(0.01, 0.5), pole(0.015, 0.53), pole(0.02, -1.0)];
        let mut signal = vec![Complex64::ZERO; 400];
        for z in known {
            let mut p = Complex64::ONE;
            for x in &mut signal {
                *x += p;
                p *= z;
            }
        }
        let found = poles(&[signal]);
        for z in known {
            let nearest = found.iter().map(|f| (f.0 - z).norm_sqr().sqrt()).fold(f64::INFINITY, f64::min);
            assert!(nearest < 1e-6, "{z}: {nearest:e} of {found:?}");
        }
    }

    #[test]
    fn nothing_has_no_poles() {
        assert!(poles(&[]).is_empty());
        assert!(poles(&[vec![Complex64::ZERO; 100]]).is_empty());
        assert!(poles(&[vec![Complex64::ONE; 3]]).is_empty());
    }
}
