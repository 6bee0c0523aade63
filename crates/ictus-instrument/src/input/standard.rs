//! What a file offers to players: every path with its unit, its limits, a range made from the file, and its value at time zero.

use ictus_objects::Shape;

use super::{Input, InputKind, RAMP_S, moves};
use crate::coefficient::Coefficient;
use crate::gesture::{Action, Pluck, Strike};
use crate::law::{End, Interaction};
use crate::modulator::{FASTEST_HZ, Wave};
use crate::quantity::Dimension;
use crate::spec::{PortRef, ResonatorKind, Spec};

/// Largest force (N), speed (m/s), lift (m) or number of turns that an event may ask for: far beyond any hand, and far from overflow.
const LARGEST: f64 = 1e6;
/// A player gets at least these, however little the file's own curves use.
const LEAST_FORCE_N: f64 = 1.0;
const LEAST_PRESS_N: f64 = 5.0; // what a left hand presses a string with
const LEAST_SPEED_M_S: f64 = 0.5;
const LEAST_LIFT_M: f64 = 5e-3;
/// An octave below the highest pitch.
const OCTAVE: f64 = 0.5;
/// Least share of the pitch: the widest glide that `pedal` can write, 0.1 to 10 times the pitch.
const LEAST_PITCH: f64 = 0.01;

const SIGNED: (f64, f64) = (-LARGEST, LARGEST);
const PRESSING: (f64, f64) = (0.0, LARGEST);
const SHARE: (f64, f64) = (0.0, 1.0);
/// Gains that leave samples far from overflow.
const GAINS: (f64, f64) = (-1e9, 1e9);

type Curve = [(f64, f64)];

/// An input that is possible in a file.
pub(crate) struct Offer {
    pub input: Input,
    /// Offered without an `[[input]]`.
    pub standard: bool,
    /// What it measures; `None` for a plain number.
    pub dimension: Option<Dimension>,
}

impl Offer {
    /// Nothing in the file says how far it could move.
    pub fn needs_range(&self) -> bool {
        self.input.range.0 == self.input.range.1
    }

    /// The unit to follow a number.
    pub fn spaced_unit(&self) -> String {
        if self.input.unit.is_empty() { String::new() } else { format!(" {}", self.input.unit) }
    }
}

/// All inputs that are possible, in the order of [`Spec::inputs`].
pub(crate) fn offers(spec: &Spec) -> Vec<Offer> {
    let mut list = Vec::new();
    for (interaction, known) in spec.interactions.iter().enumerate() {
        known.offer_inputs(LawInputs { spec, interaction, known, list: &mut list });
    }
    for (barrier, known) in spec.barriers.iter().enumerate() {
        list.push(lift(InputKind::BarrierLift { barrier }, &known.id, &known.lift));
    }
    for (wires, known) in spec.wires.iter().enumerate() {
        list.push(lift(InputKind::WiresLift { wires }, &known.id, &known.lift));
    }
    for (finger, known) in spec.fingers.iter().enumerate() {
        let place = InputKind::FingerPosition { finger };
        let start = start(&known.position, 0.5);
        list.push(Offer {
            standard: moves(&known.position),
            ..offer(place, format!("{}.position", known.id), span(&known.position, start), SHARE, start)
        });
        let press = InputKind::FingerForce { finger };
        list.push(pressing(press, format!("{}.force", known.id), &known.force, LEAST_PRESS_N));
    }
    pedals(spec, &mut list);
    velocities(spec, &mut list);
    forces(spec, &mut list);
    for (tap, known) in spec.taps.iter().enumerate() {
        // silence on one side, twice as loud on the other, and the sign kept
        let range = match known.gain {
            0.0 => SHARE,
            gain => ((2.0 * gain).min(0.0), (2.0 * gain).max(0.0)),
        };
        list.push(offer(InputKind::TapGain { tap }, format!("{}.gain", known.id), range, GAINS, known.gain));
        list.push(offer(InputKind::TapPan { tap }, format!("{}.pan", known.id), (-1.0, 1.0), (-1.0, 1.0), known.pan));
    }
    coefficients(spec, &mut list);
    onsets(spec, &mut list);
    modulators(spec, &mut list);
    list
}

/// The inputs of one interaction, as its law states them in `crate::law`.
pub(crate) struct LawInputs<'a> {
    spec: &'a Spec,
    interaction: usize,
    known: &'a Interaction,
    list: &'a mut Vec<Offer>,
}

