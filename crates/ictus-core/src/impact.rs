//! Impact of a mass on a wall through a power law with Hunt–Crossley loss, in continuous time: m ẍ = −k x^α (1 + μẋ).
//!
//! With L = ln(1 + μẋ) and G(L) = e^L − 1 − L the motion has the integral k x^{α+1}/((α+1)m) = (G(L_in) − G(L))/μ². [SO8 eq. 8.13]
//! The mass separates at the other root of G(L_out) = G(L_in), after the time t0 = (m/k)^{1/(α+1)} I(α, μ, v), [SO8 eq. 8.27]
//! I = (1/μ) ∫ dL [(α+1)(G(L_in) − G(L))/μ²]^{−α/(α+1)} from L_out to L_in. So the stiffness for a desired time is k = m (I/t0)^{α+1}.
//! Without loss t0 ~ v^{(1−α)/(1+α)}: hard strokes are shorter for α > 1.
//! Quadrature: the integrand is singular as δ^{−α/(α+1)} at both ends; the substitution δ = Λ s^{α+1} removes the singularity. All quantities are scaled by y = μv, so that y = 0 is no special
//! case; below [`SMALL`] the differences of G are computed by their series.

/// A mass and its contact law with an immovable wall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WallImpact {
    /// m, kg.
    pub mass: f64,
    /// k, N/m^α.
    pub stiffness: f64,
    /// α ≥ 1.
    pub exponent: f64,
    /// Hunt–Crossley μ ≥ 0, s/m.
    pub loss: f64,
}

impl WallImpact {
    /// The stiffness (N/m^α) at which a mass (kg) arriving at `speed` (m/s) stays in contact for `duration` (s).
    pub fn stiffness_for(mass: f64, exponent: f64, loss: f64, speed: f64, duration: f64) -> f64 {
        mass * libm::pow(Portrait::new(loss, speed).time(exponent) / duration, exponent + 1.0)
    }

    /// Velocity after an impact at `speed` > 0, negative, m/s.
    pub fn leaving(&self, speed: f64) -> f64 {
        Portrait::new(self.loss, speed).leaving()
    }

    /// Contact duration, s.
    pub fn duration(&self, speed: f64) -> f64 {
        let unit = libm::pow(self.mass / self.stiffness, 1.0 / (self.exponent + 1.0));
        unit * Portrait::new(self.loss, speed).time(self.exponent)
    }

    /// Largest compression, m.
    pub fn deepest(&self, speed: f64) -> f64 {
        let portrait = Portrait::new(self.loss, speed);
        let degree = self.exponent + 1.0;
        let energy = portrait.arriving(portrait.first) * speed * speed; // of unit mass, J/kg
        libm::pow(degree * self.mass / self.stiffness * energy, 1.0 / degree)
    }
}

/// μv below which G(a) − G(b) cancels and the series is used.
const SMALL: f64 = 0.01;
const PANELS: u32 = 64;
/// Five-point Gauss–Legendre nodes and weights on −1..1.
const GAUSS: [(f64, f64); 5] = [
    (-0.906_179_845_938_664, 0.236_926_885_056_189_1),
    (-0.538_469_310_105_683_1, 0.478_628_670_499_366_5),
    (0.0, 0.568_888_888_888_888_9),
    (0.538_469_310_105_683_1, 0.478_628_670_499_366_5),
    (0.906_179_845_938_664, 0.236_926_885_056_189_1),
];

/// The phase portrait, scaled: λ = L/y with y = μv.
struct Portrait {
    speed: f64, // v, m/s
    y: f64,     // μv
    first: f64, // λ at arrival
    last: f64,  // −λ at departure
}

impl Portrait {
    fn new(loss: f64, speed: f64) -> Self {
        let y = loss * speed;
        let first = if y == 0.0 { 1.0 } else { libm::log1p(y) / y };
        // the root lies right of −(G + 1), where e^L is neglected; for small y near −1
        let mut portrait = Self { speed, y, first, last: 0.0 };
        let mut far = if y < SMALL { 2.0 } else { (y - libm::log1p(y) + 1.0) / y };
        let mut near = 0.0;
        for _ in 0..200 {
            let middle = 0.5 * (far + near);
            if portrait.arriving(portrait.first + middle) < 0.0 {
                far = middle;
            } else {
                near = middle;
            }
        }
        portrait.last = 0.5 * (far + near);
        portrait
    }

    fn leaving(&self) -> f64 {
        if self.y == 0.0 { -self.speed } else { self.speed * libm::expm1(-self.y * self.last) / self.y }
    }

    /// (G(λ_in) − G(λ_in − δ))/y².
    fn arriving(&self, delta: f64) -> f64 {
        self.difference(self.first, -delta)
    }

    /// (G(λ_out) − G(λ_out + δ))/y², the same integral of motion from the other end.
    fn departing(&self, delta: f64) -> f64 {
        self.difference(-self.last, delta)
    }

