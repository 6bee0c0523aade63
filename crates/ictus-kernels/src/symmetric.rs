//! Products with a dense symmetric matrix whose rows begin `stride` apart, a multiple of [`LANES`]; rows are padded with zeros. Row j serves as column j, so that each
//! element of the result is its own sum, in the order of j: no sum across lanes.

use crate::dispatch::vector_kernel;
use crate::lanes::LANES;
use crate::simd::Simd;

/// Lane blocks of the result that are summed in registers at once.
const BLOCKS: usize = 4;

vector_kernel! {
    /// out = A x. `out` has `stride` numbers, x one per row.
    pub fn product<S>(simd, matrix: &[f64], stride: usize, x: &[f64], out: &mut [f64]) {
        let mut at = 0;
        while at + BLOCKS * LANES <= stride {
            block::<S, BLOCKS>(simd, matrix, (stride, at), x, &mut out[at..]);
            at += BLOCKS * LANES;
        }
        while at < stride {
            block::<S, 1>(simd, matrix, (stride, at), x, &mut out[at..]);
            at += LANES;
        }
    }
}

/// `COUNT` lane blocks of the result from row `at` on.
#[inline(always)]
fn block<S: Simd, const COUNT: usize>(
    simd: S,
    matrix: &[f64],
    (stride, at): (usize, usize),
    x: &[f64],
    out: &mut [f64],
) {
    let mut sums = [simd.splat(0.0); COUNT];
    for (row, &x) in matrix.chunks_exact(stride).zip(x) {
        let (blocks, _) = row[at..].as_chunks::<LANES>();
        let x = simd.splat(x);
        for (sum, block) in sums.iter_mut().zip(blocks) {
            *sum = simd.add(*sum, simd.mul(simd.load(block), x));
        }
    }
    let (blocks, _) = out.as_chunks_mut::<LANES>();
    for (out, sum) in blocks.iter_mut().zip(sums) {
        simd.store(out, sum);
    }
}

vector_kernel! {
    /// As [`product`], and the sums of the magnitudes |A x|, term by term.
    pub fn product_and_scale<S>(simd, matrix: &[f64], stride: usize, x: &[f64], out: &mut [f64], scale: &mut [f64]) {
        let mut at = 0;
        while at + BLOCKS * LANES <= stride {
            block_and_scale::<S, BLOCKS>(simd, matrix, (stride, at), x, (&mut out[at..], &mut scale[at..]));
            at += BLOCKS * LANES;
        }
        while at < stride {
            block_and_scale::<S, 1>(simd, matrix, (stride, at), x, (&mut out[at..], &mut scale[at..]));
            at += LANES;
        }
    }
}

/// As [`block`], with the magnitudes.
#[inline(always)]
fn block_and_scale<S: Simd, const COUNT: usize>(
    simd: S,
    matrix: &[f64],
    (stride, at): (usize, usize),
    x: &[f64],
    (out, scale): (&mut [f64], &mut [f64]),
) {
    let zero = simd.splat(0.0);
    let (mut sums, mut sizes) = ([zero; COUNT], [zero; COUNT]);
    for (row, &x) in matrix.chunks_exact(stride).zip(x) {
        let (blocks, _) = row[at..].as_chunks::<LANES>();
        let x = simd.splat(x);
        for ((sum, size), block) in sums.iter_mut().zip(&mut sizes).zip(blocks) {
            let term = simd.mul(simd.load(block), x);
            *sum = simd.add(*sum, term);
            *size = simd.add(*size, simd.choose(term, simd.sub(zero, term), term));
        }
    }
    let (out, _) = out.as_chunks_mut::<LANES>();
    let (scale, _) = scale.as_chunks_mut::<LANES>();
    for ((out, scale), (sum, size)) in out.iter_mut().zip(scale).zip(sums.into_iter().zip(sizes)) {
        simd.store(out, sum);
        simd.store(scale, size);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::Noise;
    use crate::{Level, force};

    #[test]
    fn products_are_plain_sums_on_every_level() {
        for level in [Level::Baseline, Level::Avx2, Level::Avx512] {
            force(level);
            for n in [1usize, 7, 8, 31, 40, 65] {
                let stride = n.next_multiple_of(LANES);
                let mut matrix = vec![0.0; n * stride];
                let values: Vec<f64> = Noise(n as u64).take(n * n + n).collect();
                for i in 0..n {
                    for j in 0..=i {
                        matrix[i * stride + j] = values[i * n + j];
                        matrix[j * stride + i] = values[i * n + j];
                    }
                }
                let x = &values[n * n..];
                let (mut out, mut both, mut scale) = (vec![1.0; stride], vec![1.0; stride], vec![1.0; stride]);
                product(&matrix, stride, x, &mut out);
                product_and_scale(&matrix, stride, x, &mut both, &mut scale);
                for i in 0..n {
                    let terms = || (0..n).map(|j| matrix[j * stride + i] * x[j]);
                    let sum = terms().fold(0.0, |sum, term| sum + term);
                    let size = terms().fold(0.0, |sum, term| sum + term.abs());
                    assert!(out[i] == sum && both[i] == sum && scale[i] == size, "{level:?} {n} {i}");
                }
                assert!(out[n..].iter().chain(&scale[n..]).all(|x| *x == 0.0));
            }
        }
    }
}
