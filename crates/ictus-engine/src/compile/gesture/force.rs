//! Forces on ports: weights, curves, fingers, and what plucks and strikes add to them.

use super::{Gestures, Join, Occurrence};
use crate::compile::inputs::Inputs;
use crate::compile::{ContactIds, Site};
use crate::cue::{Cue, CuedOnset, Effect};
use crate::drive::{Drive, Hand, Stage};
use crate::signal::{InputId, Signals};
use crate::stroke::{Curves, PlacedStroke, Stroke, StrokeShape};
use ictus_core::{BodyId, ContactId, End, Law};
use ictus_instrument as file;
use ictus_instrument::{InputKind, PortRef};
use std::sync::Arc;

/// A stroke, and the gesture that it plays.
type Played = (Stroke, CuedOnset);

/// Forces of the file.
#[derive(Default)]
pub(super) struct Forces {
    /// Per port a constant force, N, and strokes.
    ports: Vec<(PortRef, f64, Vec<Played>)>,
    curves: Curves,
    /// Strokes per drive that was made.
    strokes: Vec<Vec<Played>>,
}

impl Gestures<'_> {
    pub(super) fn force(&mut self, once: Occurrence, port: PortRef, curve: &[(f64, f64)]) {
        let points = curve.iter().map(|&(t, value)| (self.steps(t), value)).collect();
        let shape = StrokeShape::Curve { index: self.forces.curves.len() };
        self.forces.curves.push(points);
        self.forces.add(port, once, Stroke { start: once.start, amplitude: once.factor, shape });
    }
}

impl Forces {
    /// The weights of the masses.
    pub fn of_weights(spec: &file::Spec) -> Self {
        let mut forces = Vec::new();
        if spec.gravity_m_s2 != 0.0 {
            for (index, resonator) in spec.resonators.iter().enumerate() {
                if let file::ResonatorKind::Mass(mass) = &resonator.kind {
                    let weight = -mass.mass_kg * spec.gravity_m_s2;
                    forces.push((PortRef { resonator: index, port: 0 }, weight, Vec::new()));
                }
            }
        }
        Self { ports: forces, ..Self::default() }
    }

    /// Ports under a force.
    pub fn len(&self) -> usize {
        self.ports.len()
    }

    pub fn add(&mut self, port: PortRef, once: Occurrence, stroke: Stroke) {
        let stroke = (stroke, once.onset());
        match self.ports.iter_mut().find(|(p, _, _)| *p == port) {
            Some((_, _, strokes)) => strokes.push(stroke),
            None => self.ports.push((port, 0.0, vec![stroke])),
        }
    }

    /// Makes the drives of ports, then those of fingers; strokes become cues for them.
    pub fn drives(&mut self, site: Site, (inputs, rows): (&Inputs, &ContactIds), join: &mut Join) -> Vec<ForceDrive> {
        let spec = &site.loaded.spec;
        let mut drives: Vec<ForceDrive> = Vec::new();
        for (port, constant, strokes) in self.ports.drain(..) {
            let name = spec.port_name(port);
            let contact = join.contact(join.end(port), format!("force on {name}"), Law::Force, &name);
            let input = inputs.find(InputKind::Force { port }).map(|input| (input, 1.0));
            let on = (join.body(port), port.port);
            drives.push(ForceDrive {
                on,
                contact,
                constant,
                input,
                most: strokes.len() + EVENT_STROKES,
                curves: Arc::default(),
            });
            self.strokes.push(strokes);
        }
        for (index, (finger, &body)) in spec.fingers.iter().zip(&rows.finger_bodies).enumerate() {
            let towards = match finger.side {
                file::Side::Above => -1.0,
                file::Side::Below => 1.0,
            };
            let contact = join.contact(End::port(body, 0), format!("force on {}", finger.id), Law::Force, &finger.id);
            let input = inputs.find(InputKind::FingerForce { finger: index }).map(|input| (input, towards));
            drives.push(ForceDrive { on: (body, 0), contact, constant: 0.0, input, most: 0, curves: Arc::default() });
            self.strokes.push(Vec::new());
        }
        let curves = Arc::new(std::mem::take(&mut self.curves));
        for drive in &mut drives {
            drive.curves = Arc::clone(&curves);
        }
        drives
    }

