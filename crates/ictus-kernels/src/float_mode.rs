//! The floating-point mode of a thread: hosts may set it to flush small numbers to zero or to round otherwise, which changes bits.

#![allow(unsafe_code)]

/// Sets round-to-nearest without flush-to-zero and denormals-are-zero, all exceptions masked, and restores the former mode when dropped.
#[derive(Debug)]
pub struct FloatMode {
    before: Word,
}

#[cfg(target_arch = "aarch64")]
type Word = u64;
#[cfg(not(target_arch = "aarch64"))]
type Word = u32;

/// MXCSR after a reset of the processor: exceptions masked, nearest, no FTZ, no DAZ. FPCR: all zero.
const EXACT: Word = if cfg!(target_arch = "x86_64") { 0x1F80 } else { 0 };
/// Flags of exceptions that happened, which are no mode.
const FLAGS: Word = if cfg!(target_arch = "x86_64") { 0x3F } else { 0 };

impl FloatMode {
    /// The mode in which samples have the same bits everywhere.
    pub fn exact() -> Self {
        let before = read();
        if before & !FLAGS != EXACT {
            write(EXACT);
        }
        Self { before }
    }
}

impl Drop for FloatMode {
    fn drop(&mut self) {
        if self.before & !FLAGS != EXACT {
            write(self.before);
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn read() -> Word {
    let mut word = 0u32;
    // SAFETY: stores the 32-bit control word to `word`, which lives on the stack; x86-64 always has SSE.
    unsafe { std::arch::asm!("stmxcsr [{}]", in(reg) &mut word, options(nostack, preserves_flags)) };
    word
}

#[cfg(target_arch = "x86_64")]
fn write(word: Word) {
    // SAFETY: loads a control word that is either EXACT or one that was read from the register, so no reserved bit is set.
    unsafe { std::arch::asm!("ldmxcsr [{}]", in(reg) &word, options(nostack, preserves_flags, readonly)) };
}

#[cfg(target_arch = "aarch64")]
fn read() -> Word {
    let word: u64;
    // SAFETY: reads a register that user programs may read.
    unsafe { std::arch::asm!("mrs {}, fpcr", out(reg) word, options(nomem, nostack, preserves_flags)) };
    word
}

#[cfg(target_arch = "aarch64")]
fn write(word: Word) {
    // Without `nomem`, so that no load or store of a sample is moved to the other side of it.
    // SAFETY: writes a mode that is either all zero or was read from the register.
    unsafe { std::arch::asm!("msr fpcr, {}", in(reg) word, options(nostack, preserves_flags)) };
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn read() -> Word {
    EXACT
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn write(_: Word) {}

#[cfg(all(test, any(target_arch = "x86_64", target_arch = "aarch64")))]
mod tests {
    use super::*;

    /// Flush-to-zero and denormals-are-zero, as plug-in hosts set them.
    #[cfg(target_arch = "x86_64")]
    const FLUSHING: Word = 0x1F80 | 0x8040;
    #[cfg(target_arch = "aarch64")]
    const FLUSHING: Word = 1 << 24;

    #[test]
    fn the_mode_of_a_host_is_suspended_and_comes_back() {
        // the product too, or the compiler may form it after the mode has changed
        let tiny = || std::hint::black_box(std::hint::black_box(f64::MIN_POSITIVE) * std::hint::black_box(0.5));
        let before = read();
        write(FLUSHING);
        let flushed = tiny();
        let mode = FloatMode::exact();
        let kept = tiny();
        drop(mode);
        let (after, again) = (read(), tiny());
        write(before);
        assert_eq!((flushed, again), (0.0, 0.0), "the host's mode flushes");
        assert!(kept > 0.0, "ours does not");
        assert_eq!(after & !FLAGS, FLUSHING & !FLAGS);
    }
}
