//! Soft fingertips on a string.

use super::Resolver;
use super::interaction::HERTZ;
use crate::error::Error;
use crate::number::ConstantOrCurve;
use crate::path::trail;
use crate::raw::{self, Side};
use crate::spec::Finger;

// A left hand's fingertip, in SI, where the file says nothing.
const MASS: f64 = 0.01;
const DAMPING: f64 = 5.0;
const STIFFNESS: f64 = 1e6;
const FLESH_DAMPING: f64 = 0.1;
const RADIUS: f64 = 0.01;
const WIDTH: f64 = 0.012;
const HEIGHT: f64 = 0.01;
const HOLD: f64 = 20.0;

impl Resolver<'_> {
    pub(super) fn finger(&self, index: usize, raw: &raw::Finger) -> Result<Finger, Error> {
        let at = |key: &str| trail!["finger", index, key];
        let string = self.string(&raw.on, &at("on"), "only a string can be pressed")?;
        let position = match &raw.position {
            ConstantOrCurve::Constant(x) => vec![(0.0, x.0)],
            ConstantOrCurve::Curve(curve) => curve.iter().map(|(time, x)| (time.0, x.0)).collect(),
        };
        let force = raw.force.as_ref().map(|force| {
            let force = force.iter().map(|(time, force)| (time.0, force.0)).collect();
            self.curve(force, 1, &at("force"))
        });
        Ok(Finger {
            id: self.id("finger", index),
            string,
            mass_kg: raw.mass_kg.map_or(MASS, |x| x.0),
            damping_n_s_m: raw.damping_n_s_m.map_or(DAMPING, |x| x.0),
            stiffness: raw.stiffness.map_or(STIFFNESS, |x| x.0),
            exponent: raw.exponent.map_or(HERTZ, |x| x.0),
            damping_s_m: raw.damping_s_m.map_or(FLESH_DAMPING, |x| x.0),
            radius_m: raw.radius_m.map_or(RADIUS, |x| x.0),
            width_m: raw.width_m.map_or(WIDTH, |x| x.0),
            height_m: raw.height_m.map_or(HEIGHT, |x| x.0),
            hold_n_m: raw.hold_n_m.map_or(HOLD, |x| x.0),
            side: raw.side.unwrap_or(Side::Above),
            position: self.curve(position, 1, &at("position"))?,
            force: force.transpose()?.unwrap_or_default(),
        })
    }
}
