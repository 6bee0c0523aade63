//! The push of a hit, and how a mode follows it.
//!
//! Model: a force fₙ, frame by frame, from rest to rest, Σ|f| = 1. A mode with the pole s, z = eˢ, answers with yₙ = z yₙ₋₁ + fₙ, and rings on freely when the push
//! is over. Its amplitude is that of c in c yₙ: what the same push would set ringing if it came all at once.
//!
//! Limits: a push has next to nothing of some frequencies, and no ringing there can come from it. A mode of which less than [`LEAST_SHARE`] is pushed is taken
//! to be set going by something shorter, about a period long, in the middle of the push.

use super::fit::exp;
use ictus_transform::Complex64;
use std::f64::consts::TAU;

/// Share of a push all at once below which a push does not explain a mode.
const LEAST_SHARE: f64 = 0.03;
/// Periods of a mode that a push explains for certain.
const PERIODS: f64 = 1.2;
/// A mode that has fallen this far when the push ends is not heard after it.
const FADED: f64 = 1e-9;

/// A push, frame by frame; 0 before and after.
#[derive(Clone, Debug, PartialEq)]
pub struct Force {
    values: Vec<f64>,
}

/// How a mode follows a push.
pub struct Response {
    /// yₙ for the frames of the push.
    pub during: Vec<Complex64>,
    /// y at the first frame after it; `None` if it has faded by then.
    pub after: Option<Complex64>,
    /// The push explains the mode, and `during` is the answer to it.
    pub explained: bool,
}

impl Force {
    /// Scaled to Σ|f| = 1; a push of nothing becomes one of a single frame.
    pub fn new(mut values: Vec<f64>) -> Self {
        let sum: f64 = values.iter().map(|f| f.abs()).sum();
        if sum > 0.0 && sum.is_finite() {
            values.iter_mut().for_each(|f| *f /= sum);
        } else {
            values.fill(0.0);
            values.pop();
            values.push(1.0);
        }
        Self { values }
    }

    /// As it is.
    pub fn raw(values: Vec<f64>) -> Self {
        Self { values }
    }

    /// A raised cosine that begins at `start` and lasts `length` frames.
    pub fn pulse(start: f64, length: f64) -> Self {
        let frames = (start + length).ceil().max(1.0) as usize;
        let value = |n: usize| {
            let t = (n as f64 - start) / length;
            if t > 0.0 && t < 1.0 { 1.0 - libm::cos(TAU * t) } else { 0.0 }
        };
        Self::new((0..frames).map(value).collect())
    }

    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Frames with the push, and those before it.
    pub fn end(&self) -> usize {
        self.values.len()
    }

    /// Frames before the push.
    pub fn start(&self) -> usize {
        self.values.iter().position(|f| *f != 0.0).unwrap_or(0)
    }

    /// The push without the frames before it.
    pub fn trimmed(mut self) -> Self {
        self.values.drain(..self.start());
        self
    }

    pub fn response(&self, pole: Complex64) -> Response {
        let during = self.follow(pole);
        let after = during.last().map_or(Complex64::ZERO, |y| y * exp(pole));
        // |y| e^{αn}, in logarithms, for a mode may fade by any number of decibels during a push
        let share = 0.5 * libm::log(after.norm_sqr()) - pole.re * (self.end() - self.start()) as f64;
        let explained = share > libm::log(LEAST_SHARE);
        let (during, after) = if explained { (during, after) } else { self.shorter(pole) };
        let top = during.iter().fold(0.0, |m: f64, y| m.max(y.norm_sqr()));
        let lasts = after.norm_sqr() > FADED * FADED * top;
        Response { during, after: lasts.then_some(after), explained }
    }

    /// yₙ.
    pub fn follow(&self, pole: Complex64) -> Vec<Complex64> {
        let z = exp(pole);
        let step = |y: &mut Complex64, &f: &f64| {
            *y = *y * z + f;
            Some(*y)
        };
        self.values.iter().scan(Complex64::ZERO, step).collect()
    }

    /// Centre of gravity of |f|, frames.
    pub fn middle(&self) -> f64 {
        self.values.iter().enumerate().map(|(n, f)| n as f64 * f.abs()).sum()
    }

    /// The answer to a push about a period long at the centre of gravity of this one.
    fn shorter(&self, pole: Complex64) -> (Vec<Complex64>, Complex64) {
        let (start, end) = (self.start() as f64, self.end() as f64);
        let length = (PERIODS * TAU / pole.im).max(1.0).min(end - start);
        let mut short = Self::pulse((self.middle() - 0.5 * length).max(start).min(end - length), length);
        short.values.resize(self.end(), 0.0);
        let during = short.follow(pole);
        let after = during.last().map_or(Complex64::ZERO, |y| y * exp(pole));
        (during, after)
    }
}

/// What a push of [`PERIODS`] has of a mode's frequency, where one all at once has 1.
pub fn short_spectrum() -> f64 {
    super::object::pulse_spectrum(PERIODS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mode_rings_on_from_where_the_push_left_it() {
        let pole = Complex64::new(-0.01, 0.2);
        let force = Force::pulse(3.5, 12.0);
        assert_eq!((force.start(), force.end()), (4, 16));
        let response = force.response(pole);
        let later: Complex64 = force.values().iter().enumerate().map(|(m, f)| exp(pole * (16.0 - m as f64)) * *f).sum();
        assert!(response.explained && (response.after.unwrap() - later).norm_sqr() < 1e-24);
        assert_eq!(response.during[3], Complex64::ZERO);
    }

    #[test]
    fn a_push_is_the_same_whenever_it_comes() {
        let late = Force::pulse(60.0, 37.0);
        let early = late.clone().trimmed();
        for pole in [Complex64::new(-1e-3, 0.3), Complex64::new(-0.2, 0.4), Complex64::new(-1e-3, TAU / 18.5)] {
            let (a, b) = (late.response(pole), early.response(pole));
            assert_eq!(a.explained, b.explained);
            for (a, b) in a.during[late.start()..].iter().zip(&b.during) {
                assert!((a - b).norm_sqr() < 1e-20, "{a} {b}");
            }
        }
    }

    #[test]
    fn pushes_that_a_mode_cannot_feel_or_outlive_stay_finite() {
        // two periods fit into the push: nothing of this frequency is in it
        let force = Force::pulse(0.0, 40.0);
        let response = force.response(Complex64::new(-1e-5, TAU / 20.0));
        assert!(!response.explained && response.after.unwrap().norm_sqr() > 0.1);
        // fades by thousands of decibels
        let response = Force::pulse(0.0, 5000.0).response(Complex64::new(-0.5, 2.0));
        assert!(response.during.iter().all(|y| y.norm_sqr().is_finite()));
        assert_eq!(Force::new(vec![0.0, f64::NAN]).values(), [0.0, 1.0]);
    }
}
