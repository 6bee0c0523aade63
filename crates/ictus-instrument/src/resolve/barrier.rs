//! Obstacles along a string.

use super::interaction::HERTZ;
use super::{Resolver, each};
use crate::error::{Error, listed};
use crate::names::SHAPES;
use crate::number::{Finite, Fraction, OneOrMany};
use crate::path::{Seg, trail};
use crate::raw::{self, Side};
use crate::spec::{Barrier, BarrierShape, BarrierStiffness};

/// Coefficients of a profile.
const MAX_COEFFICIENTS: usize = 8;
/// Points of one barrier, and points and frets of the whole file.
const MAX_POINTS: usize = 2_000;
const MAX_POINTS_IN_ALL: usize = 10_000;

impl Resolver<'_> {
    pub(super) fn barriers(&self, raw: Vec<raw::Barrier>) -> Result<Vec<Barrier>, Error> {
        let mut points = 0;
        each(raw, |index, raw| {
            let barrier = self.barrier(index, raw)?;
            points += match &barrier.shape {
                BarrierShape::Flat { .. } | BarrierShape::Profile { .. } => 0,
                BarrierShape::Frets { height_m } => height_m.len(),
                BarrierShape::Points(list) => list.len(),
            };
            if points > MAX_POINTS_IN_ALL {
                let message = format!("the barriers of the file have more than {MAX_POINTS_IN_ALL} points and frets");
                return Err(self.context.error(
                    &trail!["barrier", index],
                    "instrument::limit",
                    message,
                    "from here on",
                ));
            }
            Ok(barrier)
        })
    }

    fn barrier(&self, index: usize, raw: raw::Barrier) -> Result<Barrier, Error> {
        let at = |key: &str| trail!["barrier", index, key];
        let id = self.id("barrier", index);
        let string = self.string(&raw.on, &at("on"), "only a string can have a barrier")?;
        let given = [raw.flat.is_some(), raw.profile.is_some(), raw.frets.is_some(), raw.points.is_some()];
        let shapes = SHAPES.into_iter().zip(given).filter(|(_, given)| *given);
        let shapes: Vec<&str> = shapes.map(|(shape, _)| shape).collect();
        let [shape_key] = shapes.as_slice() else {
            let (base, all) = (trail!["barrier", index], listed(&SHAPES));
            return Err(if shapes.is_empty() {
                let message = format!("`{id}` has no shape, expected one of {all}");
                self.context.error(&base, "instrument::missing_key", message, "needs a shape")
            } else {
                let message = format!("`{id}` has {}, expected exactly one of {all}", listed(&shapes));
                self.conflict(&base, message, "more than one shape")
            });
        };
        // Frets and points stand apart; the other two lie along a stretch of the string.
        if raw.frets.is_some() || raw.points.is_some() {
            for (key, given) in
                [("from", raw.from.is_some()), ("to", raw.to.is_some()), ("density", raw.density.is_some())]
            {
                if given {
                    let message =
                        format!("`{id}` has `{key}`, which goes with `flat` or `profile`, not with `{shape_key}`");
                    return Err(self.conflict(&at(key), message, &format!("not with `{shape_key}`")));
                }
            }
        }
        let stiffness = self.barrier_stiffness(index, &id, &raw)?;
        let (from, to) = self.stretch(index, &raw)?;
        let damping_s_m = raw.damping_s_m.map_or(0.0, |x| x.0);
        self.damping_fits(damping_s_m, raw.method, &at("damping_s_m"))?;
        let lift = raw.lift.map(|lift| {
            let lift = lift.iter().map(|(time, height)| (time.0, height.0)).collect();
            self.curve(lift, 1, &at("lift"))
        });
        let shape = if let Some(flat) = raw.flat {
            BarrierShape::Flat { height_m: flat.height_m.0 }
        } else if let Some(profile) = raw.profile {
            self.profile(&profile, &at("profile"))?
        } else if let Some(frets) = raw.frets {
            self.frets(frets, &at("frets"))?
        } else {
            self.barrier_points(raw.points.unwrap_or_default(), &at("points"))?
        };
        Ok(Barrier {
            id,
            string,
            side: raw.side.unwrap_or(Side::Below),
            shape,
            from,
            to,
            stiffness,
            exponent: raw.exponent.map_or(HERTZ, |x| x.0),
            damping_s_m,
            method: raw.method,
            lift: lift.transpose()?.unwrap_or_default(),
        })
    }

    fn barrier_stiffness(&self, index: usize, id: &str, raw: &raw::Barrier) -> Result<BarrierStiffness, Error> {
        match (raw.stiffness, raw.density) {
            (Some(stiffness), None) => Ok(BarrierStiffness::PerPoint(stiffness.0)),
            (None, Some(density)) => Ok(BarrierStiffness::Density(density.0)),
            (Some(_), Some(_)) => {
                let message = format!("`{id}` has both `stiffness` and `density`, expected one of them");
                Err(self.conflict(&trail!["barrier", index, "density"], message, "one too many"))
            }
            (None, None) => {
                let message = format!("`{id}` has neither `stiffness` nor `density`, expected one of them");
                let base = trail!["barrier", index];
                Err(self.context.error(&base, "instrument::missing_key", message, "this needs `stiffness`"))
            }
        }
    }

    /// Where the barrier begins and ends.
    fn stretch(&self, index: usize, raw: &raw::Barrier) -> Result<(f64, f64), Error> {
        let (from, to) = (raw.from.map_or(0.0, |x| x.0), raw.to.map_or(1.0, |x| x.0));
        if from < to {
            return Ok((from, to));
        }
        let (key, expected) = match raw.to {
            Some(_) => ("to", format!("more than `from`, {from}")),
            None => ("from", format!("less than `to`, {to}")),
        };
        Err(self.context.unexpected(&trail!["barrier", index, key], "instrument::out_of_range", &expected))
    }

    fn profile(&self, raw: &raw::Profile, at: &[Seg]) -> Result<BarrierShape, Error> {
        if !(1..=MAX_COEFFICIENTS).contains(&raw.height_m.len()) {
            let at = [at, &trail!["height_m"]].concat();
            let expected = format!("1 to {MAX_COEFFICIENTS} coefficients");
            return Err(self.context.unexpected(&at, "instrument::length", &expected));
        }
        Ok(BarrierShape::Profile { height_m: raw.height_m.iter().map(|x| x.0).collect() })
    }

    fn frets(&self, raw: raw::Frets, at: &[Seg]) -> Result<BarrierShape, Error> {
        let count = raw.count.0 as usize;
        let height_m: Vec<f64> = match raw.height_m {
            OneOrMany::One(x) => vec![x.0; count],
            OneOrMany::Many(list) => list.into_iter().map(|x| x.0).collect(),
        };
        if height_m.len() != count {
            let [heights, counted] = ["height_m", "count"].map(|key| [at, &trail![key]].concat());
            let name = |segs: &[Seg]| self.context.names.show(segs);
            let message =
                format!("`{}` has {} values, but `{}` is {count}", name(&heights), height_m.len(), name(&counted));
            let label = format!("expected {count} values");
            return Err(self.context.error(&heights, "instrument::length", message, label));
        }
        Ok(BarrierShape::Frets { height_m })
    }

    fn barrier_points(&self, raw: Vec<(Fraction, Finite)>, at: &[Seg]) -> Result<BarrierShape, Error> {
        if !(1..=MAX_POINTS).contains(&raw.len()) {
            return Err(self.context.unexpected(at, "instrument::length", &format!("1 to {MAX_POINTS} points")));
        }
        let points: Vec<(f64, f64)> = raw.into_iter().map(|(position, height)| (position.0, height.0)).collect();
        self.rising(&points, at, |before| format!("a position after {before}"))?;
        Ok(BarrierShape::Points(points))
    }
}
