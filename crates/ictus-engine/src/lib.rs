//! From an instrument file to sound: compile, perform, listen.
//!
//! 1. [`ictus_instrument::load`] reads the file, applies knobs and settings, and validates it.
//! 2. [`Instrument::compile`] turns it into a constant model for one sample rate.
//! 3. A [`Performance`] holds the changing state: [`Performance::render`] fills blocks of any length with the same samples.
//! 4. Its [`Ledger`](ictus_core::Ledger) and [`SolverCounts`](ictus_core::SolverCounts) say what happened to the energy.
//!
//! Allocation happens in steps 1 to 3 only; rendering allocates nothing and cannot fail.
//!
//! ```
//! use ictus_engine::{Instrument, Performance};
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
//!     [[gesture]]
//!     strike = { what = "bar.tip", impulse_n_s = 0.02, duration_s = "2 ms" }
//!     [[tap]]
//!     from = "bar.tip"
//! "#;
//! let loaded = ictus_instrument::load("bar.toml", text, &[])?;
//! let instrument = Instrument::compile(&loaded, 48_000)?;
//! let mut performance = Performance::new(&instrument);
//! let mut block = [[0.0f32; 2]; 480];
//! performance.render(&mut block);
//! assert!(block.iter().any(|frame| frame[0] != 0.0));
//! assert!(performance.ledger().max_residual_rel() < 1e-12);
//! # Ok::<(), ictus_instrument::Error>(())
//! ```

mod compile;
mod decimate;
mod listen;
mod performance;
pub mod presets;
mod score;

pub use compile::{BankView, Instrument, StringView, SurfaceView};
pub use decimate::{Decimator, Halver};
pub use performance::Performance;
