//! Small measurements shared by the figures.

/// Times at which sampled values cross zero downwards, by linear interpolation, in samples.
pub fn falls(values: &[f64]) -> Vec<f64> {
    let pairs = values.windows(2).enumerate().filter(|(_, w)| w[0] > 0.0 && w[1] <= 0.0);
    pairs.map(|(i, w)| i as f64 + w[0] / (w[0] - w[1])).collect()
}

/// Root of the mean square.
pub fn rms(values: impl IntoIterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0usize);
    for x in values {
        sum += x * x;
        count += 1;
    }
    (sum / count.max(1) as f64).sqrt()
}

/// rms(a − b)/rms(b).
pub fn rms_difference(a: &[f64], b: &[f64]) -> f64 {
    rms(a.iter().zip(b).map(|(a, b)| a - b)) / rms(b.iter().copied())
}

/// Largest |x/x₀ − 1| of a quantity that should stay what it was.
pub fn drift(values: &[f64]) -> f64 {
    let first = values.first().copied().unwrap_or(1.0);
    values.iter().fold(0.0f64, |worst, x| worst.max((x / first - 1.0).abs()))
}

/// Mean of counts.
pub fn mean(counts: &[u32]) -> f64 {
    counts.iter().map(|&n| f64::from(n)).sum::<f64>() / counts.len().max(1) as f64
}

/// Largest of counts.
pub fn most(counts: &[u32]) -> f64 {
    f64::from(counts.iter().copied().max().unwrap_or(0))
}

/// Frequency (Hz) of the largest value of the spectrum between `low` and `high`, under a Hann window.
pub fn loudest_between(signal: &[f64], rate: f64, low: f64, high: f64) -> f64 {
    use std::f64::consts::TAU;
    let n = signal.len() as f64;
    let windowed: Vec<f64> =
        signal.iter().enumerate().map(|(i, x)| x * (0.5 - 0.5 * libm::cos(TAU * i as f64 / n))).collect();
    let power = |frequency: f64| {
        // the phasor turns step by step: rounding over 1e5 steps is far below what a window resolves
        let (turn_im, turn_re) = libm::sincos(TAU * frequency / rate);
        let (mut re, mut im, mut sum_re, mut sum_im) = (1.0, 0.0, 0.0, 0.0);
        for x in &windowed {
            sum_re += x * re;
            sum_im += x * im;
            (re, im) = (re * turn_re - im * turn_im, re * turn_im + im * turn_re);
        }
        sum_re * sum_re + sum_im * sum_im
    };
    let best = |from: f64, step: f64, count: usize| {
        let at = |i: usize| from + step * i as f64;
        let powers: Vec<f64> = (0..=count).map(|i| power(at(i))).collect();
        at((0..=count).max_by(|&a, &b| powers[a].total_cmp(&powers[b])).unwrap_or(0))
    };
    // a grid much finer than the window's lobe, then finer around the best
    let coarse = 0.1 * rate / n;
    let near = best(low, coarse, ((high - low) / coarse) as usize);
    best(near - coarse, 0.01 * coarse, 200)
}
