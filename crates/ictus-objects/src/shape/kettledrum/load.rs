//! The air above and below a head, per area and for functions φ_s normalised to ∫φ² r dr = 1 on the unit disc.
//!
//! Above, the rim in a rigid plane [Morse & Ingard, Theoretical Acoustics §7.4; Rayleigh's integral in wave numbers]: with the transform Φ_s(x) = ∫φ_s J_n(xr) r dr = √2 j J_n(x)/(j² − x²),
//!
//! ```text
//! jωM + R = ρ₀c ka ∫₀^∞ Φ_s Φ_t x dx/√((ka)² − x²),
//! ```
//!
//! of which x < ka is radiated, R = ρ₀c (ka)² ∫₀¹ ΦΦ du at x = ka√(1 − u²), and x > ka only oscillates, M = ρ₀a ∫₀^∞ ΦΦ dt at x = √((ka)² + t²). Both integrands are smooth and even: Gauss's rule, and the trapezoidal
//! rule, which for functions of a bounded band is exact to rounding.
//!
//! At a place (r, z) in radii above the head the same waves arrive, p = ρ₀a q̈ F cos nφ,
//!
//! ```text
//! F = ∫₀^∞ Φ(x)J_n(xr) e^{−tz} dt − j ka ∫₀¹ Φ(x)J_n(xr) e^{−j ka uz} du,
//! ```
//!
//! with x of t and of u as above: near the head what clings to it, from afar what it radiates.
//!
//! Below, a rigid cylinder: across it ψ_m = J_n(j'_m r), normalised, g = ∫φψ r dr = 2j/((j² − j'²)√(1 − n²/j'²)), and along it every ψ weighs ρ₀ coth(κL)/κ with κ² = j'²/a² − k², which is
//! Σ_l (ρ₀c²ε_l/L)/(Ω² − ω²), Ω² = c²(j'²/a² + l²π²/L²), ε = 1, 2, 2, …: a row of resonances. Those below a limit are oscillators of unit mass, each on a spring A = ρ₀c²ε/L to the head, which is
//! −ω²A/(Ω² − ω²) = A − AΩ²/(Ω² − ω²); the one at 0 Hz is the spring of the whole volume. The others weigh as at rest.
//! Their loss is that of the layers at the walls, σ = ¼ω(δ_v + (γ − 1)δ_h)·(walls/volume), an average over directions.

use super::super::air;
use super::super::disc::Roots;
use crate::maths::bessel::{j, j_pair};
use crate::maths::legendre::gauss;
use std::f64::consts::{PI, SQRT_2};
use std::sync::OnceLock;

/// Step of the trapezoidal rule: products of transforms of functions on the unit disc have no part that changes faster than in π.
const STEP: f64 = 0.5;
/// The integrand falls as x⁻⁵ beyond the zeros: from here on it is 1e-4 of the load, less for all but the highest.
const BEYOND: f64 = 30.0;
/// Functions across the kettle beyond those of the head.
const ACROSS: usize = 12;
/// Most resonances of the kettle's air for one number of nodal diameters.
const MOST_OSCILLATORS: usize = 24;
/// e⁻¹⁴ is 1e-6; and how far beyond the zeros the transforms are followed, where they fall as x^−2.5.
const FADED: f64 = 14.0;
const FARTHEST: f64 = 40.0;
/// Points of Gauss's rule: enough for ka to 20, beyond which no mode of a drum is heard to radiate, and for panels in which the phase turns by [`TURN`] rad.
const POINTS: usize = 20;
const TURN: f64 = 12.0;

/// ∫J_n(zr)J_n(xr) r dr at a zero z of J_n, with J_{n+1}(z) and J_n(x).
pub(super) fn transform(zero: f64, next: f64, x: f64, at_x: f64) -> f64 {
    let gap = (zero - x) * (zero + x);
    if gap.abs() < 1e-7 * zero * zero { 0.5 * next * next } else { zero * next * at_x / gap }
}

/// Gauss's rule on 0..1.
fn points() -> &'static [(f64, f64)] {
    static POINTS_01: OnceLock<Vec<(f64, f64)>> = OnceLock::new();
    POINTS_01.get_or_init(|| gauss(POINTS).into_iter().map(|(u, weight)| (0.5 + 0.5 * u, 0.5 * weight)).collect())
}

/// R of one function, kg/m² per s.
pub(super) fn resistance(n: u32, zero: f64, ka: f64) -> f64 {
    let next = j_pair(n, zero).1;
    let sum: f64 = points()
        .iter()
        .map(|&(u, weight)| {
            let x = ka * ((1.0 - u) * (1.0 + u)).sqrt();
            let phi = SQRT_2 / next * transform(zero, next, x, j(n, x));
            weight * phi * phi
        })
        .sum();
    air::DENSITY * air::SPEED * ka * ka * sum
}

