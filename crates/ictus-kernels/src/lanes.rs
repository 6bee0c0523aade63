//! Sums in eight fixed lanes. The order of additions is part of the contract: a SIMD kernel of any width up to eight
//! reproduces it exactly, so every machine computes the same bits.

use crate::dispatch::kernel;

/// Number of accumulator lanes.
pub const LANES: usize = 8;

pub(crate) fn fold(lanes: [f64; LANES]) -> f64 {
    let [a, b, c, d, e, f, g, h] = lanes;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

/// Reduces several accumulators. Not inlined: inlined into the loop that fills them, the reductions make the compiler split its vectors.
#[inline(never)]
pub(crate) fn fold_each<const M: usize>(lanes: &[[f64; LANES]; M]) -> [f64; M] {
    lanes.map(fold)
}

/// Σ term(a[i], b[i], …) over slices of one length, accumulated in lanes. Whole chunks carry no bounds checks, so they vectorise.
#[inline(always)]
pub(crate) fn sum_zip<const K: usize>(slices: [&[f64]; K], term: impl Fn([f64; K]) -> f64) -> f64 {
    let [sum] = sums_zip(slices, |values| [term(values)]);
    sum
}

/// Several such sums in one pass.
#[inline(always)]
pub(crate) fn sums_zip<const K: usize, const M: usize>(
    slices: [&[f64]; K],
    terms: impl Fn([f64; K]) -> [f64; M],
) -> [f64; M] {
    let n = slices[0].len();
    let chunked = slices.map(|slice| slice[..n].as_chunks::<LANES>());
    let mut lanes = [[0.0; LANES]; M];
    let mut add = |lane: usize, values: [f64; K]| {
        for (sum, term) in lanes.iter_mut().zip(terms(values)) {
            sum[lane] += term;
        }
    };
    for chunk in 0..n / LANES {
        let block = chunked.map(|(chunks, _)| &chunks[chunk]);
        for lane in 0..LANES {
            add(lane, block.map(|values| values[lane]));
        }
    }
    for i in 0..n % LANES {
        add(i, chunked.map(|(_, rest)| rest[i]));
    }
    lanes.map(fold)
}

/// As [`sum_zip`]; each term also yields a value for `out`.
#[inline(always)]
pub(crate) fn sum_mapped<const K: usize>(
    slices: [&[f64]; K],
    out: &mut [f64],
    term: impl Fn([f64; K]) -> (f64, f64),
) -> f64 {
    let n = out.len();
    let chunked = slices.map(|slice| slice[..n].as_chunks::<LANES>());
    let (out_chunks, out_rest) = out.as_chunks_mut::<LANES>();
    let mut lanes = [0.0; LANES];
    for (chunk, out) in out_chunks.iter_mut().enumerate() {
        let block = chunked.map(|(chunks, _)| &chunks[chunk]);
        for (lane, total) in lanes.iter_mut().enumerate() {
            let (value, added) = term(block.map(|values| values[lane]));
            out[lane] = value;
            *total += added;
        }
    }
    for (i, out) in out_rest.iter_mut().enumerate() {
        let (value, added) = term(chunked.map(|(_, rest)| rest[i]));
        *out = value;
        lanes[i] += added;
    }
    fold(lanes)
}

/// Defects of a buffer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flaws {
    /// A value is not finite.
    pub unsound: bool,
    /// A value is not zero but below the threshold in magnitude.
    pub faint: bool,
}

kernel! {
    /// Checks all values, against the threshold `least` too. Read-only, because most of the time nothing needs a change.
    pub fn flaws(values: &[f64], least: f64) -> Flaws {
        let [mut faint, mut unsound] = [[0u64; LANES]; 2];
        let (chunks, rest) = values.as_chunks::<LANES>();
        let mut check = |lane: usize, value: f64| {
            let size = value.abs();
            // OR-ing bits takes half the operations of counting
            faint[lane] |= if size < least { size.to_bits() } else { 0 };
            // 0 · size is zero if size is finite, NaN otherwise
            unsound[lane] |= (size * 0.0).to_bits();
        };
        // a separate loop over chunks of fixed length vectorises
        for chunk in chunks {
            for (lane, value) in chunk.iter().enumerate() {
                check(lane, *value);
            }
        }
        for (lane, value) in rest.iter().enumerate() {
            check(lane, *value);
        }
        Flaws { unsound: unsound != [0; LANES], faint: faint != [0; LANES] }
    }
}

