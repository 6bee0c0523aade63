//! A voice: everything of a patch that changes while it sounds.

use crate::cue::{Cue, CuedOnset, Effect, Queue};
use crate::drive::{Block, Hand, Stage};
use crate::listen::{Ear, Source};
use crate::patch::Compiled;
use crate::signal::{self, Signal, Signals};
use ictus_core::{Clock, FreeRun, Model, Scheme, State};

/// Cues of a player that can wait at once, unless more are reserved.
const QUEUE: usize = 4096;

/// State, inputs, strokes under way and filters. A clone is a snapshot.
#[derive(Debug)]
pub(crate) struct Voice {
    pub state: State,
    /// Per drive of the patch.
    hands: Vec<Hand>,
    /// Per input of the patch.
    signals: Vec<Signal>,
    /// Index of the next cue of the file.
    next_cue: usize,
    /// Per tap.
    pub ears: Vec<Ear>,
    /// Per tap: what was heard last.
    pub heard: Vec<f64>,
    /// Per tap: gains of the two channels and of the stem.
    pub gains: Vec<[f64; 3]>,
    /// The time, in steps, until which the gains stay as they are.
    gains_until: f64,
    /// The first step in which a drive has something to do but for strokes under way.
    busy_from: u64,
    /// A stroke is under way.
    stroking: bool,
}

ictus_core::clone_in_place!(Voice {
    state,
    hands,
    signals,
    next_cue,
    ears,
    heard,
    gains,
    gains_until,
    busy_from,
    stroking
});

/// An effect that the player handles, because it replaces the voice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Request {
    Reset,
    Save { slot: usize },
    Restore { slot: usize },
}

/// What cues of one step came to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Acted {
    pub impossible: u64,
    pub overflowed: u64,
}

/// Where in the step a force acts: in the middle, or at the instant n.
pub(crate) fn phase(clock: Clock) -> f64 {
    match clock.scheme {
        Scheme::Midpoint => 0.5,
        Scheme::Leapfrog => 0.0,
    }
}

impl Voice {
    /// At time zero.
    pub fn new(patch: &Compiled) -> Self {
        let state = State::new(&patch.model);
        let ears = patch.taps.iter().map(|tap| {
            let velocity = match tap.source {
                Source::Port { body, port } => state.velocity(&patch.model, body, port),
                Source::Contacts(_) => 0.0,
            };
            Ear::new(patch.oversampling, velocity)
        });
        Self {
            ears: ears.collect(),
            heard: vec![0.0; patch.taps.len()],
            gains: patch.taps.iter().map(|tap| [tap.gains[0], tap.gains[1], tap.gain]).collect(),
            hands: patch.drives.iter().map(|drive| drive.hand()).collect(),
            signals: vec![Signal::FILE; patch.tracks.len()],
            next_cue: 0,
            gains_until: if patch.mixes { f64::NEG_INFINITY } else { f64::INFINITY },
            busy_from: 0,
            stroking: false,
            state,
        }
    }

    /// A queue for the cues of a player.
    pub fn queue() -> Queue {
        Queue::new(QUEUE)
    }

    fn signals<'a>(&'a self, patch: &'a Compiled) -> Signals<'a> {
        Signals { tracks: &patch.tracks, signals: &self.signals }
    }

    /// The step of the next cue.
    #[inline(always)]
    pub fn next_cue_step(&self, patch: &Compiled, queue: &Queue) -> u64 {
        patch.cues.get(self.next_cue).map_or(u64::MAX, |cue| cue.step).min(queue.next_step())
    }

    /// Steps before anything happens but strokes under way.
    pub fn quiet_steps(&self, patch: &Compiled, queue: &Queue) -> usize {
        let until = self.busy_from.min(self.next_cue_step(patch, queue));
        usize::try_from(until.saturating_sub(self.state.steps)).unwrap_or(usize::MAX)
    }

