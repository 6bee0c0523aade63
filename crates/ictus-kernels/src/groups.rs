//! Multi-step traversal of modal banks: each group of lane blocks takes all steps of a call and adds its share to per-step sums.

#![allow(unsafe_code)]

use crate::lanes::LANES;
use crate::simd::Simd;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// Most steps per call.
pub(crate) const STEPS: usize = 64;

/// Size of the next group, in blocks of eight modes: at most `max_blocks`, with the `left` blocks divided evenly, because a single block would stall on its own latency.
#[inline(always)]
pub(crate) fn next_group(max_blocks: usize, left: usize) -> usize {
    left.div_ceil(left.div_ceil(max_blocks))
}

/// Lane accumulators, one row per step. Aligned, because rows that straddle two cache lines cost twice.
#[repr(align(64))]
pub(crate) struct LaneSums([[f64; LANES]; STEPS]);

impl LaneSums {
    pub const ZERO: Self = Self([[0.0; LANES]; STEPS]);

    pub fn rows(&self, steps: usize) -> &[[f64; LANES]] {
        &self.0[..steps]
    }
}

/// Zero accumulators that the first group reads: cheaper than clearing each sum.
static ZEROS: LaneSums = LaneSums::ZERO;

/// Uninitialised memory for one [`Sum`].
pub(crate) type Scratch = MaybeUninit<LaneSums>;

/// Lane accumulators of one quantity; each group adds its share of every step.
#[derive(Clone, Copy)]
pub(crate) struct Sum<'a> {
    from: *const [f64; LANES],
    to: *mut [f64; LANES],
    borrow: PhantomData<&'a mut Scratch>,
}

impl<'a> Sum<'a> {
    #[inline(always)]
    pub fn new(scratch: &'a mut Scratch) -> Self {
        Self { from: ZEROS.0.as_ptr(), to: scratch.as_mut_ptr().cast(), borrow: PhantomData }
    }

    /// The accumulator of step `n`.
    ///
    /// # Safety
    /// `n < STEPS`; if [`go_on`](Self::go_on) was called, [`store`](Self::store) has written step `n`.
    #[inline(always)]
    pub unsafe fn load<S: Simd>(self, simd: S, n: usize) -> S::V {
        debug_assert!(n < STEPS);
        // SAFETY: `n < STEPS` by the contract above, kept by the loops over steps and asserted in debug builds: `from` is `ZEROS` or scratch of STEPS rows whose row n is written
        simd.load(unsafe { &*self.from.add(n) })
    }

    /// Writes the accumulator of step `n`.
    ///
    /// # Safety
    /// `n < STEPS`.
    #[inline(always)]
    pub unsafe fn store<S: Simd>(self, simd: S, n: usize, x: S::V) {
        debug_assert!(n < STEPS);
        // SAFETY: `n < STEPS` by the contract above, kept by the loops over steps and asserted in debug builds: `to` is scratch of STEPS rows, borrowed exclusively for 'a
        simd.store(unsafe { &mut *self.to.add(n) }, x);
    }

    /// Ends a group, which has written all of its steps: the next one reads what this one wrote.
    #[inline(always)]
    pub fn go_on(&mut self) {
        self.from = self.to;
    }

    /// The accumulators of all steps; zero before the first group.
    ///
    /// # Safety
    /// `steps <= STEPS`, and every finished group has written at least `steps` steps.
    #[inline(always)]
    pub unsafe fn rows(&self, steps: usize) -> &[[f64; LANES]] {
        debug_assert!(steps <= STEPS);
        // SAFETY: `steps <= STEPS` by the contract above, asserted in debug builds, and the rows are zero or written
        unsafe { std::slice::from_raw_parts(self.from, steps) }
    }

    /// Adds the accumulators to another sum and resets this one to zero.
    ///
    /// # Safety
    /// That of [`rows`](Self::rows).
    pub unsafe fn hand_over(&mut self, other: &mut LaneSums, steps: usize) {
        // SAFETY: `steps <= STEPS`, and all groups have written them: the contract above, which is that of `rows`
        let rows = unsafe { self.rows(steps) };
        for (other, row) in other.0.as_flattened_mut().iter_mut().zip(rows.as_flattened()) {
            *other += row;
        }
        self.from = ZEROS.0.as_ptr();
    }
}

/// Reduces the lanes of each step to `out`, as many steps as both hold.
#[inline(always)]
pub(crate) fn add_up<S: Simd>(simd: S, lanes: &[[f64; LANES]], out: &mut [f64]) {
    let n = lanes.len().min(out.len());
    let (eights, rest) = lanes[..n].as_chunks::<LANES>();
    let (totals, last) = out[..n].as_chunks_mut::<LANES>();
    for (totals, lanes) in totals.iter_mut().zip(eights) {
        *totals = simd.sums(lanes);
    }
    for (total, lanes) in last.iter_mut().zip(rest) {
        *total = simd.sum(simd.load(lanes));
    }
}
