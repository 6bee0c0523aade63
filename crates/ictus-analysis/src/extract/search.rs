//! From sounds to poles: bands, subspaces, joint fit, pruning, and again on what is left.
//!
//! Narrow bands tell close pairs apart; wide bands see modes that die within the narrow bands' filters. Every round
//! looks at the residual of the one before, so a weak mode beside a strong one gets its turn.

use super::audible::Audible;
use super::band::Band;
use super::fit::{Fit, add};
use super::groups::refine;
use super::limits::Limits;
use super::subspace::{self, Found};
use ictus_transform::Complex64;
use std::f64::consts::{LN_2, PI, TAU};

/// Longest piece that the subspace method sees, seconds; the joint fit sees everything.
const SEEN_S: f64 = 1.5;
/// Of the strongest mode's energy, what is left out however clean the recording (−100 dB).
const NEGLIGIBLE: f64 = 1e-10;
/// Bands and residuals this far below the whole sound are skipped (−120 dB).
const FAINT: f64 = 1e-12;
/// A mode explains this many times the energy that the loudest line of white noise would, per second of the window and between these bounds. What the modes of a recording leave is not white: it has hum,
/// reverberation, and beats that no exponential follows, and the longer it lasts the more of its bumps invite a mode that means nothing. In a short window the residual is mostly what is left of the sound itself.
const ABOVE_NOISE_PER_S: f64 = 2.0;
const ABOVE_NOISE: (f64, f64) = (1.0, 4.0);
/// A round keeps this many times the modes asked for; the last one keeps what was asked.
const SPARE: f64 = 1.5;

/// Poles of a first look.
const FIRST_LOOK: usize = 40;

/// What to look for.
#[derive(Clone, Copy)]
pub struct Aim {
    pub sample_rate: f64,
    /// Lowest frequency that a pole may have, Hz; what is found below the band that was asked for is fitted, so that it does not disturb, and then left out.
    pub floor_hz: f64,
    pub max_hz: f64,
    pub max_modes: usize,
}

/// The poles of all sounds together, with their amplitudes. All sounds have the same length.
pub fn search(sounds: &[Vec<f64>], aim: &Aim) -> Fit {
    let spare = (SPARE * aim.max_modes as f64) as usize;
    let limits = Limits::new(aim, sounds.first().map_or(0, Vec::len));
    let audible = Audible::of(sounds, aim.sample_rate);
    let mut fit = Fit::new(Vec::new(), sounds);
    let negligible = FAINT * energy(sounds);
    for (width_hz, steps) in [(160.0, 6), (1000.0, 3), (160.0, 5)] {
        let rest = left_over(&fit, sounds);
        if energy(&rest) <= negligible {
            break;
        }
        let mut fresh = candidates(&rest, width_hz, negligible, &limits, aim);
        fresh.sort_by(|a, b| b.1.total_cmp(&a.1));
        fresh.truncate(spare);
        let mut poles = fit.poles.clone();
        let unseen = |p: &Complex64| fit.poles.iter().all(|q| !same(*p, *q, aim.sample_rate));
        poles.extend(fresh.iter().map(|f| f.0).filter(unseen));
        if poles.len() > fit.poles.len() {
            fit = prune(Fit::new(poles, sounds), sounds, &limits, &audible, spare);
            fit = prune(refine(fit, sounds, &limits, steps, 1e-3), sounds, &limits, &audible, spare);
        }
    }
    // a pole that the last steps bring to a limit is left out, and the others are refined without it
    for (steps, gain) in [(10, 1e-5), (8, 1e-7), (2, 1e-7)] {
        fit = prune(refine(fit, sounds, &limits, steps, gain), sounds, &limits, &audible, aim.max_modes);
    }
    fit
}

/// Share of the energy that the strongest poles of a first look leave unexplained: large while something still pushes.
pub fn unexplained(sounds: &[Vec<f64>], aim: &Aim) -> f64 {
    let limits = Limits::new(aim, sounds.first().map_or(0, Vec::len));
    let mut first = candidates(sounds, 160.0, FAINT * energy(sounds), &limits, aim);
    first.sort_by(|a, b| b.1.total_cmp(&a.1));
    first.truncate(FIRST_LOOK);
    let fit = Fit::new(first.into_iter().map(|found| found.0).collect(), sounds);
    energy(&left_over(&fit, sounds)) / energy(sounds).max(f64::MIN_POSITIVE)
}

