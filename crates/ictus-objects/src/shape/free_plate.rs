//! Rectangular plate with free or clamped edges, by Rayleigh and Ritz.
//!
//! w = Σ c_ij p_i(ξ) p_j(η), p orthonormal Legendre polynomials, ξ = 2x − 1: the mass matrix is the identity and free edges
//! ask nothing of the functions. Energy ½D ∫ w_xx² + w_yy² + 2ν w_xx w_yy + 2(1 − ν) w_xy². With r = b/a:
//! K = r² A⊗1 + r⁻² 1⊗A + ν(G⊗Gᵀ + Gᵀ⊗G) + 2(1 − ν) C⊗C, A = ∫p''p'', G = ∫p''p, C = ∫p'p'; ω² = (16 D/ρh a²b²) κ.
//! [Leissa 1973, The free vibration of rectangular plates, for the problem; Bhat 1985 for polynomials] Odd and even degrees do
//! not mix: four smaller problems, with exact symmetry. p₀p₀, p₁p₀, p₀p₁ are the rigid motions and are left out.
//! Clamped edges: the same with (1 − ξ²)² times polynomials, made orthonormal by Gram and Schmidt, in place of p.
//! Coordinates: x, y in 0..1. Label: degrees (i, j) of the leading term, clamped from (1, 1). Modal mass ρhab/4 ÷ (largest value)².
//! Limits: frequencies are upper bounds but for rounding, and settled to some 1e-6 for the modes returned; those shorter
//! than the degrees resolve are left out, so that a very long plate gives fewer modes than asked for. The largest value
//! is 1 within 0.1 %; the modal mass belongs exactly to the shape as scaled.

use std::sync::Arc;

use super::{Family, Raw, Request, plate_stiffness, wave};
use crate::error::ObjectError;
use crate::material::Material;
use crate::maths::eigen::symmetric;
use crate::maths::legendre::{gauss, orthonormal, values};
use crate::maths::search::peak;
use crate::object::Field;

const DEGREE_PER_HALF_WAVE: f64 = 1.7; // π/2 is the limit of polynomials; the rest is margin
const DEGREE_MARGIN: f64 = 8.0; // what the edges need
const MAX_DEGREE: f64 = 46.0;
const MAX_TERMS: f64 = 1700.0; // of all four problems: four of 425 take about a second

/// What the edges ask of the functions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Basis {
    /// Nothing: Legendre polynomials.
    Free,
    /// Neither value nor slope at ±1.
    Clamped,
}

impl Basis {
    /// The functions up to a degree, each as coefficients of the orthonormal Legendre polynomials.
    fn functions(self, degree: usize) -> Vec<Vec<f64>> {
        let unit = |i: usize| (0..=degree).map(|j| if i == j { 1.0 } else { 0.0 }).collect::<Vec<f64>>();
        if self == Self::Free {
            return (0..=degree).map(unit).collect();
        }
        let points = gauss(degree + 1);
        let mut found: Vec<Vec<f64>> = Vec::new();
        for i in 0..=degree - 4 {
            let mut function = vec![0.0; degree + 1];
            for &(x, weight) in &points {
                let [plain, ..] = orthonormal(degree, x);
                let held = (1.0 - x * x) * (1.0 - x * x);
                // odd and even stay apart exactly
                for j in (i % 2..=degree).step_by(2) {
                    function[j] += weight * held * plain[i] * plain[j];
                }
            }
            // twice is enough for all digits
            for _ in 0..2 {
                for other in found.iter().skip(i % 2).step_by(2) {
                    let share: f64 = function.iter().zip(other).map(|(a, b)| a * b).sum();
                    function.iter_mut().zip(other).for_each(|(a, b)| *a -= share * b);
                }
            }
            let size = function.iter().map(|a| a * a).sum::<f64>().sqrt();
            function.iter_mut().for_each(|a| *a /= size);
            found.push(function);
        }
        found
    }

    /// The first wave number of a plate is below this, 1/m.
    fn lowest(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Free => 5.0 / a.max(b),
            Self::Clamped => 6.1 / a.min(b), // 6.00 for a square, 4.73 for a long plate
        }
    }

    /// A wave number below which a plate has at least `count` modes, 1/m.
    fn enough(self, a: f64, b: f64, count: f64) -> f64 {
        // a free plate has at least k²ab/4π modes below k [Weyl]; clamped edges take a wave and a half from each direction
        let free = (4.0 * std::f64::consts::PI * (count + 4.0) / (a * b)).sqrt();
        let held = 1.5 * std::f64::consts::PI * (1.0 / a + 1.0 / b);
        free.max(self.lowest(a, b)) + if self == Self::Clamped { held } else { 0.0 }
    }
}

