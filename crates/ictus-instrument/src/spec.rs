//! The resolved instrument: plain validated data, references turned into indices.
//!
//! Every number has passed its range check and every list length agrees, so the compile step may rely on
//! what the field comments promise. Units are in the field names, SI throughout.

mod friction;
mod grid;
mod object;
mod surface;

pub use friction::{Bow, Hair, Rub, Surfaces};
pub use surface::{Roughness, Surface, Texture};

use serde::Serialize;

pub use grid::{Drum, Grid, GridPort, Head, Wires};
pub use object::{Morph, Object, PointPort};

use crate::control::Control;
use crate::raw::{Category, Discretisation, Method, Quantity, Scheme, Shape, Side, StringEnds};

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

/// One end of an interaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// An immovable surface at displacement 0.
    Wall,
    /// A port of a resonator.
    Port(PortRef),
}

/// Something that stores energy.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Resonator {
    /// Unique over the whole file.
    pub id: String,
    /// What it is.
    pub kind: ResonatorKind,
}

impl Resonator {
    /// Port names in file order; a mass has the one port `""`.
    pub fn port_names(&self) -> impl Iterator<Item = &str> {
        let names: Vec<&str> = match &self.kind {
            ResonatorKind::Mass(_) => vec![""],
            ResonatorKind::Modes(modes) => modes.ports.iter().map(|port| port.name.as_str()).collect(),
            ResonatorKind::Object(object) => object.ports.iter().map(|port| port.name.as_str()).collect(),
            ResonatorKind::Grid(grid) => grid.ports.iter().map(|port| port.name.as_str()).collect(),
            ResonatorKind::Drum(drum) => drum.ports.iter().map(|port| port.name.as_str()).collect(),
            ResonatorKind::String(string) => string.ports.iter().map(|port| port.name.as_str()).collect(),
        };
        names.into_iter()
    }
}

/// The kinds of resonator.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ResonatorKind {
    /// A point mass.
    Mass(Mass),
    /// A bank of modes.
    Modes(Modes),
    /// A bank of modes, from a shape and a material.
    Object(Box<Object>),
    /// A stiff string in space and time.
    String(StiffString),
    /// A membrane or plate on a grid.
    Grid(Box<Grid>),
    /// Heads on a shell with air between them.
    Drum(Box<Drum>),
}

/// A point mass, optionally on a damped spring to ground.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Mass {
    /// m > 0.
    pub mass_kg: f64,
    /// k ≥ 0, spring to ground.
    pub stiffness_n_m: f64,
    /// r ≥ 0, damper to ground.
    pub damping_n_s_m: f64,
    /// Displacement at time 0.
    pub position_m: f64,
    /// Velocity at time 0.
    pub velocity_m_s: f64,
}

/// A bank of modes; all lists have the length of `frequency_hz`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Modes {
    /// Each ≥ 0; 1 to 100 000 of them.
    pub frequency_hz: Vec<f64>,
    /// T60, each > 0, `inf` for undamped.
    pub decay_s: Vec<f64>,
    /// Modal mass, each > 0.
    pub mass_kg: Vec<f64>,
    /// In file order.
    pub ports: Vec<ModePort>,
    /// How a mode is stepped.
    pub discretisation: Discretisation,
}

/// Where a modal bank can be touched or heard.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ModePort {
    /// Name within the resonator.
    pub name: String,
    /// Signed mode-shape values, one per mode.
    pub shape: Vec<f64>,
}

/// A stiff, damped string.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StiffString {
    /// L > 0.
    pub length_m: f64,
    /// ρA > 0, linear density.
    pub density_kg_m: f64,
    /// T > 0; computed as ρA (2 L f)² where the file gives a frequency.
    pub tension_n: f64,
    /// The pitch, where the file gives one instead of a tension; the engine tunes its grid to it.
    pub frequency_hz: Option<f64>,
    /// EI ≥ 0, in N m².
    pub stiffness_n_m2: f64,
    /// Losses.
    pub damping: StringDamping,
    /// Kelvin–Voigt relaxation time ≥ 0; above 0 only with [`Scheme::Midpoint`].
    pub kelvin_voigt_s: f64,
    /// Boundary condition at both ends.
    pub ends: StringEnds,
    /// Number of grid intervals, 3 to 100 000; `None` leaves the choice to the engine.
    pub points: Option<usize>,
    /// Number of modes, 1 to 100 000, where the string is computed by modes; then `points` is `None`.
    pub modes: Option<usize>,
    /// How it turns under what rubs it; then `modes` is given.
    pub torsion: Option<Torsion>,
    /// EA ≥ 0, in N.
    pub axial_stiffness_n: f64,
    /// In file order.
    pub ports: Vec<StringPort>,
    /// The string moves in two planes; only with `modes`.
    pub two_planes: bool,
}

