//! `ictus render`: an instrument to a sound file, with a report.

mod finish;
mod output;
mod report;
mod sound;

use crate::cli::{Render, SampleFormat};
use crate::failure::Failure;
use crate::measure::Meter;
use crate::session::Session;
use finish::Finish;
use ictus_analysis::plot;
use ictus_analysis::wav::Encoding;
use output::Target;
use report::Report;
use sound::Sound;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

pub fn run(options: &Render) -> Result<ExitCode, Failure> {
    let play = &options.play;
    let mut session = Session::open(play)?;
    let target = Target::new(options, &session)?;
    let finish = Finish::new(options, &mut session)?;
    let session = session;
    if let Some(folder) = &options.plot {
        std::fs::create_dir_all(folder).map_err(|error| Failure::file(folder, "create the folder", &error))?;
    }
    let clock = Instant::now();
    let sound = Sound::render(&session, &finish, &target, play.quiet || play.json)?;
    let elapsed = clock.elapsed().as_secs_f64();
    let written = sound.sinks.finish()?;
    let plots = options.plot.as_ref().map_or(Ok(Vec::new()), |folder| draw(folder, &session, &sound.meter))?;
    let report = Report {
        session: &session,
        player: &sound.player,
        meter: &sound.meter,
        elapsed,
        frames: sound.frames,
        fade_s: finish.fade(sound.frames).seconds(play.sample_rate),
        gain: sound.gain,
        still_sounding: sound.still_sounding,
    };
    if play.json {
        let text = serde_json::to_string_pretty(&report.json()).unwrap_or_default();
        writeln!(std::io::stdout(), "{text}").map_err(|_| Failure::Hangup)?;
    } else if !play.quiet {
        report.print(&target, &written, &plots);
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

fn draw(folder: &Path, session: &Session, meter: &Meter) -> Result<Vec<PathBuf>, Failure> {
    let rate = f64::from(session.patch.sample_rate());
    let title = session.title();
    let paths = ["waveform.png", "spectrogram.png", "energy.png"].map(|name| folder.join(name));
    plot::waveform(&paths[0], &title, &meter.kept, meter.channels(), rate)?;
    plot::spectrogram(&paths[1], &title, &ictus_analysis::mono(&meter.kept, meter.channels()), rate)?;
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
