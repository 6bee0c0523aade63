//! Loading, compiling and playing an instrument: what `render`, `audit` and `check` have in common.

use crate::cli::Play;
use crate::failure::{Failure, rendered};
use crate::source;
use ictus_engine::{Instrument, Performance};
use ictus_instrument::Loaded;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Frames rendered between looks at the ledger's curves, the progress bar and Ctrl-C.
pub const BLOCK: usize = 128;
/// A day: longer is a slip of the finger.
const MAX_SECONDS: f64 = 86_400.0;

/// An instrument ready to play.
pub struct Session {
    pub loaded: Loaded,
    pub instrument: Instrument,
    /// Stem of the source's name.
    pub stem: String,
    /// Frames to play.
    pub frames: u64,
}

impl Session {
    /// Loads and compiles what the options name; prints warnings unless quiet.
    pub fn open(play: &Play) -> Result<Self, Failure> {
        let source = source::find(play.source.as_deref())?;
        let mut settings = play.settings.clone();
        if let Some(seed) = play.seed {
            settings.push(("seed".into(), seed.to_string()));
        }
        let loaded = ictus_instrument::load(&source.name, &source.text, &settings)?;
        let instrument = Instrument::compile(&loaded, play.sample_rate)?;
        if !play.quiet {
            for warning in loaded.warnings.iter().chain(instrument.warnings()) {
                eprint!("{}", rendered(warning));
            }
        }
        let seconds = play.seconds.unwrap_or(loaded.spec.seconds);
        if !(seconds > 0.0 && seconds <= MAX_SECONDS) {
            return Err(Failure::new(
                format!("--seconds is {seconds}, expected more than 0 and at most {MAX_SECONDS}"),
                "try --seconds 5",
            ));
        }
        let frames = (seconds * f64::from(play.sample_rate)).round().max(1.0) as u64;
        Ok(Self { loaded, instrument, stem: source.stem, frames })
    }

    /// The name a person knows it by.
    pub fn title(&self) -> String {
        title(&self.loaded, &self.stem)
    }

    /// Plays all frames in blocks; `each` sees every block with its stems.
    pub fn play<'a>(
        &'a self,
        quiet: bool,
        stems: bool,
        mut each: impl FnMut(&Performance<'_>, &[[f32; 2]], &[Vec<f32>]) -> Result<(), Failure>,
    ) -> Result<Performance<'a>, Failure> {
        let stop = stop_flag();
        let bar = progress(quiet, self.frames);
        let mut performance = Performance::new(&self.instrument);
        let mut block = vec![[0.0f32; 2]; BLOCK];
        let stem_count = if stems { self.instrument.tap_names().count() } else { 0 };
        let mut stem_blocks = vec![vec![0.0f32; BLOCK]; stem_count];
        let mut done = 0;
        while done < self.frames {
            let n = usize::try_from(self.frames - done).unwrap_or(BLOCK).min(BLOCK);
            performance.render_stems(&mut block[..n], &mut stem_blocks);
            for stem in &mut stem_blocks {
                stem.truncate(n);
            }
            each(&performance, &block[..n], &stem_blocks)?;
            done += n as u64;
            bar.inc(n as u64);
            if stop.load(Ordering::Relaxed) {
                bar.finish_and_clear();
                return Err(Failure::Interrupted);
            }
        }
        bar.finish_and_clear();
        Ok(performance)
    }
}

/// The name a person knows an instrument by; `stem` where it has none.
pub fn title(loaded: &Loaded, stem: &str) -> String {
    let spec = &loaded.spec;
    match &spec.preset {
        Some(preset) => preset.name.clone(),
        None if !spec.title.is_empty() => spec.title.clone(),
        None => stem.to_owned(),
    }
}

/// Set by Ctrl-C, so that half-written files are removed.
pub fn stop_flag() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let handler = Arc::clone(&flag);
    // without a handler Ctrl-C still ends the program, only less tidily
    let _ = ctrlc::set_handler(move || handler.store(true, Ordering::Relaxed));
    flag
}

/// One line on a terminal, after half a second, erased at the end.
pub fn progress(quiet: bool, frames: u64) -> ProgressBar {
    progress_with(quiet, frames, "  {bar:30} {percent:>3} %  {eta} left")
}

/// As [`progress`], with other words.
pub fn progress_with(quiet: bool, total: u64, template: &str) -> ProgressBar {
    if quiet || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template(template);
    let bar = ProgressBar::new(total).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.enable_steady_tick(Duration::from_millis(500));
    bar
}