    /// Applies the cues of the step to come, those of the file first. Stops at a request to the player, which calls again after it.
    pub fn take_cues(
        &mut self,
        patch: &Compiled,
        model: &Model,
        queue: &mut Queue,
        acted: &mut Acted,
    ) -> Option<Request> {
        let step = self.state.steps;
        loop {
            let of_file = patch.cues.get(self.next_cue).filter(|cue| cue.step <= step);
            let (arrival, cue) = match of_file {
                Some(cue) => {
                    self.next_cue += 1;
                    (0, self.begun(patch, *cue))
                }
                None => queue.take(step)?,
            };
            match cue.effect {
                Effect::Reset => return Some(Request::Reset),
                Effect::Save { slot } => return Some(Request::Save { slot }),
                Effect::Restore { slot } => return Some(Request::Restore { slot }),
                Effect::AllOff => {
                    queue.drop_before(arrival);
                    self.let_go(patch);
                }
                effect => self.apply(patch, model, effect, acted),
            }
        }
    }

    fn apply(&mut self, patch: &Compiled, model: &Model, effect: Effect, acted: &mut Acted) {
        let step = self.state.steps;
        match effect {
            Effect::Throw { body, velocity, position } => {
                let done = self.state.throw(model, body, velocity, position);
                acted.impossible += u64::from(!done);
            }
            Effect::Deflect { body, deflection } => {
                let done = self.state.deflect(model, body, deflection);
                acted.impossible += u64::from(!done);
            }
            Effect::Stroke { drive, placed } => {
                let hand = &mut self.hands[drive];
                if !hand.strokes.try_push(placed) {
                    acted.overflowed += 1;
                    return;
                }
                hand.until = step as f64;
                self.busy_from = self.busy_from.min(step);
            }
            Effect::Input { input, value, start, ramp } => self.move_input(patch, input, value, (start, ramp)),
            Effect::Knob { knob, position, start, ramp } => {
                for (input, value) in patch.knobs[knob].values(position) {
                    let ramp = ramp.unwrap_or_else(|| patch.tracks[input.0].ramp_steps());
                    self.move_input(patch, input, value, (start, ramp));
                }
            }
            Effect::AllOff | Effect::Reset | Effect::Save { .. } | Effect::Restore { .. } => {}
        }
    }

    /// A cue of the file as its gesture begins.
    fn begun(&self, patch: &Compiled, cue: Cue) -> Cue {
        let Some(CuedOnset { gesture, factor }) = cue.onset else { return cue };
        let signals = self.signals(patch);
        Cue { effect: patch.onsets[gesture].apply(cue.effect, factor, &signals, cue.step as f64), ..cue }
    }

    /// Moves an input to a value within (start, length), in steps.
    fn move_input(&mut self, patch: &Compiled, input: crate::InputId, value: f64, within: (f64, f64)) {
        let step = self.state.steps;
        signal::set(&patch.tracks, &mut self.signals, input, within, value * patch.tracks[input.0].scale);
        match patch.reader(input) {
            Some(drive) => {
                self.hands[drive].until = step as f64;
                self.busy_from = self.busy_from.min(step);
            }
            None if patch.tracks[input.0].is_of_tap() => self.gains_until = f64::NEG_INFINITY,
            // what a gesture reads when it begins has no reader before
            None => {}
        }
    }

    /// Ends all strokes and gestures, and takes what presses, pulls or slides to zero.
    fn let_go(&mut self, patch: &Compiled) {
        let step = self.state.steps;
        self.next_cue = patch.cues.len();
        for (drive, hand) in patch.drives.iter().zip(&mut self.hands) {
            drive.let_go(hand);
            hand.until = step as f64;
        }
        for (index, track) in patch.tracks.iter().enumerate() {
            if track.is_held_by_hand() {
                let input = crate::InputId(index);
                signal::set(&patch.tracks, &mut self.signals, input, (step as f64, track.ramp_steps()), 0.0);
                if patch.reader(input).is_none() {
                    self.gains_until = f64::NEG_INFINITY;
                }
            }
        }
        self.busy_from = step;
    }

