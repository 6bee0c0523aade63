//! Writes the book's page of presets, a table with what each is and measures, and sheets of their spectrograms:
//! `cargo run --release -p ictus-engine --example preset_page -- docs`.

mod common;

use ictus_analysis::{level, mono, plot};
use ictus_engine::{Patch, presets};
use ictus_instrument::{Category, load};
use std::fmt::Write as _;
use std::path::Path;

const RATE: u32 = 48_000;
/// Length of what is shown, s.
const SHOWN_S: f64 = 4.0;
const COLUMNS: usize = 4;
/// Renders of which the fastest counts.
const RUNS: usize = 3;

struct PresetEntry {
    name: String,
    stem: &'static str,
    category: Category,
    listen_for: String,
    knobs: String,
    peak: f64,
    loudness: f64,
    residual: f64,
    speed: f64,
    sound: Vec<f64>,
}

fn row(preset: &presets::Preset) -> Result<PresetEntry, Box<dyn std::error::Error>> {
    let loaded = load(preset.stem, preset.text, &[])?;
    let patch = Patch::compile(&loaded, RATE)?;
    let mut frames = vec![[0.0f32; 2]; (loaded.spec.seconds * f64::from(RATE)) as usize];
    let (player, mut speed) = common::timed(&patch, &mut frames, RATE, true);
    for _ in 1..RUNS {
        speed = speed.max(common::timed(&patch, &mut frames, RATE, true).1);
    }
    let shown = frames.len().min((SHOWN_S * f64::from(RATE)) as usize);
    let (name, category, listen_for) = match loaded.spec.preset {
        Some(preset) => (preset.name, preset.category, preset.listen_for.unwrap_or_default()),
        None => return Err(format!("{} does not introduce itself", preset.stem).into()),
    };
    Ok(PresetEntry {
        name,
        stem: preset.stem,
        category,
        listen_for,
        knobs: loaded.spec.controls.iter().map(|control| control.name.as_str()).collect::<Vec<_>>().join(", "),
        peak: level::peak_dbfs(frames.as_flattened()).unwrap_or(f64::NEG_INFINITY),
        loudness: level::loudness_lufs(frames.as_flattened(), 2, f64::from(RATE)).unwrap_or(f64::NEG_INFINITY),
        residual: player.ledger().max_residual_rel(),
        speed,
        sound: mono(frames[..shown].as_flattened(), 2),
    })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let docs = std::env::args().nth(1).unwrap_or_else(|| "docs".to_owned());
    let mut rows = presets::ALL.iter().map(row).collect::<Result<Vec<PresetEntry>, _>>()?;
    rows.sort_by_key(|row| (format!("{:?}", row.category), row.name.clone()));
    let mut page = "# The presets\n\nEvery file of `instruments/`, as it sounds with its knobs at rest (48 kHz). \
                    `ictus render \"wine glass\"` plays one. Speed is times real time on one core with the energy ledger on, \
                    the best of three renders when the pictures were made; `cargo run --release -p ictus-engine --example speeds` measures it anywhere.\n"
        .to_owned();
    for group in rows.chunk_by(|a, b| a.category == b.category) {
        let category = format!("{:?}", group[0].category);
        let picture = format!("presets-{}.png", category.to_lowercase());
        let named: Vec<(&str, &[f64])> = group.iter().map(|row| (row.name.as_str(), row.sound.as_slice())).collect();
        let sheet = plot::Sheet::new(COLUMNS, f64::from(RATE));
        plot::spectrogram_sheet(&Path::new(&docs).join("images").join(&picture), sheet, &named)?;
        write!(
            page,
            "\n## {category}\n\n![Spectrograms: time in seconds, frequency in Hz](../../images/{picture})\n\n"
        )?;
        page += "| preset | file | listen for | knobs | peak dBFS | LUFS | residual | speed |\n|---|---|---|---|---|---|---|---|\n";
        for row in group {
            writeln!(
                page,
                "| {} | `{}` | {} | {} | {:.1} | {:.1} | {:.0e} | {:.0}× |",
                row.name, row.stem, row.listen_for, row.knobs, row.peak, row.loudness, row.residual, row.speed
            )?;
            println!("{:<28} {:>6.1}×  peak {:>6.1}  {:>6.1} LUFS", row.name, row.speed, row.peak, row.loudness);
        }
    }
    std::fs::write(Path::new(&docs).join("book/src/presets.md"), page)?;
    Ok(())
}
