//! `ictus render`: an instrument to a WAV file, with a report.

use crate::cli::{Render, SampleFormat};
use crate::failure::{Failure, QUARANTINED};
use crate::measure::Meter;
use crate::session::Session;
use crate::table::{bytes, count, joules, level};
use ictus_analysis::wav::{Encoding, FileWriter, Format, PipeWriter, Written};
use ictus_analysis::{pitch, plot, sparkline};
use ictus_engine::Performance;
use serde_json::json;
use std::io::{Stdout, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// Where the samples go.
enum Sink {
    File(Box<FileWriter>),
    Pipe(PipeWriter<Stdout>),
}

impl Sink {
    fn write(&mut self, samples: &[f32]) -> Result<(), Failure> {
        match self {
            Self::File(file) => Ok(file.write(samples)?),
            Self::Pipe(pipe) => pipe.write(samples).map_err(|_| Failure::Hangup),
        }
    }

    fn finish(self) -> Result<Written, Failure> {
        match self {
            Self::File(file) => Ok(file.finish()?),
            Self::Pipe(pipe) => pipe.finish().map_err(|_| Failure::Hangup),
        }
    }
}

pub fn run(options: &Render) -> Result<ExitCode, Failure> {
    let play = &options.play;
    let session = Session::open(play)?;
    let output = options.output.clone().unwrap_or_else(|| PathBuf::from(format!("{}.wav", session.stem)));
    let to_stdout = output.as_os_str() == "-";
    if to_stdout && (play.json || options.stems) {
        return Err(Failure::new(
            "standard output cannot carry the sound and --json or --stems at once",
            "write the sound to a file with -o",
        ));
    }
    let format = Format { channels: 2, sample_rate: play.sample_rate, encoding: options.format.into() };
    if let Some(folder) = &options.plot {
        std::fs::create_dir_all(folder).map_err(|error| Failure::file(folder, "create the folder", &error))?;
    }
    let mut sink = if to_stdout {
        Sink::Pipe(PipeWriter::new(std::io::stdout(), format, session.frames).map_err(|_| Failure::Hangup)?)
    } else {
        Sink::File(Box::new(FileWriter::create(&output, format)?))
    };
    let mut stems = if options.stems { open_stems(&session, &output, format)? } else { Vec::new() };

    let mut meter = Meter::new(play.sample_rate);
    let clock = Instant::now();
    let performance = session.play(play.quiet || play.json, options.stems, |performance, block, stem_blocks| {
        let samples = block.as_flattened();
        meter.take(samples, performance.ledger());
        for ((_, file), samples) in stems.iter_mut().zip(stem_blocks) {
            file.write(samples)?;
        }
        sink.write(samples)
    })?;
    let elapsed = clock.elapsed().as_secs_f64();
    let written = sink.finish()?;
    let mut stem_paths = Vec::new();
    for (path, file) in stems {
        file.finish()?;
        stem_paths.push(path);
    }
    let mut plots = Vec::new();
    if let Some(folder) = &options.plot {
        plots = draw(folder, &session, &meter)?;
    }
    let report = Report { session: &session, performance: &performance, meter: &meter, elapsed };
    if play.json {
        let text = serde_json::to_string_pretty(&report.json()).unwrap_or_default();
        writeln!(std::io::stdout(), "{text}").map_err(|_| Failure::Hangup)?;
    } else if !play.quiet {
        report.print(&output, &written, &stem_paths, &plots, format);
    }
    Ok(report.exit_code())
}

impl From<SampleFormat> for Encoding {
    fn from(format: SampleFormat) -> Self {
        match format {
            SampleFormat::Sixteen => Self::Pcm16,
            SampleFormat::TwentyFour => Self::Pcm24,
            SampleFormat::Float => Self::Float32,
        }
    }
}

/// One mono file per tap beside the output: OUT.TAP.wav.
fn open_stems(session: &Session, output: &Path, format: Format) -> Result<Vec<(PathBuf, FileWriter)>, Failure> {
    session
        .instrument
        .tap_names()
        .map(|tap| {
            let safe: String =
                tap.chars().map(|c| if c.is_alphanumeric() || "-_".contains(c) { c } else { '-' }).collect();
            let path = output.with_extension(format!("{safe}.wav"));
            let file = FileWriter::create(&path, Format { channels: 1, ..format })?;
            Ok((path, file))
        })
        .collect()
}

fn draw(folder: &Path, session: &Session, meter: &Meter) -> Result<Vec<PathBuf>, Failure> {
    let rate = f64::from(session.instrument.sample_rate());
    let title = session.title();
    let paths = ["waveform.png", "spectrogram.png", "energy.png"].map(|name| folder.join(name));
    plot::waveform(&paths[0], &title, &meter.kept, 2, rate)?;
    plot::spectrogram(&paths[1], &title, &ictus_analysis::mono(&meter.kept, 2), rate)?;
    let curve = &meter.energy;
    let ledger = plot::EnergyCurves {
        time: &curve.time,
        stored: &curve.stored,
        supplied: &curve.supplied,
        dissipated: &curve.dissipated,
        residual: &curve.residual,
    };
    plot::energy(&paths[2], &title, &ledger)?;
    Ok(paths.to_vec())
}

/// What a render says about itself.
struct Report<'a> {
    session: &'a Session,
    performance: &'a Performance<'a>,
    meter: &'a Meter,
    elapsed: f64, // s
}

