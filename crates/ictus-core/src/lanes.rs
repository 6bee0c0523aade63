//! Sums in eight fixed lanes. The order of additions is part of the contract: a SIMD kernel of any width up to eight
//! reproduces it exactly, so every machine computes the same bits.

/// Lanes of the accumulators.
pub(crate) const LANES: usize = 8;

fn fold(lanes: [f64; LANES]) -> f64 {
    let [a, b, c, d, e, f, g, h] = lanes;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

/// Σ term(i) for i in 0..n, accumulated in lanes.
#[inline(always)]
pub(crate) fn sum(n: usize, term: impl Fn(usize) -> f64) -> f64 {
    let mut lanes = [0.0; LANES];
    let whole = n / LANES * LANES;
    for base in (0..whole).step_by(LANES) {
        for (lane, total) in lanes.iter_mut().enumerate() {
            *total += term(base + lane);
        }
    }
    for i in whole..n {
        lanes[i - whole] += term(i);
    }
    fold(lanes)
}

/// Σ a·b.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len().min(b.len());
    let mut lanes = [0.0; LANES];
    let (chunks_a, rest_a) = a[..n].as_chunks::<LANES>();
    let (chunks_b, rest_b) = b[..n].as_chunks::<LANES>();
    for (x, y) in chunks_a.iter().zip(chunks_b) {
        for lane in 0..LANES {
            lanes[lane] += x[lane] * y[lane];
        }
    }
    for (lane, (x, y)) in rest_a.iter().zip(rest_b).enumerate() {
        lanes[lane] += x * y;
    }
    fold(lanes)
}

/// Σ a².
pub fn sum_of_squares(a: &[f64]) -> f64 {
    dot(a, a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_sum_everything_once() {
        for n in 0..40 {
            let a: Vec<f64> = (0..n).map(|i| f64::from(i) + 1.0).collect();
            let exact = f64::from(n * (n + 1) / 2);
            assert_eq!(sum(a.len(), |i| a[i]), exact);
            assert_eq!(dot(&a, &vec![1.0; a.len()]), exact);
        }
    }
}
