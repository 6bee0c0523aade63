//! Barriers along strings: as written, resolved, and the way between.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{Error, listed};
use crate::law::{HERTZ, Method};
use crate::number::{Exponent, Finite, Fraction, FretCount, NonNegative, OneOrMany, PositiveFactor, UnitInterval};
use crate::path::{Seg, trail};
use crate::resolve::{Resolver, each};

/// The shapes of a barrier.
pub(crate) const SHAPES: [&str; 4] = ["flat", "profile", "frets", "points"];

/// Coefficients of a profile.
const MAX_COEFFICIENTS: usize = 8;
/// Points of one barrier, and points and frets of the whole file.
const MAX_POINTS: usize = 2_000;
const MAX_POINTS_IN_ALL: usize = 10_000;

/// An obstacle along a string: one shape, and either `stiffness` or `density`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename = "Barrier", deny_unknown_fields)]
#[schemars(extend("allOf" = [
    { "oneOf": [
        { "required": ["flat"] }, { "required": ["profile"] }, { "required": ["frets"] }, { "required": ["points"] },
    ] },
    { "oneOf": [{ "required": ["stiffness"] }, { "required": ["density"] }] },
]))]
pub(crate) struct BarrierTable {
    /// Name; "barrier" if not given.
    #[serde(rename = "id")]
    pub _id: Option<String>,
    /// Which string.
    pub on: String,
    /// On which side of the string it stands; below if not given, where it stops negative displacement.
    pub side: Option<Side>,
    /// The same height everywhere.
    pub flat: Option<Flat>,
    /// A height that changes along the string.
    pub profile: Option<Profile>,
    /// Frets in equal temperament, counted from the nut at the start of the string.
    pub frets: Option<Frets>,
    /// Single points, [[fraction of the length, height], …], in order along the string.
    #[schemars(length(min = 1, max = 2000))]
    pub points: Option<Vec<(Fraction, Finite)>>,
    /// Where it begins, a fraction of the length, for `flat` and `profile`; 0 if not given.
    pub from: Option<UnitInterval>,
    /// Where it ends, a fraction of the length, for `flat` and `profile`; 1 if not given.
    pub to: Option<UnitInterval>,
    /// Stiffness of each point of contact in N/m^exponent; instead of `density`.
    pub stiffness: Option<PositiveFactor>,
    /// Stiffness per metre of string in N/m^(exponent + 1), for `flat` and `profile`; instead of `stiffness`.
    pub density: Option<PositiveFactor>,
    /// Power of the compression, 1 to 5; 1.5 if not given.
    pub exponent: Option<Exponent>,
    /// Hunt–Crossley damping; 0 if not given.
    pub damping_s_m: Option<NonNegative>,
    /// How the contact is solved.
    #[serde(default)]
    pub method: Method,
    /// Height added to the whole barrier over time, [[s, m], …], straight between points, ends held.
    #[schemars(length(min = 1))]
    pub lift: Option<Vec<(NonNegative, Finite)>>,
}

/// A side of a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// Where displacement is negative.
    Below,
    /// Where displacement is positive.
    Above,
}

/// A barrier of one height.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Flat {
    /// Height over the string at rest.
    pub height_m: Finite,
}

/// A barrier whose height is a polynomial.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Profile {
    /// Coefficients, lowest power first, of the height over the distance in metres from the start of the barrier.
    #[schemars(length(min = 1, max = 8))]
    pub height_m: Vec<Finite>,
}

/// Frets: number n stands at the fraction 1 - 2^(-n/12) of the length.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Frets {
    /// How many, 1 to 48.
    pub count: FretCount,
    /// Height over the string at rest, one for all or one per fret.
    pub height_m: OneOrMany<Finite>,
}

/// An obstacle along a string.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Barrier {
    /// Given, or `barrier`, `barrier#2`.
    pub id: String,
    /// Index into [`Spec::resonators`](crate::Spec::resonators); always a string.
    pub string: usize,
    /// Where it stands: below it stops negative displacement.
    pub side: Side,
    /// Heights along the string.
    pub shape: BarrierShape,
    /// Where it begins, a fraction of the length, 0 or above; 0 for frets and points.
    pub from: f64,
    /// Where it ends, a fraction of the length, above `from` and at most 1; 1 for frets and points.
    pub to: f64,
    /// How hard it is.
    pub stiffness: BarrierStiffness,
    /// α in [1, 5].
    pub exponent: f64,
    /// Hunt–Crossley μ ≥ 0; 0 with the quadratised methods.
    pub damping_s_m: f64,
    /// How each contact is solved.
    pub method: Method,
    /// `(s, m)` added to every height, times ≥ 0 and strictly increasing, linear between points and held beyond;
    /// empty for none.
    pub lift: Vec<(f64, f64)>,
}

/// Heights of a barrier over the string at rest; finite, any sign.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BarrierShape {
    /// The same height everywhere.
    Flat {
        /// Height.
        height_m: f64,
    },
    /// h(x) = Σ cᵢ xⁱ, x in metres from the start of the barrier.
    Profile {
        /// Coefficients cᵢ, 1 to 8 of them.
        height_m: Vec<f64>,
    },
    /// Fret n = 1, 2, … stands at the fraction 1 − 2^(−n/12) of the length.
    Frets {
        /// One per fret, 1 to 48 of them.
        height_m: Vec<f64>,
    },
    /// `(fraction of the length, height in m)`, 1 to 2000 of them, fractions strictly between 0 and 1 and increasing.
    Points(Vec<(f64, f64)>),
}

/// How hard a barrier is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BarrierStiffness {
    /// Of each point of contact > 0, N/m^α.
    PerPoint(f64),
    /// Per metre of string > 0, N/m^(α + 1); only with [`BarrierShape::Flat`] and [`BarrierShape::Profile`].
    Density(f64),
}

impl Resolver<'_> {
    pub(crate) fn barriers(&self, raw: Vec<BarrierTable>) -> Result<Vec<Barrier>, Error> {
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

    fn barrier(&self, index: usize, raw: BarrierTable) -> Result<Barrier, Error> {
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

    fn barrier_stiffness(&self, index: usize, id: &str, raw: &BarrierTable) -> Result<BarrierStiffness, Error> {
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
    fn stretch(&self, index: usize, raw: &BarrierTable) -> Result<(f64, f64), Error> {
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

    fn profile(&self, raw: &Profile, at: &[Seg]) -> Result<BarrierShape, Error> {
        if !(1..=MAX_COEFFICIENTS).contains(&raw.height_m.len()) {
            let at = [at, &trail!["height_m"]].concat();
            let expected = format!("1 to {MAX_COEFFICIENTS} coefficients");
            return Err(self.context.unexpected(&at, "instrument::length", &expected));
        }
        Ok(BarrierShape::Profile { height_m: raw.height_m.iter().map(|x| x.0).collect() })
    }

    fn frets(&self, raw: Frets, at: &[Seg]) -> Result<BarrierShape, Error> {
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
