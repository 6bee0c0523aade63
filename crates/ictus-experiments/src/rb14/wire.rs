//! The string of the paper and how it is played.
//!
//! ü + δu̇ = [c² + b∫(∂u/∂x)²dx] ∂²u/∂x² + f, b = E/(2ρL) [RB14 eq. 3]: everything is per mass, so that the string weighs 1 kg/m. Modes are
//! e_k = √(2/L) sin(kπx/L), and places are shares of the length.

use crate::figure::{Parameter, Values, positive, within};
use std::f64::consts::{PI, TAU};
use std::ops::Range;

/// E of the string, Pa.
const YOUNG: f64 = 2e11;
/// ρ, kg/m³.
const DENSITY: f64 = 7850.0;
/// Length of the push, samples at 44.1 kHz. [handbook §6]
const PUSH: f64 = 88.0 / 44_100.0;
/// Where the string is pushed.
pub const PUSHED: f64 = 0.3;
/// Where it is heard. [RB14 Fig. 8]
pub const HEARD: f64 = 0.08;

pub(super) const LENGTH: Parameter = positive("length", 1.8, "m", "L");
pub(super) const SPEED: Parameter = positive("speed", 200.0, "m/s", "c, the speed of waves");
pub(super) const DAMPING: Parameter = within("damping", 3.0, "1/s", "δ", (0.0, 100.0));
pub(super) const RATE: Parameter = within("rate", 44_100.0, "Hz", "sample rate", (8000.0, 1e6));
pub(super) const MODES: Parameter = within("modes", 20.0, "", "K", (1.0, 500.0));
pub(super) const AMPLITUDE: Parameter =
    within("amplitude", 800.0, "m²/s²", "height of the push, a raised cosine of 2 ms at 0.3 L", (1e-6, 1e7));

/// A Kirchhoff string.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wire {
    /// L, m.
    pub length: f64,
    /// c, m/s.
    pub speed: f64,
    /// b, 1/s².
    pub stretch: f64,
    /// δ, 1/s.
    pub damping: f64,
    /// K.
    pub modes: usize,
    /// Samples per second.
    pub rate: f64,
}

impl Wire {
    /// The string of the paper with `modes` modes at 44.1 kHz. [handbook §6]
    pub fn steel(modes: usize) -> Self {
        Self::of_length(1.8, 200.0, 3.0, modes, 44_100.0)
    }

    /// As the parameters of a figure say.
    pub fn from_values(values: &Values, modes: usize) -> Self {
        Self::of_length(values.get("length"), values.get("speed"), values.get("damping"), modes, values.get("rate"))
    }

    pub(super) fn of_length(length: f64, speed: f64, damping: f64, modes: usize, rate: f64) -> Self {
        Self { length, speed, stretch: YOUNG / (2.0 * DENSITY * length), damping, modes, rate }
    }

    /// λ_k = (kπ/L)², k from 1.
    pub fn slope(&self, k: usize) -> f64 {
        let wave = PI * k as f64 / self.length;
        wave * wave
    }

    /// c kπ/L, rad/s.
    pub fn frequency(&self, k: usize) -> f64 {
        self.speed * PI * k as f64 / self.length
    }

    /// e_k at a place.
    pub fn shape(&self, place: f64) -> Vec<f64> {
        let scale = (2.0 / self.length).sqrt();
        (1..=self.modes).map(|k| scale * libm::sin(PI * k as f64 * place)).collect()
    }
}

/// A point that adheres from one place to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finger {
    /// Place at the start.
    pub from: f64,
    /// Place at the end; the same for a finger that stays.
    pub to: f64,
}

impl Finger {
    /// A finger that stays.
    pub const fn at(place: f64) -> Self {
        Self { from: place, to: place }
    }
}

/// A push, and fingers that take hold of the string for a while.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// The string.
    pub wire: Wire,
    /// Height of the push.
    pub amplitude: f64,
    /// Fingers.
    pub fingers: Vec<Finger>,
    /// Samples over which they hold.
    pub hold: Range<usize>,
    /// Length, samples.
    pub samples: usize,
}

impl Scene {
    /// The paper's two seconds: a finger holds for 10 000 samples from 40 000 on. [RB14 §V.A]
    pub fn of_paper(wire: Wire, amplitude: f64) -> Self {
        Self { wire, amplitude, fingers: vec![Finger::at(0.72)], hold: 40_000..50_000, samples: 88_200 }
    }

    /// The same, held for `samples` and ended then.
    pub fn held_for(self, samples: usize) -> Self {
        let end = self.hold.start + samples;
        Self { hold: self.hold.start..end, samples: end, ..self }
    }

    /// Force of the push in a sample.
    pub fn push(&self, at: usize) -> f64 {
        let length = (PUSH * self.wire.rate).round();
        let at = at as f64;
        if at < length { 0.5 * self.amplitude * (1.0 - libm::cos(TAU * at / length)) } else { 0.0 }
    }

    /// Place of a finger in a sample.
    pub fn place(&self, finger: Finger, at: usize) -> f64 {
        let way = at.saturating_sub(self.hold.start) as f64 / self.hold.len().max(1) as f64;
        finger.from + way.min(1.0) * (finger.to - finger.from)
    }
}
