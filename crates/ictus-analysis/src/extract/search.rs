//! From sounds to poles: bands, subspaces, joint fit, pruning, and again on what is left.
//!
//! Narrow bands tell close pairs apart; wide bands see modes that die within the narrow bands' filters. Every round
//! looks at the residual of the one before, so a weak mode beside a strong one gets its turn.

use super::band::Band;
use super::fit::{Fit, add};
use super::groups::refine;
use super::subspace::{self, Found};
use ictus_transform::Complex64;
use std::f64::consts::{LN_2, PI, TAU};

/// Longest piece that the subspace method sees, seconds; the joint fit sees everything.
const SEEN_S: f64 = 1.5;
/// Slowest decay that is told from none, seconds of T60.
const LONGEST_T60_S: f64 = 100.0;
/// Fastest decay that is still a tone: amplitude falls by e in half a period.
const FEWEST_PERIODS: f64 = 0.5;
/// Of the strongest mode's energy, what is left out however clean the recording (−100 dB).
const NEGLIGIBLE: f64 = 1e-10;
/// Bands and residuals this far below the whole sound are not looked at (−120 dB).
const FAINT: f64 = 1e-12;
/// A round keeps this many times the modes asked for; the last one keeps what was asked.
const SPARE: f64 = 1.5;

/// What to look for.
#[derive(Clone, Copy)]
pub struct Aim {
    pub sample_rate: f64,
    pub min_hz: f64,
    pub max_hz: f64,
    pub max_modes: usize,
}

/// The poles of all sounds together, with their amplitudes. All sounds have the same length.
pub fn search(sounds: &[Vec<f64>], aim: &Aim) -> Fit {
    let spare = (SPARE * aim.max_modes as f64) as usize;
    let mut fit = Fit::new(Vec::new(), sounds);
    let energy = |sounds: &[Vec<f64>]| sounds.iter().flatten().map(|x| x * x).sum::<f64>();
    let negligible = FAINT * energy(sounds);
    for (width_hz, steps) in [(160.0, 6), (1000.0, 3), (160.0, 5)] {
        let rest = left_over(&fit, sounds);
        if energy(&rest) <= negligible {
            break;
        }
        let mut fresh = candidates(&rest, width_hz, negligible, aim);
        fresh.sort_by(|a, b| b.1.total_cmp(&a.1));
        fresh.truncate(spare);
        let mut poles = fit.poles.clone();
        let unseen = |p: &Complex64| fit.poles.iter().all(|q| !same(*p, *q, aim.sample_rate));
        poles.extend(fresh.iter().map(|f| f.0).filter(unseen));
        if poles.len() > fit.poles.len() {
            fit = prune(Fit::new(poles, sounds), sounds, spare);
            fit = prune(refine(fit, sounds, steps, 1e-3), sounds, spare);
        }
    }
    fit = prune(refine(fit, sounds, 10, 1e-5), sounds, aim.max_modes);
    refine(fit, sounds, 8, 1e-7)
}

/// The sounds without what is fitted.
pub fn left_over(fit: &Fit, sounds: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut rest = sounds.to_vec();
    for (sound, amplitudes) in rest.iter_mut().zip(&fit.amplitudes) {
        let minus: Vec<Complex64> = amplitudes.iter().map(|a| -a).collect();
        add(&fit.poles, &minus, sound);
    }
    rest
}

/// Poles of all bands of one width, each with the energy it explains.
fn candidates(sounds: &[Vec<f64>], width_hz: f64, negligible: f64, aim: &Aim) -> Vec<Found> {
    let band = Band::new(width_hz, aim.sample_rate);
    let rate = aim.sample_rate / band.step as f64;
    let most = (SEEN_S * rate) as usize;
    let slowest = -3.0 * std::f64::consts::LN_10 / (LONGEST_T60_S * aim.sample_rate);
    let mut found: Vec<Found> = Vec::new();
    let count = ((aim.max_hz - aim.min_hz) / width_hz).ceil().max(1.0) as usize;
    for k in 0..count {
        let centre = aim.min_hz + (k as f64 + 0.5) * width_hz;
        let pieces: Vec<_> = sounds.iter().map(|s| band.of(s, centre, aim.sample_rate, most)).collect();
        // an output stands for `step` frames
        let energy = band.step as f64 * pieces.iter().flatten().map(Complex64::norm_sqr).sum::<f64>();
        if energy <= negligible {
            continue;
        }
        for (z, worth) in subspace::poles(&pieces) {
            let size = z.norm_sqr().sqrt();
            let hz = centre + libm::atan2(z.im, z.re) / TAU * rate;
            // a little beyond the edges: a mode on an edge must not fall between two bands
            let inside = (hz - centre).abs() <= 0.52 * width_hz && hz >= aim.min_hz && hz <= aim.max_hz;
            if !inside || !(0.05..1.05).contains(&size) {
                continue;
            }
            let pole = Complex64::new(
                (libm::log(size) / band.step as f64).min(slowest),
                TAU * hz / aim.sample_rate, //
            );
            let tone = -pole.re < pole.im / (TAU * FEWEST_PERIODS);
            let edge = (hz - centre).abs() > 0.47 * width_hz;
            if tone && !(edge && found.iter().any(|q| same(pole, q.0, aim.sample_rate))) {
                found.push((pole, worth));
            }
        }
    }
    found
}

