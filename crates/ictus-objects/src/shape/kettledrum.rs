//! A head on a kettle, with the air above and below it.
//!
//! Model [Christian, Davis, Tubis, Anderson, Mills & Rossing, J. Acoust. Soc. Am. 76, 1336, 1984]: a membrane T∇²w − μẅ = p, its rim in an infinite rigid plane; above it free air, below it the
//! air of a rigid cylinder of the kettle's volume, depth L. For every number n of nodal diameters the head's functions φ_s = √2 J_n(j_ns r)/J_{n+1}(j_ns) share
//!
//! ```text
//! (T j²/a² − ω²[μ + M_above(ω) + M_below(ω)] + jω R(ω)) q = f,
//! ```
//!
//! M and R from [`load`]: the air above weighs the head down and takes what is radiated, the air below weighs it down and, where it cannot move aside (n = 0), is a spring. That lowers the modes
//! with few nodal diameters most and brings 1 : 1.34 : 1.66 : 1.98 of the bare head near 1 : 1.5 : 2 : 2.4; (0,1) radiates as a monopole and is gone in a few tenths of a second, (1,1)
//! as a dipole, (2,1) as a quadrupole: each lasts longer than the one before.
//!
//! Method: the air below is a set of oscillators on springs, one for each of its resonances that matter, so the problem is K v = ω²M(ω)v with M from the air above at the frequency of the mode itself: a few
//! turns of a fixed point. The decay is that of first order, σ = ½vᵀRv, with the losses of the material as its share of the mode: `damping_1_s` goes with the head's part of the moving mass, the
//! others with its part of the potential energy. Modal mass: with the air's, so that ports answer as the loaded head does.
//! Coordinates: x, y in the unit disc. With z > 0 the point (x, y, z), in radii from the centre, is in the air: its value is what the pressure there is made of, p = Σ value·q̈,
//! value = ρ₀a cos nφ |F|, kg/m², with F from [`load::field`]; its phase, which is that of the delay and of the way around, is left out but for its sign. From afar that is ρ₀a²/R · cos nφ ∫φ J_n(kr sin θ) r dr.
//! Label (n, s) as of a membrane; (n, 0) is a resonance of the air in the kettle that moves the head less than itself.
//! Limits: the kettle is rigid and closed, a cylinder; radiation below its rim is that of the plane. From n = 12 or s = 6 on a mode has the load of a wave of its length, ρ₀/√(j²/a² − k²) on each side, by itself.
//! The mass is that at the mode's frequency (dM/dω is left out of the response). Heads are ideal membranes.

pub(super) mod load;

use std::f64::consts::{PI, TAU};
use std::sync::Arc;

use super::disc::DiscShape;
use super::{Family, Raw, Request, air, membrane};
use crate::error::{ObjectError, require, require_length};
use crate::material::Material;
use crate::maths::bessel::{j, j_pair};
use crate::maths::eigen;
use crate::maths::search::peak;
use crate::object::{Field, Point};
use load::{Cavity, Functions};

/// Nodal diameters and circles from which on a mode is loaded by itself.
const LONE_DIAMETERS: u32 = 12;
const LONE_CIRCLES: usize = 6;
/// Functions beyond the highest coupled mode, for its shape.
const MARGIN: usize = 2;
/// Resonances of the kettle's air are followed up to this multiple of the highest coupled mode without air.
const REACH: f64 = 1.2;
/// Where the fixed point of a frequency ends, relative, and when it is given up: each turn is a tenth or less of the one before.
const CLOSE: f64 = 1e-12;
const MOST_TURNS: usize = 60;
/// Where the peak of a shape is searched: its functions have 8 zeros at most, and a dozen more on the way out of n.
const SAMPLES: usize = 40;

/// A kettledrum in SI units.
#[derive(Clone, Copy)]
pub(super) struct Kettle {
    pub radius: f64,
    pub thickness: f64,
    pub tension: f64,
    pub depth: f64,
}

/// A mode with the air's load; functions and their share v, vᵀMv = 1 in kg/m².
struct Loaded {
    omega: f64,
    rate: f64,
    functions: Vec<(f64, f64)>, // (zero, share)
    head: f64,                  // share of the moving mass that is head and air about it, not the kettle's oscillators
}

