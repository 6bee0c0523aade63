//! Level over time and frequency.

use super::axis::{Axis, Span};
use super::color::{Rgb, heat};
use super::frame::{Frame, FrameSpec, LABEL, MARGIN, SUBTITLE, TICK, TITLE, heading, titled};
use super::surface::{Anchor, Rect, Surface, TextStyle};
use super::{PlotError, SIZE, font, picture};
use crate::Sample;
use crate::spectrogram::{Frames, Spectrogram};
use std::path::Path;

/// Lowest frequency shown, Hz: about where hearing begins.
pub(super) const LOWEST_HZ: f64 = 30.0;
/// Levels shown below the loudest, dB: about what a room lets one hear.
pub(super) const RANGE_DB: f64 = 90.0;
const BAR_WIDTH: f64 = 18.0;
/// Height of a row of small spectrograms, pixels.
const ROW: u32 = 220;
/// The same under a title.
const LARGE_ROW: u32 = 360;

/// Draws the spectrogram of one channel, from 30 Hz to half the sample rate, 90 dB down from its loudest.
///
/// # Panics
/// If the sample rate is not above 100 Hz.
pub fn spectrogram<S: Sample>(path: &Path, title: &str, signal: &[S], sample_rate: f64) -> Result<(), PlotError> {
    assert!(sample_rate > 100.0, "a sample rate of {sample_rate} Hz leaves no frequencies to show");
    let levels = Spectrogram::of(signal, sample_rate, Frames::for_picture(signal.len(), sample_rate));
    let seconds = if signal.is_empty() { 1.0 } else { signal.len() as f64 / sample_rate };
    let loudest = levels.peak_db().unwrap_or(0.0);
    let scale = Axis::linear("Level (dB re full scale)").with_range(loudest - RANGE_DB, loudest);
    let time = Axis::linear("Time (s)").with_range(0.0, seconds);
    let frequency = Axis::log("Frequency (Hz)").with_range(LOWEST_HZ, 0.5 * sample_rate);
    let fit = |axis: &Axis| axis.fit(std::iter::empty(), 0.0);
    picture(path, SIZE, |on| {
        let room = titled(on, SIZE, title);
        let outside = Rect { width: room.width - 92.0, ..room };
        let spec =
            FrameSpec { outside, x: (&time, fit(&time)), y: (&frequency, fit(&frequency)), left: 0.0, numbered: true };
        let frame = spec.draw(on);
        let pixels = image(&frame, &levels, fit(&scale));
        on.image((frame.inside.x, frame.inside.y), frame.inside.width as usize, &pixels);
        frame.axes(on);
        color_bar(on, frame.inside, &scale.label, fit(&scale));
    })
}

/// How small spectrograms share a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sheet<'a> {
    columns: usize,
    sample_rate: f64,
    highest: Option<f64>, // Hz
    title: &'a str,
}

impl<'a> Sheet<'a> {
    /// `columns` in a row, from 30 Hz to half the sample rate, without names at the axes.
    ///
    /// # Panics
    /// If the sample rate is not above 100 Hz.
    pub fn new(columns: usize, sample_rate: f64) -> Self {
        assert!(sample_rate > 100.0, "a sample rate of {sample_rate} Hz leaves no frequencies to show");
        Self { columns, sample_rate, highest: None, title: "" }
    }

    /// The same under a title, larger and with names at the axes.
    pub fn titled(self, title: &'a str) -> Self {
        Self { title, ..self }
    }

    /// The same with frequencies from 0 to `hz` on a linear axis.
    pub fn up_to(self, hz: f64) -> Self {
        Self { highest: Some(hz.clamp(LOWEST_HZ, 0.5 * self.sample_rate)), ..self }
    }
}

