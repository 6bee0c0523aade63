//! The paper's own solver: plain Newton on the banded system, started from the last step. [CW14 eq. 28, 34, 38]
//!
//! F(s) = [(1+γΔt/2)I + (1+2η/Δt)D]s + 2(Dy−q) + ξQ(s),  Q_i = (V(y_i+s_i) − V(y_i))/s_i,  ξ = Δt²/(2ρA).
//! J = (1+γΔt/2)I + (1+2η/Δt)D + diag c,  c_i = ξ[sV'(y+s) − V(y+s) + V(y)]/s². The print of eq. 35 has Δt where ξ belongs.
//! y⁺ = y + s, q⁺ = s − q.  H = (2ρAΔx/Δt²)[q'q + y'Dy + ξΣV].  [handbook §2]
//! Balance, exact: H⁺ − H = −(2ρAΔx/Δt²)[γΔt/2 s's + (2η/Δt)s'Ds].

use crate::rig::{Post, Setup};

/// Newton stops when no point moves by more than this share of the largest displacement.
const TOLERANCE: f64 = 1e-12;
/// More steps than this are a failure.
const CAP: u32 = 100;
/// Below this share of the compression the quotients take their limits.
const SMALL: f64 = 1e-5;

/// The paper's method with its solver.
#[derive(Clone, Debug)]
pub struct Control {
    y: Vec<f64>,
    q: Vec<f64>,
    s: Vec<f64>,
    /// z and the density k_b per grid point; no stiffness where there is no barrier.
    barrier: Vec<(f64, f64)>,
    exponent: f64,
    beta2: f64,
    beta4: f64,
    drag: f64,    // γΔt/2
    viscous: f64, // 2η/Δt
    xi: f64,
    scale: f64, // 2ρAΔx/Δt²
    spacing: f64,
    /// Newton steps of the last time step.
    pub iterations: u32,
    /// Energy lost in the last step, J.
    pub lost: f64,
}

impl Control {
    /// The method for a rig's setup, released from half a sine.
    pub fn new(setup: &Setup, amplitude: f64) -> Self {
        let (n, dt) = (setup.intervals, 1.0 / setup.rate);
        let string = &setup.string;
        let dx = string.length / n as f64;
        let mut barrier = vec![(0.0, 0.0); n - 1];
        for Post { x, height, stiffness } in &setup.posts {
            barrier[(x / dx).round() as usize - 1] = (*height, stiffness / dx);
        }
        let y = (1..n).map(|i| amplitude * libm::sin(std::f64::consts::PI * i as f64 / n as f64)).collect();
        Self {
            y,
            q: vec![0.0; n - 1],
            s: vec![0.0; n - 1],
            barrier,
            exponent: setup.exponent,
            beta2: string.tension * dt * dt / (4.0 * string.density * dx * dx),
            beta4: string.stiffness * dt * dt / (4.0 * string.density * dx * dx * dx * dx),
            drag: string.damping * dt,
            viscous: 2.0 * string.kelvin_voigt / dt,
            xi: dt * dt / (2.0 * string.density),
            scale: 2.0 * string.density * dx / (dt * dt),
            spacing: dx,
            iterations: 0,
            lost: 0.0,
        }
    }

    /// Displacement of the grid point nearest the middle, m.
    pub fn middle(&self) -> f64 {
        self.y[self.y.len() / 2]
    }

    /// Total energy, J.
    pub fn energy(&self) -> f64 {
        let kinetic: f64 = self.q.iter().map(|q| q * q).sum();
        let mut elastic = 0.0;
        for (i, dy) in self.stiffness_times(&self.y).iter().enumerate() {
            elastic += self.y[i] * dy;
        }
        let contact: f64 = self.barrier.iter().zip(&self.y).map(|(&b, &y)| self.potential(b, y)).sum();
        self.scale * (kinetic + elastic + self.xi * contact)
    }

    /// Force of the barrier on the string at the present displacements, N.
    pub fn force(&self) -> f64 {
        let density =
            self.barrier.iter().zip(&self.y).map(|(&(z, k), &y)| k * libm::pow((z - y).max(0.0), self.exponent));
        self.spacing * density.sum::<f64>()
    }

    fn potential(&self, (z, k): (f64, f64), y: f64) -> f64 {
        if k == 0.0 || z <= y { 0.0 } else { k / (self.exponent + 1.0) * power(z - y, self.exponent + 1.0) }
    }