impl Kettle {
    fn check(&self) -> Result<(), ObjectError> {
        require_length("radius_m", self.radius)?;
        require_length("thickness_m", self.thickness)?;
        require_length("depth_m", self.depth)?;
        require("tension_n_m", self.tension, 1e-6, 1e9, "N/m")
    }

    /// Frequency of a wave number of the unit disc without air, rad/s.
    fn bare(&self, material: &Material, zero: f64) -> f64 {
        zero / self.radius * (self.tension / (material.density_kg_m3 * self.thickness)).sqrt()
    }

    /// σ of the material: its loss at a frequency, of which the head has these shares of moving mass and of potential energy.
    fn material_rate(material: &Material, omega: f64, moving: f64, bent: f64) -> f64 {
        let law = material.damping;
        law.a * moving + (law.rate(omega / TAU) - law.a) * bent
    }

    /// The mode number `index` of `n` nodal diameters, where `count` functions and the kettle's air take part.
    fn coupled(&self, material: &Material, functions: &Functions, cavity: &Cavity, index: usize) -> Option<Loaded> {
        let density = material.density_kg_m3 * self.thickness;
        let count = functions.zeros.len();
        let size = count + cavity.oscillators.len();
        let stiffness = |s: usize| self.tension * (functions.zeros[s] / self.radius).powi(2);
        let mut omega = self.bare(material, functions.zeros[index.min(count - 1)]);
        let mut before: Option<(f64, f64)> = None; // the frequency tried before, and what came of it
        for _ in 0..MOST_TURNS {
            let above = functions.above(omega * self.radius / air::SPEED, self.radius);
            let mut mass = vec![vec![0.0; size]; size];
            let mut spring = vec![vec![0.0; size]; size];
            for s in 0..count {
                for t in 0..count {
                    mass[s][t] = above.mass[s][t] + cavity.mass[s][t];
                    spring[s][t] = cavity.spring[s][t];
                }
                mass[s][s] += density;
                spring[s][s] += stiffness(s);
            }
            for (i, oscillator) in cavity.oscillators.iter().enumerate() {
                mass[count + i][count + i] = 1.0;
                spring[count + i][count + i] = oscillator.omega * oscillator.omega;
                for (s, pull) in oscillator.pull.iter().enumerate() {
                    spring[s][count + i] = -pull;
                    spring[count + i][s] = -pull;
                }
            }
            let (square, v) = eigen::generalised(&spring, &mass)?.into_iter().nth(index)?;
            let now = square.max(0.0).sqrt();
            let done = (now - omega).abs() <= CLOSE * now;
            // secant: where the line through the last two turns meets what was tried
            let slope = before.map_or(0.0, |(tried, came)| (now - came) / (omega - tried));
            before = Some((omega, now));
            omega = if slope.abs() < 0.5 { omega + (now - omega) / (1.0 - slope) } else { now };
            if done {
                let quadratic = |matrix: &[Vec<f64>]| -> f64 {
                    let row = |row: &[f64]| row.iter().zip(&v).map(|(m, v)| m * v).sum::<f64>();
                    matrix.iter().zip(&v).map(|(r, v)| v * row(r)).sum()
                };
                let moving: f64 = v[..count].iter().map(|v| density * v * v).sum();
                let bent: f64 = (0..count).map(|s| stiffness(s) * v[s] * v[s]).sum::<f64>() / square;
                let inside: f64 =
                    v[count..].iter().zip(&cavity.oscillators).map(|(v, o)| v * v * o.loss).sum::<f64>() * omega.sqrt();
                let outside = v[count..].iter().map(|v| v * v).sum::<f64>();
                return Some(Loaded {
                    omega,
                    rate: 0.5 * quadratic(&above.resistance)
                        + inside
                        + Self::material_rate(material, omega, moving, bent),
                    functions: functions.zeros.iter().copied().zip(v[..count].iter().copied()).collect(),
                    head: 1.0 - outside,
                });
            }
        }
        None
    }

