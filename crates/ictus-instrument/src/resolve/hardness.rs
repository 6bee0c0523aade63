//! How hard a contact is: its stiffness, or how long it lasts.

use ictus_core::WallImpact;
use ictus_objects::Shape;

use super::Resolver;
use super::interaction::HERTZ;
use crate::error::Error;
use crate::path::trail;
use crate::raw;
use crate::spec::ResonatorKind;

/// Speed a contact time holds for where the file gives none, m/s.
const AT_M_S: f64 = 1.0;

impl Resolver<'_> {
    /// The stiffness of a collision, N/m^exponent.
    pub(super) fn hardness(&self, index: usize, raw: &raw::Collision) -> Result<f64, Error> {
        let at = |key: &str| trail!["interaction", index, key];
        let base = trail!["interaction", index];
        let id = self.id("interaction", index);
        let duration = match (raw.stiffness, raw.contact_time_s) {
            (Some(stiffness), None) => {
                return match raw.at_m_s {
                    None => Ok(stiffness.0),
                    Some(_) => {
                        let message =
                            format!("`{id}` has `at_m_s`, which goes with `contact_time_s`, not with `stiffness`");
                        Err(self.conflict(&at("at_m_s"), message, "one too many"))
                    }
                };
            }
            (None, Some(duration)) => duration.0,
            (Some(_), Some(_)) => {
                let message = format!("`{id}` has both `stiffness` and `contact_time_s`, expected one of them");
                return Err(self.conflict(&at("contact_time_s"), message, "one too many"));
            }
            (None, None) => {
                let message = format!("`{}` is missing", self.context.names.show(&at("stiffness")));
                return Err(self
                    .context
                    .error(&base, "instrument::missing_key", message, "this needs `stiffness`")
                    .help("add `stiffness = …`, or `contact_time_s = \"1 ms\"`"));
            }
        };
        let mobility: f64 = raw.between.iter().map(|end| self.free_mobility(end)).sum();
        if mobility == 0.0 {
            let message = format!(
                "`{id}` has a `contact_time_s`, but neither end moves freely, so that no mass arrives; \
                 expected a mass, or modes with one of 0 Hz"
            );
            let error = self.conflict(&at("contact_time_s"), message, "no mass to time");
            return Err(error.help("give `stiffness` instead"));
        }
        let exponent = raw.exponent.map_or(HERTZ, |x| x.0);
        let loss = raw.damping_s_m.map_or(0.0, |x| x.0);
        let speed = raw.at_m_s.map_or(AT_M_S, |x| x.0);
        let stiffness = WallImpact::stiffness_for(1.0 / mobility, exponent, loss, speed, duration);
        if stiffness > 0.0 && stiffness.is_finite() {
            return Ok(stiffness);
        }
        let message = format!(
            "{}, which asks for a stiffness of {stiffness} N/m^{exponent}, expected a positive number",
            self.context.state(&at("contact_time_s"))
        );
        Err(self.context.error(&at("contact_time_s"), "instrument::out_of_range", message, "gives that stiffness"))
    }

    /// What a force at an end does to what moves freely there, 1/kg. Walls, strings, surfaces and vibrations count as immovable: they give way only
    /// in the time of their own periods.
    fn free_mobility(&self, end: &str) -> f64 {
        let (id, port) = end.split_once('.').unwrap_or((end, ""));
        let Some(index) = self.resonator(id) else { return 0.0 };
        match &self.resonators[index].kind {
            ResonatorKind::Mass(mass) => 1.0 / mass.mass_kg,
            ResonatorKind::Modes(modes) => {
                let Some(port) = modes.ports.iter().find(|known| known.name == port) else { return 0.0 };
                let rigid =
                    modes.frequency_hz.iter().zip(&modes.mass_kg).zip(&port.shape).filter(|((f, _), _)| **f == 0.0);
                rigid.map(|((_, mass), shape)| shape * shape / mass).sum()
            }
            ResonatorKind::Object(object) => match &object.description.shape {
                Shape::Chain { masses_kg, springs_n_m }
                    if springs_n_m.first() == Some(&0.0) && springs_n_m.last() == Some(&0.0) =>
                {
                    1.0 / masses_kg.iter().sum::<f64>()
                }
                _ => 0.0,
            },
            ResonatorKind::String(_) | ResonatorKind::Grid(_) | ResonatorKind::Drum(_) => 0.0,
        }
    }
}
