//! One decaying sinusoid, exactly.
//!
//! Model: s(t) = Re A e^{zt}, z = −σ + iω. Two equally windowed transforms X₀, X₁ at ω̂, a hop Δ apart, are the same sum
//! times e^{z·0} and e^{zΔ}, so X₁/X₀ = e^{zΔ} whatever the window and however rough ω̂ is. Its logarithm gives
//! frequency (phase advance) and decay (magnitude) together. Growing hops keep the phase unambiguous.
//!
//! Limits: the only errors are what leaks from other partials and from −ω. The Nuttall window holds that below −93 dB
//! beyond four bins, so partials closer than 4 / (window length) are one. The longest window is used in which the
//! partial falls by less than 40 dB.

use crate::spectrum::{Peak, Spectrum};
use crate::{Sample, Window, finite};
use std::f64::consts::{LN_10, PI, TAU};

/// Longest window, seconds: 2 Hz of separation, and no longer than a pitch stays put.
const LONGEST_S: f64 = 2.0;
/// Shortest window, periods of the partial: the lines at ±ω must stay apart.
const SHORTEST_PERIODS: f64 = 8.0;
/// Search range around the given frequency, as a fraction (half a semitone), and at least one bin.
const SEARCH: f64 = 0.03;
/// Of several peaks in the range the nearest counts, unless it is this much weaker (20 dB) than the strongest.
const RIVAL: f64 = 0.1;
/// A peak this far below the strongest of the spectrum (−85 dB) is leakage.
const LEAKAGE: f64 = 5.6e-5;
/// A partial that falls further than this (40 dB) from one window to the next wants a shorter window.
const MOST_FALL: f64 = 0.01;

/// One decaying sinusoid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Partial {
    /// Frequency, Hz.
    pub hz: f64,
    /// Decay rate σ of the amplitude e^{−σt}, 1/s; negative where the partial grows.
    pub decay_rate: f64,
    /// Amplitude at the loudest sample of the sound, where the measurement starts.
    pub amplitude: f64,
}

impl Partial {
    /// Time to fall by 60 dB, seconds; `None` for a partial that does not decay.
    pub fn t60_s(&self) -> Option<f64> {
        (self.decay_rate > 0.0).then(|| 3.0 * LN_10 / self.decay_rate)
    }
}

/// Frequency and decay of the partial nearest to `near_hz` (within half a semitone), from the loudest sample on;
/// `None` if there is none.
///
/// A lone mode is exact to rounding; beside other partials about 0.01 cent.
pub fn partial<S: Sample>(signal: &[S], sample_rate: f64, near_hz: f64) -> Option<Partial> {
    if !(near_hz > 0.0 && near_hz < 0.5 * sample_rate) {
        return None;
    }
    let signal = finite(signal);
    let ringing = from_loudest(&signal);
    let reach = |bin_hz: f64| (SEARCH * near_hz).max(bin_hz);
    measure(ringing, sample_rate, SHORTEST_PERIODS / near_hz, |spectrum, bin_hz| {
        let inside: Vec<Peak> = candidates(spectrum).filter(|p| (p.hz - near_hz).abs() <= reach(bin_hz)).collect();
        let loudest = inside.iter().map(|p| p.db).fold(f64::NEG_INFINITY, f64::max);
        let rivals = inside.iter().filter(|p| p.db >= loudest + 20.0 * libm::log10(RIVAL));
        rivals.min_by(|p, q| (p.hz - near_hz).abs().total_cmp(&(q.hz - near_hz).abs())).map(|p| p.hz)
    })
}

/// Frequency and decay of the strongest partial of a sound, from its loudest sample on; `None` for silence.
pub fn strongest<S: Sample>(signal: &[S], sample_rate: f64) -> Option<Partial> {
    let signal = finite(signal);
    let ringing = from_loudest(&signal);
    let pick = |spectrum: &Spectrum, _: f64| spectrum.peaks(f64::NEG_INFINITY, 1).first().map(|p| p.hz);
    let first = measure(ringing, sample_rate, 0.02, pick)?;
    // Half a second decides which partial is the strongest; its own best window how it is measured.
    let piece = ringing.len().min((0.5 * sample_rate) as usize);
    let loudest = pick(&Spectrum::of(&ringing[..piece], sample_rate, Window::Hann), 0.0).unwrap_or(first.hz);
    partial(ringing, sample_rate, loudest).or(Some(first))
}

/// The part after the loudest sample; all of it where that would leave less than half.
fn from_loudest(signal: &[f64]) -> &[f64] {
    let loudest = (0..signal.len()).max_by(|&a, &b| signal[a].abs().total_cmp(&signal[b].abs())).unwrap_or(0);
    &signal[if loudest > signal.len() / 2 { 0 } else { loudest }..]
}

