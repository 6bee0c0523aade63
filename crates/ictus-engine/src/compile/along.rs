//! Barriers and fingers: rows of contacts along a string.

use super::MAX_CONTACTS;
use super::body::StringPlan;
use super::gap::{GapDrive, GapMotion};
use super::law::collision;
use crate::signal::InputId;
use ictus_core::{BodyId, Clock, Contact, ContactId, End, Mass, ModelBuilder};
use ictus_instrument as file;
use ictus_instrument::{Error, Loaded, Side};

/// Contacts of one barrier, finger or set of wires.
pub(super) struct PointContacts {
    pub contacts: Vec<ContactId>,
    /// How their gaps move, if an input moves them.
    pub drive: Option<GapDrive>,
}

/// Places and heights of a barrier with the stiffness of each contact.
pub(super) struct BarrierPlan {
    points: Vec<BarrierPoint>,
}

struct BarrierPoint {
    port: usize,
    position: f64,  // fraction of the length
    height: f64,    // m
    stiffness: f64, // N/m^α
}

impl BarrierPlan {
    /// Chooses the points and adds their ports to the string.
    pub fn new(loaded: &Loaded, barrier: &file::Barrier, string: &mut StringPlan) -> Result<Self, Error> {
        let places = places(barrier, string);
        if places.is_empty() {
            let message = format!("`{}` covers no point of its string", barrier.id);
            let help =
                Some(format!("the grid has a point every {:.2} mm; widen the barrier", 1e3 * string.grid.spacing));
            return Err(loaded.error_at(&barrier.id, "engine::empty_barrier", message, "here", help));
        }
        if places.len() > MAX_CONTACTS {
            let message =
                format!("`{}` has {} points of contact, expected at most {MAX_CONTACTS}", barrier.id, places.len());
            let help = Some("give the string fewer `points`, or the barrier a shorter stretch".to_owned());
            return Err(loaded.error_at(&barrier.id, "engine::too_many_contacts", message, "here", help));
        }
        let stiffness = match barrier.stiffness {
            file::BarrierStiffness::PerPoint(stiffness) => stiffness,
            file::BarrierStiffness::Density(density) => density * string.grid.spacing,
        };
        let points = places
            .into_iter()
            .map(|(position, height)| BarrierPoint { port: string.add_port(position), position, height, stiffness })
            .collect();
        Ok(Self { points })
    }

    /// Positions and heights at the beginning, m.
    pub fn outline(&self, barrier: &file::Barrier, length: f64) -> Vec<(f64, f64)> {
        let lift = curve_at(&barrier.lift, 0.0);
        self.points.iter().map(|point| (point.position * length, point.height + lift)).collect()
    }

    pub fn build(
        &self,
        clock: Clock,
        barrier: &file::Barrier,
        string: BodyId,
        input: Option<(InputId, f64)>,
        builder: &mut ModelBuilder,
    ) -> PointContacts {
        // below: u_A − u_B − gap = −u + h; above: u − h
        let sign = match barrier.side {
            Side::Below => -1.0,
            Side::Above => 1.0,
        };
        let mut bases = Vec::new();
        let lift = input.map_or(0.0, |(_, start)| start);
        let contacts = self
            .points
            .iter()
            .enumerate()
            .map(|(i, point)| {
                let port = End::port(string, point.port);
                let ends = if sign < 0.0 { [End::Wall, port] } else { [port, End::Wall] };
                let law = collision(clock, point.stiffness, barrier.exponent, barrier.damping_s_m, barrier.method);
                bases.push(sign * point.height);
                let contact = Contact::new(format!("{}[{i}]", barrier.id), ends, law);
                builder.contact(contact.with_gap(sign * (point.height + lift)))
            })
            .collect::<Vec<_>>();
        let drive = input.map(|(input, _)| GapDrive {
            contacts: contacts.iter().copied().zip(bases).collect(),
            input,
            start: lift,
            motion: GapMotion::Shift { sign },
        });
        PointContacts { contacts, drive }
    }
}

/// Positions (fractions) and heights (m).
fn places(barrier: &file::Barrier, string: &StringPlan) -> Vec<(f64, f64)> {
    let length = string.parameters.length;
    let along = |height: &dyn Fn(f64) -> f64| {
        let n = string.grid.intervals;
        (1..n)
            .map(|i| i as f64 / n as f64)
            .filter(|x| (barrier.from..=barrier.to).contains(x))
            .map(|x| (x, height((x - barrier.from) * length)))
            .collect()
    };
    match &barrier.shape {
        file::BarrierShape::Flat { height_m } => along(&|_| *height_m),
        file::BarrierShape::Profile { height_m } => along(&|x| height_m.iter().rev().fold(0.0, |sum, c| sum * x + c)),
        file::BarrierShape::Frets { height_m } => height_m
            .iter()
            .enumerate()
            .map(|(n, &height)| (1.0 - libm::exp2(-((n + 1) as f64) / 12.0), height))
            .collect(),
        file::BarrierShape::Points(points) => points.clone(),
    }
}

