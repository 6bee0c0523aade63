//! Interactions: the table of kinds. Each kind has a file with its table as written and the way to the law.

mod adhere;
mod collision;
mod felt;
mod friction;
mod nonlinear_spring;
mod rub;
mod spring;
mod surface;

pub use collision::Method;
pub use friction::{FrictionForm, FrictionModel};
pub use rub::{Bow, Hair, Rub, Surfaces};
pub use surface::{Roughness, Surface, Texture};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::adhere::AdhereTable;
use self::collision::CollisionTable;
use self::felt::FeltTable;
use self::friction::FrictionTable;
use self::nonlinear_spring::NonlinearSpringTable;
use self::spring::SpringTable;
use crate::error::Error;
use crate::input::LawInputs;
use crate::path::trail;
use crate::resolve::Resolver;
use crate::spec::PortRef;

/// Power of a collision where the file gives none: two elastic spheres after Hertz.
pub(crate) const HERTZ: f64 = 1.5;

/// A law between two ports, or a port and the wall.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename = "Interaction", rename_all = "snake_case")]
#[schemars(tag = "kind")]
pub(crate) enum LawTable {
    /// A one-sided contact.
    Collision(Box<CollisionTable>),
    /// A one-sided contact that remembers.
    Felt(FeltTable),
    /// Surfaces that slide along each other.
    Friction(Box<FrictionTable>),
    /// Two ends that move as one.
    Adhere(AdhereTable),
    /// A linear spring and damper.
    Spring(SpringTable),
    /// A two-sided power law.
    NonlinearSpring(NonlinearSpringTable),
}

impl LawTable {
    /// True of one-sided contacts, whose force may press a friction.
    pub fn presses(&self) -> bool {
        matches!(self, Self::Collision(_) | Self::Felt(_))
    }
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

impl Law {
    /// True of one-sided contacts.
    #[must_use]
    pub fn only_pushes(&self) -> bool {
        matches!(self, Self::Collision { .. } | Self::Felt { .. })
    }

    /// True if the ends can part, so that touches can be counted.
    #[must_use]
    pub fn lets_go(&self) -> bool {
        match self {
            Self::Collision { .. } | Self::Felt { .. } | Self::Friction(_) | Self::NonlinearSpring { .. } => true,
            Self::Spring { .. } | Self::Adhere { .. } => false,
        }
    }
}

impl Law {
    /// True if the law draws its ends back to where they were when they part: one that is moved away starts to move.
    #[must_use]
    pub fn restores(&self) -> bool {
        matches!(self, Self::Spring { .. } | Self::NonlinearSpring { .. })
    }

    /// True if the law holds its ends together, so that a body on it does not fly.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.restores() || matches!(self, Self::Adhere { .. })
    }

    /// Separation of a one-sided contact at rest, m.
    #[must_use]
    pub fn gap_m(&self) -> Option<f64> {
        match self {
            Self::Collision { gap_m, .. } | Self::Felt { gap_m, .. } => Some(*gap_m),
            _ => None,
        }
    }
}

impl Interaction {
    /// Lists what players can move of it: one line per kind.
    pub(crate) fn offer_inputs(&self, inputs: LawInputs) {
        match &self.law {
            Law::Collision { .. } => collision::offer_inputs(self, inputs),
            Law::Friction(surfaces) => friction::offer_inputs(self, surfaces, inputs),
            Law::Adhere { .. } => adhere::offer_inputs(inputs),
            Law::Felt { .. } => felt::offer_inputs(inputs),
            Law::Spring { .. } | Law::NonlinearSpring { .. } => {}
        }
    }
}

impl Resolver<'_> {
    /// Resolves an interaction: one line per kind. `presses` says which of the interactions before this one are one-sided contacts.
    pub(crate) fn interaction(&self, index: usize, raw: LawTable, presses: &[bool]) -> Result<Interaction, Error> {
        let id = self.id("interaction", index);
        let (mut surface, mut rub) = (Surface::default(), Rub::default());
        let (between, law) = match raw {
            LawTable::Collision(raw) => {
                let (law, rough) = self.collision(index, &raw)?;
                surface = rough;
                (raw.between, law)
            }
            LawTable::Felt(raw) => {
                let law = felt::felt(&raw);
                (raw.between, law)
            }
            LawTable::Friction(raw) => {
                let (law, moves) = self.friction(index, &raw, presses)?;
                rub = moves;
                (raw.between, law)
            }
            LawTable::Adhere(raw) => {
                let (law, moves) = self.adherence(index, &raw)?;
                rub = moves;
                (raw.between, law)
            }
            LawTable::Spring(raw) => {
                let law = self.spring(index, &id, &raw)?;
                (raw.between, law)
            }
            LawTable::NonlinearSpring(raw) => {
                let law = nonlinear_spring::nonlinear_spring(&raw);
                (raw.between, law)
            }
        };
        let between = self.ends(index, &id, &between)?;
        match &law {
            Law::Friction(surfaces) => self.bow_fits(index, surfaces, &rub, &between)?,
            Law::Adhere { .. } => self.place_fits(index, 0.0, &rub, &between)?,
            _ => {}
        }
        Ok(Interaction { id, between, law, surface, rub })
    }

    /// The two different ends of an interaction.
    fn ends(&self, index: usize, id: &str, between: &[String; 2]) -> Result<[End; 2], Error> {
        let end = |side: usize| match between[side].as_str() {
            "wall" => Ok(End::Wall),
            text => self.port(text, &trail!["interaction", index, "between", side]).map(End::Port),
        };
        let ends = [end(0)?, end(1)?];
        if ends[0] == ends[1] {
            let message = match ends[0] {
                End::Wall => format!("`{id}` is between two walls, expected at least one port"),
                End::Port(_) => {
                    format!("`{id}` is between `{}` and itself, expected two different ends", between[0])
                }
            };
            return Err(self.conflict(&trail!["interaction", index, "between"], message, "both ends are the same"));
        }
        Ok(ends)
    }
}
