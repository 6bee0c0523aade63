//! What `render` says about a sound: for people and as JSON.

use super::output::Target;
use crate::failure::{CHECK_FAILED, QUARANTINED};
use crate::measure::Meter;
use crate::session::Session;
use crate::table::{bytes, count, joules, level};
use ictus_analysis::pitch::{Heard, note_name};
use ictus_analysis::sparkline;
use ictus_analysis::wav::Written;
use ictus_engine::Player;
use ictus_instrument::{End, ResonatorKind};
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;

/// A sound whose last 10 ms are louder than this, dB re its peak, is cut off.
const ENDED_DB: f64 = -40.0;

/// What a render says about itself.
pub struct Report<'a> {
    pub session: &'a Session,
    pub player: &'a Player,
    pub meter: &'a Meter,
    /// Time it took, s.
    pub elapsed: f64,
    /// Frames written.
    pub frames: u64,
    /// Length of the fade-out, s.
    pub fade_s: f64,
    /// Gain of `--normalise`.
    pub gain: f64,
    /// `--until-silent` ran out of time.
    pub still_sounding: bool,
}

impl Report<'_> {
    fn seconds(&self) -> f64 {
        self.frames as f64 / f64::from(self.session.patch.sample_rate())
    }

    fn realtime_factor(&self) -> f64 {
        self.seconds() / self.elapsed.max(1e-9)
    }

    fn healthy(&self) -> bool {
        self.player.counts().quarantined == 0 && self.player.muted() == 0
    }

    /// The energy ledger closes within the tolerance.
    fn closes(&self) -> bool {
        self.player.ledger_closes()
    }

    /// 3 where something was silenced, 1 where the ledger does not close.
    pub fn exit_code(&self) -> ExitCode {
        match (self.healthy(), self.closes()) {
            (false, _) => ExitCode::from(QUARANTINED),
            (true, false) => ExitCode::from(CHECK_FAILED),
            (true, true) => ExitCode::SUCCESS,
        }
    }

    /// What is left in masses that no spring holds: they fly, they do not ring, J.
    fn moving(&self) -> f64 {
        let spec = &self.session.loaded.spec;
        let held = |index: usize| {
            let here = |end: &End| matches!(end, End::Port(port) if port.resonator == index);
            let springs = spec.interactions.iter().filter(|contact| contact.law.holds());
            springs.flat_map(|contact| &contact.between).any(here)
        };
        let masses = spec.resonators.iter().enumerate().filter(|(index, body)| {
            matches!(&body.kind, ResonatorKind::Mass(mass) if mass.stiffness_n_m == 0.0) && !held(*index)
        });
        let free: Vec<&str> = masses.map(|(_, body)| body.id.as_str()).collect();
        let bodies = self.session.patch.model().body_names().zip(&self.player.ledger().bodies);
        bodies.filter(|(name, _)| free.contains(name)).map(|(_, entry)| entry.stored).sum()
    }

    pub fn json(&self) -> serde_json::Value {
        let (ledger, counts) = (self.player.ledger(), self.player.counts());
        let (heard, moving) = (self.meter.pitch(), self.moving());
        let pitch = match heard {
            Heard::Note { hz, kind } => json!({ "hz": hz, "note": note_name(hz), "kind": kind.name() }),
            _ => json!({ "hz": null, "reason": heard.reason() }),
        };
        json!({
            "instrument": self.session.title(),
            "sample_rate": self.session.patch.sample_rate(),
            "seconds": self.seconds(),
            "sha256": self.meter.sha256(),
            "peak_dbfs": self.meter.peak_dbfs(),
            "rms_dbfs": self.meter.rms_dbfs(),
            "lufs": self.meter.loudness_lufs(),
            "pitch_hz": heard.hz(),
            "pitch": pitch,
            "channels": self.meter.channels(),
            "fade_s": self.fade_s,
            "gain_db": ictus_analysis::level::decibels(self.gain),
            "end_db": self.meter.end_db(),
            "finite": self.meter.finite() && self.healthy(),
            "energy": {
                "max_stored_j": ledger.peak,
                "initial_j": ledger.total.initial,
                "supplied_j": ledger.total.supplied.value(),
                "dissipated_j": ledger.total.dissipated.value(),
                "solver_j": ledger.total.solver.value(),
                "ringing_j": ledger.total.stored - moving,
                "moving_j": moving,
                "closes": self.closes(),
                "max_residual_rel": ledger.max_residual_rel(),
            },
            "solver": {
                "iterations_mean": counts.mean_iterations(),
                "iterations_max": counts.max_iterations,
                "missed": counts.missed,
                "overstretched": counts.overstretched,
                "refused_forces": counts.refused_forces,
                "quarantined": counts.quarantined,
            },
            "refused_events": self.player.event_counts().refused(),
            "controls": self.session.loaded.controls,
            "realtime_factor": self.realtime_factor(),
        })
    }

    /// The report for people, on standard error.
    pub fn print(&self, target: &Target, written: &Written, plots: &[PathBuf]) {
        self.print_sound();
        self.print_energy();
        self.print_end();
        self.print_troubles(written);
        for path in target.stems.iter().chain(plots) {
            eprintln!("  wrote {}", path.display());
        }
        let size =
            std::fs::metadata(&target.path).map_or(String::new(), |metadata| format!(", {}", bytes(metadata.len())));
        eprintln!(
            "  wrote {} ({}, {}-bit{size}) in {:.2} s · {:.0}× real time",
            target.path.display(),
            if target.format.channels == 1 { "mono" } else { "stereo" },
            target.format.encoding.bits(),
            self.elapsed,
            self.realtime_factor()
        );
    }

    /// What was played, how long and loud it is, and its pitch.
    fn print_sound(&self) {
        let session = self.session;
        eprintln!(
            "  {}   {} · {} · {} kHz",
            session.title(),
            count(session.patch.model().body_count(), "body", "bodies"),
            count(session.patch.contact_count(), "contact", "contacts"),
            f64::from(session.patch.sample_rate()) / 1e3
        );
        let heard = self.meter.pitch();
        let pitch = match heard {
            Heard::Note { hz, .. } => format!("  {hz:.1} Hz ({})", note_name(hz)),
            _ => heard.reason().map_or(String::new(), |reason| format!("  {reason}")),
        };
        eprintln!(
            "  {}  {:.1} s  peak {}  {}{pitch}",
            sparkline(&self.meter.kept, self.meter.channels(), 24),
            self.seconds(),
            level(self.meter.peak_dbfs(), "dBFS"),
            level(self.meter.loudness_lufs(), "LUFS"),
        );
    }

    fn print_energy(&self) {
        let ledger = self.player.ledger();
        let moving = self.moving();
        let moving_words = if moving > 0.0 { format!(" + moving {}", joules(moving)) } else { String::new() };
        eprintln!(
            "  energy  in {} = lost {} + ringing {}{moving_words}   closes to {:.0e}",
            joules(ledger.total.initial + ledger.total.supplied.value()),
            joules(ledger.total.dissipated.value()),
            joules(ledger.total.stored - moving),
            ledger.max_residual_rel(),
        );
        if !self.closes() {
            eprintln!(
                "  warning: the energy ledger does not close within 1e-9; `ictus audit` shows which element; \
                 numbers beyond physical reason are the usual cause"
            );
        }
    }

    /// Whether the sound is cut off.
    fn print_end(&self) {
        if self.still_sounding {
            eprintln!("  not silent yet at the end; use a longer --seconds, or --fade");
        } else if let Some(db) = self.meter.end_db().filter(|db| *db > ENDED_DB) {
            eprintln!("  cut off {:.0} dB below the peak; --fade or --until-silent lets it end", -db);
        }
    }

    /// What went wrong on the way, if anything did.
    fn print_troubles(&self, written: &Written) {
        let counts = self.player.counts();
        if counts.overstretched > 0 {
            eprintln!(
                "  stretch  in {} a body was pulled tighter than its grid or modes resolve; \
                 use fewer `points` or `modes`, or `oversampling`",
                count(counts.overstretched as usize, "step", "steps")
            );
        }
        if counts.missed > 0 {
            eprintln!("  solver  {} of {} solves stopped above the tolerance", counts.missed, counts.solves);
        }
        if counts.refused_forces > 0 {
            let (forces, were) = if counts.refused_forces == 1 { ("force", "was") } else { ("forces", "were") };
            eprintln!(
                "  ignored  {} {forces} {were} out of range or not finite; check the curves and gestures of the file",
                counts.refused_forces
            );
        }
        let events = self.player.event_counts();
        if events.refused() > 0 {
            eprintln!(
                "  ignored  {}: {} impossible, {} out of range, {} too many at once; check the take",
                count(events.refused() as usize, "event", "events"),
                events.impossible,
                events.out_of_range,
                events.overflowed
            );
        }
        if !self.healthy() {
            eprintln!(
                "  stopped: {} bodies and {} samples were no longer finite and were silenced; check for extreme parameters",
                counts.quarantined,
                self.player.muted()
            );
        }
        if written.clipped > 0 {
            eprintln!(
                "  clipped: {} samples beyond full scale; lower the taps' gain or use --format 32f",
                written.clipped
            );
        }
    }
}
