//! `ictus map`: which motion a bow plays, over force and place or acceleration.

use crate::cli::Map;
use crate::failure::Failure;
use crate::session::progress;
use ictus_experiments::fr::map::{Cell, MAPS, Regime};
use ictus_experiments::metric::short;
use serde_json::{Value, json};
use std::io::Write;
use std::process::ExitCode;

pub fn run(options: &Map) -> Result<ExitCode, Failure> {
    let Some(map) = MAPS.iter().find(|map| map.id == options.map) else {
        let names: Vec<&str> = MAPS.iter().map(|map| map.id).collect();
        return Err(Failure::new(format!("there is no map `{}`", options.map), format!("maps: {}", names.join(", "))));
    };
    let values = map.values(&options.settings).map_err(|error| plain(&error))?;
    std::fs::create_dir_all(&options.out).map_err(|error| Failure::file(&options.out, "create", &error))?;
    let started = std::time::Instant::now();
    let total = values.count("columns") * values.count("rows");
    let bar = progress(options.quiet || options.json, total as u64);
    let outcome = map.run(&values, &|| bar.inc(1));
    bar.finish_and_clear();
    let (cells, outcome) = outcome.map_err(|error| plain(&error))?;
    let files = outcome.write(map.id, &options.out)?;
    if options.json {
        let text = serde_json::to_string_pretty(&object(map.id, &cells)).unwrap_or_default();
        writeln!(std::io::stdout().lock(), "{text}").map_err(|_| Failure::Hangup)?;
    }
    if !options.quiet {
        eprintln!("{}: {}", map.id, map.title);
        for metric in &outcome.metrics {
            eprintln!("  {:<48} {:>8}", metric.name, short(metric.measured));
        }
        eprintln!("{total} strokes in {:.1} s", started.elapsed().as_secs_f64());
        for file in files {
            eprintln!("wrote {}", file.display());
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn plain(error: &impl std::fmt::Display) -> Failure {
    Failure::Plain { message: error.to_string(), help: None }
}

fn object(id: &str, cells: &[Cell]) -> Value {
    let names: Vec<&str> = Regime::ALL.iter().map(|regime| regime.name()).collect();
    let cells: Vec<Value> =
        cells.iter().map(|cell| json!({"x": cell.x, "force_n": cell.force, "regime": cell.regime.name()})).collect();
    json!({"map": id, "regimes": names, "cells": cells})
}
