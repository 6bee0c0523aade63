//! Eight numbers side by side, on every kind of machine: the words in which kernels are written.
//!
//! An implementation of [`Simd`] is a proof that its instructions exist: it can be had only where they do. All of them round every operation on its
//! own and [`sum`](Simd::sum) the lanes in the same order, so that they compute the same bits.

#![allow(unsafe_code)]

use crate::lanes::LANES;

/// Operations on some numbers side by side.
pub(crate) trait Words: Copy {
    /// The numbers.
    type V: Copy;
    /// How they lie in memory.
    type Numbers;
    /// How many they are.
    const WIDTH: usize = size_of::<Self::Numbers>() / size_of::<f64>();

    fn splat(self, x: f64) -> Self::V;
    fn load(self, from: &Self::Numbers) -> Self::V;
    fn store(self, to: &mut Self::Numbers, x: Self::V);
    fn add(self, x: Self::V, y: Self::V) -> Self::V;
    fn sub(self, x: Self::V, y: Self::V) -> Self::V;
    fn mul(self, x: Self::V, y: Self::V) -> Self::V;
    /// x where `mask` is negative, y elsewhere.
    fn choose(self, mask: Self::V, x: Self::V, y: Self::V) -> Self::V;
    /// 2x − y. Doubling is exact, so that it may be fused with what follows: one operation instead of two, and the same bits.
    fn twice_less(self, x: Self::V, y: Self::V) -> Self::V;
    /// x − 2y, likewise.
    fn less_twice(self, x: Self::V, y: Self::V) -> Self::V;
    /// The last of `before`, and all of x but the last.
    fn up(self, before: Self::V, x: Self::V) -> Self::V;
    /// All of x but the first, and the first of `after`.
    fn down(self, x: Self::V, after: Self::V) -> Self::V;
    /// x₀, y₀, x₁, y₁, …: the first halves of both.
    fn low(self, x: Self::V, y: Self::V) -> Self::V;
    /// The second halves likewise.
    fn high(self, x: Self::V, y: Self::V) -> Self::V;
}

/// Operations on eight numbers.
pub(crate) trait Simd: Words<Numbers = [f64; LANES]> {
    /// How many eights with their velocities stay in registers: the loops over steps keep so many going at a time.
    const GROUP: usize;
    /// Registers are so few that it depends on what else is looked at how many are best kept going.
    const CROWDED: bool = false;
    /// Words for a single vector of the machine: for loops without sums, whose bits do not depend on how wide it is.
    type One: Words;

    fn one(self) -> Self::One;
    /// ((x₀ + x₄) + (x₂ + x₆)) + ((x₁ + x₅) + (x₃ + x₇)).
    fn sum(self, x: Self::V) -> f64;
    /// [`sum`](Self::sum) of eight times eight.
    #[inline(always)]
    fn sums(self, rows: &[[f64; LANES]; LANES]) -> [f64; LANES] {
        // a closure handed to the library is compiled without the machine's instructions, and calls them one by one
        let mut sums = [0.0; LANES];
        for (sum, row) in sums.iter_mut().zip(rows) {
            *sum = self.sum(self.load(row));
        }
        sums
    }
}

/// As many vectors as there are lanes, rows and lanes exchanged.
#[inline(always)]
pub(crate) fn transposed<W: Words>(words: W, mut square: [W::V; LANES]) -> [W::V; LANES] {
    let half = W::WIDTH / 2;
    for _ in 0..W::WIDTH.ilog2() {
        let before = square;
        for i in 0..half {
            let [x, y] = [before[i], before[i + half]];
            [square[2 * i], square[2 * i + 1]] = [words.low(x, y), words.high(x, y)];
        }
    }
    square
}

