//! Collisions, and the surfaces that pass under their points.

use super::{Built, LawPlan, Making, surface};
use crate::compile::Site;
use ictus_core::{Clock, Collision, Gradient, Law, PowerLaw, Quadratised};
use ictus_instrument as file;
use ictus_instrument::{Error, Interaction};

/// A collision, which is planned as it stands in the file.
pub(super) struct CollisionPlan<'a> {
    pub index: usize,
    pub interaction: &'a Interaction,
}

impl LawPlan for CollisionPlan<'_> {
    fn build(&self, site: Site, making: &mut Making) -> Result<Built, Error> {
        let file::Law::Collision { stiffness, exponent, gap_m, damping_s_m, method } = self.interaction.law else {
            unreachable!("only collisions are planned");
        };
        let law = collision(site.clock, stiffness, exponent, damping_s_m, method);
        let contact = making.contact(self.interaction, law, making.gap_at_start(self.index, gap_m));
        let drive = surface::drive(site, (making.ids, making.inputs), (self.index, contact), making.warnings)?;
        Ok(Built { contacts: vec![contact], drive })
    }
}

/// The one-sided power law, also of barriers, wires and fingers.
pub(in crate::compile) fn collision(
    clock: Clock,
    stiffness: f64,
    exponent: f64,
    loss: f64,
    method: file::Method,
) -> Law {
    let power = PowerLaw::new(stiffness, exponent);
    match method {
        file::Method::Gradient => Collision::new(clock, power, loss).into(),
        file::Method::Quadratised => Quadratised::new(clock, power, Gradient::Current).into(),
        file::Method::QuadratisedCorrected => Quadratised::new(clock, power, Gradient::Corrected).into(),
    }
}
