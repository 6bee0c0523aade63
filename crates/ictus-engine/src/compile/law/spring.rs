//! Linear springs and dampers.

use crate::compile::{Site, build_error};
use ictus_core::{Law, Spring};
use ictus_instrument as file;
use ictus_instrument::Error;

pub(super) fn law(site: Site, law: &file::Law) -> Result<(Law, f64), Error> {
    let file::Law::Spring { stiffness_n_m, damping_n_s_m } = *law else { unreachable!("only springs are planned") };
    let spring =
        Spring::new(site.clock, stiffness_n_m, damping_n_s_m).map_err(|error| build_error(site.loaded, &[], &error))?;
    Ok((spring.into(), 0.0))
}
