//! Run-time selection of the instruction set.

use std::sync::atomic::{AtomicU8, Ordering};

/// Instruction sets the kernels are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Level {
    /// The instructions every machine of the target has: SSE2 on x86-64, NEON on aarch64, simd128 in WebAssembly modules compiled with it, arrays elsewhere.
    Baseline = 1,
    /// x86-64 with 256-bit vectors and fused multiply-add.
    Avx2 = 2,
    /// x86-64 with 512-bit vectors.
    Avx512 = 3,
}

/// The level in use; 0 until detected.
static LEVEL: AtomicU8 = AtomicU8::new(0);

/// The level in use; detects it on the first call.
#[inline]
pub fn level() -> Level {
    match LEVEL.load(Ordering::Relaxed) {
        1 => Level::Baseline,
        2 => Level::Avx2,
        3 => Level::Avx512,
        _ => force(Level::Avx512),
    }
}

/// Selects `wanted`, or the best level below it that the machine has; returns the level in use from now on, in all threads.
#[cold]
pub fn force(wanted: Level) -> Level {
    let level = wanted.min(best());
    LEVEL.store(level as u8, Ordering::Relaxed);
    level
}

#[cfg(target_arch = "x86_64")]
fn best() -> Level {
    // kernels of the level Avx512 also use AVX2 and FMA
    debug_assert!(
        !std::arch::is_x86_feature_detected!("avx512f")
            || std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma")
    );
    match () {
        () if std::arch::is_x86_feature_detected!("avx512f") => Level::Avx512,
        () if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") => Level::Avx2,
        () => Level::Baseline,
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn best() -> Level {
    Level::Baseline
}

/// Defines a function that is compiled for every [`Level`] and dispatched at run time.
macro_rules! kernel {
    ($(#[$meta:meta])* pub fn $name:ident($($arg:ident : $type:ty),* $(,)?) $(-> $out:ty)? $body:block) => {
        $(#[$meta])*
        #[inline]
        pub fn $name($($arg: $type),*) $(-> $out)? {
            #[inline(always)]
            fn plain($($arg: $type),*) $(-> $out)? $body

            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2")]
                fn avx2($($arg: $type),*) $(-> $out)? {
                    plain($($arg),*)
                }
                if $crate::level() >= $crate::Level::Avx2 {
                    #[allow(unsafe_code)]
                    // SAFETY: `LEVEL` is at least Avx2 only if `best` detected AVX2, or AVX-512F, which implies it: `force` is its only writer and stores at most `best()`.
                    return unsafe { avx2($($arg),*) };
                }
            }
            plain($($arg),*)
        }
    };
}
pub(crate) use kernel;

/// Defines a function generic over [`Simd`](crate::simd::Simd), compiled for every [`Level`] and dispatched at run time.
macro_rules! vector_kernel {
    ($(#[$meta:meta])* pub fn $name:ident<$S:ident>($simd:ident $(, $arg:ident : $type:ty)* $(,)?) $(-> $out:ty)? $body:block) => {
        $(#[$meta])*
        #[inline]
        pub fn $name($($arg: $type),*) $(-> $out)? {
            #[inline(always)]
            fn with<$S: $crate::simd::Simd>($simd: $S, $($arg: $type),*) $(-> $out)? $body

            #[cfg(target_arch = "x86_64")]
            {
                use $crate::simd::{Avx2, Avx512, baseline};

                #[target_feature(enable = "avx2,fma")]
                fn avx2(simd: Avx2, $($arg: $type),*) $(-> $out)? {
                    with(simd, $($arg),*)
                }
                #[target_feature(enable = "avx512f")]
                fn avx512(simd: Avx512, $($arg: $type),*) $(-> $out)? {
                    with(simd, $($arg),*)
                }
                // not inlined: its stack frame would be paid for by the other levels too
                #[inline(never)]
                fn plain($($arg: $type),*) $(-> $out)? {
                    with(baseline(), $($arg),*)
                }
                #[allow(unsafe_code)]
                // SAFETY: `LEVEL` exceeds Baseline only if `best` detected the instructions: `force` is its only writer and stores at most `best()`.
                unsafe {
                    match $crate::level() {
                        $crate::Level::Avx512 => avx512(Avx512::new(), $($arg),*),
                        $crate::Level::Avx2 => avx2(Avx2::new(), $($arg),*),
                        $crate::Level::Baseline => plain($($arg),*),
                    }
                }
            }
            #[cfg(not(target_arch = "x86_64"))]
            with($crate::simd::baseline(), $($arg),*)
        }
    };
}
pub(crate) use vector_kernel;
