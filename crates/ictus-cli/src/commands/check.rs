//! `ictus check`: validation only.

use super::modes;
use crate::cli::Check;
use crate::failure::Failure;
use crate::session::Session;
use crate::table::count;
use serde_json::json;
use std::io::Write;
use std::process::ExitCode;

pub fn run(options: &Check) -> Result<ExitCode, Failure> {
    let session = Session::open(&options.play)?;
    let model = session.patch.model();
    let spec = &session.loaded.spec;
    let warnings = session.loaded.warnings.len() + session.patch.warnings().len();
    let mut out = std::io::stdout().lock();
    let printed = if options.play.json {
        let mut report = json!({
            "instrument": session.title(),
            "ok": true,
            "warnings": warnings,
            "bodies": model.body_count(),
            "contacts": session.patch.contact_count(),
            "islands": model.island_count(),
            "controls": session.loaded.controls,
        });
        if options.modes {
            report["modes"] = modes::json(&session.patch);
        }
        writeln!(out, "{}", serde_json::to_string_pretty(&report).unwrap_or_default())
    } else if options.play.quiet {
        Ok(())
    } else {
        let mut text = format!(
            "  {}: {}, {} in {}, {}, {}\n",
            session.title(),
            count(model.body_count(), "body", "bodies"),
            count(session.patch.contact_count(), "contact", "contacts"),
            count(model.island_count(), "island", "islands"),
            count(spec.gestures.len(), "gesture", "gestures"),
            count(spec.taps.len(), "tap", "taps")
        );
        for control in &session.loaded.controls {
            let shown: Vec<String> = control
                .mapped
                .iter()
                .map(|mapped| {
                    let times = if mapped.scale { "× " } else { "" };
                    format!("{} {times}{} {}", mapped.path, number(mapped.value), mapped.unit).trim_end().to_owned()
                })
                .collect();
            text += &format!("  {} {} · {}\n", control.id, number(control.value), shown.join(", "));
        }
        if options.modes {
            text += &modes::text(&session.patch);
        }
        writeln!(out, "{text}  ok")
    };
    printed.map_err(|_| Failure::Hangup)?;
    Ok(ExitCode::SUCCESS)
}

/// A number as short as it can be read.
fn number(x: f64) -> String {
    if x != 0.0 && !(1e-3..1e5).contains(&x.abs()) {
        format!("{x:.3e}")
    } else {
        format!("{}", (x * 1e4).round() / 1e4)
    }
}
