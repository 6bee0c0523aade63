//! How fast every preset renders on one core:
//! `cargo run --release -p ictus-engine --example speeds -- [--least FACTOR] [--runs N] [--bare] [--blocks] [PART OF A NAME | -PART …]`.
//!
//! With the energy ledger, as files are rendered; `--bare` without it, as instruments are played.
//! `--blocks` adds what the most expensive block of 64 frames takes, the least of N runs for every block: times real time, and how many times the median of those in which something sounds.
//! Presets whose name has one of the parts, and none of those with a minus. Each is rendered as long as its file says, the best of N runs counts (1 if not said). Exits with 1 if one is slower than FACTOR times
//! real time.

mod common;

use ictus_engine::{Instrument, Performance, presets};
use ictus_instrument::load;
use std::error::Error;
use std::process::ExitCode;
use std::time::Instant;

const RATE: u32 = 48_000;

/// Seconds of sound per second of computing.
fn speed(preset: &presets::Preset, runs: usize, audited: bool) -> Result<f64, Box<dyn Error>> {
    let loaded = load(preset.stem, preset.text, &[])?;
    let instrument = Instrument::compile(&loaded, RATE)?;
    let mut frames = vec![[0.0f32; 2]; (loaded.spec.seconds * f64::from(RATE)) as usize];
    let best = (0..runs).map(|_| common::timed(&instrument, &mut frames, RATE, audited).1).fold(0.0, f64::max);
    Ok(best)
}

/// Frames of a block, as an audio device asks for them.
const BLOCK: usize = 64;
/// Fainter blocks are silence.
const SILENCE: f32 = 1e-4;

/// Seconds of sound per second of computing in the most expensive block, and its time over the median of the blocks that sound.
fn worst_block(preset: &presets::Preset, runs: usize, audited: bool) -> Result<[f64; 2], Box<dyn Error>> {
    let loaded = load(preset.stem, preset.text, &[])?;
    let instrument = Instrument::compile(&loaded, RATE)?;
    let mut frames = vec![[0.0f32; 2]; (loaded.spec.seconds * f64::from(RATE)) as usize];
    let mut least = vec![f64::INFINITY; frames.len() / BLOCK];
    for _ in 0..runs {
        let mut performance = Performance::new(&instrument);
        performance.audit(audited);
        for (block, least) in frames.chunks_exact_mut(BLOCK).zip(&mut least) {
            let start = Instant::now();
            performance.render(block);
            *least = least.min(start.elapsed().as_secs_f64());
        }
    }
    let worst = least.iter().fold(0.0, |worst: f64, time| worst.max(*time));
    let sounds = |block: &[[f32; 2]]| block.iter().flatten().any(|x| x.abs() > SILENCE);
    let blocks = frames.chunks_exact(BLOCK).zip(least);
    let mut heard: Vec<f64> = blocks.filter(|(block, _)| sounds(block)).map(|(_, time)| time).collect();
    heard.sort_by(f64::total_cmp);
    let median = heard.get(heard.len() / 2).copied().unwrap_or(worst);
    Ok([BLOCK as f64 / f64::from(RATE) / worst, worst / median])
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let (mut least, mut runs, mut audited, mut blocks) = (0.0, 1, true, false);
    let (mut wanted, mut unwanted) = (Vec::new(), Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} needs a number"));
        match argument.as_str() {
            "--least" => least = value()?.parse()?,
            "--bare" => audited = false,
            "--blocks" => blocks = true,
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
        print!("{:<20} {speed:>6.1}×", preset.stem);
        if blocks {
            let [slowest, ratio] = worst_block(preset, runs, audited)?;
            print!("  worst block {slowest:>6.1}×, {ratio:.1} medians");
        }
        println!("{}", if speed < least { "  too slow" } else { "" });
    }
    println!("{slow} slower than {least} times real time");
    Ok(if slow == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