    /// The strokes as cues for drives, the first of which has index `first`; sorted by step and start.
    pub fn cues(&mut self, drives: &[ForceDrive], first: usize, phase: f64) -> Vec<Cue> {
        let mut cues: Vec<(f64, Cue)> = Vec::new();
        for (index, (strokes, drive)) in self.strokes.drain(..).zip(drives).enumerate() {
            for (stroke, onset) in strokes {
                let placed = PlacedStroke { stroke, body: drive.on.0, port: drive.on.1 };
                let effect = Effect::Stroke { drive: first + index, placed };
                cues.push((stroke.start, Cue { onset: Some(onset), ..Cue::new(stroke.first_step(phase), effect) }));
            }
        }
        cues.sort_by(|a, b| a.1.step.cmp(&b.1.step).then(a.0.total_cmp(&b.0)));
        cues.into_iter().map(|(_, cue)| cue).collect()
    }
}

/// Strokes that a player can have under way at one port, besides those of the file.
const EVENT_STROKES: usize = 32;

/// The force on one port: a constant, an input and any number of strokes.
#[derive(Clone, Debug)]
pub(in crate::compile) struct ForceDrive {
    pub on: (BodyId, usize),
    pub contact: ContactId,
    pub constant: f64, // N
    /// A further force and its sign.
    pub input: Option<(InputId, f64)>,
    /// Most strokes under way at once.
    pub most: usize,
    pub curves: Arc<Curves>,
}

impl Drive for ForceDrive {
    fn inputs(&self) -> Vec<InputId> {
        self.input.iter().map(|(input, _)| *input).collect()
    }

    /// `applied[0]` is the constant force and that of settled strokes.
    fn hand(&self) -> Hand {
        let mut hand = Hand::new(self.most);
        hand.applied[0] = self.constant;
        hand
    }

    fn let_go(&self, hand: &mut Hand) {
        hand.strokes.clear();
        hand.applied[0] = self.constant;
    }

    fn force_contact(&self) -> Option<ContactId> {
        Some(self.contact)
    }

    /// The input comes last, so that a stroke adds to the same sum before and after it is settled.
    fn forces(&self, hand: &Hand, signals: &Signals, first: f64, out: &mut [f64]) {
        out.fill(hand.applied[0]);
        hand.strokes.iter().for_each(|placed| placed.stroke.add_to(&self.curves, first, out));
        let Some((input, sign)) = self.input else { return };
        if signals.still_until(input, first) > first + out.len() as f64 {
            let force = sign * signals.at(input, first);
            out.iter_mut().for_each(|sum| *sum += force);
        } else {
            let force = |n| sign * signals.at(input, first + n as f64);
            out.iter_mut().enumerate().for_each(|(n, sum)| *sum += force(n));
        }
    }

    /// Also adds to the constant the strokes that hold their last value for ever. Only from the first on: sums keep their order.
    fn settle(&self, hand: &mut Hand, time: f64) {
        hand.strokes.retain(|placed| placed.stroke.end(&self.curves) > time);
        while let Some(PlacedStroke { stroke, .. }) = hand.strokes.first()
            && stroke.is_held_from(&self.curves, time)
        {
            hand.applied[0] += stroke.value(&self.curves, time);
            hand.strokes.remove(0);
        }
    }

    fn play(&self, hand: &mut Hand, stage: &mut Stage) -> f64 {
        self.push(hand, stage);
        let still = |(input, _)| stage.signals.still_until(input, stage.time()) - stage.phase;
        self.input.map_or(f64::INFINITY, still)
    }
}