/// Implements [`Words`] for `$count` vectors of `$width` numbers by their instructions, vector by vector: `$i` are their places.
// written out rather than with `array::from_fn`, which the compiler takes several times as long to see through
// targets without vectors do not need it
#[allow(unused_macros)]
macro_rules! by_vectors {
    ($(#[$meta:meta])* $name:ident: $count:literal [$($i:literal)+] x $width:literal x $vector:ty, $splat:ident, $load:ident, $store:ident, $add:ident, $sub:ident, $mul:ident, $choose:ident, $twice_less:expr, $less_twice:expr, $up:ident, $down:ident, $low:ident, $high:ident) => {
        $(#[$meta])*
        #[derive(Clone, Copy)]
        pub(crate) struct $name(());

        impl $name {
            /// # Safety
            ///
            /// The machine must have the instructions.
            #[inline(always)]
            pub(crate) unsafe fn new() -> Self {
                Self(())
            }
        }

        // a value of this type exists only where its instructions do
        // places are written out: sums and products of known numbers, some of them nothing
        #[allow(clippy::erasing_op, clippy::identity_op, clippy::manual_div_ceil, clippy::modulo_one)]
        impl Words for $name {
            type V = [$vector; $count];
            type Numbers = [f64; $count * $width];

            #[inline(always)]
            fn splat(self, x: f64) -> Self::V {
                // SAFETY: the type proves the instructions.
                [unsafe { $splat(x) }; $count]
            }

            #[inline(always)]
            fn load(self, from: &Self::Numbers) -> Self::V {
                // SAFETY: the type proves the instructions, and the numbers are there.
                unsafe { [$($load(from.as_ptr().add($i * $width))),+] }
            }

            #[inline(always)]
            fn store(self, to: &mut Self::Numbers, x: Self::V) {
                // SAFETY: the type proves the instructions, and the numbers are there.
                unsafe { $($store(to.as_mut_ptr().add($i * $width), x[$i]);)+ }
            }

            #[inline(always)]
            fn add(self, x: Self::V, y: Self::V) -> Self::V {
                // SAFETY: the type proves the instructions.
                unsafe { [$($add(x[$i], y[$i])),+] }
            }

            #[inline(always)]
            fn sub(self, x: Self::V, y: Self::V) -> Self::V {
                // SAFETY: the type proves the instructions.
                unsafe { [$($sub(x[$i], y[$i])),+] }
            }

            #[inline(always)]
            fn mul(self, x: Self::V, y: Self::V) -> Self::V {
                // SAFETY: the type proves the instructions.
                unsafe { [$($mul(x[$i], y[$i])),+] }
            }

            #[inline(always)]
            fn choose(self, mask: Self::V, x: Self::V, y: Self::V) -> Self::V {
                // SAFETY: the type proves the instructions.
                unsafe { [$($choose(mask[$i], x[$i], y[$i])),+] }
            }

            #[inline(always)]
            fn twice_less(self, x: Self::V, y: Self::V) -> Self::V {
                // SAFETY: the type proves the instructions.
                unsafe { [$($twice_less(x[$i], y[$i])),+] }
            }

            #[inline(always)]
            fn less_twice(self, x: Self::V, y: Self::V) -> Self::V {
                // SAFETY: the type proves the instructions.
                unsafe { [$($less_twice(x[$i], y[$i])),+] }
            }

            #[inline(always)]
            fn up(self, before: Self::V, x: Self::V) -> Self::V {
                // SAFETY: the type proves the instructions.
                unsafe { [$($up(if $i == 0 { before[$count - 1] } else { x[($i + $count - 1) % $count] }, x[$i])),+] }
            }

            #[inline(always)]
            fn down(self, x: Self::V, after: Self::V) -> Self::V {
                // SAFETY: the type proves the instructions.
                unsafe { [$($down(x[$i], if $i + 1 < $count { x[($i + 1) % $count] } else { after[0] })),+] }
            }

            #[inline(always)]
            fn low(self, x: Self::V, y: Self::V) -> Self::V {
                // SAFETY: the type proves the instructions.
                unsafe { [$(if $i % 2 == 0 { $low(x[$i / 2], y[$i / 2]) } else { $high(x[$i / 2], y[$i / 2]) }),+] }
            }

            #[inline(always)]
            fn high(self, x: Self::V, y: Self::V) -> Self::V {
                // SAFETY: the type proves the instructions.
                unsafe {
                    [$(if ($i + $count) % 2 == 0 {
                        $low(x[($i + $count) / 2], y[($i + $count) / 2])
                    } else {
                        $high(x[($i + $count) / 2], y[($i + $count) / 2])
                    }),+]
                }
            }
        }
    };
}

/// Implements [`Simd`] for eight numbers and names the words for a single vector.
#[allow(unused_macros)]
macro_rules! eights {
    ($name:ident, one $one:ident, group $group:literal $(crowded $crowded:literal)?, $sum:expr $(, sums $sums:expr)?) => {
        impl Simd for $name {
            const GROUP: usize = $group;
            $(const CROWDED: bool = $crowded;)?
            type One = $one;

            #[inline(always)]
            fn one(self) -> $one {
                // SAFETY: both need the same instructions.
                unsafe { $one::new() }
            }

            #[inline(always)]
            fn sum(self, x: Self::V) -> f64 {
                // SAFETY: the type proves the instructions.
                unsafe { $sum(x) }
            }
            $(
                #[inline(always)]
                fn sums(self, rows: &[[f64; LANES]; LANES]) -> [f64; LANES] {
                    // SAFETY: the type proves the instructions.
                    unsafe { $sums(rows) }
                }
            )?
        }
    };
}

#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
mod neon;
// only tests look at it where the target has vectors
#[cfg_attr(not(test), allow(dead_code))]
mod plain;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;
#[cfg(target_arch = "x86_64")]
mod x86;

// `baseline` is what every machine of the target has: one of four
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
// as many as a test wants
#[cfg(test)]
pub(crate) use plain::Arrays;
#[cfg(target_arch = "x86_64")]
pub(crate) use x86::{Avx2, Avx512, baseline};

#[cfg(test)]
mod tests {
    use super::*;

    /// Some of everything.
    fn work<S: Simd>(simd: S, x: &[f64; LANES], y: &[f64; LANES]) -> Vec<u64> {
        let (a, b) = (simd.load(x), simd.load(y));
        let c = simd.sub(simd.mul(a, b), simd.add(a, simd.splat(0.1)));
        let mut out = vec![simd.sum(c), simd.sum(a)];
        out.extend(simd.sums(&std::array::from_fn(|row| x.map(|x| x / (row as f64 + 0.7)))));
        for vector in [
            c,
            simd.choose(b, a, c),
            simd.twice_less(a, b),
            simd.less_twice(a, b),
            simd.up(b, a),
            simd.down(a, b),
            simd.low(a, b),
            simd.high(a, b),
        ] {
            let mut eight = [0.0; LANES];
            simd.store(&mut eight, vector);
            out.extend(eight);
        }
        out.into_iter().map(f64::to_bits).collect()
    }

    #[test]
    fn every_kind_computes_the_same_bits() {
        let x = std::array::from_fn(|i| 1.0 / (i as f64 + 3.0));
        let y = std::array::from_fn(|i| (i as f64 * 0.7 - 2.0) / 9.0);
        let expected = work(plain::baseline(), &x, &y);
        assert_eq!(work(baseline(), &x, &y), expected);
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the machine is asked.
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
