//! The block scheduler: decides how many steps are taken at once while nothing touches. It never changes a bit, only the cost.

use crate::cue::Queue;
use crate::patch::Compiled;
use crate::voice::Voice;
use ictus_core::{BLOCK, FreeRun, Model};
use ictus_instrument::Quantity;
use std::ops::Range;

/// Steps taken in blocks while nothing touches.
#[derive(Debug)]
pub(crate) struct BlockScheduler {
    free_run: FreeRun,
    /// Per tap, which of the free_run's velocities or displacements it hears.
    ports: Vec<Option<usize>>,
    /// Steps of the last block that have not been heard yet.
    unheard: Range<usize>,
    /// Length of the next block: grows while nothing touches.
    block: usize,
    /// Steps to take before the next attempt.
    patience: usize,
    /// Steps to take after a block in which a contact would have closed: grows while that goes on.
    caution: usize,
    /// The last attempt was put off because a contact seemed about to close.
    put_off: bool,
    /// Length of a block that is tried although one seems to: grows while they stay apart.
    trust: usize,
    /// Steps taken in blocks so far.
    steps: u64,
}

/// First block after a contact, and steps between attempts while something touches.
const SHORT: usize = 8;
/// Fewer steps than this are cheaper one by one: a block costs what two or three steps do before it begins.
const FEWEST: usize = 4;

impl BlockScheduler {
    pub fn new(patch: &Compiled) -> Self {
        let (mut moving, mut placed) = (Vec::new(), Vec::new());
        let ports = patch.taps.iter().map(|tap| {
            let list = if tap.quantity == Quantity::Displacement { &mut placed } else { &mut moving };
            list.push(tap.port()?);
            Some(list.len() - 1)
        });
        let ports = ports.collect();
        let free_run = FreeRun::new(&patch.model, &moving).with_displacements(&placed);
        Self {
            free_run,
            ports,
            unheard: 0..0,
            block: SHORT,
            patience: 0,
            caution: SHORT,
            put_off: false,
            trust: SHORT,
            steps: 0,
        }
    }

    /// Another scheduler for a copy of the voice, between blocks: it has memory of its own and plans anew, which changes no bit.
    pub fn another(&self, patch: &Compiled) -> Self {
        debug_assert!(self.has_heard_all(), "the state is not ahead of what is heard between blocks");
        let patience = if self.patience == usize::MAX { usize::MAX } else { 0 };
        Self { patience, steps: self.steps, ..Self::new(patch) }
    }

    /// What the tap of that index hears after step `n` of the last block, if it hears a port: its velocity, or its displacement.
    pub fn heard(&self, tap: usize, quantity: Quantity, n: usize) -> Option<f64> {
        let port = self.ports[tap]?;
        Some(match quantity {
            Quantity::Displacement => self.free_run.displacement(port, n),
            _ => self.free_run.velocity(port, n),
        })
    }

    /// What [`heard`](Self::heard) says after step `first` and those that follow, one for each of `values`.
    pub fn heard_from(&self, tap: usize, quantity: Quantity, first: usize, values: &mut [f64]) {
        let Some(port) = self.ports[tap] else { return values.fill(0.0) };
        let (recorded, ports) = match quantity {
            Quantity::Displacement => self.free_run.displacements_from(port, first),
            _ => self.free_run.velocities_from(port, first),
        };
        values.iter_mut().zip(recorded.iter().step_by(ports)).for_each(|(value, recorded)| *value = *recorded);
    }

    /// Takes a block of at most `most` steps if nothing touches and nothing happens.
    pub fn advance(&mut self, patch: &Compiled, model: &Model, voice: &mut Voice, queue: &Queue, most: usize) {
        if self.patience > 0 {
            self.patience -= 1;
            return;
        }
        let quiet = voice.quiet_steps(patch, queue);
        let asked = most.min(quiet).min(self.block);
        if asked < FEWEST {
            self.patience = asked.saturating_sub(1);
            return;
        }
        let idle = self.free_run.is_idle(model, &voice.state);
        if !idle {
            self.put_off = false;
            self.block = SHORT;
            self.patience = SHORT;
            return;
        }
        let apart = self.free_run.steps_apart(model, &voice.state, asked);
        let doubtful = apart < asked.min(SHORT);
        // not twice in a row: gaps that tremble seem to close all the time
        if doubtful && !self.put_off {
            self.put_off = true;
            self.patience = apart.max(FEWEST);
            return;
        }
        let asked = if doubtful { asked.min(self.trust) } else { apart };
        let foreseen = voice.foresee(patch, &mut self.free_run, asked);
        let state = &mut voice.state;
        let taken = self.free_run.run(model, state, if foreseen { asked } else { 0 });
        self.unheard = 0..taken;
        self.steps += taken as u64;
        self.put_off = false;
        // the engine's own business ends blocks too, and says nothing about contacts
        let interrupted = self.free_run.was_interrupted();
        let grown = |length: usize, most: usize| (2 * length).min(most);
        self.block = if interrupted { SHORT } else { grown(self.block, self.free_run.longest(state)) };
        self.caution = if interrupted { grown(self.caution, BLOCK) } else { (self.caution / 2).max(SHORT) };
        if doubtful {
            self.trust = if interrupted { SHORT } else { grown(self.trust, BLOCK) };
        }
        self.patience = if interrupted { self.caution } else { 0 };
    }

    /// True if every step taken so far has been heard.
    pub fn has_heard_all(&self) -> bool {
        self.unheard.is_empty()
    }

    /// The next step of the last block, if one has not been heard.
    pub fn next_unheard(&mut self) -> Option<usize> {
        self.unheard.next()
    }

    /// Steps of the last block that have not been heard yet.
    pub fn unheard(&self) -> usize {
        self.unheard.len()
    }

    /// Counts the next `steps` steps of the last block, which has them, as heard; returns the first one.
    pub fn take_unheard(&mut self, steps: usize) -> usize {
        let first = self.unheard.start;
        self.unheard.start += steps;
        first
    }

    /// True if no tap hears a contact.
    pub fn hears_ports_only(&self) -> bool {
        self.ports.iter().all(Option::is_some)
    }

    /// Takes every step by itself from here on.
    pub fn step_singly(&mut self) {
        self.patience = usize::MAX;
    }

    /// Steps taken in blocks so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }
}
