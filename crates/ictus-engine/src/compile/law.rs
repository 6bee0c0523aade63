//! Interactions of the file to contacts of the core: the table of kinds.
//!
//! A law may add ports to the bodies it touches, so it is planned before they are built, and built after them.

mod adhere;
mod collision;
mod felt;
mod friction;
mod nonlinear_spring;
mod spring;
mod surface;

pub(super) use collision::collision;
pub(super) use friction::friction;

use self::adhere::HoldPlan;
use self::collision::CollisionPlan;
use self::friction::RubPlan;
use super::body::BodyPlan;
use super::gap::{GapDrive, GapMotion};
use super::inputs::Inputs;
use super::{Site, end};
use crate::drive::Drive;
use ictus_core::{BodyId, Contact, ContactId, Law, ModelBuilder};
use ictus_instrument as file;
use ictus_instrument::{Error, InputKind, Interaction};

/// An interaction before it is built.
pub(super) trait LawPlan {
    /// The contacts, and what the player does with them.
    fn build(&self, site: Site, making: &mut Making) -> Result<Built, Error>;

    /// Points at which surfaces rub, whose number is bounded.
    fn rubbing_points(&self) -> usize {
        0
    }
}

/// A model in the making.
pub(super) struct Making<'a> {
    pub builder: &'a mut ModelBuilder,
    pub ids: &'a [BodyId],
    pub inputs: &'a Inputs,
    /// The interactions before this one.
    pub earlier: &'a [Built],
    pub warnings: &'a mut Vec<Error>,
}

/// A built interaction.
pub(super) struct Built {
    /// At least one; more only of bows with several points.
    pub contacts: Vec<ContactId>,
    pub drive: Option<Box<dyn Drive>>,
}

/// The plans of all interactions. Adds ports to the bodies.
pub(super) fn plans<'a>(
    interactions: &'a [Interaction],
    inputs: &Inputs,
    bodies: &mut [Box<dyn BodyPlan + 'a>],
) -> Vec<Box<dyn LawPlan + 'a>> {
    let mut order: Vec<usize> = (0..interactions.len()).collect();
    // the ports of frictions come before those of others: forces on a body are summed in the order of its ports
    order.sort_by_key(|&index| !matches!(interactions[index].law, file::Law::Friction(_)));
    let mut plans: Vec<_> =
        order.into_iter().map(|index| (index, plan(index, &interactions[index], inputs, bodies))).collect();
    plans.sort_by_key(|(index, _)| *index);
    plans.into_iter().map(|(_, plan)| plan).collect()
}

/// The plan of interaction `index`: one line per kind. Adds ports to the bodies.
fn plan<'a>(
    index: usize,
    interaction: &'a Interaction,
    inputs: &Inputs,
    bodies: &mut [Box<dyn BodyPlan + 'a>],
) -> Box<dyn LawPlan + 'a> {
    // a place that an input moves must be built so that it can move
    let moved = inputs.find(InputKind::Position { interaction: index }).map(|input| inputs.start(input));
    match &interaction.law {
        file::Law::Collision { .. } => Box::new(CollisionPlan { index, interaction }),
        file::Law::Felt { .. } => Box::new(PlainPlan { index, interaction, law: felt::law }),
        file::Law::Friction(surfaces) => Box::new(RubPlan::new(index, interaction, surfaces, moved, bodies)),
        file::Law::Adhere { .. } => Box::new(HoldPlan::new(index, interaction, moved, bodies)),
        file::Law::Spring { .. } => Box::new(PlainPlan { index, interaction, law: spring::law }),
        file::Law::NonlinearSpring { .. } => Box::new(PlainPlan { index, interaction, law: nonlinear_spring::law }),
    }
}

/// A law and its gap at rest, m.
type Gapped = (Law, f64);

/// A law that nothing is done with but for its lift, between two ports of the file.
struct PlainPlan<'a> {
    index: usize,
    interaction: &'a Interaction,
    law: fn(Site, &file::Law) -> Result<Gapped, Error>,
}

impl LawPlan for PlainPlan<'_> {
    fn build(&self, site: Site, making: &mut Making) -> Result<Built, Error> {
        let (law, gap) = (self.law)(site, &self.interaction.law)?;
        let contact = making.contact(self.interaction, law, making.gap_at_start(self.index, gap));
        let lift = making.inputs.find(InputKind::Lift { interaction: self.index }).map(|input| GapDrive {
            contacts: vec![(contact, gap)],
            start: making.inputs.start(input),
            input,
            // what is lifted comes closer
            motion: GapMotion::Shift { sign: -1.0 },
        });
        Ok(Built { contacts: vec![contact], drive: lift.map(|drive| Box::new(drive) as Box<dyn Drive>) })
    }
}

impl Making<'_> {
    /// Where the contact of an interaction stands before the first step, m.
    fn gap_at_start(&self, interaction: usize, gap: f64) -> f64 {
        let lift = self.inputs.find(InputKind::Lift { interaction });
        gap - lift.map_or(0.0, |lift| self.inputs.start(lift))
    }

    /// A contact between the ends that the file names.
    fn contact(&mut self, interaction: &Interaction, law: Law, gap: f64) -> ContactId {
        let ends = interaction.between.map(|e| end(self.ids, e));
        self.builder.contact(Contact::new(interaction.id.clone(), ends, law).with_gap(gap).with_own_law())
    }
}
