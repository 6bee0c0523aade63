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
