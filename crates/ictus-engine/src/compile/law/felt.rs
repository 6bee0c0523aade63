//! Felt.

use crate::compile::{Site, build_error};
use ictus_core::{Felt, Law, PowerLaw};
use ictus_instrument as file;
use ictus_instrument::Error;

pub(super) fn law(site: Site, law: &file::Law) -> Result<(Law, f64), Error> {
    let file::Law::Felt { stiffness, exponent, hysteresis, relaxation_s, gap_m } = *law else {
        unreachable!("only felts are planned");
    };
    let felt = Felt::new(site.clock, PowerLaw::new(stiffness, exponent), hysteresis, relaxation_s)
        .map_err(|error| build_error(site.loaded, &[], &error))?;
    Ok((felt.into(), gap_m))
}
