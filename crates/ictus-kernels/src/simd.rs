//! Eight-lane vector operations on every instruction set: the abstraction in which kernels are written.
//!
//! A value of a [`Simd`] type proves that its instructions exist: it can be constructed only where they do. All implementations round every operation
//! separately and [`sum`](Simd::sum) the lanes in the same order, so that they compute the same bits.

#![allow(unsafe_code)]

use crate::lanes::LANES;

/// Operations on eight numbers.
pub(crate) trait Simd: Copy {
    /// Eight numbers in registers.
    type V: Copy;
    /// Number of lane blocks whose displacements and velocities fit in registers: the group size of multi-step loops.
    const GROUP: usize;
    /// Registers are so few that the best group size depends on which outputs are recorded.
    const CROWDED: bool = false;

    fn splat(self, x: f64) -> Self::V;
    fn load(self, from: &[f64; LANES]) -> Self::V;
    fn store(self, to: &mut [f64; LANES], x: Self::V);
    fn add(self, x: Self::V, y: Self::V) -> Self::V;
    fn sub(self, x: Self::V, y: Self::V) -> Self::V;
    fn mul(self, x: Self::V, y: Self::V) -> Self::V;
    /// x where `mask` is negative, y elsewhere.
    fn choose(self, mask: Self::V, x: Self::V, y: Self::V) -> Self::V;
    /// 2x − y. Doubling is exact, so it may be fused with the subtraction: one operation instead of two, and the same bits.
    fn twice_less(self, x: Self::V, y: Self::V) -> Self::V;
    /// x − 2y, fused likewise.
    fn less_twice(self, x: Self::V, y: Self::V) -> Self::V;
    /// The last lane of `before`, then all lanes of x but the last.
    fn up(self, before: Self::V, x: Self::V) -> Self::V;
    /// All lanes of x but the first, then the first lane of `after`.
    fn down(self, x: Self::V, after: Self::V) -> Self::V;
    /// ((x₀ + x₄) + (x₂ + x₆)) + ((x₁ + x₅) + (x₃ + x₇)).
    fn sum(self, x: Self::V) -> f64;
    /// [`sum`](Self::sum) of each of eight rows.
    #[inline(always)]
    fn sums(self, rows: &[[f64; LANES]; LANES]) -> [f64; LANES] {
        // a closure passed to the library is compiled without the kernel's target features, so its operations stay calls
        let mut sums = [0.0; LANES];
        for (sum, row) in sums.iter_mut().zip(rows) {
            *sum = self.sum(self.load(row));
        }
        sums
    }
}

