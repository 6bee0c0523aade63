//! The engine's string in a scene: modes that share one tension, imposed velocities at ports that may move.

use super::take::{Moment, Player};
use super::wire::{HEARD, PUSHED, Scene, Wire};
use ictus_core::{
    BodyId, BuildError, Clock, Contact, ContactId, End, Law, Mode, Model, ModelBuilder, Path, Scheme, State,
    StretchedBank, step,
};
use std::f64::consts::{LN_10, PI, TAU};

/// Ports: pushed, heard, then the fingers.
const FINGERS: usize = 2;

/// A string of 1 kg/m with ports at `positions`.
pub(super) fn bank(clock: Clock, wire: &Wire, positions: &[f64]) -> Result<StretchedBank, BuildError> {
    // the damping of u̇ is twice the decay of the amplitude
    let decay = if wire.damping > 0.0 { 3.0 * LN_10 / (0.5 * wire.damping) } else { f64::INFINITY };
    let modes: Vec<Mode> =
        (1..=wire.modes).map(|k| Mode { frequency: swing(wire, k) / TAU, decay, mass: 0.5 * wire.length }).collect();
    let shape = |x: &f64| (1..=wire.modes).map(|k| libm::sin(PI * k as f64 * x)).collect();
    let shapes: Vec<Vec<f64>> = positions.iter().map(shape).collect();
    let slopes: Vec<f64> = (1..=wire.modes).map(|k| 0.5 * wire.length * wire.slope(k)).collect();
    StretchedBank::new(clock, &modes, &shapes, &slopes, wire.stretch)
}

/// The frequency at which a damped mode sounds, which the engine takes, rad/s.
fn swing(wire: &Wire, k: usize) -> f64 {
    (wire.frequency(k) * wire.frequency(k) - 0.25 * wire.damping * wire.damping).max(0.0).sqrt()
}

pub(super) struct Kirchhoff {
    model: Model,
    state: State,
    string: BodyId,
    push: ContactId,
    contacts: Vec<ContactId>,
}

impl Kirchhoff {
    pub(super) fn new(scene: &Scene, scheme: Scheme) -> Result<Self, BuildError> {
        let wire = &scene.wire;
        let clock = Clock::new(scheme, 1.0 / wire.rate);
        let mut positions = vec![PUSHED, HEARD];
        positions.extend(scene.fingers.iter().map(|finger| finger.from));
        let mut body = bank(clock, wire, &positions)?;
        for (i, finger) in scene.fingers.iter().enumerate() {
            if finger.from != finger.to {
                body = body.with_path(FINGERS + i, Path::String(vec![(0..wire.modes, 1.0)]))?;
            }
        }
        let mut builder = ModelBuilder::new(clock);
        let string = builder.body("string", body);
        let push = builder.contact(Contact::new("push", [End::port(string, 0), End::Wall], Law::Force));
        let contacts = (0..scene.fingers.len())
            .map(|i| {
                let ends = [End::port(string, FINGERS + i), End::Wall];
                builder.contact(Contact::new(format!("finger {i}"), ends, Law::Velocity))
            })
            .collect();
        let model = builder.build()?;
        let mut state = State::new(&model);
        state.ledger.enabled = false;
        Ok(Self { model, state, string, push, contacts })
    }
}

impl Player for Kirchhoff {
    fn step(&mut self, scene: &Scene, at: usize) -> Moment {
        let Self { model, state, string, push, contacts } = self;
        let holds = scene.hold.contains(&at);
        for (i, (&contact, &finger)) in contacts.iter().zip(&scene.fingers).enumerate() {
            state.engage(model, contact, holds);
            if holds && finger.from != finger.to {
                state.move_port(model, *string, FINGERS + i, scene.place(finger, at));
            }
        }
        state.set_input(*push, scene.push(at));
        step(model, state);
        let speed = |i: usize| state.velocity(model, *string, FINGERS + i).abs();
        let touched = if holds { contacts.len() } else { 0 };
        // a body that stopped being finite is taken out of the model
        let energy = if state.is_quarantined(*string) { f64::INFINITY } else { state.body_energy(model, *string) };
        Moment {
            heard: state.velocity(model, *string, 1),
            force: if touched > 0 { state.contact_force(contacts[0]) } else { 0.0 },
            held: (0..touched).map(speed).fold(0.0, f64::max),
            energy,
        }
    }
}