/// Whether two poles are one seen twice: closer than a tenth of their width, or than 0.1 Hz.
pub fn same(p: Complex64, q: Complex64, sample_rate: f64) -> bool {
    let width = p.re.abs().min(q.re.abs());
    (p - q).norm_sqr().sqrt() < (0.2 * width).max(0.1 * TAU / sample_rate)
}

/// Leaves out, a few at a time, what does not stand above the noise around it, and what is more than asked for.
fn prune(mut fit: Fit, sounds: &[Vec<f64>], most: usize) -> Fit {
    loop {
        let worths = fit.worth();
        let strongest = worths.iter().fold(0.0, |m: f64, &w| m.max(w));
        let noise = Noise::of(&left_over(&fit, sounds));
        let needed = |p: &Complex64| noise.needed(p.im).max(NEGLIGIBLE * strongest);
        let ratio: Vec<f64> = fit.poles.iter().zip(&worths).map(|(p, w)| w / needed(p)).collect();
        let weak = ratio.iter().filter(|r| **r < 1.0).count();
        if weak == 0 && fit.poles.len() <= most {
            return fit;
        }
        let mut order: Vec<usize> = (0..ratio.len()).collect();
        let worth = |i: usize| if ratio[i] < 1.0 { -1.0 / ratio[i].max(1e-300) } else { worths[i] };
        order.sort_by(|&i, &j| worth(i).total_cmp(&worth(j)));
        let excess = fit.poles.len().saturating_sub(most).max(weak);
        // twins share their worth: leaving out one of them raises the other
        let leave = excess.div_ceil(2);
        order.truncate(leave);
        let poles = (0..fit.poles.len()).filter(|i| !order.contains(i)).map(|i| fit.poles[i]).collect();
        fit = Fit::new(poles, sounds);
    }
}

/// The noise floor of a residual over frequency.
struct Noise {
    floor: Vec<f64>, // mean energy per degree of freedom, by bin of a group
    per_group: f64,  // rad per sample
    factor: f64,
}

impl Noise {
    /// Medians of the periodogram in about a hundred groups of bins.
    fn of(sounds: &[Vec<f64>]) -> Self {
        let length = sounds.first().map_or(0, Vec::len).max(2);
        let transform = ictus_transform::forward(length);
        let mut power = vec![0.0; length / 2 + 1];
        for sound in sounds {
            let mut input = sound.clone();
            input.resize(length, 0.0);
            let mut bins = transform.make_output_vec();
            transform.process(&mut input, &mut bins).expect("buffers come from the plan");
            power.iter_mut().zip(&bins).for_each(|(p, z)| *p += z.norm_sqr() / length as f64);
        }
        let group = (power.len() / 100).max(8);
        let floor = power
            .chunks(group)
            .map(|bins| {
                let mut sorted = bins.to_vec();
                sorted.sort_by(f64::total_cmp);
                sorted[sorted.len() / 2] / LN_2
            })
            .collect();
        // the loudest of `length` noise bins is ln(length) above the mean; a free decay and some safety add to that
        let factor = 2.0 * (libm::log(length as f64) + 6.0);
        Self { floor, per_group: PI * group as f64 / power.len() as f64, factor }
    }

    /// Energy that a mode must explain to be believed.
    fn needed(&self, omega: f64) -> f64 {
        let group = ((omega / self.per_group) as usize).min(self.floor.len() - 1);
        self.factor * self.floor[group]
    }
}
