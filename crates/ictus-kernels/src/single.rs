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
