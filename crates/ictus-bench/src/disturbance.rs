//! Detects other programs on the core that a measurement runs on.
//!
//! Where two programs run on one core (hyper-threads, or guests of one host), each is slower by up to a half, one loop more than another, for milliseconds or minutes, and
//! no clock of processor time shows it. A reference loop that loads and adds as fast as the core can does: while the core is shared it takes longer than its shortest time.

use crate::measure::Run;
use ictus_kernels::probe;
use std::cell::Cell;
use std::hint::black_box;
use std::time::Instant;

/// The core counts as shared if the reference loop takes longer than its shortest time by this factor. Unshared it varies by some hundredths, shared by a fifth and more.
const SHARED: f64 = 1.06;
/// Operands of the reference loop, none of them across two cache lines, and how often they are summed: some microseconds.
static NUMBERS: Numbers = Numbers([1.0; 768]);
const ROUNDS: usize = 100;
/// Independent sums of the reference loop.
const WAYS: usize = 8;
/// Repetitions of the reference loop that find its shortest time.
const FIRST: usize = 2000;
/// Longest total time for which a thread waits for its core, s.
const PATIENCE: f64 = 120.0;

#[repr(align(64))]
struct Numbers([f64; 768]);

/// The reference times of this thread.
#[derive(Clone, Copy)]
struct Reference {
    /// Shortest time of the reference loop, s.
    least: f64,
    /// Time that may still be spent waiting, s.
    patience: f64,
    runs: u32,
    disturbed: u32,
    /// Reference times around undisturbed runs since [`take_mean_reference`]: their sum, s, and their number.
    sum: f64,
    count: u32,
}

thread_local! {
    static REFERENCE: Cell<Reference> = const {
        Cell::new(Reference { least: f64::INFINITY, patience: PATIENCE, runs: 0, disturbed: 0, sum: 0.0, count: 0 })
    };
}

/// Seconds of one reference loop.
fn reference_loop() -> f64 {
    let start = Instant::now();
    for _ in 0..ROUNDS {
        black_box(probe::loads(black_box(&NUMBERS.0), WAYS));
    }
    start.elapsed().as_secs_f64()
}

impl Reference {
    /// Times the reference loop, s.
    fn time(&mut self) -> f64 {
        if self.least.is_infinite() {
            self.least = (0..FIRST).map(|_| reference_loop()).fold(f64::INFINITY, f64::min);
        }
        let taken = reference_loop();
        self.least = self.least.min(taken);
        taken
    }

    /// True if a reference loop of `taken` seconds had the core to itself, judged by the shortest time so far.
    fn is_undisturbed(&self, taken: f64) -> bool {
        taken <= SHARED * self.least
    }
}

/// Waits until no other program uses the core, at most for the patience that is left.
pub(crate) fn wait() {
    let (start, mut reference) = (Instant::now(), REFERENCE.get());
    while start.elapsed().as_secs_f64() < reference.patience {
        let taken = reference.time();
        if reference.is_undisturbed(taken) {
            break;
        }
    }
    reference.patience -= start.elapsed().as_secs_f64();
    REFERENCE.set(reference);
}

/// Runs a closure that returns its seconds, between two reference loops.
pub(crate) fn guarded(run: impl FnOnce() -> f64) -> Run {
    let mut reference = REFERENCE.get();
    let before = reference.time();
    let seconds = run();
    let longer = reference.time().max(before);
    let disturbed = !reference.is_undisturbed(longer);
    reference.runs += 1;
    if disturbed {
        reference.disturbed += 1;
    } else {
        (reference.sum, reference.count) = (reference.sum + longer, reference.count + 1);
    }
    REFERENCE.set(reference);
    Run { seconds, disturbed }
}

/// Mean reference time around the undisturbed runs since the last call, s; NaN if there were none. A run that counted as undisturbed may turn out to be
/// disturbed once a shorter reference time is known, see [`was_undisturbed`].
pub(crate) fn take_mean_reference() -> f64 {
    let reference = REFERENCE.get();
    REFERENCE.set(Reference { sum: 0.0, count: 0, ..reference });
    reference.sum / f64::from(reference.count)
}

/// True if a mean reference time shows an unshared core, judged by the shortest time known now.
pub(crate) fn was_undisturbed(mean: f64) -> bool {
    REFERENCE.get().is_undisturbed(mean)
}

/// Share of this thread's runs during which another program used the core.
pub fn disturbed_share() -> f64 {
    let Reference { runs, disturbed, .. } = REFERENCE.get();
    f64::from(disturbed) / f64::from(runs.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_ends() {
        REFERENCE.set(Reference { patience: 0.05, ..REFERENCE.get() });
        let start = Instant::now();
        for _ in 0..100 {
            wait();
        }
        assert!(start.elapsed().as_secs_f64() < 5.0);
    }

    #[test]
    fn runs_are_returned_and_counted() {
        let run = guarded(|| 0.25);
        assert_eq!(run.seconds, 0.25);
        assert_eq!(REFERENCE.get().runs, 1);
        assert_eq!(was_undisturbed(take_mean_reference()), !run.disturbed);
        assert!(take_mean_reference().is_nan());
        assert_eq!(disturbed_share(), f64::from(u8::from(run.disturbed)));
    }
}
