//! The resolved instrument: plain validated data, references turned into indices.
//!
//! Every number has passed its range check and every list length agrees, so the compile step may rely on
//! what the field comments promise. Units are in the field names, SI throughout.

use serde::Serialize;

pub use crate::barrier::*;
pub use crate::body::*;
pub use crate::finger::*;
pub use crate::gesture::*;
pub use crate::input::*;
pub use crate::law::*;
pub use crate::modulator::*;
pub use crate::wires::*;

use crate::control::Control;
use crate::raw::{Category, Quantity, Scheme};

/// One instrument file, resolved.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Spec {
    /// Title of the file; may be empty.
    pub title: String,
    /// Time-stepping scheme of the whole instrument.
    pub scheme: Scheme,
    /// Steps per output sample: 1, 2, 4 or 8.
    pub oversampling: u32,
    /// Seed of every random choice.
    pub seed: u64,
    /// Suggested render length, s; in (0, 3600].
    pub seconds: f64,
    /// Fade-out at the end of the sound, s; ≥ 0, 0 for none. The program that writes the sound applies it.
    pub fade_s: f64,
    /// Pull on every mass towards negative displacement, m/s²; finite, any sign.
    pub gravity_m_s2: f64,
    /// How a preset browser shows the file.
    pub preset: Option<Preset>,
    /// At least one.
    pub resonators: Vec<Resonator>,
    /// Contacts and couplings, in file order.
    pub interactions: Vec<Interaction>,
    /// Obstacles along strings, in file order.
    pub barriers: Vec<Barrier>,
    /// Wires over membranes and plates, in file order.
    pub wires: Vec<Wires>,
    /// Soft fingertips on strings, in file order.
    pub fingers: Vec<Finger>,
    /// What the player does, in file order.
    pub gestures: Vec<Gesture>,
    /// Listening points; at least one.
    pub taps: Vec<Tap>,
    /// What `[[input]]` names, in file order; [`Spec::inputs`] has all inputs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub named_inputs: Vec<NamedInput>,
    /// What moves inputs by itself, in file order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub modulators: Vec<Modulator>,
    /// Knobs. Their maps are already applied to the numbers above.
    pub controls: Vec<Control>,
}

impl Spec {
    /// The reference as the file writes it: `mallet`, `bar.strike`.
    #[must_use]
    pub fn port_name(&self, port: PortRef) -> String {
        let resonator = &self.resonators[port.resonator];
        match resonator.port_names().nth(port.port) {
            Some("") | None => resonator.id.clone(),
            Some(name) => format!("{}.{name}", resonator.id),
        }
    }

    /// False for microphones and places in the air: nothing can push there.
    #[must_use]
    pub fn can_be_touched(&self, port: PortRef) -> bool {
        self.resonators[port.resonator].kind.body().can_be_touched(port.port)
    }
}

impl Spec {
    /// Leaves the first gesture of every kind of action, done once: one hit instead of a phrase.
    pub fn keep_first_gestures(&mut self) {
        let mut kept: Vec<Gesture> = Vec::new();
        let mut order: Vec<usize> = (0..self.gestures.len()).collect();
        order.sort_by(|&a, &b| self.gestures[a].at_s.total_cmp(&self.gestures[b].at_s));
        for gesture in order.into_iter().map(|index| &self.gestures[index]) {
            let kind = std::mem::discriminant(&gesture.action);
            if kept.iter().all(|other| std::mem::discriminant(&other.action) != kind) {
                kept.push(Gesture { repeat: None, ..gesture.clone() });
            }
        }
        self.gestures = kept;
    }

    /// When the last gesture has ended, s: its last repetition, and the last point of its curve.
    #[must_use]
    pub fn gestures_end_s(&self) -> f64 {
        let end = |gesture: &Gesture| {
            let repeats = gesture.repeat.as_ref().map_or(0.0, |r| f64::from(r.times - 1) * r.every_s + r.jitter_s);
            gesture.at_s + repeats + gesture.action.length_s()
        };
        self.gestures.iter().map(end).fold(0.0, f64::max)
    }
}

/// The `[preset]` block.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Preset {
    /// At most 28 characters.
    pub name: String,
    /// The touch that makes the sound.
    pub category: Category,
    /// Free words for searching.
    pub tags: Vec<String>,
    /// One line for the player.
    pub how_to_play: Option<String>,
    /// One line for the listener.
    pub listen_for: Option<String>,
    /// Playable range, in words.
    pub range: Option<String>,
    /// Who made it.
    pub author: Option<String>,
    /// Under which licence.
    pub licence: Option<String>,
}

/// A port of a resonator, by index into [`Spec::resonators`] and into that resonator's port list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct PortRef {
    /// Index into [`Spec::resonators`].
    pub resonator: usize,
    /// Index into the resonator's port list; 0 for a mass.
    pub port: usize,
}

/// A listening point.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tap {
    /// Given (the stem name), or `tap`, `tap#2`.
    pub id: String,
    /// Where it listens.
    pub from: TapSource,
    /// What it reads: a motion of a [`TapSource::Port`], [`Quantity::Force`] of every other source.
    pub quantity: Quantity,
    /// Finite.
    pub gain: f64,
    /// −1 left to 1 right.
    pub pan: f64,
}

/// Where a tap listens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TapSource {
    /// Motion of a port.
    Port(PortRef),
    /// Force of an interaction, by index into [`Spec::interactions`].
    Interaction(usize),
    /// Sum of the contact forces of a barrier, by index into [`Spec::barriers`].
    Barrier(usize),
    /// Sum of the contact forces of wires, by index into [`Spec::wires`].
    Wires(usize),
    /// Sum of the contact forces of a finger, by index into [`Spec::fingers`].
    Finger(usize),
}
