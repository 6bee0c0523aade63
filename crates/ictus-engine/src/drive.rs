//! Drives: what a player's hands do to the model in every step, read from the inputs of the patch and the strokes under way.
//!
//! Everything is a function of the step number, so any block length gives the same sound. Each [`Drive`] has one function that both
//! acts and returns when it acts next; it is not called before, be it step by step or in blocks. Forces that act in every step are stated by one function of time,
//! [`Drive::forces`], from which [`Drive::push`] takes that of a step and [`Drive::foresee`] those of a block, so that the two cannot disagree.

use crate::signal::{InputId, Signals};
use crate::stroke::PlacedStroke;
use ictus_core::{ContactId, FreeRun, Model, Reserved, State};
use std::fmt::Debug;

/// One thing the player does to the model.
pub(crate) trait Drive: Debug + Send + Sync {
    /// Acts before step `stage.step`. Returns the time, in steps, until which there is nothing more to do from the following step on, except for
    /// [strokes](Hand::strokes) under way and events. The drive is called again in the step that holds that time: at once for a time that has passed.
    fn play(&self, hand: &mut Hand, stage: &mut Stage) -> f64;

    /// The inputs that it reads. An event that moves one of them calls the drive.
    fn inputs(&self) -> Vec<InputId> {
        Vec::new()
    }

    /// A hand at time zero.
    fn hand(&self) -> Hand {
        Hand::new(0)
    }

    /// Gives the model the coefficients that the drive had set when the hand was saved; the state fits them already.
    fn restore(&self, _hand: &Hand, _model: &mut Model) {}

    /// Ends the strokes under way.
    fn let_go(&self, hand: &mut Hand) {
        hand.strokes.clear();
    }

    /// The contact on which its [force](Self::force) acts; `None` if its strokes change the state between steps instead.
    fn force_contact(&self) -> Option<ContactId> {
        None
    }

    /// Writes the force of consecutive steps, N: with the strokes under way, the first of them at `first`, in steps.
    fn forces(&self, _hand: &Hand, _signals: &Signals, _first: f64, out: &mut [f64]) {
        out.fill(0.0);
    }

    /// The force at `time`, in steps, N.
    fn force(&self, hand: &Hand, signals: &Signals, time: f64) -> f64 {
        let mut force = [0.0];
        self.forces(hand, signals, time, &mut force);
        force[0]
    }

    /// Drops strokes that are over at `time`, in steps; the force stays the same.
    fn settle(&self, _hand: &mut Hand, _time: f64) {}

    /// Exerts the force in the step `stage.step`.
    fn push(&self, hand: &mut Hand, stage: &mut Stage) {
        let time = stage.time();
        if let Some(contact) = self.force_contact() {
            stage.state.set_input(contact, self.force(hand, &stage.signals, time));
        }
        self.settle(hand, time);
    }

    /// Writes the force of every step of `block` to it. False if the strokes under way must be played step by step.
    fn foresee(&self, hand: &mut Hand, block: &mut Block) -> bool {
        let Some(contact) = self.force_contact() else { return hand.strokes.is_empty() };
        self.settle(hand, block.first);
        if hand.strokes.is_empty() {
            block.state.set_input(contact, self.force(hand, &block.signals, block.first));
            return true;
        }
        let Some(inputs) = block.free_run.inputs(contact) else { return false };
        let steps = block.steps.min(inputs.len());
        self.forces(hand, &block.signals, block.first, &mut inputs[..steps]);
        true
    }
}

/// How far a voice has come in one drive.
#[derive(Debug)]
pub(crate) struct Hand {
    /// Index of the next scheduled thing.
    pub next: usize,
    /// What the drive set last: gap, place, lift, coefficients.
    pub applied: Applied,
    /// Strokes under way, which act in every step.
    pub strokes: Reserved<PlacedStroke>,
    /// What the drive said last; see [`Drive::play`].
    pub until: f64,
}

ictus_core::clone_in_place!(Hand { next, applied, strokes, until });

/// Values that a drive has set.
pub(crate) type Applied = [f64; 6];

impl Hand {
    /// With space for that many strokes under way.
    pub fn new(strokes: usize) -> Self {
        Self { next: 0, applied: [0.0; 6], strokes: Reserved::new(strokes), until: 0.0 }
    }

    /// Without strokes, where these values are set already.
    pub fn at<const N: usize>(values: [f64; N]) -> Self {
        let mut hand = Self::new(0);
        hand.applied[..N].copy_from_slice(&values);
        hand
    }

    /// Steps from `step` on in which the drive does nothing but strokes under way.
    pub fn quiet_steps(&self, step: u64) -> usize {
        (self.until - step as f64).max(0.0) as usize
    }
}

/// Where a drive acts.
pub(crate) struct Stage<'a> {
    pub model: &'a mut Model,
    pub state: &'a mut State,
    pub signals: Signals<'a>,
    /// The step to come.
    pub step: u64,
    /// Where in it forces act, a share of the step: ½ for the midpoint scheme.
    pub phase: f64,
}

impl Stage<'_> {
    /// End of the step, in steps.
    pub fn next(&self) -> f64 {
        self.step as f64 + 1.0
    }

    /// When forces of the step act, in steps.
    pub fn time(&self) -> f64 {
        self.step as f64 + self.phase
    }
}

/// A free run to come.
pub(crate) struct Block<'a> {
    pub free_run: &'a mut FreeRun,
    pub state: &'a mut State,
    pub signals: Signals<'a>,
    pub steps: usize,
    /// When the forces of its first step act, in steps.
    pub first: f64,
}
