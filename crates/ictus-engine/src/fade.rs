//! The fade at the end of a sound: half a period of a raised cosine, from 1 to 0.

use std::f64::consts::PI;

/// Gain over the last frames of a sound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fade {
    /// First frame with a gain below 1.
    start: u64,
    /// Length in frames.
    length: u64,
}

impl Fade {
    /// A fade over the last `seconds` of `frames`, but at most over their second half.
    pub fn new(seconds: f64, frames: u64, sample_rate: u32) -> Self {
        let wanted = (seconds.max(0.0) * f64::from(sample_rate)).round() as u64;
        let length = wanted.min(frames / 2);
        Self { start: frames - length, length }
    }

    /// Gain at a frame counted from the start of the sound: 1 before the fade, 0 at its end and after.
    pub fn gain(&self, frame: u64) -> f64 {
        if frame < self.start {
            return 1.0;
        }
        // the last frame is silent: its gain is that of the end
        let done = (frame - self.start + 1) as f64 / self.length.max(1) as f64;
        if self.length == 0 { 1.0 } else { 0.5 + 0.5 * libm::cos(PI * done.min(1.0)) }
    }

    /// Seconds of it.
    pub fn seconds(&self, sample_rate: u32) -> f64 {
        self.length as f64 / f64::from(sample_rate)
    }

    /// Applies it to channels interleaved in frames of `N`; `first` is the number of the first of these frames.
    pub fn apply<const N: usize>(&self, frames: &mut [[f32; N]], first: u64) {
        if first + frames.len() as u64 <= self.start {
            return;
        }
        for (n, frame) in (first..).zip(frames) {
            let gain = self.gain(n);
            *frame = frame.map(|sample| (gain * f64::from(sample)) as f32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fade_falls_to_nothing_at_the_end_and_changes_nothing_before() {
        let fade = Fade::new(0.5, 48_000, 48_000);
        let mut sound = vec![[1.0f32; 2]; 48_000];
        for (block, frames) in sound.chunks_mut(1000).enumerate() {
            fade.apply(frames, 1000 * block as u64);
        }
        assert!(sound[..24_000].iter().all(|frame| *frame == [1.0; 2]));
        assert!(sound[24_000..].is_sorted_by(|a, b| a[0] >= b[0]), "never rises");
        assert_eq!(sound[47_999], [0.0; 2]);
        assert!((sound[36_000][0] - 0.5).abs() < 1e-3);
    }

    #[test]
    fn a_fade_takes_half_of_a_short_sound_and_none_is_none() {
        assert_eq!(Fade::new(2.0, 1000, 48_000), Fade { start: 500, length: 500 });
        let none = Fade::new(0.0, 1000, 48_000);
        assert!((0..1000).all(|frame| none.gain(frame) == 1.0));
    }
}
