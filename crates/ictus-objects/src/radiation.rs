//! What a microphone hears of a vibrating disc. [Rayleigh's integral; Fahy & Gardonio, Sound and Structural Vibration, 2nd ed., §3.3 and §3.9]
//!
//! In front of a surface in a baffle the pressure is ρ₀/(2π) ∫ü e^{−jkR}/R dA, R the distance of the microphone from each point. A mode sounds at its own frequency, k = ω/c, so each
//! has one weight, w = ∫W e^{−jkR}/R dA/(2π), in metres: the pressure is ρ₀ times the acceleration of a port with these weights. Modes whose waves are shorter than those in air
//! cancel: hills push what valleys pull. Close by, their field is that of the place below, fading as e^{−z√(k_b² − k²)} with the height z; far away what is left comes from the rim.
//! A disc with a free rim hangs in the open, and air flows around it. A rigid disc then has the dipole moment (8/3)ρ₀a³ü; its field is x = (8/3π)(a/r)√(1 + (kr)²) of that of a
//! baffled disc, r the distance from the centre. Here x/√(1 + x²), which goes over to the baffled disc where the disc is large or near.
//! What a mode sends out it loses. Far away, at θ from the axis, a side has the pressure ρ₀ω²q a²/r · ∫R J_n(ka r sin θ) r dr cos nφ; the power of both sides over that of the motion adds
//! σ = ρ₀ω²a⁴ε/(c m) ∫(∫R J_n r dr)² sin θ dθ to the decay rate of a mode of mass m, ε = 2π for n = 0 and π otherwise: next to nothing below coincidence, where waves in the disc become as fast as
//! sound, and ρ₀c/ρ_s above it, ρ_s the mass per area.
//! Scheme: W = R(r) cos nφ; Gauss points along the radius, equal steps around, as many as mode and distance need.
//! Limits: the phase of a weight is left out but for its sign, which moves a mode by up to a quarter of its period. Between the two limits the free rim is an estimate: its exact field needs an
//! integral equation. No room, no directivity of the microphone.

use crate::description::Description;
use crate::material::decay_s;
use crate::maths::legendre::gauss;
use crate::object::{Field, Object};
use crate::shape::disc::DiscShape;
use crate::shape::{CircularEdge, Shape};
use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};

/// Speed of sound in air at 20 °C, m/s.
const SOUND_M_S: f64 = 343.0;
/// Density of air, kg/m³.
const AIR_KG_M3: f64 = 1.2;
/// Points beyond those that two per wave ask for: the sums are then right to 10⁻³ of the largest weight.
const MORE_POINTS: usize = 16;
/// Gauss rules come in multiples of so many points, so that few are computed.
const ROUNDED: usize = 16;

/// Gauss rules by their number of points over [`ROUNDED`].
type Rules = BTreeMap<usize, Vec<(f64, f64)>>;

/// A place in front of a disc.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Microphone {
    /// Above this point, in radii.
    pub x: f64,
    /// Above this point, in radii.
    pub y: f64,
    /// Height above the disc, m.
    pub height_m: f64,
}

impl Shape {
    /// True for shapes whose sound in the air is computed.
    pub fn can_radiate(&self) -> bool {
        matches!(self, Self::CircularMembrane { .. } | Self::CircularPlate { .. })
    }
}

impl Description {
    /// The weight of every mode of `object`, built from this description, in what a microphone hears, m. Zero for motions as a whole and for shapes that are not discs.
    pub fn heard(&self, object: &Object, microphone: Microphone) -> Vec<f64> {
        let (radius, open) = match self.shape {
            Shape::CircularMembrane { radius_m, .. } => (radius_m, false),
            Shape::CircularPlate { radius_m, edge, .. } => (radius_m, edge == CircularEdge::Free),
            _ => return vec![0.0; object.modes.len()],
        };
        let scene = Scene::new(radius, microphone);
        // twins share frequency and shape but for the angle, and stand side by side
        let mut rules = Rules::new();
        let mut last: Option<(u32, f64, f64)> = None;
        let weight = |(mode, field): (&crate::ObjectMode, &Field)| {
            let Field::Disc(shape) = field else { return 0.0 };
            let wave = TAU * mode.frequency_hz / SOUND_M_S;
            let straight = match last {
                Some((n, frequency, straight)) if n == shape.order() && frequency == mode.frequency_hz => straight,
                _ => scene.straight(shape, wave, &mut rules),
            };
            last = Some((shape.order(), mode.frequency_hz, straight));
            let faces = if open { scene.open(wave) } else { 1.0 };
            faces * straight * shape.around(scene.azimuth)
        };
        object.modes.iter().zip(&object.fields).map(weight).collect()
    }
}

