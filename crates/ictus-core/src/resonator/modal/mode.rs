//! A mode as specified by frequency and decay, and the coefficients of its difference equation.

use crate::clock::{Clock, Scheme};
use crate::error::{BuildError, require};

/// One mode, specified by measurable quantities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mode {
    /// Sounding (damped) frequency, Hz; 0 for rigid motion.
    pub frequency: f64,
    /// Time to fall by 60 dB, s; infinite for no loss.
    pub decay: f64,
    /// Modal mass, kg.
    pub mass: f64,
}

/// Discretisation of a mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Discretisation {
    /// Poles matched exactly: a 440 Hz mode sounds at 440 Hz.
    Exact,
    /// The plain rule with its frequency warping, to reproduce published figures. [SO8 eq. 8.7]
    Plain,
}

/// Coefficients m, K and r of a mode's difference equation.
#[derive(Clone, Copy, Debug)]
pub(in crate::resonator) struct Oscillator {
    pub mass: f64,       // kg
    pub stiffness: f64,  // N/m
    pub resistance: f64, // N s/m
}

impl Mode {
    /// Coefficients of the difference equation; an error, which allocates, if frequency, decay or mass is out of range.
    pub(super) fn discretised(&self, clock: Clock, by: Discretisation) -> Result<Oscillator, BuildError> {
        check(clock, self, by)?;
        Ok(self.oscillator(clock, by))
    }

    /// As [`discretised`](Self::discretised), without an error.
    pub(super) fn try_discretised(&self, clock: Clock, by: Discretisation) -> Option<Oscillator> {
        let Self { frequency, decay, mass } = *self;
        let valid = (0.0..limit(clock, by)).contains(&frequency) && decay > 0.0 && mass > 0.0 && mass.is_finite();
        valid.then(|| self.oscillator(clock, by))
    }

    fn oscillator(&self, clock: Clock, by: Discretisation) -> Oscillator {
        let (stiffness, resistance) = match by {
            Discretisation::Exact => exact(clock, self),
            Discretisation::Plain => plain(self),
        };
        Oscillator { mass: self.mass, stiffness, resistance }
    }
}

/// Frequency below which a mode is stable, Hz.
fn limit(clock: Clock, discretisation: Discretisation) -> f64 {
    match (discretisation, clock.scheme) {
        // the plain leapfrog oscillator is stable for ω k < 2
        (Discretisation::Plain, Scheme::Leapfrog) => 1.0 / (std::f64::consts::PI * clock.dt),
        _ => 0.5 / clock.dt,
    }
}

fn check(clock: Clock, mode: &Mode, discretisation: Discretisation) -> Result<(), BuildError> {
    let Mode { frequency, decay, mass } = *mode;
    let limit = limit(clock, discretisation);
    require(
        (0.0..limit).contains(&frequency),
        "frequency",
        frequency,
        format_args!("at least 0 and below {limit} Hz at this sample rate"),
    )?;
    require(decay > 0.0, "decay", decay, "a positive time")?;
    require(mass > 0.0 && mass.is_finite(), "modal mass", mass, "a positive mass")
}

/// σ = 3 ln 10 / T60, 1/s.
fn decay_rate(decay: f64) -> f64 {
    3.0 * std::f64::consts::LN_10 / decay
}

/// K (N/m) and r (N s/m) for exact poles.
fn exact(clock: Clock, mode: &Mode) -> (f64, f64) {
    let k = clock.dt;
    let sigma = decay_rate(mode.decay);
    if mode.frequency == 0.0 {
        return (0.0, mode.mass * 2.0 / k * libm::tanh(0.5 * sigma * k));
    }
    let x = sigma * k;
    let theta = std::f64::consts::TAU * mode.frequency * k;
    let (cosh, half_sinh, half_sin) = (libm::cosh(x), libm::sinh(0.5 * x), libm::sin(0.5 * theta));
    match clock.scheme {
        Scheme::Leapfrog => {
            let stiffness = 4.0 * (half_sinh * half_sinh + half_sin * half_sin) / (cosh * k * k);
            (mode.mass * stiffness, mode.mass * 2.0 / k * libm::tanh(x))
        }
        Scheme::Midpoint => {
            let denominator = cosh + libm::cos(theta);
            let real = libm::sinh(x) / denominator;
            let imaginary = libm::sin(theta) / denominator;
            let stiffness = 4.0 / (k * k) * (real * real + imaginary * imaginary);
            (mode.mass * stiffness, mode.mass * 4.0 / k * real)
        }
    }
}

/// K (N/m) and r (N s/m) of the continuous oscillator.
fn plain(mode: &Mode) -> (f64, f64) {
    let omega = std::f64::consts::TAU * mode.frequency;
    let sigma = decay_rate(mode.decay);
    if mode.frequency == 0.0 {
        return (0.0, mode.mass * sigma);
    }
    (mode.mass * (omega * omega + sigma * sigma), 2.0 * mode.mass * sigma)
}