/// Integrals over −1..1 of products of derivatives, by function.
struct Integrals {
    curvature: Vec<Vec<f64>>, // A
    mixed: Vec<Vec<f64>>,     // G, second derivative first
    slope: Vec<Vec<f64>>,     // C
}

impl Integrals {
    fn new(degree: usize, functions: &[Vec<f64>]) -> Self {
        let count = functions.len();
        let zero = || vec![vec![0.0; count]; count];
        let mut all = Self { curvature: zero(), mixed: zero(), slope: zero() };
        for (x, weight) in gauss(degree + 1) {
            let [plain, first, second] = orthonormal(degree, x).map(|values| {
                let at = |function: &Vec<f64>| function.iter().zip(&values).map(|(c, p)| c * p).sum();
                functions.iter().map(at).collect::<Vec<f64>>()
            });
            for i in 0..count {
                for j in 0..count {
                    all.curvature[i][j] += weight * second[i] * second[j];
                    all.mixed[i][j] += weight * second[i] * plain[j];
                    all.slope[i][j] += weight * first[i] * first[j];
                }
            }
        }
        all
    }
}

/// Highest degrees in x and y for waves of wave number k, and the wave number they resolve.
fn degrees(a: f64, b: f64, k: f64) -> (usize, usize, f64) {
    let pi = std::f64::consts::PI;
    let degree = |side: f64, k: f64| (DEGREE_PER_HALF_WAVE * k * side / pi + DEGREE_MARGIN).ceil();
    let fits = |k: f64| {
        let (p, q) = (degree(a, k), degree(b, k));
        p <= MAX_DEGREE && q <= MAX_DEGREE && (p + 1.0) * (q + 1.0) <= MAX_TERMS
    };
    let mut k = k;
    if !fits(k) {
        // the largest that fits; at 0 the degrees are the margin, which does
        let (mut low, mut high) = (0.0, k);
        for _ in 0..100 {
            let middle = 0.5 * (low + high);
            if fits(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        k = low;
    }
    (degree(a, k) as usize, degree(b, k) as usize, k)
}

pub(super) fn modes(
    [a, b, thickness]: [f64; 3],
    basis: Basis,
    material: &Material,
    request: Request,
) -> Result<Family, ObjectError> {
    let stiffness = plate_stiffness(thickness, material);
    let mass = material.density_kg_m3 * a * b * thickness;
    let enough = basis.enough(a, b, request.count as f64);
    let below = (std::f64::consts::TAU * request.max_hz / stiffness).sqrt();
    let (p, q, resolved) = degrees(a, b, enough.min(below.max(basis.lowest(a, b))));
    let functions = [p, q].map(|degree| basis.functions(degree));
    let (across, along) = (Integrals::new(p, &functions[0]), Integrals::new(q, &functions[1]));
    let mut found = Vec::new(); // (κ, terms, vector)
    for (odd_x, odd_y) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let rigid = |i: usize, j: usize| basis == Basis::Free && i + j <= 1;
        let (columns, rows) = (functions[0].len(), functions[1].len());
        let mut terms: Vec<(usize, usize)> = (odd_x..columns)
            .step_by(2)
            .flat_map(|i| (odd_y..rows).step_by(2).map(move |j| (i, j)))
            .filter(|&(i, j)| !rigid(i, j))
            .collect();
        // from soft to stiff: the eigenvalue iteration then keeps the digits of the lowest modes, of long plates above all
        let square = (b / a) * (b / a);
        let stiff = |&(i, j): &(usize, usize)| square * across.curvature[i][i] + along.curvature[j][j] / square;
        terms.sort_by(|x, y| stiff(x).total_cmp(&stiff(y)));
        let matrix = stiffness_matrix(&terms, &across, &along, b / a, material.poisson);
        for (kappa, vector) in symmetric(matrix).ok_or(ObjectError::NoConvergence)? {
            found.push((kappa, terms.clone(), vector));
        }
    }
    found.sort_by(|x, y| x.0.total_cmp(&y.0));
    let mut family = Family::new(mass);
    // the longest wave of a plate of any proportions is always resolved
    for (index, (kappa, terms, vector)) in found.into_iter().enumerate() {
        let wave_number = (4.0 * kappa.max(0.0).sqrt() / (a * b)).sqrt();
        if wave_number == 0.0 || wave_number.is_nan() || (wave_number > resolved && index > 0) {
            continue;
        }
        let frequency = wave(wave_number, stiffness);
        if family.modes.len() >= request.count || frequency > request.max_hz {
            family.lowest = family.lowest.min(frequency);
            break;
        }
        let ((m, n), coefficients) = normalised(&terms, &vector, &functions, p, q);
        let from = if basis == Basis::Clamped { 1 } else { 0 };
        let label = (m + from, n + from);
        let top: f64 = coefficients.iter().map(|c| c * c).sum(); // 1/peak²
        family.push(
            request,
            Raw {
                frequency,
                rate: material.damping.rate(frequency),
                mass: 0.25 * mass * top,
                label,
                field: Field::Polynomial { degrees: (p, q), coefficients },
            },
        );
    }
    Ok(family)
}

fn stiffness_matrix(
    terms: &[(usize, usize)],
    across: &Integrals,
    along: &Integrals,
    ratio: f64,
    poisson: f64,
) -> Vec<Vec<f64>> {
    let square = ratio * ratio;
    let entry = |&(i, j): &(usize, usize), &(k, l): &(usize, usize)| {
        let mut sum = poisson * (across.mixed[i][k] * along.mixed[l][j] + across.mixed[k][i] * along.mixed[j][l])
            + 2.0 * (1.0 - poisson) * across.slope[i][k] * along.slope[j][l];
        if j == l {
            sum += square * across.curvature[i][k];
        }
        if i == k {
            sum += along.curvature[j][l] / square;
        }
        sum
    };
    terms.iter().map(|row| terms.iter().map(|column| entry(row, column)).collect()).collect()
}

/// Coefficients on the full grid of degrees, scaled to a largest value of 1 over the plate and a positive leading term.
fn normalised(
    terms: &[(usize, usize)],
    vector: &[f64],
    functions: &[Vec<Vec<f64>>; 2],
    p: usize,
    q: usize,
) -> ((u32, u32), Arc<[f64]>) {
    let mut full = vec![0.0; (p + 1) * (q + 1)];
    let mut leading = (0.0f64, (0, 0));
    for (&(i, j), &c) in terms.iter().zip(vector) {
        let of_x = functions[0][i].iter().enumerate().filter(|(_, x)| **x != 0.0);
        for (k, x) in of_x {
            for (l, y) in functions[1][j].iter().enumerate() {
                full[k * (q + 1) + l] += c * x * y;
            }
        }
        if c.abs() > leading.0.abs() {
            leading = (c, (i as u32, j as u32));
        }
    }
    // one quarter is enough: the shape is even or odd in both directions
    let (fine_x, fine_y) = (2 * p, 2 * q);
    let grid = |degree: usize, n: usize| (0..=n).map(|s| values(degree, s as f64 / n as f64)).collect::<Vec<_>>();
    let (xs, ys) = (grid(p, fine_x), grid(q, fine_y));
    let row_at =
        |px: &[f64]| -> Vec<f64> { (0..=q).map(|j| (0..=p).map(|i| px[i] * full[i * (q + 1) + j]).sum()).collect() };
    let dot = |u: &[f64], v: &[f64]| u.iter().zip(v).map(|(u, v)| u * v).sum::<f64>();
    let mut best = (0.0, 0.0, 0.0); // value, ξ, η
    for (s, px) in xs.iter().enumerate() {
        let row = row_at(px);
        for (t, py) in ys.iter().enumerate() {
            let value = dot(&row, py).abs();
            if value > best.0 {
                best = (value, s as f64 / fine_x as f64, t as f64 / fine_y as f64);
            }
        }
    }
    // climb along one coordinate after the other
    for _ in 0..2 {
        let row = row_at(&values(p, best.1));
        let reach = 1.0 / fine_y as f64;
        let (eta, _) = peak((best.2 - reach).max(0.0), (best.2 + reach).min(1.0), 4, |eta| dot(&row, &values(q, eta)));
        let column: Vec<f64> = full.chunks_exact(q + 1).map(|row| dot(row, &values(q, eta))).collect();
        let reach = 1.0 / fine_x as f64;
        let (xi, value) =
            peak((best.1 - reach).max(0.0), (best.1 + reach).min(1.0), 4, |xi| dot(&column, &values(p, xi)));
        best = (value.max(best.0), xi, eta);
    }
    let scale = leading.0.signum() / best.0;
    (leading.1, full.into_iter().map(|c| c * scale).collect())
}
