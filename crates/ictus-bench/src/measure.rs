//! Time: medians of short runs, taken in turn.
//!
//! What is compared runs alternately, half a millisecond each, and the median of each counts. A run that another program interrupts is
//! an outlier, and a core that slows down slows both sides.

use std::time::Instant;

/// Length of a run, s: shorter than what a system gives a program at a time, so most runs are not interrupted.
const RUN: f64 = 5e-4;

/// How often runs are repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meter {
    rounds: usize,
    /// How often everything is gone through: a core that another program slows down for seconds spoils one pass, not a line.
    pub(crate) passes: usize,
}

/// Runs so many calls and returns the seconds they took.
pub type Contestant<'a> = &'a mut dyn FnMut(usize) -> f64;

impl Meter {
    /// A fifth of a second for every side.
    pub const THOROUGH: Self = Self { rounds: 81, passes: 5 };
    /// Enough to see that it works.
    pub const QUICK: Self = Self { rounds: 25, passes: 1 };

    /// True where time matters more than certainty.
    pub fn is_quick(self) -> bool {
        self == Self::QUICK
    }

    /// Rounds of something that takes `long` runs at a time.
    pub fn rounds_of(self, long: usize) -> usize {
        (self.rounds / long).max(if self.is_quick() { 5 } else { 9 })
    }

    /// Median nanoseconds of a call of each.
    pub fn race<const N: usize>(self, mut contestants: [Contestant; N]) -> [f64; N] {
        let calls = contestants.each_mut().map(|run| calibrate(*run));
        let mut times = [(); N].map(|()| Vec::with_capacity(self.rounds));
        for _ in 0..self.rounds {
            for ((run, calls), times) in contestants.iter_mut().zip(calls).zip(&mut times) {
                times.push(run(calls) * 1e9 / calls as f64);
            }
        }
        times.map(median)
    }

    /// Median nanoseconds of a call.
    pub fn time(self, contestant: Contestant) -> f64 {
        let [time] = self.race([contestant]);
        time
    }
}

/// Calls that fill a run.
fn calibrate(run: Contestant) -> usize {
    let mut calls = 1;
    loop {
        let taken = run(calls);
        if taken >= 0.25 * RUN {
            return ((calls as f64 * RUN / taken) as usize).max(1);
        }
        calls *= 2;
    }
}

/// The middle one; of an even number the upper middle.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Calls `f` again and again.
pub fn repeated(mut f: impl FnMut()) -> impl FnMut(usize) -> f64 {
    move |calls| {
        let start = Instant::now();
        for _ in 0..calls {
            f();
        }
        start.elapsed().as_secs_f64()
    }
}

/// Calls `f` again and again with a state that is as at first when a run begins; neither decays nor drifts away.
pub fn restarted<S: Clone>(first: S, mut f: impl FnMut(&mut S)) -> impl FnMut(usize) -> f64 {
    let mut state = first.clone();
    move |calls| {
        state.clone_from(&first);
        let start = Instant::now();
        for _ in 0..calls {
            f(&mut state);
        }
        start.elapsed().as_secs_f64()
    }
}

/// Seconds this thread has run, not counting those in which others had its core; where the system does not tell, seconds of the day.
/// Counted in ticks of some milliseconds.
pub fn thread_seconds() -> f64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let ran = told.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    ran.map_or_else(|| START.get_or_init(Instant::now).elapsed().as_secs_f64(), |nanoseconds| 1e-9 * nanoseconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_race_tells_the_usual_time_of_a_call() {
        let mut runs = 0;
        let mut interrupted = |calls: usize| {
            runs += 1;
            calls as f64 * if runs % 3 == 0 { 1e-6 } else { 3e-9 }
        };
        let times = Meter::QUICK.race([&mut interrupted, &mut |calls| calls as f64 * 7e-9]);
        assert!(times.iter().zip([3.0, 7.0]).all(|(time, expected)| (time - expected).abs() < 1e-6), "{times:?}");
    }

    #[test]
    fn a_restarted_state_is_the_same_in_every_run() {
        let mut ends = Vec::new();
        let mut run = restarted(0u32, |n| {
            *n += 1;
            ends.push(*n);
        });
        for _ in 0..3 {
            run(4);
        }
        drop(run);
        assert_eq!(ends, [1, 2, 3, 4].repeat(3));
    }

    #[test]
    fn medians_do_not_mind_outliers() {
        assert_eq!(median(vec![3.0, 1e9, 2.0]), 3.0);
        assert!(median(Vec::new()).is_nan());
    }
}
