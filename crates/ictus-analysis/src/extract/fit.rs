//! Decaying sinusoids fitted to sounds jointly, by least squares.
//!
//! Model: xₙ = Σ Re aᵢ e^{sᵢ n}, sᵢ = −α + iω per sample; the poles s are shared by all sounds, amplitudes a are not.
//! The products of two such basis functions, also with weights n and n², are geometric sums with closed forms, so the
//! normal equations cost nothing in the length of the sound; only the products with the sound itself do.
//!
//! Amplitudes are eliminated (variable projection, in Kaufman's form): with G the products of the basis, G₁ and G₂
//! those weighted by n and n², the poles see the curvature Rᵀ(G₂ − G₁ᵀG⁻¹G₁)R, R the rotation by the amplitudes.
//! Steps are damped after Marquardt and taken only if the residual falls.

use super::groups::groups;
use super::limits::Limits;
use super::real::Square;
use ictus_transform::Complex64;

/// Basis functions are followed until they have fallen by 200 dB.
const FADED: f64 = 23.0;
/// Ridge relative to the diagonal: keeps two poles that coincide solvable.
const RIDGE: f64 = 1e-12;

/// Poles with the amplitudes that fit best.
#[derive(Clone, Debug)]
pub struct Fit {
    /// s per sample.
    pub poles: Vec<Complex64>,
    /// By sound, then by pole.
    pub amplitudes: Vec<Vec<Complex64>>,
    /// Σ of squares that is left, over all sounds.
    pub residual: f64,
    slopes: Vec<Vec<Complex64>>, // Σ x n e^{sn}, by sound and pole
    frames: usize,
}

/// Σ nʷ e^{σn} over n < N, for w = 0, 1, 2.
fn geometric(sigma: Complex64, frames: usize) -> [Complex64; 3] {
    let n = frames as f64;
    let q = exp(sigma);
    let last = exp(sigma * n);
    let gap = -expm1(sigma); // 1 − q without cancellation
    if gap.norm_sqr() * n * n < 1e-16 {
        return [n, n * n / 2.0, n * n * n / 3.0].map(|x| Complex64::new(x, 0.0));
    }
    let zeroth = -expm1(sigma * n) / gap;
    let first = (q - last * n + last * q * (n - 1.0)) / (gap * gap);
    let third = last * (-(n * n) + q * (2.0 * n * n - 2.0 * n - 1.0) - q * q * (n - 1.0) * (n - 1.0));
    [zeroth, first, (q + q * q + third) / (gap * gap * gap)]
}

pub fn exp(z: Complex64) -> Complex64 {
    let (s, c) = libm::sincos(z.im);
    Complex64::new(c, s) * libm::exp(z.re)
}

fn expm1(z: Complex64) -> Complex64 {
    let (s, c) = libm::sincos(z.im);
    let half = libm::sin(0.5 * z.im);
    Complex64::new(libm::expm1(z.re) * c - 2.0 * half * half, libm::exp(z.re) * s)
}

/// G alone, over the frames from `from` up to `to`: products of powers need no function of pairs but 1 − zᵢ zⱼ.
pub fn gram(poles: &[Complex64], from: usize, to: usize) -> Square {
    let powers = |n: usize| -> Vec<Complex64> { poles.iter().map(|&p| exp(p * n as f64)).collect() };
    let (first, last) = (powers(from), powers(to));
    let mut gram = Square::zeros(2 * poles.len());
    for (i, &p) in poles.iter().enumerate() {
        for (j, &r) in poles.iter().enumerate().take(i + 1) {
            let plus = (first[i] * first[j] - last[i] * last[j]) / -expm1(p + r);
            let minus = (first[i] * first[j].conj() - last[i] * last[j].conj()) / -expm1(p + r.conj());
            set_pair(&mut gram, i, j, plus, minus);
        }
    }
    gram
}

