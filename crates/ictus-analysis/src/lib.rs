//! Measuring and picturing sound: levels, pitch, spectra, decay, order of convergence, plots, WAV, FLAC and Ogg Vorbis files.
//!
//! | question | module |
//! |---|---|
//! | How loud is it? | [`level`] |
//! | Which note is it, and how exactly? | [`pitch`] |
//! | What is in it? | [`spectrum`], [`spectrogram`] |
//! | How long does it ring? | [`decay`], [`pitch::partial`] |
//! | How far is it from recordings, band by band? | [`bands`] |
//! | Which modes is a struck object made of? | [`extract`] |
//! | Does the scheme converge as it should? | [`order`] |
//! | What does it look like? | [`plot`], [`sparkline`] |
//! | How is it kept? | [`wav`], [`flac`] |
//! | How are recordings of any kind read? | [`recording`] |
//!
//! Audio is `f32`, physics is `f64`; whatever makes sense for both takes any [`Sample`].
//! Several channels are interleaved and say how many they are; everything else is one channel.

pub mod bands;
pub mod decay;
pub mod extract;
mod file;
pub mod flac;
pub mod level;
pub mod order;
pub mod pitch;
pub mod plot;
pub mod recording;
mod sparkline;
pub mod spectrogram;
pub mod spectrum;

pub mod wav;
mod window;

pub use sparkline::sparkline;
pub use window::Window;

/// One sample of audio (`f32`) or of a physical quantity (`f64`).
pub trait Sample: Copy + Into<f64> {}

impl Sample for f32 {}
impl Sample for f64 {}

/// Copies a signal to `f64`, with non-finite samples as zero: one bad sample must not hide all the others.
fn finite<S: Sample>(signal: &[S]) -> Vec<f64> {
    signal.iter().map(|&s| finite_or_zero(s)).collect()
}

fn finite_or_zero<S: Sample>(sample: S) -> f64 {
    let x: f64 = sample.into();
    if x.is_finite() { x } else { 0.0 }
}

/// Averages interleaved channels into one; a trailing incomplete frame is left out.
///
/// # Panics
/// If `channels` is zero.
pub fn mono<S: Sample>(interleaved: &[S], channels: usize) -> Vec<f64> {
    assert!(channels > 0, "a sound has at least one channel");
    interleaved
        .chunks_exact(channels)
        .map(|frame| frame.iter().map(|&s| s.into()).sum::<f64>() / channels as f64)
        .collect()
}
