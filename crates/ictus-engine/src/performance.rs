//! A compiled instrument being played.

use crate::compile::Instrument;
use crate::listen::{Ear, Source};
use crate::score::Cursor;
use ictus_core::{Frame, Ledger, SolverCounts, State, step};

/// The changing half: state, place in the score, filters. A clone is a snapshot.
#[derive(Clone, Debug)]
pub struct Performance<'a> {
    instrument: &'a Instrument,
    state: State,
    cursor: Cursor,
    ears: Vec<Ear>,
    heard: Vec<f64>,
    muted: u64,
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
            muted: 0,
        }
    }

    /// Switches the energy ledger on or off. Off is cheaper; the sound is the same.
    pub fn audit(&mut self, enabled: bool) {
        self.state.ledger.enabled = enabled;
    }

    /// Fills a block with stereo samples.
    pub fn render(&mut self, out: &mut [[f32; 2]]) {
        for frame in out {
            *frame = self.next_frame();
        }
    }

    /// Fills a block with stereo samples and, per tap, its stem: `stems[tap][frame]`.
    pub fn render_stems(&mut self, out: &mut [[f32; 2]], stems: &mut [Vec<f32>]) {
        for (n, frame) in out.iter_mut().enumerate() {
            *frame = self.next_frame();
            for ((stem, heard), tap) in stems.iter_mut().zip(&self.heard).zip(&self.instrument.taps) {
                stem[n] = (heard * tap.gain) as f32;
            }
        }
    }

    fn next_frame(&mut self) -> [f32; 2] {
        let Instrument { model, score, taps, oversampling, .. } = self.instrument;
        // where in the step a force acts: the middle of the step, or the instant n
        let phase = match model.clock().frame {
            Frame::Midpoint => 0.5,
            Frame::Leapfrog => 0.0,
        };
        for _ in 0..*oversampling {
            score.play(&mut self.cursor, model, &mut self.state, phase);
            step(model, &mut self.state);
            for ((ear, tap), heard) in self.ears.iter_mut().zip(taps).zip(&mut self.heard) {
                if let Some(value) = ear.hear(tap, model, &self.state) {
                    *heard = value;
                }
            }
        }
        let mut mix = [0.0; 2];
        for (heard, tap) in self.heard.iter().zip(taps) {
            for (mix, gain) in mix.iter_mut().zip(tap.gains) {
                *mix += gain * heard;
            }
        }
        mix.map(|value| {
            let value = value as f32;
            if value.is_finite() {
                value
            } else {
                self.muted += 1;
                0.0
            }
        })
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