    /// A mode of many nodal lines, loaded by itself.
    fn lone(&self, material: &Material, n: u32, zero: f64) -> Loaded {
        let density = material.density_kg_m3 * self.thickness;
        let wave = zero / self.radius;
        let square = self.tension * wave * wave;
        let mut omega = self.bare(material, zero);
        let mut mass = density;
        for _ in 0..MOST_TURNS {
            let across = (wave * wave - (omega / air::SPEED).powi(2)).max(0.0).sqrt();
            mass = density + if across > 0.0 { 2.0 * air::DENSITY / across } else { 0.0 };
            let now = (square / mass).sqrt();
            let done = (now - omega).abs() <= CLOSE * now;
            omega = now;
            if done {
                break;
            }
        }
        let resistance = load::resistance(n, zero, omega * self.radius / air::SPEED);
        let rate = 0.5 * resistance / mass + Self::material_rate(material, omega, density / mass, 1.0);
        Loaded { omega, rate, functions: vec![(zero, 1.0 / mass.sqrt())], head: 1.0 }
    }

    /// The mode, and its turned twin if it has nodal diameters.
    fn raw(&self, n: u32, label: u32, mode: &Loaded) -> impl Iterator<Item = Raw> {
        let mut shape = KettleShape {
            n,
            sine: false,
            radius: self.radius,
            wave: mode.omega / air::SPEED,
            terms: mode
                .functions
                .iter()
                .map(|&(zero, share)| {
                    let next = j_pair(n, zero).1;
                    Term { zero, height: share * std::f64::consts::SQRT_2 / next, next }
                })
                .collect(),
        };
        let largest = match shape.terms[..] {
            [Term { zero, height, .. }] => height.abs() / DiscShape::new(n, zero, 0.0).scale(),
            _ => peak(0.0, 1.0, SAMPLES, |r| shape.radial(r)).1,
        };
        let largest = if largest > 0.0 { largest } else { 1.0 };
        shape.terms.iter_mut().for_each(|term| term.height /= largest);
        let around = if n == 0 { TAU } else { PI };
        let mass = around * self.radius * self.radius / (largest * largest);
        let (frequency, rate) = (mode.omega / TAU, mode.rate);
        [false, true].into_iter().take(if n == 0 { 1 } else { 2 }).map(move |sine| {
            let field = Field::Kettle(Arc::new(KettleShape { sine, ..shape.clone() }));
            Raw { frequency, rate, mass, label: (n, label), field }
        })
    }

    /// What takes part in the coupled modes of n nodal diameters: the same however many are asked for.
    fn basis(&self, material: &Material, n: u32) -> (Functions, Cavity) {
        let functions = Functions::new(n, LONE_CIRCLES + MARGIN);
        let reach = REACH * self.bare(material, functions.zeros[LONE_CIRCLES - 1]);
        let cavity = Cavity::new(&functions, self.radius, self.depth, reach);
        (functions, cavity)
    }

    /// σ and frequency of the principal tone, the mode with one nodal diameter.
    pub(super) fn principal(&self, material: &Material) -> Option<(f64, f64)> {
        let (functions, cavity) = self.basis(material, 1);
        self.coupled(material, &functions, &cavity, 0).map(|mode| (mode.omega, mode.rate))
    }
}

impl Kettle {
    /// The tension with which the principal tone sounds at `pitch`, Hz.
    pub(super) fn tension_for(mut self, material: &Material, pitch: f64, decay_scale: f64) -> Result<f64, ObjectError> {
        self.check()?;
        for _ in 0..MOST_TURNS {
            let (omega, rate) = self.principal(material).ok_or(ObjectError::NoConvergence)?;
            let sigma = rate / decay_scale;
            let sounding = ((omega - sigma) * (omega + sigma)).max(0.0).sqrt() / TAU;
            if sounding == 0.0 {
                break;
            }
            let factor = pitch / sounding;
            self.tension *= factor * factor;
            self.check()?;
            if (factor - 1.0).abs() <= 1e-12 {
                return Ok(self.tension);
            }
        }
        let expected = "a pitch at which a head of this size and material still rings".to_owned();
        Err(ObjectError::Parameter { what: "frequency_hz", value: pitch, expected })
    }
}

