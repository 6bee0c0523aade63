//! How fast every preset renders on one core:
//! `cargo run --release -p ictus-engine --example speeds -- [--least FACTOR] [--runs N] [--bare] [PART OF A NAME | -PART …]`.
//!
//! With the energy ledger, as files are rendered; `--bare` without it, as instruments are played.
//! Presets whose name has one of the parts, and none of those with a minus. Each is rendered as long as its file says, the best of N runs counts (1 if not said). Exits with 1 if one is slower than FACTOR times
//! real time.

mod common;

use ictus_engine::{Instrument, presets};
use ictus_instrument::load;
use std::error::Error;
use std::process::ExitCode;

const RATE: u32 = 48_000;

/// Seconds of sound per second of computing.
fn speed(preset: &presets::Preset, runs: usize, audited: bool) -> Result<f64, Box<dyn Error>> {
    let loaded = load(preset.stem, preset.text, &[])?;
    let instrument = Instrument::compile(&loaded, RATE)?;
    let mut frames = vec![[0.0f32; 2]; (loaded.spec.seconds * f64::from(RATE)) as usize];
    let best = (0..runs).map(|_| common::timed(&instrument, &mut frames, RATE, audited).1).fold(0.0, f64::max);
    Ok(best)
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let (mut least, mut runs, mut audited, mut wanted, mut unwanted) = (0.0, 1, true, Vec::new(), Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} needs a number"));
        match argument.as_str() {
            "--least" => least = value()?.parse()?,
            "--bare" => audited = false,
            "--runs" => runs = value()?.parse()?,
            _ => match argument.strip_prefix('-') {
                Some(part) => unwanted.push(part.to_owned()),
                None => wanted.push(argument),
            },
        }
    }
    let mut slow = 0;
    for preset in presets::ALL {
        let named = |parts: &[String]| parts.iter().any(|part| preset.stem.contains(part.as_str()));
        if !wanted.is_empty() && !named(&wanted) || named(&unwanted) {
            continue;
        }
        let speed = speed(preset, runs, audited)?;
        slow += usize::from(speed < least);
        println!("{:<20} {speed:>6.1}×{}", preset.stem, if speed < least { "  too slow" } else { "" });
    }
    println!("{slow} slower than {least} times real time");
    Ok(if slow == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