/// The places a finger can touch.
pub(super) struct FingerPlan {
    /// Port and position along the string, m.
    places: Vec<(usize, f64)>,
}

impl FingerPlan {
    /// Adds a port at every point the fingertip passes, or can be brought to by an input over `range`.
    pub fn new(
        loaded: &Loaded,
        finger: &file::Finger,
        range: Option<(f64, f64)>,
        string: &mut StringPlan,
    ) -> Result<Self, Error> {
        let length = string.parameters.length;
        let reach = 0.5 * finger.width_m / length;
        let (from, to) = range.unwrap_or((1.0, 0.0));
        let low = finger.position.iter().map(|(_, x)| *x).fold(from, f64::min);
        let high = finger.position.iter().map(|(_, x)| *x).fold(to, f64::max);
        let points = match string.resolution() {
            Some(spacing) => spread(low, high, reach, spacing),
            None => on_grid(low, high, reach, string.grid.intervals),
        };
        if points.len() > MAX_CONTACTS {
            let message = format!(
                "`{}` passes {} points of its string, expected at most {MAX_CONTACTS}",
                finger.id,
                points.len()
            );
            return Err(loaded.error_at(&finger.id, "engine::too_many_contacts", message, "here", None));
        }
        let places = points.into_iter().map(|x| (string.add_port(x), x * length)).collect();
        Ok(Self { places })
    }

    /// Where its contacts are along the string, m.
    pub fn positions(&self) -> impl Iterator<Item = f64> {
        self.places.iter().map(|&(_, position)| position)
    }

    /// The finger's mass and its contacts. Its own coordinate is 0 where it waits, `height_m` from the string.
    pub fn build(
        &self,
        clock: Clock,
        finger: &file::Finger,
        string: (BodyId, f64),
        input: Option<(InputId, f64)>,
        builder: &mut ModelBuilder,
    ) -> Result<(BodyId, PointContacts), ictus_core::BuildError> {
        let (string, length) = string;
        let mass =
            builder.body(finger.id.clone(), Mass::new(clock, finger.mass_kg, finger.hold_n_m, finger.damping_n_s_m)?);
        let tip = |x: f64, at: f64| finger.height_m + (x - at) * (x - at) / (2.0 * finger.radius_m);
        let start = input.map_or_else(|| curve_at(&finger.position, 0.0) * length, |(_, start)| start);
        let contacts: Vec<ContactId> = self
            .places
            .iter()
            .enumerate()
            .map(|(i, &(port, x))| {
                let (own, other) = (End::port(mass, 0), End::port(string, port));
                let ends = match finger.side {
                    Side::Above => [other, own],
                    Side::Below => [own, other],
                };
                let law =
                    collision(clock, finger.stiffness, finger.exponent, finger.damping_s_m, file::Method::Gradient);
                builder.contact(Contact::new(format!("{}[{i}]", finger.id), ends, law).with_gap(tip(x, start)))
            })
            .collect();
        let drive = input.map(|(input, _)| GapDrive {
            contacts: contacts.iter().copied().zip(self.places.iter().map(|(_, x)| *x)).collect(),
            input,
            start,
            motion: GapMotion::Pass { height: finger.height_m, radius: finger.radius_m },
        });
        Ok((mass, PointContacts { contacts, drive }))
    }
}

/// Points of a grid of `n` intervals within `reach` of a finger that is between `low` and `high`, all fractions of the length.
fn on_grid(low: f64, high: f64, reach: f64, n: usize) -> Vec<f64> {
    let nearest = |x: f64| ((x * n as f64).round() as usize).clamp(1, n - 1);
    // a narrow finger on a coarse grid still touches the point nearest to it
    let first = (((low - reach) * n as f64).ceil().max(1.0) as usize).min(nearest(low));
    let last = nearest(high + reach).max(nearest(high));
    (first..=last).map(|i| i as f64 / n as f64).collect()
}

/// Points at most `spacing` apart within `reach` of a finger that is between `low` and `high`: both of these are among them, so a
/// finger that stands still touches exactly where the file puts it.
fn spread(low: f64, high: f64, reach: f64, spacing: f64) -> Vec<f64> {
    let between = ((high - low) / spacing).ceil();
    let spacing = if between > 0.0 { (high - low) / between } else { spacing };
    let beside = (reach / spacing).floor();
    let count = (between + 2.0 * beside) as usize;
    let points = (0..=count).map(|i| low + (i as f64 - beside) * spacing);
    points.filter(|&x| x > 0.0 && x < 1.0).collect()
}

/// Straight lines between points, held beyond; 0 for no points.
pub(super) fn curve_at(curve: &[(f64, f64)], t: f64) -> f64 {
    crate::curve::held(curve, t)
}
