//! `ictus sweep`: many renders of one instrument with varied parameters.

use crate::cli::{self, Sweep as Options};
use crate::failure::{Failure, QUARANTINED, rendered};
use crate::session::{progress_with, stop_flag, title};
use crate::source;
use crate::table::{bytes, count};
use crate::usage;
use ictus_sweep::{Container, Error, Order, Plan, Summary, Sweep, TABLE};
use serde_json::json;
use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

pub fn run(options: &Options) -> Result<ExitCode, Failure> {
    let source = source::find(Some(&options.source))?;
    let plan = Plan {
        settings: options.settings.clone(),
        order: options.order.into(),
        seed: options.seed,
        count: options.number,
        seconds: options.seconds,
        sample_rate: options.sample_rate,
        encoding: options.format.into(),
        pitch: options.pitch,
        container: if options.flac { Container::Flac } else { Container::Wav },
        ..Plan::new(&source.name, &source.text, options.vary.clone())
    };
    let jobs = options.jobs.map_or_else(|| std::thread::available_parallelism().map_or(1, Into::into), usize::from);
    let sweep = Sweep::new(plan).map_err(|error| failure(error, options, None))?;
    if !options.quiet {
        source.note_choice();
        for warning in sweep.warnings() {
            eprint!("{}", rendered(warning));
        }
    }
    let stop = stop_flag();
    let clock = Instant::now();
    let bar = progress_with(
        options.quiet || options.json,
        sweep.count(),
        "  {bar:30} {pos}/{len} samples  {per_sec}  {eta} left",
    );
    let each = |summary: &Summary| {
        if bar.position() == 0 && summary.found > 0 {
            // what was there before says nothing about the speed
            bar.set_position(summary.found);
            bar.reset_eta();
        }
        bar.set_position(summary.done());
    };
    let ran = sweep.run(&options.output, jobs, &stop, &each);
    bar.finish_and_clear();
    let summary = ran.map_err(|error| failure(error, options, Some(sweep.count())))?;
    let report = Report { options, summary, jobs, elapsed: clock.elapsed().as_secs_f64() };
    if options.json {
        let text = serde_json::to_string_pretty(&report.json()).unwrap_or_default();
        writeln!(std::io::stdout(), "{text}").map_err(|_| Failure::Hangup)?;
    } else if !options.quiet {
        report.print(&title(sweep.base(), &source.stem));
    }
    report.exit_code()
}

impl From<cli::SweepOrder> for Order {
    fn from(order: cli::SweepOrder) -> Self {
        match order {
            cli::SweepOrder::Random => Self::Random,
            cli::SweepOrder::Sobol => Self::Sobol,
            cli::SweepOrder::Grid => Self::Grid,
        }
    }
}

fn failure(error: Error, options: &Options, count: Option<u64>) -> Failure {
    match error {
        Error::Instrument(error) => Failure::Instrument(error),
        Error::Plain { message, help } => Failure::new(message, help),
        Error::Interrupted { done } => Failure::Paused(format!(
            "interrupted: {done} of {} samples are in {}; run the same command again to resume",
            count.unwrap_or(done),
            options.output.display()
        )),
    }
}

struct Report<'a> {
    options: &'a Options,
    summary: Summary,
    jobs: usize,
    elapsed: f64, // s
}

impl Report<'_> {
    /// Samples rendered by this run.
    fn rendered(&self) -> u64 {
        self.summary.done() - self.summary.found
    }

    fn per_second(&self) -> f64 {
        self.rendered() as f64 / self.elapsed.max(1e-9)
    }

    /// A sweep of which nothing came out is a mistake; single bad samples are part of one.
    fn exit_code(&self) -> Result<ExitCode, Failure> {
        match self.summary {
            Summary { ok: 1.., .. } => Ok(ExitCode::SUCCESS),
            Summary { silenced: 1.., .. } => Ok(ExitCode::from(QUARANTINED)),
            _ => Err(Failure::new(
                "every sample was rejected",
                format!("the last column of {} says why", self.options.output.join(TABLE).display()),
            )),
        }
    }

    fn json(&self) -> serde_json::Value {
        json!({
            "folder": self.options.output.display().to_string(),
            "samples": self.summary.done(),
            "ok": self.summary.ok,
            "silenced": self.summary.silenced,
            "refused": self.summary.refused,
            "found": self.summary.found,
            "jobs": self.jobs,
            "elapsed_s": self.elapsed,
            "samples_per_s": self.per_second(),
            "cpu_s": usage::cpu_seconds(),
            "peak_memory_bytes": usage::peak_memory_bytes(),
        })
    }

    fn print(&self, title: &str) {
        let Summary { ok, silenced, refused, found } = self.summary;
        let keys = count(self.options.vary.len(), "key", "keys");
        eprintln!(
            "  {} samples of {title}   {keys} varied · {} · {} kHz",
            self.summary.done(),
            count(self.jobs, "thread", "threads"),
            f64::from(self.options.sample_rate) / 1e3
        );
        let mut parts = vec![format!("{ok} rendered")];
        for (number, word) in [(refused, "refused"), (silenced, "silenced")] {
            if number > 0 {
                parts.push(format!("{number} {word}"));
            }
        }
        if found > 0 {
            parts.push(format!("{found} of them existed already"));
        }
        eprintln!("  {}", parts.join(", "));
        let mut cost = vec![format!("{:.0} samples/s", self.per_second())];
        cost.extend(usage::cpu_seconds().map(|cpu| format!("{cpu:.2} s of CPU")));
        cost.extend(usage::peak_memory_bytes().map(|memory| format!("{} of memory", bytes(memory))));
        eprintln!("  wrote {} in {:.2} s · {}", self.options.output.display(), self.elapsed, cost.join(" · "));
    }
}
