//! What is seen of a string: in every step numbers are only copied; what they mean is worked out afterwards, for many steps side by side.

#![allow(unsafe_code)]

use super::{PORTS, STEPS, Spot};
use std::mem::MaybeUninit;

/// Most pairs of points that are looked at: three kinds of ports, one of which is asked for ũ and v.
const PAIRS: usize = 4 * PORTS;

/// Pairs of points in the order in which they were named, and what they were.
pub(super) struct Seen {
    pairs: [[usize; 2]; PAIRS],
    count: usize,
    numbers: [[[MaybeUninit<f64>; STEPS]; 2]; PAIRS],
}

impl Seen {
    #[inline(always)]
    pub fn new() -> Self {
        let numbers = [const { [const { [const { MaybeUninit::uninit() }; STEPS] }; 2] }; PAIRS];
        Self { pairs: [[0; 2]; PAIRS], count: 0, numbers }
    }

    /// Names a pair.
    #[inline(always)]
    pub fn look(&mut self, pair: [usize; 2]) {
        self.pairs[self.count] = pair;
        self.count += 1;
    }

    /// Copies the numbers of all pairs.
    #[inline(always)]
    pub fn note(&mut self, step: usize, number: impl Fn(usize) -> f64) {
        for (pair, [one, other]) in self.pairs[..self.count].iter().zip(&mut self.numbers) {
            one[step].write(number(pair[0]));
            other[step].write(number(pair[1]));
        }
    }

    /// What the pairs from `first` on, one for each spot, were in so many steps that have been noted, each weighed as its spot says.
    #[inline(always)]
    fn weighed(&self, first: usize, spots: &[Spot], steps: usize) -> impl Iterator<Item = impl Iterator<Item = f64>> {
        spots.iter().zip(&self.numbers[first..self.count]).map(move |(&Spot { share, .. }, [one, other])| {
            one[..steps].iter().zip(&other[..steps]).map(move |(one, other)| {
                // SAFETY: they have been noted.
                let [one, other] = unsafe { [one.assume_init(), other.assume_init()] };
                share[0] * one + share[1] * other
            })
        })
    }

    /// Writes what `meaning` makes of them, step after step.
    #[inline(always)]
    pub fn tell(&self, first: usize, spots: &[Spot], out: &mut [f64], steps: usize, meaning: impl Fn(f64) -> f64) {
        for (i, values) in self.weighed(first, spots, steps).enumerate() {
            spread(&mut out[i..], spots.len(), values, |out, value| *out = meaning(value));
        }
    }

    /// Takes half of them away.
    #[inline(always)]
    pub fn take_half(&self, first: usize, spots: &[Spot], out: &mut [f64], steps: usize) {
        for (i, values) in self.weighed(first, spots, steps).enumerate() {
            spread(&mut out[i..], spots.len(), values, |out, value| *out -= 0.5 * value);
        }
    }
}

/// Values for every `stride`th place. Next to each other they are worked out some at a time.
#[inline(always)]
fn spread(out: &mut [f64], stride: usize, values: impl Iterator<Item = f64>, mut put: impl FnMut(&mut f64, f64)) {
    if stride == 1 {
        out.iter_mut().zip(values).for_each(|(out, value)| put(out, value));
    } else {
        out.iter_mut().step_by(stride).zip(values).for_each(|(out, value)| put(out, value));
    }
}
