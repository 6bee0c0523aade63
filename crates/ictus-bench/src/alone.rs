//! Whether a core is ours alone.
//!
//! Where a processor runs two programs on one core, or a host lends a core to two guests, each of them is slower by up to a half, one loop more than another, for
//! milliseconds or minutes, and no clock of processor time shows it. A short loop that loads and adds as fast as the core can does: it takes longer than
//! it ever did alone.

use crate::measure::Run;
use ictus_kernels::probe;
use std::cell::Cell;
use std::hint::black_box;
use std::time::Instant;

/// Longer than the shortest by this factor, the loop did not have the core to itself. Alone it differs by some hundredths, with company by a fifth and more.
const COMPANY: f64 = 1.1;
/// Numbers that are summed up, and how often: some microseconds.
const NUMBERS: usize = 768;
const ROUNDS: usize = 100;
/// Sums under way at once.
const WAYS: usize = 8;
/// How often the loop is taken before it is first relied on.
const FIRST: usize = 2000;

/// For how long a thread waits for its core in all, s.
const PATIENCE: f64 = 120.0;

/// What this thread has seen so far.
#[derive(Clone, Copy)]
struct Seen {
    /// The shortest that the loop took, s.
    least: f64,
    /// For how long it may still wait, s.
    patience: f64,
    runs: u32,
    disturbed: u32,
}

thread_local! {
    static SEEN: Cell<Seen> = const { Cell::new(Seen { least: f64::INFINITY, patience: PATIENCE, runs: 0, disturbed: 0 }) };
}

fn look() -> f64 {
    let numbers = [1.0; NUMBERS];
    let start = Instant::now();
    for _ in 0..ROUNDS {
        black_box(probe::loads(black_box(&numbers), WAYS));
    }
    start.elapsed().as_secs_f64()
}

impl Seen {
    /// Looks at the core; whether it is ours alone.
    fn look(&mut self) -> bool {
        if self.least.is_infinite() {
            self.least = (0..FIRST).map(|_| look()).fold(f64::INFINITY, f64::min);
        }
        let taken = look();
        self.least = self.least.min(taken);
        taken <= COMPANY * self.least
    }
}

/// Waits until the core is ours alone, as long as there is patience left.
pub(crate) fn wait() {
    let (start, mut seen) = (Instant::now(), SEEN.get());
    while start.elapsed().as_secs_f64() < seen.patience && !seen.look() {}
    seen.patience -= start.elapsed().as_secs_f64();
    SEEN.set(seen);
}

/// Runs something that tells its seconds, between two looks at the core.
pub(crate) fn watched(run: impl FnOnce() -> f64) -> Run {
    let mut seen = SEEN.get();
    let before = seen.look();
    let seconds = run();
    let disturbed = !(seen.look() && before);
    seen.runs += 1;
    seen.disturbed += u32::from(disturbed);
    SEEN.set(seen);
    Run { seconds, disturbed }
}

/// Which share of this thread's runs did not have the core to themselves.
pub fn disturbed_share() -> f64 {
    let Seen { runs, disturbed, .. } = SEEN.get();
    f64::from(disturbed) / f64::from(runs.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_ends() {
        SEEN.set(Seen { patience: 0.05, ..SEEN.get() });
        let start = Instant::now();
        for _ in 0..100 {
            wait();
        }
        assert!(start.elapsed().as_secs_f64() < 5.0);
    }

    #[test]
    fn what_ran_is_told_and_counted() {
        let run = watched(|| 0.25);
        assert_eq!(run.seconds, 0.25);
        assert_eq!(SEEN.get().runs, 1);
        assert_eq!(disturbed_share(), f64::from(u8::from(run.disturbed)));
    }
}