impl Description {
    /// Adds to the losses of `object`, built from this description, what its modes radiate; nothing for shapes that are not discs.
    pub fn radiate(&self, object: &mut Object) {
        let (radius, open) = match self.shape {
            Shape::CircularMembrane { radius_m, .. } => (radius_m, false),
            Shape::CircularPlate { radius_m, edge, .. } => (radius_m, edge == CircularEdge::Free),
            _ => return,
        };
        let mut rules = Rules::new();
        for (mode, field) in object.modes.iter_mut().zip(&object.fields) {
            let Field::Disc(shape) = field else { continue };
            let omega = TAU * mode.frequency_hz;
            let ka = omega / SOUND_M_S * radius;
            let points = (ka + 1.0) as usize + MORE_POINTS;
            let rule = rules.entry(points.div_ceil(ROUNDED)).or_insert_with_key(|&n| gauss(n * ROUNDED));
            // θ from 0 to π/2
            let sent: f64 = rule
                .iter()
                .map(|&(x, weight)| {
                    let (sin, cos) = libm::sincos(0.25 * PI * (1.0 + x));
                    let dipole = 8.0 / (3.0 * PI) * ka * cos;
                    let faces = if open { dipole / libm::hypot(1.0, dipole) } else { 1.0 };
                    let share = faces * shape.share_of(ka * sin);
                    0.25 * PI * weight * share * share * sin
                })
                .sum();
            let around = if shape.order() == 0 { TAU } else { PI };
            let fourth = radius * radius * radius * radius;
            let rate = AIR_KG_M3 * omega * omega * fourth * around * sent / (SOUND_M_S * mode.mass_kg);
            mode.decay_s = decay_s(mode.rate() + rate);
        }
    }
}

/// A disc and a microphone, lengths in radii.
struct Scene {
    radius: f64,  // m
    aside: f64,   // distance from the axis
    height: f64,  // above the disc
    azimuth: f64, // angle around the axis
}

impl Scene {
    fn new(radius: f64, microphone: Microphone) -> Self {
        let Microphone { x, y, height_m } = microphone;
        Self { radius, aside: libm::hypot(x, y), height: height_m / radius, azimuth: libm::atan2(y, x) }
    }

    /// The weight of a mode that has its largest motion straight below the microphone, m.
    fn straight(&self, shape: &DiscShape, wave: f64, rules: &mut Rules) -> f64 {
        let n = shape.order();
        let ka = wave * self.radius;
        // waves along the radius; around it those of the mode and of the kernel, whose peak is as narrow as the microphone is near
        let along = (0.5 * shape.lambda()) as usize + (0.35 * (ka + 1.0 / self.height)) as usize + MORE_POINTS;
        let around = n as usize + ((ka + 4.0 / self.height) * 0.7) as usize + MORE_POINTS;
        // half a turn by the trapezoidal rule, cos φ and the shares of cos nφ: the kernel is even
        let steps = (0..=around).map(|i| {
            let angle = PI * i as f64 / around as f64;
            let share = if i == 0 || i == around { 0.5 } else { 1.0 };
            (libm::cos(angle), share * libm::cos(f64::from(n) * angle) / around as f64)
        });
        let steps: Vec<(f64, f64)> = steps.collect();
        let rule = rules.entry(along.div_ceil(ROUNDED)).or_insert_with_key(|&n| gauss(n * ROUNDED));
        let turns = ka / TAU;
        let (mut real, mut imaginary) = (0.0, 0.0);
        for &(x, weight) in rule.iter() {
            let r = 0.5 * (1.0 + x);
            let (base, double) = (r * r + self.aside * self.aside + self.height * self.height, 2.0 * r * self.aside);
            let (mut re, mut im) = (0.0, 0.0);
            for (cos_angle, share) in &steps {
                let distance = (base - double * cos_angle).sqrt();
                let (sin, cos) = of_turn(turns * distance);
                let amount = share / distance;
                re += amount * cos;
                im -= amount * sin;
            }
            let amount = 0.5 * weight * r * shape.radial(r);
            real += amount * re;
            imaginary += amount * im;
        }
        // ∫dφ over a turn is 2π times the mean; in metres one radius is left of r dr/R
        let size = libm::hypot(real, imaginary) * self.radius;
        // the phase of the way to the centre belongs to all modes alike
        let (sin, cos) = libm::sincos(ka * libm::hypot(self.aside, self.height));
        if real * cos - imaginary * sin < 0.0 { -size } else { size }
    }