/// Draws small spectrograms side by side, each under its name: times and frequencies as in [`spectrogram`], without its scale of levels.
pub fn spectrogram_sheet<S: Sample>(path: &Path, sheet: Sheet, named: &[(&str, &[S])]) -> Result<(), PlotError> {
    let Sheet { sample_rate, highest, title, .. } = sheet;
    let columns = sheet.columns.clamp(1, named.len().max(1));
    let rows = named.len().div_ceil(columns).max(1);
    let (row, names) = if title.is_empty() { (ROW, ["", ""]) } else { (LARGE_ROW, ["Time (s)", "Frequency (Hz)"]) };
    let heading_room = if title.is_empty() { 0 } else { (TITLE + 14.0) as u32 };
    let size = (SIZE.0, (2.0 * MARGIN) as u32 + heading_room + row * rows as u32);
    let frequency = match highest {
        Some(highest) => Axis::linear(names[1]).with_range(0.0, highest),
        None => Axis::log(names[1]).with_range(LOWEST_HZ, 0.5 * sample_rate),
    };
    let gap = 16.0;
    picture(path, size, |on| {
        let room = titled(on, size, title);
        let width = (room.width - gap * (columns - 1) as f64) / columns as f64;
        for (i, (name, signal)) in named.iter().enumerate() {
            let (x, y) =
                (room.x + (i % columns) as f64 * (width + gap), room.y + f64::from(row) * (i / columns) as f64);
            heading(on, (x, y + 0.5 * font::CAPITAL * SUBTITLE), name, SUBTITLE);
            let below = SUBTITLE + 8.0;
            let outside = Rect { x, y: y + below, width, height: f64::from(row) - below - gap };
            let levels = Spectrogram::of(signal, sample_rate, Frames::for_picture(signal.len(), sample_rate));
            let loudest = levels.peak_db().unwrap_or(0.0);
            let scale = Axis::linear("").with_range(loudest - RANGE_DB, loudest);
            let time = Axis::linear(names[0]).with_range(0.0, (signal.len() as f64 / sample_rate).max(1e-3));
            let fit = |axis: &Axis| axis.fit(std::iter::empty(), 0.0);
            let (x, y) = ((&time, fit(&time)), (&frequency, fit(&frequency)));
            let frame = FrameSpec { outside, x, y, left: 0.0, numbered: true }.draw(on);
            let pixels = image(&frame, &levels, fit(&scale));
            on.image((frame.inside.x, frame.inside.y), frame.inside.width as usize, &pixels);
            frame.axes(on);
        }
    })
}

pub(super) fn image(frame: &Frame, levels: &Spectrogram, scale: Span) -> Vec<Rgb> {
    let (width, height) = (frame.inside.width as usize, frame.inside.height as usize);
    let bin = |row: usize| frame.y.value(1.0 - row as f64 / height as f64) / levels.bin_hz;
    let mut pixels = vec![heat(0.0); width * height];
    for column in 0..width {
        let at = |column: usize| frame.x.value(column as f64 / width as f64) / levels.frame_s;
        // The loudest of all frames in the column, or the nearest one.
        let first = at(column).round() as usize;
        let after = (at(column + 1).round() as usize).max(first + 1);
        for row in 0..height {
            let here = (first..after.min(levels.frames())).map(|f| amplitude(levels.frame(f), bin(row + 1), bin(row)));
            let loudest = here.fold(0.0f64, f64::max);
            let db = crate::level::decibels(loudest).unwrap_or(scale.low);
            pixels[row * width + column] = heat(scale.fraction(db).unwrap_or(0.0));
        }
    }
    pixels
}

/// Largest amplitude between two positions on the axis of bins; where no bin lies between them, interpolated.
fn amplitude(frame: &[f32], from: f64, to: f64) -> f64 {
    let (first, last) = (from.ceil() as usize, (to.floor() as usize).min(frame.len() - 1));
    if first <= last {
        return frame[first..=last].iter().fold(0.0, |a, &b| f64::from(b).max(a));
    }
    let middle = 0.5 * (from + to);
    let below = (middle as usize).min(frame.len() - 2);
    let part = middle - below as f64;
    f64::from(frame[below]) * (1.0 - part) + f64::from(frame[below + 1]) * part
}

/// What the colours mean, at the right of the picture.
fn color_bar(on: &mut dyn Surface, beside: Rect, label: &str, scale: Span) {
    let x = beside.right() + 22.0;
    let height = beside.height as usize;
    let width = BAR_WIDTH as usize;
    let color = |row: usize| heat(1.0 - (row as f64 + 0.5) / height as f64);
    let pixels: Vec<Rgb> = (0..height).flat_map(|row| std::iter::repeat_n(color(row), width)).collect();
    on.image((x, beside.y), width, &pixels);
    let tick = TextStyle { size: TICK, color: super::color::SOFT_INK, anchor: Anchor::Start, upwards: false };
    for (value, text) in scale.ticks(7).labelled {
        if let Some(fraction) = scale.fraction(value) {
            let y = (beside.bottom() - fraction * beside.height).floor() + 0.5;
            on.line(&[(x + BAR_WIDTH, y), (x + BAR_WIDTH + 4.0, y)], 1.0, super::color::SOFT_INK);
            on.text((x + BAR_WIDTH + 8.0, y), &text, tick);
        }
    }
    let name = TextStyle { size: LABEL, color: super::color::INK, anchor: Anchor::Middle, upwards: true };
    on.text((x + BAR_WIDTH + 60.0, beside.y + 0.5 * beside.height), label, name);
}