/// Products of Re and −Im of two exponentials, from their sums with and without conjugation.
fn set_pair(matrix: &mut Square, i: usize, j: usize, plus: Complex64, minus: Complex64) {
    matrix.set_both(2 * i, 2 * j, 0.5 * (plus.re + minus.re));
    matrix.set_both(2 * i, 2 * j + 1, -0.5 * (plus.im - minus.im));
    matrix.set_both(2 * i + 1, 2 * j, -0.5 * (plus.im + minus.im));
    matrix.set_both(2 * i + 1, 2 * j + 1, 0.5 * (minus.re - plus.re));
}

/// G, G₁, G₂ over the columns Re e^{sn}, −Im e^{sn} of all poles.
fn products(poles: &[Complex64], frames: usize) -> [Square; 3] {
    let size = 2 * poles.len();
    let mut all = [Square::zeros(size), Square::zeros(size), Square::zeros(size)];
    for (i, &p) in poles.iter().enumerate() {
        for (j, &r) in poles.iter().enumerate().take(i + 1) {
            let (sums, differences) = (geometric(p + r, frames), geometric(p + r.conj(), frames));
            for ((matrix, plus), minus) in all.iter_mut().zip(sums).zip(differences) {
                set_pair(matrix, i, j, plus, minus);
            }
        }
    }
    all
}

/// Frames until e^{sn} has faded.
fn audible(pole: Complex64, frames: usize) -> usize {
    if pole.re < 0.0 { ((FADED / -pole.re).ceil() as usize).max(1).min(frames) } else { frames }
}

/// Frames taken side by side: four chains of multiplications keep the processor busy where one would wait for itself.
const LANES: usize = 4;

/// The powers of z for the first frames, and the step to the next ones.
fn lanes(pole: Complex64, first: Complex64) -> ([f64; LANES], [f64; LANES], Complex64) {
    let all: [Complex64; LANES] = std::array::from_fn(|k| first * exp(pole * k as f64));
    (all.map(|p| p.re), all.map(|p| p.im), exp(pole * LANES as f64))
}

fn advance(re: &mut [f64; LANES], im: &mut [f64; LANES], step: Complex64) {
    for k in 0..LANES {
        (re[k], im[k]) = (re[k] * step.re - im[k] * step.im, re[k] * step.im + im[k] * step.re);
    }
}

/// Σ x e^{sn} and Σ x n e^{sn}.
pub fn moments(sound: &[f64], pole: Complex64) -> (Complex64, Complex64) {
    let (mut re, mut im, step) = lanes(pole, Complex64::ONE);
    let mut sums = [[0.0; LANES]; 4];
    let (chunks, last) = sound[..audible(pole, sound.len())].as_chunks::<LANES>();
    let mut n: [f64; LANES] = std::array::from_fn(|k| k as f64);
    let mut padded = [0.0; LANES];
    padded[..last.len()].copy_from_slice(last);
    for x in chunks.iter().chain([&padded]) {
        for k in 0..LANES {
            let (u, v) = (x[k] * re[k], x[k] * im[k]);
            sums[0][k] += u;
            sums[1][k] += v;
            sums[2][k] += u * n[k];
            sums[3][k] += v * n[k];
            n[k] += LANES as f64;
        }
        advance(&mut re, &mut im, step);
    }
    let [u, v, un, vn] = sums.map(|s| s.iter().sum::<f64>());
    (Complex64::new(u, v), Complex64::new(un, vn))
}

/// Adds Σ Re a e^{sn} to a sound.
pub fn add(poles: &[Complex64], amplitudes: &[Complex64], sound: &mut [f64]) {
    for (&pole, &a) in poles.iter().zip(amplitudes) {
        let (mut re, mut im, step) = lanes(pole, a);
        let end = audible(pole, sound.len());
        let (chunks, last) = sound[..end].as_chunks_mut::<LANES>();
        for x in chunks {
            for k in 0..LANES {
                x[k] += re[k];
            }
            advance(&mut re, &mut im, step);
        }
        last.iter_mut().zip(re).for_each(|(x, p)| *x += p);
    }
}

