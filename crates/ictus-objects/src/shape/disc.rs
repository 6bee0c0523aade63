//! What circular membranes and plates share: W(r, θ) = [J_n(λr) + B I_n(λr)] cos nθ or sin nθ on the unit disc.
//!
//! Norms, exact: ∫J² r dr = ½[J'² + (1 − n²/λ²)J²], ∫I² r dr = ½[(1 + n²/λ²)I² − I'²], ∫JI r dr = (JI' − IJ')/2λ, all at λ.
//! [from Bessel's equation; Watson §5.11]

use crate::maths::bessel::{i_pair_scaled, j, j_pair};
use crate::maths::search::{bisect, peak};

/// Where κ is this close to λ, relative in the squares, Lommel's quotient loses its digits and its limit is as good.
const COINCIDENCE: f64 = 1e-6;

/// Values and slopes at the rim, the modified function times e^{−λ}.
pub(crate) struct Rim {
    pub(crate) j: f64,
    pub(crate) dj: f64,
    pub(crate) i: f64,
    pub(crate) di: f64,
}

impl Rim {
    pub(crate) fn new(n: u32, lambda: f64) -> Self {
        let order = f64::from(n) / lambda;
        let (j, j_next) = j_pair(n, lambda);
        let (i, i_next) = i_pair_scaled(n, lambda);
        Self { j, dj: order * j - j_next, i, di: order * i + i_next }
    }
}

/// Shape of a mode of a disc, largest value 1 on the radius where the angle's factor is 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DiscShape {
    n: u32,
    sine: bool,
    lambda: f64,
    hyperbolic: f64, // B e^{λ}
    scale: f64,
}

impl DiscShape {
    /// The cosine member, normalised.
    pub(crate) fn new(n: u32, lambda: f64, hyperbolic: f64) -> Self {
        let mut shape = Self { n, sine: false, lambda, hyperbolic, scale: 1.0 };
        // J_n is largest at its first peak, n + 0.81 n^{1/3} + …, and I_n adds to it only near the rim
        let order = f64::from(n);
        let inner = ((order - 1.0 - 2.0 * libm::cbrt(order)).max(0.0) / lambda).min(1.0);
        let outer = ((order + 2.0 * libm::cbrt(order) + 2.0) / lambda).min(1.0);
        let (_, first) = peak(inner, outer, 16, |r| shape.radial(r));
        let (_, last) = peak((1.0 - 5.0 / lambda).max(0.0), 1.0, 12, |r| shape.radial(r));
        shape.scale = 1.0 / first.max(last);
        shape
    }

    /// The sine member of the pair.
    pub(crate) fn turned(self) -> Self {
        Self { sine: true, ..self }
    }

    /// What makes the largest value 1.
    pub(crate) fn scale(&self) -> f64 {
        self.scale
    }

    /// The factor of a radius, 0 to 1.
    pub(crate) fn radial(&self, r: f64) -> f64 {
        let mut value = j(self.n, self.lambda * r);
        if self.hyperbolic != 0.0 {
            let fade = libm::exp(-self.lambda * (1.0 - r));
            value += self.hyperbolic * fade * i_pair_scaled(self.n, self.lambda * r).0;
        }
        self.scale * value
    }

    pub(crate) fn at(&self, x: f64, y: f64) -> f64 {
        let r = libm::hypot(x, y);
        if r == 0.0 {
            return if self.n == 0 { self.radial(0.0) } else { 0.0 };
        }
        // (cos θ + i sin θ)ⁿ by multiplication: exact on the axes
        let (cos, sin) = (x / r, y / r);
        let (mut re, mut im) = (1.0, 0.0);
        for _ in 0..self.n {
            (re, im) = (re * cos - im * sin, re * sin + im * cos);
        }
        self.radial(r.min(1.0)) * if self.sine { im } else { re }
    }

    /// n, the nodal diameters.
    pub(crate) fn order(&self) -> u32 {
        self.n
    }

    /// λ, the wave number times the radius.
    pub(crate) fn lambda(&self) -> f64 {
        self.lambda
    }

    /// The factor of an angle.
    pub(crate) fn around(&self, angle: f64) -> f64 {
        let (sin, cos) = libm::sincos(f64::from(self.n) * angle);
        if self.sine { sin } else { cos }
    }

    /// ∫R J_n(κr) r dr: the share of a wave of κ per radius in the shape. [Lommel; Watson §5.11]
    pub(crate) fn share_of(&self, kappa: f64) -> f64 {
        let lambda = self.lambda;
        let (far, far_next) = j_pair(self.n, kappa);
        let (j, j_next) = j_pair(self.n, lambda);
        let (i, i_next) = i_pair_scaled(self.n, lambda);
        let difference = (lambda - kappa) * (lambda + kappa);
        let plain = if difference.abs() > COINCIDENCE * lambda * lambda {
            (lambda * j_next * far - kappa * j * far_next) / difference
        } else {
            let Rim { j, dj, .. } = Rim::new(self.n, lambda);
            let order = f64::from(self.n) / lambda;
            0.5 * (dj * dj + (1.0 - order * order) * j * j)
        };
        let modified = (lambda * i_next * far + kappa * i * far_next) / (lambda * lambda + kappa * kappa);
        self.scale * (plain + self.hyperbolic * modified)
    }

    /// ∫ W² over the unit disc.
    pub(crate) fn norm(&self) -> f64 {
        let Rim { j, dj, i, di } = Rim::new(self.n, self.lambda);
        let order = f64::from(self.n) / self.lambda;
        let (order2, b) = (order * order, self.hyperbolic);
        let plain = 0.5 * (dj * dj + (1.0 - order2) * j * j);
        let modified = 0.5 * ((1.0 + order2) * i * i - di * di);
        let mixed = (j * di - i * dj) / (2.0 * self.lambda);
        let around = if self.n == 0 { std::f64::consts::TAU } else { std::f64::consts::PI };
        around * self.scale * self.scale * (plain + 2.0 * b * mixed + b * b * modified)
    }
}

/// The roots of f(n, λ) in λ, found in rising order as they are asked for.
pub(crate) struct Roots<F> {
    f: F,
    start: fn(u32) -> f64, // a place below the first root of order n, with no root in between
    found: Vec<Vec<f64>>,
}

// roots of one order lie nearly π apart or more
const STEP: f64 = 0.5;
// far beyond the next root of any order in use; passed only if the function has left the range of numbers: then no mode is made up
const SEARCHED: f64 = 200.0;

impl<F: Fn(u32, f64) -> f64> Roots<F> {
    pub(crate) fn new(start: fn(u32) -> f64, f: F) -> Self {
        Self { f, start, found: Vec::new() }
    }

    /// Root number s, from 0, of order n.
    pub(crate) fn get(&mut self, n: u32, s: usize) -> f64 {
        while self.found.len() <= n as usize {
            self.found.push(Vec::new());
        }
        while self.found[n as usize].len() <= s {
            let mut low = self.found[n as usize].last().map_or_else(|| (self.start)(n), |last| last + STEP);
            let mut at_low = (self.f)(n, low);
            let end = low + SEARCHED;
            let root = loop {
                let high = low + STEP;
                if high > end {
                    break f64::INFINITY;
                }
                let at_high = (self.f)(n, high);
                if (at_low > 0.0) != (at_high > 0.0) {
                    break bisect(low, high, |x| (self.f)(n, x));
                }
                (low, at_low) = (high, at_high);
            };
            self.found[n as usize].push(root);
        }
        self.found[n as usize][s]
    }
}
