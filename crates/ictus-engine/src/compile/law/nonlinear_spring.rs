//! Two-sided springs with a power law.

use crate::compile::Site;
use ictus_core::{Law, NonlinearSpring, PowerLaw};
use ictus_instrument as file;
use ictus_instrument::Error;

pub(super) fn law(site: Site, law: &file::Law) -> Result<(Law, f64), Error> {
    let file::Law::NonlinearSpring { stiffness, exponent } = *law else {
        unreachable!("only nonlinear springs are planned");
    };
    Ok((NonlinearSpring::new(site.clock, PowerLaw::new(stiffness, exponent)).into(), 0.0))
}
