//! What the special paths of a step save in the presets, with the ledger and without: `cargo run --release -p ictus-bench --features paths --example paths [PRESET]…`
//!
//! Every preset is played with all paths open and with one of them closed, in turn; the least time of each counts. Closing a path that a preset does not take tells how much the machine disturbs.

use ictus_core::{Special, close_path, path_count};
use ictus_engine::{Io, Patch, Player, presets};
use std::time::Instant;

/// Samples per second.
const RATE: u32 = 48_000;
/// Frames of a block.
const BLOCK: usize = 64;
/// Seconds of a preset.
const SECONDS: f64 = 1.0;
/// Times that each way is played.
const TIMES: usize = 3;

fn main() -> Result<(), String> {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let chosen: Vec<_> =
        presets::ALL.iter().filter(|preset| names.is_empty() || names.iter().any(|name| name == preset.stem)).collect();
    for audited in [false, true] {
        println!("{}", if audited { "with ledger" } else { "without ledger" });
        println!("  {:16} {:>8} {:>8} {:>9} {:>9}  most in", "path", "presets", "taken", "saved %", "median %");
        let mut open = vec![Vec::new(); Special::ALL.len()];
        for preset in &chosen {
            for (path, shares) in measure(preset, audited)?.into_iter().enumerate() {
                open[path].push((preset.stem, shares));
            }
        }
        for (path, rows) in Special::ALL.iter().zip(&mut open) {
            rows.retain(|(_, row)| row.taken > 0);
            let sum = |part: fn(&PathRow) -> f64| rows.iter().map(|(_, row)| part(row)).sum::<f64>();
            let saved = 100.0 * (1.0 - sum(|row| row.open) / sum(|row| row.closed).max(1e-12));
            rows.sort_by(|(_, a), (_, b)| b.saved().total_cmp(&a.saved()));
            let median = rows.get(rows.len() / 2).map_or(0.0, |(_, row)| 100.0 * row.saved());
            let most = rows.iter().take(4).map(|(name, row)| format!("{name} {:.0} %", 100.0 * row.saved()));
            let taken: u64 = rows.iter().map(|(_, row)| row.taken).sum();
            println!(
                "  {:16} {:>8} {taken:>8} {saved:>9.1} {median:>9.1}  {}",
                format!("{path:?}"),
                rows.len(),
                most.collect::<Vec<_>>().join(", ")
            );
        }
    }
    Ok(())
}

/// A preset with a path open, and with it closed.
#[derive(Clone, Copy)]
struct PathRow {
    taken: u64,
    open: f64,
    closed: f64,
}

impl PathRow {
    /// Share of the time without the path.
    fn saved(&self) -> f64 {
        1.0 - self.open / self.closed
    }
}

fn measure(preset: &presets::Preset, audited: bool) -> Result<Vec<PathRow>, String> {
    let loaded = ictus_instrument::load(preset.stem, preset.text, &[]).map_err(|error| error.to_string())?;
    let compile = || Patch::compile(&loaded, RATE).map_err(|error| error.to_string());
    close_path(None);
    Special::ALL.iter().for_each(|&path| _ = path_count(path));
    let patch = compile()?;
    let blocks = (loaded.spec.seconds.min(SECONDS) * f64::from(RATE)) as usize / BLOCK;
    play(&patch, audited, blocks);
    let taken = Special::ALL.map(path_count);
    let closed = Special::ALL.map(|path| {
        close_path(Some(path));
        compile()
    });
    let mut rows = Vec::new();
    for ((&path, taken), other) in Special::ALL.iter().zip(taken).zip(closed) {
        let other = other?;
        let mut row = PathRow { taken, open: f64::INFINITY, closed: f64::INFINITY };
        for _ in 0..if taken > 0 { TIMES } else { 0 } {
            close_path(None);
            row.open = row.open.min(play(&patch, audited, blocks));
            close_path(Some(path));
            row.closed = row.closed.min(play(&other, audited, blocks));
        }
        rows.push(row);
    }
    close_path(None);
    Ok(rows)
}

/// Seconds that it takes.
fn play(patch: &Patch, audited: bool, blocks: usize) -> f64 {
    let mut player = Player::new(patch);
    player.audit(audited);
    let (mut left, mut right) = ([0.0f32; BLOCK], [0.0f32; BLOCK]);
    let start = Instant::now();
    for _ in 0..blocks {
        player.process(&[], Io { inputs: &[], buses: &mut [&mut left, &mut right] });
    }
    start.elapsed().as_secs_f64()
}
