//! Collisions: as written, and the way to the law.

use ictus_core::WallImpact;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::surface::TextureTable;
use super::{HERTZ, Interaction, Law, Surface};
use crate::error::Error;
use crate::input::LawInputs;
use crate::number::{ConstantOrCurve, Exponent, Finite, NonNegative, Positive, PositiveFactor};
use crate::path::{Seg, trail};
use crate::resolve::Resolver;

/// Speed a contact time holds for where the file gives none, m/s.
const AT_M_S: f64 = 1.0;

/// A one-sided contact with a power law; give `stiffness` or `contact_time_s`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename = "Collision", deny_unknown_fields)]
#[schemars(extend("oneOf" = [{ "required": ["stiffness"] }, { "required": ["contact_time_s"] }]))]
pub(crate) struct CollisionTable {
    /// Name; made from the two ends if not given.
    #[serde(rename = "id")]
    pub _id: Option<String>,
    /// The two ends: ports, or one port and "wall". Compression is u_A - u_B - gap.
    pub between: [String; 2],
    /// Stiffness in N/m^exponent; instead of `contact_time_s`.
    pub stiffness: Option<PositiveFactor>,
    /// How long the contact lasts when a mass arrives at `at_m_s`; instead of `stiffness`.
    pub contact_time_s: Option<Positive>,
    /// Speed of arrival `contact_time_s` holds for; 1 m/s if not given.
    pub at_m_s: Option<Positive>,
    /// Power of the compression, 1 to 5; 1.5 if not given.
    pub exponent: Option<Exponent>,
    /// Separation at rest; 0 if not given.
    pub gap_m: Option<Finite>,
    /// Hunt–Crossley damping; 0 if not given.
    pub damping_s_m: Option<NonNegative>,
    /// How the contact is solved.
    #[serde(default)]
    pub method: Method,
    /// Height added to the surface over time, [[s, m], …], straight between points, ends held: the gap shrinks by it.
    #[schemars(length(min = 1))]
    pub lift: Option<Vec<(NonNegative, Finite)>>,
    /// A rough surface or a body out of round that passes under the point.
    pub texture: Option<TextureTable>,
    /// Speed at which it passes, m/s, or [[s, m/s], …], straight between points, ends held; instead of `carried_by`.
    pub speed_m_s: Option<ConstantOrCurve<Finite>>,
    /// Mass whose motion carries the point along the surface, so that it passes as fast as the mass moves; instead of `speed_m_s`.
    pub carried_by: Option<String>,
}

/// How a contact is solved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Discrete gradient, by iteration.
    #[default]
    Gradient,
    /// Quadratised energy: fixed cost, no iteration.
    Quadratised,
    /// Quadratised, with a predictor that corrects the gradient.
    QuadratisedCorrected,
}

/// What players move: the gap, and the speed along a rough surface unless a mass that carries the point decides it.
pub(super) fn offer_inputs(known: &Interaction, mut inputs: LawInputs) {
    inputs.lift();
    if known.surface.texture.is_some() && known.surface.carried_by.is_none() {
        inputs.speed(&known.surface.speed);
    }
}

impl Resolver<'_> {
    pub(super) fn collision(&self, index: usize, raw: &CollisionTable) -> Result<(Law, Surface), Error> {
        let damping_s_m = raw.damping_s_m.map_or(0.0, |x| x.0);
        self.damping_fits(damping_s_m, raw.method, &trail!["interaction", index, "damping_s_m"])?;
        let surface = self.surface(index, raw)?;
        let law = Law::Collision {
            stiffness: self.hardness(index, raw)?,
            exponent: raw.exponent.map_or(HERTZ, |x| x.0),
            gap_m: raw.gap_m.map_or(0.0, |x| x.0),
            damping_s_m,
            method: raw.method,
        };
        Ok((law, surface))
    }

    /// The stiffness of a collision, N/m^exponent.
    fn hardness(&self, index: usize, raw: &CollisionTable) -> Result<f64, Error> {
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

    /// What a force at an end does to what moves freely there, 1/kg. Walls are immovable.
    fn free_mobility(&self, end: &str) -> f64 {
        let (id, port) = end.split_once('.').unwrap_or((end, ""));
        self.resonator(id).map_or(0.0, |index| self.resonators[index].kind.body().free_mobility(port))
    }

    /// The quadratised methods have no damping.
    pub(crate) fn damping_fits(&self, damping_s_m: f64, method: Method, at: &[Seg]) -> Result<(), Error> {
        if damping_s_m == 0.0 || method == Method::Gradient {
            return Ok(());
        }
        let message = format!("{}, but the quadratised methods have no damping, expected 0", self.context.state(at));
        Err(self.conflict(at, message, "expected 0").help("use `method = \"gradient\"` to keep the damping"))
    }
}