/// Sum of all squares.
fn energy(sounds: &[Vec<f64>]) -> f64 {
    sounds.iter().flatten().map(|x| x * x).sum()
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
fn candidates(sounds: &[Vec<f64>], width_hz: f64, negligible: f64, limits: &Limits, aim: &Aim) -> Vec<Found> {
    let band = Band::new(width_hz, aim.sample_rate);
    let rate = aim.sample_rate / band.step as f64;
    let most = (SEEN_S * rate) as usize;
    let mut found: Vec<Found> = Vec::new();
    let count = ((aim.max_hz - aim.floor_hz) / width_hz).ceil().max(1.0) as usize;
    for k in 0..count {
        let centre = aim.floor_hz + (k as f64 + 0.5) * width_hz;
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
            let inside = (hz - centre).abs() <= 0.52 * width_hz && hz >= aim.floor_hz && hz <= aim.max_hz;
            if !inside || !(0.05..1.05).contains(&size) {
                continue;
            }
            let pole = Complex64::new(libm::log(size) / band.step as f64, TAU * hz / aim.sample_rate);
            let pole = limits.nearest(pole);
            let edge = (hz - centre).abs() > 0.47 * width_hz;
            if limits.hold(pole) && !(edge && found.iter().any(|q| same(pole, q.0, aim.sample_rate))) {
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

/// Leaves out, a few at a time, what is no mode, what does not stand above the noise around it, what is not heard, and what is more than asked for.
fn prune(mut fit: Fit, sounds: &[Vec<f64>], limits: &Limits, audible: &Audible, most: usize) -> Fit {
    loop {
        let worths = fit.worth();
        let strongest = worths.iter().fold(0.0, |m: f64, &w| m.max(w));
        let noise = Noise::of(&left_over(&fit, sounds), audible.sample_rate);
        // how many times over a mode has what it needs: the scarcest of its merits
        let merit = |(p, w): (&Complex64, &f64)| {
            let heard = audible.merit(*p, *w);
            if limits.hold(*p) { heard.min(w / noise.needed(p.im).max(NEGLIGIBLE * strongest)) } else { 0.0 }
        };
        let merits: Vec<f64> = fit.poles.iter().zip(&worths).map(merit).collect();
        let weak = merits.iter().filter(|r| **r < 1.0).count();
        if weak == 0 && fit.poles.len() <= most {
            return fit;
        }
        let mut order: Vec<usize> = (0..merits.len()).collect();
        order.sort_by(|&i, &j| merits[i].total_cmp(&merits[j]));
        let excess = fit.poles.len().saturating_sub(most).max(weak);
        let mut place = vec![0; merits.len()];
        let mut by_frequency = order.clone();
        by_frequency.sort_by(|&i, &j| fit.poles[i].im.total_cmp(&fit.poles[j].im));
        by_frequency.iter().enumerate().for_each(|(k, &i)| place[i] = k + 1);
        // neighbours share their worth, and leaving out one of them raises the other: of two, one goes at a time
        let mut gone = vec![false; merits.len() + 2];
        let mut leave = Vec::new();
        for &i in order.iter().take(excess) {
            if leave.len() < excess.div_ceil(2) && !gone[place[i] - 1] && !gone[place[i] + 1] {
                gone[place[i]] = true;
                leave.push(i);
            }
        }
        let poles = (0..fit.poles.len()).filter(|i| !leave.contains(i)).map(|i| fit.poles[i]).collect();
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
    fn of(sounds: &[Vec<f64>], sample_rate: f64) -> Self {
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
        let above = (ABOVE_NOISE_PER_S * length as f64 / sample_rate).clamp(ABOVE_NOISE.0, ABOVE_NOISE.1);
        let factor = above * 2.0 * (libm::log(length as f64) + 6.0);
        Self { floor, per_group: PI * group as f64 / power.len() as f64, factor }
    }

    /// Energy that a mode must explain to be believed.
    fn needed(&self, omega: f64) -> f64 {
        let group = ((omega / self.per_group) as usize).min(self.floor.len() - 1);
        self.factor * self.floor[group]
    }
}
