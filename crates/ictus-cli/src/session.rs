//! Loading, compiling and playing an instrument: what `render`, `audit` and `check` have in common.

use crate::cli::Play;
use crate::failure::{Failure, rendered};
use crate::source;
use ictus_engine::{Action, Patch, Player, Take};
use ictus_instrument::Loaded;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Frames rendered between updates of the ledger's curves and the progress bar, and checks for Ctrl-C.
pub const BLOCK: usize = 128;
/// Snapshots that a take can keep.
const MOST_SLOTS: usize = 64;
/// A day: longer is a slip of the finger.
const MAX_SECONDS: f64 = 86_400.0;

/// An instrument ready to play.
pub struct Session {
    pub loaded: Loaded,
    pub patch: Patch,
    /// Stem of the source's name.
    pub stem: String,
    /// Frames to play.
    pub frames: u64,
    /// Events besides the gestures of the file.
    take: Take,
}

impl Session {
    /// Loads and compiles what the options name; prints warnings unless quiet.
    pub fn open(play: &Play) -> Result<Self, Failure> {
        let source = source::find(play.source.as_deref())?;
        let mut settings = play.settings.clone();
        if let Some(seed) = play.seed {
            settings.push(("seed".into(), seed.to_string()));
        }
        let mut loaded = ictus_instrument::load(&source.name, &source.text, &settings)?;
        if play.hit {
            loaded.spec.keep_first_gestures();
        }
        let patch = Patch::compile(&loaded, play.sample_rate)?;
        if !play.quiet {
            source.note_choice();
            for warning in loaded.warnings.iter().chain(patch.warnings()) {
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
        let take = match &play.events {
            Some(path) => read_take(path, &patch)?,
            None => Take::default(),
        };
        Ok(Self { loaded, patch, stem: source.stem, frames, take })
    }

    /// A player at time zero with the events of the take before it.
    pub fn player(&self) -> Player {
        let mut player = Player::new(&self.patch);
        let slots = self.take.events.iter().map(|event| match event.action {
            Action::Save { slot } => slot.saturating_add(1).min(MOST_SLOTS),
            _ => 0,
        });
        player.reserve_snapshots(slots.max().unwrap_or(0));
        player.reserve_events(self.take.events.len());
        player.schedule(&self.take.events);
        player
    }

    /// The name a person knows it by.
    pub fn title(&self) -> String {
        title(&self.loaded, &self.stem)
    }

    /// Plays all frames in blocks, without the delay of oversampling; `each` sees every block with its stems, and may end it.
    pub fn play(
        &self,
        quiet: bool,
        stems: bool,
        mut each: impl FnMut(&Player, &[[f32; 2]], &[Vec<f32>]) -> Result<ControlFlow<()>, Failure>,
    ) -> Result<Player, Failure> {
        let stop = stop_flag();
        let bar = progress(quiet, self.frames);
        let mut player = self.player();
        player.skip_latency();
        let mut block = vec![[0.0f32; 2]; BLOCK];
        let stem_count = if stems { self.patch.tap_names().count() } else { 0 };
        let mut stem_blocks = vec![vec![0.0f32; BLOCK]; stem_count];
        let mut done = 0;
        while done < self.frames {
            let n = usize::try_from(self.frames - done).unwrap_or(BLOCK).min(BLOCK);
            player.render_stems(&mut block[..n], &mut stem_blocks);
            for stem in &mut stem_blocks {
                stem.truncate(n);
            }
            let flow = each(&player, &block[..n], &stem_blocks)?;
            done += n as u64;
            bar.inc(n as u64);
            if flow.is_break() {
                break;
            }
            if stop.load(Ordering::Relaxed) {
                bar.finish_and_clear();
                return Err(Failure::Interrupted);
            }
        }
        bar.finish_and_clear();
        Ok(player)
    }
}

/// Reads the take of a patch.
fn read_take(path: &Path, patch: &Patch) -> Result<Take, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| Failure::file(path, "read", &error))?;
    Take::parse(&text, patch).map_err(|error| Failure::new(format!("{}: {error}", path.display()), error.help))
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