impl Fit {
    /// The best amplitudes for given poles. All sounds have the same length.
    pub fn new(poles: Vec<Complex64>, sounds: &[Vec<f64>]) -> Self {
        Self::ridged(poles, sounds, 0.0)
    }

    /// As [`Fit::new`], with amplitudes held small by a share `ridge` of the products' diagonal.
    pub fn ridged(poles: Vec<Complex64>, sounds: &[Vec<f64>], ridge: f64) -> Self {
        let frames = sounds.first().map_or(0, Vec::len);
        let gram = gram(&poles, 0, frames).damped(ridge);
        let factor = gram.cholesky(RIDGE);
        let mut fit = Self { poles, amplitudes: Vec::new(), residual: 0.0, slopes: Vec::new(), frames };
        for sound in sounds {
            let (zeroth, first): (Vec<_>, Vec<_>) = fit.poles.iter().map(|&p| moments(sound, p)).unzip();
            let right: Vec<f64> = zeroth.iter().flat_map(|m| [m.re, -m.im]).collect();
            let x = factor.solve_cholesky(&right);
            // the quadratic form holds for any amplitudes, also those of a nearly singular system
            let bent = gram.times(&x);
            let change: f64 = (x.iter().zip(&right).zip(&bent)).map(|((a, b), g)| a * (g - 2.0 * b)).sum();
            let left = sound.iter().map(|x| x * x).sum::<f64>() + change;
            fit.residual += if left.is_finite() { left.max(0.0) } else { f64::INFINITY };
            fit.amplitudes.push(x.chunks_exact(2).map(|a| Complex64::new(a[0], a[1])).collect());
            fit.slopes.push(first);
        }
        fit
    }

    /// What leaving out each pole would add to the residual, as far as its neighbours in frequency could not stand in for it.
    pub fn worth(&self) -> Vec<f64> {
        let mut all = vec![0.0; self.poles.len()];
        for group in groups(&self.poles) {
            let poles: Vec<Complex64> = group.iter().map(|&i| self.poles[i]).collect();
            let inverse = gram(&poles, 0, self.frames).cholesky(RIDGE).inverse_from_cholesky();
            for (k, &i) in group.iter().enumerate() {
                let at = |a: usize, b: usize| inverse.at(2 * k + a, 2 * k + b);
                let determinant = at(0, 0) * at(1, 1) - at(0, 1) * at(1, 0);
                for amplitude in &self.amplitudes {
                    let (u, v) = (amplitude[i].re, amplitude[i].im);
                    let form = u * u * at(1, 1) - 2.0 * u * v * at(0, 1) + v * v * at(0, 0);
                    all[i] += (form / determinant.max(f64::MIN_POSITIVE)).max(0.0);
                }
            }
        }
        all
    }

    /// Up to `steps` damped Gauss–Newton steps on all poles together, within `limits`, until one lowers the residual by less than `gain`.
    pub fn refine(mut self, sounds: &[Vec<f64>], limits: &Limits, steps: usize, gain: f64) -> Self {
        let mut damping = 1e-3;
        for _ in 0..steps {
            if self.poles.is_empty() {
                break;
            }
            let (curvature, slope) = self.normal_equations();
            let mut better = None;
            for _ in 0..4 {
                let step = curvature.clone().damped(damping).cholesky(RIDGE).solve_cholesky(&slope);
                let trial = Self::new(moved(&self.poles, &step, limits), sounds);
                if trial.residual < self.residual {
                    better = Some(trial);
                    damping = (damping * 0.1).max(1e-9);
                    break;
                }
                damping *= 10.0;
            }
            let Some(trial) = better else { break };
            let gained = 1.0 - trial.residual / self.residual;
            self = trial;
            if gained < gain {
                break;
            }
        }
        self
    }

