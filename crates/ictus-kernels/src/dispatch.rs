//! Which instruction set runs.

use std::sync::atomic::{AtomicU8, Ordering};

/// Instruction sets the kernels are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Level {
    /// What the target always has: SSE2 on x86-64, NEON on aarch64, vectors of WebAssembly in modules compiled with them, arrays elsewhere.
    Baseline = 1,
    /// x86-64 with 256-bit vectors and products fused with sums.
    Avx2 = 2,
    /// x86-64 with 512-bit vectors.
    Avx512 = 3,
}

/// 0 until the machine has been asked.
static LEVEL: AtomicU8 = AtomicU8::new(0);

/// The level in use.
#[inline]
pub fn level() -> Level {
    match LEVEL.load(Ordering::Relaxed) {
        1 => Level::Baseline,
        2 => Level::Avx2,
        3 => Level::Avx512,
        _ => force(Level::Avx512),
    }
}

/// Uses `wanted`, or the best the machine has below it; returns what is used from now on, in all threads.
#[cold]
pub fn force(wanted: Level) -> Level {
    let level = wanted.min(best());
    LEVEL.store(level as u8, Ordering::Relaxed);
    level
}

#[cfg(target_arch = "x86_64")]
fn best() -> Level {
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

/// Defines a function that is compiled for every [`Level`] and picks one when called.
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
                    // SAFETY: the level is that high only after the machine said that it has AVX2.
                    return unsafe { avx2($($arg),*) };
                }
            }
            plain($($arg),*)
        }
    };
}
pub(crate) use kernel;

/// Defines a function written for any [`Simd`](crate::simd::Simd), compiled for every [`Level`], that picks one when called.
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
                // a call like the others: what it needs room for, they would pay for
                #[inline(never)]
                fn plain($($arg: $type),*) $(-> $out)? {
                    with(baseline(), $($arg),*)
                }
                #[allow(unsafe_code)]
                // SAFETY: the level is that high only after the machine said that it has the instructions.
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
