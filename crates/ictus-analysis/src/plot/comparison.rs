//! Two sounds side by side: their spectrograms on one scale, and below them their third octaves.

use super::axis::Axis;
use super::frame::{FrameSpec, MARGIN, SUBTITLE, heading, titled};
use super::lines::{Curve, Lines};
use super::spectrogram::{LOWEST_HZ, RANGE_DB, image};
use super::surface::Rect;
use super::{PlotError, font, picture};
use crate::bands;
use crate::spectrogram::{Frames, Spectrogram};
use std::path::Path;

/// Width and height of the picture, pixels.
const SIZE: (u32, u32) = (1200, 940);
/// Height of the spectrograms with their axes.
const TOP: f64 = 450.0;
const GAP: f64 = 18.0;
/// Levels shown below the loudest third octave, dB.
const SHOWN_DB: f64 = 80.0;

/// A sound with any number of channels.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// Interleaved samples, from the onset on.
    pub samples: &'a [f32],
    /// Number of channels.
    pub channels: usize,
    /// Frames per second.
    pub sample_rate: f64,
}

impl Side<'_> {
    fn channel(&self, c: usize) -> Vec<f64> {
        self.samples.chunks_exact(self.channels).map(|frame| f64::from(frame[c])).collect()
    }

    /// The channel with most energy: a mean of channels may cancel.
    fn loudest(&self) -> Vec<f64> {
        let energy = |x: &Vec<f64>| x.iter().map(|x| x * x).sum::<f64>();
        let all = (0..self.channels).map(|c| self.channel(c));
        all.max_by(|a, b| energy(a).total_cmp(&energy(b))).unwrap_or_default()
    }

    fn seconds(&self) -> f64 {
        (self.samples.len() / self.channels.max(1)) as f64 / self.sample_rate
    }

    /// Mean level of each third octave over the channels in the first second, dB.
    fn levels(&self) -> Vec<f64> {
        let mut sum = vec![0.0; bands::centres().len()];
        for c in 0..self.channels {
            let mut piece = self.channel(c);
            piece.resize(self.sample_rate as usize, 0.0);
            let fade = (0.025 * self.sample_rate) as usize;
            let last = piece.len();
            (0..fade.min(last)).for_each(|n| piece[last - 1 - n] *= n as f64 / fade as f64);
            sum.iter_mut().zip(bands::energies(&piece, self.sample_rate)).for_each(|(s, e)| *s += e);
        }
        sum.iter().map(|e| 10.0 * libm::log10((e / self.channels.max(1) as f64).max(1e-30))).collect()
    }
}

/// Draws a recording against a render: spectrograms with the same scale of levels, 90 dB down from the recording's loudest, and third octaves of the first second.
pub fn comparison(path: &Path, title: &str, recording: &Side, render: &Side) -> Result<(), PlotError> {
    let seconds = recording.seconds().max(render.seconds()).max(0.05);
    let highest = 0.5 * recording.sample_rate.min(render.sample_rate);
    let (recorded, rendered) = (recording.levels(), render.levels());
    let strongest = recorded.iter().fold(f64::NEG_INFINITY, |m, &l| m.max(l));
    let points = |levels: &[f64]| bands::centres().into_iter().zip(levels.iter().map(|l| l - strongest)).collect();
    let counted = recorded.iter().zip(&rendered).filter(|(a, _)| **a > strongest - 60.0);
    let (sum, count) = counted.fold((0.0, 0.0), |(sum, count), (a, b)| (sum + (a - b).abs(), count + 1.0));
    let distance = if count > 0.0 { sum / count } else { 0.0 };
    let x = Axis::log("Frequency (Hz)").with_range(40.0, 20_000.0);
    let y = Axis::linear("Level (dB)").with_range(-SHOWN_DB, 6.0);
    let thirds = Lines::new("", x, y)
        .with(Curve::new("recording", points(&recorded)).marked())
        .with(Curve::new("render", points(&rendered)).marked());
    picture(path, SIZE, |on| {
        let room = titled(on, SIZE, title);
        let width = (room.width - GAP) / 2.0;
        let mut loudest = None;
        for (k, (name, side)) in [("Recording", recording), ("Render", render)].into_iter().enumerate() {
            let signal = side.loudest();
            let levels =
                Spectrogram::of(&signal, side.sample_rate, Frames::for_picture(signal.len(), side.sample_rate));
            let top = *loudest.get_or_insert(levels.peak_db().unwrap_or(0.0));
            let scale = Axis::linear("").with_range(top - RANGE_DB, top);
            let time = Axis::linear("Time (s)").with_range(0.0, seconds);
            // the second picture stands beside the first, with the same frequencies
            let frequency = Axis::log(if k == 0 { "Frequency (Hz)" } else { "" }).with_range(LOWEST_HZ, highest);
            let fit = |axis: &Axis| axis.fit(std::iter::empty(), 0.0);
            let left = room.x + k as f64 * (width + GAP);
            heading(on, (left, room.y + 0.5 * font::CAPITAL * SUBTITLE), name, SUBTITLE);
            let below = SUBTITLE + 8.0;
            let outside = Rect { x: left, y: room.y + below, width, height: TOP - below };
            let (x, y) = ((&time, fit(&time)), (&frequency, fit(&frequency)));
            let frame = FrameSpec { outside, x, y, left: 0.0, numbered: true }.draw(on);
            let pixels = image(&frame, &levels, fit(&scale));
            on.image((frame.inside.x, frame.inside.y), frame.inside.width as usize, &pixels);
            frame.axes(on);
        }
        let under = room.y + TOP + GAP;
        let name = format!("Third octaves of the first second: {distance:.1} dB apart");
        heading(on, (room.x, under + 0.5 * font::CAPITAL * SUBTITLE), &name, SUBTITLE);
        let y = under + SUBTITLE + 10.0;
        let height = f64::from(SIZE.1) - MARGIN - y;
        thirds.draw(on, Rect { x: room.x, y, width: room.width, height });
    })
}
