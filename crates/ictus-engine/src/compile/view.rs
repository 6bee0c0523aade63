//! What pictures and tables need to know of a compiled instrument.

use ictus_core::{BodyId, ContactId, Mode};

/// A string of an instrument as a picture needs it.
#[derive(Clone, Debug)]
pub struct StringView {
    /// Its id in the file.
    pub id: String,
    /// The body.
    pub body: BodyId,
    /// L, m.
    pub length: f64,
    /// Barriers on it, each a list of (position, height), m, as they stand at the beginning.
    pub barriers: Vec<Vec<(f64, f64)>>,
}

/// A membrane or plate of an instrument as a picture needs it.
#[derive(Clone, Debug)]
pub struct SurfaceView {
    /// Its id in the file; of a drum with its head, `drum.snare`.
    pub id: String,
    /// The body.
    pub body: BodyId,
    /// Which of the body's surfaces.
    pub which: usize,
    /// Sides, or the diameter twice, m.
    pub sides: [f64; 2],
    /// True for a disc, whose coordinates run from −1 to 1 instead of 0 to 1.
    pub round: bool,
    /// Contacts and where they touch it, in its coordinates.
    pub touched: Vec<([f64; 2], ContactId)>,
}

/// A modal body of an instrument, as it is at its rate.
#[derive(Clone, Debug)]
pub struct BankView {
    /// Its id in the file.
    pub id: String,
    /// Names of its ports.
    pub ports: Vec<String>,
    /// Where each mode sounds, how long and with which mass.
    pub modes: Vec<Mode>,
    /// Signed shapes, `shapes[port][mode]`.
    pub shapes: Vec<Vec<f64>>,
}