    /// What a disc in the open has of the sound of one in a baffle.
    fn open(&self, wave: f64) -> f64 {
        let away = libm::hypot(self.aside, self.height);
        let x = 8.0 / (3.0 * PI * away) * libm::hypot(1.0, wave * self.radius * away);
        x / libm::hypot(1.0, x)
    }
}

/// Adding this and taking it away again rounds to a whole number.
const ROUND: f64 = 1.5 * (1u64 << 52) as f64;
/// sin x = x Σ S_i x^{2i}, to 10⁻⁹ up to a quarter of a turn.
const SINE: [f64; 7] =
    [1.0, -1.0 / 6.0, 1.0 / 120.0, -1.0 / 5040.0, 1.0 / 362_880.0, -1.0 / 39_916_800.0, 1.0 / 6_227_020_800.0];
/// cos x = Σ C_i x^{2i}.
const COSINE: [f64; 8] = [
    1.0,
    -0.5,
    1.0 / 24.0,
    -1.0 / 720.0,
    1.0 / 40_320.0,
    -1.0 / 3_628_800.0,
    1.0 / 479_001_600.0,
    -1.0 / 87_178_291_200.0,
];

/// Sine and cosine of `turns` whole turns, to 10⁻⁸: sums and products only, so that eight may be done at once.
fn of_turn(turns: f64) -> (f64, f64) {
    let half = PI * (turns - ((turns + ROUND) - ROUND));
    let square = half * half;
    let sum = |series: &[f64]| series.iter().rev().fold(0.0, |sum, term| sum * square + term);
    let (sin, cos) = (half * sum(&SINE), sum(&COSINE));
    (2.0 * sin * cos, 1.0 - 2.0 * sin * sin)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Point, find};

    fn plate(edge: CircularEdge) -> (Description, Object) {
        let shape = Shape::CircularPlate { radius_m: 0.17, thickness_m: 1e-3, edge };
        let description = Description::new(shape, find("bronze").unwrap().clone());
        let object = description.build(8000.0, 90).unwrap();
        (description, object)
    }

    /// ∫W e^{−jkR}/R dA/(2π) by many small areas: size.
    fn summed(object: &Object, mode: usize, wave: f64, radius: f64, at: [f64; 3]) -> f64 {
        let (rings, around) = (300, 360);
        let (mut re, mut im) = (0.0, 0.0);
        for i in 0..rings {
            let r = (i as f64 + 0.5) / rings as f64;
            for j in 0..around {
                let (sin, cos) = libm::sincos(TAU * j as f64 / around as f64);
                let w = object.shape(mode, Point::from([r * cos, r * sin]));
                let [x, y, z] = [radius * (r * cos - at[0]), radius * (r * sin - at[1]), at[2]];
                let distance = (x * x + y * y + z * z).sqrt();
                let (s, c) = libm::sincos(wave * distance);
                re += w * r * c / distance;
                im -= w * r * s / distance;
            }
        }
        radius * radius * libm::hypot(re, im) / (rings * around) as f64
    }

    #[test]
    fn weights_are_rayleighs_integral() {
        let (description, object) = plate(CircularEdge::Clamped);
        for at in [[0.0, 0.0, 0.5], [0.5, 0.3, 0.04], [-0.9, 0.4, 0.15]] {
            let heard = description.heard(&object, Microphone { x: at[0], y: at[1], height_m: at[2] });
            let most = heard.iter().fold(0.0f64, |most, w| most.max(w.abs()));
            for i in (0..object.modes.len()).step_by(11) {
                let wave = TAU * object.modes[i].frequency_hz / SOUND_M_S;
                let expected = summed(&object, i, wave, 0.17, at);
                let error = (heard[i].abs() - expected).abs();
                assert!(error < 2e-3 * most, "{at:?} mode {i}: {} instead of {expected}, {most}", heard[i]);
            }
        }
    }

    #[test]
    fn turns_have_their_sine() {
        for i in -2000..2000 {
            let turns = 0.0137 * f64::from(i);
            let ((sin, cos), (s, c)) = (of_turn(turns), libm::sincos(TAU * turns));
            assert!((sin - s).abs() < 1e-8 && (cos - c).abs() < 1e-8, "{turns}");
        }
    }

    /// A piston on the axis, far away: A/(2πr) in a baffle. The lowest clamped mode moves 0.31 of what a piston does.
    #[test]
    fn far_away_a_disc_is_its_volume() {
        let (description, object) = plate(CircularEdge::Clamped);
        let heard = description.heard(&object, Microphone { x: 0.0, y: 0.0, height_m: 20.0 });
        let piston = PI * 0.17 * 0.17 / (TAU * 20.0);
        assert!((heard[0] / piston - 0.31).abs() < 0.01, "{}", heard[0] / piston);
        assert!(heard[1].abs() < 1e-9 * piston, "a mode with a nodal diameter is not heard on the axis");
    }

    /// Above coincidence, fc = c²/(2π) √(ρh/D), a plate sends out waves at an angle and loses ρ₀c/ρ_s/√(1 − fc/f); far below hardly any.
    #[test]
    fn modes_lose_what_they_send_out() {
        let shape = Shape::CircularPlate { radius_m: 0.3, thickness_m: 0.01, edge: CircularEdge::Clamped };
        let mut material = find("aluminium").unwrap().clone();
        material.damping = crate::DampingLaw { a: 1e-9, b: 0.0, c: 0.0 };
        let description = Description::new(shape, material);
        let mut object = description.build(9000.0, 200).unwrap();
        description.radiate(&mut object);
        let (coincidence, plain) = (1190.0, AIR_KG_M3 * SOUND_M_S / 27.0);
        let high: Vec<f64> = (object.modes.iter().filter(|mode| mode.frequency_hz > 3000.0))
            .map(|mode| mode.rate() / plain * (1.0 - coincidence / mode.frequency_hz).sqrt())
            .collect();
        let mean = high.iter().sum::<f64>() / high.len() as f64;
        assert!(high.len() > 20 && (mean - 1.0).abs() < 0.05, "{mean} of {} modes", high.len());
        let (description, mut thin) = plate(CircularEdge::Free);
        let before: Vec<f64> = thin.modes.iter().map(|mode| mode.rate()).collect();
        description.radiate(&mut thin);
        let added = thin.modes.iter().zip(before).take(20).map(|(mode, before)| mode.rate() - before);
        let most = added.fold(0.0f64, f64::max);
        assert!(most < 0.05 * AIR_KG_M3 * SOUND_M_S / 8.7, "{most} 1/s far below coincidence");
    }

    /// Below 1/a the open disc is a dipole: one power of ka less than in a baffle.
    #[test]
    fn air_flows_around_a_free_rim() {
        let far = Scene::new(0.17, Microphone { x: 0.0, y: 0.0, height_m: 50.0 });
        let (low, high) = (far.open(0.1 / 0.17), far.open(50.0 / 0.17));
        assert!((low / (0.8 / (3.0 * PI)) - 1.0).abs() < 0.01 && high > 0.99, "{low} {high}");
        let near = Scene::new(0.17, Microphone { x: 0.0, y: 0.0, height_m: 0.02 });
        assert!(near.open(0.1 / 0.17) > 0.9, "close by it is hardly less");
    }
}
