//! Forces on ports that no gesture of the file drives: impulses between the steps.
//!
//! A contact with the player at every port would change how bodies are stepped, so these strokes reach a body from outside:
//! each step adds the force's impulse over the step. That is exact in leapfrog and of first order in the midpoint scheme.

use crate::compile::inputs::Inputs;
use crate::drive::{Drive, Hand, Stage};
use crate::signal::InputId;
use crate::stroke::{Curves, PlacedStroke};
use ictus_core::BodyId;
use ictus_instrument::InputKind;

/// Strokes and forces of a player at ports without a drive of their own.
#[derive(Clone, Debug)]
pub(in crate::compile) struct ImpulseDrive {
    /// Forces from inputs: N at a port of a body.
    inputs: Vec<(InputId, BodyId, usize)>,
    dt: f64,
    no_curves: Curves,
}

/// Strokes that can be under way at once.
const MOST: usize = 64;

impl ImpulseDrive {
    /// For all ports but those that are `driven` otherwise.
    pub fn new(inputs: &Inputs, ids: &[BodyId], driven: &[(BodyId, usize)], dt: f64) -> Self {
        let force = |(index, track): (usize, &crate::signal::Track)| {
            let InputKind::Force { port } = track.input.kind else { return None };
            let on = (ids[port.resonator], port.port);
            (!driven.contains(&on)).then_some((InputId(index), on.0, on.1))
        };
        let inputs = inputs.tracks.iter().enumerate().filter_map(force).collect();
        Self { inputs, dt, no_curves: Vec::new() }
    }
}

impl Drive for ImpulseDrive {
    fn inputs(&self) -> Vec<InputId> {
        self.inputs.iter().map(|(input, ..)| *input).collect()
    }

    fn hand(&self) -> Hand {
        Hand::new(MOST)
    }

    fn play(&self, hand: &mut Hand, stage: &mut Stage) -> f64 {
        let time = stage.time();
        for PlacedStroke { stroke, body, port } in hand.strokes.iter() {
            stage.state.kick(stage.model, *body, *port, self.dt * stroke.value(&self.no_curves, time));
        }
        hand.strokes.retain(|placed| placed.stroke.end(&self.no_curves) > time);
        let mut until = f64::INFINITY;
        for &(input, body, port) in &self.inputs {
            let force = stage.signals.at(input, time);
            if force != 0.0 {
                stage.state.kick(stage.model, body, port, self.dt * force);
                until = stage.next();
            }
            until = until.min(stage.signals.still_until(input, time) - stage.phase);
        }
        until
    }
}
