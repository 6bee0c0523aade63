//! From an instrument file to sound: compile, play, listen.
//!
//! 1. [`ictus_instrument::load`] reads the file, applies knobs and settings, and validates it.
//! 2. [`Patch::compile`] turns it into a constant patch for one sample rate.
//! 3. A [`Player`] holds what changes. [`Player::process`] takes [`Event`]s and [audio-rate inputs](AudioInput) and fills blocks of any length; the same events give
//!    the same samples. [`Player::render`] fills blocks from the file's own gestures alone.
//! 4. Its [`Ledger`](ictus_core::Ledger) and [`SolverCounts`](ictus_core::SolverCounts) say what happened to the energy, its [`Meter`] what a surface shows.
//!
//! With `oversampling` the sound comes [`Patch::latency_frames`] late; [`Player::skip_latency`] removes that where nothing is live.
//! A file may end in a [`Fade`], which the program that writes the sound applies.
//!
//! Allocation happens in steps 1 and 2 and in [`Player::new`]; playing allocates nothing and cannot fail.
//!
//! ```
//! use ictus_engine::{Action, Event, Io, Patch, Player, Time};
//!
//! let text = r#"
//!     format = 1
//!     [[resonator]]
//!     id = "bar"
//!     kind = "modes"
//!     frequency_hz = ["A4", 1213.0]
//!     decay_s = 1.0
//!     mass_kg = 0.1
//!     ports = { tip = [1.0, -0.6] }
//!     [[tap]]
//!     from = "bar.tip"
//! "#;
//! let loaded = ictus_instrument::load("bar.toml", text, &[])?;
//! let patch = Patch::compile(&loaded, 48_000)?;
//! let tip = patch.find_port("bar.tip").expect("the file has it");
//! let mut player = Player::new(&patch);
//!
//! let (mut left, mut right) = ([0.0f32; 480], [0.0f32; 480]);
//! let mut loudest = 0.0f32;
//! for callback in 0..100 {
//!     // a strike in every tenth callback, half a block late
//!     let strike = Action::Strike { port: tip, impulse_n_s: 0.02, duration_s: 0.002 };
//!     let events = [Event::new(Time::frame(player.frame() + 240), strike)];
//!     let events = if callback % 10 == 0 { &events[..] } else { &[] };
//!     player.process(events, Io { inputs: &[], buses: &mut [&mut left, &mut right] });
//!     loudest = left.iter().fold(loudest, |most, x| most.max(x.abs()));
//! }
//! assert!(loudest > 0.01 && player.event_counts().refused() == 0);
//! assert!(player.ledger().max_residual_rel() < 1e-12);
//! # Ok::<(), ictus_instrument::Error>(())
//! ```

mod ahead;
mod compile;
mod cue;
mod curve;
mod decimate;
mod drive;
mod event;
mod fade;
mod knob;
mod listen;
mod meter;
mod modulator;
mod onset;
mod patch;
mod plan;
mod player;
pub mod presets;
mod record;
mod resolve;
mod results;
mod scene;
mod scheduler;
mod signal;
mod snapshot;
mod stroke;
mod take;
mod voice;

pub use compile::{BankView, ContactPlace, ContactView, StringView, SurfaceView};
pub use decimate::{Decimator, Halver};
pub use event::{Action, Event, EventCounts, PortId, Target, Time};
pub use fade::Fade;
pub use knob::Knob;
pub use meter::{Level, Meter};
pub use patch::Patch;
pub use plan::{Plan, PlanError};
pub use player::{AudioInput, Io, Player, Status};
pub use results::Results;
pub use scene::{
    ContactMotion, ContactState, PortMotion, Scene, SceneReceiver, SceneSender, StringLine, SurfaceMap, scenes,
};
pub use signal::InputId;
pub use snapshot::{Snapshot, SnapshotError};
pub use take::{Take, TakeError};

/// Patches are shared by threads, players move between them, events are plain values.
const _: () = {
    const fn shared<T: Send + Sync>() {}
    const fn moved<T: Send>() {}
    const fn plain<T: Copy + Send>() {}
    shared::<Patch>();
    shared::<Snapshot>();
    moved::<Player>();
    plain::<Event>();
    plain::<Meter>();
};
