//! A modal string under a bow, and what can be said about its motion.

use crate::figure::{Parameter, Values, positive, within};
use ictus_core::{
    BodyId, Bristles, BuildError, Clock, Contact, ContactId, Damping, Discretisation, End, Friction,
    FrictionParameters, ModalBank, Mode, Model, ModelBuilder, Scheme, State, step,
};
use std::f64::consts::{LN_10, PI, TAU};

/// The parameters that all figures of the bowed string share. [handbook §5]
pub const PARAMETERS: &[Parameter] = &[
    positive("length", 0.33, "m", "length of the string"),
    within("pitch", 196.0, "Hz", "its fundamental", (20.0, 4000.0)),
    positive("density", 2.66e-3, "kg/m", "μ"),
    positive("decay", 0.2, "s", "time in which every mode falls to 1/e"),
    within("modes", 60.0, "", "number of modes", (1.0, 1000.0)),
    within("speed", 0.3, "m/s", "v_c, speed of the bow", (1e-6, 100.0)),
    within("ramp", 0.2, "s", "time in which the bow reaches it", (1e-6, 10.0)),
    positive("normal", 3.6, "N", "f_N, bow force"),
    positive("sticking", 0.4, "", "μ_S"),
    positive("sliding", 0.2, "", "μ_C"),
    positive("stribeck", 0.1, "m/s", "v_S"),
    positive("stiffness", 1e4, "N/m", "k_e of the bristles"),
    within("damping", 1.0, "N s/m", "σ_c of the bristles", (0.0, 1e6)),
    within("viscosity", 0.0, "N s/m", "σ_f", (0.0, 1e6)),
    within("breakaway", 0.7, "", "x_ba over f_C/k_e", (0.0, 0.999)),
    within("rate", 44_100.0, "Hz", "samples per second", (8e3, 192e3)),
];

/// A share of the bow's speed below which the string is said to stick.
pub const STICK: f64 = 0.1;

/// A string under a bow.
#[derive(Clone, Debug)]
pub struct Bow {
    /// Samples per second.
    pub rate: f64,
    /// Fundamental, Hz.
    pub pitch: f64,
    length: f64,
    density: f64,
    decay: f64,
    modes: usize,
    surfaces: FrictionParameters,
    form: Damping,
}

/// A string under a bow, running.
#[derive(Debug)]
pub struct Run {
    model: Model,
    /// Everything that changes.
    pub state: State,
    string: BodyId,
    /// The friction.
    pub contact: ContactId,
}

/// What a step left behind.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// Displacement of the string under the bow, m.
    pub displacement: f64,
    /// Velocity of the string relative to the bow, m/s.
    pub sliding: f64,
}

impl Bow {
    /// From the parameters of a figure.
    pub fn new(values: &Values) -> Self {
        Self {
            rate: values.get("rate"),
            pitch: values.get("pitch"),
            length: values.get("length"),
            density: values.get("density"),
            decay: values.get("decay"),
            modes: values.count("modes"),
            surfaces: FrictionParameters {
                stiffness: values.get("stiffness"),
                damping: values.get("damping"),
                viscosity: values.get("viscosity"),
                sticking: values.get("sticking"),
                sliding: values.get("sliding"),
                stribeck: values.get("stribeck"),
                breakaway: values.get("breakaway"),
            },
            form: Damping::Passive,
        }
    }

    /// The same with other damping of the bristles.
    #[must_use]
    pub fn damped(mut self, damping: f64, form: Damping) -> Self {
        self.surfaces.damping = damping;
        self.form = form;
        self
    }

    /// √(Tμ), N s/m.
    pub fn impedance(&self) -> f64 {
        2.0 * self.length * self.pitch * self.density
    }

    /// μ_S − μ_C.
    pub fn grip(&self) -> f64 {
        self.surfaces.sticking - self.surfaces.sliding
    }

    /// 1/e time of the modes, s.
    pub fn decay(&self) -> f64 {
        self.decay
    }

    /// What rubs.
    pub(super) fn surfaces(&self) -> FrictionParameters {
        self.surfaces
    }

    /// The modes of the string below the Nyquist frequency.
    pub(super) fn modes(&self) -> Vec<Mode> {
        let sigma = 1.0 / self.decay;
        (1..=self.modes)
            .map(|n| {
                let undamped = TAU * self.pitch * n as f64;
                Mode {
                    frequency: (undamped * undamped - sigma * sigma).max(0.0).sqrt() / TAU,
                    decay: 3.0 * LN_10 * self.decay,
                    mass: 0.5 * self.density * self.length,
                }
            })
            .take_while(|mode| mode.frequency < 0.499 * self.rate)
            .collect()
    }

    /// The displacement at `place` of `count` modes.
    pub(super) fn shape(count: usize, place: f64) -> Vec<f64> {
        (1..=count).map(|n| libm::sin(PI * n as f64 * place)).collect()
    }

    /// Bowed at `place`, a share of the length, in the core alone.
    pub fn at(&self, place: f64) -> Result<Run, BuildError> {
        let clock = Clock::new(Scheme::Midpoint, 1.0 / self.rate);
        let modes = self.modes();
        let shape = Self::shape(modes.len(), place);
        let mut builder = ModelBuilder::new(clock);
        let string = builder.body("string", ModalBank::new(clock, &modes, &[shape], Discretisation::Exact)?);
        let law = Friction::new(clock, self.surfaces, Bristles::ElastoPlastic, self.form)?;
        let contact = builder.contact(Contact::new("bow", [End::port(string, 0), End::Wall], law.into()));
        let model = builder.build()?;
        let state = State::new(&model);
        Ok(Run { model, state, string, contact })
    }
}

impl Run {
    /// One step under a bow pressed with `normal` (N) that moves at `speed` (m/s).
    pub fn step(&mut self, normal: f64, speed: f64) -> Moment {
        self.state.press(&self.model, self.contact, normal);
        self.state.slide(self.contact, speed);
        step(&self.model, &mut self.state);
        Moment {
            displacement: self.state.displacement(&self.model, self.string, 0),
            sliding: self.state.velocity(&self.model, self.string, 0) - speed,
        }
    }

    /// Energy of the string, J.
    pub fn string_energy(&self) -> f64 {
        self.state.body_energy(&self.model, self.string)
    }

    /// Energy of the bristles, J.
    pub fn bristle_energy(&self) -> f64 {
        self.state.contact_energy(&self.model, self.contact)
    }
}

/// Speed of a bow that reaches `speed` in `ramp` seconds.
pub fn ramped(speed: f64, ramp: f64, time: f64) -> f64 {
    speed * (time / ramp).min(1.0)
}
