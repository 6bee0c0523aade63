//! What is done to a rendered sound before it is written: cut where it is silent, faded, scaled to a loudness, mixed to one channel.

use crate::cli::Render;
use crate::failure::Failure;
use crate::session::Session;
use ictus_analysis::level;
use ictus_engine::Fade;

/// A sound that is quiet for this long, s, has ended.
const SILENT_S: f64 = 0.5;
/// Longest render until silence where no length is given, s.
const LONGEST_S: f64 = 60.0;

/// The finish that the options ask for.
pub struct Finish {
    fade_s: f64,
    /// Share of the peak below which a sound is silent.
    silence: Option<f64>,
    lufs: Option<f64>,
    pub mono: bool,
    sample_rate: u32,
}

impl Finish {
    /// Reads the options; makes the session long enough for what they ask.
    pub fn new(options: &Render, session: &mut Session) -> Result<Self, Failure> {
        let sample_rate = session.patch.sample_rate();
        let fade_s = options.fade.unwrap_or(session.loaded.spec.fade_s);
        if !(fade_s >= 0.0 && fade_s.is_finite()) {
            return Err(Failure::new(format!("--fade is {fade_s}, expected seconds of 0 or more"), "try --fade 0.5"));
        }
        let silence = match options.until_silent.map(f64::abs) {
            None => None,
            Some(db) if (1.0..=200.0).contains(&db) => Some(libm::pow(10.0, -0.05 * db)),
            Some(db) => {
                let message = format!("--until-silent is {db} dB, expected 1 to 200 dB below the peak");
                return Err(Failure::new(message, "try --until-silent 60"));
            }
        };
        if let Some(lufs) = options.normalise.filter(|lufs| !(-100.0..=0.0).contains(lufs)) {
            return Err(Failure::new(format!("--normalise is {lufs} LUFS, expected -100 to 0"), "try --normalise -18"));
        }
        if silence.is_some() && options.play.seconds.is_none() {
            session.frames = (LONGEST_S * f64::from(sample_rate)) as u64;
        }
        Ok(Self { fade_s, silence, lufs: options.normalise, mono: options.mono, sample_rate })
    }

    /// The whole sound must be known before any of it is written.
    pub fn needs_all(&self) -> bool {
        self.silence.is_some() || self.lufs.is_some()
    }

    pub fn channels(&self) -> u16 {
        if self.mono { 1 } else { 2 }
    }

    pub fn fade(&self, frames: u64) -> Fade {
        Fade::new(self.fade_s, frames, self.sample_rate)
    }

    /// Interleaves the channels that are written.
    pub fn mix(&self, frames: &[[f32; 2]], samples: &mut Vec<f32>) {
        samples.clear();
        match self.mono {
            true => samples.extend(frames.iter().map(|[left, right]| 0.5 * (left + right))),
            false => samples.extend_from_slice(frames.as_flattened()),
        }
    }

    /// Watches for the end of a sound, if that is asked for.
    pub fn watch(&self, session: &Session) -> Option<Watch> {
        let share = self.silence?;
        let spec = &session.loaded.spec;
        // what is bowed or rolls follows curves of its contacts, which may pause
        let played_s = if spec.gestures.is_empty() { spec.seconds } else { spec.gestures_end_s() };
        let frames = |seconds: f64| (seconds * f64::from(self.sample_rate)) as u64;
        Some(Watch { share, least: frames(played_s), patience: frames(SILENT_S), peak: 0.0, frames: 0, end: 0 })
    }

    /// Gain that brings a sound to the loudness asked for; 1 if none is, or if it is silent.
    pub fn gain(&self, interleaved: &[f32]) -> f64 {
        let is = level::loudness_lufs(interleaved, self.channels().into(), f64::from(self.sample_rate));
        self.lufs.zip(is).map_or(1.0, |(wanted, is)| libm::pow(10.0, 0.05 * (wanted - is)))
    }
}

/// Finds the end of a sound while it is rendered.
pub struct Watch {
    share: f64,
    /// Frames before which it does not end.
    least: u64,
    patience: u64,
    peak: f64,
    frames: u64,
    /// Frames up to the last loud one.
    pub end: u64,
}

impl Watch {
    /// Looks at the next frames; true once the sound has ended.
    pub fn has_ended(&mut self, frames: &[[f32; 2]]) -> bool {
        let peak = level::peak(frames.as_flattened());
        self.peak = self.peak.max(peak);
        self.frames += frames.len() as u64;
        if peak > self.share * self.peak || self.peak == 0.0 {
            self.end = self.frames;
        }
        // the last gesture may take a moment to be heard
        self.frames >= self.end.max(self.least) + self.patience
    }
}
