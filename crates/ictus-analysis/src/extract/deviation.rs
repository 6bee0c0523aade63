//! How certain frequencies and decays are.
//!
//! For white noise of variance σ² the poles of a least-squares fit have the covariance σ² C⁻¹, C the curvature of half the residual over the poles with the amplitudes
//! following: the Cramér–Rao bound, which the fit reaches. The noise of a recording is not white, and what a model of modes does not explain is not noise; both are in the
//! residual. So σ² is taken where the mode is: the mean power of the residual in the lines of its spectrum around the mode's frequency.

use super::fit::Fit;
use super::search::left_over;
use std::f64::consts::TAU;

/// Lines of the spectrum on each side of a mode at least.
const LINES: f64 = 6.0;
/// Half widths α of a mode on each side, if that is more.
const WIDTHS: f64 = 4.0;
/// Pivots are kept above this share of the diagonal.
const RIDGE: f64 = 1e-12;

/// Standard deviations of α and ω, per sample, of every pole.
pub fn deviations(fit: &Fit, sounds: &[Vec<f64>]) -> Vec<[f64; 2]> {
    let length = sounds.first().map_or(0, Vec::len);
    if fit.poles.is_empty() || length < 2 {
        return vec![[f64::INFINITY; 2]; fit.poles.len()];
    }
    let transform = ictus_transform::forward(length);
    let mut power = vec![0.0; length / 2 + 1];
    for mut rest in left_over(fit, sounds) {
        let mut bins = transform.make_output_vec();
        transform.process(&mut rest, &mut bins).expect("buffers come from the plan");
        let scale = 1.0 / (length * sounds.len()) as f64;
        power.iter_mut().zip(&bins).for_each(|(p, z)| *p += scale * z.norm_sqr());
    }
    let covariance = fit.normal_equations().0.cholesky(RIDGE).inverse_from_cholesky();
    let of = |(i, pole): (usize, &ictus_transform::Complex64)| {
        let line = |omega: f64| omega * length as f64 / TAU;
        let reach = LINES.max(line(WIDTHS * -pole.re));
        let from = ((line(pole.im) - reach).max(0.0) as usize).min(power.len() - 1);
        let to = ((line(pole.im) + reach) as usize + 1).max(from + 1).min(power.len());
        let variance = power[from..to].iter().sum::<f64>() / (to - from) as f64;
        [0, 1].map(|k| (variance * covariance.at(2 * i + k, 2 * i + k)).max(0.0).sqrt())
    };
    fit.poles.iter().enumerate().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::super::fit::add;
    use super::super::limits::Limits;
    use super::super::random::Random;
    use super::*;
    use ictus_transform::Complex64;

    #[test]
    fn deviations_cover_the_truth_as_often_as_they_say() {
        let truth = [(-3e-4, 0.1), (-5e-4, 0.35), (-1e-3, 0.352), (-4e-3, 1.1)].map(|(re, im)| Complex64::new(re, im));
        let amplitudes = [1.0, 0.3, -0.4, 0.5].map(|a| Complex64::new(a, 0.2));
        let (mut within, mut count, mut squares) = (0, 0, 0.0);
        for seed in 1..=60 {
            let mut random = Random(seed);
            let mut sound: Vec<f64> = (0..8000).map(|_| 0.03 * random.normal()).collect();
            add(&truth, &amplitudes, &mut sound);
            let sounds = [sound];
            let fit = Fit::new(truth.to_vec(), &sounds).refine(&sounds, &Limits::NONE, 20, 1e-9);
            for ((found, sd), truth) in fit.poles.iter().zip(deviations(&fit, &sounds)).zip(truth) {
                for (error, sd) in [(found.re - truth.re, sd[0]), (found.im - truth.im, sd[1])] {
                    within += usize::from(error.abs() < 2.0 * sd);
                    squares += error * error / (sd * sd);
                    count += 1;
                }
            }
        }
        // two standard deviations hold 95 % of normal errors, and errors are as large as they are said to be
        let (share, mean) = (f64::from(within as u32) / f64::from(count), squares / f64::from(count));
        assert!((0.91..0.99).contains(&share) && (0.75..1.4).contains(&mean), "{share} {mean}");
    }
}
