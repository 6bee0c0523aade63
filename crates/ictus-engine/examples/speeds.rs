//! How fast every preset renders on one core:
//! `cargo run --release -p ictus-engine --example speeds -- [--least FACTOR] [--most RATIO] [--runs N] [--seconds S] [--bare] [--blocks] [--frames] [PART OF A NAME | -PART …]`.
//!
//! With the energy ledger, as files are rendered; `--bare` without it, as instruments are played.
//! `--blocks` adds what the most expensive block of 64 frames takes: times real time, and how many times the median block; `--frames` the same of single frames. The
//! median is that of what sounds *while every step is taken by itself*, as [`Player::step_singly`] does: stretches without contact run up to ten times as fast, and
//! a host needs the time for the other blocks anyway. In brackets, with the median as played in its place. Before that, counts that do not depend on a clock: the most iterations
//! of any solve, of any coupled solve, and the solves that stopped above their tolerance.
//!
//! Presets whose name has one of the parts, and none of those with a minus. Each is rendered as long as its file says, at most S seconds; the best of N runs counts (1 if not said; with FACTOR, no more
//! runs than it takes to reach it), of blocks for each by itself, since renders repeat exactly. Exits with 1 if one is slower than FACTOR times real time, or has a block that takes more than RATIO
//! medians or a solve that missed.

mod common;

use ictus_core::SolverCounts;
use ictus_engine::{Patch, Player, presets};
use ictus_instrument::load;
use std::error::Error;
use std::process::ExitCode;
use std::time::Instant;

const RATE: u32 = 48_000;
/// Frames of a block, as an audio device asks for them.
const BLOCK: usize = 64;
/// Fainter blocks are silence.
const SILENCE: f32 = 1e-4;

/// The worst so many are played again from a snapshot, so often each, until the worst of all is one of them: what has not run for long is fetched from far away, and
/// that takes longer than an event itself (3 to 10 µs instead of 0.3 for a throw).
const CHOSEN: usize = 100;
const AGAIN: usize = 4;
const ROUNDS: usize = 5;
/// Runs of fast presets are added for so long, s: other programs slow a machine for tenths of a second.
const LONG_ENOUGH: f64 = 0.2;

/// What to do with a preset.
#[derive(Clone, Copy)]
struct Plan {
    runs: usize,
    seconds: f64,
    audited: bool,
    /// So many times real time are fast enough; if it is not said, none are.
    enough: f64,
}

/// An instrument with room for what it plays.
struct Stage {
    patch: Patch,
    frames: Vec<[f32; 2]>,
}

impl Stage {
    fn new(preset: &presets::Preset, plan: Plan) -> Result<Self, Box<dyn Error>> {
        let loaded = load(preset.stem, preset.text, &[])?;
        let frames = (loaded.spec.seconds.min(plan.seconds) * f64::from(RATE)) as usize;
        Ok(Self { patch: Patch::compile(&loaded, RATE)?, frames: vec![[0.0; 2]; frames] })
    }

    /// Seconds of sound per second of computing, and what the solver did.
    fn speed(&mut self, plan: Plan) -> (f64, SolverCounts) {
        let Self { patch, frames } = self;
        let mut best = (0.0, SolverCounts::default());
        for _ in 0..plan.runs {
            let (player, speed) = common::timed(patch, frames, RATE, plan.audited);
            best = (speed.max(best.0), player.counts().clone());
            if best.0 >= plan.enough {
                break;
            }
        }
        best
    }

    /// Plays once more, `size` frames at a time, and keeps the least seconds of each.
    fn time(&mut self, size: usize, audited: bool, singly: bool, least: &mut [f64]) {
        let mut player = Player::new(&self.patch);
        player.audit(audited);
        if singly {
            player.step_singly();
        }
        for (frames, least) in self.frames.chunks_exact_mut(size).zip(least) {
            let start = Instant::now();
            player.render(frames);
            *least = least.min(start.elapsed().as_secs_f64());
        }
    }

    /// Plays on from just before each of the `chosen` pieces, several times, and keeps the least seconds of each.
    fn time_again(&mut self, size: usize, audited: bool, chosen: &[usize], least: &mut [f64]) {
        let mut player = Player::new(&self.patch);
        player.audit(audited);
        for (i, frames) in self.frames.chunks_exact_mut(size).enumerate().take(least.len()) {
            if chosen.contains(&i) {
                for _ in 0..AGAIN {
                    let mut twin = player.clone();
                    let start = Instant::now();
                    twin.render(frames);
                    least[i] = least[i].min(start.elapsed().as_secs_f64());
                }
            }
            player.render(frames);
        }
    }

