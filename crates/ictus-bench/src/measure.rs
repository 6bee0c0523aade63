//! Time: medians of short runs, taken in turn.
//!
//! What is compared runs alternately, half a millisecond each, and the median of each counts. A run that another program interrupts is
//! an outlier. A run waits until it has its core to itself (`disturbance`); those that do not have it do not count, as long as some others do.

use crate::disturbance::{guarded, wait};
use std::time::Instant;

/// Length of a run, s: shorter than what a system gives a program at a time, so most runs are not interrupted.
const RUN: f64 = 5e-4;

/// Undisturbed runs whose median is better than that of all.
const ENOUGH: usize = 9;

/// How often runs are repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meter {
    rounds: usize,
    /// Passes over all cases: a core that another program slows down for seconds spoils one pass, not a line.
    pub(crate) passes: usize,
    /// Whether runs wait for a core of their own.
    patient: bool,
}

/// How long some calls took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// All of them, s.
    pub seconds: f64,
    /// Another program used the core meanwhile.
    pub disturbed: bool,
}

/// Runs so many calls.
pub type Contestant<'a> = &'a mut dyn FnMut(usize) -> Run;

impl Meter {
    /// A fifth of a second for every side.
    pub const THOROUGH: Self = Self { rounds: 81, passes: 5, patient: true };
    /// Enough to see that it works.
    pub const QUICK: Self = Self { rounds: 25, passes: 1, patient: false };

    /// True where time matters more than certainty.
    pub fn is_quick(self) -> bool {
        self == Self::QUICK
    }

    /// Rounds of something that takes `long` runs at a time.
    pub fn rounds_of(self, long: usize) -> usize {
        (self.rounds / long).max(if self.is_quick() { 5 } else { 9 })
    }

    /// Median nanoseconds of a call of each.
    pub fn race<const N: usize>(self, contestants: [Contestant; N]) -> [f64; N] {
        let times = self.race_all(contestants.into_iter().collect());
        std::array::from_fn(|i| times[i])
    }

    /// The same of any number.
    pub fn race_all(self, mut contestants: Vec<Contestant>) -> Vec<f64> {
        let calls: Vec<usize> = contestants.iter_mut().map(|run| calibrate(run)).collect();
        let mut times: Vec<Times> = contestants.iter().map(|_| Times::default()).collect();
        for _ in 0..self.rounds {
            for ((run, &calls), times) in contestants.iter_mut().zip(&calls).zip(&mut times) {
                if self.patient {
                    wait();
                }
                let Run { seconds, disturbed } = run(calls);
                let time = seconds * 1e9 / calls as f64;
                times.all.push(time);
                if !disturbed {
                    times.undisturbed.push(time);
                }
            }
        }
        let middle =
            |times: Times| median(if times.undisturbed.len() >= ENOUGH { times.undisturbed } else { times.all });
        times.into_iter().map(middle).collect()
    }

    /// Median nanoseconds of a call.
    pub fn time(self, contestant: Contestant) -> f64 {
        let [time] = self.race([contestant]);
        time
    }
}

/// Nanoseconds of a call in each run.
#[derive(Default)]
struct Times {
    all: Vec<f64>,
    undisturbed: Vec<f64>,
}

/// Calls that fill a run.
fn calibrate(run: Contestant) -> usize {
    let mut calls = 1;
    loop {
        let taken = run(calls).seconds;
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
pub fn repeated(mut f: impl FnMut()) -> impl FnMut(usize) -> Run {
    move |calls| guarded(|| seconds(calls, &mut f))
}

/// Calls `f` again and again with a state that is as at first when a run begins; neither decays nor drifts away.
pub fn restarted<S: Clone>(first: S, mut f: impl FnMut(&mut S)) -> impl FnMut(usize) -> Run {
    let mut state = first.clone();
    move |calls| {
        state.clone_from(&first);
        guarded(|| seconds(calls, || f(&mut state)))
    }
}

fn seconds(calls: usize, mut f: impl FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..calls {
        f();
    }
    start.elapsed().as_secs_f64()
}

/// Seconds this thread has run, not counting those in which others had its core; where the system does not report it, wall-clock seconds.
/// Counted in ticks of some milliseconds.
pub fn thread_seconds() -> f64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let ran = text.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    ran.map_or_else(|| START.get_or_init(Instant::now).elapsed().as_secs_f64(), |nanoseconds| 1e-9 * nanoseconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quiet(seconds: f64) -> Run {
        Run { seconds, disturbed: false }
    }

    #[test]
    fn a_race_returns_the_median_time_of_a_call() {
        let mut runs = 0;
        let mut interrupted = |calls: usize| {
            runs += 1;
            quiet(calls as f64 * if runs % 3 == 0 { 1e-6 } else { 3e-9 })
        };
        let times = Meter::QUICK.race([&mut interrupted, &mut |calls| quiet(calls as f64 * 7e-9)]);
        assert!(times.iter().zip([3.0, 7.0]).all(|(time, expected)| (time - expected).abs() < 1e-6), "{times:?}");
    }

    #[test]
    fn disturbed_runs_do_not_count_where_there_are_enough_others() {
        let time_if_disturbed_but_every = |nth: usize| {
            let mut runs = 0;
            Meter::THOROUGH.time(&mut |calls| {
                runs += 1;
                let disturbed = runs % nth != 0;
                Run { seconds: calls as f64 * if disturbed { 5e-9 } else { 3e-9 }, disturbed }
            })
        };
        assert!((time_if_disturbed_but_every(4) - 3.0).abs() < 1e-6);
        assert!((time_if_disturbed_but_every(20) - 5.0).abs() < 1e-6);
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
