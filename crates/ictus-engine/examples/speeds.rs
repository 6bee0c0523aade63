//! How fast every preset renders on one core, energy ledger on:
//! `cargo run --release -p ictus-engine --example speeds -- [--least FACTOR] [--runs N] [PART OF A NAME …]`.
//!
//! Each is rendered as long as its file says, the best of N runs counts (1 if not said). Exits with 1 if one is slower than FACTOR times
//! real time.

use ictus_engine::{Instrument, Performance, presets};
use ictus_instrument::load;
use std::error::Error;
use std::process::ExitCode;
use std::time::Instant;

const RATE: u32 = 48_000;
/// Samples rendered at a time.
const BLOCK: usize = 1024;

/// Seconds of sound per second of computing.
fn speed(preset: &presets::Preset, runs: usize) -> Result<f64, Box<dyn Error>> {
    let loaded = load(preset.stem, preset.text, &[])?;
    let instrument = Instrument::compile(&loaded, RATE)?;
    let blocks = ((loaded.spec.seconds * f64::from(RATE)) as usize).div_ceil(BLOCK);
    let mut best: f64 = 0.0;
    for _ in 0..runs {
        let mut performance = Performance::new(&instrument);
        let mut frames = [[0.0f32; 2]; BLOCK];
        let clock = Instant::now();
        for _ in 0..blocks {
            performance.render(&mut frames);
        }
        best = best.max((blocks * BLOCK) as f64 / f64::from(RATE) / clock.elapsed().as_secs_f64());
    }
    Ok(best)
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let (mut least, mut runs, mut wanted) = (0.0, 1, Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} needs a number"));
        match argument.as_str() {
            "--least" => least = value()?.parse()?,
            "--runs" => runs = value()?.parse()?,
            _ => wanted.push(argument),
        }
    }
    let mut slow = 0;
    for preset in presets::ALL {
        if !wanted.is_empty() && !wanted.iter().any(|part| preset.stem.contains(part.as_str())) {
            continue;
        }
        let speed = speed(preset, runs)?;
        slow += usize::from(speed < least);
        println!("{:<20} {speed:>6.1}×{}", preset.stem, if speed < least { "  too slow" } else { "" });
    }
    println!("{slow} slower than {least} times real time");
    Ok(if slow == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