impl LawInputs<'_> {
    fn path(&self, key: &str) -> String {
        format!("{}.{key}", self.known.id)
    }

    /// The normal force, if the file gives one.
    pub fn normal(&mut self) {
        let curve = &self.known.rub.normal;
        if !curve.is_empty() {
            let normal = InputKind::Normal { interaction: self.interaction };
            self.list.push(pressing(normal, self.path("normal_n"), curve, LEAST_FORCE_N));
        }
    }

    /// How firmly the ends are held.
    pub fn weight(&mut self) {
        let weight = InputKind::Weight { interaction: self.interaction };
        self.list.push(offer(weight, self.path("weight"), SHARE, SHARE, start(&self.known.rub.weight, 1.0)));
    }

    /// A speed whose values in the file are `curve`.
    pub fn speed(&mut self, curve: &Curve) {
        let most = (2.0 * largest(curve)).max(LEAST_SPEED_M_S);
        let speed = InputKind::Speed { interaction: self.interaction };
        self.list.push(offer(speed, self.path("speed_m_s"), (-most, most), SIGNED, start(curve, 0.0)));
    }

    /// How far the surface is moved apart.
    pub fn lift(&mut self) {
        let kind = InputKind::Lift { interaction: self.interaction };
        self.list.push(lift(kind, &self.known.id, &self.known.surface.lift));
    }

    /// The position of a contact of this width on a string or a shape; other bodies have no positions to move between.
    pub fn position(&mut self, width_m: f64) {
        let End::Port(port) = self.known.between[0] else { return };
        let (own, limits, whole) = match &self.spec.resonators[port.resonator].kind {
            ResonatorKind::String(string) => {
                let half = 0.5 * width_m / string.length_m;
                (string.ports[port.port].position, (half, 1.0 - half), (half, 1.0 - half))
            }
            ResonatorKind::Object(object) => {
                // a rim is closed: a motion around it does not jump back at the end of a turn
                let closed = matches!(object.description.shape, Shape::Ring { .. } | Shape::Glass { .. });
                (object.ports[port.port].point.x, if closed { SIGNED } else { SHARE }, SHARE)
            }
            _ => return,
        };
        let curve = &self.known.rub.position;
        let start = start(curve, own);
        let range = if moves(curve) { span(curve, start) } else { whole };
        let kind = InputKind::Position { interaction: self.interaction };
        let offer = offer(kind, self.path("position"), range, limits, start);
        self.list.push(Offer { standard: moves(curve), ..offer });
    }
}

fn pedals(spec: &Spec, list: &mut Vec<Offer>) {
    for (resonator, body) in spec.resonators.iter().enumerate() {
        let ResonatorKind::Drum(drum) = &body.kind else { continue };
        for (head, known) in drum.heads.iter().enumerate() {
            // a head is built for its highest pitch: its own where it has no pedal
            let (low, high) = span(&known.pedal, 1.0);
            let share = |pitch: f64| pitch / high;
            let path = format!("{}.{}.pedal", body.id, known.name);
            let range = (share(low).min(OCTAVE), 1.0);
            let start = share(start(&known.pedal, high));
            list.push(offer(InputKind::Pedal { resonator, head }, path, range, (LEAST_PITCH, 1.0), start));
        }
    }
}

/// Velocities of the ports on which gestures impose them: others have no contact that could hold them.
fn velocities(spec: &Spec, list: &mut Vec<Offer>) {
    let mut fastest: Vec<(PortRef, f64)> = Vec::new();
    for gesture in &spec.gestures {
        let Action::Velocity { port, curve } = &gesture.action else { continue };
        match fastest.iter_mut().find(|(known, _)| known == port) {
            Some((_, most)) => *most = most.max(largest(curve)),
            None => fastest.push((*port, largest(curve))),
        }
    }
    for (port, speed) in fastest {
        let most = (2.0 * speed).max(LEAST_SPEED_M_S);
        let path = |key: &str| format!("{}.{key}", spec.port_name(port));
        list.push(offer(InputKind::Velocity { port }, path("velocity_m_s"), (-most, most), SIGNED, 0.0));
        list.push(offer(InputKind::Grip { port }, path("grip"), SHARE, SHARE, 0.0));
    }
}

/// Coefficients of laws and bodies. A pitch is only built for where an `[[input]]` says how far it bends.
fn coefficients(spec: &Spec, list: &mut Vec<Offer>) {
    let mut add = |kind: InputKind, coefficient: Coefficient, id: &str, start: f64| {
        let path = format!("{id}.{}", coefficient.key());
        let offer = offer(kind, path, coefficient.range(start), coefficient.limits(start), start);
        list.push(Offer { standard: coefficient != Coefficient::PitchCents, ..offer });
    };
    for (interaction, known) in spec.interactions.iter().enumerate() {
        for (coefficient, start) in known.law.coefficients() {
            add(InputKind::Law { interaction, coefficient }, coefficient, &known.id, start);
        }
    }
    for (resonator, known) in spec.resonators.iter().enumerate() {
        for (coefficient, start) in known.kind.coefficients() {
            // the weight of a mass would have to follow it
            if coefficient == Coefficient::MassKg && spec.gravity_m_s2 != 0.0 {
                continue;
            }
            add(InputKind::Body { resonator, coefficient }, coefficient, &known.id, start);
        }
    }
}