/// Implements [`Simd`] for `$count` vectors of `$width` numbers by their instructions, vector by vector: `$i` are the indices of the vectors.
// written out because `array::from_fn` takes several times as long to compile
// unused on targets without vectors
#[allow(unused_macros)]
macro_rules! by_vectors {
    ($(#[$meta:meta])* $name:ident: $count:literal [$($i:literal)+] x $width:literal x $vector:ty, $splat:ident, $load:ident, $store:ident, $add:ident, $sub:ident, $mul:ident, $choose:ident, $twice_less:expr, $less_twice:expr, $up:ident, $down:ident, group $group:literal $(crowded $crowded:literal)?, $sum:expr $(, sums $sums:expr)?) => {
        $(#[$meta])*
        #[derive(Clone, Copy)]
        pub(crate) struct $name(());

        impl $name {
            /// # Safety
            ///
            /// The CPU must have the instructions of the vector type.
            #[inline(always)]
            pub(crate) unsafe fn new() -> Self {
                Self(())
            }
        }

        // a value of this type exists only if its instructions do
        // indices are written out, so constants like 0 · width and x % 1 occur
        #[allow(clippy::erasing_op, clippy::identity_op, clippy::manual_div_ceil, clippy::modulo_one)]
        impl Simd for $name {
            type V = [$vector; $count];
            const GROUP: usize = $group;
            $(const CROWDED: bool = $crowded;)?

            #[inline(always)]
            fn splat(self, x: f64) -> Self::V {
                // SAFETY: `self` proves the instructions, see `new`
                [unsafe { $splat(x) }; $count]
            }

            #[inline(always)]
            fn load(self, from: &[f64; LANES]) -> Self::V {
                // SAFETY: `self` proves the instructions, see `new`; the array holds $count vectors of $width numbers
                unsafe { [$($load(from.as_ptr().add($i * $width))),+] }
            }

            #[inline(always)]
            fn store(self, to: &mut [f64; LANES], x: Self::V) {
                // SAFETY: `self` proves the instructions, see `new`; the array holds $count vectors of $width numbers
                unsafe { $($store(to.as_mut_ptr().add($i * $width), x[$i]);)+ }
            }

            #[inline(always)]
            fn add(self, x: Self::V, y: Self::V) -> Self::V {
                // SAFETY: `self` proves the instructions, see `new`
                unsafe { [$($add(x[$i], y[$i])),+] }
            }

            #[inline(always)]
            fn sub(self, x: Self::V, y: Self::V) -> Self::V {
                // SAFETY: `self` proves the instructions, see `new`
                unsafe { [$($sub(x[$i], y[$i])),+] }
            }

            #[inline(always)]
            fn mul(self, x: Self::V, y: Self::V) -> Self::V {
                // SAFETY: `self` proves the instructions, see `new`
                unsafe { [$($mul(x[$i], y[$i])),+] }
            }

            #[inline(always)]
            fn choose(self, mask: Self::V, x: Self::V, y: Self::V) -> Self::V {
                // SAFETY: `self` proves the instructions, see `new`
                unsafe { [$($choose(mask[$i], x[$i], y[$i])),+] }
            }

            #[inline(always)]
            fn twice_less(self, x: Self::V, y: Self::V) -> Self::V {
                // SAFETY: `self` proves the instructions, see `new`
                unsafe { [$($twice_less(x[$i], y[$i])),+] }
            }

            #[inline(always)]
            fn less_twice(self, x: Self::V, y: Self::V) -> Self::V {
                // SAFETY: `self` proves the instructions, see `new`
                unsafe { [$($less_twice(x[$i], y[$i])),+] }
            }

            #[inline(always)]
            fn up(self, before: Self::V, x: Self::V) -> Self::V {
                // SAFETY: `self` proves the instructions, see `new`
                unsafe { [$($up(if $i == 0 { before[$count - 1] } else { x[($i + $count - 1) % $count] }, x[$i])),+] }
            }

            #[inline(always)]
            fn down(self, x: Self::V, after: Self::V) -> Self::V {
                // SAFETY: `self` proves the instructions, see `new`
                unsafe { [$($down(x[$i], if $i + 1 < $count { x[($i + 1) % $count] } else { after[0] })),+] }
            }

            #[inline(always)]
            fn sum(self, x: Self::V) -> f64 {
                // SAFETY: `self` proves the instructions, see `new`
                unsafe { $sum(x) }
            }
            $(
                #[inline(always)]
                fn sums(self, rows: &[[f64; LANES]; LANES]) -> [f64; LANES] {
                    // SAFETY: `self` proves the instructions, see `new`
                    unsafe { $sums(rows) }
                }
            )?
        }
    };
}

#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
mod neon;
// used only by tests on targets with vectors
#[cfg_attr(not(test), allow(dead_code))]
mod plain;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;
#[cfg(target_arch = "x86_64")]
mod x86;

// `baseline`: the instructions every machine of the target has, from one of four modules
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
pub(crate) use neon::baseline;
#[cfg(not(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_feature = "neon"),
    all(target_arch = "wasm32", target_feature = "simd128")
)))]
pub(crate) use plain::baseline;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(crate) use wasm::baseline;
#[cfg(target_arch = "x86_64")]
pub(crate) use x86::{Avx2, Avx512, baseline};

#[cfg(test)]
mod tests {
    use super::*;

    /// One result of every operation.
    fn work<S: Simd>(simd: S, x: &[f64; LANES], y: &[f64; LANES]) -> Vec<u64> {
        let (a, b) = (simd.load(x), simd.load(y));
        let c = simd.sub(simd.mul(a, b), simd.add(a, simd.splat(0.1)));
        let mut out = vec![simd.sum(c), simd.sum(a)];
        out.extend(simd.sums(&std::array::from_fn(|row| x.map(|x| x / (row as f64 + 0.7)))));
        for vector in
            [c, simd.choose(b, a, c), simd.twice_less(a, b), simd.less_twice(a, b), simd.up(b, a), simd.down(a, b)]
        {
            let mut eight = [0.0; LANES];
            simd.store(&mut eight, vector);
            out.extend(eight);
        }
        out.into_iter().map(f64::to_bits).collect()
    }

    #[test]
    fn every_implementation_computes_the_same_bits() {
        let x = std::array::from_fn(|i| 1.0 / (i as f64 + 3.0));
        let y = std::array::from_fn(|i| (i as f64 * 0.7 - 2.0) / 9.0);
        let expected = work(plain::baseline(), &x, &y);
        assert_eq!(work(baseline(), &x, &y), expected);
        #[cfg(target_arch = "x86_64")]
        // SAFETY: each branch has detected the instructions
        unsafe {
            if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
                assert_eq!(work(Avx2::new(), &x, &y), expected);
            }
            if std::arch::is_x86_feature_detected!("avx512f") {
                assert_eq!(work(Avx512::new(), &x, &y), expected);
            }
        }
    }
}
