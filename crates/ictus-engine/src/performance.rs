//! A compiled instrument being played.

use crate::compile::Instrument;
use crate::listen::{Ear, Source};
use crate::score::Cursor;
use ictus_core::{BLOCK, Clock, Coast, Frame, Ledger, SolverCounts, State, step};
use ictus_instrument::Quantity;
use std::ops::Range;

/// The changing half: state, place in the score, filters. A clone is a snapshot.
#[derive(Clone, Debug)]
pub struct Performance<'a> {
    instrument: &'a Instrument,
    state: State,
    cursor: Cursor,
    ears: Vec<Ear>,
    heard: Vec<f64>,
    gliding: Gliding,
    muted: u64,
}

/// Steps taken in blocks while nothing touches.
#[derive(Clone, Debug)]
struct Gliding {
    coast: Coast,
    /// Per tap, which of the coast's velocities or displacements it hears.
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
}

/// First block after a contact, and steps between attempts while something touches.
const SHORT: usize = 8;
/// Fewer steps than this are cheaper one by one: a block costs what two or three steps do before it begins.
const FEWEST: usize = 4;

impl Gliding {
    fn new(instrument: &Instrument) -> Self {
        let (mut moving, mut placed) = (Vec::new(), Vec::new());
        let ports = instrument.taps.iter().map(|tap| {
            let list = if tap.quantity == Quantity::Displacement { &mut placed } else { &mut moving };
            list.push(tap.port()?);
            Some(list.len() - 1)
        });
        let ports = ports.collect();
        let coast = Coast::new(&instrument.model, &moving).with_displacements(&placed);
        Self { coast, ports, unheard: 0..0, block: SHORT, patience: 0, caution: SHORT, put_off: false, trust: SHORT }
    }

    /// What the tap of that index hears after step `n` of the last block, if it hears a port: its velocity, or its displacement.
    fn heard(&self, tap: usize, quantity: Quantity, n: usize) -> Option<f64> {
        let port = self.ports[tap]?;
        Some(match quantity {
            Quantity::Displacement => self.coast.displacement(port, n),
            _ => self.coast.velocity(port, n),
        })
    }

    /// Takes a block of at most `most` steps if nothing touches and nothing happens.
    fn glide(&mut self, instrument: &Instrument, cursor: &mut Cursor, state: &mut State, most: usize) {
        if self.patience > 0 {
            self.patience -= 1;
            return;
        }
        let (score, phase) = (&instrument.score, phase(instrument.model.clock()));
        let quiet = score.quiet_steps(cursor, state.steps, phase);
        let asked = most.min(quiet).min(self.block);
        if asked < FEWEST {
            self.patience = asked.saturating_sub(1);
            return;
        }
        let Instrument { model, .. } = instrument;
        let idle = self.coast.is_idle(model, state);
        if !idle {
            self.put_off = false;
            self.block = SHORT;
            self.patience = SHORT;
            return;
        }
        let apart = self.coast.steps_apart(model, state, asked);
        let doubtful = apart < asked.min(SHORT);
        // not twice in a row: gaps that tremble seem to close all the time
        if doubtful && !self.put_off {
            self.put_off = true;
            self.patience = apart.max(FEWEST);
            return;
        }
        let asked = if doubtful { asked.min(self.trust) } else { apart };
        let foreseen = score.push(cursor, &mut self.coast, state, asked, phase);
        let taken = self.coast.run(model, state, if foreseen { asked } else { 0 });
        self.unheard = 0..taken;
        self.put_off = false;
        // the engine's own business ends blocks too, and says nothing about contacts
        let interrupted = self.coast.was_interrupted();
        let grown = |length: usize, most: usize| (2 * length).min(most);
        self.block = if interrupted { SHORT } else { grown(self.block, self.coast.longest(state)) };
        self.caution = if interrupted { grown(self.caution, BLOCK) } else { (self.caution / 2).max(SHORT) };
        if doubtful {
            self.trust = if interrupted { SHORT } else { grown(self.trust, BLOCK) };
        }
        self.patience = if interrupted { self.caution } else { 0 };
    }
}

/// Where in the step a force acts: in the middle, or at the instant n.
fn phase(clock: Clock) -> f64 {
    match clock.frame {
        Frame::Midpoint => 0.5,
        Frame::Leapfrog => 0.0,
    }
}

/// A number at the audio edge. What would be a subnormal sample, 758 dB below full scale, is zero instead: everything behind would be slow with it.
fn sample(value: f64) -> f32 {
    let value = if value.abs() < f64::from(f32::MIN_POSITIVE) { 0.0 * value } else { value };
    value as f32
}

impl<'a> Performance<'a> {
    /// At time zero.
    pub fn new(instrument: &'a Instrument) -> Self {
        let state = State::new(&instrument.model);
        let ears = instrument
            .taps
            .iter()
            .map(|tap| {
                let velocity = match tap.source {
                    Source::Port { body, port } => state.velocity(&instrument.model, body, port),
                    Source::Contacts(_) => 0.0,
                };
                Ear::new(instrument.oversampling, velocity)
            })
            .collect();
        Self {
            instrument,
            cursor: instrument.score.cursor(),
            heard: vec![0.0; instrument.taps.len()],
            ears,
            state,
            gliding: Gliding::new(instrument),
            muted: 0,
        }
    }

    /// Switches the energy ledger on or off. Off is cheaper; the sound is the same.
    pub fn audit(&mut self, enabled: bool) {
        self.state.ledger.enabled = enabled;
    }

