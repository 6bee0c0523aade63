//! `ictus audit`: the energy ledger, element by element.

use crate::cli::Audit;
use crate::failure::{CHECK_FAILED, Failure, QUARANTINED};
use crate::session::Session;
use crate::table::joules;
use ictus_core::Entry;
use serde_json::json;
use std::io::Write;
use std::process::ExitCode;

pub fn run(options: &Audit) -> Result<ExitCode, Failure> {
    if options.tolerance.is_nan() || options.tolerance < 0.0 {
        let message = format!("--tolerance is {}, expected a share of at least 0", options.tolerance);
        return Err(Failure::new(message, "try --tolerance 1e-9"));
    }
    let session = Session::open(&options.play)?;
    let performance = session.play(options.play.quiet || options.play.json, false, |_, _, _| Ok(()))?;
    let (ledger, counts) = (performance.ledger(), performance.counts());
    let model = session.instrument.model();
    let residual = ledger.max_residual_rel();
    let passed = residual <= options.tolerance;
    let bodies = model.body_names().zip(&ledger.bodies).map(|(name, entry)| ("body", name, entry));
    let contacts = model.contact_names().zip(&ledger.contacts).map(|(name, entry)| ("contact", name, entry));
    let rows: Vec<(&str, &str, &Entry)> = bodies.chain(contacts).collect();

    let mut out = std::io::stdout().lock();
    let printed = if options.play.json {
        let elements: Vec<_> = rows.iter().map(|(kind, name, entry)| element(kind, name, entry)).collect();
        let report = json!({
            "instrument": session.title(),
            "seconds": session.frames as f64 / f64::from(options.play.sample_rate),
            "max_stored_j": ledger.peak,
            "max_residual_rel": residual,
            "max_step_residual_rel": ledger.max_step_residual / ledger.scale(),
            "tolerance": options.tolerance,
            "pass": passed,
            "total": element("total", "", &ledger.total),
            "elements": elements,
            "solver": {
                "iterations_mean": counts.mean_iterations(),
                "iterations_max": counts.max_iterations,
                "missed": counts.missed,
                "dropped_pivots": counts.dropped_pivots,
                "refused_forces": counts.refused_forces,
                "quarantined": counts.quarantined,
            },
        });
        writeln!(out, "{}", serde_json::to_string_pretty(&report).unwrap_or_default())
    } else if options.play.quiet {
        Ok(())
    } else {
        let width = rows.iter().map(|(_, name, _)| name.chars().count()).max().unwrap_or(0).max(7);
        let line = |name: &str, entry: &Entry| {
            format!(
                "  {name:<width$}  {:>9}  {:>9}  {:>9}  {:>9.0e}  {:>9.0e}\n",
                joules(entry.stored),
                joules(entry.supplied.value()),
                joules(entry.dissipated.value()),
                entry.solver.value(),
                entry.max_residual,
            )
        };
        let mut text = format!(
            "  {}\n\n  {:<width$}  {:>9}  {:>9}  {:>9}  {:>9}  {:>9}\n",
            session.title(),
            "element",
            "stored",
            "supplied",
            "lost",
            "solver J",
            "residual J"
        );
        for (_, name, entry) in &rows {
            text += &line(name, entry);
        }
        text += &line("total", &ledger.total);
        text += &format!(
            "\n  peak {}, {} solves, {:.2} iterations on average, {} at most, {} missed\n  {} closes to {residual:.1e} of the peak energy (tolerance {:.0e})\n",
            joules(ledger.peak),
            counts.solves,
            counts.mean_iterations(),
            counts.max_iterations,
            counts.missed,
            if passed { "pass:" } else { "FAIL:" },
            options.tolerance,
        );
        write!(out, "{text}")
    };
    printed.map_err(|_| Failure::Hangup)?;
    Ok(if counts.quarantined > 0 || performance.muted() > 0 {
        ExitCode::from(QUARANTINED)
    } else if passed {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(CHECK_FAILED)
    })
}

fn element(kind: &str, name: &str, entry: &Entry) -> serde_json::Value {
    json!({
        "kind": kind,
        "name": name,
        "stored_j": entry.stored,
        "initial_j": entry.initial,
        "supplied_j": entry.supplied.value(),
        "dissipated_j": entry.dissipated.value(),
        "solver_j": entry.solver.value(),
        "max_residual_j": entry.max_residual,
    })
}