    /// Curvature and slope of the residual over the poles (decay and frequency of each), amplitudes following.
    pub fn normal_equations(&self) -> (Square, Vec<f64>) {
        let [gram, first, second] = products(&self.poles, self.frames);
        let core = second.minus(&gram.cholesky(RIDGE).half_solve(&first).gram());
        let count = self.poles.len();
        let mut curvature = Square::zeros(2 * count);
        let mut slope = vec![0.0; 2 * count];
        for (amplitude, moment) in self.amplitudes.iter().zip(&self.slopes) {
            let flat: Vec<f64> = amplitude.iter().flat_map(|a| [a.re, a.im]).collect();
            let predicted = first.times(&flat);
            for i in 0..count {
                let (u, v) = (amplitude[i].re, amplitude[i].im);
                let (c, d) = (moment[i].re - predicted[2 * i], -moment[i].im - predicted[2 * i + 1]);
                slope[2 * i] += u * c + v * d;
                slope[2 * i + 1] += u * d - v * c;
                for (j, other) in amplitude.iter().enumerate().take(i + 1) {
                    let (x, y) = (other.re, other.im);
                    let at = |a: usize, b: usize| core.at(2 * i + a, 2 * j + b);
                    // columns of R: (u, v) for the decay, (−v, u) for the frequency
                    let right = |a: usize| (at(a, 0) * x + at(a, 1) * y, at(a, 1) * x - at(a, 0) * y);
                    let (top, bottom) = (right(0), right(1));
                    curvature.add_both(2 * i, 2 * j, u * top.0 + v * bottom.0);
                    curvature.add_both(2 * i, 2 * j + 1, u * top.1 + v * bottom.1);
                    if i != j {
                        curvature.add_both(2 * i + 1, 2 * j, u * bottom.0 - v * top.0);
                    }
                    curvature.add_both(2 * i + 1, 2 * j + 1, u * bottom.1 - v * top.1);
                }
            }
        }
        (curvature, slope)
    }
}

/// Poles after a step: decays change by at most a factor of three, so that they stay decays.
fn moved(poles: &[Complex64], step: &[f64], limits: &Limits) -> Vec<Complex64> {
    poles
        .iter()
        .zip(step.chunks_exact(2))
        .map(|(p, d)| {
            let re = (p.re + d[0]).max(3.0 * p.re).min(p.re / 3.0);
            // a mode moves by no more than a few of its own widths at a time
            let reach = 4.0 * p.re.abs() + 1e-5;
            limits.nearest(Complex64::new(re, p.im + d[1].max(-reach).min(reach)))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_added_to_no_frames() {
        add(&[Complex64::new(-1e-3, 0.1)], &[Complex64::ONE], &mut []);
    }

    #[test]
    fn sums_have_their_closed_forms() {
        let sigma = Complex64::new(-0.003, 0.02);
        let closed = geometric(sigma, 700);
        for (weight, value) in closed.iter().enumerate() {
            let direct: Complex64 =
                (0..700).map(|n| exp(sigma * f64::from(n)) * f64::from(n).powi(weight as i32)).sum();
            assert!((value - direct).norm_sqr().sqrt() < 1e-8 * direct.norm_sqr().sqrt(), "{weight}");
        }
    }

    #[test]
    fn poles_that_start_beside_the_truth_walk_onto_it() {
        let truth = vec![Complex64::new(-2e-4, 0.1), Complex64::new(-3e-4, 0.1006), Complex64::new(-1e-3, 0.5)];
        let mut sound = vec![0.0; 20_000];
        add(&truth, &[Complex64::new(1.0, 0.2), Complex64::new(0.3, -0.7), Complex64::new(0.0, 0.1)], &mut sound);
        let start = truth.iter().map(|p| Complex64::new(p.re * 1.2, p.im + 5e-5)).collect();
        let sounds = [sound];
        let fit = Fit::new(start, &sounds).refine(&sounds, &Limits::NONE, 30, 1e-9);
        for (p, t) in fit.poles.iter().zip(&truth) {
            assert!((p - t).norm_sqr().sqrt() < 1e-8 * t.im, "{p} {t}");
        }
        let worth = fit.worth();
        assert!(worth[0] > worth[2]);
    }
}