    /// What `size` frames at a time take.
    fn costs(&mut self, size: usize, plan: Plan) -> Costs {
        let pieces = self.frames.len() / BLOCK * BLOCK / size;
        let [mut played, mut stepped] = [(); 2].map(|()| vec![f64::INFINITY; pieces]);
        // in turn: what slows the machine for a while slows both
        let start = Instant::now();
        let mut runs = 0;
        while runs < plan.runs || start.elapsed().as_secs_f64() < LONG_ENOUGH {
            runs += 1;
            self.time(size, plan.audited, false, &mut played);
            self.time(size, plan.audited, true, &mut stepped);
        }
        let mut again = Vec::new();
        for _ in 0..ROUNDS {
            let mut order: Vec<usize> = (0..pieces).collect();
            order.sort_by(|&a, &b| played[b].total_cmp(&played[a]));
            if order.first().is_none_or(|worst| again.contains(worst)) {
                break;
            }
            order.retain(|i| !again.contains(i));
            order.truncate(CHOSEN);
            for _ in 0..plan.runs {
                self.time_again(size, plan.audited, &order, &mut played);
            }
            again.extend(order);
        }
        let sounds = |block: &[[f32; 2]]| block.iter().flatten().any(|x| x.abs() > SILENCE);
        let heard: Vec<bool> = self.frames.chunks_exact(BLOCK).map(sounds).collect();
        let median = |times: &[f64]| {
            let heard = times.iter().enumerate().filter(|(i, _)| heard[i * size / BLOCK]);
            let mut times: Vec<f64> = heard.map(|(_, time)| *time).collect();
            times.sort_by(f64::total_cmp);
            times.get(times.len() / 2).copied().unwrap_or(f64::INFINITY)
        };
        let worst = played.iter().fold(0.0, |worst: f64, time| worst.max(*time));
        Costs { worst, ratio: worst / median(&stepped), ratio_played: worst / median(&played) }
    }
}

struct Costs {
    /// Seconds.
    worst: f64,
    /// Over the median while every step is taken by itself.
    ratio: f64,
    ratio_played: f64,
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut plan = Plan { runs: 1, seconds: f64::INFINITY, audited: true, enough: f64::INFINITY };
    let (mut least, mut most, mut blocks, mut single) = (0.0, f64::INFINITY, false, false);
    let (mut wanted, mut unwanted) = (Vec::new(), Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} needs a number"));
        match argument.as_str() {
            "--least" => {
                least = value()?.parse()?;
                plan.enough = least;
            }
            "--most" => most = value()?.parse()?,
            "--bare" => plan.audited = false,
            "--blocks" => blocks = true,
            "--frames" => single = true,
            "--runs" => plan.runs = value()?.parse()?,
            "--seconds" => plan.seconds = value()?.parse()?,
            _ => match argument.strip_prefix('-') {
                Some(part) => unwanted.push(part.to_owned()),
                None => wanted.push(argument),
            },
        }
    }
    let (mut slow, mut uneven) = (0, 0);
    for preset in presets::ALL {
        let named = |parts: &[String]| parts.iter().any(|part| preset.stem.contains(part.as_str()));
        if !wanted.is_empty() && !named(&wanted) || named(&unwanted) {
            continue;
        }
        let mut stage = Stage::new(preset, plan)?;
        let (speed, counts) = stage.speed(plan);
        slow += usize::from(speed < least);
        print!("{:<20} {speed:>6.1}×", preset.stem);
        if blocks {
            let Costs { worst, ratio, ratio_played } = stage.costs(BLOCK, plan);
            let SolverCounts { max_iterations, max_coupled_iterations, missed, .. } = counts;
            let bad = ratio > most || missed > 0;
            uneven += usize::from(bad);
            print!("  iterations {max_iterations:>2}, coupled {max_coupled_iterations}, missed {missed}");
            let speed = BLOCK as f64 / f64::from(RATE) / worst;
            print!("  worst block {speed:>6.1}×, {ratio:>4.1} medians ({ratio_played:>4.1})");
            print!("{}", if bad { "  uneven" } else { "" });
        }
        if single {
            let Costs { worst, ratio, ratio_played } = stage.costs(1, plan);
            print!("  worst frame {:>5.1} µs, {ratio:>4.1} medians ({ratio_played:>4.1})", 1e6 * worst);
        }
        println!("{}", if speed < least { "  too slow" } else { "" });
    }
    println!("{slow} slower than {least} times real time");
    if blocks {
        println!("{uneven} with a block of more than {most} medians or a solve that missed");
    }
    Ok(if slow + uneven == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