/// What gestures of the file read when they begin.
fn onsets(spec: &Spec, list: &mut Vec<Offer>) {
    for (gesture, known) in spec.gestures.iter().enumerate() {
        for (value, start) in known.action.onsets() {
            let path = format!("{}.{}", known.id, value.key());
            // from a touch to twice as much, the sign kept
            let range = ((0.1 * start).min(2.0 * start), (0.1 * start).max(2.0 * start));
            list.push(offer(InputKind::Onset { gesture, value }, path, range, value.limits(), start));
        }
    }
}

/// External forces on every port that can be touched.
fn forces(spec: &Spec, list: &mut Vec<Offer>) {
    let mut used = std::collections::HashMap::new();
    for gesture in &spec.gestures {
        if let Some((port, force)) = peak(&gesture.action) {
            let most: &mut f64 = used.entry(port).or_default();
            *most = most.max(force);
        }
    }
    for (resonator, body) in spec.resonators.iter().enumerate() {
        for (index, name) in body.port_names().enumerate() {
            let port = PortRef { resonator, port: index };
            if !spec.can_be_touched(port) {
                continue;
            }
            let most = (2.0 * used.get(&port).copied().unwrap_or(0.0)).max(LEAST_FORCE_N);
            let path = if name.is_empty() { body.id.clone() } else { format!("{}.{name}", body.id) };
            list.push(offer(InputKind::Force { port }, path + ".force_n", (-most, most), SIGNED, 0.0));
        }
    }
}

/// Where a gesture pushes and with how much force at most, where it gives a force.
fn peak(action: &Action) -> Option<(PortRef, f64)> {
    match action {
        Action::Force { port, curve } => Some((*port, largest(curve))),
        Action::Pluck { port, how: Pluck::Force { force_n, .. } } => Some((*port, force_n.abs())),
        Action::Strike { port, amount: Strike::ForceN(force), .. } => Some((*port, force.abs())),
        _ => None,
    }
}

/// What events move of modulators: rate, depth and gate.
fn modulators(spec: &Spec, list: &mut Vec<Offer>) {
    for (modulator, known) in spec.modulators.iter().enumerate() {
        let path = |key: &str| format!("{}.{key}", known.id);
        if let Wave::Envelope(envelope) = &known.wave {
            let gate = InputKind::ModulatorGate { modulator };
            let open = f64::from(u8::from(envelope.at_s == Some(0.0)));
            let mut gate = offer(gate, path("gate"), SHARE, SHARE, open);
            gate.input.ramp_s = 0.0;
            list.push(gate);
        } else {
            let range = (0.0, (2.0 * known.rate_hz).min(FASTEST_HZ));
            let rate = InputKind::ModulatorRate { modulator };
            list.push(offer(rate, path("rate_hz"), range, (0.0, FASTEST_HZ), known.rate_hz));
        }
        let Some(target) = list.iter().find(|offer| offer.input.kind == known.target) else { continue };
        let (unit, dimension, (low, high)) = (target.input.unit, target.dimension, target.input.limits);
        let whole = high - low;
        let own = target.input.range.1 - target.input.range.0;
        let most = if known.depth == 0.0 { own } else { 2.0 * known.depth };
        let range = (most.min(0.0), most.max(0.0));
        let depth = InputKind::ModulatorDepth { modulator };
        let mut depth = offer(depth, path("depth"), range, (-whole, whole), known.depth);
        (depth.input.unit, depth.dimension) = (unit, dimension);
        list.push(depth);
    }
}

fn pressing(kind: InputKind, path: String, curve: &Curve, least: f64) -> Offer {
    let most = (2.0 * largest(curve)).max(least);
    offer(kind, path, (0.0, most), PRESSING, start(curve, 0.0))
}

fn lift(kind: InputKind, id: &str, curve: &Curve) -> Offer {
    let (low, high) = span(curve, 0.0);
    let margin = 0.5 * (high - low);
    let range = ((low - margin).min(-LEAST_LIFT_M), (high + margin).max(LEAST_LIFT_M));
    offer(kind, format!("{id}.lift"), range, SIGNED, start(curve, 0.0))
}

fn offer(kind: InputKind, path: String, range: (f64, f64), limits: (f64, f64), start: f64) -> Offer {
    let dimension = kind.dimension();
    let unit = dimension.map_or("", |dimension| dimension.unit);
    // a file may go beyond what an event may ask for
    let range = (range.0.clamp(limits.0, limits.1), range.1.clamp(limits.0, limits.1));
    let input = Input { id: path.clone(), path, kind, unit, range, limits, ramp_s: RAMP_S, start };
    Offer { input, standard: true, dimension }
}

/// Value at time zero: times are not negative, and ends are held.
fn start(curve: &Curve, or: f64) -> f64 {
    curve.first().map_or(or, |point| point.1)
}

fn largest(curve: &Curve) -> f64 {
    curve.iter().map(|point| point.1.abs()).fold(0.0, f64::max)
}

/// Lowest and highest value.
fn span(curve: &Curve, or: f64) -> (f64, f64) {
    let first = start(curve, or);
    curve.iter().fold((first, first), |(low, high), point| (low.min(point.1), high.max(point.1)))
}
