//! A patch: an instrument compiled for one sample rate. Constant, shared by any number of players.

use crate::compile::{self, BankView, ContactView, StringView, SurfaceView};
use crate::cue::Cue;
use crate::drive::Drive;
use crate::event::PortId;
use crate::knob::Knob;
use crate::listen::Tap;
use crate::onset::Onset;
use crate::results::Results;
use crate::signal::{InputId, Track};
use crate::voice::Voice;
use ictus_core::{BodyId, ContactId, Model};
use ictus_instrument::{Error, Input, Loaded};
use std::sync::{Arc, OnceLock};

/// An instrument compiled for one sample rate: model, taps, inputs and what the file itself plays. A clone is another handle to the same patch.
#[derive(Clone, Debug)]
pub struct Patch(pub(crate) Arc<Compiled>);

/// What a [`Patch`] holds.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub model: Model,
    /// What hands do in every step, in the order in which they act.
    pub drives: Vec<Box<dyn Drive>>,
    /// What happens when, as the file says; sorted by step.
    pub cues: Vec<Cue>,
    /// Per gesture of the file.
    pub onsets: Vec<Onset>,
    pub tracks: Vec<Track>,
    pub knobs: Vec<Knob>,
    /// Per input, the drive that reads it; none for gain and pan.
    pub readers: Vec<Option<usize>>,
    /// Speeds that modulators move.
    pub modulated_speeds: Vec<InputId>,
    /// The file itself moves a gain or a pan.
    pub mixes: bool,
    pub ports: Vec<Port>,
    pub taps: Vec<Tap>,
    pub oversampling: u32,
    /// Where in a step forces act, a share of the step.
    pub phase: f64,
    pub sample_rate: u32,
    pub interactions: Vec<ContactId>,
    pub contact_count: usize,
    pub contacts: Vec<ContactView>,
    pub strings: Vec<StringView>,
    pub surfaces: Vec<SurfaceView>,
    pub banks: Vec<BankView>,
    pub warnings: Vec<Error>,
    /// Of the file with its knobs and settings, and the sample rate.
    pub fingerprint: u64,
    /// A voice at time zero, made for the first player.
    pub initial: OnceLock<Voice>,
}

/// A port that gestures can reach.
#[derive(Debug)]
pub(crate) struct Port {
    pub name: String,
    pub body: BodyId,
    pub port: usize,
    /// The drive that plays strokes on it.
    pub drive: usize,
    /// False for microphones and places in the air.
    pub touchable: bool,
}

impl Compiled {
    /// The drive that reads an input; none for gain and pan.
    pub fn reader(&self, input: InputId) -> Option<usize> {
        self.readers[input.0]
    }

    /// A voice at time zero.
    pub fn initial(&self) -> &Voice {
        self.initial.get_or_init(|| Voice::new(self))
    }

    /// Seconds in steps.
    pub fn steps(&self, seconds: f64) -> f64 {
        seconds / self.model.clock().dt
    }
}

impl Patch {
    /// Compiles a loaded file. Allocates and takes its time: not for the audio thread.
    ///
    /// # Errors
    /// What the file's own rules allow but this sample rate or the physics does not: an unstable grid, conflicting constraints.
    pub fn compile(loaded: &Loaded, sample_rate: u32) -> Result<Self, Error> {
        Self::compile_with(loaded, sample_rate, &Results::none())
    }

    /// As [`compile`](Self::compile), with results of earlier compilations at hand, which saves most of the time; the patch is the same. Keeps new ones.
    ///
    /// # Errors
    /// As `compile`.
    pub fn compile_with(loaded: &Loaded, sample_rate: u32, results: &Results) -> Result<Self, Error> {
        Ok(Self(Arc::new(compile::compile(loaded, sample_rate, results)?)))
    }

    /// Output sample rate, Hz.
    pub fn sample_rate(&self) -> u32 {
        self.0.sample_rate
    }

    /// Frames by which the sound comes late: the delay of the filters behind `oversampling`, 0, 35, 52 or 61 frames for a factor of 1, 2, 4 or 8.
    /// Hosts report it; [`Player::skip_latency`](crate::Player::skip_latency) removes it.
    pub fn latency_frames(&self) -> usize {
        crate::Decimator::latency_frames(self.0.oversampling)
    }

    /// Names of the taps, in the order of their stems.
    pub fn tap_names(&self) -> impl Iterator<Item = &str> {
        self.0.taps.iter().map(|tap| tap.id.as_str())
    }

    /// What a player can move while the patch sounds, in the order of their ids.
    pub fn inputs(&self) -> impl ExactSizeIterator<Item = &Input> {
        self.0.tracks.iter().map(|track| &track.input)
    }

    /// The input of that id or path.
    pub fn find_input(&self, name: &str) -> Option<InputId> {
        self.inputs().position(|input| input.id == name || input.path == name).map(InputId)
    }

    /// The knobs of the file, in its order: the places by which [`Action::Knob`](crate::Action::Knob) calls them.
    pub fn knobs(&self) -> &[Knob] {
        &self.0.knobs
    }

    /// The knob of that id or name.
    pub fn find_knob(&self, name: &str) -> Option<usize> {
        let controls = self.0.knobs.iter().map(|knob| &knob.control);
        controls.clone().position(|control| control.id == name || control.name == name)
    }

    /// Names of the ports that gestures can reach (`mallet`, `bar.strike`), in the order of their ids.
    pub fn ports(&self) -> impl ExactSizeIterator<Item = &str> {
        self.0.ports.iter().map(|port| port.name.as_str())
    }

    /// The port of that name.
    pub fn find_port(&self, name: &str) -> Option<PortId> {
        self.ports().position(|port| port == name).map(PortId)
    }

    /// What was odd but workable at this sample rate.
    pub fn warnings(&self) -> &[Error] {
        &self.0.warnings
    }

    /// The physics.
    pub fn model(&self) -> &Model {
        &self.0.model
    }

    /// The strings, for pictures.
    pub fn strings(&self) -> &[StringView] {
        &self.0.strings
    }

    /// The membranes and plates, for pictures.
    pub fn surfaces(&self) -> &[SurfaceView] {
        &self.0.surfaces
    }

    /// The modal bodies, for tables.
    pub fn banks(&self) -> &[BankView] {
        &self.0.banks
    }

    /// The contacts of interactions, barriers, wires and fingers, for pictures.
    pub fn contacts(&self) -> &[ContactView] {
        &self.0.contacts
    }

    /// Contacts of the model that are not drives: interactions, points of barriers, fingertips.
    pub fn contact_count(&self) -> usize {
        self.0.contact_count
    }

    /// Contacts of the model in the order of the file's interactions; of a bow with several points the first.
    pub fn interactions(&self) -> &[ContactId] {
        &self.0.interactions
    }
}
