//! Barriers that keep the compiler from vectorising, delaying or caching single numbers.

/// Returns `x` as a value opaque to the compiler, which then does not gather it with neighbours into vectors. On a critical path of a single number, the
/// shuffles cost more than vectors save.
#[inline(always)]
#[allow(unsafe_code)]
pub fn single(x: f64) -> f64 {
    #[cfg(target_arch = "x86_64")]
    {
        let mut x = x;
        // SAFETY: the assembly is a comment, without instructions, that reads and writes `x` only
        unsafe { std::arch::asm!("/* {0} */", inout(xmm_reg) x, options(pure, nomem, nostack, preserves_flags)) };
        x
    }
    #[cfg(not(target_arch = "x86_64"))]
    x
}

/// Returns `x`, computed before the code that follows: the compiler would delay it to its first use, where the limited look-ahead of the processor
/// finds it behind work that can wait.
#[inline(always)]
#[allow(unsafe_code)]
pub(crate) fn at_once(x: f64) -> f64 {
    #[cfg(target_arch = "x86_64")]
    {
        let mut x = x;
        // SAFETY: the assembly is a comment, without instructions, that reads and writes `x` only; not `pure`, so that it stays in place
        unsafe { std::arch::asm!("/* {0} */", inout(xmm_reg) x, options(nomem, nostack, preserves_flags)) };
        x
    }
    #[cfg(not(target_arch = "x86_64"))]
    x
}

/// Compiler barrier: values written before are reloaded from memory after it. Otherwise the compiler keeps them in registers even if those are too few.
#[inline(always)]
#[allow(unsafe_code)]
pub(crate) fn from_memory() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the assembly is empty
    unsafe {
        std::arch::asm!("", options(nostack, preserves_flags));
    }
}
