//! The modal recursion X(tᵢ) = e^{AT} X(tᵢ₋₁) + B₀ f(tᵢ), exact for a force that stays over a step. [RB14 eq. 2]
//!
//! Per mode G = 1/(s² + δs + c²k²π²/L²) [handbook §6; the print lacks c and L]. With h the response to an impulse and g that to a displacement,
//! e^{AT} = [g h; −ω²h ḣ] and B₀ = [(1 − g)/ω², h].

use super::wire::Wire;
use ictus_core::BuildError;

/// e^{AT} and B₀ of one mode.
#[derive(Clone, Copy, Debug)]
struct Mode {
    keep: [[f64; 2]; 2],
    displaced: f64,   // first of B₀: displacement by a force
    accelerated: f64, // second of B₀: velocity by a force
}

/// One step of all modes.
#[derive(Clone, Debug)]
pub struct Kernel {
    modes: Vec<Mode>,
    /// λ_k.
    pub(super) slopes: Vec<f64>,
    /// γ_k of the paper, over π²/L²: −b λ_k.
    pub(super) weights: Vec<f64>,
    /// ω_k².
    stiffness: Vec<f64>,
}

/// Displacement and velocity of all modes.
#[derive(Clone, Debug)]
pub struct Motion {
    /// Displacements.
    pub u: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
}

impl Motion {
    pub(super) fn rest(modes: usize) -> Self {
        Self { u: vec![0.0; modes], v: vec![0.0; modes] }
    }

    /// Velocity at a point.
    pub fn velocity(&self, shape: &[f64]) -> f64 {
        dot(&self.v, shape)
    }
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Kernel {
    /// Of a string; refused where a mode does not swing.
    pub fn new(wire: &Wire) -> Result<Self, BuildError> {
        let decay = 0.5 * wire.damping;
        if decay >= wire.frequency(1) {
            let expected = format!("below {}: the lowest mode must swing", 2.0 * wire.frequency(1));
            return Err(BuildError::Parameter { what: "damping", value: wire.damping, expected });
        }
        let step = 1.0 / wire.rate;
        let mode = |k: usize| {
            let stiffness = wire.frequency(k) * wire.frequency(k);
            let swing = (stiffness - decay * decay).sqrt();
            let (sin, cos) = libm::sincos(swing * step);
            let fall = libm::exp(-decay * step);
            let h = fall * sin / swing;
            let g = fall * cos + decay * h;
            Mode {
                keep: [[g, h], [-stiffness * h, g - 2.0 * decay * h]],
                displaced: (1.0 - g) / stiffness,
                accelerated: h,
            }
        };
        let slopes: Vec<f64> = (1..=wire.modes).map(|k| wire.slope(k)).collect();
        Ok(Self {
            modes: (1..=wire.modes).map(mode).collect(),
            weights: slopes.iter().map(|slope| -wire.stretch * slope).collect(),
            slopes,
            stiffness: (1..=wire.modes).map(|k| wire.frequency(k) * wire.frequency(k)).collect(),
        })
    }

    /// X̃ = e^{AT} X.
    pub(super) fn free_run(&self, motion: &mut Motion) {
        for ((u, v), mode) in motion.u.iter_mut().zip(&mut motion.v).zip(&self.modes) {
            let [[a, b], [c, d]] = mode.keep;
            (*u, *v) = (a * *u + b * *v, c * *u + d * *v);
        }
    }

    /// X = X̃ + B₀ f.
    pub(super) fn drive(&self, motion: &mut Motion, forces: &[f64]) {
        for (((u, v), mode), force) in motion.u.iter_mut().zip(&mut motion.v).zip(&self.modes).zip(forces) {
            *u += mode.displaced * force;
            *v += mode.accelerated * force;
        }
    }

    /// X = X̃ + B₀ e F: a force at a point.
    pub(super) fn push(&self, motion: &mut Motion, shape: &[f64], force: f64) {
        for (((u, v), mode), e) in motion.u.iter_mut().zip(&mut motion.v).zip(&self.modes).zip(shape) {
            *u += mode.displaced * e * force;
            *v += mode.accelerated * e * force;
        }
    }

    /// Displacements by a force at a point.
    pub(super) fn displaced(&self, shape: &[f64]) -> Vec<f64> {
        self.modes.iter().zip(shape).map(|(mode, e)| mode.displaced * e).collect()
    }

    /// First of B₀ of a mode.
    pub(super) fn displacing(&self, k: usize) -> f64 {
        self.modes[k].displaced
    }

    /// Velocity at one point by forces on the modes.
    pub(super) fn velocity_by(&self, shape: &[f64], forces: &[f64]) -> f64 {
        self.modes.iter().zip(shape).zip(forces).map(|((mode, e), force)| mode.accelerated * e * force).sum()
    }

    /// Energy of small vibrations of one mode per mass, ½(v² + ω²u²).
    pub(super) fn energy(&self, k: usize, u: f64, v: f64) -> f64 {
        0.5 * (v * v + self.stiffness[k] * u * u)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_free_mode_swings_and_decays_as_it_should() {
        let wire = Wire::steel(3);
        let kernel = Kernel::new(&wire).unwrap();
        let mut motion = Motion::rest(3);
        motion.u[2] = 1.0;
        let steps = 1000;
        (0..steps).for_each(|_| kernel.free_run(&mut motion));
        let time = f64::from(steps) / wire.rate;
        let swing = (wire.frequency(3) * wire.frequency(3) - 2.25f64).sqrt();
        let exact = libm::exp(-1.5 * time) * (libm::cos(swing * time) + 1.5 / swing * libm::sin(swing * time));
        assert!((motion.u[2] - exact).abs() < 1e-11, "{} {exact}", motion.u[2]);
    }

    #[test]
    fn a_steady_force_bends_by_the_compliance() {
        let wire = Wire { damping: 300.0, ..Wire::steel(2) };
        let kernel = Kernel::new(&wire).unwrap();
        let mut motion = Motion::rest(2);
        for _ in 0..44_100 {
            kernel.free_run(&mut motion);
            kernel.drive(&mut motion, &[2.0, 0.0]);
        }
        assert!((motion.u[0] * wire.frequency(1) * wire.frequency(1) / 2.0 - 1.0).abs() < 1e-9);
        assert!(motion.v[0].abs() < 1e-9 && motion.u[1] == 0.0);
    }

    #[test]
    fn a_string_that_does_not_swing_is_refused() {
        assert!(Kernel::new(&Wire { damping: 1e4, ..Wire::steel(2) }).is_err());
    }
}