/// F at (r, z) for a shape with this transform, whose functions have zeros up to `highest`: real and imaginary part.
pub(super) fn field(n: u32, ka: f64, [r, z]: [f64; 2], highest: f64, transform: impl Fn(f64) -> f64) -> [f64; 2] {
    let wave = |x: f64| transform(x) * j(n, x * r);
    let mut clinging = 0.0;
    // panels short enough for Φ and J, which turn by 1 + r per unit
    let width = TURN / (1.0 + r);
    let last = (FADED / z).min(highest + FARTHEST);
    for panel in 0..(last / width).ceil() as usize {
        for &(u, weight) in points() {
            let t = width * (panel as f64 + u);
            clinging += width * weight * wave(libm::hypot(ka, t)) * libm::exp(-t * z);
        }
    }
    let (mut re, mut im) = (0.0, 0.0);
    let panels = (ka * (1.0 + r + z) / TURN).ceil().max(1.0);
    for panel in 0..panels as usize {
        for &(u, weight) in points() {
            let u = (panel as f64 + u) / panels;
            let (sin, cos) = libm::sincos(ka * u * z);
            let w = weight / panels * ka * wave(ka * ((1.0 - u) * (1.0 + u)).sqrt());
            (re, im) = (re - w * sin, im - w * cos);
        }
    }
    [clinging + re, im]
}

/// What the air above does.
pub(super) struct Above {
    pub mass: Vec<Vec<f64>>,
    pub resistance: Vec<Vec<f64>>,
}

/// The head's functions of n nodal diameters.
pub(super) struct Functions {
    n: u32,
    pub zeros: Vec<f64>,
    next: Vec<f64>, // J_{n+1} at the zeros
}

impl Functions {
    pub fn new(n: u32, count: usize) -> Self {
        // no zero of J_n lies below n
        let mut roots = Roots::new(|n| f64::from(n).max(0.5), j);
        let zeros: Vec<f64> = (0..count).map(|s| roots.get(n, s)).collect();
        let next = zeros.iter().map(|&zero| j_pair(n, zero).1).collect();
        Self { n, zeros, next }
    }

    fn transforms(&self, x: f64, out: &mut [f64]) {
        let at_x = j(self.n, x);
        for ((out, &zero), &next) in out.iter_mut().zip(&self.zeros).zip(&self.next) {
            *out = SQRT_2 / next * transform(zero, next, x, at_x);
        }
    }

    pub fn above(&self, ka: f64, radius: f64) -> Above {
        let count = self.zeros.len();
        let mut phi = vec![0.0; count];
        let mut add = |matrix: &mut Vec<Vec<f64>>, x: f64, weight: f64| {
            self.transforms(x, &mut phi);
            for (row, a) in matrix.iter_mut().zip(&phi) {
                for (sum, b) in row.iter_mut().zip(&phi) {
                    *sum += weight * a * b;
                }
            }
        };
        let mut mass = vec![vec![0.0; count]; count];
        let mut resistance = mass.clone();
        let last = self.zeros[count - 1] + BEYOND;
        for i in 0..=(last / STEP) as usize {
            let t = STEP * i as f64;
            let weight = if i == 0 { 0.5 } else { 1.0 } * STEP * air::DENSITY * radius;
            add(&mut mass, libm::hypot(ka, t), weight);
        }
        for &(u, weight) in points() {
            let x = ka * ((1.0 - u) * (1.0 + u)).sqrt();
            add(&mut resistance, x, weight * air::DENSITY * air::SPEED * ka * ka);
        }
        Above { mass, resistance }
    }
}

/// A resonance of the air in the kettle.
pub(super) struct Oscillator {
    pub omega: f64,
    /// σ/√ω: the layers at the walls are thinner at high frequencies.
    pub loss: f64,
    /// √A Ω g of every function of the head.
    pub pull: Vec<f64>,
}

/// What the air in the kettle does to the head's functions.
pub(super) struct Cavity {
    pub mass: Vec<Vec<f64>>,
    pub spring: Vec<Vec<f64>>,
    pub oscillators: Vec<Oscillator>,
}

