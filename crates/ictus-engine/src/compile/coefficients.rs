//! Coefficients that a player changes while the instrument sounds.
//!
//! They change at steps divisible by 32 only, so that everything between is constant and the fast paths apply. What is set then is computed by the functions that the compilation uses, from
//! the values of the file and of the inputs at that step: coefficients have the bits of an instrument that was loaded with these values.

use super::inputs::Inputs;
use super::{BankView, Site};
use crate::drive::{Applied, Drive, Hand, Stage};
use crate::signal::{InputId, Signals};
use ictus_core::{
    BodyId, Clock, Collision, ContactId, Felt, Mass, Mode, Model, NonlinearSpring, PowerLaw, Scheme, Spring, State,
};
use ictus_instrument as file;
use ictus_instrument::{Coefficient, InputKind};

/// Steps between two changes.
const EVERY: u64 = 32;
/// A spring without stiffness needs a damper, N s/m.
const LEAST_N_S_M: f64 = 1e-9;
/// Just below the largest k dt²/m that the leapfrog scheme carries. [D21 eq. 22]
const LEAPFROG: f64 = 4.0 * (1.0 - 1e-9);
/// Cents of an octave.
const OCTAVE: f64 = 1200.0;

/// Inputs that are coefficients of one thing, with the values that it was built with.
#[derive(Debug)]
struct Moved {
    inputs: Vec<(Coefficient, InputId)>,
    start: Applied,
}

impl Moved {
    fn new(inputs: &Inputs, built: &[(Coefficient, f64)], kind: impl Fn(Coefficient) -> InputKind) -> Option<Self> {
        let found = inputs.coefficients(kind);
        let mut start = Applied::default();
        for (value, (coefficient, _)) in start.iter_mut().zip(&found) {
            *value = built.iter().find(|(known, _)| known == coefficient)?.1;
        }
        (!found.is_empty()).then_some(Self { inputs: found, start })
    }

    fn ids(&self) -> Vec<InputId> {
        self.inputs.iter().map(|&(_, input)| input).collect()
    }

    /// The coefficients with their values.
    fn with<'a>(&'a self, values: &'a Applied) -> impl Iterator<Item = (Coefficient, f64)> + 'a {
        self.inputs.iter().zip(values).map(|(&(coefficient, _), &value)| (coefficient, value))
    }

    /// Calls `set` with new values at the steps where coefficients may change; returns when to look again.
    fn play(&self, hand: &mut Hand, stage: &mut Stage, set: impl Fn(&mut Model, Option<&mut State>, &Applied)) -> f64 {
        let step = stage.step;
        if !step.is_multiple_of(EVERY) {
            return step.next_multiple_of(EVERY) as f64;
        }
        let mut values = hand.applied;
        for (value, &(_, input)) in values.iter_mut().zip(&self.inputs) {
            *value = stage.signals.at(input, step as f64);
        }
        if values != hand.applied {
            hand.applied = values;
            set(stage.model, Some(stage.state), &values);
        }
        let next = self.still_until(&stage.signals, step as f64);
        if next > step as f64 { next } else { (step + EVERY) as f64 }
    }

    fn still_until(&self, signals: &Signals, time: f64) -> f64 {
        self.inputs.iter().map(|&(_, input)| signals.still_until(input, time)).fold(f64::INFINITY, f64::min)
    }
}

/// The law of an interaction.
#[derive(Debug)]
pub(super) struct LawDrive {
    clock: Clock,
    /// Of the file.
    law: file::Law,
    /// One, or the points of a bow.
    contacts: Vec<ContactId>,
    moved: Moved,
}

impl LawDrive {
    /// Of interaction `index`, if its law has coefficients that can change.
    pub fn new(site: Site, (index, contacts): (usize, &[ContactId]), inputs: &Inputs) -> Option<Self> {
        let law = site.loaded.spec.interactions[index].law;
        let kind = |coefficient| InputKind::Law { interaction: index, coefficient };
        let moved = Moved::new(inputs, &law.coefficients(), kind)?;
        Some(Self { clock: site.clock, law, contacts: contacts.to_vec(), moved })
    }

    fn set(&self, model: &mut Model, mut state: Option<&mut State>, values: &Applied) {
        let law = self.moved.with(values).fold(self.law, |law, (coefficient, value)| law.with(coefficient, value));
        for &contact in &self.contacts {
            let state = state.as_deref_mut();
            // the limits of the inputs leave nothing that a law refuses
            match law {
                file::Law::Collision { stiffness, exponent, damping_s_m, .. } => {
                    let law = Collision::new(self.clock, PowerLaw::new(stiffness, exponent), damping_s_m);
                    model.set_collision(state, contact, law);
                }
                file::Law::Felt { stiffness, exponent, hysteresis, relaxation_s, .. } => {
                    if let Ok(felt) =
                        Felt::new(self.clock, PowerLaw::new(stiffness, exponent), hysteresis, relaxation_s)
                    {
                        model.set_felt(state, contact, felt);
                    }
                }
                file::Law::Spring { stiffness_n_m, damping_n_s_m } => {
                    let damping_n_s_m =
                        if stiffness_n_m == 0.0 { damping_n_s_m.max(LEAST_N_S_M) } else { damping_n_s_m };
                    if let Ok(spring) = Spring::new(self.clock, stiffness_n_m, damping_n_s_m) {
                        model.set_spring(state, contact, spring);
                    }
                }
                file::Law::NonlinearSpring { stiffness, exponent } => {
                    let law = NonlinearSpring::new(self.clock, PowerLaw::new(stiffness, exponent));
                    model.set_nonlinear_spring(state, contact, law);
                }
                file::Law::Friction(mut surfaces) => {
                    surfaces.sticking = surfaces.sticking.max(surfaces.sliding);
                    if let Ok(friction) = super::law::friction(self.clock, &surfaces, self.contacts.len()) {
                        model.set_friction(state, contact, friction);
                    }
                }
                file::Law::Adhere { .. } => {}
            }
        }
    }
}

