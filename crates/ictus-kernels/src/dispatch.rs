//! Which instruction set runs.

use std::sync::atomic::{AtomicU8, Ordering};

/// Instruction sets the kernels are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Level {
    /// What the target always has.
    Baseline = 1,
    /// x86-64 with 256-bit vectors.
    Avx2 = 2,
}

/// 0 until the machine has been asked.
static LEVEL: AtomicU8 = AtomicU8::new(0);

/// The level in use.
#[inline]
pub fn level() -> Level {
    match LEVEL.load(Ordering::Relaxed) {
        1 => Level::Baseline,
        2 => Level::Avx2,
        _ => force(Level::Avx2),
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
    if std::arch::is_x86_feature_detected!("avx2") { Level::Avx2 } else { Level::Baseline }
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
                if $crate::level() == $crate::Level::Avx2 {
                    #[allow(unsafe_code)]
                    // SAFETY: the level is Avx2 only after the machine said that it has AVX2.
                    return unsafe { avx2($($arg),*) };
                }
            }
            plain($($arg),*)
        }
    };
}
pub(crate) use kernel;
