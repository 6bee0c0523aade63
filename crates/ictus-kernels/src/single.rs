//! Numbers that are worked with one by one.

/// The number itself, which the compiler cannot know: so it does not gather what follows with its like into vectors. Where everything waits for one number, the
/// shuffles of that cost more than they save.
#[inline(always)]
#[allow(unsafe_code)]
pub fn single(x: f64) -> f64 {
    #[cfg(target_arch = "x86_64")]
    {
        let mut x = x;
        // SAFETY: no instruction at all.
        unsafe { std::arch::asm!("/* {0} */", inout(xmm_reg) x, options(pure, nomem, nostack, preserves_flags)) };
        x
    }
    #[cfg(not(target_arch = "x86_64"))]
    x
}

/// The number itself, worked out before whatever follows: the compiler would put it off until somebody needs it, and the processor, which looks only so far
/// ahead, would find it behind work that could as well wait.
#[inline(always)]
#[allow(unsafe_code)]
pub(crate) fn at_once(x: f64) -> f64 {
    #[cfg(target_arch = "x86_64")]
    {
        let mut x = x;
        // SAFETY: no instruction at all; not `pure`, so that it stays where it is.
        unsafe { std::arch::asm!("/* {0} */", inout(xmm_reg) x, options(nomem, nostack, preserves_flags)) };
        x
    }
    #[cfg(not(target_arch = "x86_64"))]
    x
}

/// What has been written is there, and what is read now is read from there: the compiler would keep it in registers, also where there are too few.
#[inline(always)]
#[allow(unsafe_code)]
pub(crate) fn from_memory() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: no instruction at all.
    unsafe {
        std::arch::asm!("", options(nostack, preserves_flags));
    }
}
