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
const COMPANY: f64 = 1.06;
/// Numbers that are summed up, none of them across two cache lines, and how often: some microseconds.
static NUMBERS: Numbers = Numbers([1.0; 768]);
const ROUNDS: usize = 100;
/// Sums under way at once.
const WAYS: usize = 8;
/// How often the loop is taken before it is first relied on.
const FIRST: usize = 2000;
/// For how long a thread waits for its core in all, s.
const PATIENCE: f64 = 120.0;

#[repr(align(64))]
struct Numbers([f64; 768]);

/// What this thread has seen so far.
#[derive(Clone, Copy)]
struct Seen {
    /// The shortest that the loop took, s.
    least: f64,
    /// For how long it may still wait, s.
    patience: f64,
    runs: u32,
    disturbed: u32,
    /// Looks at undisturbed runs since [`looked`] was asked: the sum of them, s, and how many they are.
    looks: f64,
    looked: u32,
}

thread_local! {
    static SEEN: Cell<Seen> = const {
        Cell::new(Seen { least: f64::INFINITY, patience: PATIENCE, runs: 0, disturbed: 0, looks: 0.0, looked: 0 })
    };
}

fn look() -> f64 {
    let start = Instant::now();
    for _ in 0..ROUNDS {
        black_box(probe::loads(black_box(&NUMBERS.0), WAYS));
    }
    start.elapsed().as_secs_f64()
}

impl Seen {
    /// Looks at the core; how long that took.
    fn look(&mut self) -> f64 {
        if self.least.is_infinite() {
            self.least = (0..FIRST).map(|_| look()).fold(f64::INFINITY, f64::min);
        }
        let taken = look();
        self.least = self.least.min(taken);
        taken
    }

    /// Whether the core was ours alone in a look that took so long, as far as is known by now.
    fn alone(&self, taken: f64) -> bool {
        taken <= COMPANY * self.least
    }
}

/// Waits until the core is ours alone, as long as there is patience left.
pub(crate) fn wait() {
    let (start, mut seen) = (Instant::now(), SEEN.get());
    while start.elapsed().as_secs_f64() < seen.patience {
        let taken = seen.look();
        if seen.alone(taken) {
            break;
        }
    }
    seen.patience -= start.elapsed().as_secs_f64();
    SEEN.set(seen);
}

/// Runs something that tells its seconds, between two looks at the core.
pub(crate) fn watched(run: impl FnOnce() -> f64) -> Run {
    let mut seen = SEEN.get();
    let before = seen.look();
    let seconds = run();
    let longer = seen.look().max(before);
    let disturbed = !seen.alone(longer);
    seen.runs += 1;
    if disturbed {
        seen.disturbed += 1;
    } else {
        (seen.looks, seen.looked) = (seen.looks + longer, seen.looked + 1);
    }
    SEEN.set(seen);
    Run { seconds, disturbed }
}

/// How long looks usually took that found the core ours alone, since this was last asked, s; no number if there were none. What was alone by what was known then may
/// turn out not to have been.
pub(crate) fn looked() -> f64 {
    let seen = SEEN.get();
    SEEN.set(Seen { looks: 0.0, looked: 0, ..seen });
    seen.looks / f64::from(seen.looked)
}

/// Whether looks that took so long found the core ours alone, by what is known now.
pub(crate) fn was_alone(looked: f64) -> bool {
    SEEN.get().alone(looked)
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
        assert_eq!(was_alone(looked()), !run.disturbed);
        assert!(looked().is_nan());
        assert_eq!(disturbed_share(), f64::from(u8::from(run.disturbed)));
    }
}
