//! Numbers, lists and curves as text.

use std::fmt::Write;

/// Numbers on one line of a list, and points on one line of a long curve.
const PER_LINE: usize = 8;
/// Points of a push are left out if the line between their neighbours is this near, as a share of its top.
const STRAIGHT: f64 = 5e-3;

/// Points of a push from rest to rest: frames and heights, those on a straight line between others left out.
pub fn points(push: &[f64]) -> Vec<(usize, f64)> {
    let values: Vec<f64> = std::iter::once(0.0).chain(push.iter().copied()).chain([0.0]).collect();
    let tolerance = STRAIGHT * largest(push.iter());
    let mut kept = vec![false; values.len()];
    let mut open = vec![(0, values.len() - 1)];
    while let Some((from, to)) = open.pop() {
        (kept[from], kept[to]) = (true, true);
        let line = |n: usize| values[from] + (values[to] - values[from]) * (n - from) as f64 / (to - from) as f64;
        let off = |n: &usize| (values[*n] - line(*n)).abs();
        let farthest = (from + 1..to).max_by(|a, b| off(a).total_cmp(&off(b)));
        if let Some(n) = farthest.filter(|n| off(n) > tolerance) {
            open.extend([(from, n), (n, to)]);
        }
    }
    (0..values.len()).filter(|&n| kept[n]).map(|n| (n, values[n])).collect()
}

/// A curve of a gesture.
pub fn curve(points: &[(usize, f64)], scale: f64, sample_rate: f64) -> String {
    let point = |(n, value): &(usize, f64)| format!("[{:.7}, {:.4e}]", *n as f64 / sample_rate, scale * value);
    format!("[{}]", points.iter().map(point).collect::<Vec<_>>().join(", "))
}

/// All samples as a curve, eight to a line, with as few digits as noise needs.
pub fn long_curve(samples: &[f64], sample_rate: f64) -> String {
    let values = std::iter::once(&0.0).chain(samples).chain([&0.0]);
    let points: Vec<String> =
        values.enumerate().map(|(n, x)| format!("[{:.6}, {x:.2e}]", n as f64 / sample_rate)).collect();
    let lines: Vec<String> = points.chunks(PER_LINE).map(|line| format!("  {},", line.join(", "))).collect();
    format!("[\n{}\n]", lines.join("\n"))
}

/// Largest magnitude, above zero.
pub fn largest<'a>(values: impl Iterator<Item = &'a f64>) -> f64 {
    values.fold(f64::MIN_POSITIVE, |m, x| m.max(x.abs()))
}

/// A key with a list of numbers.
pub fn list(text: &mut String, key: &str, values: impl Iterator<Item = f64>) {
    let values: Vec<String> = values.map(digits).collect();
    if values.len() <= PER_LINE {
        let _ = writeln!(text, "{key} = [{}]", values.join(", "));
        return;
    }
    let lines: Vec<String> = values.chunks(PER_LINE).map(|line| format!("  {},", line.join(", "))).collect();
    let _ = writeln!(text, "{key} = [\n{}\n]", lines.join("\n"));
}

/// Seven significant digits without exponent.
fn digits(x: f64) -> String {
    let place = if x == 0.0 { 0.0 } else { libm::floor(libm::log10(x.abs())) };
    let decimals = (6.0 - place).clamp(1.0, 12.0) as usize;
    format!("{x:.decimals$}")
}
