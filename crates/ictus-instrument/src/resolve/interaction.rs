//! Laws between two ports.

use super::Resolver;
use crate::error::Error;
use crate::path::{Seg, trail};
use crate::raw::{self, Method};
use crate::spec::{End, Interaction, Law, Rub, Surface};

/// Power of a collision where the file gives none: two elastic spheres after Hertz.
pub(super) const HERTZ: f64 = 1.5;

/// Power of felt where the file gives none: the middle of what is measured on piano hammers, 1.5 to 3.5. [SO8 §8.3.1]
const PIANO_FELT: f64 = 2.5;

/// Time in which what is held returns to its place where the file gives none: quick, yet no blow.
const RETURN_S: f64 = 5e-3;

impl Resolver<'_> {
    /// `presses` tells which of the interactions before this one are one-sided contacts.
    pub(super) fn interaction(
        &self,
        index: usize,
        raw: raw::Interaction,
        presses: &[bool],
    ) -> Result<Interaction, Error> {
        let at = |key: &str| trail!["interaction", index, key];
        let id = self.id("interaction", index);
        let (mut surface, mut rub) = (Surface::default(), Rub::default());
        let (between, law) = match raw {
            raw::Interaction::Collision(raw) => {
                let damping_s_m = raw.damping_s_m.map_or(0.0, |x| x.0);
                self.damping_fits(damping_s_m, raw.method, &at("damping_s_m"))?;
                surface = self.surface(index, &raw)?;
                let law = Law::Collision {
                    stiffness: self.hardness(index, &raw)?,
                    exponent: raw.exponent.map_or(HERTZ, |x| x.0),
                    gap_m: raw.gap_m.map_or(0.0, |x| x.0),
                    damping_s_m,
                    method: raw.method,
                };
                (raw.between, law)
            }
            raw::Interaction::Felt(raw) => {
                let law = Law::Felt {
                    stiffness: raw.stiffness.0,
                    exponent: raw.exponent.map_or(PIANO_FELT, |x| x.0),
                    hysteresis: raw.hysteresis.0,
                    relaxation_s: raw.relaxation_s.0,
                    gap_m: raw.gap_m.map_or(0.0, |x| x.0),
                };
                (raw.between, law)
            }
            raw::Interaction::Friction(raw) => {
                let (law, moves) = self.friction(index, &raw, presses)?;
                rub = moves;
                (raw.between, law)
            }
            raw::Interaction::Adhere(raw) => {
                rub.position = self.over_time(raw.position.as_ref(), |x| x.0, &at("position"))?;
                rub.weight = match &raw.weight {
                    None => vec![(0.0, 1.0)],
                    weight => self.over_time(weight.as_ref(), |x| x.0, &at("weight"))?,
                };
                let law = Law::Adhere {
                    height_m: raw.height_m.map(|x| x.0),
                    return_s: raw.return_s.map_or(RETURN_S, |x| x.0),
                };
                (raw.between, law)
            }
            raw::Interaction::Spring(raw) => {
                let stiffness_n_m = raw.stiffness_n_m.map_or(0.0, |x| x.0);
                let damping_n_s_m = raw.damping_n_s_m.map_or(0.0, |x| x.0);
                if stiffness_n_m == 0.0 && damping_n_s_m == 0.0 {
                    let message = format!("`{id}` has no stiffness and no damping, expected one of them above zero");
                    return Err(self.context.error(
                        &trail!["interaction", index],
                        "instrument::out_of_range",
                        message,
                        "does nothing",
                    ));
                }
                (raw.between, Law::Spring { stiffness_n_m, damping_n_s_m })
            }
            raw::Interaction::NonlinearSpring(raw) => {
                (raw.between, Law::NonlinearSpring { stiffness: raw.stiffness.0, exponent: raw.exponent.0 })
            }
        };
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
            return Err(self.conflict(&at("between"), message, "the same twice"));
        }
        match &law {
            Law::Friction(surfaces) => self.bow_fits(index, surfaces, &rub, &ends)?,
            Law::Adhere { .. } => self.place_fits(index, 0.0, &rub, &ends)?,
            _ => {}
        }
        Ok(Interaction { id, between: ends, law, surface, rub })
    }

    /// The quadratised methods have no damping.
    pub(super) fn damping_fits(&self, damping_s_m: f64, method: Method, at: &[Seg]) -> Result<(), Error> {
        if damping_s_m == 0.0 || method == Method::Gradient {
            return Ok(());
        }
        let message = format!("{}, but the quadratised methods have no damping, expected 0", self.context.state(at));
        Err(self.conflict(at, message, "expected 0").help("use `method = \"gradient\"` to keep the damping"))
    }
}
