//! Many renders at once.

use super::{Case, Measured};
use crate::line::Line;
use crate::measure::{Meter, median, thread_seconds};
use crate::scratch::Scratch;
use ictus_sweep::{Plan, Sweep};
use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};
use std::thread::ThreadId;

/// One-second struck bars.
const BAR: &str = include_str!("bar.toml");
/// How many in a row: many, and few where time matters.
const SAMPLES: u64 = 50;
const FEW: u64 = 10;
/// How often one thread and two take turns.
const ROUNDS: usize = 3;

pub(super) fn case() -> Case {
    Case::new("sweep of struck bars, 2 threads", two_threads)
}

fn two_threads(name: &str, meter: Meter) -> Measured {
    let samples = if meter.is_quick() { FEW } else { SAMPLES };
    let sweep = plan(samples)?;
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..if meter.is_quick() { 1 } else { ROUNDS } {
        for (times, threads) in times.iter_mut().zip([1, 2]) {
            times.push(busiest(&sweep, threads)? * 1e3 / samples as f64);
        }
    }
    let [one, two] = times.map(median);
    Ok(vec![Line::new(name, two, "ms/render").against("1 thread", one).goal(1.9)])
}

fn plan(samples: u64) -> Result<Sweep, String> {
    let vary = vec!["mallet.mass_kg=5g..50g:log".parse()?, "felt.stiffness=1e7..1e9:log".parse()?];
    let plan = Plan { count: Some(samples), seconds: Some(1.0), ..Plan::new("bar.toml", BAR, vary) };
    Sweep::new(plan).map_err(|error| error.to_string())
}

/// Seconds of the thread that worked longest: what the whole would take if every thread had a core to itself.
fn busiest(sweep: &Sweep, threads: usize) -> Result<f64, String> {
    let folder = Scratch::new(&format!("sweep-{threads}"))?;
    let worked: Mutex<HashMap<ThreadId, f64>> = Mutex::new(HashMap::new());
    let each = |_: &_| {
        let mut worked = worked.lock().unwrap_or_else(PoisonError::into_inner);
        worked.insert(std::thread::current().id(), thread_seconds());
    };
    let ran = sweep.run(&folder.path().join("bars"), threads, &AtomicBool::new(false), &each);
    ran.map_err(|error| error.to_string())?;
    let worked = worked.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(worked.into_values().fold(0.0, f64::max))
}