    /// (G(a) − G(a + d))/y², G in the scaled variable.
    fn difference(&self, a: f64, d: f64) -> f64 {
        let y = self.y;
        if y < SMALL {
            // Σ yⁿ (aⁿ⁺² − bⁿ⁺²)/(n+2)!, the powers by their quotient with a − b
            let b = a + d;
            let (mut quotient, mut power, mut factor, mut sum) = (1.0, 1.0, 1.0, 0.0);
            for n in 0..6 {
                power *= b;
                quotient = quotient * a + power;
                factor /= f64::from(n + 2);
                sum += factor * quotient;
                factor *= y;
            }
            return -d * sum;
        }
        // e^a (e^d − 1), in the form that neither cancels nor overflows
        let rise =
            if y * d > 1.0 { libm::exp(y * (a + d)) - libm::exp(y * a) } else { libm::exp(y * a) * libm::expm1(y * d) };
        (y * d - rise) / (y * y)
    }

    /// I(α, μ, v).
    fn time(&self, exponent: f64) -> f64 {
        let degree = exponent + 1.0;
        let leg = |length: f64, height: &dyn Fn(f64) -> f64| {
            let mut sum = 0.0;
            for panel in 0..PANELS {
                for (node, weight) in GAUSS {
                    let s = (f64::from(panel) + 0.5 * (1.0 + node)) / f64::from(PANELS);
                    let delta = length * libm::pow(s, degree);
                    let share = height(delta) / delta;
                    sum += weight * libm::pow(degree * length * share, -exponent / degree);
                }
            }
            length * degree * sum * 0.5 / f64::from(PANELS)
        };
        let whole = leg(self.first, &|delta| self.arriving(delta)) + leg(self.last, &|delta| self.departing(delta));
        libm::pow(self.speed, (1.0 - exponent) / degree) * whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HAMMER: WallImpact = WallImpact { mass: 1e-2, stiffness: 1.5e11, exponent: 2.8, loss: 0.6 };

    /// [handbook §4]
    #[test]
    fn reproduces_the_table_of_the_handbook() {
        for (speed, out, ms, mm) in [
            (1.0, -0.711950180, 1.172401601, 0.370483),
            (2.0, -1.093708101, 0.919713781, 0.501736),
            (4.0, -1.451489274, 0.775855263, 0.661447),
        ] {
            assert!((HAMMER.leaving(speed) / out - 1.0).abs() < 2e-9, "{}", HAMMER.leaving(speed));
            assert!((1e3 * HAMMER.duration(speed) / ms - 1.0).abs() < 2e-9, "{}", 1e3 * HAMMER.duration(speed));
            assert!((1e3 * HAMMER.deepest(speed) / mm - 1.0).abs() < 2e-6, "{}", 1e3 * HAMMER.deepest(speed));
        }
    }

    /// A linear spring holds the mass for half a period, and the duration is continuous in the loss.
    #[test]
    fn analytic_cases_and_continuity() {
        let spring = WallImpact { mass: 0.02, stiffness: 3e4, exponent: 1.0, loss: 0.0 };
        let half = std::f64::consts::PI * (0.02f64 / 3e4).sqrt();
        for speed in [1e-6, 1.0, 1e4] {
            assert!((spring.duration(speed) / half - 1.0).abs() < 1e-12);
            assert!((spring.deepest(speed) / (speed * (0.02f64 / 3e4).sqrt()) - 1.0).abs() < 1e-12);
        }
        // Hertz: t v/x_max = 2√π Γ(7/5)/Γ(9/10)
        let hertz = WallImpact { exponent: 1.5, ..spring };
        let ratio = hertz.duration(2.0) * 2.0 / hertz.deepest(2.0);
        assert!((ratio - 2.943_275_184_324_706).abs() < 1e-11, "{ratio}");
        for seam in [0.0, SMALL] {
            let [a, b] = [seam * 0.999_999, seam + 1e-8].map(|loss| WallImpact { loss, ..hertz }.duration(1.0));
            assert!((a / b - 1.0).abs() < 1e-7, "{a} {b}");
        }
    }

    #[test]
    fn extreme_losses_stay_finite() {
        for loss in [1e-300, 1e-9, 0.1, 10.0, 1e4, 1e9] {
            for exponent in [1.0, 2.3, 5.0] {
                let impact = WallImpact { exponent, loss, ..HAMMER };
                let [out, time, depth] = [impact.leaving(3.0), impact.duration(3.0), impact.deepest(3.0)];
                assert!(
                    (-3.0 * (1.0 + 1e-14)..0.0).contains(&out) && time > 0.0 && time.is_finite() && depth > 0.0,
                    "{impact:?}: {out} {time} {depth}"
                );
                let back = WallImpact::stiffness_for(impact.mass, exponent, loss, 3.0, time);
                assert!((back / impact.stiffness - 1.0).abs() < 1e-12, "{back}");
            }
        }
    }
}