pub(super) fn modes(kettle: Kettle, material: &Material, request: Request) -> Result<Family, ObjectError> {
    kettle.check()?;
    let surface_density = material.density_kg_m3 * kettle.thickness;
    let mut family = Family::new(surface_density * PI * kettle.radius * kettle.radius);
    // the air lowers a mode by less than half, and twins count twice
    let limit = 3.0 * TAU * request.max_hz / kettle.bare(material, 1.0);
    let distinct = request.count / 2 + 2 * (request.count as f64).sqrt() as usize + 4;
    let mut circles: Vec<usize> = Vec::new();
    for ([n, s], _) in membrane::zeros(limit, distinct) {
        circles.resize(circles.len().max(n as usize + 1), 0);
        circles[n as usize] = circles[n as usize].max(s as usize);
    }
    let mut found = Vec::new();
    for (n, &count) in (0u32..).zip(&circles) {
        // of absurd sizes rounding leaves no frequency: that is no mode
        let mut take = |label: u32, mode: &Loaded| {
            if mode.omega > 0.0 && mode.omega.is_finite() {
                found.extend(kettle.raw(n, label, mode));
            }
        };
        let mut s = 0;
        if n < LONE_DIAMETERS {
            let wanted = count.min(LONE_CIRCLES);
            let (functions, cavity) = kettle.basis(material, n);
            for index in 0..functions.zeros.len() + cavity.oscillators.len() {
                let Some(mode) = kettle.coupled(material, &functions, &cavity, index) else { break };
                let of_head = mode.head >= 0.5;
                s += usize::from(of_head);
                take(if of_head { s as u32 } else { 0 }, &mode);
                if s == wanted {
                    break;
                }
            }
        }
        let functions = Functions::new(n, count);
        for (i, &zero) in functions.zeros.iter().enumerate().skip(s) {
            take(i as u32 + 1, &kettle.lone(material, n, zero));
        }
    }
    found.sort_by(|a, b| a.frequency.total_cmp(&b.frequency));
    for mode in found {
        family.push(request, mode);
    }
    Ok(family)
}

/// One function of a mode's shape: height·J_n(zero·r).
#[derive(Clone, Copy, Debug)]
struct Term {
    zero: f64,
    height: f64,
    next: f64, // J_{n+1}(zero)
}

/// Where a mode moves the head, and how it is heard in the air.
#[derive(Clone, Debug)]
pub(crate) struct KettleShape {
    n: u32,
    sine: bool,
    radius: f64, // m
    wave: f64,   // k, 1/m
    terms: Vec<Term>,
}

impl KettleShape {
    fn radial(&self, r: f64) -> f64 {
        self.terms.iter().map(|term| term.height * j(self.n, term.zero * r)).sum()
    }

    pub(crate) fn at(&self, point: Point) -> f64 {
        let Point { x, y, z } = point;
        let r = libm::hypot(x, y);
        // (cos φ + i sin φ)ⁿ by multiplication: exact on the axes
        let (mut re, mut im) = (1.0, 0.0);
        if r > 0.0 {
            for _ in 0..self.n {
                (re, im) = (re * x / r - im * y / r, re * y / r + im * x / r);
            }
        } else if self.n > 0 {
            return 0.0;
        }
        let around = if self.sine { im } else { re };
        if z > 0.0 && around != 0.0 {
            let transform = |x: f64| {
                let at_x = j(self.n, x);
                let terms = self.terms.iter();
                terms.map(|term| term.height * load::transform(term.zero, term.next, x, at_x)).sum::<f64>()
            };
            let highest = self.terms.iter().map(|term| term.zero).fold(0.0, f64::max);
            let [re, im] = load::field(self.n, self.wave * self.radius, [r, z], highest, transform);
            let sign = if re.abs() >= im.abs() { re } else { im };
            return air::DENSITY * self.radius * libm::hypot(re, im).copysign(sign) * around;
        }
        self.radial(r.min(1.0)) * around
    }
}
