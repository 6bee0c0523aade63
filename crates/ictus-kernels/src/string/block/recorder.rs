//! Recording of port values: each step only copies the numbers; they are evaluated afterwards, for many steps at once.

#![allow(unsafe_code)]

use super::{PORTS, STEPS, Spot};
use std::mem::MaybeUninit;

/// Most pairs of points: three kinds of ports, of which the displacement ports need ũ and v.
const PAIRS: usize = 4 * PORTS;

/// Pairs of points in the order in which they were added, and their recorded numbers.
pub(super) struct Recorder {
    pairs: [[usize; 2]; PAIRS],
    count: usize,
    numbers: [[[MaybeUninit<f64>; STEPS]; 2]; PAIRS],
    /// Number of steps copied since the first.
    #[cfg(debug_assertions)]
    copied: usize,
}

impl Recorder {
    #[inline(always)]
    pub fn new() -> Self {
        let numbers = [const { [const { [const { MaybeUninit::uninit() }; STEPS] }; 2] }; PAIRS];
        Self {
            pairs: [[0; 2]; PAIRS],
            count: 0,
            numbers,
            #[cfg(debug_assertions)]
            copied: 0,
        }
    }

    /// Adds a pair.
    #[inline(always)]
    pub fn record(&mut self, pair: [usize; 2]) {
        self.pairs[self.count] = pair;
        self.count += 1;
    }

    /// Copies the numbers of all pairs in a step.
    #[inline(always)]
    pub fn copy(&mut self, step: usize, number: impl Fn(usize) -> f64) {
        #[cfg(debug_assertions)]
        {
            self.copied = step + 1;
        }
        for (pair, [one, other]) in self.pairs[..self.count].iter().zip(&mut self.numbers) {
            one[step].write(number(pair[0]));
            other[step].write(number(pair[1]));
        }
    }

    /// The weighted sums of the pairs from `first` on, one per spot, in the first `steps` steps, which have been copied.
    #[inline(always)]
    fn weighed(&self, first: usize, spots: &[Spot], steps: usize) -> impl Iterator<Item = impl Iterator<Item = f64>> {
        #[cfg(debug_assertions)]
        assert!(steps <= self.copied, "{steps} steps evaluated, {} copied", self.copied);
        spots.iter().zip(&self.numbers[first..self.count]).map(move |(&Spot { share, .. }, [one, other])| {
            one[..steps].iter().zip(&other[..steps]).map(move |(one, other)| {
                // SAFETY: `copy` has written `steps` steps of all pairs, asserted in debug builds: the loop in block.rs copies as many as it evaluates
                let [one, other] = unsafe { [one.assume_init(), other.assume_init()] };
                share[0] * one + share[1] * other
            })
        })
    }

    /// Writes `convert` of the weighted sums, step by step.
    #[inline(always)]
    pub fn write(&self, first: usize, spots: &[Spot], out: &mut [f64], steps: usize, convert: impl Fn(f64) -> f64) {
        for (i, values) in self.weighed(first, spots, steps).enumerate() {
            spread(&mut out[i..], spots.len(), values, |out, value| *out = convert(value));
        }
    }

    /// Subtracts half of the weighted sums.
    #[inline(always)]
    pub fn subtract_half(&self, first: usize, spots: &[Spot], out: &mut [f64], steps: usize) {
        for (i, values) in self.weighed(first, spots, steps).enumerate() {
            spread(&mut out[i..], spots.len(), values, |out, value| *out -= 0.5 * value);
        }
    }
}

/// Passes values to every `stride`th element. Separate loop for stride 1, which vectorises.
#[inline(always)]
fn spread(out: &mut [f64], stride: usize, values: impl Iterator<Item = f64>, mut put: impl FnMut(&mut f64, f64)) {
    if stride == 1 {
        out.iter_mut().zip(values).for_each(|(out, value)| put(out, value));
    } else {
        out.iter_mut().step_by(stride).zip(values).for_each(|(out, value)| put(out, value));
    }
}
