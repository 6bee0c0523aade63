//! A sound over time, one strip for each channel.

use super::axis::Axis;
use super::color::{PALETTE, SOFT_INK};
use super::frame::{AXIS_HEIGHT, Frame, FrameSpec, TICK_LENGTH, titled};
use super::surface::{Rect, Surface};
use super::{PlotError, SIZE, picture};
use crate::level::peak;
use std::path::Path;

/// Thinnest visible part of the envelope, pixels.
const LEAST: f64 = 1.4;

/// Draws the waveform of interleaved samples: in each column of pixels, from the lowest to the highest sample.
///
/// # Panics
/// If `channels` is zero or the sample rate is not positive.
pub fn waveform(
    path: &Path,
    title: &str,
    interleaved: &[f32],
    channels: usize,
    sample_rate: f64,
) -> Result<(), PlotError> {
    assert!(channels > 0 && sample_rate > 0.0, "{channels} channels at {sample_rate} Hz are no sound");
    let frames = interleaved.len() / channels;
    let seconds = if frames > 0 { frames as f64 / sample_rate } else { 1.0 };
    let highest = match peak(interleaved) {
        0.0 => 1.0,
        peak => 1.08 * peak,
    };
    // Short sounds have an axis in milliseconds.
    let (unit, per_second) = if seconds < 0.2 { ("Time (ms)", 1000.0) } else { ("Time (s)", 1.0) };
    let time = Axis::linear(unit).with_range(0.0, per_second * seconds);
    picture(path, SIZE, |on| {
        let room = titled(on, SIZE, title);
        // The lowest strip carries the time axis, which takes more room than the ticks of the others.
        let (gap, axis, ticks) = (16.0, AXIS_HEIGHT, TICK_LENGTH);
        let strip = (room.height - axis - gap * (channels - 1) as f64) / channels as f64;
        for channel in 0..channels {
            let last = channel + 1 == channels;
            let top = room.y + (strip + gap) * channel as f64;
            let outside = Rect { y: top, height: strip + if last { axis } else { ticks }, ..room };
            let amplitude = Axis::linear(name(channel, channels)).with_range(-highest, highest);
            let (x, y) = (time.fit(std::iter::empty(), 0.0), amplitude.fit(std::iter::empty(), 0.0));
            let spec = FrameSpec { outside, x: (&time, x), y: (&amplitude, y), left: 0.0, numbered: last };
            let frame = spec.draw(on);
            let samples: Vec<f64> = interleaved.chunks_exact(channels).map(|f| f64::from(f[channel])).collect();
            draw(on, &frame, &samples);
        }
    })
}

fn name(channel: usize, channels: usize) -> String {
    match (channel, channels) {
        (_, 1) => "Amplitude (full scale = 1)".to_owned(),
        (0, 2) => "Left".to_owned(),
        (1, 2) => "Right".to_owned(),
        _ => format!("Channel {}", channel + 1),
    }
}

fn draw(on: &mut dyn Surface, frame: &Frame, samples: &[f64]) {
    let Rect { x: left, width, .. } = frame.inside;
    let zero = frame.place_y(0.0).unwrap_or(frame.inside.bottom()).floor() + 0.5;
    on.line(&[(left, zero), (frame.inside.right(), zero)], 1.0, SOFT_INK);
    let columns = width as usize;
    if samples.len() < 2 * columns {
        // So few samples that the curve itself can be seen.
        let step = width / samples.len().max(1) as f64;
        let place = |(i, &s): (usize, &f64)| frame.place_y(s).map(|y| (left + step * (i as f64 + 0.5), y));
        let points: Vec<(f64, f64)> = samples.iter().enumerate().filter_map(place).collect();
        on.line(&points, LEAST, PALETTE[0]);
        return;
    }
    let bars: Vec<(f64, f64)> = (0..columns)
        .map(|c| {
            // One sample more than the column's own connects it to the next.
            let own = c * samples.len() / columns..((c + 1) * samples.len() / columns + 1).min(samples.len());
            let finite = samples[own].iter().filter(|s| s.is_finite());
            let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &s| (a.min(s), b.max(s)));
            bar(frame.place_y(high).unwrap_or(zero), frame.place_y(low).unwrap_or(zero))
        })
        .collect();
    on.bars(left, &bars, PALETTE[0]);
}

/// A bar that is never too thin to see.
fn bar(top: f64, bottom: f64) -> (f64, f64) {
    let short = (0.5 * (LEAST - (bottom - top))).max(0.0);
    (top - short, bottom + short)
}