impl Cavity {
    /// Resonances up to `reach` (rad/s) move, the others weigh.
    pub fn new(functions: &Functions, radius: f64, depth: f64, reach: f64) -> Self {
        let n = functions.n;
        let count = functions.zeros.len();
        let order = f64::from(n);
        let mut cavity = Self {
            mass: vec![vec![0.0; count]; count],
            spring: vec![vec![0.0; count]; count],
            oscillators: Vec::new(),
        };
        // zeros of J_n' = (n/x)J_n − J_{n+1}: the first of n > 0 lies above n
        let mut roots = Roots::new(
            |n| f64::from(n).max(0.5),
            |n, x| {
                let (here, next) = j_pair(n, x);
                f64::from(n) / x * here - next
            },
        );
        for m in 0..count + ACROSS {
            let zero = match n {
                0 if m == 0 => 0.0,
                0 => roots.get(0, m - 1),
                _ => roots.get(n, m),
            };
            let round = if n == 0 { 1.0 } else { (1.0 - order * order / (zero * zero)).sqrt() };
            let share: Vec<f64> = functions.zeros.iter().map(|j| 2.0 * j / ((j - zero) * (j + zero) * round)).collect();
            let across = zero / radius;
            // the weight of all resonances of this ψ at rest, less those that move
            let at_rest = if zero == 0.0 { depth / 3.0 } else { 1.0 / (across * libm::tanh(across * depth)) };
            let mut weight = air::DENSITY * at_rest;
            for l in 0u32.. {
                let along = PI * f64::from(l) / depth;
                let wave2 = across * across + along * along;
                let omega = air::SPEED * wave2.sqrt();
                let strength = air::DENSITY * air::SPEED * air::SPEED / depth * if l == 0 { 1.0 } else { 2.0 };
                if omega > reach || cavity.oscillators.len() >= MOST_OSCILLATORS {
                    break;
                }
                add_outer(&mut cavity.spring, &share, strength);
                if omega == 0.0 {
                    continue;
                }
                weight -= strength / (omega * omega);
                let layer = (2.0 * air::VISCOSITY).sqrt(); // times 1/√ω
                let walls = 2.0 / radius + 2.0 / depth;
                cavity.oscillators.push(Oscillator {
                    omega,
                    loss: 0.25 * layer * (1.0 + air::HEAT / air::PRANDTL.sqrt()) * walls,
                    pull: share.iter().map(|g| strength.sqrt() * omega * g).collect(),
                });
            }
            add_outer(&mut cavity.mass, &share, weight);
        }
        cavity
    }
}

fn add_outer(matrix: &mut [Vec<f64>], share: &[f64], weight: f64) {
    for (row, a) in matrix.iter_mut().zip(share) {
        for (sum, b) in row.iter_mut().zip(share) {
            *sum += weight * a * b;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stiff piston in a plane moves 8ρa³/3 of air, and radiates ρc πa²(ka)²/2 when it is small. [Morse & Ingard §7.4] Its expansion in functions that are held at the rim converges slowly.
    #[test]
    fn many_functions_are_a_piston() {
        let functions = Functions::new(0, 60);
        let (radius, ka) = (0.3, 0.05);
        let above = functions.above(ka, radius);
        let share: Vec<f64> = functions.zeros.iter().map(|zero| SQRT_2 / zero).collect(); // Φ(0)
        let quadratic = |matrix: &[Vec<f64>]| -> f64 {
            let row = |row: &[f64]| row.iter().zip(&share).map(|(m, g)| m * g).sum::<f64>();
            2.0 * PI * radius * radius * matrix.iter().zip(&share).map(|(r, g)| g * row(r)).sum::<f64>()
        };
        let mass = quadratic(&above.mass) / (8.0 / 3.0 * air::DENSITY * radius * radius * radius);
        assert!((mass - 1.0).abs() < 0.02, "{mass}");
        let whole = 0.5 * air::DENSITY * air::SPEED * PI * radius * radius * ka * ka;
        let resistance = quadratic(&above.resistance) / whole;
        assert!((resistance - 1.0).abs() < 0.02, "{resistance}");
    }

    /// In the kettle at rest the uniform function meets γp₀/V; all g of one function add up to its square.
    #[test]
    fn the_kettle_is_a_spring_for_what_pumps() {
        let (radius, depth) = (0.3, 0.4);
        for n in [0, 1, 3] {
            let functions = Functions::new(n, 4);
            let cavity = Cavity::new(&functions, radius, depth, 1.0);
            assert!(cavity.oscillators.is_empty());
            for s in 0..4 {
                let expected = if n == 0 {
                    air::DENSITY * air::SPEED * air::SPEED / depth * 4.0 / functions.zeros[s].powi(2)
                } else {
                    0.0
                };
                assert!((cavity.spring[s][s] - expected).abs() <= 1e-12 * expected.max(1.0));
                assert!(cavity.mass[s][s] > 0.0);
            }
        }
    }

    /// Resonances that move or weigh are the same at low frequencies: the static parts agree.
    #[test]
    fn oscillators_at_rest_weigh_what_they_replace() {
        let functions = Functions::new(1, 5);
        let [few, many] = [1.0, 2e4].map(|reach| Cavity::new(&functions, 0.3, 0.4, reach));
        assert!(many.oscillators.len() > 5);
        for s in 0..5 {
            let moving: f64 = many.oscillators.iter().map(|o| (o.pull[s] / (o.omega * o.omega)).powi(2)).sum();
            assert!((many.mass[s][s] + moving - few.mass[s][s]).abs() < 1e-9 * few.mass[s][s]);
        }
    }
}