impl Drive for LawDrive {
    fn inputs(&self) -> Vec<InputId> {
        self.moved.ids()
    }

    fn hand(&self) -> Hand {
        Hand::at(self.moved.start)
    }

    fn play(&self, hand: &mut Hand, stage: &mut Stage) -> f64 {
        self.moved.play(hand, stage, |model, state, values| self.set(model, state, values))
    }

    fn restore(&self, hand: &Hand, model: &mut Model) {
        self.set(model, None, &hand.applied);
    }
}

/// A body.
#[derive(Debug)]
pub(super) struct BodyDrive {
    clock: Clock,
    body: BodyId,
    own: Own,
    moved: Moved,
}

/// The coefficients of the file.
#[derive(Debug)]
enum Own {
    Mass(file::Mass),
    Modes(Vec<Mode>),
}

impl BodyDrive {
    /// Of all bodies with coefficients that can change.
    pub fn all(site: Site, ids: &[BodyId], (inputs, banks): (&Inputs, &[BankView])) -> Vec<Box<dyn Drive>> {
        let one = |(resonator, known): (usize, &file::Resonator)| {
            let kind = |coefficient| InputKind::Body { resonator, coefficient };
            let moved = Moved::new(inputs, &known.kind.coefficients(), kind)?;
            let own = match &known.kind {
                file::ResonatorKind::Mass(mass) => Own::Mass(mass.clone()),
                _ => Own::Modes(banks.iter().find(|bank| bank.id == known.id)?.modes.clone()),
            };
            Some(Box::new(Self { clock: site.clock, body: ids[resonator], own, moved }) as Box<dyn Drive>)
        };
        site.loaded.spec.resonators.iter().enumerate().filter_map(one).collect()
    }

    fn set(&self, model: &mut Model, state: Option<&mut State>, values: &Applied) {
        match &self.own {
            Own::Mass(own) => {
                let (mut mass, mut stiffness, mut damping) = (own.mass_kg, own.stiffness_n_m, own.damping_n_s_m);
                for (coefficient, value) in self.moved.with(values) {
                    match coefficient {
                        Coefficient::MassKg => mass = value,
                        Coefficient::StiffnessNM => stiffness = value,
                        Coefficient::DampingNSM => damping = value,
                        _ => {}
                    }
                }
                if self.clock.scheme == Scheme::Leapfrog {
                    stiffness = stiffness.min(LEAPFROG * mass / (self.clock.dt * self.clock.dt));
                }
                if let Ok(mass) = Mass::new(self.clock, mass, stiffness, damping) {
                    let mass = mass.starting(own.position_m, own.velocity_m_s);
                    model.set_mass(state, self.body, mass);
                }
            }
            Own::Modes(modes) => {
                let (mut damping, mut ratio) = (1.0, 1.0);
                for (coefficient, value) in self.moved.with(values) {
                    match coefficient {
                        Coefficient::Damping => damping = value,
                        Coefficient::PitchCents => ratio = libm::exp2(value / OCTAVE),
                        _ => {}
                    }
                }
                model.set_modes(state, self.body, &mut |i| Mode {
                    frequency: modes[i].frequency * ratio,
                    decay: modes[i].decay / damping,
                    ..modes[i]
                });
            }
        }
    }
}

/// How much higher than built for rest the modes of a resonator may become: the top of its `[[input]]` for the pitch.
pub(super) fn top_pitch(site: Site, id: &str) -> f64 {
    let spec = &site.loaded.spec;
    let resonator = spec.resonators.iter().position(|resonator| resonator.id == id);
    let kind = |resonator| InputKind::Body { resonator, coefficient: Coefficient::PitchCents };
    let top = resonator.and_then(|resonator| spec.named_input(kind(resonator))).map_or(0.0, |input| input.range.1);
    libm::exp2(top.max(0.0) / OCTAVE)
}

impl Drive for BodyDrive {
    fn inputs(&self) -> Vec<InputId> {
        self.moved.ids()
    }

    fn hand(&self) -> Hand {
        Hand::at(self.moved.start)
    }

    fn play(&self, hand: &mut Hand, stage: &mut Stage) -> f64 {
        self.moved.play(hand, stage, |model, state, values| self.set(model, state, values))
    }

    fn restore(&self, hand: &Hand, model: &mut Model) {
        self.set(model, None, &hand.applied);
    }
}