impl Report<'_> {
    fn seconds(&self) -> f64 {
        self.session.frames as f64 / f64::from(self.session.instrument.sample_rate())
    }

    fn realtime_factor(&self) -> f64 {
        self.seconds() / self.elapsed.max(1e-9)
    }

    fn healthy(&self) -> bool {
        self.performance.counts().quarantined == 0 && self.performance.muted() == 0
    }

    fn exit_code(&self) -> ExitCode {
        if self.healthy() { ExitCode::SUCCESS } else { ExitCode::from(QUARANTINED) }
    }

    fn json(&self) -> serde_json::Value {
        let (ledger, counts) = (self.performance.ledger(), self.performance.counts());
        json!({
            "instrument": self.session.title(),
            "sample_rate": self.session.instrument.sample_rate(),
            "seconds": self.seconds(),
            "sha256": self.meter.sha256(),
            "peak_dbfs": self.meter.peak_dbfs(),
            "rms_dbfs": self.meter.rms_dbfs(),
            "lufs": self.meter.loudness_lufs(),
            "pitch_hz": self.meter.pitch().map(|pitch| pitch.hz),
            "finite": self.meter.finite() && self.healthy(),
            "energy": {
                "max_stored_j": ledger.peak,
                "initial_j": ledger.total.initial,
                "supplied_j": ledger.total.supplied.value(),
                "dissipated_j": ledger.total.dissipated.value(),
                "solver_j": ledger.total.solver.value(),
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
            "controls": self.session.loaded.controls,
            "realtime_factor": self.realtime_factor(),
        })
    }

    fn print(&self, output: &Path, written: &Written, stems: &[PathBuf], plots: &[PathBuf], format: Format) {
        let (session, ledger, counts) = (self.session, self.performance.ledger(), self.performance.counts());
        let model = session.instrument.model();
        eprintln!(
            "  {}   {} · {} · {} kHz",
            session.title(),
            count(model.body_count(), "body", "bodies"),
            count(session.instrument.contact_count(), "contact", "contacts"),
            f64::from(session.instrument.sample_rate()) / 1e3
        );
        let pitch = self
            .meter
            .pitch()
            .map_or(String::new(), |pitch| format!("  {:.1} Hz ({})", pitch.hz, pitch::note_name(pitch.hz)));
        eprintln!(
            "  {}  {:.1} s  peak {}  {}{pitch}",
            sparkline(&self.meter.kept, 2, 24),
            self.seconds(),
            level(self.meter.peak_dbfs(), "dBFS"),
            level(self.meter.loudness_lufs(), "LUFS"),
        );
        eprintln!(
            "  energy  in {} = lost {} + ringing {}   closes to {:.0e}",
            joules(ledger.total.initial + ledger.total.supplied.value()),
            joules(ledger.total.dissipated.value()),
            joules(ledger.total.stored),
            ledger.max_residual_rel(),
        );
        if counts.overstretched > 0 {
            eprintln!(
                "  stretch  in {} steps a body was pulled tighter than its grid or modes resolve; \
                 use fewer `points` or `modes`, or `oversampling`",
                counts.overstretched
            );
        }
        if counts.missed > 0 {
            eprintln!("  solver  {} of {} solves stopped above the tolerance", counts.missed, counts.solves);
        }
        if counts.refused_forces > 0 {
            eprintln!(
                "  refused  {} forces too large to be worked with, or no numbers: none acted",
                counts.refused_forces
            );
        }
        if !self.healthy() {
            eprintln!(
                "  stopped: {} bodies and {} samples were no longer finite and were silenced; parameters this extreme need a look",
                counts.quarantined,
                self.performance.muted()
            );
        }
        if written.clipped > 0 {
            eprintln!(
                "  clipped: {} samples beyond full scale; lower the taps' gain or use --format 32f",
                written.clipped
            );
        }
        for path in stems.iter().chain(plots) {
            eprintln!("  wrote {}", path.display());
        }
        let size = std::fs::metadata(output).map_or(String::new(), |metadata| format!(", {}", bytes(metadata.len())));
        eprintln!(
            "  wrote {} (stereo, {}-bit{size}) in {:.2} s · {:.0}× real time",
            output.display(),
            format.encoding.bits(),
            self.elapsed,
            self.realtime_factor()
        );
    }
}
