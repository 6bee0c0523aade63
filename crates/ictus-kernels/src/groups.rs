//! What banks that take many steps at once have in common: eights of modes go through all of them in groups, and leave their sums behind.

#![allow(unsafe_code)]

use crate::lanes::LANES;
use crate::simd::Simd;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// Most steps of a call.
pub(crate) const STEPS: usize = 64;

/// Eights of modes to take next, of so many that are left: groups as large as each other, for one that goes alone would wait for itself.
#[inline(always)]
pub(crate) fn next_group(most: usize, left: usize) -> usize {
    left.div_ceil(left.div_ceil(most))
}

/// Numbers in their lanes, for every step. Eights that straddle two cache lines would be twice as dear.
#[repr(align(64))]
pub(crate) struct Rows([[f64; LANES]; STEPS]);

impl Rows {
    pub const ZERO: Self = Self([[0.0; LANES]; STEPS]);

    pub fn rows(&self, steps: usize) -> &[[f64; LANES]] {
        &self.0[..steps]
    }
}

/// What the first group adds to: to read it takes less time than to clear every sum.
static NOTHING: Rows = Rows::ZERO;

/// Room for a sum.
pub(crate) type Room = MaybeUninit<Rows>;

/// A sum in its lanes, to which one group after the other adds its share of every step.
#[derive(Clone, Copy)]
pub(crate) struct Sum<'a> {
    from: *const [f64; LANES],
    to: *mut [f64; LANES],
    lent: PhantomData<&'a mut Room>,
}

impl<'a> Sum<'a> {
    #[inline(always)]
    pub fn new(room: &'a mut Room) -> Self {
        Self { from: NOTHING.0.as_ptr(), to: room.as_mut_ptr().cast(), lent: PhantomData }
    }

    /// What there is of step `n`.
    ///
    /// # Safety
    /// n < [`STEPS`], and every group before has written it.
    #[inline(always)]
    pub unsafe fn load<S: Simd>(self, simd: S, n: usize) -> S::V {
        debug_assert!(n < STEPS);
        // SAFETY: the caller says so.
        simd.load(unsafe { &*self.from.add(n) })
    }

    /// # Safety
    /// n < [`STEPS`].
    #[inline(always)]
    pub unsafe fn store<S: Simd>(self, simd: S, n: usize, x: S::V) {
        debug_assert!(n < STEPS);
        // SAFETY: the caller says so.
        simd.store(unsafe { &mut *self.to.add(n) }, x);
    }

    /// A group has written all of its steps.
    #[inline(always)]
    pub fn go_on(&mut self) {
        self.from = self.to;
    }

    /// What there is of all steps: nothing before the first group.
    ///
    /// # Safety
    /// Every group has written as many steps, at most [`STEPS`].
    #[inline(always)]
    pub unsafe fn rows(&self, steps: usize) -> &[[f64; LANES]] {
        debug_assert!(steps <= STEPS);
        // SAFETY: the caller says so.
        unsafe { std::slice::from_raw_parts(self.from, steps) }
    }

    /// Adds all of it to another sum and begins anew.
    ///
    /// # Safety
    /// As of [`rows`](Self::rows).
    pub unsafe fn hand_over(&mut self, other: &mut Rows, steps: usize) {
        // SAFETY: the caller says so.
        let rows = unsafe { self.rows(steps) };
        for (other, row) in other.0.as_flattened_mut().iter_mut().zip(rows.as_flattened()) {
            *other += row;
        }
        self.from = NOTHING.0.as_ptr();
    }
}

/// Adds up the lanes of as many steps as there is room for.
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