/// Twisting of a string.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Torsion {
    /// Speed of its waves over that of transverse ones, > 0.
    pub speed_ratio: f64,
    /// Their impedance at the surface over that of transverse ones, > 0.
    pub impedance_ratio: f64,
    /// Their quality factor > 0.
    pub q: f64,
}

/// Where a string can be touched or heard.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StringPort {
    /// Name within the resonator.
    pub name: String,
    /// Fraction of the length, strictly between 0 and 1.
    pub position: f64,
    /// Direction around the string, degrees; 0 in the first plane.
    pub angle_deg: f64,
}

/// String losses, as coefficients or as two decay times.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StringDamping {
    /// u_tt = … − 2σ₀ u_t + 2σ₁ u_txx.
    Coefficients {
        /// σ₀ ≥ 0, 1/s.
        sigma0_1_s: f64,
        /// σ₁ ≥ 0, m²/s.
        sigma1_m2_s: f64,
    },
    /// T60 at two frequencies, `[hz, s]`, the lower frequency first and both above 0.
    Decay([(f64, f64); 2]),
}

/// A law between two ports, or a port and a wall. Compression is u_A − u_B − gap.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Interaction {
    /// Given, or made from the ends: `mallet-bar.strike`.
    pub id: String,
    /// A and B, different, at most one of them the wall.
    pub between: [End; 2],
    /// The law.
    pub law: Law,
    /// How the gap moves; only that of a collision does.
    pub surface: Surface,
    /// What the player does with it; only with a friction or an adherence anything.
    pub rub: Rub,
}

/// The laws of interaction.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Law {
    /// One-sided power law, f = K ⌊δ⌋^α (1 + μ δ̇).
    Collision {
        /// K > 0, N/m^α; computed from the contact time where the file gives that.
        stiffness: f64,
        /// α in [1, 5].
        exponent: f64,
        /// Separation at rest; any sign.
        gap_m: f64,
        /// Hunt–Crossley μ ≥ 0; 0 with the quadratised methods.
        damping_s_m: f64,
        /// How it is solved.
        method: Method,
    },
    /// Stulov's felt, f = max(0, K ⌊δ⌋^α − εY), τ Ẏ = K ⌊δ⌋^α − Y.
    Felt {
        /// K > 0, N/m^α.
        stiffness: f64,
        /// α in [1, 5].
        exponent: f64,
        /// ε in [0, 1).
        hysteresis: f64,
        /// τ > 0.
        relaxation_s: f64,
        /// Separation at rest; any sign.
        gap_m: f64,
    },
    /// Dry friction.
    Friction(Surfaces),
    /// Two ends that move as one while they are held.
    Adhere {
        /// The distance to which they return; `None` leaves them where they met.
        height_m: Option<f64>,
        /// Time constant of the return > 0.
        return_s: f64,
    },
    /// Linear spring and damper; at least one of the two is above 0.
    Spring {
        /// k ≥ 0.
        stiffness_n_m: f64,
        /// r ≥ 0.
        damping_n_s_m: f64,
    },
    /// Two-sided power law, f = K |δ|^α sign δ.
    NonlinearSpring {
        /// K > 0, N/m^α.
        stiffness: f64,
        /// α in [1, 5].
        exponent: f64,
    },
}

/// An obstacle along a string.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Barrier {
    /// Given, or `barrier`, `barrier#2`.
    pub id: String,
    /// Index into [`Spec::resonators`]; always a string.
    pub string: usize,
    /// Where it stands: below it stops negative displacement.
    pub side: Side,
    /// Heights along the string.
    pub shape: BarrierShape,
    /// Where it begins, a fraction of the length, 0 or above; 0 for frets and points.
    pub from: f64,
    /// Where it ends, a fraction of the length, above `from` and at most 1; 1 for frets and points.
    pub to: f64,
    /// How hard it is.
    pub stiffness: BarrierStiffness,
    /// α in [1, 5].
    pub exponent: f64,
    /// Hunt–Crossley μ ≥ 0; 0 with the quadratised methods.
    pub damping_s_m: f64,
    /// How each contact is solved.
    pub method: Method,
    /// `(s, m)` added to every height, times ≥ 0 and strictly increasing, linear between points and held beyond;
    /// empty for none.
    pub lift: Vec<(f64, f64)>,
}

/// Heights of a barrier over the string at rest; finite, any sign.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BarrierShape {
    /// The same height everywhere.
    Flat {
        /// Height.
        height_m: f64,
    },
    /// h(x) = Σ cᵢ xⁱ, x in metres from the start of the barrier.
    Profile {
        /// Coefficients cᵢ, 1 to 8 of them.
        height_m: Vec<f64>,
    },
    /// Fret n = 1, 2, … stands at the fraction 1 − 2^(−n/12) of the length.
    Frets {
        /// One per fret, 1 to 48 of them.
        height_m: Vec<f64>,
    },
    /// `(fraction of the length, height in m)`, 1 to 2000 of them, fractions strictly between 0 and 1 and increasing.
    Points(Vec<(f64, f64)>),
}

