//! The amplitudes of one hit, with the push that it began with.
//!
//! Model: xₙ = Σ Re cᵢ yᵢₙ + d fₙ, y the answer of each mode to the push f. The last term is the push itself: an accelerometer hears it.
//! Amplitudes c and d are linear and follow by least squares from the whole stretch up to the next hit; the search for the push is in `push.rs`.

use super::fit::{add, gram, moments};
use super::force::{Force, Response};
use super::real::{Square, dot};
use ictus_transform::Complex64;

/// Share of the diagonal by which amplitudes are held small: in a stretch of some milliseconds many mixtures of a hundred modes sound alike, and a large one
/// would go on ringing into the next hit. Where modes are distinct, nothing of it is left after a second solution.
const RIDGE: f64 = 1e-4;
/// Pivots are kept above this share of the diagonal.
const PIVOT: f64 = 1e-12;

/// One hit, with frames counted from the beginning of its stretch.
#[derive(Clone, Debug)]
pub struct Stroke {
    pub force: Force,
    /// c by channel, then by pole.
    pub amplitudes: Vec<Vec<Complex64>>,
    /// d by channel.
    pub direct: Vec<f64>,
    /// Σ of squares that is left.
    pub residual: f64,
}

/// The best amplitudes for a given push. All sounds have the same length, at least that of the push.
pub fn fit(poles: &[Complex64], sounds: &[Vec<f64>], force: Force) -> Stroke {
    let frames = sounds.first().map_or(0, Vec::len);
    let end = force.end().min(frames);
    let size = 2 * poles.len() + 1;
    let free = gram(poles, 0, frames - end);
    // the unknowns are amplitudes at the end of the push, from where on the closed forms hold; of faded modes, c itself
    let responses: Vec<Response> = poles.iter().map(|&pole| force.response(pole)).collect();
    let scale = |r: &Response| r.after.unwrap_or(Complex64::ONE);
    let mut columns: Vec<Vec<f64>> = Vec::with_capacity(size);
    for r in &responses {
        let back = scale(r).inv();
        let (re, im) = r.during[..end].iter().map(|y| y * back).map(|y| (y.re, -y.im)).unzip();
        columns.push(re);
        columns.push(im);
    }
    columns.push(force.values()[..end].to_vec());
    let lasts = |i: usize| responses.get(i / 2).is_some_and(|r| r.after.is_some());
    let mut products = Square::zeros(size);
    for i in 0..size {
        for j in 0..=i {
            let later = if lasts(i) && lasts(j) { free.at(i, j) } else { 0.0 };
            products.set_both(i, j, later + dot(&columns[i], &columns[j]));
        }
    }
    let factor = products.clone().damped(RIDGE).cholesky(PIVOT);
    let mut stroke = Stroke { force, amplitudes: Vec::new(), direct: Vec::new(), residual: 0.0 };
    for sound in sounds {
        let (push, later) = sound.split_at(end);
        let mut right: Vec<f64> = columns.iter().map(|column| dot(push, column)).collect();
        for ((pair, &pole), response) in right.chunks_exact_mut(2).zip(poles).zip(&responses) {
            if response.after.is_some() {
                let moment = moments(later, pole).0;
                pair[0] += moment.re;
                pair[1] -= moment.im;
            }
        }
        let mut x = factor.solve_cholesky(&right);
        // once more on what is left: what the sound tells comes out as if it were not held, what it does not tell stays small
        let left: Vec<f64> = right.iter().zip(products.times(&x)).map(|(b, g)| b - g).collect();
        x.iter_mut().zip(factor.solve_cholesky(&left)).for_each(|(x, more)| *x += more);
        // the quadratic form holds for any amplitudes, also those held small
        let bent = products.times(&x);
        let change: f64 = (x.iter().zip(&right).zip(&bent)).map(|((a, b), g)| a * (g - 2.0 * b)).sum();
        stroke.residual += sound.iter().map(|x| x * x).sum::<f64>() + change;
        let amplitude = |(a, r): (&[f64], &Response)| Complex64::new(a[0], a[1]) / scale(r);
        stroke.amplitudes.push(x.chunks_exact(2).zip(&responses).map(amplitude).collect());
        stroke.direct.push(x[size - 1]);
    }
    stroke
}

/// Adds what a hit sets ringing to a sound that begins at its frame 0.
pub fn ring(poles: &[Complex64], amplitudes: &[Complex64], direct: f64, force: &Force, sound: &mut [f64]) {
    let (push, free) = sound.split_at_mut(force.end().min(sound.len()));
    let mut later = vec![Complex64::ZERO; poles.len()];
    for ((&pole, &c), later) in poles.iter().zip(amplitudes).zip(&mut later) {
        let response = force.response(pole);
        push.iter_mut().zip(response.during).for_each(|(x, y)| *x += (c * y).re);
        *later = c * response.after.unwrap_or(Complex64::ZERO);
    }
    push.iter_mut().zip(force.values()).for_each(|(x, f)| *x += direct * f);
    add(poles, &later, free);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hit_that_was_built_comes_back() {
        let poles = [Complex64::new(-1e-3, 0.1), Complex64::new(-2e-3, 0.37), Complex64::new(-0.02, 1.1)];
        let amplitudes = [Complex64::new(0.5, 0.2), Complex64::new(-0.3, 0.1), Complex64::new(0.2, 0.0)];
        let force = Force::pulse(10.0, 25.0);
        let mut sound = vec![0.0; 4000];
        ring(&poles, &amplitudes, 3.0, &force, &mut sound);
        let energy: f64 = sound.iter().map(|x| x * x).sum();
        let stroke = fit(&poles, &[sound], force);
        assert!(stroke.residual < 1e-9 * energy, "{}", stroke.residual / energy);
        assert!((stroke.direct[0] - 3.0).abs() < 1e-3, "{stroke:?}");
        for (found, truth) in stroke.amplitudes[0].iter().zip(amplitudes) {
            assert!((found - truth).norm_sqr().sqrt() < 1e-3, "{found} {truth}");
        }
    }
}
