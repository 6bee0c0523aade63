//! Rendering into sinks: as the blocks come, or whole where the finish depends on the end of the sound.

use super::finish::Finish;
use super::output::{Sinks, Target};
use crate::failure::Failure;
use crate::measure::Meter;
use crate::session::Session;
use ictus_engine::{Fade, Player};
use std::ops::{ControlFlow, Range};

/// Frames that are finished and written at a time where the whole sound is there.
const PIECE: usize = 4096;

/// A rendered sound, written but for the ends of its files.
pub struct Sound {
    pub player: Player,
    pub meter: Meter,
    pub sinks: Sinks,
    /// Frames written.
    pub frames: u64,
    /// Gain of `--normalise`.
    pub gain: f64,
    /// `--until-silent` ran out of time.
    pub still_sounding: bool,
}

impl Sound {
    /// Renders the session and writes it to the target.
    pub fn render(session: &Session, finish: &Finish, target: &Target, quiet: bool) -> Result<Self, Failure> {
        match finish.needs_all() {
            true => Self::whole(session, finish, target, quiet),
            false => Self::block_by_block(session, finish, target, quiet),
        }
    }

    fn block_by_block(session: &Session, finish: &Finish, target: &Target, quiet: bool) -> Result<Self, Failure> {
        let mut sinks = target.open(session.frames)?;
        let mut writer = Writer::new(session, finish);
        let fade = finish.fade(session.frames);
        let mut piece = Pieces::new(target.stems.len());
        let player = session.play(quiet, target.has_stems(), |player, block, stems| {
            writer.follow(player, block.len());
            piece.clear();
            piece.extend(block, stems);
            writer.write(&fade, 1.0, &mut piece, &mut sinks)?;
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(Self { player, frames: writer.played, meter: writer.meter, sinks, gain: 1.0, still_sounding: false })
    }

    fn whole(session: &Session, finish: &Finish, target: &Target, quiet: bool) -> Result<Self, Failure> {
        // standard output needs the length first; a file that cannot be written should fail before the work
        let opened = if target.is_stdout() { None } else { Some(target.open(session.frames)?) };
        let mut writer = Writer::new(session, finish);
        let mut watch = finish.watch(session);
        let mut ended = false;
        let mut all = Pieces::new(target.stems.len());
        let player = session.play(quiet, target.has_stems(), |player, block, stems| {
            writer.follow(player, block.len());
            all.extend(block, stems);
            ended = watch.as_mut().is_some_and(|watch| watch.has_ended(block));
            Ok(if ended { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        let frames = watch.as_ref().map_or(writer.played, |watch| watch.end.max(1));
        all.frames.truncate(frames as usize);
        let fade = finish.fade(frames);
        let gain = writer.gain(&fade, &all.frames);
        let mut sinks = match opened {
            Some(sinks) => sinks,
            None => target.open(frames)?,
        };
        let mut piece = Pieces::new(target.stems.len());
        for start in (0..all.frames.len()).step_by(PIECE) {
            piece.copy(&all, start..(start + PIECE).min(all.frames.len()));
            writer.write(&fade, gain, &mut piece, &mut sinks)?;
        }
        let still_sounding = watch.is_some() && !ended;
        Ok(Self { player, meter: writer.meter, sinks, frames, gain, still_sounding })
    }
}

/// Finishes, measures and writes samples as they come.
struct Writer<'a> {
    finish: &'a Finish,
    meter: Meter,
    sample_rate: f64,
    /// Delay of the filters, frames: the physics is ahead of what is heard by this much.
    latency: u64,
    /// Frames rendered.
    played: u64,
    /// Number of the next frame to write.
    next: u64,
    samples: Vec<f32>,
}

impl<'a> Writer<'a> {
    fn new(session: &Session, finish: &'a Finish) -> Self {
        let sample_rate = session.patch.sample_rate();
        Self {
            finish,
            meter: Meter::new(sample_rate, finish.channels().into()),
            sample_rate: f64::from(sample_rate),
            latency: session.patch.latency_frames() as u64,
            played: 0,
            next: 0,
            samples: Vec::new(),
        }
    }

    /// Notes the energy after the next rendered frames.
    fn follow(&mut self, player: &Player, frames: usize) {
        self.played += frames as u64;
        self.meter.energy.take((self.played + self.latency) as f64 / self.sample_rate, player.ledger());
    }

    /// Gain of the whole sound once it is faded and mixed.
    fn gain(&mut self, fade: &Fade, frames: &[[f32; 2]]) -> f64 {
        let mut faded = frames.to_vec();
        fade.apply(&mut faded, 0);
        self.finish.mix(&faded, &mut self.samples);
        self.finish.gain(&self.samples)
    }

    /// Writes the next frames and those of the stems.
    fn write(&mut self, fade: &Fade, gain: f64, piece: &mut Pieces, sinks: &mut Sinks) -> Result<(), Failure> {
        let scale = |samples: &mut [f32]| samples.iter_mut().for_each(|x| *x = (gain * f64::from(*x)) as f32);
        fade.apply(&mut piece.frames, self.next);
        if gain != 1.0 {
            scale(piece.frames.as_flattened_mut());
        }
        self.finish.mix(&piece.frames, &mut self.samples);
        self.meter.take(&self.samples);
        sinks.sound.write(&self.samples)?;
        for (stem, sink) in piece.stems.iter_mut().zip(&mut sinks.stems) {
            fade.apply(stem, self.next);
            scale(stem.as_flattened_mut());
            sink.write(stem.as_flattened())?;
        }
        self.next += piece.frames.len() as u64;
        Ok(())
    }
}

/// Frames of the sound and of each stem.
struct Pieces {
    frames: Vec<[f32; 2]>,
    stems: Vec<Vec<[f32; 1]>>,
}

impl Pieces {
    fn new(stems: usize) -> Self {
        Self { frames: Vec::new(), stems: vec![Vec::new(); stems] }
    }

    fn clear(&mut self) {
        self.frames.clear();
        self.stems.iter_mut().for_each(Vec::clear);
    }

    fn extend(&mut self, block: &[[f32; 2]], stem_blocks: &[Vec<f32>]) {
        self.frames.extend_from_slice(block);
        for (stem, block) in self.stems.iter_mut().zip(stem_blocks) {
            stem.extend(block.iter().map(|&x| [x]));
        }
    }

    /// Becomes a copy of a range of frames.
    fn copy(&mut self, from: &Self, range: Range<usize>) {
        self.clear();
        self.frames.extend_from_slice(&from.frames[range.clone()]);
        for (stem, from) in self.stems.iter_mut().zip(&from.stems) {
            stem.extend_from_slice(&from[range.clone()]);
        }
    }
}
