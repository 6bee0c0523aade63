//! `ictus list`: the presets, the materials, the shapes.

use super::catalogue;
use crate::cli::List;
use crate::failure::Failure;
use ictus_engine::presets;
use ictus_instrument::Loaded;
use serde_json::json;
use std::io::Write;
use std::process::ExitCode;

pub fn run(options: &List) -> Result<ExitCode, Failure> {
    let wanted = options.filter.clone().unwrap_or_default().to_lowercase();
    if options.parameters {
        return super::parameters::run(options.filter.as_deref(), options.json);
    }
    if options.materials {
        return catalogue::materials(&wanted, options.json);
    }
    if options.shapes {
        return catalogue::shapes(&wanted, options.json);
    }
    let mut found = Vec::new();
    for preset in presets::ALL {
        let loaded = ictus_instrument::load(preset.stem, preset.text, &[])?;
        let block = loaded.spec.preset.clone();
        let category = block.as_ref().map_or(String::new(), |b| format!("{:?}", b.category));
        let tags = block.as_ref().map_or(Vec::new(), |b| b.tags.clone());
        let listen = block.and_then(|b| b.listen_for).unwrap_or_default();
        let text = format!("{} {} {category} {}", preset.stem, preset.name(), tags.join(" ")).to_lowercase();
        if text.contains(&wanted) {
            found.push((preset, category, tags, listen, loaded));
        }
    }
    let mut out = std::io::stdout().lock();
    let printed = if options.json {
        let list: Vec<_> = found
            .iter()
            .map(|(preset, category, tags, listen, loaded)| {
                let controls = loaded.spec.controls.iter();
                let knobs: Vec<_> = controls.map(|c| json!({"id": c.id, "name": c.name, "default": c.default})).collect();
                json!({
                    "id": preset.stem, "name": preset.name(), "category": category, "tags": tags, "listen_for": listen, "knobs": knobs
                })
            })
            .collect();
        writeln!(out, "{}", serde_json::to_string_pretty(&list).unwrap_or_default())
    } else {
        let width = found.iter().map(|(preset, ..)| preset.stem.len()).max().unwrap_or(0);
        let names = found.iter().map(|(preset, ..)| preset.name().chars().count()).max().unwrap_or(0);
        found.iter().try_for_each(|(preset, category, _, listen, loaded)| {
            writeln!(out, "  {:<width$}  {:<names$}  {category:<8}  {listen}", preset.stem, preset.name())?;
            writeln!(out, "  {:<width$}  knobs: {}", "", knobs(loaded))
        })
    };
    printed.map_err(|_| Failure::Hangup)?;
    if found.is_empty() && !options.json {
        return Err(Failure::new(format!("no preset matches `{wanted}`"), "`ictus list` shows all of them"));
    }
    Ok(ExitCode::SUCCESS)
}

/// The knobs of an instrument with their positions at rest: `force 0.5, hardness 0.3`.
pub fn knobs(loaded: &Loaded) -> String {
    let shown: Vec<String> = loaded.spec.controls.iter().map(|knob| format!("{} {}", knob.id, knob.default)).collect();
    if shown.is_empty() { "none".to_owned() } else { shown.join(", ") }
}
