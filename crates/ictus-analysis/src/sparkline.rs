//! A sound's envelope in one line of a terminal.

use crate::Sample;
use crate::level::rms;

const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Loudness grows about as the 0.6th power of the amplitude (sone scale), so a decay looks as long as it sounds.
const LOUDNESS_EXPONENT: f64 = 0.6;

/// Draws the envelope of interleaved samples with `width` characters, the loudest of them full height.
///
/// Sounds with fewer frames than `width` get one character per frame; silence is a flat line.
///
/// # Panics
/// If `channels` is zero.
pub fn sparkline<S: Sample>(interleaved: &[S], channels: usize, width: usize) -> String {
    assert!(channels > 0, "a sound has at least one channel");
    let frames = interleaved.len() / channels;
    let width = width.min(frames);
    let columns: Vec<f64> = (0..width)
        .map(|c| rms(&interleaved[c * frames / width * channels..(c + 1) * frames / width * channels]))
        .collect();
    let loudest = columns.iter().fold(0.0f64, |a, &b| a.max(b));
    columns.iter().map(|&x| BARS[bar(x, loudest)]).collect()
}

fn bar(level: f64, loudest: f64) -> usize {
    if level <= 0.0 {
        return 0;
    }
    let height = libm::pow(level / loudest, LOUDNESS_EXPONENT);
    ((height * BARS.len() as f64) as usize).min(BARS.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decay_falls_from_the_full_bar_to_the_lowest() {
        let s: Vec<f32> = (0..48_000).map(|n| (libm::exp(-6.0 * n as f64 / 48_000.0)) as f32).collect();
        let line = sparkline(&s, 1, 16);
        assert_eq!(line, "█▇▆▅▄▃▃▂▂▂▁▁▁▁▁▁");
    }

    #[test]
    fn channels_share_one_envelope() {
        let s: Vec<f32> = (0..40).flat_map(|n| if n < 20 { [0.0, 0.5] } else { [0.0, 0.0] }).collect();
        assert_eq!(sparkline(&s, 2, 4), "██▁▁");
    }

    #[test]
    fn silence_is_flat_and_short_sounds_are_short() {
        assert_eq!(sparkline(&[0.0f32; 100], 1, 5), "▁▁▁▁▁");
        assert_eq!(sparkline(&[1.0f32, 1.0], 1, 5), "██");
        assert_eq!(sparkline::<f32>(&[], 1, 5), "");
        assert_eq!(sparkline(&[1.0f32; 10], 1, 0), "");
    }

    #[test]
    fn a_bad_sample_leaves_the_rest_visible() {
        assert_eq!(sparkline(&[f32::NAN, 1.0, 0.0, 0.0], 1, 4), "▁█▁▁");
    }
}