    /// Takes every step by itself from here on, also where nothing touches. Slower; the sound is the same.
    pub fn step_singly(&mut self) {
        self.gliding.patience = usize::MAX;
    }

    /// Fills a block with stereo samples.
    pub fn render(&mut self, out: &mut [[f32; 2]]) {
        let frames = out.len();
        for (n, frame) in out.iter_mut().enumerate() {
            *frame = self.next_frame(frames - n);
        }
    }

    /// Fills a block with stereo samples and, per tap, its stem: `stems[tap][frame]`.
    pub fn render_stems(&mut self, out: &mut [[f32; 2]], stems: &mut [Vec<f32>]) {
        let frames = out.len();
        for (n, frame) in out.iter_mut().enumerate() {
            *frame = self.next_frame(frames - n);
            for ((stem, heard), tap) in stems.iter_mut().zip(&self.heard).zip(&self.instrument.taps) {
                stem[n] = sample(heard * tap.gain);
            }
        }
    }

    /// The next of `left` frames that are wanted. The state runs ahead of what is heard, but not beyond these.
    fn next_frame(&mut self, left: usize) -> [f32; 2] {
        let Instrument { taps, oversampling, .. } = self.instrument;
        let oversampling = *oversampling as usize;
        for n in 0..oversampling {
            self.take_step(left * oversampling - n);
        }
        let mut mix = [0.0; 2];
        for (heard, tap) in self.heard.iter().zip(taps) {
            for (mix, gain) in mix.iter_mut().zip(tap.gains) {
                *mix += gain * heard;
            }
        }
        mix.map(|value| {
            let value = sample(value);
            if value.is_finite() {
                value
            } else {
                self.muted += 1;
                0.0
            }
        })
    }

    /// Lets the taps hear the next of `left` steps.
    fn take_step(&mut self, left: usize) {
        let Self { instrument, state, cursor, ears, heard, gliding, .. } = self;
        let Instrument { model, score, taps, .. } = instrument;
        if gliding.unheard.is_empty() {
            gliding.glide(instrument, cursor, state, left);
            if gliding.unheard.is_empty() {
                score.play(cursor, model, state, phase(model.clock()));
                step(model, state);
            }
        }
        let glided = gliding.unheard.next();
        for (i, ((ear, tap), heard)) in ears.iter_mut().zip(taps).zip(heard).enumerate() {
            let value = match glided.and_then(|n| gliding.heard(i, tap.quantity, n)) {
                Some(value) => ear.hear_port(tap, model, value),
                None => ear.hear(tap, model, state),
            };
            if let Some(value) = value {
                *heard = value;
            }
        }
    }

    /// The energy books so far.
    pub fn ledger(&self) -> &Ledger {
        &self.state.ledger
    }

    /// What the solver did so far.
    pub fn counts(&self) -> &SolverCounts {
        &self.state.counts
    }

    /// The simulation's state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Samples that were not finite and were replaced by silence.
    pub fn muted(&self) -> u64 {
        self.muted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::presets;

    /// A bank that is pulled slowly, heard in every way.
    const PULLED: &str = r#"
        format = 1
        title = "Pulled"
        seconds = 1.0

        [[resonator]]
        id = "bar"
        kind = "modes"
        frequency_hz = [200, 551, 1080]
        decay_s = 0.5
        mass_kg = "20 g"
        ports = { middle = [1.0, -0.6, 0.3], air = [0.8, 0.5, 0.2] }

        [[gesture]]
        at_s = 0.013
        pluck = { what = "bar.middle", force_n = 2.0, duration_s = "400 ms" }

        [[gesture]]
        at_s = 0.2
        force = { what = "bar.air", curve = [[0.0, 0.0], [0.1, 1.0], [0.3, -1.0]] }

        [[tap]]
        from = "bar.air"
        quantity = "displacement"

        [[tap]]
        from = "bar.middle"
        quantity = "velocity"
    "#;

    const FRAMES: usize = 24_000;

    /// What is heard, and how many steps were taken in blocks.
    fn render(instrument: &Instrument, in_blocks: bool) -> (Vec<[u32; 2]>, usize) {
        let mut performance = Performance::new(instrument);
        if !in_blocks {
            performance.step_singly();
        }
        let (mut sound, mut ahead) = (Vec::new(), 0);
        for left in (1..=FRAMES).rev() {
            let before = performance.state.steps;
            sound.push(performance.next_frame(left).map(f32::to_bits));
            ahead += (performance.state.steps - before).saturating_sub(instrument.oversampling.into()) as usize;
        }
        (sound, ahead)
    }

    #[test]
    fn strokes_are_played_in_blocks_without_changing_a_bit() {
        let ball = presets::find("bouncing-ball").expect("a preset").text;
        for (name, text) in [("pulled.toml", PULLED), ("bouncing-ball.toml", ball)] {
            let loaded = ictus_instrument::load(name, text, &[]).expect("a valid file");
            let instrument = Instrument::compile(&loaded, 48_000).expect("it compiles");
            let (stepped, none) = render(&instrument, false);
            let (glided, ahead) = render(&instrument, true);
            assert!(stepped == glided, "{name}");
            assert!(none == 0 && ahead > FRAMES / 2, "{name}: {ahead} steps of {FRAMES} frames in blocks");
            assert!(stepped.iter().any(|frame| *frame != [0; 2]), "{name}: silence");
        }
    }
}
