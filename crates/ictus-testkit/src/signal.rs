//! Frequency and decay of a single damped sinusoid, by least squares on its own recurrence.
//!
//! A sampled x_n = A ρⁿ cos(θn + φ) satisfies x_{n+S} = 2ρ^S cos(θS) x_n − ρ^{2S} x_{n−S} exactly, so two unknowns fitted
//! over the whole signal give the pole. S near a quarter period keeps the fit well conditioned.

/// Frequency (Hz) and decay rate σ (1/s) of a signal that contains one mode near `expected` Hz.
pub fn pole(signal: &[f64], rate: f64, expected: f64) -> (f64, f64) {
    let stride = ((0.25 * rate / expected) as usize).max(1);
    let (mut aa, mut ab, mut bb, mut ay, mut by) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for n in stride..signal.len() - stride {
        let (past, now, next) = (signal[n - stride], signal[n], signal[n + stride]);
        aa += now * now;
        ab += now * past;
        bb += past * past;
        ay += now * next;
        by += past * next;
    }
    let determinant = aa * bb - ab * ab;
    let (c1, c2) = ((ay * bb - by * ab) / determinant, (by * aa - ay * ab) / determinant);
    let radius = (-c2).sqrt();
    let span = stride as f64 / rate;
    let angle = libm::acos((0.5 * c1 / radius).clamp(-1.0, 1.0));
    // the angle is known up to whole turns and sign: take the one near the expectation
    let wanted = std::f64::consts::TAU * expected * span;
    let turns = ((wanted - angle) / std::f64::consts::TAU).round();
    let candidates = [angle + turns * std::f64::consts::TAU, -angle + (turns + 1.0) * std::f64::consts::TAU];
    let best =
        if (candidates[0] - wanted).abs() <= (candidates[1] - wanted).abs() { candidates[0] } else { candidates[1] };
    (best / (std::f64::consts::TAU * span), -libm::log(radius) / span)
}

/// Interval between two frequencies in cents.
pub fn cents(frequency: f64, reference: f64) -> f64 {
    1200.0 * libm::log2(frequency / reference)
}

/// Mean frequency (Hz) between the first and the last rising zero; 0 if there are not two.
pub fn crossings(signal: &[f64], rate: f64) -> f64 {
    let rising: Vec<f64> = signal
        .windows(2)
        .enumerate()
        .filter(|(_, pair)| pair[0] < 0.0 && pair[1] >= 0.0)
        .map(|(i, pair)| i as f64 - pair[0] / (pair[1] - pair[0]))
        .collect();
    match rising[..] {
        [first, .., last] => (rising.len() - 1) as f64 * rate / (last - first),
        _ => 0.0,
    }
}