fn candidates(spectrum: &Spectrum) -> impl Iterator<Item = Peak> {
    let strongest = spectrum.amplitude.iter().fold(0.0f64, |a, &b| a.max(b));
    let least = 20.0 * libm::log10((LEAKAGE * strongest).max(1e-14));
    spectrum.peaks(least, usize::MAX).into_iter()
}

/// Halves the window until `choose` finds a peak in its spectrum that lives long enough to be seen twice.
fn measure(
    signal: &[f64],
    sample_rate: f64,
    shortest_s: f64,
    choose: impl Fn(&Spectrum, f64) -> Option<f64>,
) -> Option<Partial> {
    let mut length = (signal.len() / 2).min((LONGEST_S * sample_rate) as usize);
    let shortest = ((shortest_s * sample_rate) as usize).max(16);
    while length >= shortest {
        let spectrum = Spectrum::of(&signal[..length], sample_rate, Window::Nuttall);
        let found = choose(&spectrum, sample_rate / length as f64)
            .and_then(|hz| follow(signal, length, TAU * hz / sample_rate))
            .map(|line| line.at_rate(sample_rate));
        if found.is_some() {
            return found;
        }
        length = length * 2 / 3;
    }
    None
}

/// Per-sample values of a partial.
struct Line {
    omega: f64,
    sigma: f64,
    amplitude: f64,
}

impl Line {
    fn at_rate(&self, sample_rate: f64) -> Partial {
        Partial { hz: self.omega * sample_rate / TAU, decay_rate: self.sigma * sample_rate, amplitude: self.amplitude }
    }
}

fn follow(signal: &[f64], length: usize, near: f64) -> Option<Line> {
    let mut omega = near;
    let mut line = None;
    for hop in [length / 8, length / 2, length, length] {
        let first = transform(&signal[..length], omega);
        let second = transform(&signal[hop..hop + length], omega);
        let (fall, turn) = ratio(second, first)?;
        if fall < MOST_FALL {
            return None;
        }
        // Whole turns come from the current estimate, the rest from the measured phase.
        let expected = omega * hop as f64;
        omega = (expected + wrap(turn - expected)) / hop as f64;
        let sigma = -libm::log(fall) / hop as f64;
        line = Some(Line { omega, sigma, amplitude: libm::hypot(first.0, first.1) * 2.0 / gain(length, sigma) });
    }
    line.filter(|l| l.omega > 0.0 && l.omega < PI)
}

/// Windowed transform at one frequency (radians per sample): Σ w(n) x(n) e^{−iωn}.
///
/// Carrier and window come from rotations; their rounding is the same in every call and cancels in the ratio.
fn transform(piece: &[f64], omega: f64) -> (f64, f64) {
    let (mut re, mut im) = (0.0, 0.0);
    let mut carrier = Rotation::new(omega);
    each_weight(piece.len(), |n, weight| {
        let x = piece[n] * weight;
        re += x * carrier.cos;
        im -= x * carrier.sin;
        carrier.advance();
    });
    (re, im)
}

/// What the window passes of a decay e^{−σn}.
fn gain(length: usize, sigma: f64) -> f64 {
    let (mut sum, mut level) = (0.0, 1.0);
    let factor = libm::exp(-sigma);
    each_weight(length, |_, weight| {
        sum += weight * level;
        level *= factor;
    });
    sum
}

/// The Nuttall window, its harmonics from the double- and triple-angle formulas.
fn each_weight(length: usize, mut visit: impl FnMut(usize, f64)) {
    let mut angle = Rotation::new(TAU / length as f64);
    for n in 0..length {
        let c = angle.cos;
        let (c2, c3) = (2.0 * c * c - 1.0, (4.0 * c * c - 3.0) * c);
        visit(n, 0.355768 - 0.487396 * c + 0.144232 * c2 - 0.012604 * c3);
        angle.advance();
    }
}

struct Rotation {
    cos: f64,
    sin: f64,
    step: (f64, f64),
}

impl Rotation {
    fn new(step: f64) -> Self {
        let (sin, cos) = libm::sincos(step);
        Self { cos: 1.0, sin: 0.0, step: (cos, sin) }
    }

    fn advance(&mut self) {
        let (c, s) = self.step;
        (self.cos, self.sin) = (self.cos * c - self.sin * s, self.cos * s + self.sin * c);
    }
}

/// Magnitude and angle of a / b.
fn ratio(a: (f64, f64), b: (f64, f64)) -> Option<(f64, f64)> {
    let size = libm::hypot(b.0, b.1);
    let angle = libm::atan2(a.1 * b.0 - a.0 * b.1, a.0 * b.0 + a.1 * b.1);
    (size > 0.0).then(|| (libm::hypot(a.0, a.1) / size, angle))
}

fn wrap(angle: f64) -> f64 {
    angle - TAU * (angle / TAU).round()
}

#[cfg(test)]
mod tests;