    /// Q and c/ξ of one point.
    fn contact(&self, barrier: (f64, f64), y: f64, s: f64) -> (f64, f64) {
        let (z, k) = barrier;
        let (a, b, alpha) = (z - y, z - y - s, self.exponent);
        if k == 0.0 || (a <= 0.0 && b <= 0.0) {
            return (0.0, 0.0);
        }
        let force = |x: f64| k * power(x.max(0.0), alpha);
        if a > 0.0 && s.abs() < SMALL * a {
            return (-force(a - 0.5 * s), 0.5 * alpha * force(a) / a);
        }
        let before = self.potential(barrier, y);
        let change = if a > 0.0 && b > 0.0 && alpha == 1.0 {
            -0.5 * k * s * (a + b)
        } else if a > 0.0 && b > 0.0 {
            before * libm::expm1((alpha + 1.0) * libm::log1p(-s / a))
        } else {
            self.potential(barrier, y + s) - before
        };
        (change / s, (-s * force(b) - change) / (s * s))
    }

    /// D y.
    fn stiffness_times(&self, y: &[f64]) -> Vec<f64> {
        let n = y.len() as i64;
        // odd beyond the ends: supported
        let at = |i: i64| match i {
            -2 => -y[0],
            -1 => 0.0,
            i if i < n => y[i as usize],
            i if i == n => 0.0,
            _ => -y[n as usize - 1],
        };
        let apply = |far: f64, near: f64, here: f64| {
            self.beta4 * (far - 4.0 * near + 6.0 * here) - self.beta2 * (near - 2.0 * here)
        };
        let edge = |i: i64| apply(at(i - 2) + at(i + 2), at(i - 1) + at(i + 1), at(i));
        let inner = y.windows(5).map(|w| apply(w[0] + w[4], w[1] + w[3], w[2]));
        [edge(0), edge(1)].into_iter().chain(inner).chain([edge(n - 2), edge(n - 1)]).collect()
    }

    /// One time step.
    pub fn step(&mut self) {
        let free: Vec<f64> = self.stiffness_times(&self.y).iter().zip(&self.q).map(|(d, q)| 2.0 * (d - q)).collect();
        let largest = self.y.iter().fold(0.0f64, |m, y| m.max(y.abs()));
        let mut s = std::mem::take(&mut self.s);
        self.iterations = 0;
        loop {
            self.iterations += 1;
            let stiff = self.stiffness_times(&s);
            let mut diagonal = vec![0.0; s.len()];
            let mut change = vec![0.0; s.len()];
            for i in 0..s.len() {
                let (quotient, slope) = self.contact(self.barrier[i], self.y[i], s[i]);
                diagonal[i] = 1.0 + self.drag + self.xi * slope;
                change[i] = (1.0 + self.drag) * s[i] + (1.0 + self.viscous) * stiff[i] + free[i] + self.xi * quotient;
            }
            self.solve(&diagonal, &mut change);
            let mut moved = 0.0f64;
            for (s, change) in s.iter_mut().zip(&change) {
                *s -= change;
                moved = moved.max(change.abs());
            }
            if moved <= TOLERANCE * largest || self.iterations == CAP {
                break;
            }
        }
        let ds = self.stiffness_times(&s);
        let squares: f64 = s.iter().map(|s| s * s).sum();
        let strain: f64 = s.iter().zip(&ds).map(|(s, d)| s * d).sum();
        self.lost = self.scale * (self.drag * squares + self.viscous * strain);
        for (i, s) in s.iter().enumerate() {
            self.y[i] += s;
            self.q[i] = s - self.q[i];
        }
        self.s = s;
    }

    /// Solves [diag + (1+2η/Δt)D] x = b in place: LDLᵀ of a matrix with two off-diagonals.
    fn solve(&self, diagonal: &[f64], b: &mut [f64]) {
        let n = b.len();
        let f = 1.0 + self.viscous;
        let (b2, b4) = (f * self.beta2, f * self.beta4);
        let mut d = vec![0.0; n];
        let (mut l1, mut l2) = (vec![0.0; n], vec![0.0; n]);
        for i in 0..n {
            let edge = if i == 0 || i == n - 1 { 5.0 } else { 6.0 };
            let (mut main, mut first, second) = (diagonal[i] + 2.0 * b2 + edge * b4, -b2 - 4.0 * b4, b4);
            if i >= 1 {
                main -= l1[i - 1] * l1[i - 1] * d[i - 1];
                first -= l2[i - 1] * l1[i - 1] * d[i - 1];
            }
            if i >= 2 {
                main -= l2[i - 2] * l2[i - 2] * d[i - 2];
            }
            d[i] = main;
            l1[i] = first / main;
            l2[i] = second / main;
            if i >= 1 {
                b[i] -= l1[i - 1] * b[i - 1];
            }
            if i >= 2 {
                b[i] -= l2[i - 2] * b[i - 2];
            }
        }
        for i in 0..n {
            b[i] /= d[i];
        }
        for i in (0..n).rev() {
            if i + 1 < n {
                b[i] -= l1[i] * b[i + 1];
            }
            if i + 2 < n {
                b[i] -= l2[i] * b[i + 2];
            }
        }
    }
}

fn power(x: f64, exponent: f64) -> f64 {
    match exponent {
        1.0 => x,
        2.0 => x * x,
        _ => libm::pow(x, exponent),
    }
}
