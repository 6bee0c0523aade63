//! `ictus audit`: the energy ledger, element by element.

use crate::cli::Audit;
use crate::failure::{CHECK_FAILED, Failure, QUARANTINED};
use crate::session::Session;
use crate::table::joules;
use ictus_core::Entry;
use ictus_engine::Player;
use serde_json::json;
use std::io::Write;
use std::ops::ControlFlow;
use std::process::ExitCode;

pub fn run(options: &Audit) -> Result<ExitCode, Failure> {
    if options.tolerance.is_nan() || options.tolerance < 0.0 {
        let message = format!("--tolerance is {}, expected a share of at least 0", options.tolerance);
        return Err(Failure::new(message, "try --tolerance 1e-9"));
    }
    let session = Session::open(&options.play)?;
    let quiet = options.play.quiet || options.play.json;
    let player = session.play(quiet, false, |_, _, _| Ok(ControlFlow::Continue(())))?;
    let audited = Audited { session: &session, player: &player, tolerance: options.tolerance };
    let text = if options.play.json {
        serde_json::to_string_pretty(&audited.json()).unwrap_or_default() + "\n"
    } else if options.play.quiet {
        String::new()
    } else {
        audited.text()
    };
    write!(std::io::stdout(), "{text}").map_err(|_| Failure::Hangup)?;
    Ok(audited.exit_code())
}

/// A player and the tolerance by which its ledger is judged.
struct Audited<'a> {
    session: &'a Session,
    player: &'a Player,
    tolerance: f64,
}

impl Audited<'_> {
    fn residual(&self) -> f64 {
        self.player.ledger().max_residual_rel()
    }

    fn passed(&self) -> bool {
        self.residual() <= self.tolerance
    }

    fn exit_code(&self) -> ExitCode {
        if self.player.counts().quarantined > 0 || self.player.muted() > 0 {
            ExitCode::from(QUARANTINED)
        } else if self.passed() {
            ExitCode::SUCCESS
        } else {
            ExitCode::from(CHECK_FAILED)
        }
    }

    /// Kind, name and ledger entry of every element.
    fn elements(&self) -> Vec<(&str, &str, &Entry)> {
        let (model, ledger) = (self.session.patch.model(), self.player.ledger());
        let bodies = model.body_names().zip(&ledger.bodies).map(|(name, entry)| ("body", name, entry));
        let contacts = model.contact_names().zip(&ledger.contacts).map(|(name, entry)| ("contact", name, entry));
        bodies.chain(contacts).collect()
    }

    fn json(&self) -> serde_json::Value {
        let (ledger, counts) = (self.player.ledger(), self.player.counts());
        let elements: Vec<_> = self.elements().iter().map(|(kind, name, entry)| element(kind, name, entry)).collect();
        json!({
            "instrument": self.session.title(),
            "seconds": self.session.frames as f64 / f64::from(self.session.patch.sample_rate()),
            "max_stored_j": ledger.peak,
            "max_residual_rel": self.residual(),
            "max_step_residual_rel": ledger.max_step_residual / ledger.scale(),
            "tolerance": self.tolerance,
            "pass": self.passed(),
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
        })
    }

    fn text(&self) -> String {
        let (ledger, counts) = (self.player.ledger(), self.player.counts());
        let rows = self.elements();
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
            self.session.title(),
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
            "\n  peak {}, {} solves, {:.2} iterations on average, {} at most, {} missed\n  {} closes to {:.1e} of the peak energy (tolerance {:.0e})\n",
            joules(ledger.peak),
            counts.solves,
            counts.mean_iterations(),
            counts.max_iterations,
            counts.missed,
            if self.passed() { "pass:" } else { "FAIL:" },
            self.residual(),
            self.tolerance,
        );
        text
    }
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