kernel! {
    /// True if all values lie strictly between `low` and `high`.
    pub fn all_between(values: &[f64], low: f64, high: f64) -> bool {
        are_between(values, low, high)
    }
}

/// [`all_between`] for use inside another kernel.
#[inline(always)]
pub(crate) fn are_between(values: &[f64], low: f64, high: f64) -> bool {
    // counting instead of an early exit lets the loop vectorise
    values.iter().map(|&x| u64::from(!((x > low) & (x < high)))).sum::<u64>() == 0
}

kernel! {
    /// Sets values below `least` in magnitude to zero.
    pub fn flush(values: &mut [f64], least: f64) {
        for value in values {
            *value = if value.abs() < least { 0.0 } else { *value };
        }
    }
}

kernel! {
    /// Σ a·b.
    pub fn dot(a: &[f64], b: &[f64]) -> f64 {
        let n = a.len().min(b.len());
        sum_zip([&a[..n], &b[..n]], |[a, b]| a * b)
    }
}

kernel! {
    /// Σ a·b·c.
    pub fn dot3(a: &[f64], b: &[f64], c: &[f64]) -> f64 {
        let n = a.len().min(b.len()).min(c.len());
        sum_zip([&a[..n], &b[..n], &c[..n]], |[a, b, c]| a * b * c)
    }
}

kernel! {
    /// Σ a·b + Σ a·c.
    pub fn dot_both(a: &[f64], b: &[f64], c: &[f64]) -> f64 {
        let n = a.len().min(b.len()).min(c.len());
        sum_zip([&a[..n], &b[..n]], |[a, b]| a * b) + sum_zip([&a[..n], &c[..n]], |[a, c]| a * c)
    }
}

/// Σ a².
pub fn sum_of_squares(a: &[f64]) -> f64 {
    dot(a, a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_between_is_strict_and_rejects_nan() {
        for n in [0, 1, 7, 64, 65] {
            for level in [crate::Level::Baseline, crate::Level::Avx2] {
                crate::force(level);
                let mut values = vec![-0.5; n];
                assert!(all_between(&values, -1.0, 0.0), "{n} numbers");
                for wrong in [0.0, -1.0, 2.0, f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                    for at in 0..n {
                        values[at] = wrong;
                        assert!(!all_between(&values, -1.0, 0.0), "{wrong} at {at} of {n}");
                        values[at] = -0.5;
                    }
                }
            }
        }
    }

    #[test]
    fn lanes_sum_everything_once() {
        for n in 0..40 {
            let a: Vec<f64> = (0..n).map(|i| f64::from(i) + 1.0).collect();
            let exact = f64::from(n * (n + 1) / 2);
            assert_eq!(dot(&a, &vec![1.0; a.len()]), exact);
            assert_eq!(sum_zip([&a, &a], |[x, y]| 2.0 * x - y), exact);
        }
    }

    #[test]
    fn faint_values_are_found_and_flushed_and_unsound_ones_found() {
        for n in 0..20 {
            let mut values: Vec<f64> = (0..n).map(|i| if i % 3 == 0 { -1e-141 } else { f64::from(i) }).collect();
            let expected: Vec<f64> = (0..n).map(|i| if i % 3 == 0 { 0.0 } else { f64::from(i) }).collect();
            assert_eq!(flaws(&values, 1e-140), Flaws { unsound: false, faint: n > 0 });
            flush(&mut values, 1e-140);
            assert!(values.iter().zip(&expected).all(|(value, expected)| value.to_bits() == expected.to_bits()));
            assert_eq!(flaws(&values, 1e-140), Flaws { unsound: false, faint: false });
            for wrong in [f64::NAN, f64::NEG_INFINITY] {
                for i in 0..values.len() {
                    let mut values = values.clone();
                    values[i] = wrong;
                    assert!(flaws(&values, 1e-140).unsound);
                }
            }
        }
    }
}
