//! Point masses.

use super::{BodyPlan, Findings, refuse};
use crate::compile::Site;
use ictus_core::{FastResonator, Mass};
use ictus_instrument as file;
use ictus_instrument::Error;

/// A mass, which is planned as it stands in the file.
pub(super) struct MassPlan<'a> {
    pub id: &'a str,
    pub mass: &'a file::Mass,
}

impl BodyPlan for MassPlan<'_> {
    fn build(&self, site: Site, _: &mut Findings) -> Result<Box<dyn FastResonator>, Error> {
        let file::Mass { mass_kg, stiffness_n_m, damping_n_s_m, position_m, velocity_m_s } = *self.mass;
        let body = Mass::new(site.clock, mass_kg, stiffness_n_m, damping_n_s_m)
            .map_err(|error| refuse(site.loaded, self.id, &error))?;
        Ok(Box::new(body.starting(position_m, velocity_m_s)))
    }
}