/// How hard a barrier is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BarrierStiffness {
    /// Of each point of contact > 0, N/m^α.
    PerPoint(f64),
    /// Per metre of string > 0, N/m^(α + 1); only with [`BarrierShape::Flat`] and [`BarrierShape::Profile`].
    Density(f64),
}

/// A soft fingertip: a damped mass that presses on a string.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finger {
    /// Given, or `finger`, `finger#2`.
    pub id: String,
    /// Index into [`Spec::resonators`]; always a string.
    pub string: usize,
    /// m > 0.
    pub mass_kg: f64,
    /// r ≥ 0, damper of the mass.
    pub damping_n_s_m: f64,
    /// K > 0, N/m^α.
    pub stiffness: f64,
    /// α in [1, 5].
    pub exponent: f64,
    /// Hunt–Crossley μ ≥ 0.
    pub damping_s_m: f64,
    /// Radius of curvature along the string > 0.
    pub radius_m: f64,
    /// Length of the contact patch along the string > 0.
    pub width_m: f64,
    /// Distance from the string, towards `side`, where it waits; finite, any sign.
    pub height_m: f64,
    /// k > 0, the weak spring that holds it there.
    pub hold_n_m: f64,
    /// From where it presses: above it presses towards negative displacement.
    pub side: Side,
    /// `(s, fraction of the length)`, at least 1 point, a single one at 0 s if constant; times ≥ 0 and strictly
    /// increasing, fractions strictly between 0 and 1, linear between points and held beyond.
    pub position: Vec<(f64, f64)>,
    /// `(s, N)`, forces ≥ 0 towards the string, times ≥ 0 and strictly increasing, linear between points and held
    /// beyond; empty for none.
    pub force: Vec<(f64, f64)>,
}

/// Something the player does.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Gesture {
    /// Given, or the verb: `throw`, `throw#2`.
    pub id: String,
    /// Start, ≥ 0.
    pub at_s: f64,
    /// What is done.
    pub action: Action,
    /// Done again at intervals.
    pub repeat: Option<Repeat>,
}

/// What a gesture does.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Gives a mass a velocity, and a position if stated.
    Throw {
        /// Index into [`Spec::resonators`]; always a mass.
        resonator: usize,
        /// New velocity.
        velocity_m_s: f64,
        /// New displacement, if any.
        position_m: Option<f64>,
    },
    /// Pulls a port and lets go.
    Pluck {
        /// Where.
        port: PortRef,
        /// By force or by displacement.
        how: Pluck,
    },
    /// A short force pulse.
    Strike {
        /// Where.
        port: PortRef,
        /// Length of the pulse > 0.
        duration_s: f64,
        /// Peak force or impulse.
        amount: Strike,
    },
    /// A force over time, piecewise linear.
    Force {
        /// Where.
        port: PortRef,
        /// `(s after at_s, N)`, times ≥ 0 and strictly increasing; at least 1 point.
        curve: Vec<(f64, f64)>,
    },
    /// A prescribed velocity over time, piecewise linear.
    Velocity {
        /// Where.
        port: PortRef,
        /// `(s after at_s, m/s)`, times ≥ 0 and strictly increasing; at least 2 points.
        curve: Vec<(f64, f64)>,
    },
    /// Throws masses at random moments, many times.
    Scatter {
        /// Indices into [`Spec::resonators`]; masses, at least 1.
        masses: Vec<usize>,
        /// `(s after at_s, events per second)`, at least 2 points; none after the last.
        rate: Vec<(f64, f64)>,
        /// Slowest and fastest, of one sign.
        velocity_m_s: (f64, f64),
        /// Energies are distributed as E^−exponent.
        exponent: f64,
    },
}

/// How a pluck is given.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Pluck {
    /// A force that grows and is released.
    Force {
        /// Force at release.
        force_n: f64,
        /// Time to release > 0.
        duration_s: f64,
    },
    /// An initial displacement.
    Displacement {
        /// Displacement of the port at release.
        displacement_m: f64,
        /// Which shape takes that displacement.
        shape: Shape,
    },
}

/// How strong a strike is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Strike {
    /// Peak force, N.
    ForceN(f64),
    /// Integral of the force, N s.
    ImpulseNS(f64),
}

/// Repetition of a gesture.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Repeat {
    /// How often in all, 1 to 100 000.
    pub times: u32,
    /// Interval > 0.
    pub every_s: f64,
    /// Relative random spread of the amplitude, 0 to 1.
    pub vary: f64,
    /// Random shift of each start, ≥ 0 and below `every_s`.
    pub jitter_s: f64,
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
