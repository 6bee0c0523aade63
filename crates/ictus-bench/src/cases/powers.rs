//! x^α.

use super::Case;
use crate::line::Line;
use crate::measure::repeated;
use ictus_kernels::power::power;
use std::hint::black_box;

const EXPONENT: f64 = 2.3;

pub(super) fn cases() -> [Case; 2] {
    [
        // a solver needs one answer before it asks for the next
        Case::new("x^2.3, one after the other", |name, meter| {
            let chain = |power: fn(f64, f64) -> f64| {
                let mut x = 0.7;
                repeated(move || {
                    let exponent = black_box(EXPONENT);
                    // between 0.5 and 1.5 for ever
                    x = 0.5 + 0.5 * power(x, exponent).min(2.0);
                })
            };
            let [ours, theirs] = meter.race([&mut chain(power), &mut chain(libm::pow)]);
            Ok(vec![Line::new(name, ours, "ns").against("libm", theirs)])
        }),
        Case::new("x^2.3, side by side", |name, meter| {
            let numbers: [f64; 64] = std::array::from_fn(|i| 1e-4 * (1.0 + i as f64));
            let all = |power: fn(f64, f64) -> f64| {
                repeated(move || {
                    let (numbers, exponent) = (black_box(numbers), black_box(EXPONENT));
                    black_box(numbers.map(|x| power(x, exponent)));
                })
            };
            let [ours, theirs] = meter.race([&mut all(power), &mut all(libm::pow)]);
            let each = numbers.len() as f64;
            Ok(vec![Line::new(name, ours / each, "ns").against("libm", theirs / each)])
        }),
    ]
}