    /// What the drives do before the step to come.
    pub fn play_drives(&mut self, patch: &Compiled, model: &mut Model) {
        let step = self.state.steps;
        if step < self.busy_from && !self.stroking {
            return;
        }
        let Self { state, hands, signals, .. } = self;
        let signals = Signals { tracks: &patch.tracks, signals };
        let mut stage = Stage { model, state, signals, step, phase: patch.phase };
        let (mut busy_from, mut stroking) = (u64::MAX, false);
        for (drive, hand) in patch.drives.iter().zip(hands) {
            if !hand.strokes.is_empty() || hand.quiet_steps(step) == 0 {
                hand.until = drive.play(hand, &mut stage);
            }
            // the step that holds that time, at least the next one
            busy_from = busy_from.min((step + 1).saturating_add(hand.quiet_steps(step + 1) as u64));
            stroking |= !hand.strokes.is_empty();
        }
        (self.busy_from, self.stroking) = (busy_from, stroking);
        for &speed in &patch.modulated_speeds {
            signal::accumulate(&patch.tracks, &mut self.signals, speed, step);
            self.busy_from = step + 1;
        }
    }

    /// Gives the model the coefficients that belong to this state.
    pub fn restore_coefficients(&self, patch: &Compiled, model: &mut Model) {
        for (drive, hand) in patch.drives.iter().zip(&self.hands) {
            drive.restore(hand, model);
        }
    }

    /// Writes the forces of the strokes under way in the next `steps` steps to `free_run`. False if the force of one must be played step by step.
    pub fn foresee(&mut self, patch: &Compiled, free_run: &mut FreeRun, steps: usize) -> bool {
        if !self.stroking {
            return true;
        }
        let Self { state, hands, signals, .. } = self;
        let first = state.steps as f64 + patch.phase;
        let signals = Signals { tracks: &patch.tracks, signals };
        let mut block = Block { free_run, state, signals, steps, first };
        let drives = patch.drives.iter().zip(hands);
        drives.fold(true, |foreseen, (drive, hand)| drive.foresee(hand, &mut block) && foreseen)
    }

    /// The time, in steps, until which the gains of the taps stay as they are.
    pub fn gains_until(&self) -> f64 {
        self.gains_until
    }

    /// Brings the gains of the taps to where they are at `time`, in steps.
    pub fn mix_at(&mut self, patch: &Compiled, time: f64) {
        if self.gains_until > time {
            return;
        }
        let signals = Signals { tracks: &patch.tracks, signals: &self.signals };
        let mut until = f64::INFINITY;
        for (gains, tap) in self.gains.iter_mut().zip(&patch.taps) {
            let [gain, pan] = [tap.gain_input, tap.pan_input].map(|input| signals.at(input, time));
            for input in [tap.gain_input, tap.pan_input] {
                until = signals.still_until(input, time).min(until);
            }
            if signals.is_live(tap.gain_input) || signals.is_live(tap.pan_input) {
                let [left, right] = crate::listen::pan(gain, pan);
                *gains = [left, right, gain];
            }
        }
        self.gains_until = until;
    }

    /// Value of an input at the step to come.
    pub fn input(&self, patch: &Compiled, input: crate::InputId) -> f64 {
        self.signals(patch).at(input, self.state.steps as f64) / patch.tracks[input.0].scale
    }

    /// Where an event has moved or is moving an input; none while the file plays it.
    pub fn target(&self, input: crate::InputId) -> Option<f64> {
        self.signals[input.0].target()
    }

    /// True while a stroke is under way or the file has gestures to come.
    pub fn has_gestures(&self, patch: &Compiled) -> bool {
        self.stroking || self.next_cue < patch.cues.len()
    }
}
