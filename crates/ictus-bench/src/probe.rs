//! The machine's own limits, measured: loads from the nearest cache, products and sums, clock.

use crate::measure::{Meter, repeated};
use ictus_kernels::{Aligned, Level, level, probe};
use std::hint::black_box;

/// Numbers loaded by a call, 18 kB: they stay in the nearest cache of any machine.
const NUMBERS: usize = 2304;
/// Rounds of products and sums of a call.
const ROUNDS: usize = 500;
/// Links of the chain that measures the clock.
const LINKS: u64 = 2000;
/// Cycles of a link: a rotation and an exclusive or, each of which waits for the other.
const CYCLES: f64 = 2.0;

/// The widest vectors in use, in words.
pub fn vectors() -> &'static str {
    match level() {
        Level::Avx512 => "AVX-512",
        Level::Avx2 => "AVX2",
        Level::Baseline => "baseline vectors",
    }
}

/// The number of ways that takes least time.
fn fastest(mut per_work: impl FnMut(usize) -> f64) -> usize {
    let timed = probe::WAYS.map(|ways| (per_work(ways), ways));
    timed.into_iter().min_by(|one, other| one.0.total_cmp(&other.0)).map_or(4, |(_, ways)| ways)
}

/// A loop that only loads, by the widest vectors.
pub struct Loads {
    numbers: Aligned,
    ways: usize,
}

impl Loads {
    /// Bytes loaded by a call.
    pub const BYTES: f64 = 8.0 * NUMBERS as f64;

    /// The fastest way of this machine.
    pub fn fastest() -> Self {
        let numbers: Aligned = (0..NUMBERS).map(|i| i as f64).collect();
        let mut loads = Self { numbers, ways: 0 };
        loads.ways = fastest(|ways| {
            let tried = Self { numbers: loads.numbers.clone(), ways };
            Meter::QUICK.time(&mut repeated(|| tried.run()))
        });
        loads
    }

    /// A call.
    pub fn run(&self) {
        black_box(probe::loads(black_box(&self.numbers), self.ways));
    }
}

/// A loop that only calculates: products and sums in equal parts, not fused, since the engine fuses nothing.
pub struct Operations {
    ways: usize,
}

impl Operations {
    /// The fastest way of this machine.
    pub fn fastest() -> Self {
        let time = |ways| Meter::QUICK.time(&mut repeated(|| Self { ways }.run()));
        Self { ways: fastest(|ways| time(ways) / ways as f64) }
    }

    /// Operations of a call.
    pub fn count(&self) -> f64 {
        (16 * self.ways * ROUNDS) as f64
    }

    /// A call.
    pub fn run(&self) {
        black_box(probe::operations(black_box([0.5, 1.0]), self.ways, ROUNDS));
    }
}

/// The clock of this core, GHz: by operations that take one cycle each on any machine and wait for each other.
pub fn clock_ghz(meter: Meter) -> f64 {
    let time = meter.time(&mut repeated(|| {
        let key = black_box(0x9e37_79b9_7f4a_7c15u64);
        black_box((0..LINKS).fold(key, |x, _| x.rotate_left(5) ^ key));
    }));
    CYCLES * LINKS as f64 / time
}
